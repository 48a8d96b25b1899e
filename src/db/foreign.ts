/** Reads another program's PostgreSQL database, of older versions too, in one read-only snapshot. */
import { openServer } from './connect.js'
import { onConnection } from './db.js'
import { identifier, join, raw, sql } from './sql.js'
import { streamTexts } from './texts.js'
import { readServerUrl } from './url.js'

export interface ForeignDatabase {
  /** Streams the rows of a query, some at a time; every value is PostgreSQL's text of it. */
  rows(query: string): Promise<{ columns: readonly string[]; batches: AsyncIterable<(string | null)[][]> }>
  /** The rows of a short statement. */
  all(statement: string): Promise<Record<string, unknown>[]>
  /** Undoes an error of the work, which would otherwise end the snapshot. */
  attempt<T>(work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

/**
 * Queries of a pull read whole tables, and for queries with many parts PostgreSQL expects far too few rows. Loops over such parts
 * took minutes for 30,000 orders, hash joins seconds (docs/decisions/0026).
 */
const STARTUP = { standard_conforming_strings: 'on', enable_nestloop: 'off', jit: 'off', work_mem: '64MB' }

export async function openForeign(url: string): Promise<ForeignDatabase> {
  const server = readServerUrl(url)
  const client = await openServer(server, { startup: STARTUP })
  await client.run('begin isolation level repeatable read read only')
  const db = onConnection(client)
  return {
    async rows(query) {
      const from = raw(`(${query}\n) as source`)
      const { fields } = await client.run(`select * from ${from.text} limit 0`)
      const columns = fields.map(({ name }) => name)
      const values = columns.map((name) => sql`source.${identifier(name)}::text`)
      const statement = sql`select json_build_array(${join(values, ', ')})::text from ${from}`
      return { columns, batches: parsed(streamTexts(db, statement)) }
    },
    all: async (statement) => (await client.run(statement)).rows,
    async attempt(work) {
      await client.run('savepoint attempt')
      try {
        return await work()
      } catch (error) {
        await client.run('rollback to savepoint attempt')
        throw error
      } finally {
        await client.run('release savepoint attempt').catch(() => {})
      }
    },
    close: () => client.close(),
  }
}

/** The texts are JSON arrays, joined by commas; the last array of a piece may be incomplete. */
async function* parsed(pieces: ReturnType<typeof streamTexts>): AsyncGenerator<(string | null)[][]> {
  let rest = Buffer.alloc(0)
  /** The offset of `rest` in all bytes. */
  let at = 0
  for await (const { bytes, starts } of pieces) {
    rest = Buffer.concat([rest, bytes])
    const last = starts.at(-1)
    if (last === undefined || last <= at) continue
    yield JSON.parse(`[${rest.toString('utf8', 0, last - at - 1)}]`) // without the comma before the last
    rest = rest.subarray(last - at)
    at = last
  }
  if (rest.length > 0) yield JSON.parse(`[${rest.toString('utf8')}]`)
}
