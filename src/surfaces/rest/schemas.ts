/** The schemas of a report in the OpenAPI document: its request, its records, and each form of its response. */
import { envelopeSchemas, LINK_NAMES } from '../../formats/json.js'
import { contractShape } from '../../kernel/report/choose.js'
import { type Column, columnsOf, keyOf } from '../../kernel/report/columns.js'
import { CHANGES } from '../../kernel/report/difference.js'
import { type JsonSchema, schemaOfParam, valueSchema } from '../../kernel/report/json-schema.js'
import { keyed } from '../../kernel/report/keyed.js'
import type { Param, Params } from '../../kernel/report/params.js'
import type { Report, Shape } from '../../kernel/report/report.js'
import { totalsRecord } from '../../kernel/report/totals.js'
import { ref } from '../openapi.js'

/** The name of a report's types: `sales.gross-margin` is `SalesGrossMargin`, `sales.sales-orders` is `SalesOrders`. */
export function typeName({ id, group }: Report): string {
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

/**
 * The forms of a response, one for each kind of question. Generated clients take the first that fits, and some ignore members that
 * a form does not have: so the form with more members comes first.
 */
const FORMS = ['ChangesResult', 'Result', 'TotalsResult', 'FieldsResult']

/** The schemas of a report, by name. */
export function schemasOf(report: Report): Record<string, JsonSchema> {
  const name = typeName(report)
  const shapes = [...report.shapes].map(([shape, declared]) => ({ name: `${name}${pascal(shape)}`, shape, declared }))
  const forms = FORMS.flatMap((form) => shapes.map(({ name }) => ref(name + form)))
  return Object.assign(
    hasBody(report) ? { [`${name}Request`]: requestSchema(report.request) } : {},
    { [`${name}Answer`]: { anyOf: [...forms, ref('AgainstResult'), ref('ViewResult')] } },
    ...shapes.map(({ name, shape, declared }) => {
      const { record, unshownKey = {} } = contractShape(declared)
      const contract = columnsOf({ record })
      const whole = keyed(report).shapes.get(shape) as Shape
      const hidden = [
        ...columnsOf({ record: unshownKey }),
        ...columnsOf({ record: declared.hiddenKey ?? {} }).map((column) => ({ ...column, name: `_${column.name}` })),
      ]
      const changed = hidden.length === 0 ? `${name}Record` : `${name}ChangedRecord`
      return {
        [`${name}Result`]: resultSchema(report, name),
        [`${name}ChangesResult`]: changesSchema(changed, name),
        [`${name}TotalsResult`]: totalsSchema(name),
        [`${name}FieldsResult`]: fieldsSchema(name),
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
export const hasBody = ({ method, request }: Report) => method === 'POST' && Object.keys(request).length > 0

/** A page, or all records of a report without a default page size. */
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
    Object.entries(params).map(([name, param]: [string, Param<unknown>]) => [
      name,
      {
        ...{ ...schemaOfParam(param), description: param.description },
        ...(param.example !== undefined && { examples: [param.example] }),
      },
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

const { _links, _meta } = envelopeSchemas
const ANY_VALUE = ['string', 'number', 'boolean', 'array', 'null']
/** The schemas that all responses share. */
export const envelopeComponents = {
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
  ViewResult: envelope(
    'ViewRecord',
    pages,
    [],
    'A response to a request with `group` or `compare`, or with `against` and `totals=yes`.',
  ),
  ViewRecord: {
    type: 'object',
    description:
      'A group, with the columns that `group` and `measures` name the number of its records, `rows`, and that of cancelled documents that no figure has, `_cancelled`; or, with `compare`, a record or a group whose numbers have `…__before` and `…__change` beside them; or totals with `…__before`, `…__after` and `…__difference`.',
    additionalProperties: true,
  },
  AgainstResult: envelope('Difference', pages, [], 'A response to a request with `against`.'),
  Difference: {
    type: 'object',
    description: 'A record that differs between two versions of the data.',
    properties: {
      change: {
        type: 'string',
        enum: [...CHANGES],
        description: '`new` since the earlier version, `gone`, or `changed`.',
      },
      key: {
        type: 'object',
        description: "The record's key; the member of an object has a name with a dot, such as `billing.city`.",
        additionalProperties: true,
      },
      fields: {
        type: 'object',
        description: 'The other fields that differ, by name; for a new record or one that is gone, all of them.',
        additionalProperties: {
          type: 'object',
          properties: {
            before: { type: ANY_VALUE, description: 'As it was known; null for a new record.' },
            after: {
              type: ANY_VALUE,
              description: 'As it is now, or as `as_known` knows it; null for a record that is gone.',
            },
          },
          required: ['before', 'after'],
          additionalProperties: false,
        },
      },
    },
    required: ['change', 'key', 'fields'],
    additionalProperties: false,
  },
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
