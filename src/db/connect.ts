/** Opens a database and chooses its engine. */
import { resolve } from 'node:path'
import { MillbookError } from '../errors.js'
import { Client, type ClientOptions } from './client.js'
import { isDistributed } from './cluster/copies.js'
import { cluster } from './cluster/engine.js'
import { type Db, makeDb, onConnection } from './db.js'
import { embedded } from './embedded/engine.js'
import { lockFile, openEmbedded } from './embedded/open.js'
import { HEARD_ALL } from './embedded/share.js'
import type { Engine } from './engine.js'
import { Pool } from './pool.js'
import { server as singleServer } from './server.js'
import { SERVICE_NAME } from './services.js'
import { type OnSilence, watchSilence } from './silence.js'
import { readServerUrl, type Server } from './url.js'

export type { Db, Queryable, Tx } from './db.js'
export type { Engine } from './engine.js'

/** A data directory of the embedded database, or the URL of a PostgreSQL server. */
export type Target = { readonly directory: string } | { readonly url: string }

export interface Database {
  readonly db: Db
  /**
   * For short statements that every request may need, such as the lookup of a token or a version. Separate connections and a
   * time limit keep them from waiting for reports, or for a server that does not respond.
   */
  readonly quick: Db
  readonly engine: Engine
  /** Lets another process open the database; the URL of a server may hold a password. */
  readonly target: Target
  /** The name of the database in messages, without a password. */
  readonly description: string
  /** Settles with a reason when the embedded engine has died; never settles otherwise. */
  readonly died: Promise<Error>
  /** For an embedded database that another process runs: resolves when that process has ended. */
  ownerEnds?(): Promise<void>
  /**
   * Opens a separate connection, and calls `heard` for each notification on a channel. When the connection is lost, it calls
   * `lost`, and hears nothing more.
   */
  listen(channel: string, heard: (payload: string) => void, lost: () => void): Promise<Listener>
  /** Watches that a server responds; the embedded engine is not watched. */
  readonly onSilence: OnSilence
  close(): Promise<void>
}

export interface Listener {
  /** For the embedded engine: resolves when every notification of a commit before this call has been heard. */
  heardAll?(): Promise<void>
  end(): Promise<void>
}

export interface ConnectOptions {
  /** The most connections of this process, and the most further ones for short statements. */
  max?: number
  quick?: number
  /** For a service: limits on a server's statements and on waiting for a connection. */
  limits?: Limits
}

/** In milliseconds. */
export interface Limits {
  statement: number
  /** On waiting for a lock, such as that of another session's maintenance. */
  lock: number
  /** On waiting for a connection. */
  connection: number
}

const OLDEST_SERVER = 15

/**
 * Settings of the planner; settings in the URL of the database take precedence. Compiling a report's plan (jit) took a second where
 * running it took milliseconds. Pages are in memory or on a solid-state disk: with PostgreSQL's default of 4, for disks with a moving
 * head, long reports took up to twice as long.
 */
const PLANNING = { jit: 'off', random_page_cost: '1.1' }

/** The most connections of one process by default. */
export const MOST_CONNECTIONS = 8

/** The number of connections for short statements, and their time limit: no caller waits longer for a silent server. */
const QUICK_CONNECTIONS = 2
export const QUICK_MS = 1500
const QUICK_LOCK_MS = 1000

export async function connect(target: Target, options: ConnectOptions = {}): Promise<Database> {
  return 'url' in target ? connectServer(target.url, options) : connectEmbedded(target.directory, options)
}

async function connectEmbedded(directory: string, options: ConnectOptions): Promise<Database> {
  const opened = await openEmbedded(directory)
  const open = () =>
    Client.open({
      ...{ path: opened.socket, user: 'postgres', database: 'postgres', ssl: false },
      connectTimeoutMs: 120_000, // a connection waits while a load holds the only session
      rowsAtATime: 2000,
    })
  // Idle connections are closed soon: the owner waits for the connections of other processes before it ends.
  const pool = new Pool({ name: 'reports', open, max: options.max ?? MOST_CONNECTIONS, idleMs: 3000 })
  const db = makeDb(() => pool.lease())
  try {
    await db`select` // opens a connection now, to report an error now
  } catch (error) {
    await pool.close(1000)
    await opened.close()
    if (!opened.through) throw error
    return await connectEmbedded(directory, options) // the owner has just ended: this process may become the owner
  }
  const listeners = new Set<Pick<Listener, 'end'>>()
  let closing: Promise<void> | undefined
  return {
    ...{ db, quick: db }, // there is only one session
    engine: embedded,
    target: { directory },
    description: opened.description,
    died: opened.died,
    ...(opened.ownerEnds && { ownerEnds: opened.ownerEnds }),
    listen: async (...about) => {
      const { client, end } = await listen(open, listeners, ...about)
      return { end, heardAll: () => client.run(HEARD_ALL).then(() => {}) }
    },
    onSilence: () => () => {},
    close: () => {
      closing ??= endAll(listeners)
        .then(() => pool.close())
        .then(opened.close)
      return closing
    },
  }
}

