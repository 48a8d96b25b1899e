/** Inserts rows in bulk by one statement; works the same through the embedded engine's socket and on a server. */
import type { Queryable } from './db.js'
import { identifier } from './sql.js'

const ROWS_AT_A_TIME = 5000

/** All rows must have the members of the first; a member without a column in the table is an error. */
export async function insertRows(db: Queryable, table: string, rows: readonly object[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).map((name) => identifier(name).text)
  const into = table
    .split('.')
    .map((part) => identifier(part).text)
    .join('.')
  for (let at = 0; at < rows.length; at += ROWS_AT_A_TIME) {
    await db.unsafe(
      `insert into ${into} (${columns}) select ${columns} from json_populate_recordset(null::${into}, $1::text::json)`,
      [JSON.stringify(rows.slice(at, at + ROWS_AT_A_TIME))],
    )
  }
}
