/** The search in the OpenAPI document. */
import { type JsonSchema, paramSchema } from '../../kernel/report/json-schema.js'
import { kinds, MOST_HITS } from '../../search/kinds.js'
import { searchParams } from '../../search/params.js'
import { json, type OpenApiPart, problemResponses, ref, text, tokenOf } from '../openapi.js'

const { q } = searchParams

const groupsOf = kinds.map(({ kind, groups }) => `| ${kind} | ${groups.join(', ')} |`).join('\n')

export const searchPart = (): OpenApiPart => ({
  tags: [
    {
      name: 'search',
      description: 'Find the items, batches, orders, invoices, receipts, customers and vendors that reports show',
    },
  ],
  paths: { '/v1/search': { get: operation } },
  schemas,
})

const example = {
  data: [
    {
      ...{ kind: 'item', id: 'FG-0002', label: 'Aloo Bhujia 200 g', detail: 'FG-0002, Namkeen, PCS' },
      codes: ['FG-0002'],
      behind: { report: 'inventory.movements', params: { sku: 'FG-0002' } },
    },
  ],
}

const operation: JsonSchema = {
  operationId: 'search',
  tags: ['search'],
  security: tokenOf(),
  summary: 'Items, batches, orders, invoices, customers and vendors by number or name',
  description: `At most ${MOST_HITS} hits of each kind whose number or name (of a batch also its vendor's number) contains \`q\`, in any case: exact matches first, then matches at the beginning,
then the others. Contact data is not searched. A caller gets the kinds of its groups:

| kind | for callers of |
|---|---|
${groupsOf}

\`behind\` is a report with details of the hit, if the caller may use it, with the parameters that follow from the hit; the caller adds a
range of dates.`,
  parameters: [
    {
      name: 'q',
      in: 'query',
      required: true,
      description: q.description,
      schema: paramSchema(q.type),
      example: q.example,
    },
  ],
  responses: {
    200: { description: 'The hits.', content: json(ref('SearchResult'), example) },
    ...problemResponses([
      ...([
        'malformed-request',
        'unauthorized',
        'forbidden',
        'request-timeout',
        'invalid-parameters',
        'too-many-requests',
      ] as const),
      ...(['headers-too-large', 'internal-error', 'unavailable', 'timeout'] as const),
    ]),
  },
}

const schemas: Record<string, JsonSchema> = {
  SearchResult: {
    type: 'object',
    properties: { data: { type: 'array', items: ref('SearchHit') } },
    required: ['data'],
    additionalProperties: false,
  },
  SearchHit: {
    type: 'object',
    properties: {
      kind: { type: 'string', enum: kinds.map(({ kind }) => kind), description: 'The kind of hit.' },
      id: text('Number or code of the hit.'),
      label: text('Name of the hit, or its number if it has no name.'),
      detail: text('Details that distinguish the hit from others, as text.'),
      codes: {
        ...{ type: 'array', items: { type: 'string' } },
        description:
          'The codes that name it: for a batch the code of its item and its number, for a goods receipt the number of its purchase order and its own, for any other hit `id`.',
      },
      behind: ref('SearchBehind'),
    },
    required: ['kind', 'id', 'label', 'detail', 'codes'],
    additionalProperties: false,
  },
  SearchBehind: {
    type: 'object',
    description: 'The report with details of the hit.',
    properties: {
      report: text('Id of the report, such as `sales.order-story`.'),
      params: {
        type: 'object',
        description: 'Parameters of its request.',
        additionalProperties: { type: 'string' },
      },
    },
    required: ['report', 'params'],
    additionalProperties: false,
  },
}
