/** Opens the database of either engine; past this file both are the same. */
import { resolve } from 'node:path'
import { MillbookError } from '../errors.js'
import { Client, type ClientOptions } from './client.js'
import { type Db, makeDb, onConnection, type Queryable } from './db.js'
import { lockFile, openEmbedded } from './embedded/open.js'
import { Pool } from './pool.js'
import { readServerUrl, type Server } from './url.js'

export type { Db, Queryable, Tx } from './db.js'

export type Target = { engine: 'embedded'; directory: string } | { engine: 'server'; url: string }

export interface Database {
  readonly db: Db
  readonly engine: Target['engine']
  /** Names the database to people: never holds a password. */
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
  /** The connection that hears: a statement that succeeds on it proves that it is alive. */
  readonly db: Queryable
  end(): Promise<void>
}

const OLDEST_SERVER = 15

/** The most connections of one process, unless it is given another number. */
export const MOST_CONNECTIONS = 8

export async function connect(target: Target, max = MOST_CONNECTIONS): Promise<Database> {
  return target.engine === 'embedded' ? connectEmbedded(target.directory, max) : connectServer(target.url, max)
}

async function connectEmbedded(directory: string, max: number): Promise<Database> {
  const opened = await openEmbedded(directory)
  const open = () =>
    Client.open({
      ...{ path: opened.socket, user: 'postgres', database: 'postgres', ssl: false },
      connectTimeoutMs: 120_000, // a connection waits while a load holds the only session
      rowsAtATime: 2000,
    })
  // Idle connections are closed soon: an owner waits for those of other processes before it ends.
  const pool = new Pool({ open, max, idleMs: 3000 })
  const db = makeDb(() => pool.lease())
  try {
    await db`select` // a connection is opened now, so that an error is reported now
  } catch (error) {
    await pool.close(1000)
    await opened.close()
    if (!opened.through) throw error
    return await connectEmbedded(directory, max) // the owner has just ended: this process may become the owner
  }
  const listeners = new Set<Listener>()
  let closing: Promise<void> | undefined
  return {
    db,
    engine: 'embedded',
    description: opened.description,
    died: opened.died,
    listen: (...about) => listen(open, listeners, ...about),
    close: () => {
      closing ??= endAll(listeners)
        .then(() => pool.close())
        .then(opened.close)
      return closing
    },
  }
}

async function connectServer(url: string, max: number): Promise<Database> {
  const server = readServerUrl(url)
  const open = () => openServer(server)
  const pool = new Pool({ open, max })
  const db = makeDb(() => pool.lease())
  try {
    const [{ version } = { version: '' }] = await db<{ version: string }[]>`
      select current_setting('server_version') as version`
    if (Number.parseInt(version, 10) < OLDEST_SERVER)
      throw new MillbookError(
        `${server.description} is version ${version}; Millbook needs PostgreSQL ${OLDEST_SERVER} or newer`,
      )
  } catch (error) {
    await pool.close(1000)
    throw unusable(server, error)
  }
  const listeners = new Set<Listener>()
  return {
    db,
    engine: 'server',
    description: server.description,
    died: new Promise(() => {}),
    listen: (...about) => listen(open, listeners, ...about),
    close: () => endAll(listeners).then(() => pool.close()),
  }
}

async function openServer({ options, plainIfNoTls }: Server): Promise<Client> {
  const all: ClientOptions = {
    ...options,
    connectTimeoutMs: 10_000,
    // Compiling a report's plan (jit) took a second where running it took milliseconds.
    startup: { application_name: 'millbook', DateStyle: 'ISO, YMD', TimeZone: 'UTC', jit: 'off', ...options.startup },
  }
  try {
    return await Client.open(all)
  } catch (error) {
    if (!plainIfNoTls || !/does not support SSL/.test((error as Error).message)) throw error
    return await Client.open({ ...all, ssl: false })
  }
}

/** Open listeners are ended with the database: the embedded engine waits for all its connections. */
const endAll = (listeners: ReadonlySet<Listener>) => Promise.all([...listeners].map((listener) => listener.end()))

async function listen(
  open: () => Promise<Client>,
  listeners: Set<Listener>,
  channel: string,
  heard: (payload: string) => void,
  lost: () => void,
): Promise<Listener> {
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
  const listener: Listener = { db: onConnection(client), end }
  listeners.add(listener)
  try {
    await client.run(`listen ${channel}`)
  } catch (error) {
    await end()
    throw error
  }
  return listener
}

const unusable = ({ description }: Server, error: unknown): MillbookError =>
  error instanceof MillbookError
    ? error
    : new MillbookError(`cannot use ${description}: ${(error as Error).message || (error as { code?: string }).code}`)

/**
 * Waits until no other process loads data, and keeps others from it until the returned function is called. To be taken
 * before the database is opened: an embedded one may go away with the process that is waited for.
 */
export const lockLoads = (target: Target, onWait: () => void): Promise<() => Promise<void>> =>
  target.engine === 'embedded'
    ? lockFile(resolve(target.directory), 'load.lock', onWait)
    : lockOnServer(readServerUrl(target.url), onWait)

/** Any number that no other program takes as its lock on the same database. */
const LOAD_LOCK = 7_461_203_119

/** A lock of a connection of its own: the server releases it when this process is gone, however it went. */
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
