/** A pool of connections: opened on demand up to a limit, and kept open for the next statement. */
import { setTimeout as sleep } from 'node:timers/promises'
import { connections, connectionWaits, inSeconds } from '../metrics/metrics.js'
import type { Gauge, Observations } from '../metrics/registry.js'
import type { Client } from './client.js'

/** Exclusive use of a connection until it is released. */
export interface Lease {
  readonly client: Client
  release(): void
}

export interface PoolOptions {
  open: () => Promise<Client>
  /** The name in the metrics; without it, the pool is not measured. */
  name?: string
  /** The most connections at a time. */
  max: number
  /** A caller that has waited this long for a connection fails; without it, callers wait without a limit. */
  waitMs?: number
  /** Idle connections are closed after this time; without it they stay open. */
  idleMs?: number
}

/** A statement was sent to a database that this process has closed. */
class Closed extends Error {
  readonly code = 'CONNECTION_CLOSED'

  constructor() {
    super('this process has closed the database')
  }
}

/** All connections stayed leased for longer than a caller waits. */
class AllLeased extends Error {
  readonly code = 'CONNECTIONS_LEASED'

  constructor(waitMs: number) {
    super(`all connections to the database were in use for ${waitMs} ms`)
  }
}

/** The pause after a failed attempt to connect: it bounds the rate of attempts while the database is down. */
const RETRY_MS = 500
/** How long a closing pool waits for its statements to be cancelled. */
const CANCEL_MS = 1000
/** A connection is replaced at a random age between half of this time and all of it: a PostgreSQL session's caches only grow. */
const LIFETIME_MS = 60 * 60_000

export class Pool {
  readonly #options: PoolOptions
  /** Every open connection, with the time at which it expires. */
  readonly #expiry = new Map<Client, number>()
  /** The open connections that are not leased. The last one is leased first. */
  readonly #idle: { client: Client; timer: NodeJS.Timeout | undefined }[] = []
  readonly #waiting: { since: number; resolve: (lease: Lease) => void; reject: (error: unknown) => void }[] = []
  #opening = 0
  #failedAt = Number.NEGATIVE_INFINITY
  #closing: Promise<void> | undefined
  /** Set when closing begins; called when no connection is left. */
  #closed: (() => void) | undefined

  readonly #waits: Observations | undefined
  readonly #endMetrics: () => void

  constructor(options: PoolOptions) {
    this.#options = options
    const { name } = options
    this.#waits = name === undefined ? undefined : connectionWaits.with({ pool: name })
    const measure = (gauge: Gauge) => {
      const pool = name as string
      gauge.set(this.#idle.length, { pool, state: 'idle' })
      gauge.set(this.#expiry.size - this.#idle.length, { pool, state: 'leased' })
    }
    this.#endMetrics = name === undefined ? () => {} : connections.onRead(measure)
  }

  /** Waits while all connections are leased; rejects if none is open and none can be opened. */
  lease(): Promise<Lease> {
    if (this.#closed !== undefined) return Promise.reject(new Closed())
    return new Promise((resolve, reject) => {
      const waiting = { since: performance.now(), resolve, reject }
      this.#waiting.push(waiting)
      this.#serve()
      const { waitMs } = this.#options
      if (waitMs === undefined || !this.#waiting.includes(waiting)) return
      const late = setTimeout(() => {
        const at = this.#waiting.indexOf(waiting)
        if (at >= 0) this.#waiting.splice(at, 1)
        reject(new AllLeased(waitMs))
      }, waitMs)
      waiting.resolve = (lease) => {
        clearTimeout(late)
        resolve(lease)
      }
      waiting.reject = (error) => {
        clearTimeout(late)
        reject(error)
      }
    })
  }

  /** Leases and waiting callers have this time to finish; then their statements are cancelled, and they fail. */
  close(withinMs = 5000): Promise<void> {
    this.#closing ??= this.#close(withinMs)
    return this.#closing
  }

  /** Destroys every open connection; the statements on them fail. */
  drop(reason: Error): void {
    for (const client of this.#expiry.keys()) client.destroy(reason)
  }

  async #close(withinMs: number): Promise<void> {
    const emptied = new Promise<void>((resolve) => {
      this.#closed = resolve
    })
    const late = setTimeout(async () => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Closed())
      const clients = [...this.#expiry.keys()]
      // A statement that waits for a lock would not notice that its connection is gone.
      await Promise.all(clients.map((client) => client.cancel(CANCEL_MS)))
      for (const client of clients) client.destroy()
      this.#closed?.()
    }, withinMs)
    for (const { client, timer } of this.#idle.splice(0)) {
      clearTimeout(timer)
      this.#keep(client)
    }
    this.#serve()
    await emptied
    clearTimeout(late)
    this.#endMetrics()
  }

  #serve(): void {
    while (this.#waiting.length > 0) {
      const next = this.#idle.pop()
      if (next === undefined) break
      clearTimeout(next.timer)
      if (next.client.lost !== undefined) continue // its 'end' event is still to come
      const first = this.#waiting.shift()
      if (first === undefined) break
      this.#waits?.observe(inSeconds(performance.now() - first.since))
      first.resolve(this.#lend(next.client))
    }
    const free = this.#options.max - this.#expiry.size - this.#opening
    for (let i = Math.min(free, this.#waiting.length - this.#opening); i > 0; i--) void this.#open()
    if (this.#expiry.size + this.#opening + this.#waiting.length === 0) this.#closed?.()
  }

  async #open(): Promise<void> {
    this.#opening++
    let started = 0
    try {
      const wait = this.#failedAt + RETRY_MS - performance.now()
      if (wait > 0) await sleep(wait)
      started = performance.now()
      const client = await this.#options.open()
      this.#expiry.set(client, performance.now() + LIFETIME_MS * (0.5 + Math.random() / 2))
      client.once('end', () => this.#forget(client))
      this.#keep(client)
    } catch (error) {
      this.#failedAt = performance.now()
      // If a connection is open, callers wait for it. Callers that came during this attempt wait for the next one.
      while (this.#expiry.size === 0 && (this.#waiting[0]?.since ?? Number.POSITIVE_INFINITY) <= started)
        this.#waiting.shift()?.reject(error)
    }
    this.#opening--
    this.#serve()
  }

  #lend(client: Client): Lease {
    let lent = true
    return {
      client,
      release: () => {
        if (!lent) return
        lent = false
        this.#keep(client)
        this.#serve()
      },
    }
  }

  /** Makes a connection idle, or closes it if it is lost, expired or no longer needed. */
  #keep(client: Client): void {
    const expired = performance.now() > (this.#expiry.get(client) ?? 0)
    if (client.lost !== undefined) client.destroy()
    else if (expired || (this.#closed !== undefined && this.#waiting.length === 0)) void client.close()
    else {
      const { idleMs } = this.#options
      const timer = idleMs === undefined ? undefined : setTimeout(() => this.#retire(client), idleMs)
      this.#idle.push({ client, timer })
    }
  }

  #retire(client: Client): void {
    const at = this.#idle.findIndex((idle) => idle.client === client)
    if (at < 0) return
    clearTimeout(this.#idle.splice(at, 1)[0]?.timer)
    void client.close()
  }

  /** Runs when a connection has ended, whichever side closed it. */
  #forget(client: Client): void {
    this.#retire(client)
    this.#expiry.delete(client)
    this.#serve()
  }
}
