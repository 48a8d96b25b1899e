/** The administration API in the OpenAPI document. */
import type { ProblemCode } from '../../errors.js'
import { CSRF_HEADER, SESSION_COOKIE } from '../../http/session-cookie.js'
import type { JsonSchema } from '../../kernel/report/json-schema.js'
import { json, type OpenApiPart, problemResponses } from '../openapi.js'
import type { Fields } from './fields.js'
import type { Operation } from './operation.js'
import { operationSchemas, operations } from './operations/index.js'
import { ADMIN_PATH } from './routes.js'

const TAG = 'administration'

export const adminPart = (): OpenApiPart => ({
  tags: [{ name: TAG, description: 'For operators in the console: clients, users, sessions, the audit trail, loads' }],
  paths: paths(),
  schemas: operationSchemas,
  securitySchemes: {
    session: {
      ...{ type: 'apiKey', in: 'cookie', name: SESSION_COOKIE },
      description:
        'The session of the console, which signing in at `/session/begin` sets; over https the name begins with `__Host-`.',
    },
    csrf: { type: 'apiKey', in: 'header', name: CSRF_HEADER, description: 'The `csrf` of `GET /session`.' },
  },
})

function paths(): Record<string, JsonSchema> {
  const found: Record<string, Record<string, JsonSchema>> = {}
  for (const one of operations) {
    const path = `${ADMIN_PATH}${one.path}`.replace(/:(\w+)/g, '{$1}')
    found[path] = { ...found[path], [one.method.toLowerCase()]: document(one) }
  }
  return found
}

const PROBLEMS: readonly ProblemCode[] = [
  ...(['malformed-request', 'unauthorized', 'forbidden', 'does-not-exist', 'request-timeout', 'conflict'] as const),
  ...(['body-too-large', 'unsupported-media-type', 'invalid-parameters', 'too-many-requests'] as const),
  ...(['headers-too-large', 'internal-error', 'unavailable', 'timeout'] as const),
]

function document({ path, id, summary, description, query = {}, body, result }: Operation): JsonSchema {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    ...{ name, in: 'path', required: true, schema: { type: 'string' } },
  }))
  const inQuery = Object.entries(query).map(([name, { schema, required, example }]) => ({
    ...{ name, in: 'query', required, description: schema['description'], schema, example },
  }))
  return {
    ...{ operationId: id, tags: [TAG], summary, ...(description !== undefined && { description }) },
    security: [{ session: [], csrf: [] }],
    ...(inPath.length + inQuery.length > 0 && { parameters: [...inPath, ...inQuery] }),
    ...(body !== undefined && { requestBody: body === 'bytes' ? BYTES : bodyOf(body) }),
    responses: { 200: { description: 'The result.', content: json(result) }, ...problemResponses(PROBLEMS) },
  }
}

const BYTES: JsonSchema = {
  required: true,
  content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
}

function bodyOf(fields: Fields): JsonSchema {
  const entries = Object.entries(fields)
  const required = entries.filter(([, field]) => field.required).map(([name]) => name)
  const schema = {
    ...{ type: 'object', properties: Object.fromEntries(entries.map(([name, field]) => [name, field.schema])) },
    ...{ ...(required.length > 0 && { required }), additionalProperties: false },
  }
  const example = Object.fromEntries(entries.map(([name, field]) => [name, field.example]))
  return { required: required.length > 0, content: json(schema, example) }
}
