/** Starts the service on a port, and ends it in good order. */
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { ServeConfig } from '../config.js'
import type { Database } from '../db/connect.js'
import { MillbookError } from '../errors.js'
import { buildApp } from '../http/app.js'
import { sweep } from '../oauth/sweep.js'
import { checkReport } from '../report/run.js'
import { reports } from '../reports/index.js'

/** Requests still running after this long are cut off. */
const SHUTDOWN_MS = 30_000
const SWEEP_MS = 3_600_000

/** Where the service answers, and who can reach it there, as a sentence. */
export interface Listening {
  baseUrl: string
  reach: string
}

/** Returns once the service answers. */
export async function listen(database: Database, config: ServeConfig): Promise<Listening> {
  try {
    for (const report of reports) await checkReport(database.db, report)
    const app = await buildApp({ database, reports, ...config })
    const scheme = config.tls ? 'https' : 'http'
    await bind(app, config, scheme)
    endWell(app, database)
    keepSwept(app, database)
    const { address, port, family } = app.server.address() as AddressInfo
    const everywhere = address === '0.0.0.0' || address === '::'
    const host = everywhere ? 'localhost' : family === 'IPv6' ? `[${address}]` : address
    const local = /^(127\.|::1$|::ffff:127\.)/.test(address)
    if (!local && !config.tls)
      app.log.warn(
        'without TLS, passwords, tokens and data can be read on the way: give --tls-cert and --tls-key, or let a proxy in front speak HTTPS',
      )
    return {
      baseUrl: `${scheme}://${host}:${port}`,
      reach: local
        ? 'Only this machine can reach it; --host 0.0.0.0 lets others.'
        : `It listens on ${everywhere ? 'all addresses of this machine' : address}${config.tls ? '' : ', without TLS'}.`,
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

async function bind(app: FastifyInstance, { host, port }: ServeConfig, scheme: string): Promise<void> {
  try {
    await app.listen({
      host,
      port,
      listenTextResolver: (address) => `listening at ${address.replace(/^http/, scheme)}`,
    })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new MillbookError(
        `port ${port} on ${host} is in use; choose another with --port N, or --port 0 for any free one`,
      )
    if (code === 'EACCES') throw new MillbookError(`port ${port} may not be used by this user; choose one above 1023`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new MillbookError(`${host} is no address of this machine`)
    throw error
  }
}

/** What has expired is removed at the start, and then every hour. */
function keepSwept(app: FastifyInstance, { db }: Database): void {
  const run = () => void sweep(db).catch((error) => app.log.warn({ err: error }, 'could not remove what has expired'))
  run()
  setInterval(run, SWEEP_MS).unref()
}

/** On SIGTERM or SIGINT: no new connections, running requests are finished, then the database is closed. */
function endWell(app: FastifyInstance, database: Database): void {
  let ending = false
  const end = (signal: string) => {
    if (ending) process.exit(1) // asked twice
    ending = true
    app.log.info({ signal }, 'shutting down')
    setTimeout(() => {
      app.log.error('requests were still running and are cut off')
      process.exit(1)
    }, SHUTDOWN_MS).unref()
    app
      .close()
      .then(() => database.close())
      .then(
        () => process.exit(0),
        (error) => {
          app.log.error({ err: error }, 'shutdown failed')
          process.exit(1)
        },
      )
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  void database.died.then((error) => {
    if (ending) return
    app.log.fatal({ err: error }, 'the embedded database died')
    process.exit(1)
  })
}
