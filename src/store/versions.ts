/**
 * Follows the version of the data and the version of access (tokens, clients, users) without a query per request.
 *
 * A process uses a state for at most LEASE_MS after it began to read it, and `import` returns LEASE_MS after its commit: from
 * then on no process answers with older data, even if the network is slow or loses messages. While requests arrive, the state
 * is read again well before the lease ends. Every change also sends a notification, so that processes learn of it sooner.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Database, Listener, Queryable } from '../db/connect.js'
import { otherSchema, SCHEMA } from '../db/migrate.js'
import { Problem } from '../errors.js'

/** The id of the last version that changed each table; under '' the id of the last version that may have changed any table. */
export type Changes = Readonly<Record<string, string>>

export interface State {
  /** The version of the data: different for every commit of a load. */
  readonly id: string
  readonly changes: Changes
  /** Today in the account's time zone. */
  readonly day: string
  /** When today ends, in seconds since 1970. */
  readonly dayEnds: number
  /** Raised by every change that ends a token or changes a client or a user. */
  readonly access: string
}

export interface Versions {
  /** The present state: immediately if it is known, else a promise. */
  current(): State | Promise<State>
  /** The state by a query that begins after this call. */
  read(): Promise<State>
  /** The changes up to an earlier version; undefined if that version is not known any more. */
  changesBy(id: string): Promise<Changes | undefined>
  /** Call this when another state was seen: the next `current()` reads it. */
  forget(): void
  /** Whether the schema that was read last is another one: then every request is refused, until a query finds this program's. */
  readonly isOtherSchema: boolean
  close(): Promise<void>
}

const CHANNEL = 'millbook_version'
/** How long a state may be used after it was asked for. */
export const LEASE_MS = 800
/** The part of the lease after which a state is read again. The query may take the rest before a request has to wait for it. */
const REFRESH_AFTER = 3 / 8
/** A request that waited this long for a failed query does not wait for another, because the database may not respond at all. */
const AGAIN_WITHIN_MS = 400
const LISTEN_AGAIN_MS = 1000
const PAST_KNOWN = 100

/** The database has the schema of another version of this program, usually because a newer one has migrated it. */
export class OtherSchema extends Problem {
  constructor(schema: number) {
    super('unavailable', {
      detail:
        'The database was migrated for another version of the service, which is about to answer; try again in 5 seconds.',
      headers: { 'retry-after': '5' },
      cause: otherSchema(schema),
    })
  }
}

/** Throws if the schema is not this program's. */
export async function readState(db: Queryable): Promise<State> {
  const [row] = await db<(State & { schema: number })[]>`
    select (select max(number) from schema_migration) as schema, id, tables as changes, today.day::text as day,
           extract(epoch from (today.day + 1)::timestamp at time zone a.time_zone)::float8 as "dayEnds",
           (select version::text from access_version) as access
      from data_version cross join account a cross join lateral (select (now() at time zone a.time_zone)::date as day) today`
  if (row === undefined) throw new Error('the database has no data version')
  const { schema, ...state } = row
  if (schema !== SCHEMA) throw new OtherSchema(schema)
  return state
}

/** The id of the last version that changed any of these tables, or any table if `tables` is undefined; '' if none did. */
export function lastChange(changes: Changes, tables: readonly string[] | undefined): string {
  let last = changes[''] ?? ''
  for (const table of tables ?? Object.keys(changes)) {
    const change = changes[table]
    if (change !== undefined && isLater(change, last)) last = change
  }
  return last
}

/** Closing a period gives a version another id with the same number and a later moment. */
const isLater = (id: string, than: string): boolean =>
  numberOf(id) > numberOf(than) || (numberOf(id) === numberOf(than) && momentOf(id) > momentOf(than))

const momentOf = (id: string): number => Number(id.slice(id.indexOf('-') + 1))

/** The number of a version: later versions have larger ones. */
export const numberOf = (id: string): number => Number.parseInt(id, 10) || 0

