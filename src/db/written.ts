/** Names the tables that a transaction has written, from PostgreSQL's own counts of rows. */
import type { Queryable } from './db.js'

/**
 * To be called when the transaction begins; the returned function names the tables written since. It may name a table
 * whose rows a savepoint undid, and resolves to null if the server does not count (`track_counts`). `truncate` is not counted.
 */
export async function watchWrites(tx: Queryable): Promise<() => Promise<readonly string[] | null>> {
  // The counts belong to the session, not to the transaction: PostgreSQL reports them at most once a second.
  const before = await countsOf(tx)
  return async () => {
    const [counting] = await tx`select where current_setting('track_counts')::boolean`
    if (counting === undefined) return null
    const written: string[] = []
    for (const [table, rows] of await countsOf(tx)) if (rows !== (before.get(table) ?? 0)) written.push(table)
    return written
  }
}

async function countsOf(tx: Queryable): Promise<Map<string, number>> {
  const counts = await tx<{ table: string; rows: number }[]>`
    select relname::text as table, (n_tup_ins + n_tup_upd + n_tup_del)::float8 as rows
      from pg_stat_xact_user_tables where schemaname = current_schema()`
  return new Map(counts.map(({ table, rows }) => [table, rows]))
}
