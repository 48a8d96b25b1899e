/** /healthz: the process answers. /readyz: the database does too, and has the schema this program knows. */
import type { FastifyInstance } from 'fastify'
import type { Db } from '../../db/connect.js'
import { checkSchema } from '../../db/migrate.js'
import { within } from '../../deadline.js'
import { MillbookError } from '../../errors.js'

const READY_WITHIN_MS = 3000
const ANSWER_KEPT_MS = 500

export function mountHealth(app: FastifyInstance, db: Db): void {
  // Anyone may ask, as often as they like: the database is asked once for all of them, and not more often than this.
  let check: Promise<void> | undefined
  const ready = () => {
    check ??= within(READY_WITHIN_MS, checkSchema(db)).finally(() => {
      setTimeout(() => {
        check = undefined
      }, ANSWER_KEPT_MS).unref()
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
      const reason = error instanceof MillbookError ? error.message : 'the database does not answer'
      return reply.code(503).header('retry-after', '5').send({ status: 'not ready', reason })
    }
  })
}
