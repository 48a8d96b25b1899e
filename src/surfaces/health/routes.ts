/** /healthz: the process responds. /readyz: the database can be read and written, and has this program's schema; lists replicas and pulls. */
import type { FastifyInstance } from 'fastify'
import type { Database } from '../../db/connect.js'
import { checkSchema } from '../../db/migrate.js'
import { within } from '../../deadline.js'
import { MillbookError, Problem } from '../../errors.js'
import { READ_ONLY, refusalOf } from '../../sqlstate.js'
import { FAILURE_REASONS, type PullState, readPulls } from '../../store/pulls.js'
import type { Replica, Replicas } from '../../store/replicas.js'

type Checked = Pick<Database, 'quick' | 'engine'>

const READY_TIMEOUT_MS = 3000
const RESULT_MAX_AGE_MS = 500

export function mountHealth(app: FastifyInstance, database: Checked, replicas: Replicas): void {
  // The endpoint is public and unlimited, so concurrent requests share one check of the database.
  let check: Promise<PullState[]> | undefined
  const ready = () => {
    check ??= within(READY_TIMEOUT_MS, checkDatabase(database)).finally(() => {
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
      const said = error instanceof MillbookError || error instanceof Problem
      const reason = said ? error.message : (refusalOf(error) ?? 'the database does not respond')
      return reply.code(503).header('retry-after', '5').send({ status: 'not ready', reason })
    }
  })
}

/** Does what requests do, as far as it costs little: a request that writes, and a report that reads from every node of a cluster. */
async function checkDatabase({ quick, engine }: Checked): Promise<PullState[]> {
  await checkSchema(quick)
  const [state] = await quick<{ readOnly: boolean }[]>`
    select current_setting('transaction_read_only')::boolean as "readOnly"`
  if (state?.readOnly) throw new MillbookError(READ_ONLY)
  return await engine.inVersion(quick, '', readPulls)
}

/** A replica that is left out leaves its work to the others, so the service stays ready. */
const named = ({ name, state, behind }: Replica) => ({
  ...{ replica: name, state },
  ...(behind !== undefined && { loads_behind: behind }),
})

/** A pull that failed leaves the old data, so the service stays ready. */
const publicly = ({ connector, pulledAt, succeededAt, failure, rejected }: PullState) => ({
  connector,
  succeeded_at: succeededAt,
  ...(failure !== null && { failed_at: pulledAt, reason: FAILURE_REASONS[failure] }),
  ...(rejected > 0 && { rejected_rows: rejected }),
})
