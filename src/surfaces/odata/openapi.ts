/** OData in the OpenAPI document. Its own description, with every set and its types, is `/odata/$metadata`. */
import type { JsonSchema } from '../../kernel/report/json-schema.js'
import { json, type OpenApiPart, problemResponses, ref, text, tokenOf } from '../openapi.js'

const set = {
  ...{ name: 'set', in: 'path', required: true, schema: { type: 'string' }, example: 'inventory_fg_stock_status' },
  description:
    "A set, such as `sales_invoices` or `view_low_stock`; a record of it by its key, `sales_customers('C-0001')`; or a report with parameters, `ask_sales_invoices(from_date=2026-04-01,to_date=2026-06-30)`.",
}

const option = (name: string, description: string, example?: string): JsonSchema => ({
  ...{ name, in: 'query', required: false, description, schema: { type: 'string' } },
  ...(example !== undefined && { example }),
})
const filter = option(
  '$filter',
  'A condition with `eq`, `ne`, `lt`, `le`, `gt`, `ge`, `and`, `or`, `not`, `contains`, `startswith` and `endswith`.',
  "total_amt gt 1000 and contains(customer_name,'Stores')",
)

const errors = (): Record<string, JsonSchema> => ({
  ...Object.fromEntries(
    [400, 401, 403, 404, 406, 410, 429, 500, 501, 503, 504].map((status) => [
      status,
      { description: 'An error, as OData writes it.', content: json(ref('ODataError')) },
    ]),
  ),
})

const operation = (
  operationId: string,
  summary: string,
  { parameters, ...rest }: { parameters?: readonly JsonSchema[]; description?: string },
  content: JsonSchema,
): JsonSchema => ({
  get: {
    ...{ operationId, tags: ['odata'], security: tokenOf(), summary, ...rest },
    ...(parameters && { parameters }),
    responses: { 200: { description: 'As in OData 4.0.', content }, ...errors() },
  },
})

const file = (operationId: string, summary: string, type: string): JsonSchema => ({
  get: {
    ...{ operationId, tags: ['odata'], security: tokenOf(), summary },
    parameters: [
      { name: 'id', in: 'path', required: true, description: 'The id of the view.', schema: { type: 'string' } },
    ],
    responses: {
      200: {
        description: 'The file. It has the address of the view and no password.',
        content: { [type]: { schema: { type: 'string' } } },
      },
      ...problemResponses([
        ...([
          'malformed-request',
          'unauthorized',
          'forbidden',
          'does-not-exist',
          'request-timeout',
          'too-many-requests',
        ] as const),
        ...(['headers-too-large', 'internal-error', 'unavailable', 'timeout'] as const),
      ]),
    },
  },
})

export const odataPart = (): OpenApiPart => ({
  tags: [
    { name: 'odata', description: 'Reports and saved views as OData 4.0, for Excel, Power BI, Tableau and others' },
  ],
  paths: {
    '/odata/': operation('odataService', 'The sets that the caller may read', {}, json(ref('ODataService'))),
    '/odata/$metadata': operation(
      'odataMetadata',
      'Every set with the types and the meaning of its properties, in XML',
      {},
      { 'application/xml': { schema: { type: 'string' } } },
    ),
    '/odata/{set}': operation(
      'odataRecords',
      'The records of a set',
      {
        description:
          'A set of a report has this month, or the stock of today; a saved view has its own period. Pages have at most 5,000 records; `@odata.nextLink` leads to the next page of the same version of the data.',
        parameters: [
          set,
          option('$select', 'Properties, separated by commas.', 'invoice_no,total_amt'),
          filter,
          option('$orderby', 'Properties, separated by commas, each with `asc` or `desc` after it.', 'total_amt desc'),
          option('$top', 'The most records.', '100'),
          option('$skip', 'Records to leave out at the beginning.'),
          option('$count', '`true` for the number of all records, `@odata.count`.'),
          option('$format', '`json`, in place of the header `Accept`.'),
          option('$skiptoken', 'The place of a page; only in `@odata.nextLink`.'),
        ],
      },
      json(ref('ODataRecords')),
    ),
    '/odata/{set}/$count': operation(
      'odataCount',
      'The number of records of a set',
      { parameters: [set, filter] },
      { 'text/plain': { schema: { type: 'string' } } },
    ),
    '/v1/views/{id}.odc': file('viewInExcel', 'A file that opens a view in Excel', 'text/x-ms-odc'),
    '/v1/views/{id}.pbids': file('viewInPowerBi', 'A file that opens a view in Power BI', 'application/json'),
  },
  schemas: {
    ODataService: {
      type: 'object',
      properties: {
        '@odata.context': text('The address of `$metadata`.'),
        value: {
          type: 'array',
          description: 'The sets.',
          items: {
            type: 'object',
            properties: {
              name: text('Its name.'),
              title: text('Its title.'),
              kind: text('`EntitySet`.'),
              url: text('Its address.'),
            },
            required: ['name', 'url'],
            additionalProperties: true,
          },
        },
      },
      required: ['value'],
      additionalProperties: true,
    },
    ODataRecords: {
      type: 'object',
      properties: {
        '@odata.context': text('The set and its selected properties in `$metadata`.'),
        '@odata.count': { type: 'integer', description: 'With `$count=true`: the number of all records.' },
        value: { type: 'array', description: 'The records.', items: { type: 'object', additionalProperties: true } },
        '@odata.nextLink': text('The next page; absent on the last.'),
      },
      additionalProperties: true,
    },
    ODataError: {
      type: 'object',
      properties: {
        error: {
          type: 'object',
          properties: { code: text('The kind of error.'), message: text('The reason, and what to do.') },
          required: ['code', 'message'],
          additionalProperties: true,
        },
      },
      required: ['error'],
      additionalProperties: false,
    },
  },
})
