/** /healthz: the process responds. /readyz: the database responds too, and has this program's schema. */
import type { FastifyInstance } from 'fastify'
import type { Db } from '../../db/connect.js'
import { checkSchema } from '../../db/migrate.js'
import { within } from '../../deadline.js'
import { MillbookError } from '../../errors.js'

const READY_TIMEOUT_MS = 3000
const RESULT_MAX_AGE_MS = 500

export function mountHealth(app: FastifyInstance, db: Db): void {
  // The endpoint is public and unlimited, so concurrent requests share one check of the database.
  let check: Promise<void> | undefined
  const ready = () => {
    check ??= within(READY_TIMEOUT_MS, checkSchema(db)).finally(() => {
      setTimeout(() => {
        check = undefined
      }, RESULT_MAX_AGE_MS).unref()
    })
    return check
  }
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (request, reply) => {
    try {
      await ready()
      return { status: 'ready' }
    } catch (error) {
      app.log.warn({ reqId: request.id, err: error }, 'not ready')
      const reason = error instanceof MillbookError ? error.message : 'the database does not respond'
      return reply.code(503).header('retry-after', '5').send({ status: 'not ready', reason })
    }
  })
}
