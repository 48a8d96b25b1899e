/** Connections that are opened when they are needed, up to a limit, and kept for the next statement. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from './client.js'

/** A connection that nobody else uses until it is released. */
export interface Lease {
  readonly client: Client
  release(): void
}

export interface PoolOptions {
  open: () => Promise<Client>
  /** The most connections at a time. */
  max: number
  /** Idle connections are closed after this time; without it they stay open. */
  idleMs?: number
}

/** Nothing can be run on a database that this process has closed. */
class Closed extends Error {
  readonly code = 'CONNECTION_CLOSED'

  constructor() {
    super('this process has closed the database')
  }
}

/** How long after a failed attempt to connect the next one is made: a database that is away is not flooded with them. */
const RETRY_MS = 500
/** A connection is replaced after half of this time to all of it: what a session of PostgreSQL caches only grows. */
const LIFETIME_MS = 60 * 60_000

export class Pool {
  readonly #options: PoolOptions
  /** Every open connection, and when it is to be replaced. */
  readonly #expiry = new Map<Client, number>()
  /** Of these, the ones that nobody uses. The last one is taken first. */
  readonly #idle: { client: Client; timer: NodeJS.Timeout | undefined }[] = []
  readonly #waiting: { since: number; resolve: (lease: Lease) => void; reject: (error: unknown) => void }[] = []
  #opening = 0
  #failedAt = Number.NEGATIVE_INFINITY
  #closing: Promise<void> | undefined
  /** Set once it is to be closed; called when no connection is left. */
  #closed: (() => void) | undefined

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** Waits for a connection as long as all of them are in use; fails if there is none and none can be opened. */
  lease(): Promise<Lease> {
    if (this.#closed !== undefined) return Promise.reject(new Closed())
    return new Promise((resolve, reject) => {
      this.#waiting.push({ since: performance.now(), resolve, reject })
      this.#serve()
    })
  }

  /** Statements under way, and those that wait, have some time to finish; then they fail. */
  close(withinMs = 5000): Promise<void> {
    this.#closing ??= this.#close(withinMs)
    return this.#closing
  }

  async #close(withinMs: number): Promise<void> {
    const emptied = new Promise<void>((resolve) => {
      this.#closed = resolve
    })
    const late = setTimeout(() => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Closed())
      for (const client of this.#expiry.keys()) client.destroy()
      this.#closed?.()
    }, withinMs)
    for (const { client, timer } of this.#idle.splice(0)) {
      clearTimeout(timer)
      this.#keep(client)
    }
    this.#serve()
    await emptied
    clearTimeout(late)
  }

  #serve(): void {
    while (this.#waiting.length > 0) {
      const next = this.#idle.pop()
      if (next === undefined) break
      clearTimeout(next.timer)
      this.#waiting.shift()?.resolve(this.#lend(next.client))
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
      // While other connections are open, those who wait get one of them; who came during this attempt gets the next one.
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

  /** Puts a connection with the idle ones, unless it is of no more use. */
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

  /** A connection has ended, by whichever side. */
  #forget(client: Client): void {
    this.#retire(client)
    this.#expiry.delete(client)
    this.#serve()
  }
}
