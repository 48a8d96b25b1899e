/** The service in one process, and the parts that it shares with the service in several processes. */
import type { AddressInfo } from 'node:net'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Database, Target } from '../db/connect.js'
import { openReplicas } from '../db/replica.js'
import { MillbookError } from '../errors.js'
import { checkReport } from '../kernel/answer/statement.js'
import { watchEventLoop } from '../metrics/metrics.js'
import type { Sample } from '../metrics/registry.js'
import { reports } from '../reports/index.js'
import { buildApp } from './app.js'
import { limitsOf, type ServeSettings } from './settings.js'
import { connectionsOfEach } from './shares.js'
import { waitForDatabase } from './start-wait.js'

/** Everything that a process needs to answer requests; workers get it as JSON. */
export interface ServiceSettings extends ServeSettings {
  target: Target
  /** The folder of snapshots, shared by all workers. */
  snapshots: string
  /** The number of a worker. */
  worker?: number
}

/** A running service. */
export interface Service {
  address: AddressInfo
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error' | 'fatal'>
  /** Accepts no new connections; returns when the running requests have ended. */
  close(): Promise<void>
  /** The samples of the workers. */
  samples(): Promise<Iterable<readonly Sample[]>>
  /** Cancels the running requests. */
  cancel(): void
  /** Kills the workers. */
  cut(): void
  /** Replaces the running workers with new ones. */
  reload(): void
}

/** The app, after a check that the database can run every report. */
export async function makeApp(database: Database, settings: ServiceSettings): Promise<FastifyInstance> {
  watchEventLoop()
  const askable = database.engine.keepsHistory ? reports : reports.filter(({ group }) => group !== 'history')
  for (const report of askable) await waitForDatabase(settings, () => checkReport(database.db, report))
  const { readFrom, workers } = settings
  const replicas = openReplicas(readFrom, connectionsOfEach(workers).max, limitsOf(settings))
  return await buildApp({ database, reports, replicas, ...settings })
}

/** Serves in this process alone; returns once it answers. */
export async function serveAlone(database: Database, settings: ServiceSettings): Promise<Service> {
  const app = await makeApp(database, settings)
  const { host, port, tls } = settings
  await app
    .listen({
      host,
      port,
      listenTextResolver: () => listeningAt(app.server.address() as AddressInfo, tls),
    })
    .catch((error) => {
      throw cannotListen(error, settings)
    })
  return {
    address: app.server.address() as AddressInfo,
    log: app.log,
    close: () => app.close(),
    samples: async () => [],
    cancel: () => app.cancel(),
    cut: () => {},
    reload: () =>
      app.log.warn('a single process cannot replace itself: start the service with --workers 2 or more to reload it'),
  }
}

/** The line of the log. */
export function listeningAt({ address, family, port }: AddressInfo, tls: object | undefined): string {
  return `listening at ${tls ? 'https' : 'http'}://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/** The error of a listen call, with a remedy if it is a known one. */
export function cannotListen(error: NodeJS.ErrnoException, { host, port }: { host: string; port: number }): Error {
  if (error.code === 'EADDRINUSE')
    return new MillbookError(
      `port ${port} on ${host} is in use; choose another with --port N, or --port 0 for any free one`,
    )
  if (error.code === 'EACCES')
    return new MillbookError(`this user may not listen on port ${port}; choose one above 1023 with --port N`)
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new MillbookError(`${host} is not an address of this machine; choose another with --host ADDRESS`)
  return error
}
