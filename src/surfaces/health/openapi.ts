/** The health checks in the OpenAPI document. */
import type { JsonSchema } from '../../kernel/report/json-schema.js'
import { STATES } from '../../store/replicas.js'
import { json, type OpenApiPart, text } from '../openapi.js'

export const healthPart = (): OpenApiPart => ({
  tags: [{ name: 'service', description: 'State of the service' }],
  paths: {
    '/healthz': { get: check('health', 'The process responds', { 200: response('It does.', 'ok') }) },
    '/readyz': {
      get: check('ready', 'The database responds and has the right schema', {
        200: response('It does.', 'ready', { replicas, pulls }),
        503: response('Not now.', 'not ready', { reason: text('What is missing.') }),
      }),
    },
  },
})

/** The replicas that reports are read from. */
const replicas: JsonSchema = {
  type: 'array',
  description: 'The replicas of `--read-from`, in its order; absent if there are none. None of them is needed.',
  items: {
    type: 'object',
    properties: {
      replica: text('Its name, as in the metrics.'),
      state: {
        type: 'string',
        enum: [...STATES],
        description: 'Reports are read from replicas that are `ready`; the others are taken back when they are again.',
      },
      loads_behind: {
        type: 'integer',
        description: 'The number of loads that it lacks; absent if it does not respond.',
      },
    },
    required: ['replica', 'state'],
  },
}

/** What became of the last pull of each connector. */
const pulls: JsonSchema = {
  type: 'array',
  description: 'The connectors that `millbook pull` has pulled from; absent if there are none.',
  items: {
    type: 'object',
    properties: {
      connector: text('Its name.'),
      succeeded_at: { type: ['string', 'null'], format: 'date-time', description: 'The last pull that succeeded.' },
      failed_at: {
        type: 'string',
        format: 'date-time',
        description: 'The last pull, if it failed: the data is older.',
      },
      reason: text('Why it failed.'),
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
