/**
 * Follows the versions of streaming replicas, and names the replicas that may have the version that an answer needs.
 *
 * Each process polls the version of each replica. That only chooses where to try: the read itself proves the version, in the
 * transaction that has the rows. A replica that does not respond or is behind is left out until it has caught up.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Db, QUICK_MS } from '../db/connect.js'
import { checkSchema } from '../db/migrate.js'
import type { ReplicaServer } from '../db/replica.js'
import { within } from '../deadline.js'
import { MISSES, replicaBehind, replicaMisses, replicaStates, reportReads } from '../metrics/metrics.js'
import { numberOf, type Versions } from './versions.js'

/** `ready` has the present version; `paused` is behind and replays nothing until someone resumes it. */
export const STATES = ['ready', 'behind', 'paused', 'unreachable', 'not-a-replica'] as const
export type ReplicaState = (typeof STATES)[number]

export interface Replica {
  readonly name: string
  readonly state: ReplicaState
  /** The number of loads that the replica lacks; undefined if it is not known. */
  readonly behind: number | undefined
}

const LOOK_EVERY_MS = 500
/** A replica that is behind is polled more often, because it will have the version soon. */
const LOOK_SOON_MS = 50

export interface ReplicasOptions {
  readonly servers: readonly ReplicaServer[]
  readonly versions: Pick<Versions, 'current'>
  /** Called when the state of a replica changes, with the error if it failed. */
  onChange?(replica: ReplicaServer, state: ReplicaState, error?: unknown): void
}

export class Replicas {
  readonly #versions: ReplicasOptions['versions']
  readonly #onChange: NonNullable<ReplicasOptions['onChange']>
  readonly #followed: Followed[]
  readonly #following: Promise<void>[]
  readonly #endMetrics: (() => void)[]
  /** The version of the primary, as last read. */
  #present: string | undefined
  /** The version that no replica had after a wait: later callers do not wait for it. */
  #late: string | undefined
  #wake = new AbortController()
  #closed = false

  constructor({ servers, versions, onChange = () => {} }: ReplicasOptions) {
    this.#versions = versions
    this.#onChange = onChange
    this.#followed = servers.map((server) => new Followed(server))
    for (const { name } of servers) {
      reportReads.with({ database: name })
      for (const reason of MISSES) replicaMisses.with({ replica: name, reason })
    }
    this.#following = this.#followed.map((replica) => this.#follow(replica))
    this.#endMetrics = [
      replicaStates.onRead((gauge) => {
        for (const { name, state } of this.list())
          for (const each of STATES) gauge.set(Number(each === state), { replica: name, state: each })
      }),
      replicaBehind.onRead((gauge) => {
        for (const { name, behind } of this.list()) if (behind !== undefined) gauge.set(behind, { replica: name })
      }),
    ]
  }

  get count(): number {
    return this.#followed.length
  }

  list(): Replica[] {
    return this.#followed.map(({ server: { name }, state, version }) => ({
      name,
      state,
      behind: this.#behind(version),
    }))
  }

  /** The replicas that had this version when last polled, the least busy first. */
  having(version: string): Followed[] {
    return this.#followed
      .filter((replica) => replica.version === version)
      .sort((a, b) => a.running - b.running || a.usedAt - b.usedAt)
  }

  /** Waits until a replica has this version or none is about to get it, but at most this number of milliseconds. */
  async wait(version: string, milliseconds: number): Promise<void> {
    const until = performance.now() + milliseconds
    while (
      this.#late !== version &&
      !this.#followed.some((replica) => replica.version === version) &&
      this.#followed.some(({ state }) => state === 'ready' || state === 'behind')
    ) {
      if (performance.now() > until) this.#late = version
      else await sleep(LOOK_SOON_MS / 2)
    }
  }

  /** Leaves out a replica on which a read failed, until its version has been read again. */
  leaveOut(replica: Followed): void {
    replica.version = undefined
    this.look()
  }

  /** Polls all replicas now, because the data has changed. */
  look(): void {
    this.#wake.abort()
    this.#wake = new AbortController()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.look()
    for (const end of this.#endMetrics) end()
    await Promise.all(this.#followed.map(({ server }) => server.close()))
    await Promise.all(this.#following)
  }

  async #follow(replica: Followed): Promise<void> {
    while (!this.#closed) {
      const { signal } = this.#wake
      await this.#ask(replica)
      const pause = replica.state === 'behind' ? LOOK_SOON_MS : LOOK_EVERY_MS
      await sleep(pause, undefined, { ref: false, signal }).catch(() => {})
    }
  }

  async #ask(replica: Followed): Promise<void> {
    const { server } = replica
    try {
      this.#present = await Promise.resolve(this.#versions.current()).then(
        ({ id }) => id,
        () => this.#present, // the primary does not respond; requests notice that themselves
      )
      // The schema of a standby only goes forward, so a check holds until the replica is left out.
      if (replica.version === undefined) await within(QUICK_MS, checkSchema(server.quick))
      const { standby, paused, id } = await within(QUICK_MS, readReplica(server.quick))
      if (!standby) return this.#note(replica, 'not-a-replica', undefined)
      const behind = this.#behind(id) ?? 0
      this.#note(replica, behind === 0 ? 'ready' : paused ? 'paused' : 'behind', id)
    } catch (error) {
      if (this.#closed) return
      // The statements that run there may wait for a server that never responds.
      server.drop(new Error('the replica did not respond', { cause: error }))
      this.#note(replica, 'unreachable', undefined, error)
    }
  }

  #note(replica: Followed, state: ReplicaState, version: string | undefined, error?: unknown): void {
    const changed = replica.state !== state
    replica.state = state
    replica.version = version
    if (changed) this.#onChange(replica.server, state, error)
  }

  /** A replica with another history may have a different version of the same number: it counts as 1 behind. */
  #behind(version: string | undefined): number | undefined {
    if (version === undefined || this.#present === undefined) return undefined
    const lacks = numberOf(this.#present) - numberOf(version)
    return lacks === 0 && version !== this.#present ? 1 : Math.max(0, lacks)
  }
}

/** A replica and its state, as this process knows it. */
export class Followed {
  readonly server: ReplicaServer
  state: ReplicaState = 'unreachable'
  /** Undefined if the replica cannot be used. */
  version: string | undefined
  /** Number of running reads. */
  running = 0
  usedAt = 0

  constructor(server: ReplicaServer) {
    this.server = server
  }

  async run<T>(work: (db: Db) => Promise<T>): Promise<T> {
    this.running++
    this.usedAt = performance.now()
    try {
      return await work(this.server.db)
    } finally {
      this.running--
    }
  }
}

export interface ReplicaAbout {
  readonly standby: boolean
  readonly paused: boolean
  readonly id: string
}

export async function readReplica(db: Db): Promise<ReplicaAbout> {
  const [row] = await db<ReplicaAbout[]>`
    select pg_is_in_recovery() as standby, id,
           case when pg_is_in_recovery() then pg_is_wal_replay_paused() else false end as paused from data_version`
  if (row === undefined) throw new Error('the database has no data version')
  return row
}
