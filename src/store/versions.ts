/**
 * Which version of the data there is, known without asking: a load tells of it by a notification. Just before it commits it
 * tells that it is about to, and from then until the news of the commit, or whenever nothing can be heard, the database is
 * asked for every request: what was committed is never overlooked.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Listener, Queryable } from '../db/connect.js'

export interface DataState {
  /** Different for every commit of a load. */
  id: string
  /** The present day of the account. */
  day: string
  /** When that ends, in seconds since 1970. */
  dayEnds: number
}

export interface DataVersion {
  /** The present state: at once where it is known for certain. */
  current(): DataState | Promise<DataState>
  /** Has to be called by whoever found another state: it is asked for again. */
  forget(): void
  close(): Promise<void>
}

const CHANNEL = 'millbook_data'
const CHANGING = 'changing'
/** A loader that died before it committed is not waited for any longer. */
const CHANGING_MS = 60_000
/** A connection that is silently dead is found out after at most twice this time. */
const HEARTBEAT_MS = 2000
const LISTEN_AGAIN_MS = 1000
/** More than enough for a notification to arrive. */
export const NEWS_MS = 50

export async function readState(db: Queryable): Promise<DataState> {
  const [row] = await db<DataState[]>`
    select version || '-' || floor(extract(epoch from committed_at) * 1000000) as id,
           today.day::text as day, extract(epoch from (today.day + 1)::timestamp at time zone a.time_zone)::float8 as "dayEnds"
      from data_version cross join account a cross join lateral (select (now() at time zone a.time_zone)::date as day) today`
  if (row === undefined) throw new Error('the database has no data version')
  return row
}

/**
 * To be called by a load right before its commit. On the embedded engine no one could be told: it has one session, which the
 * load holds. The news of the commit, by a trigger, leaves there before the answer to the load.
 */
export async function announceCommit({ db, engine }: Pick<Database, 'db' | 'engine'>): Promise<void> {
  if (engine === 'embedded') return
  await db`select pg_notify(${CHANNEL}, ${CHANGING})`
  await sleep(NEWS_MS)
}

export function watchVersion(database: Pick<Database, 'db' | 'engine' | 'listen'>): DataVersion {
  let state: DataState | undefined
  let heardAt = Number.NEGATIVE_INFINITY // when a listening connection last answered
  let changingUntil = 0
  let listener: Listener | undefined
  let closed = false
  let reading: { now: Promise<DataState>; next: Promise<DataState> | undefined } | undefined

  let forgotten = 0 // how often
  const forget = () => {
    state = undefined
    forgotten++
  }
  const heard = (payload: string) => {
    changingUntil = payload === CHANGING ? performance.now() + CHANGING_MS : 0
    forget()
  }
  const lost = () => {
    heardAt = Number.NEGATIVE_INFINITY
    forget()
    void listen()
  }

  async function listen(): Promise<void> {
    while (!closed)
      try {
        // An attempt that fails may tell of its end too: it is followed by the next attempt of this loop alone.
        let [ended, up] = [false, false]
        listener = await database.listen(CHANNEL, heard, () => {
          ended = true
          if (up) lost()
        })
        up = true
        if (ended) throw new Error('the connection was lost as soon as it was there')
        heardAt = performance.now()
        forget()
        if (closed) await listener.end()
        return
      } catch {
        await sleep(LISTEN_AGAIN_MS, undefined, { ref: false })
      }
  }

  /** Answers prove that the connection lives, and show what was missed. Inside one machine it does not die in silence. */
  const remote = database.engine === 'server'
  const heartbeat = setInterval(async () => {
    const from = performance.now()
    try {
      if (!remote || listener === undefined || heardAt === Number.NEGATIVE_INFINITY) return
      const found = await readState(listener.db)
      if (found.id !== state?.id) forget()
      heardAt = from
    } catch {
      // lost() follows
    }
  }, HEARTBEAT_MS).unref()

  async function read(): Promise<DataState> {
    const before = forgotten
    const certain = hears()
    const found = await readState(database.db)
    // Kept only where everything since would have been heard of, and nothing was.
    if (certain && hears() && forgotten === before) state = found
    return found
  }
  const hears = () => {
    const now = performance.now()
    return now - heardAt < (remote ? 2 * HEARTBEAT_MS : Number.POSITIVE_INFINITY) && now > changingUntil
  }

  /** One asking for all who came before it began. */
  function ask(): Promise<DataState> {
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
    reading.next ??= now.then(ask, ask)
    return reading.next
  }

  void listen()
  return {
    current: () => (state !== undefined && hears() && Date.now() < state.dayEnds * 1000 ? state : ask()),
    forget,
    async close() {
      closed = true
      clearInterval(heartbeat)
      await listener?.end()
    },
  }
}
