/** The health checks in the OpenAPI document. */
import type { JsonSchema } from '../../kernel/json-schema.js'
import { json, type OpenApiPart, text } from '../openapi.js'

export const healthPart = (): OpenApiPart => ({
  tags: [{ name: 'service', description: 'State of the service' }],
  paths: {
    '/healthz': { get: check('health', 'The process responds', { 200: response('It does.', 'ok') }) },
    '/readyz': {
      get: check('ready', 'The database responds and has the right schema', {
        200: response('It does.', 'ready'),
        503: response('Not now.', 'not ready', { reason: text('What is missing.') }),
      }),
    },
  },
})

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