async function connectServer(
  url: string,
  { max = MOST_CONNECTIONS, quick: quickMax = QUICK_CONNECTIONS, limits }: ConnectOptions,
): Promise<Database> {
  const server = readServerUrl(url)
  const named = limits && { application_name: SERVICE_NAME }
  const open = () =>
    openServer(server, {
      startup: limits && {
        ...{ ...named, statement_timeout: String(limits.statement), lock_timeout: String(limits.lock) },
      },
    })
  const pool = new Pool({ name: 'reports', open, max, ...(limits && { waitMs: limits.connection }) })
  const db = makeDb(() => pool.lease())
  const openQuick = () =>
    openServer(server, {
      ...{ connectTimeoutMs: QUICK_MS, silentAfterMs: QUICK_MS },
      startup: { ...named, lock_timeout: String(QUICK_LOCK_MS) }, // a server that waits for a lock is not silent
    })
  const quickPool = new Pool({ name: 'quick', open: openQuick, max: quickMax, waitMs: QUICK_MS })
  let distributed = false
  try {
    const [{ version, cluster } = { version: '', cluster: false }] = await db<{ version: string; cluster: boolean }[]>`
      select current_setting('server_version') as version, ${isDistributed} as cluster`
    distributed = cluster
    if (Number.parseInt(version, 10) < OLDEST_SERVER)
      throw new MillbookError(
        `${server.description} is version ${version}; Millbook needs PostgreSQL ${OLDEST_SERVER} or newer`,
      )
  } catch (error) {
    await pool.close(1000)
    throw unusable(server, error)
  }
  const listeners = new Set<Pick<Listener, 'end'>>()
  const quick = makeDb(() => quickPool.lease())
  return {
    ...{ db, quick, onSilence: watchSilence(quick) },
    engine: distributed ? cluster : singleServer,
    target: { url },
    description: server.description,
    died: new Promise(() => {}),
    listen: (...about) => listen(open, listeners, ...about),
    close: () => endAll(listeners).then(() => Promise.all([pool.close(), quickPool.close()]).then(() => {})),
  }
}

type ServerOptions = Partial<Pick<ClientOptions, 'connectTimeoutMs' | 'silentAfterMs'>> & {
  startup?: ClientOptions['startup'] | undefined
}

export async function openServer(
  { options, plainIfNoTls }: Server,
  { startup, ...own }: ServerOptions = {},
): Promise<Client> {
  const all: ClientOptions = {
    ...{ ...options, connectTimeoutMs: 10_000, ...own },
    startup: {
      ...{ application_name: 'millbook', DateStyle: 'ISO, YMD', TimeZone: 'UTC', ...PLANNING },
      ...startup,
      ...options.startup,
    },
  }
  try {
    return await Client.open(all)
  } catch (error) {
    if (!plainIfNoTls || !/does not support SSL/.test((error as Error).message)) throw error
    return await Client.open({ ...all, ssl: false })
  }
}

/** Closing the database ends open listeners: the embedded engine waits for all its connections. */
const endAll = (listeners: ReadonlySet<Pick<Listener, 'end'>>) =>
  Promise.all([...listeners].map((listener) => listener.end()))

async function listen(
  open: () => Promise<Client>,
  listeners: Set<Pick<Listener, 'end'>>,
  channel: string,
  heard: (payload: string) => void,
  lost: () => void,
): Promise<Listener & { client: Client }> {
  const client = await open()
  let ended = false
  client.on('notification', (news) => {
    if (news.channel === channel && !ended) heard(news.payload ?? '')
  })
  client.once('end', () => {
    if (!ended) lost()
  })
  const end = async () => {
    ended = true
    listeners.delete(listener)
    await client.close()
  }
  const listener = { client, end }
  listeners.add(listener)
  try {
    await client.run(`listen ${channel}`)
  } catch (error) {
    await end()
    throw error
  }
  return listener
}

export const unusable = ({ description }: Server, error: unknown): MillbookError =>
  error instanceof MillbookError
    ? error
    : new MillbookError(`cannot use ${description}: ${(error as Error).message}`, { cause: error })

/**
 * Waits until no other process loads data, and keeps others from loading until the returned function is called. To be called
 * before the database is opened: an embedded database may close with the process that this one waits for.
 */
export const lockLoads = (target: Target, onWait: () => void): Promise<() => Promise<void>> =>
  'url' in target
    ? lockOnServer(readServerUrl(target.url), onWait)
    : lockFile(resolve(target.directory), 'load.lock', onWait)

/** Any number that no other program uses for a lock on the same database. */
const LOAD_LOCK = 7_461_203_119

/** A separate connection holds the lock: the server releases it when this process ends for any reason. */
async function lockOnServer(server: Server, onWait: () => void): Promise<() => Promise<void>> {
  let client: Client | undefined
  try {
    client = await openServer(server)
    const db = onConnection(client)
    const [row] = await db`select pg_try_advisory_lock(${LOAD_LOCK}) as locked`
    if (!row?.['locked']) {
      onWait()
      await db`select pg_advisory_lock(${LOAD_LOCK})`
    }
  } catch (error) {
    await client?.close()
    throw unusable(server, error)
  }
  const own = client
  return () => own.close()
}
