/** Opens the database of either engine; past this file both are the same `postgres` driver. */
import { resolve } from 'node:path'
import postgres from 'postgres'
import { MillbookError } from '../errors.js'
import { lockFile, openEmbedded } from './embedded/open.js'

/** Runs SQL. */
export type Db = postgres.Sql
/** The same, or a transaction. */
export type Queryable = postgres.ISql
/** A transaction, where one is a must. */
export type Tx = postgres.TransactionSql

export type Target = { engine: 'embedded'; directory: string } | { engine: 'server'; url: string }

export interface Database {
  readonly db: Db
  readonly engine: Target['engine']
  /** Who runs the database, for people: never holds a password. */
  readonly description: string
  /** Settles with a reason when the embedded engine has died; never settles otherwise. */
  readonly died: Promise<Error>
  /**
   * Calls `heard` for each notification on a channel, on a connection of its own. When that is lost, `lost` is called,
   * and nothing is heard any more.
   */
  listen(channel: string, heard: (payload: string) => void, lost: () => void): Promise<Listener>
  close(): Promise<void>
}

export interface Listener {
  /** The connection that hears: who gets an answer on it knows that it is alive. */
  readonly db: Db
  end(): Promise<void>
}

const OLDEST_SERVER = 15

/** Of one process at a time, unless it is told otherwise. */
export const MOST_CONNECTIONS = 8

/** Calendar dates and times stay the text that PostgreSQL sends: no time zone of this machine touches them. */
const plainText = { serialize: (value: unknown) => String(value), parse: (text: string) => text }
const options = {
  max: MOST_CONNECTIONS,
  fetch_types: false, // a query less per connection; the driver's reserve() then hangs unless a connection is idle
  onnotice: () => {},
  types: {
    date: { to: 1082, from: [1082], ...plainText },
    timestamp: { to: 1114, from: [1114], ...plainText },
    time: { to: 1083, from: [1083], ...plainText },
  },
} satisfies postgres.Options<Record<string, postgres.PostgresType>>

export async function connect(target: Target, max = MOST_CONNECTIONS): Promise<Database> {
  return target.engine === 'embedded' ? connectEmbedded(target.directory, max) : connectServer(target.url, max)
}

const EMBEDDED = { user: 'postgres', database: 'postgres' }

async function connectEmbedded(directory: string, max: number): Promise<Database> {
  const opened = await openEmbedded(directory)
  // Connections that are not used are given back soon: an owner waits for those of others before it ends.
  const db = postgres({
    ...options,
    max,
    path: opened.socket,
    ...EMBEDDED,
    idle_timeout: 3,
    connect_timeout: 120,
  })
  try {
    await db`select` // open a connection now, so that what is wrong is said now
  } catch (error) {
    await db.end({ timeout: 1 })
    await opened.close()
    if (!opened.through) throw error
    return await connectEmbedded(directory, max) // the owner has just ended: perhaps it is our turn now
  }
  return {
    db,
    engine: 'embedded',
    description: opened.description,
    died: opened.died,
    listen: (...about) =>
      listenOn(() => postgres({ ...listening(...about), path: opened.socket, ...EMBEDDED }), about[0]),
    close: async () => {
      await db.end({ timeout: 5 })
      await opened.close()
    },
  }
}

async function connectServer(url: string, max: number): Promise<Database> {
  const where = describeServer(url)
  const db = postgres(url, {
    ...options,
    max,
    connect_timeout: 10,
    backoff: () => 0.5, // the driver's own grows to many seconds, which requests would wait after a restart
    // Compiling a report's plan (jit) took a second where running it took milliseconds.
    connection: { application_name: 'millbook', DateStyle: 'ISO, YMD', TimeZone: 'UTC', jit: 'off' },
  })
  try {
    const [{ version = '' } = {}] = await db`select current_setting('server_version') as version`
    if (Number.parseInt(version, 10) < OLDEST_SERVER)
      throw new MillbookError(`${where} is version ${version}; Millbook needs PostgreSQL ${OLDEST_SERVER} or newer`)
  } catch (error) {
    await db.end({ timeout: 1 })
    throw unusable(where, error)
  }
  return {
    db,
    engine: 'server',
    description: where,
    died: new Promise(() => {}),
    listen: (...about) => listenOn(() => postgres(url, { ...listening(...about), connect_timeout: 10 }), about[0]),
    close: () => db.end({ timeout: 5 }),
  }
}

/** A connection that is never closed by the driver on its own. */
function listening(channel: string, heard: (payload: string) => void, lost: () => void) {
  let over = false
  return {
    ...options,
    ...{ max: 1, idle_timeout: 0, max_lifetime: 0 },
    onnotify: (on: string, payload: string) => {
      if (on === channel && !over) heard(payload)
    },
    onclose: () => {
      if (!over) lost()
      over = true
    },
  }
}

async function listenOn(open: () => Db, channel: string): Promise<Listener> {
  const db = open()
  try {
    await db.unsafe(`listen ${channel}`)
  } catch (error) {
    await db.end({ timeout: 1 })
    throw error
  }
  return { db, end: () => db.end({ timeout: 1 }) }
}

/** A server for people; never holds a password. */
function describeServer(url: string): string {
  try {
    const { protocol, host, pathname } = new URL(url)
    if (protocol !== 'postgres:' && protocol !== 'postgresql:') throw new Error('not PostgreSQL')
    return `PostgreSQL database ${decodeURIComponent(pathname.slice(1)) || '(default)'} on ${host || 'this machine'}`
  } catch {
    throw new MillbookError('the database URL is not of the form postgres://user:password@host:5432/name')
  }
}

const unusable = (where: string, error: unknown): MillbookError =>
  error instanceof MillbookError
    ? error
    : new MillbookError(`cannot use ${where}: ${(error as Error).message || (error as { code?: string }).code}`)

/**
 * Waits until no one else loads data, and keeps others from it until the returned function is called. To be taken before
 * the database is opened: an embedded one may go away with the process that is waited for.
 */
export const lockLoads = (target: Target, onWait: () => void): Promise<() => Promise<void>> =>
  target.engine === 'embedded'
    ? lockFile(resolve(target.directory), 'load.lock', onWait)
    : lockOnServer(target.url, onWait)

/** Any number that no other program takes as its lock on the same database. */
const LOAD_LOCK = 7_461_203_119

/** A lock of a connection of its own: the server releases it when this process is gone, however it went. */
async function lockOnServer(url: string, onWait: () => void): Promise<() => Promise<void>> {
  const where = describeServer(url)
  // Never closed by the driver on its own: the lock would go with it.
  const own = postgres(url, { ...options, max: 1, max_lifetime: 0, idle_timeout: 0, connect_timeout: 10 })
  try {
    const [row] = await own`select pg_try_advisory_lock(${LOAD_LOCK}) as locked`
    if (!row?.locked) {
      onWait()
      await own`select pg_advisory_lock(${LOAD_LOCK})`
    }
  } catch (error) {
    await own.end({ timeout: 1 })
    throw unusable(where, error)
  }
  return () => own.end({ timeout: 1 })
}
