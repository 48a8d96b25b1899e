/** The reports in the OpenAPI document. */
import { groups } from '../../groups.js'
import { type JsonSchema, schemaOfParam } from '../../kernel/report/json-schema.js'
import type { Params } from '../../kernel/report/params.js'
import type { Report } from '../../kernel/report/report.js'
import { type Example, json, type OpenApiPart, problemResponses, ref, tokenOf } from '../openapi.js'
import { catalogueOperation, catalogueSchemas } from './catalogue-openapi.js'
import { examples } from './examples.js'
import { commonParams } from './read.js'
import { envelopeComponents, hasBody, schemasOf, typeName } from './schemas.js'
import { viewsPaths, viewsSchemas, viewsTag } from './views-openapi.js'

export function reportsPart(reports: readonly Report[], origin: string): OpenApiPart {
  const used = new Set(reports.map(({ group }) => group))
  return {
    tags: [
      ...groups.filter((name) => used.has(name)).map((name) => ({ name, description: `Reports of the group ${name}` })),
      viewsTag,
    ],
    paths: {
      '/v1/reports': { get: catalogueOperation },
      ...viewsPaths,
      ...Object.fromEntries(
        reports.map((report) => [
          report.path,
          {
            get: operation(report, 'GET', origin),
            ...(report.method === 'POST' && { post: operation(report, 'POST', origin) }),
          },
        ]),
      ),
    },
    schemas: Object.assign({}, ...reports.map(schemasOf), envelopeComponents, catalogueSchemas, viewsSchemas),
  }
}

/** Tools that take a URL can ask every report by GET, beside the POST of the contract. */
function operation(report: Report, method: Report['method'], origin: string): JsonSchema {
  const { id, request, group, summary } = report
  const name = typeName(report)
  const found = examples[id] ?? []
  return {
    operationId: method === report.method ? name.charAt(0).toLowerCase() + name.slice(1) : `get${name}`,
    tags: [group],
    security: tokenOf(group),
    summary,
    description: describe(report, method),
    parameters: [...(method === 'GET' ? queryParameters(request) : []), ...queryParameters(commonParams)],
    ...(method === 'POST' &&
      hasBody(report) && {
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

function describe({ description, request, perPage, cost }: Report, method: Report['method']): string {
  const notes = [
    perPage === undefined ? 'Returns all records unless a page is requested.' : `Paginated: ${perPage} records a page.`,
  ]
  if (cost > 1) notes.push(`Computing it costs ${cost} units of the client's rate.`)
  if (method === 'GET' && Object.keys(request).length > 0)
    notes.push('The parameters may also come in a JSON body; a parameter in both places must have the same value.')
  return `${description}\n\n${notes.join(' ')}`
}

const queryParameters = (params: Params): JsonSchema[] =>
  Object.entries(params).map(([name, param]) => ({
    name,
    in: 'query',
    required: param.required,
    description: param.description,
    schema: schemaOfParam(param),
    ...(param.example !== undefined && { example: param.example }),
  }))

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
