/**
 * Microsoft SQL Server, in a transaction with snapshot isolation, which the database must allow. Millbook does not install its
 * driver, which brings 70 MB of packages. Written after the driver's documentation, and not tried against a server.
 */
import { MillbookError } from '../../errors.js'
import type { PullSource, Result, SourceValue } from '../source.js'
import { ROWS_AT_A_TIME } from '../source.js'
import { quoted } from '../sql-text.js'

/** The used part of the package `tedious`. */
interface Driver {
  readonly Connection: new (config: object) => Connection
  readonly Request: new (text: string, done: (error?: Error | null) => void) => Request
  readonly ISOLATION_LEVEL: { readonly SNAPSHOT: number }
}
interface Connection {
  connect(done: (error?: Error) => void): void
  beginTransaction(done: (error?: Error | null) => void, name: string, isolation: number): void
  execSql(request: Request): void
  close(): void
}
interface Request {
  on(event: 'columnMetadata', listener: (columns: readonly { colName: string }[]) => void): void
  on(event: 'row', listener: (columns: readonly { value: unknown }[]) => void): void
  pause(): void
  resume(): void
}

const DRIVER = 'tedious'

export async function openSqlServer(url: string): Promise<PullSource> {
  const driver = await findDriver()
  const { hostname, port, username, password, pathname, searchParams } = new URL(url)
  const database = decodeURIComponent(pathname.slice(1))
  const connection = new driver.Connection({
    server: hostname,
    authentication: {
      type: 'default',
      options: { userName: decodeURIComponent(username), password: decodeURIComponent(password) },
    },
    options: {
      ...{ database, port: Number(port || 1433), readOnlyIntent: true, useUTC: true, requestTimeout: 0 },
      encrypt: searchParams.get('encrypt') !== 'false',
      trustServerCertificate: searchParams.get('trustServerCertificate') === 'true',
    },
  })
  await called((done) => connection.connect(done))
  try {
    await called((done) => connection.beginTransaction(done, '', driver.ISOLATION_LEVEL.SNAPSHOT))
  } catch (error) {
    connection.close()
    throw error
  }
  return {
    query: (text) => run(driver, connection, text),
    literal: (value) => `N${quoted(value)}`,
    close: async () => connection.close(),
  }
}

async function findDriver(): Promise<Driver> {
  try {
    const found = (await import(DRIVER)) as Driver & { default?: Driver }
    return found.default ?? found
  } catch {
    throw new MillbookError(`SQL Server needs the package ${DRIVER}: run npm install ${DRIVER} beside Millbook`)
  }
}

const called = (work: (done: (error?: Error | null) => void) => void) =>
  new Promise<void>((resolve, reject) => work((error) => (error ? reject(error) : resolve())))

/** The driver calls back for each row; it pauses while rows wait for the reader. */
function run({ Request }: Driver, connection: Connection, text: string): Promise<Result> {
  return new Promise((resolve, reject) => {
    let waiting: SourceValue[][] = []
    let ended = false
    let failure: Error | undefined
    let wake = () => {}
    const request = new Request(text, (error) => {
      ended = true
      failure = error ?? undefined
      if (error) reject(error)
      else resolve({ columns: [], batches: batches() }) // no effect if there were columns
      wake()
    })
    async function* batches(): AsyncGenerator<SourceValue[][]> {
      while (true) {
        if (failure !== undefined) throw failure
        if (waiting.length > 0) {
          const batch = waiting
          waiting = []
          yield batch
          request.resume()
        } else if (ended) return
        else
          await new Promise<void>((resolveWake) => {
            wake = resolveWake
          })
      }
    }
    request.on('columnMetadata', (columns) =>
      resolve({ columns: columns.map(({ colName }) => colName), batches: batches() }),
    )
    request.on('row', (columns) => {
      waiting.push(columns.map(({ value }) => plain(value)))
      if (waiting.length >= ROWS_AT_A_TIME) request.pause()
      wake()
    })
    connection.execSql(request)
  })
}

/** The driver's dates are in UTC. The loader refuses a number with more digits than a double keeps. */
const plain = (value: unknown): SourceValue =>
  value instanceof Date ? value.toISOString().slice(0, 19).replace('T', ' ') : (value as SourceValue)
