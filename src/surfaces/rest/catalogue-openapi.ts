/** `GET /v1/reports` in the OpenAPI document. */
import type { JsonSchema } from '../../kernel/report/json-schema.js'
import { json, problemResponses, ref, text, tokenOf } from '../openapi.js'

const list = (description: string, items: JsonSchema): JsonSchema => ({ type: 'array', description, items })
const open = (description: string): JsonSchema => ({ type: 'object', description, additionalProperties: true })

export const catalogueOperation: JsonSchema = {
  operationId: 'reports',
  tags: ['masters'],
  security: tokenOf(),
  summary: 'The reports that the caller may use, with their parameters and fields',
  description: `For programs that make forms and tables for any report, as the console does: the types of parameters and fields, the key of
a record, which fields can be added up (\`additive\`), and the request that explains a value (\`behind\`).`,
  responses: {
    200: { description: 'The declarations.', content: json(ref('Catalogue')) },
    ...problemResponses([
      ...(['malformed-request', 'unauthorized', 'request-timeout', 'too-many-requests'] as const),
      ...(['headers-too-large', 'internal-error', 'unavailable', 'timeout'] as const),
    ]),
  },
}

export const catalogueSchemas: Record<string, JsonSchema> = {
  Catalogue: {
    type: 'object',
    properties: {
      data: list('The reports.', ref('CatalogueReport')),
      formats: list(
        'The formats of `?format=`.',
        open(
          'A format: `name`, `label`, `content_type`, `share`, its size relative to JSON, and `lines`, the default of that parameter.',
        ),
      ),
    },
    required: ['data', 'formats'],
  },
  CatalogueReport: {
    type: 'object',
    description: 'The declaration of a report.',
    properties: {
      id: text('Identifies it.'),
      group: text('The group that the caller needs access to.'),
      title: text('A few words for a menu.'),
      summary: text('A phrase about its content.'),
      description: text('The meaning of its figures, in Markdown.'),
      method: text('The method of its request.'),
      path: text('The path of its request.'),
      params: list(
        'Its parameters.',
        open(
          'A parameter: `name`, `type`, `description`, `required`, `default`, what it means if it is left out, `left_out`, the same in words, and `instead_of`: of the parameters with the same word there, a request gives exactly one.',
        ),
      ),
      per_page_from: text('The parameter for the page size.'),
      shaped_by: text('The parameter whose value selects the shape of the records.'),
      shapes: list(
        'The shapes of its records; a single shape has an empty name.',
        open(
          '`name`, `columns`, `key`, `people`, the fields that people see first, `better`, whether `more` or `less` of a figure is good, and `cancelled`, the field and its value by which totals and groups leave a record out.',
        ),
      ),
    },
    required: ['id', 'group', 'title', 'summary', 'description', 'method', 'path', 'params', 'shapes'],
  },
}
