/** The health checks in the OpenAPI document. */
import type { JsonSchema } from '../../kernel/report/json-schema.js'
import { STATES } from '../../store/replicas.js'
import { json, type OpenApiPart, text } from '../openapi.js'

export const healthPart = (): OpenApiPart => ({
  tags: [{ name: 'service', description: 'State of the service' }],
  paths: {
    '/healthz': { get: check('health', 'The process responds', { 200: response('The process responds.', 'ok') }) },
    '/readyz': {
      get: check('ready', 'The database can be read and written, and has the right schema', {
        200: response('It does.', 'ready', { replicas, pulls }),
        503: response('The service is not ready.', 'not ready', { reason: text('Why it is not ready.') }),
      }),
    },
  },
})

/** The replicas that reports are read from. */
const replicas: JsonSchema = {
  type: 'array',
  description:
    'The replicas of `--read-from`, in the same order; absent if there are none. The service is ready without them, too.',
  items: {
    type: 'object',
    properties: {
      replica: text('Name of the replica, as in the metrics.'),
      state: {
        type: 'string',
        enum: [...STATES],
        description:
          'The service reads reports from replicas that are `ready`, and uses the others again when they become `ready`.',
      },
      loads_behind: {
        type: 'integer',
        description: 'The number of loads that the replica lacks; absent if it does not respond.',
      },
    },
    required: ['replica', 'state'],
  },
}

/** The result of the last pull of each connector. */
const pulls: JsonSchema = {
  type: 'array',
  description: 'The connectors that `millbook pull` has pulled from; absent if there are none.',
  items: {
    type: 'object',
    properties: {
      connector: text('Its name.'),
      succeeded_at: { type: ['string', 'null'], format: 'date-time', description: 'Time of the last successful pull.' },
      failed_at: {
        type: 'string',
        format: 'date-time',
        description: 'Time of the last pull, if it failed: the data is older.',
      },
      reason: text('Why the pull failed.'),
      rejected_rows: {
        type: 'integer',
        description: 'Rows that the last pull left out because they were wrong; absent if there are none.',
      },
    },
    required: ['connector', 'succeeded_at'],
  },
}

const check = (operationId: string, summary: string, responses: JsonSchema): JsonSchema => ({
  operationId,
  tags: ['service'],
  summary,
  responses,
})

const response = (description: string, status: string, more: JsonSchema = {}): JsonSchema => ({
  description,
  content: json(
    { type: 'object', properties: { status: { type: 'string', enum: [status] }, ...more }, required: ['status'] },
    more['reason'] === undefined ? { status } : undefined,
  ),
})