/** `onChange` is called with the first state of each new version of the data. */
export function followVersions(
  database: Pick<Database, 'quick' | 'listen'>,
  onChange: (state: State) => void = () => {},
  leaseMs = LEASE_MS,
): Versions {
  let known: { readonly state: State; readonly askedAt: number } | undefined
  const past = new LRUCache<string, Changes>({ max: PAST_KNOWN })
  /** Number of calls of `forget`: a read that began before the last call is not kept. */
  let forgotten = 0
  let listener: Listener | undefined
  let closed = false
  let isOtherSchema = false
  let reading: { now: Promise<State>; next: Promise<State> | undefined } | undefined

  const forget = () => {
    known = undefined
    forgotten++
  }
  const notified = () => {
    forget()
    readOnce().catch(() => {}) // the next request reports a failure
  }

  async function listen(): Promise<void> {
    while (!closed)
      try {
        // A failed attempt may report its end too; only this loop starts the next attempt.
        let [ended, up] = [false, false]
        const opened = await database.listen(CHANNEL, notified, () => {
          ended = true
          if (up) lost()
        })
        if (ended) throw new Error('the connection was lost while it was being established')
        up = true
        listener = opened
        forget()
        if (closed) await opened.end()
        return
      } catch {
        await sleep(LISTEN_AGAIN_MS, undefined, { ref: false })
      }
  }
  function lost(): void {
    listener = undefined
    forget()
    if (!closed) void listen()
  }

  /** The same object while nothing changes, because callers compare by identity. */
  let latest: State | undefined
  function sameOr(state: State): State {
    if (latest?.id === state.id && latest.day === state.day && latest.access === state.access) return latest
    const changed = latest !== undefined && latest.id !== state.id
    latest = state
    if (changed) onChange(state)
    return state
  }

  async function read(): Promise<State> {
    const [before, askedAt, was] = [forgotten, performance.now(), known]
    if (was !== undefined && !dayIsOver(was.state) && (await hasHeardAll()) && forgotten === before) {
      known = { state: was.state, askedAt }
      return was.state
    }
    const state = sameOr(
      await readState(database.quick).catch((error) => {
        isOtherSchema = error instanceof OtherSchema
        throw error
      }),
    )
    isOtherSchema = false
    if (forgotten === before) known = { state, askedAt }
    return state
  }

  /**
   * On the embedded engine, whether every notification up to now has arrived: a load may hold its only session for minutes, in
   * which the state cannot be read, but nothing can change either.
   */
  async function hasHeardAll(): Promise<boolean> {
    const by = listener
    if (by?.heardAll === undefined) return false
    return await by.heardAll().then(
      () => listener === by,
      () => false,
    )
  }

  /** One query for all requests that arrived before it began. */
  function readOnce(): Promise<State> {
    if (reading === undefined) {
      const now = read()
      reading = { now, next: undefined }
      const done = () => {
        reading = undefined
      }
      now.then(done, done)
      return now
    }
    const { now } = reading
    const from = performance.now()
    reading.next ??= now.then(readOnce, (error) => {
      if (performance.now() - from > AGAIN_WITHIN_MS) throw error
      return readOnce()
    })
    return reading.next
  }

  void listen()
  return {
    current() {
      const age = performance.now() - (known?.askedAt ?? Number.NEGATIVE_INFINITY)
      if (known === undefined || age >= leaseMs || dayIsOver(known.state)) return readOnce()
      // If a refresh fails, the next request that has to wait for a state reports it.
      if (age > leaseMs * REFRESH_AFTER && reading === undefined) readOnce().catch(() => {})
      return known.state
    },
    read: readOnce,
    async changesBy(id) {
      if (known?.state.id === id) return known.state.changes
      const seen = past.get(id)
      if (seen !== undefined) return seen
      const [row] = await database.quick<{ tables: Changes }[]>`
        select tables from past_version where id = ${id} union all select tables from data_version where id = ${id}`
      if (row !== undefined) past.set(id, row.tables)
      return row?.tables
    },
    forget,
    get isOtherSchema() {
      return isOtherSchema
    },
    async close() {
      closed = true
      await listener?.end()
    },
  }
}

const dayIsOver = ({ dayEnds }: State): boolean => Date.now() >= dayEnds * 1000
