/** Mounts /v1/admin: for operators in a session of the console; some operations also for loaders. */

import { join } from 'node:path'
import { parse } from 'node:querystring'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requireOneOf } from '../../access/operators.js'
import type { Role } from '../../access/users.js'
import { Bringing } from '../../bring/bring.js'
import type { Tx } from '../../db/connect.js'
import { retryDeadlocks } from '../../db/retry.js'
import { MillbookError, Problem } from '../../errors.js'
import { usesSession } from '../../http/bearer.js'
import { addressOf } from '../../http/origin.js'
import { requireSameOrigin } from '../../http/same-origin.js'
import type { Services } from '../surface.js'
import { toAdminProblem } from './errors.js'
import { type Fields, readFields } from './fields.js'
import type { Context, Operation } from './operation.js'
import { operations } from './operations/index.js'

export const ADMIN_PATH = '/v1/admin'
const OPERATORS: readonly Role[] = ['operator']

export async function mountAdmin(app: FastifyInstance, services: Services): Promise<void> {
  const { database, tokens, admission, scratch, loaderTarget } = services
  const bringing = new Bringing(join(scratch, 'imports'), loaderTarget ?? database.target, {
    onFault: (cause) => app.log.error({ reason: cause }, 'bringing in files failed'),
  })
  app.addHook('onClose', () => bringing.close())

  const mount = (scope: FastifyInstance, { method, path, roles = OPERATORS, query, body, run }: Operation) =>
    scope.route({
      ...{ method, url: `${ADMIN_PATH}${path}` },
      onRequest: [requireSession, admission.hook(), requireRole(roles)],
      handler: async (request, reply) => {
        reply.headers({ ...request.allowance, 'cache-control': 'no-store' })
        try {
          const sent = body === 'bytes' ? {} : ((request.body ?? {}) as Record<string, unknown>)
          const fields: Fields = body === undefined || body === 'bytes' ? {} : body
          return await run({
            ...contextOf(request, roles),
            query: readFields(query ?? {}, parse(request.url.split('?')[1] ?? '')),
            body: readFields(fields, sent),
          })
        } catch (error) {
          throw toAdminProblem(error)
        }
      },
    })

  const contextOf = (request: FastifyRequest, roles: readonly Role[]): Omit<Context, 'query' | 'body'> => {
    const by = { actor: request.caller?.username as string, address: addressOf(request) }
    return {
      ...{ services, bringing, request, by, params: paramsOf(request) },
      async change<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
        const inTransaction = async (tx: Tx) => {
          await requireOneOf(tx, by.actor, roles)
          return await work(tx)
        }
        const done = await retryDeadlocks(() => database.quick.begin(inTransaction))
        tokens.forget()
        return done
      },
    }
  }

  for (const one of operations) if (one.body !== 'bytes') mount(app, one)
  await app.register(async (own) => {
    own.removeAllContentTypeParsers()
    own.addContentTypeParser('*', (_request, payload, done) => done(null, payload)) // the operation reads the stream
    for (const one of operations) if (one.body === 'bytes') mount(own, one)
  })
}

function paramsOf(request: FastifyRequest): Record<string, string> {
  const params = request.params as Record<string, string>
  // No name or id contains NUL, and PostgreSQL does not accept it.
  if (Object.values(params).some((value) => value.includes('\0')))
    throw new MillbookError('the path contains a NUL character', { kind: 'unknown' })
  return params
}

/** Refuses tokens: any program that knows a user's password can get one, but the console is a page of this service. */
function requireSession(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  try {
    if (!usesSession(request))
      throw new Problem('forbidden', {
        detail:
          "Administration needs an operator's session in the console, not an access token; sign in to the console.",
      })
    requireSameOrigin(request)
    done()
  } catch (error) {
    done(error as Problem)
  }
}

const requireRole =
  (roles: readonly Role[]) =>
  ({ caller }: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void => {
    if (roles.some((role) => role === caller?.role)) done()
    else
      done(
        new Problem('forbidden', {
          detail: roles.includes('loader')
            ? 'Only loaders and operators may bring in files; ask an operator for that role.'
            : 'Only operators may administer the service; ask one to do it for you.',
        }),
      )
  }
