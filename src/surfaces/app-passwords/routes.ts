/** Mounts /v1/app-passwords: for a session or a token of the user, never for an app password. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  appPasswordJson,
  createAppPassword,
  listAppPasswords,
  requireNoMoreRights,
  revokeAppPassword,
} from '../../access/app-passwords.js'
import { type Caller, invalidToken } from '../../access/tokens.js'
import type { Tx } from '../../db/connect.js'
import { retryDeadlocks } from '../../db/retry.js'
import { MillbookError, Problem } from '../../errors.js'
import { usesSession } from '../../http/bearer.js'
import { addressOf } from '../../http/origin.js'
import { requireSameOrigin } from '../../http/same-origin.js'
import { hasState } from '../../sqlstate.js'
import { listViews } from '../../views/saved.js'
import type { Services } from '../surface.js'
import { readNew } from './read.js'

export const APP_PASSWORDS_PATH = '/v1/app-passwords'

export function mountAppPasswords(app: FastifyInstance, { database, reports, tokens, admission }: Services): void {
  const db = database.quick
  const onRequest = [ownPages, admission.hook(), requireUser]

  const change = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    const done = await retryDeadlocks(() => db.begin(work)).catch((error) => {
      throw toProblem(error)
    })
    tokens.forget()
    return done
  }

  app.get(APP_PASSWORDS_PATH, { onRequest }, async (request, reply) => {
    const found = await listAppPasswords(db, userOf(request))
    return plain(request, reply).send({ data: found.map(appPasswordJson) })
  })

  app.post(APP_PASSWORDS_PATH, { onRequest }, async (request, reply) => {
    const username = userOf(request)
    const views = await listViews(db, request.caller as Caller)
    const { name, ...limits } = readNew((request.body ?? {}) as Record<string, unknown>, { views, reports })
    const { id, appPassword } = await change(async (tx) => {
      await requireNoMoreRights(tx, request.caller as Caller)
      return await createAppPassword(tx, username, name, limits, byOf(request))
    })
    return plain(request, reply)
      .code(201)
      .send({ id, name, username, ...limits, app_password: appPassword })
  })

  app.delete(`${APP_PASSWORDS_PATH}/:id`, { onRequest }, async (request, reply) => {
    const { id } = request.params as { id: string }
    const { name, username } = await change((tx) => revokeAppPassword(tx, userOf(request), { id }, byOf(request)))
    return plain(request, reply).send({ id, name, username })
  })
}

const plain = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply.headers({ ...request.allowance, 'cache-control': 'no-store' })

const userOf = ({ caller }: FastifyRequest): string => caller?.username as string // requireUser

const byOf = (request: FastifyRequest) => ({
  actor: userOf(request),
  client: (request.caller as Caller).name,
  address: addressOf(request),
})

/** A session is used by pages of this service only; a program with a token may run anywhere. */
function ownPages(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  try {
    if (usesSession(request)) requireSameOrigin(request)
    done()
  } catch (error) {
    done(error as Problem)
  }
}

function requireUser({ caller }: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  if (caller?.username) done()
  else
    done(
      new Problem('forbidden', {
        detail:
          'App passwords belong to users, and this token is of a client without a user; send a token of a user, or sign in to the console.',
      }),
    )
}

function toProblem(error: unknown): unknown {
  if (hasState(error, 'foreign_key_violation')) return invalidToken() // the user was deleted during the request
  if (!(error instanceof MillbookError)) return error
  if (error.kind === 'unknown')
    return new Problem('does-not-exist', {
      detail: `You have no app password with this id; GET ${APP_PASSWORDS_PATH} lists yours.`,
    })
  return new Problem('conflict', { detail: `${error.message}.` })
}
