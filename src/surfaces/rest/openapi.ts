/** The reports in the OpenAPI document, with a named schema for each request, response and record. */
import { envelopeSchemas, LINK_NAMES } from '../../formats/json.js'
import { groups } from '../../groups.js'
import { contractShape } from '../../kernel/report/choose.js'
import { type Column, columnsOf, keyOf } from '../../kernel/report/columns.js'
import { type JsonSchema, paramSchema, valueSchema } from '../../kernel/report/json-schema.js'
import { keyed } from '../../kernel/report/keyed.js'
import type { Param, Params } from '../../kernel/report/params.js'
import type { Report, Shape } from '../../kernel/report/report.js'
import { totalsRecord } from '../../kernel/report/view.js'
import { type Example, json, type OpenApiPart, problemResponses, ref, tokenOf } from '../openapi.js'
import { catalogueOperation, catalogueSchemas } from './catalogue-openapi.js'
import { examples } from './examples.js'
import { commonParams } from './read.js'

export function reportsPart(reports: readonly Report[], origin: string): OpenApiPart {
  const used = new Set(reports.map(({ group }) => group))
  return {
    tags: groups
      .filter((name) => used.has(name))
      .map((name) => ({ name, description: `Reports of the group ${name}` })),
    paths: {
      '/v1/reports': { get: catalogueOperation },
      ...Object.fromEntries(
        reports.map((report) => [report.path, { [report.method.toLowerCase()]: operation(report, origin) }]),
      ),
    },
    schemas: Object.assign({}, ...reports.map(schemasOf), envelopeComponents, catalogueSchemas),
  }
}

/** The name of a report's types: `sales.gross-margin` is `SalesGrossMargin`, `sales.sales-orders` is `SalesOrders`. */
function typeName({ id, group }: Report): string {
  const name = id.slice(group.length + 1)
  return pascal(name.startsWith(group) ? name : id)
}

const pascal = (name: string): string =>
  name
    .split(/[^a-zA-Z0-9]+/)
    .map(
      (word) =>
        word.charAt(0).toUpperCase() + (word === word.toUpperCase() ? word.slice(1).toLowerCase() : word.slice(1)),
    )
    .join('')

function operation(report: Report, origin: string): JsonSchema {
  const { id, method, request, group, summary } = report
  const name = typeName(report)
  const found = examples[id] ?? []
  return {
    operationId: name.charAt(0).toLowerCase() + name.slice(1),
    tags: [group],
    security: tokenOf(group),
    summary,
    description: describe(report),
    parameters: [...(method === 'GET' ? queryParameters(request) : []), ...queryParameters(commonParams)],
    ...(hasBody(report) && {
      requestBody: {
        description: 'The parameters.',
        required: Object.values(request).some((param) => param.required),
        content: json(ref(`${name}Request`), found[0]?.request),
      },
    }),
    responses: {
      200: {
        description: 'The records.',
        headers: { ...paginationHeaders, ...answerHeaders, ...editionHeaders, ...rateHeaders },
        // Other formats are in the parameter `format`: with several media types here, openapi-fetch types data as a union.
        content: { 'application/json': jsonContent(report, found, origin) },
      },
      304: { description: 'The response that `If-None-Match` names is still current.', headers: editionHeaders },
      ...problemResponses(),
    },
  }
}

const jsonContent = (report: Report, found: readonly Example[], origin: string): JsonSchema => ({
  schema: ref(`${typeName(report)}Answer`),
  ...(found.length > 0 && {
    examples: Object.fromEntries(
      [...report.shapes.keys()].map((shape, i) => [
        shape || 'result',
        { value: resultExample(report, found[i] as Example, origin) },
      ]),
    ),
  }),
})

function describe({ method, description, request, perPage, cost }: Report): string {
  const notes = [
    perPage === undefined ? 'Returns all records unless a page is requested.' : `Paginated: ${perPage} records a page.`,
  ]
  if (cost > 1) notes.push(`Computing it costs ${cost} units of the client's rate.`)
  if (method === 'GET' && Object.keys(request).length > 0)
    notes.push('The parameters may also come in a JSON body; a parameter in both places must have the same value.')
  return `${description}\n\n${notes.join(' ')}`
}

