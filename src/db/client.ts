/** One connection: the driver's client, which never runs a statement after the connection was lost. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { cancelled } from '../metrics/metrics.js'
import { boundValues, type Sql, type Value } from './sql.js'
import { parserOf } from './types.js'
import { type TakesTexts, type Wire, WireConnection } from './wire.js'

export interface ClientOptions extends Wire, Pick<pg.ClientConfig, 'host' | 'port' | 'user' | 'database'> {
  password?: string
  /** Settings of the session, as PostgreSQL names them. */
  startup?: Record<string, string>
  connectTimeoutMs: number
  /**
   * For an engine that buffers a statement's rows and cannot cancel it: the number of rows that a stream asks for at a time.
   * Without it, a stream asks for all rows at once, which lets PostgreSQL use parallel workers.
   */
  rowsAtATime?: number
  /** A connection whose statement takes longer is destroyed; without it, statements may take any time. */
  silentAfterMs?: number
}

/** The most prepared statements of a connection: each can take a megabyte of the server's memory. Others are parsed each time. */
const MOST_PREPARED = 200

/** A connection is destroyed if its statement still runs this long after it was cancelled. */
const CANCEL_WITHIN_MS = 5000

/** PostgreSQL's routines that reject a stale or missing prepared statement, as after a schema change: reconnect. */
const STALE = new Set(['RevalidateCachedQuery', 'FetchPreparedStatement'])

/** A statement failed because its connection was lost. Whether it took effect is unknown. */
class ConnectionLost extends Error {
  readonly code = 'CONNECTION_LOST'

  constructor(cause: Error) {
    super(`the connection to the database was lost: ${cause.message}`, { cause })
  }
}

/** The database did not respond in time. */
export class DatabaseSilent extends Error {
  readonly code = 'CONNECTION_SILENT'

  constructor(milliseconds: number) {
    super(`the database did not respond within ${milliseconds} ms`)
  }
}

/** No connection could be opened. */
class ConnectionFailed extends Error {
  readonly code = 'CONNECTION_FAILED'
}

export class Client extends pg.Client {
  /** The reason why the connection is lost; undefined while it works. */
  lost: Error | undefined
  /** See the option; 0 for all. */
  readonly rowsAtATime: number
  readonly #silentAfterMs: number | undefined
  readonly #wire: WireConnection
  readonly #startup: Record<string, string>
  /**
   * Names of prepared statements, by their text. They begin with a word that only this connection has, because the embedded
   * engine keeps the prepared statements of all connections in one session.
   */
  readonly #names = new Map<string, string>()
  readonly #id = randomBytes(6).toString('hex')

