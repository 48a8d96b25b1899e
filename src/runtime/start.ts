/** Starts the service in one process or several, and shuts it down on signals. */
import { sweep } from '../access/cleanup.js'
import type { Database, Target } from '../db/connect.js'
import { MillbookError } from '../errors.js'
import { type Clock, startClock } from '../notify/clock.js'
import { reachOf } from '../notify/post.js'
import { reports } from '../reports/index.js'
import { forgetHistory, mayForget } from '../store/history.js'
import { newSnapshotFolder } from '../store/snapshots.js'
import { Dispatcher } from './dispatcher.js'
import { onHangup } from './hangup.js'
import { serveMetrics } from './metrics-server.js'
import { type Service, type ServiceSettings, serveAlone } from './service.js'
import type { ServeSettings } from './settings.js'
import { serveByWorkers } from './workers.js'

/** Cancelled requests that still run after this long are cut off. */
const CANCEL_MS = 3000
const CLEANUP_MS = 3_600_000

export interface Listening {
  baseUrl: string
  /** A sentence that says which machines can reach the service. */
  reach: string
  /** Names the database. */
  description: string
  /** The URL of the metrics for Prometheus. */
  metrics?: string
}

type SnapshotFolder = ReturnType<typeof newSnapshotFolder>

/**
 * Returns once the service answers. It closes the database when it ends, also if it cannot start. With several workers, it accepts
 * connections before the database is open: they wait for the first worker, so that a proxy can already send requests here (docs/upgrade.md).
 */
export async function listen(opened: Promise<Database>, target: Target, given: ServeSettings): Promise<Listening> {
  let dispatcher: Dispatcher | undefined
  let folder: SnapshotFolder | undefined
  try {
    if (given.workers > 1) dispatcher = await Dispatcher.listen(given)
    const database = await opened
    folder = makeFolder(given.snapshotsIn)
    const settings: ServiceSettings = { ...given, target, snapshots: folder.path }
    const service = await (dispatcher ? serveByWorkers(dispatcher, settings) : serveAlone(database, settings))
    const metrics = given.metricsPort === 'off' ? undefined : await startMetrics(service, database, given)
    const clock = startClock({ database, reports, reach: reachOf(given.privateWebhooks), log: service.log })
    shutDownOnSignal(service, clock, database, folder, given.graceSeconds)
    cleanUpHourly(service, database, given.historyDays)
    return { ...describeAddress(service, given), description: database.description, ...(metrics && { metrics }) }
  } catch (error) {
    dispatcher?.close()
    folder?.remove()
    await opened.then(
      (database) => database.close(),
      () => {},
    )
    throw error
  }
}

/** Returns the URL of the metrics. */
async function startMetrics(service: Service, { quick: db }: Database, given: ServeSettings): Promise<string> {
  const { metricsHost: host, metricsPort } = given
  const others = () => service.samples()
  try {
    const { address, family, port } = await serveMetrics({ host, port: metricsPort as number, db, others })
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/metrics`
  } catch (error) {
    service.cut()
    await service.close()
    throw error
  }
}

function makeFolder(parent: string): SnapshotFolder {
  try {
    return newSnapshotFolder(parent)
  } catch (error) {
    throw new MillbookError(
      `--snapshots-in: cannot write to ${parent}: ${(error as Error).message}; name another directory`,
    )
  }
}

function describeAddress(
  { address: { address, port, family }, log }: Service,
  { tls }: ServeSettings,
): Omit<Listening, 'description'> {
  const everywhere = address === '0.0.0.0' || address === '::'
  const host = everywhere ? 'localhost' : family === 'IPv6' ? `[${address}]` : address
  const local = /^(127\.|::1$|::ffff:127\.)/.test(address)
  if (!local && !tls)
    log.warn(
      'without TLS, others on the network can read passwords, tokens and data: give --tls-cert and --tls-key, or put a proxy with HTTPS in front',
    )
  return {
    baseUrl: `${tls ? 'https' : 'http'}://${host}:${port}`,
    reach: local
      ? 'Only this machine can reach it; --host 0.0.0.0 lets others.'
      : `It listens on ${everywhere ? 'all addresses of this machine' : address}${tls ? '' : ', without TLS'}.`,
  }
}

/** Removes expired rows at the start, and then every hour. */
function cleanUpHourly({ log }: Service, { db }: Database, historyDays: number): void {
  const cleanUp = async () => {
    await sweep(db)
    if (await mayForget(db)) await forgetHistory(db, historyDays)
  }
  const run = () => void cleanUp().catch((error) => log.warn({ err: error }, 'cleanup of expired rows failed'))
  run()
  setInterval(run, CLEANUP_MS).unref()
}

/**
 * On SIGTERM or SIGINT the service accepts no new connections, finishes the running requests and closes the database. It
 * cancels requests that still run after the grace period.
 */
function shutDownOnSignal(
  service: Service,
  clock: Clock,
  database: Database,
  folder: SnapshotFolder,
  graceSeconds: number,
): void {
  const { log } = service
  let ending = false
  const abort = () => {
    service.cut()
    folder.remove()
    process.exit(1)
  }
  const shutDown = (signal: string) => {
    if (ending) abort() // the second signal
    ending = true
    log.info({ signal }, 'shutting down')
    setTimeout(() => {
      log.warn({ grace_seconds: graceSeconds }, 'requests are still running and are cancelled')
      service.cancel()
      setTimeout(() => {
        log.error('requests were still running and are cut off')
        abort()
      }, CANCEL_MS).unref()
    }, graceSeconds * 1000).unref()
    Promise.all([service.close(), clock.end()])
      .then(() => {
        folder.remove()
        return database.close()
      })
      .then(
        () => (signal === 'SIGHUP' ? dieOf(signal) : process.exit(0)),
        (error) => {
          log.error({ err: error }, 'shutdown failed')
          abort()
        },
      )
  }
  process.on('SIGTERM', shutDown)
  process.on('SIGINT', shutDown)
  onHangup((closed) => {
    if (!closed) return service.reload()
    process.stderr.on('error', () => {}) // the terminal was closed, so writing to it fails
    shutDown('SIGHUP')
  })
  void database.died.then((error) => {
    if (ending) return
    log.fatal({ err: error }, 'the embedded database died')
    abort()
  })
  void database.ownerEnds?.().then(() => {
    if (ending) return
    log.fatal('the process that ran the embedded database has ended, so this one exits too: start it again')
    abort()
  })
}

/** Ends by the signal itself, because process.exit hangs once the process's terminal is gone. */
function dieOf(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}