const queryParameters = (params: Params): JsonSchema[] =>
  Object.entries(params).map(([name, { type, description, required, example }]) => ({
    name,
    in: 'query',
    required,
    description,
    schema: paramSchema(type),
    ...(example !== undefined && { example }),
  }))

/** The schemas of a report, by name. A response has another form for each kind of question. */
function schemasOf(report: Report): Record<string, JsonSchema> {
  const name = typeName(report)
  const shapes = [...report.shapes].map(([shape, declared]) => ({ name: `${name}${pascal(shape)}`, shape, declared }))
  const kinds = shapes.flatMap(({ name }) => ['Result', 'Changes', 'Totals', 'Fields'].map((kind) => ref(name + kind)))
  return Object.assign(
    hasBody(report) ? { [`${name}Request`]: requestSchema(report.request) } : {},
    { [`${name}Answer`]: { anyOf: kinds } },
    ...shapes.map(({ name, shape, declared }) => {
      const contract = columnsOf(contractShape(declared))
      const whole = keyed(report).shapes.get(shape) as Shape
      const hidden = columnsOf({ record: declared.hiddenKey ?? {} }).map((column) => ({
        ...column,
        name: `_${column.name}`,
      }))
      const changed = hidden.length === 0 ? `${name}Record` : `${name}ChangedRecord`
      return {
        [`${name}Result`]: resultSchema(report, name),
        [`${name}Changes`]: changesSchema(changed, name),
        [`${name}Totals`]: totalsSchema(name),
        [`${name}Fields`]: fieldsSchema(name),
        ...objectSchemas(`${name}Record`, name, contract),
        ...(hidden.length > 0 &&
          objectSchemas(changed, name, [...contract, ...hidden], 'A record with its whole key.')),
        ...objectSchemas(
          `${name}FieldsRecord`,
          `${name}Fields`,
          columnsOf(whole),
          'The fields that the request chose.',
          true,
        ),
        ...objectSchemas(`${name}Key`, name, keyColumns(whole), 'The key of a removed record.'),
        ...objectSchemas(
          `${name}TotalsRecord`,
          `${name}TotalsRecord`,
          columnsOf({ record: totalsRecord(declared) }),
          'The record of `totals=yes`.',
        ),
      }
    }),
  )
}

const keyColumns = (shape: Shape): Column[] => {
  const columns = columnsOf(shape)
  return keyOf(shape).flatMap(({ path }) => columns.filter(({ name }) => name === path?.[0]))
}

/** A GET accepts the same parameters in a body too, but tools expect no body there. */
const hasBody = ({ method, request }: Report) => method === 'POST' && Object.keys(request).length > 0

/** A page, or all records of a report that has no page size of its own. */
const resultSchema = ({ perPage }: Report, name: string): JsonSchema =>
  envelope(`${name}Record`, pages, perPage === undefined ? [] : ['_links', '_meta'])

const changesSchema = (record: string, name: string): JsonSchema =>
  envelope(record, { ...changes(name), ...pages }, ['removed', '_since'], 'The response to `since`.')

const totalsSchema = (name: string): JsonSchema => {
  const { properties, ...rest } = envelope(`${name}TotalsRecord`, {}, [], 'The response to `totals=yes`.')
  return { ...rest, properties: { data: { ...(properties as typeof pages)['data'], minItems: 1, maxItems: 1 } } }
}

const fieldsSchema = (name: string): JsonSchema =>
  envelope(`${name}FieldsRecord`, { ...changes(name), ...pages }, [], 'A response to a request with `fields`.')

const pages: Record<string, JsonSchema> = { _links: ref('Links'), _meta: ref('Meta') }
const changes = (name: string): Record<string, JsonSchema> => ({
  removed: { type: 'array', description: 'The keys of the removed records.', items: ref(`${name}Key`) },
  _since: ref('Since'),
})

const envelope = (
  record: string,
  others: Record<string, JsonSchema>,
  required: readonly string[],
  description?: string,
): JsonSchema => ({
  type: 'object',
  ...(description !== undefined && { description }),
  properties: { data: { type: 'array', items: ref(record) }, ...others },
  required: ['data', ...required],
  additionalProperties: false,
})

const requestSchema = (params: Params): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(params).map(([name, { type, description, example }]: [string, Param<unknown>]) => [
      name,
      { ...paramSchema(type), description, ...(example !== undefined && { examples: [example] }) },
    ]),
  ),
  required: Object.entries(params).flatMap(([name, param]) => (param.required ? [name] : [])),
  additionalProperties: false,
})

