/**
 * Follows the version of the data and the version of access (tokens, clients, users) without a query per request.
 *
 * Every change of either sends a notification, and the connection that listens also reads the versions: an answer on it
 * proves that it lives and that no notification before it was missed. While requests arrive, the versions are read again
 * every 300 ms; a state that is older than 800 ms is never used. A load announces its commit beforehand, and from then
 * until the commit's own notification every request reads the versions.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Database, Listener, Queryable } from '../db/connect.js'
import { within } from '../deadline.js'

/** The id of the last version that changed each table, and under '' of the last one that may have changed every table. */
export type Changes = Readonly<Record<string, string>>

export interface State {
  /** The version of the data: different for every commit of a load. */
  readonly id: string
  readonly changes: Changes
  /** Today in the account's time zone. */
  readonly day: string
  /** When today ends, in seconds since 1970. */
  readonly dayEnds: number
  /** Raised by whatever ends a token or changes a client or a user. */
  readonly access: string
}

export interface Versions {
  /** The present state: immediately where it is known, else a promise. */
  current(): State | Promise<State>
  /** The state by a query that begins after this call. */
  read(): Promise<State>
  /** The changes up to an earlier version; undefined if it is not known any more. */
  changesBy(id: string): Promise<Changes | undefined>
  /** Call this when another state was seen: the next `current()` reads it. */
  forget(): void
  close(): Promise<void>
}

const CHANNEL = 'millbook_version'
/** The payload of a load that is about to commit. */
const CHANGING = 'changing'
/** If a loader dies before it commits, requests stop reading the versions after this time. */
const CHANGING_MS = 60_000
const REFRESH_AFTER_MS = 300
const STALE_AFTER_MS = 800
/** A listening connection that does not answer within this time is given up. */
const SILENT_AFTER_MS = 2000
const LISTEN_AGAIN_MS = 1000
const PAST_KNOWN = 100
/** How long a load waits for its notifications to arrive. */
export const NEWS_MS = 50

export async function readState(db: Queryable): Promise<State> {
  const [row] = await db<State[]>`
    select id, tables as changes, today.day::text as day,
           extract(epoch from (today.day + 1)::timestamp at time zone a.time_zone)::float8 as "dayEnds",
           (select version::text from access_version) as access
      from data_version cross join account a cross join lateral (select (now() at time zone a.time_zone)::date as day) today`
  if (row === undefined) throw new Error('the database has no data version')
  return row
}

/** The id of the last version that changed any of these tables, or any table at all without names; '' if none did. */
export function lastChange(changes: Changes, tables: readonly string[] | undefined): string {
  let last = changes[''] ?? ''
  for (const table of tables ?? Object.keys(changes)) {
    const change = changes[table]
    if (change !== undefined && numberOf(change) > numberOf(last)) last = change
  }
  return last
}

/** The number of a version: later versions have larger ones. */
export const numberOf = (id: string): number => Number.parseInt(id, 10) || 0

/**
 * A load calls this right before its commit. The embedded engine has one session, which the load holds, so nobody could be
 * notified; there the commit's own notification is delivered before the load learns of its commit.
 */
export async function announceCommit({ db, engine }: Pick<Database, 'db' | 'engine'>): Promise<void> {
  if (engine === 'embedded') return
  await db`select pg_notify(${CHANNEL}, ${CHANGING})`
  await sleep(NEWS_MS)
}

/** `onChange` is called with the first state of each new version of the data. */
export function followVersions(
  database: Pick<Database, 'db' | 'engine' | 'listen'>,
  onChange: (state: State) => void = () => {},
): Versions {
  // A connection inside this machine does not die in silence: the embedded engine's state stays good until a notification.
  const staleAfterMs = database.engine === 'server' ? STALE_AFTER_MS : Number.POSITIVE_INFINITY
  const refreshAfterMs = database.engine === 'server' ? REFRESH_AFTER_MS : Number.POSITIVE_INFINITY
  let known: { state: State; readAt: number } | undefined
  const past = new LRUCache<string, Changes>({ max: PAST_KNOWN })
  /** How often the state was forgotten: a read that began before the last time is not kept. */
  let forgotten = 0
  let changingUntil = 0
  let listener: Listener | undefined
  let closed = false
  let reading: { now: Promise<State>; next: Promise<State> | undefined } | undefined

  const forget = () => {
    known = undefined
    forgotten++
  }
  const notified = (payload: string) => {
    changingUntil = payload === CHANGING ? performance.now() + CHANGING_MS : 0
    forget()
    if (payload !== CHANGING) readOnce().catch(() => {}) // a failure shows in the next request
  }

  async function listen(): Promise<void> {
    while (!closed)
      try {
        // A failed attempt may report its end too; only this loop follows it with another.
        let [ended, up] = [false, false]
        const opened = await database.listen(CHANNEL, notified, () => {
          ended = true
          if (up) lost()
        })
        if (ended) throw new Error('the connection was lost while it was being made')
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

  /** The same object while nothing changes: callers compare it. */
  let latest: State | undefined
  function sameOr(state: State): State {
    if (latest?.id === state.id && latest.day === state.day && latest.access === state.access) return latest
    const changed = latest !== undefined && latest.id !== state.id
    latest = state
    if (changed) onChange(state)
    return state
  }

  async function read(): Promise<State> {
    const [before, readAt, by] = [forgotten, performance.now(), listener]
    if (by === undefined) return await readState(database.db) // not kept: changes since could not be heard
    try {
      const state = sameOr(await within(SILENT_AFTER_MS, readState(by.db)))
      if (forgotten === before && listener === by) known = { state, readAt }
      return state
    } catch {
      if (listener === by && !closed) {
        void by.end().catch(() => {})
        lost()
      }
      return await readState(database.db)
    }
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
    reading.next ??= now.then(readOnce, readOnce)
    return reading.next
  }

  void listen()
  return {
    current() {
      const now = performance.now()
      if (known === undefined || now < changingUntil || Date.now() >= known.state.dayEnds * 1000) return readOnce()
      const age = now - known.readAt
      if (age > staleAfterMs) return readOnce()
      // A failed refresh shows in the request that next has to wait for one.
      if (age > refreshAfterMs && reading === undefined) readOnce().catch(() => {})
      return known.state
    },
    read: readOnce,
    async changesBy(id) {
      if (known?.state.id === id) return known.state.changes
      const seen = past.get(id)
      if (seen !== undefined) return seen
      const [row] = await database.db<{ tables: Changes }[]>`
        select tables from past_version where id = ${id} union all select tables from data_version where id = ${id}`
      if (row !== undefined) past.set(id, row.tables)
      return row?.tables
    },
    forget,
    async close() {
      closed = true
      await listener?.end()
    },
  }
}
