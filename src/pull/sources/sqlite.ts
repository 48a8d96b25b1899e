/** An SQLite file: one read transaction, while other programs may go on writing. */
import { existsSync } from 'node:fs'
import { MillbookError } from '../../errors.js'
import { inBatches, type PullSource, type SourceValue } from '../source.js'
import { quoted } from '../sql-text.js'

type Value = SourceValue | Buffer

/** Reads texts as bytes: the driver ends the process at a text that is not UTF-8, and cuts a text at a NUL character. */
const asBytes = (name: string): string => {
  const column = `"${name.replaceAll('"', '""')}"`
  return `case typeof(${column}) when 'text' then cast(${column} as blob) else ${column} end as ${column}`
}

function* decoded(columns: readonly string[], rows: Iterable<readonly Value[]>): Generator<SourceValue[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let line = 0
  for (const row of rows) {
    line++
    yield row.map((value, i) => {
      if (!(value instanceof Uint8Array)) return value
      try {
        return decoder.decode(value)
      } catch {
        throw new MillbookError(`row ${line}: ${columns[i]} is not UTF-8`)
      }
    })
  }
}

/** `sqlite:books.db`, `sqlite:/srv/books.db` and `sqlite:///srv/books.db`. */
export const sqliteFile = (url: string): string => url.replace(/^sqlite:(\/\/(?=\/))?/, '')

export async function openSqlite(url: string): Promise<PullSource> {
  const file = sqliteFile(url)
  if (!existsSync(file)) throw new MillbookError(`there is no file ${file}`) // opening it would create it
  const { default: Database } = await import('libsql')
  const database = new Database(file)
  try {
    database.exec('pragma query_only = 1')
    database.exec('begin')
    database.prepare('select count(*) from sqlite_master').get() // the snapshot begins with the first read
  } catch (error) {
    database.close()
    throw error
  }
  return {
    query: async (text) => {
      const columns = database
        .prepare(text)
        .columns()
        .map(({ name }) => name)
      if (columns.length === 0) throw new MillbookError('it is not a query that returns rows; write a select')
      const twice = columns.find((name, i) => columns.indexOf(name) !== i)
      if (twice !== undefined) throw new MillbookError(`it has two columns ${twice}`)
      const statement = database.prepare(`select ${columns.map(asBytes).join(', ')} from (${text}\n)`).raw(true)
      statement.safeIntegers(true)
      return { columns, batches: inBatches(decoded(columns, statement.iterate() as Iterable<Value[]>)) }
    },
    literal: quoted,
    close: async () => void database.close(),
  }
}
