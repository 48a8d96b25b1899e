/** Mounts /v1/overview: for a session or a token of the user, never for an app password. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Caller, invalidToken } from '../../access/tokens.js'
import { retryDeadlocks } from '../../db/retry.js'
import { Problem } from '../../errors.js'
import { usesSession } from '../../http/bearer.js'
import { addressOf } from '../../http/origin.js'
import { requireSameOrigin } from '../../http/same-origin.js'
import { hasState } from '../../sqlstate.js'
import { findOverview, type KeptOverview, keepOverview } from '../../views/overview.js'
import { readOverview } from '../../views/pins.js'
import { listViews, readCalendar } from '../../views/saved.js'
import type { Services } from '../surface.js'

export const OVERVIEW_PATH = '/v1/overview'

export function mountOverview(app: FastifyInstance, { database, reports, admission }: Services): void {
  const db = database.quick
  const onRequest = admission.hook()

  app.get(OVERVIEW_PATH, { onRequest }, async (request, reply) =>
    plain(request, reply).send(overviewJson(await findOverview(db, userOf(request)))),
  )

  app.put(OVERVIEW_PATH, { onRequest }, async (request, reply) => {
    const username = userOf(request)
    const caller = request.caller as Caller
    const kept = await findOverview(db, username)
    const overview = readOverview((request.body ?? {}) as Record<string, unknown>, {
      reports,
      calendar: await readCalendar(db),
      views: (await listViews(db, caller)).map(({ id }) => id),
      kept: kept.pins ?? [],
    })
    const by = { actor: username, client: caller.name, address: addressOf(request) }
    const made = await retryDeadlocks(() => db.begin((tx) => keepOverview(tx, username, overview, by))).catch(
      (error) => {
        throw hasState(error, 'foreign_key_violation') ? invalidToken() : error // the user was deleted during the request
      },
    )
    return plain(request, reply).send(overviewJson(made))
  })
}

const plain = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply.headers({ ...request.allowance, 'cache-control': 'no-store' })

const overviewJson = ({ start, pins, changedAt }: KeptOverview) => ({
  ...{ start, pins, changed_at: changedAt?.toISOString() ?? null },
})

/** The user that the request acts for. A session is used by pages of this service only. */
function userOf(request: FastifyRequest): string {
  if (usesSession(request)) requireSameOrigin(request)
  const { username } = request.caller as Caller
  if (username === null)
    throw new Problem('forbidden', {
      detail:
        'Overviews belong to users, and this token is of a client without a user; send a token of a user, or sign in to the console.',
    })
  return username
}
