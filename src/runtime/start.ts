/** Starts the service, by one process or several, and ends it in good order. */
import { isatty } from 'node:tty'
import { sweep } from '../access/cleanup.js'
import type { Database, Target } from '../db/connect.js'
import { MillbookError } from '../errors.js'
import { newSnapshotFolder } from '../store/snapshots.js'
import { type Service, type ServiceSettings, serveAlone } from './service.js'
import type { ServeConfig } from './settings.js'
import { serveByWorkers } from './workers.js'

/** Requests still running after this long are cut off. */
const SHUTDOWN_MS = 30_000
const SWEEP_MS = 3_600_000

/** Where the service answers, and who can reach it there, as a sentence. */
export interface Listening {
  baseUrl: string
  reach: string
}

/** Returns once the service answers. */
export async function listen(database: Database, target: Target, config: ServeConfig): Promise<Listening> {
  const folder = makeFolder(config.snapshotsIn)
  try {
    const settings: ServiceSettings = { ...config, target, snapshots: folder.path }
    const service = config.workers === 1 ? await serveAlone(database, settings) : await serveByWorkers(settings)
    endWell(service, database, folder)
    keepSwept(service, database)
    return whereItIs(service, config)
  } catch (error) {
    folder.remove()
    await database.close()
    throw error
  }
}

function makeFolder(parent: string): ReturnType<typeof newSnapshotFolder> {
  try {
    return newSnapshotFolder(parent)
  } catch (error) {
    throw new MillbookError(`--snapshots-in: cannot use ${parent}: ${(error as Error).message}`)
  }
}

function whereItIs({ address: { address, port, family }, log }: Service, { tls }: ServeConfig): Listening {
  const everywhere = address === '0.0.0.0' || address === '::'
  const host = everywhere ? 'localhost' : family === 'IPv6' ? `[${address}]` : address
  const local = /^(127\.|::1$|::ffff:127\.)/.test(address)
  if (!local && !tls)
    log.warn(
      'without TLS, passwords, tokens and data can be read on the way: give --tls-cert and --tls-key, or let a proxy in front speak HTTPS',
    )
  return {
    baseUrl: `${tls ? 'https' : 'http'}://${host}:${port}`,
    reach: local
      ? 'Only this machine can reach it; --host 0.0.0.0 lets others.'
      : `It listens on ${everywhere ? 'all addresses of this machine' : address}${tls ? '' : ', without TLS'}.`,
  }
}

/** What has expired is removed at the start, and then every hour. */
function keepSwept({ log }: Service, { db }: Database): void {
  const run = () => void sweep(db).catch((error) => log.warn({ err: error }, 'could not remove what has expired'))
  run()
  setInterval(run, SWEEP_MS).unref()
}

/** On SIGTERM or SIGINT: no new connections, running requests are finished, then the database is closed. */
function endWell(service: Service, database: Database, folder: { remove(): void }): void {
  const { log } = service
  let ending = false
  const fail = () => {
    service.cut()
    folder.remove()
    process.exit(1)
  }
  const end = (signal: string) => {
    if (ending) fail() // asked twice
    ending = true
    log.info({ signal }, 'shutting down')
    setTimeout(() => {
      log.error('requests were still running and are cut off')
      fail()
    }, SHUTDOWN_MS).unref()
    service
      .close()
      .then(() => {
        folder.remove()
        return database.close()
      })
      .then(
        () => (signal === 'SIGHUP' ? dieOf(signal) : process.exit(0)),
        (error) => {
          log.error({ err: error }, 'shutdown failed')
          fail()
        },
      )
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  const terminals = [0, 1, 2].filter((fd) => isatty(fd))
  process.on('SIGHUP', (signal) => {
    if (terminals.every((fd) => isatty(fd))) return service.reload()
    process.stderr.on('error', () => {}) // the terminal was closed: no one reads what is logged from now on
    end(signal)
  })
  void database.died.then((error) => {
    if (ending) return
    log.fatal({ err: error }, 'the embedded database died')
    fail()
  })
}

/** As if nothing had been done about the signal: Node cannot exit by itself without the terminal that it was started on. */
function dieOf(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}
