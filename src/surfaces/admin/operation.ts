/** An operation of the administration API: its request, its result and its work. */
import type { FastifyRequest } from 'fastify'
import type { By } from '../../access/audit.js'
import type { Role } from '../../access/users.js'
import type { Bringing } from '../../bring/bring.js'
import type { Tx } from '../../db/connect.js'
import type { JsonSchema } from '../../kernel/report/json-schema.js'
import { ref } from '../openapi.js'
import type { Services } from '../surface.js'
import type { Fields, Values } from './fields.js'

export interface Context<Q extends Fields = Fields, B extends Fields = Fields> {
  readonly services: Services
  readonly bringing: Bringing
  readonly request: FastifyRequest
  /** The user and their address. */
  readonly by: Required<By>
  /** Parts of the path, by name. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Values<Q>
  readonly body: Values<B>
  /** Runs work in a transaction, after checking the role of the user; all processes then notice the ended tokens. */
  change<T>(work: (tx: Tx) => Promise<T>): Promise<T>
}

export interface Operation<Q extends Fields = Fields, B extends Fields = Fields> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below /v1/admin, with `:name` for parts that vary. */
  readonly path: string
  readonly id: string
  /** Roles that may use it; without it, only operators. */
  readonly roles?: readonly Role[]
  readonly summary: string
  readonly description?: string
  readonly query?: Q
  /** The fields of a JSON body, or the bytes of a file. */
  readonly body?: B | 'bytes'
  readonly result: JsonSchema
  run(context: Context<Q, B>): Promise<unknown>
}

// biome-ignore lint/complexity/noBannedTypes: an operation without fields
type None = {}

export const operation = <const Q extends Fields = None, const B extends Fields = None>(
  one: Operation<Q, B>,
): Operation => one as unknown as Operation

/** The schema of an object that has all of these members. */
export const all = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  ...{ type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
})

export const listOf = (name: string): JsonSchema => ({ type: 'array', items: ref(name) })
export const time = (description: string): JsonSchema => ({ type: 'string', format: 'date-time', description })
export const timeOrNull = (description: string): JsonSchema => ({
  ...{ type: ['string', 'null'], format: 'date-time', description },
})
export const count = (description: string): JsonSchema => ({ type: 'integer', description })
export const flag = (description: string): JsonSchema => ({ type: 'boolean', description })
export const textOrNull = (description: string): JsonSchema => ({ type: ['string', 'null'], description })
/** The schema with optional members. */
export const maybe = (schema: JsonSchema, properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  ...schema,
  properties: { ...(schema['properties'] as object), ...properties },
})

export const TOKENS_ENDED = count('Number of valid tokens that ended.')
/** The members of a result that ends the tokens of a user. */
export const ENDED = {
  tokens_ended: TOKENS_ENDED,
  app_passwords_ended: count('Number of app passwords that ended.'),
}
