/** Mounts /v1/admin: for operators in a session of the console, and for nobody else. */

import { join } from 'node:path'
import { parse } from 'node:querystring'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requireOperator } from '../../access/operators.js'
import type { Tx } from '../../db/connect.js'
import { retryDeadlocks } from '../../db/retry.js'
import { MillbookError, Problem } from '../../errors.js'
import { addressOf } from '../../http/origin.js'
import { requireSameOrigin } from '../../http/same-origin.js'
import { Trials } from '../../import/trials/trials.js'
import type { Services } from '../surface.js'
import { toAdminProblem } from './errors.js'
import { type Fields, readFields } from './fields.js'
import type { Context, Operation } from './operation.js'
import { operations } from './operations/index.js'

export const ADMIN_PATH = '/v1/admin'

export async function mountAdmin(app: FastifyInstance, services: Services): Promise<void> {
  const { database, tokens, admission, scratch } = services
  const trials = new Trials(join(scratch, 'imports'), database.target, {
    onFault: (cause) => app.log.error({ reason: cause }, 'a dry run of an import failed'),
  })
  app.addHook('onClose', () => trials.close())

  const onRequest = [requireSession, admission.hook(), requireRole]
  const mount = (scope: FastifyInstance, { method, path, query, body, run }: Operation) =>
    scope.route({
      ...{ method, url: `${ADMIN_PATH}${path}`, onRequest },
      handler: async (request, reply) => {
        reply.headers({ ...request.allowance, 'cache-control': 'no-store' })
        try {
          const sent = body === 'bytes' ? {} : ((request.body ?? {}) as Record<string, unknown>)
          const fields: Fields = body === undefined || body === 'bytes' ? {} : body
          return await run({
            ...contextOf(request),
            query: readFields(query ?? {}, parse(request.url.split('?')[1] ?? '')),
            body: readFields(fields, sent),
          })
        } catch (error) {
          throw toAdminProblem(error)
        }
      },
    })

  const contextOf = (request: FastifyRequest): Omit<Context, 'query' | 'body'> => {
    const by = { actor: request.caller?.username as string, address: addressOf(request) }
    return {
      ...{ services, trials, request, by, params: paramsOf(request) },
      async change<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
        const inTransaction = async (tx: Tx) => {
          await requireOperator(tx, by.actor)
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
    if (request.headers.authorization !== undefined)
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

function requireRole({ caller }: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  if (caller?.role === 'operator') done()
  else
    done(new Problem('forbidden', { detail: 'Only operators may administer the service; ask one to do it for you.' }))
}
