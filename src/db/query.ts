/** Runs statements that were made by the `sql` tag. */
import type { Queryable, Row, Rows } from './db.js'
import type { Sql } from './sql.js'

export const query = <R extends object = Row>(db: Queryable, statement: Sql): Promise<Rows<R[]>> =>
  db<R[]>`${statement}`

/** Throws unless the database could run the statement, with every table, column and function in it. */
export async function checkStatement(db: Queryable, { text }: Sql): Promise<void> {
  await db.unsafe(`prepare millbook_check as ${text}; deallocate millbook_check`)
}
