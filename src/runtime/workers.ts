/**
 * The service by several processes on one port. This one holds the database, the port and the signals, and hands each
 * connection to the next worker; workers answer. docs/decisions/0013 tells why it is so.
 */
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import Fastify from 'fastify'
import { MOST_CONNECTIONS } from '../db/connect.js'
import { MillbookError } from '../errors.js'
import { cannotListen, type Service, type ServiceSettings } from './service.js'

/** The environment variable with the settings of a worker. */
export const SETTINGS = 'MILLBOOK_WORKER'
/** What a worker says: where it answers, or why it cannot. */
export type Told = { address: AddressInfo } | { failed: string }
/** What it is told: to end as soon as running requests are finished, or once no connection needs it any more. */
export type Order = 'end' | 'let go'

/** A worker that has not answered by then is given up. */
const START_MS = 120_000
/** A worker that a new one has replaced is ended after this long, with what it is still doing. */
const LET_GO_MS = 30_000
/** Who dies sooner than this is replaced more slowly each time. */
const STEADY_MS = 10_000
const LONGEST_DELAY_MS = 30_000
/** What a worker said last may be heard after its end. */
const LAST_WORDS_MS = 50

/** PostgreSQL takes 100 connections unless told otherwise; some are left for others, and for a reload. */
const CONNECTIONS_IN_ALL = 64
export const connectionsOfEach = (workers: number): number =>
  Math.max(2, Math.min(MOST_CONNECTIONS, Math.floor(CONNECTIONS_IN_ALL / workers)))

/** Connections do not fall evenly on the workers: with less, one would refuse a client that is within its limit. */
const LEAST_PER_CLIENT = 4

/** A worker's part of the limits. */
export function shareOf<T extends Limits>(limits: T, workers: number): T {
  const part = (limit: number) => Math.ceil(limit / workers)
  const { maxConnections, maxRequests, maxRequestsPerClient } = limits
  return {
    ...limits,
    maxConnections: part(maxConnections),
    maxRequests: part(maxRequests),
    maxRequestsPerClient: Math.max(part(maxRequestsPerClient), Math.min(maxRequestsPerClient, LEAST_PER_CLIENT)),
  }
}
type Limits = Pick<ServiceSettings, 'maxConnections' | 'maxRequests' | 'maxRequestsPerClient'>

/** How long to wait before the place of a worker is filled again that has died so many times soon after its start. */
export const delayAfter = (quickDeaths: number): number =>
  quickDeaths < 2 ? 0 : Math.min(LONGEST_DELAY_MS, 250 * 2 ** (quickDeaths - 2))

/** Returns once all workers answer; where one cannot, none is left. */
export async function serveByWorkers(given: ServiceSettings): Promise<Service> {
  const { log } = Fastify({ logger: { level: given.logLevel, stream: process.stderr } })
  const settings = shareOf({ ...given, port: await freePort(given) }, given.workers)
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('./worker.js', import.meta.url)),
    args: [],
    stdio: ['ignore', 2, 2, 'ipc'], // our stdout is for results
  })

  const alive = new Set<Running>()
  /** Who has each place: those that are replaced are not here any more. */
  const places = new Map<number, Running>()
  let ending = false
  let reloading = false
  let reloadAgain = false

  function start(number: number): Running {
    const running = new Running(number, settings)
    alive.add(running)
    void running.ended.then(() => alive.delete(running))
    return running
  }

  /** Fills a place, again and again, until another one fills it. */
  async function keep(first: Running): Promise<void> {
    let running = first
    let quickDeaths = 0
    for (;;) {
      const { number } = running
      places.set(number, running)
      const how = await running.ended
      if (ending || places.get(number) !== running) return
      quickDeaths = performance.now() - running.startedAt < STEADY_MS ? quickDeaths + 1 : 0
      const delay = delayAfter(quickDeaths)
      log.error({ worker: number, how, restart_in_ms: delay }, 'a worker died')
      await sleep(delay)
      if (ending || places.get(number) !== running) return
      running = start(number)
      running.answers.then(
        () => log.info({ worker: number }, 'a new worker answers'),
        (error: Error) => ending || log.error({ worker: number, reason: error.message }, 'a new worker cannot start'),
      )
    }
  }

  async function reload(): Promise<void> {
    log.info('replacing the workers, one after another')
    for (const number of places.keys()) {
      if (ending) return
      const fresh = start(number)
      try {
        await fresh.answers
      } catch (error) {
        if (ending) return
        log.error(
          { worker: number, reason: (error as Error).message },
          'a new worker cannot start: the reload ends here, and those that run go on',
        )
        return
      }
      const old = places.get(number)
      void keep(fresh)
      await old?.end('let go', LET_GO_MS, () =>
        log.error({ worker: number }, 'requests to a replaced worker were still running and are cut off'),
      )
    }
    log.info('all workers are replaced')
  }

  const service = {
    log,
    close: async () => {
      ending = true
      await Promise.all([...alive].map((running) => running.end('end')))
    },
    cut: () => {
      for (const running of alive) running.kill()
    },
    reload: () => {
      reloadAgain = reloading
      if (reloading || ending) return
      reloading = true
      void reload().finally(() => {
        reloading = false
        if (reloadAgain) service.reload()
      })
    },
  }

  const first = Array.from({ length: given.workers }, (_, i) => start(i + 1))
  try {
    const [address] = await Promise.all(first.map((running) => running.answers))
    for (const running of first) void keep(running)
    return { ...service, address: address as AddressInfo }
  } catch (error) {
    service.cut()
    await Promise.all(first.map((running) => running.ended))
    throw error
  }
}

