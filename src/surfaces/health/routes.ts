/** /healthz: the process responds. /readyz: the database responds and has this program's schema; lists replicas and pulls. */
import type { FastifyInstance } from 'fastify'
import type { Db } from '../../db/connect.js'
import { checkSchema } from '../../db/migrate.js'
import { within } from '../../deadline.js'
import { MillbookError } from '../../errors.js'
import { FAILURE_REASONS, type PullState, readPulls } from '../../store/pulls.js'
import type { Replica, Replicas } from '../../store/replicas.js'

const READY_TIMEOUT_MS = 3000
const RESULT_MAX_AGE_MS = 500

export function mountHealth(app: FastifyInstance, db: Db, replicas: Replicas): void {
  // The endpoint is public and unlimited, so concurrent requests share one check of the database.
  let check: Promise<PullState[]> | undefined
  const ready = () => {
    check ??= within(
      READY_TIMEOUT_MS,
      checkSchema(db).then(() => readPulls(db)),
    ).finally(() => {
      setTimeout(() => {
        check = undefined
      }, RESULT_MAX_AGE_MS).unref()
    })
    return check
  }
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (request, reply) => {
    try {
      const pulls = await ready()
      return {
        status: 'ready',
        ...(replicas.count > 0 && { replicas: replicas.list().map(named) }),
        ...(pulls.length > 0 && { pulls: pulls.map(publicly) }),
      }
    } catch (error) {
      app.log.warn({ reqId: request.id, err: error }, 'not ready')
      const reason = error instanceof MillbookError ? error.message : 'the database does not respond'
      return reply.code(503).header('retry-after', '5').send({ status: 'not ready', reason })
    }
  })
}

/** A replica that is left out leaves its work to the others, so the service stays ready. */
const named = ({ name, state, behind }: Replica) => ({
  ...{ replica: name, state },
  ...(behind !== undefined && { loads_behind: behind }),
})

/** A pull that failed leaves the old data, so the service stays ready. */
const publicly = ({ connector, pulledAt, succeededAt, failure }: PullState) => ({
  connector,
  succeeded_at: succeededAt,
  ...(failure !== null && { failed_at: pulledAt, reason: FAILURE_REASONS[failure] }),
})
