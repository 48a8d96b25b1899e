/** Answers requests on a port: what the only process of a service does, and each of its workers. */
import type { AddressInfo } from 'node:net'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Database, Target } from '../db/connect.js'
import { MillbookError } from '../errors.js'
import { checkReport } from '../kernel/statement.js'
import { reports } from '../reports/index.js'
import { buildApp } from './app.js'
import type { ServeConfig } from './settings.js'

/** Everything that such a process is told. Workers get it as JSON; what `buildApp` takes goes there from here. */
export interface ServiceSettings extends ServeConfig {
  target: Target
  /** The folder of reports that were worked out, shared by all workers. */
  snapshots: string
  /** The number of a worker. */
  worker?: number
}

/** A service that answers, by whichever processes. */
export interface Service {
  address: AddressInfo
  log: FastifyBaseLogger
  /** No new connections are taken; returns when running requests are finished. */
  close(): Promise<void>
  /** Ends at once what has not ended. */
  cut(): void
  /** Puts new processes in the place of those that run. */
  reload(): void
}

/** Returns once the app answers. */
export async function answer(database: Database, settings: ServiceSettings): Promise<FastifyInstance> {
  for (const report of reports) await checkReport(database.db, report)
  const app = await buildApp({ database, reports, ...settings })
  const { host, port, tls } = settings
  await app
    .listen({
      host,
      port,
      listenTextResolver: (address) => `listening at ${tls ? address.replace(/^http/, 'https') : address}`,
    })
    .catch((error) => {
      throw cannotListen(error, settings)
    })
  return app
}

/** What is wrong with the address, as a sentence where it is known. */
export function cannotListen(error: NodeJS.ErrnoException, { host, port }: { host: string; port: number }): Error {
  if (error.code === 'EADDRINUSE')
    return new MillbookError(
      `port ${port} on ${host} is in use; choose another with --port N, or --port 0 for any free one`,
    )
  if (error.code === 'EACCES')
    return new MillbookError(`port ${port} may not be used by this user; choose one above 1023`)
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new MillbookError(`${host} is no address of this machine`)
  return error
}

/** This process alone. */
export async function serveAlone(database: Database, settings: ServiceSettings): Promise<Service> {
  const app = await answer(database, settings)
  return {
    address: app.server.address() as AddressInfo,
    log: app.log,
    close: () => app.close(),
    cut: () => {},
    reload: () =>
      app.log.warn('a single process cannot be replaced while it answers: start it with --workers 2 or more'),
  }
}
