/** Saved views in the OpenAPI document. */
import { groups } from '../../groups.js'
import { type JsonSchema, paramSchema } from '../../kernel/report/json-schema.js'
import type { Params } from '../../kernel/report/params.js'
import { SHOWS } from '../../views/definition.js'
import { json, problemResponses, ref, text, tokenOf } from '../openapi.js'
import { dataParams, VIEWS_PATH } from './views.js'

const textOrList = (description: string): JsonSchema => ({
  type: 'array',
  description: `${description} A single text with commas is accepted too.`,
  items: { type: 'string' },
})

const members: Record<string, JsonSchema> = {
  name: text('The name of the view; its owner has no other view of this name.'),
  report: text('The id of the report, such as `sales.invoices`.'),
  values: {
    type: 'object',
    description: 'The parameters of the report, as in a request.',
    additionalProperties: true,
  },
  period: text(
    'Words for the days of the report, in place of its dates: `last-month`, `this-quarter`, `this-fy`, `this-month-so-far`, `last-30-days`, `last-12-months`, `2026-04`. They are counted from the day on which the view is read.',
  ),
  fields: textOrList('The fields, as in the parameter `fields` of a report.'),
  filter: textOrList(
    'Conditions, as in the parameter `filter`; a day may be words in braces: `expiry_date<={in-60-days}`.',
  ),
  search: text('Words, as in the parameter `search`.'),
  sort: textOrList('The order, as in the parameter `sort`.'),
  group: textOrList('The groups, as in the parameter `group`.'),
  measures: textOrList('The figures of groups, as in the parameter `measures`.'),
  having: textOrList('Conditions on groups, as in the parameter `having`.'),
  compare: text('The comparison, as in the parameter `compare`.'),
  show: { type: 'string', enum: SHOWS, description: 'How the console shows the view. The data is the same.' },
  figure: text('The column of the figure that the console shows in a pivot or a chart, such as `total_amt`.'),
  shared: {
    type: ['string', 'array'],
    description: `The readers beside the owner: \`nobody\` (the default), \`everyone\`, or a list of groups of reports (${groups.join(', ')}): whoever may use one of them.`,
    items: { type: 'string' },
  },
}
const request: JsonSchema = {
  type: 'object',
  properties: members,
  required: ['name', 'report'],
  additionalProperties: false,
}

const example = {
  ...{ name: 'Sales by customer and month', report: 'sales.invoices', period: 'this-fy' },
  ...{
    group: ['customer_name', 'month(invoice_date)'],
    measures: ['sum(total_amt)'],
    sort: ['-total_amt'],
    shared: ['sales'],
  },
}
const saved = {
  ...{ id: 'k3J9sPq0vXzT1bYc', ...example, owner: 'asha', mine: true, changed_at: '2026-06-30T06:12:00.000Z' },
}

const id = { name: 'id', in: 'path', required: true, description: 'The id of the view.', schema: { type: 'string' } }

const operation = (
  operationId: string,
  summary: string,
  {
    description,
    body = false,
    status = 200,
    list = false,
  }: { description?: string; body?: boolean; status?: number; list?: boolean } = {},
): JsonSchema => ({
  ...{ operationId, tags: ['views'], security: [{ bearer: [] }, { oauth2: [] }], summary },
  ...(description && { description }),
  ...(status === 200 && !list && { parameters: [id] }),
  ...(body && { requestBody: { required: true, content: json(ref('ViewDefinition'), example) } }),
  responses: {
    [status]: {
      description: list ? 'The views.' : 'The view.',
      content: list ? json(ref('SavedViews'), { data: [saved] }) : json(ref('SavedView'), saved),
    },
    ...problemResponses([
      ...(['malformed-request', 'unauthorized', 'forbidden', 'request-timeout', 'too-many-requests'] as const),
      ...(body ? (['conflict', 'body-too-large', 'unsupported-media-type', 'invalid-parameters'] as const) : []),
      ...(list ? [] : (['does-not-exist'] as const)),
      ...(['headers-too-large', 'internal-error', 'unavailable', 'timeout'] as const),
    ]),
  },
})

const queryParameters = (params: Params): JsonSchema[] =>
  Object.entries(params).map(([name, { type, description, required }]) => ({
    ...{ name, in: 'query', required, description, schema: paramSchema(type) },
  }))

export const viewsTag = {
  name: 'views',
  description: 'Reports with chosen fields, filters, groups, comparison and order, saved under a name',
}

export const viewsPaths: Record<string, JsonSchema> = {
  [VIEWS_PATH]: {
    get: operation('listViews', 'Your views, and the ones that are shared with you', { list: true }),
    post: operation('createView', 'Save a view', { body: true, status: 201 }),
  },
  [`${VIEWS_PATH}/{id}`]: {
    get: operation('getView', 'The definition of a view'),
    put: operation('replaceView', 'Replace a view of yours', { body: true }),
    delete: operation('deleteView', 'Delete a view of yours'),
  },
  [`${VIEWS_PATH}/{id}/data`]: {
    get: {
      ...{ operationId: 'viewData', tags: ['views'], security: tokenOf() },
      summary: 'The records of a view',
      description:
        'The response of the report with the parameters of the view, within the rights of the caller. 409 if the report, or a field that the view names, is gone.',
      parameters: [id, ...queryParameters(dataParams)],
      responses: {
        200: { description: 'The records.', content: json(ref('ViewResult')) },
        304: { description: 'The response that `If-None-Match` names is still current.' },
        ...problemResponses(),
        ...problemResponses(['does-not-exist', 'conflict']),
      },
    },
  },
}

export const viewsSchemas: Record<string, JsonSchema> = {
  ViewDefinition: request,
  SavedView: {
    type: 'object',
    properties: {
      id: text('Its id.'),
      ...members,
      owner: text('The user who saved it.'),
      mine: { type: 'boolean', description: 'Whether it is yours.' },
      changed_at: { type: 'string', format: 'date-time', description: 'The time of its last change.' },
    },
    required: ['id', 'name', 'report', 'shared', 'owner', 'mine', 'changed_at'],
    additionalProperties: false,
  },
  SavedViews: {
    type: 'object',
    properties: { data: { type: 'array', items: ref('SavedView') } },
    required: ['data'],
    additionalProperties: false,
  },
}
