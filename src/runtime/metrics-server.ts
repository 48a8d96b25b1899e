/** Serves /metrics for Prometheus on a separate port, for all processes of the service together. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Db } from '../db/connect.js'
import { MillbookError } from '../errors.js'
import { dataAge, dataVersion, historyBytes, lastLoad, pullAge, pullFailed, pullRejected } from '../metrics/metrics.js'
import { readSamples, render, type Sample, together } from '../metrics/registry.js'
import { readHistory } from '../store/history.js'
import { FAILURES, readPulls } from '../store/pulls.js'

export interface MetricsOptions {
  readonly host: string
  readonly port: number
  /** For short statements. */
  readonly db: Db
  /** The samples of the other processes. */
  others(): Promise<Iterable<readonly Sample[]>>
}

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Serves until the process ends; returns the address. */
export async function serveMetrics({ host, port, db, others }: MetricsOptions): Promise<AddressInfo> {
  const server = createServer(async (request, response) => {
    if (request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('There is only /metrics here.\n')
      return
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD', 'content-type': 'text/plain' }).end('Use GET.\n')
      return
    }
    await Promise.all([readData(db), readPullStates(db), readPast(db)])
    const samples = together([readSamples(), ...(await others())])
    response.writeHead(200, { 'content-type': CONTENT_TYPE }).end(render(samples))
  })
  server.requestTimeout = 10_000
  try {
    await once(server.listen({ host, port }), 'listening')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'EADDRINUSE' ? 'it is in use' : message
    throw new MillbookError(
      `cannot serve metrics on port ${port} of ${host}: ${why}; choose another with --metrics-port N, or --metrics-port off`,
    )
  }
  return server.unref().address() as AddressInfo
}

/** Reads the version and the last load; while the database does not respond, the last values stay. */
async function readData(db: Db): Promise<void> {
  type Row = { version: number; age: number; load: { rows: number; seconds: number; warnings: number } | null }
  const [row] = await db<Row[]>`
    select version::float8 as version, greatest(0, extract(epoch from now() - committed_at))::float8 as age, last_load as load
      from data_version`.catch(() => [])
  if (row === undefined) return
  dataVersion.set(row.version)
  dataAge.set(row.age)
  for (const name of ['rows', 'seconds', 'warnings'] as const) if (row.load !== null) lastLoad[name].set(row.load[name])
}

async function readPast(db: Db): Promise<void> {
  const past = await readHistory(db).catch(() => undefined)
  if (past !== undefined) historyBytes.set(past.bytes)
}

async function readPullStates(db: Db): Promise<void> {
  for (const { connector, succeededAt, failure, rejected } of await readPulls(db).catch(() => [])) {
    if (succeededAt !== null) pullAge.set((Date.now() - succeededAt.getTime()) / 1000, { connector })
    for (const reason of FAILURES) pullFailed.set(Number(reason === failure), { connector, reason })
    pullRejected.set(rejected, { connector })
  }
}