/** The schema of an object, and the schemas of the objects inside it, whose names begin with `prefix`. */
function objectSchemas(
  name: string,
  prefix: string,
  columns: readonly Column[],
  description?: string,
  /** Whether each member may be left out, as in a record whose fields were chosen; lines are always whole. */
  optional = false,
): Record<string, JsonSchema> {
  const inside: Record<string, JsonSchema> = {}
  const property = (column: Column): JsonSchema => {
    if (column.kind !== 'nested' && column.kind !== 'lines') return valueSchema(column)
    const inner = `${prefix}${pascal(column.name)}`
    if (column.kind === 'nested') {
      Object.assign(inside, objectSchemas(inner, inner, column.columns, column.description, optional))
      return ref(inner)
    }
    Object.assign(inside, objectSchemas(`${inner}Line`, inner, column.columns))
    return { type: 'array', description: column.description, items: ref(`${inner}Line`) }
  }
  const schema = {
    type: 'object',
    ...(description !== undefined && { description }),
    properties: Object.fromEntries(columns.map((column) => [column.name, property(column)])),
    required: optional ? [] : columns.map((column) => column.name),
    additionalProperties: false,
  }
  return { [name]: schema, ...inside }
}

/** A record of the sample company, as if it were the only one. */
function resultExample({ path, perPage }: Report, { record }: Example, origin: string): JsonSchema {
  const first = { href: `${origin}${path}?page=1` }
  return {
    data: [record],
    ...(perPage !== undefined && {
      _links: { self: first, first, last: first },
      _meta: { totalCount: 1, pageCount: 1, currentPage: 1, perPage },
    }),
  }
}

const { _links, _meta } = envelopeSchemas
const envelopeComponents = {
  Links: {
    ..._links,
    properties: Object.fromEntries(LINK_NAMES.map((name) => [name, ref('Link')])),
  },
  Link: {
    type: 'object',
    description: 'A page of the same report.',
    properties: { href: { type: 'string', format: 'uri', description: 'Its URL.' } },
    required: ['href'],
  },
  Meta: _meta,
  Since: {
    type: 'object',
    description: 'With `since` only.',
    properties: {
      token: { type: 'string', description: 'Send it as `since` in the next request.' },
      version: { type: 'integer', description: 'The version of the data after these changes.' },
    },
    required: ['token', 'version'],
    additionalProperties: false,
  },
}

const paginationHeaders = Object.fromEntries(
  Object.entries({
    'X-Pagination-Total-Count': 'Records of all pages.',
    'X-Pagination-Page-Count': 'Pages.',
    'X-Pagination-Current-Page': 'Number of this page, from 1.',
    'X-Pagination-Per-Page': 'Records on a full page.',
  }).map(([name, text]) => [name, { description: `On pages only. ${text}`, schema: { type: 'integer' } }]),
)

const editionHeaders = {
  ETag: {
    description: 'Identifies this response at this version of the data, for `If-None-Match`.',
    schema: { type: 'string' },
    example: 'W/"3q2-7wAAAAAAAAAAAAAAAAAAAA"',
  },
  'X-Data-Version': {
    description: 'The version of the data that the response shows; every load makes a new version.',
    schema: { type: 'string' },
    example: '17',
  },
}

/** Headers of a response with records. */
const answerHeaders = {
  'X-Record-Count': { description: 'Records in this response.', schema: { type: 'integer' } },
  'X-Complete': {
    description: 'Whether these are all records of the report, not a page.',
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  'X-Since-Token': {
    description: 'With `since` only: the token for the next request. With pages, store it after the last page.',
    schema: { type: 'string' },
  },
  'Server-Timing': {
    description: 'Milliseconds to admit the request, to find the records and to encode the response.',
    schema: { type: 'string' },
  },
}

const rateHeaders = {
  'RateLimit-Policy': {
    description: "The client's rate: `q` units in `w` seconds.",
    schema: { type: 'string' },
    example: '"client";q=6000;w=60',
  },
  RateLimit: {
    description: 'The remaining units: `r` units, for `t` seconds.',
    schema: { type: 'string' },
    example: '"client";r=5990;t=42',
  },
}