/** One worker process, from its start to its end. */
class Running {
  readonly number: number
  readonly startedAt = performance.now()
  /** Settles when it answers; fails where it cannot. */
  readonly answers: Promise<AddressInfo>
  /** Settles with how it ended. */
  readonly ended: Promise<string>
  readonly #worker: Worker
  #answering = false

  constructor(number: number, settings: ServiceSettings) {
    this.number = number
    this.#worker = cluster.fork({ [SETTINGS]: JSON.stringify({ ...settings, worker: number }) })
    const worker = this.#worker
    endLostConnection(worker)
    this.ended = new Promise((resolve) => {
      worker.on('error', (error) => {
        if (worker.process.pid === undefined) resolve(`it could not be started: ${error.message}`)
      })
      worker.once('exit', async (code, signal) => {
        await sleep(LAST_WORDS_MS)
        resolve(signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`)
      })
    })
    this.answers = new Promise((resolve, reject) => {
      const fail = (reason: string) => reject(new MillbookError(reason))
      const late = setTimeout(() => {
        fail(`worker ${number} did not answer within ${START_MS / 1000} seconds`)
        this.kill()
      }, START_MS)
      worker.on('message', (told: Told) => {
        clearTimeout(late)
        if ('failed' in told) return fail(told.failed)
        this.#answering = true
        resolve(told.address)
      })
      void this.ended.then((how) => {
        clearTimeout(late)
        fail(`worker ${number} does not answer: ${how}`)
      })
    })
    this.answers.catch(() => {}) // also where no one waits for it
  }

  /** Returns when it has ended. */
  async end(order: Order, withinMs?: number, cutOff?: () => void): Promise<void> {
    if (!this.#answering) this.kill()
    else this.#worker.send(order, () => {}) // where it cannot be told, it is ending already
    const late =
      withinMs === undefined
        ? undefined
        : setTimeout(() => {
            cutOff?.()
            this.kill()
          }, withinMs)
    await this.ended
    clearTimeout(late)
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL')
  }
}

/**
 * Node forgets a connection that it has sent to a worker which dies before it has taken it: the client would wait for an
 * answer for ever. It is closed instead, as all others of that worker are.
 */
function endLostConnection({ process: child }: Worker): void {
  const send = child.send as (...args: unknown[]) => boolean
  let latest: { close?: () => void } | undefined
  child.send = (...args: unknown[]) => {
    if (args[1]) latest = args[1]
    return send.apply(child, args)
  }
  child.once('exit', (code) => {
    if (code !== 0) latest?.close?.() // one that is closed already stays so
  })
}

/**
 * The port to listen on, also where any will do: workers that come later must get the same. Where it cannot be had, that
 * is said before any worker is started.
 */
async function freePort({ host, port }: { host: string; port: number }): Promise<number> {
  const server = createServer()
  try {
    await once(server.listen({ host, port }), 'listening')
  } catch (error) {
    throw cannotListen(error as NodeJS.ErrnoException, { host, port })
  }
  const { port: found } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return found
}