  private constructor(given: ClientOptions) {
    const { password = '', startup = {}, connectTimeoutMs, rowsAtATime = 0, silentAfterMs, ...options } = given
    const wire = new WireConnection(options)
    super({
      ...{ ...options, connection: wire, types: { getTypeParser: parserOf as pg.CustomTypesConfig['getTypeParser'] } },
      ...{ password: () => password, connectionTimeoutMillis: connectTimeoutMs },
    })
    this.rowsAtATime = rowsAtATime
    this.#silentAfterMs = silentAfterMs
    this.#wire = wire
    this.#startup = startup
    // Without a listener an 'error' event would end the process. The running statement's promise reports the error.
    this.on('error', (error) => this.#lose(error))
    this.on('end', () => this.#lose(new Error('it was closed')))
  }

  static async open(options: ClientOptions): Promise<Client> {
    const client = new Client(options)
    try {
      await client.connect()
    } catch (error) {
      client.destroy()
      const { code, message, severity } = error as { code?: string; message: string; severity?: string }
      // An error of the network, of TLS or of the driver can have any code.
      throw severity === undefined ? new ConnectionFailed(message || code, { cause: error }) : error
    }
    return client
  }

  override getStartupConf(): Record<string, string> {
    const { user = '', database = '' } = this
    return { user, database, ...this.#startup }
  }

  /** Runs one statement, or several without values. */
  async run(text: string, values: readonly Value[] = []): Promise<pg.QueryResult> {
    const result = await this.guard(() => this.query(text, values as Value[]))
    return Array.isArray(result) ? result.at(-1) : result
  }

  /** Runs a statement as a prepared one. */
  runPrepared(statement: Sql): Promise<pg.QueryResult> {
    return this.guard(() => this.query(this.prepared(statement)))
  }

  /** Names a statement: the server keeps a named statement parsed and, after some runs, planned. */
  prepared(statement: Pick<Sql, 'text' | 'values'>): pg.QueryConfig {
    const { text } = statement
    let name = this.#names.get(text)
    if (name === undefined && this.#names.size < MOST_PREPARED) {
      name = `${this.#id}_${this.#names.size}`
      this.#names.set(text, name)
    }
    return { text, values: boundValues(statement), ...(name !== undefined && { name }) }
  }

  /** Like `query`, but the statement takes its rows undecoded. */
  queryTexts<T extends pg.Submittable & TakesTexts>(statement: T): T {
    this.#wire.takeTexts(statement)
    return this.query(statement)
  }

  /**
   * Cancels the running statement, whose remaining rows must be discarded; resolves when the next statement can run, or the
   * connection is lost. Waits for the request's end, because a late request would cancel the next statement.
   */
  async cancel(withinMs = CANCEL_WITHIN_MS): Promise<void> {
    if (this.rowsAtATime > 0) return this.settled() // the statement ends after the requested rows
    const late = setTimeout(() => this.destroy(), withinMs)
    const { processID, secretKey } = this
    await this.#wire.requestCancel(processID ?? 0, secretKey ?? 0, withinMs).catch(() => this.destroy())
    await this.settled()
    clearTimeout(late)
  }

  /**
   * Runs work of the driver, and rejects when the connection is lost, even where the driver would hang. Rejects only when it
   * is known whether the connection is lost.
   */
  async guard<T>(work: () => Promise<T>): Promise<T> {
    if (this.lost !== undefined) throw new ConnectionLost(this.lost)
    let onEnd = () => {}
    const ended = new Promise<never>((_, reject) => {
      onEnd = () => reject(this.lost)
      this.once('end', onEnd)
    })
    const limit = this.#silentAfterMs
    const late = limit === undefined ? undefined : setTimeout(() => this.#giveUp(limit), limit)
    try {
      return await Promise.race([work(), ended])
    } catch (error) {
      await this.settled()
      const { code = '', severity, routine = '' } = error as { code?: string; severity?: string; routine?: string }
      const stale = STALE.has(routine)
      if (stale) this.destroy(error as Error)
      // The network's errors can have any code; the server and this program say more.
      const says = severity === undefined ? code.startsWith('CONNECTION_') : !stale
      throw this.lost === undefined || says ? error : new ConnectionLost(this.lost)
    } finally {
      clearTimeout(late)
      this.off('end', onEnd)
    }
  }

  #giveUp(milliseconds: number): void {
    cancelled.add({ reason: 'silent' })
    this.destroy(new DatabaseSilent(milliseconds))
  }

  /** Resolves when the server is ready for the next statement, or the connection is lost. */
  async settled(): Promise<void> {
    if (this.readyForQuery || this.lost !== undefined) return
    await new Promise<void>((resolve) => {
      const events = ['drain', 'error', 'end'] as const
      const settle = () => {
        for (const event of events) this.off(event, settle)
        resolve()
      }
      for (const event of events) this.on(event, settle)
    })
  }

  /** Closes the connection, and destroys it if the server does not respond in time. */
  async close(withinMs = 1000): Promise<void> {
    const late = setTimeout(() => this.destroy(), withinMs)
    await this.end().finally(() => clearTimeout(late))
  }

  destroy(reason = new Error('it was closed')): void {
    this.#lose(reason)
    this.#wire.stream.destroy()
  }

  #lose(error: Error): void {
    this.lost ??= error
  }
}
