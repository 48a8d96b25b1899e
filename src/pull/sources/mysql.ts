/** A MySQL or MariaDB server: one transaction that reads a consistent snapshot, read only. */
import type { Readable } from 'node:stream'
import { inBatches, type PullSource, ROWS_AT_A_TIME } from '../source.js'
import { mysqlStamps } from './mysql-stamp.js'

/** How long the server waits for a slow reader. Its default is one minute; merging a large file may take longer. */
const WRITE_TIMEOUT_SECONDS = 3600

export async function openMysql(url: string): Promise<PullSource> {
  const { createConnection } = await import('mysql2')
  const { hostname, port, username, password, pathname, searchParams } = new URL(url)
  const socketPath = searchParams.get('socket')
  const tls = searchParams.get('ssl')
  const connection = createConnection({
    ...(socketPath === null ? { host: decodeURIComponent(hostname), port: Number(port || 3306) } : { socketPath }),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
    ...(tls !== null && { ssl: tls === 'insecure' ? { rejectUnauthorized: false } : {} }),
    // Takes every value as the server's text: decimals keep their digits, dates have no zone.
    typeCast: (field) => field.string(),
    rowsAsArray: true,
    supportBigNumbers: true,
  })
  // A stream does not notice a lost connection; and an error without a listener would end the process.
  let reading: Readable | undefined
  connection.on('error', (error) => reading?.destroy(error))
  const run = (text: string) => connection.promise().query(text)
  try {
    await run(`set session net_write_timeout = ${WRITE_TIMEOUT_SECONDS}`)
    await run('set session transaction isolation level repeatable read')
    await run('start transaction with consistent snapshot, read only')
  } catch (error) {
    connection.destroy()
    throw error
  }
  return {
    query: async (text) => {
      const rows = connection.query(text).stream({ highWaterMark: ROWS_AT_A_TIME })
      reading = rows
      const columns = await new Promise<string[]>((resolve, reject) => {
        rows.once('fields', (fields?: { name: string }[]) => resolve((fields ?? []).map(({ name }) => name)))
        rows.once('close', () => resolve([])) // a statement without a result
        rows.once('error', reject)
      })
      return { columns, batches: inBatches(rows) }
    },
    literal: (value) => connection.escape(value),
    stamp: mysqlStamps(
      async (text) => (await connection.promise().query({ sql: text, rowsAsArray: true }))[0] as never,
    ),
    close: async () => connection.destroy(), // a query that is being read would keep `end` waiting
  }
}
