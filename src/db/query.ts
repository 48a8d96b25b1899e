/** Runs a statement that was made by the `sql` tag. */
import type { Queryable } from './connect.js'
import type { Sql } from './sql.js'

export const query = <Row extends object = Record<string, unknown>>(db: Queryable, statement: Sql) =>
  db.unsafe<Row[]>(statement.text, statement.values as never[], { prepare: true })
