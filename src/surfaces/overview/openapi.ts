/** The overview in the OpenAPI document. */
import type { JsonSchema } from '../../kernel/report/json-schema.js'
import { KINDS, LONGEST_NOTE, LONGEST_TITLE, MOST_PINS, SIZES, STARTS, STYLES } from '../../views/pins.js'
import { json, type OpenApiPart, problemResponses, ref, text } from '../openapi.js'
import { OVERVIEW_PATH } from './routes.js'

const TAG = 'overview'

const example = {
  start: 'sales',
  pins: [
    {
      ...{ title: 'Invoiced this month', kind: 'figure', field: 'total_amt', good: 'more' },
      definition: { report: 'sales.invoices', period: 'this-month-so-far', compare: 'month' },
    },
    { title: 'Sales by customer', kind: 'chart', style: 'bars', view: 'k3J9sPq0vXzT1bYc' },
  ],
}

const pinned = (description: string): JsonSchema => ({ type: 'object', additionalProperties: true, description })
const oneOf = (words: readonly string[], description: string): JsonSchema => ({
  ...{ type: 'string', enum: [...words], description },
})

const pin: JsonSchema = {
  type: 'object',
  properties: {
    title: { type: 'string', maxLength: LONGEST_TITLE, description: 'Its heading.' },
    kind: oneOf(KINDS, 'How the view is shown.'),
    size: oneOf(SIZES, 'Its width, `small` by default.'),
    view: text('The id of a saved view. A pin has either `view` or `definition`.'),
    definition: pinned('A view, with the members of a saved view without `name` and `shared`.'),
    field: text('Only of a figure: the field whose sum it is, or `rows` for the number of records.'),
    of: text('Only of a figure: it is `field` as a percentage of this field.'),
    good: oneOf(['more', 'less'], 'Only of a figure: whether more or less of it is good; neither by default.'),
    trend: {
      type: 'object',
      description: 'Only of a figure: a view, and the field of it that the line under the figure draws.',
      properties: { definition: pinned('The view.'), field: text('The field.') },
      required: ['definition', 'field'],
      additionalProperties: false,
    },
    style: oneOf(STYLES, 'Only of a chart. `ages` shows the records of groups by day by their age.'),
    note: { type: 'string', maxLength: LONGEST_NOTE, description: 'Only of a list: a word after each amount.' },
  },
  required: ['title', 'kind'],
  additionalProperties: false,
}

const members: Record<string, JsonSchema> = {
  start: {
    type: ['string', 'null'],
    description: `The arrangement to start from: ${STARTS.join(', ')}; null for the one that fits the reports that the user may see.`,
  },
  pins: {
    ...{ type: ['array', 'null'], maxItems: MOST_PINS, items: ref('Pin') },
    description: 'The pins in their order; null for those of `start`.',
  },
}

const common = { tags: [TAG], security: [{ bearer: [] }, { oauth2: [] }, { session: [], csrf: [] }] }
const responses = (...more: Parameters<typeof problemResponses>[0] & {}) => ({
  200: {
    description: 'The overview.',
    content: json(ref('Overview'), { ...example, changed_at: '2026-11-15T08:13:29.000Z' }),
  },
  ...problemResponses([
    ...(['malformed-request', 'unauthorized', 'forbidden', 'request-timeout', 'too-many-requests'] as const),
    ...(['headers-too-large', 'internal-error', 'unavailable', 'timeout'] as const),
    ...more,
  ]),
})

export const overviewPart = (): OpenApiPart => ({
  tags: [{ name: TAG, description: 'The first page of the console, as a user has arranged it' }],
  paths: {
    [OVERVIEW_PATH]: {
      get: { ...common, operationId: 'overview', summary: 'Your overview', responses: responses() },
      put: {
        ...common,
        operationId: 'replaceOverview',
        summary: 'Replace your overview',
        description:
          'A pin that is kept already may stay when its view or its report is gone; every other pin is checked.',
        requestBody: { required: true, content: json(ref('NewOverview'), example) },
        responses: responses('body-too-large', 'unsupported-media-type', 'invalid-parameters'),
      },
    },
  },
  schemas: {
    NewOverview: { type: 'object', properties: members, additionalProperties: false },
    Overview: {
      type: 'object',
      properties: {
        ...members,
        changed_at: {
          ...{ type: ['string', 'null'], format: 'date-time' },
          description: 'The time of its last change; null if it never was changed.',
        },
      },
      required: ['start', 'pins', 'changed_at'],
      additionalProperties: false,
    },
    Pin: pin,
  },
})
