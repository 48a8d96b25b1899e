/** An SQLite file: one read transaction, in which other programs may go on writing. */
import { existsSync } from 'node:fs'
import { MillbookError } from '../../errors.js'
import { inBatches, type PullSource, type SourceValue } from '../source.js'
import { quoted } from '../sql-text.js'

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
      const statement = database.prepare(text).raw(true)
      statement.safeIntegers(true)
      const columns = statement.columns().map(({ name }) => name)
      return { columns, batches: inBatches(statement.iterate() as Iterable<SourceValue[]>) }
    },
    literal: quoted,
    close: async () => void database.close(),
  }
}
