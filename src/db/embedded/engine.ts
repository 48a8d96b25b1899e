/** The embedded database: one session, which no report reads while a load writes. */
import type { Queryable } from '../db.js'
import type { Engine } from '../engine.js'
import { server } from '../server.js'

/** For fewer rows, dropping indexes is not worth it. */
const MANY_ROWS = 1000

export const embedded: Engine = {
  ...server,
  name: 'embedded',
  // A whole report would keep every request waiting for the session.
  computesInBackground: false,
  // The transaction of a load takes the session, which reading needs to stage rows.
  mergesWhileReading: false,
  // The loader has checked every reference already.
  checksForeignKeys: false,
  insertMany(tx, rows, insert, indexed) {
    if (rows <= MANY_ROWS) return insert()
    return withoutForeignKeys(tx, () => (indexed === undefined ? insert() : withoutIndexes(tx, indexed, rows, insert)))
  },
  derive: (tx, tables, rows, work) =>
    tables.reduce((inner, table) => () => withoutIndexes(tx, table, rows, inner), work)(),
}

async function withoutForeignKeys<T>(tx: Queryable, work: () => Promise<T>): Promise<T> {
  await tx`set local session_replication_role = replica`
  const result = await work() // if it fails, the savepoint or the transaction resets the setting
  await tx`set local session_replication_role = origin`
  return result
}

/**
 * Drops the indexes of a table, runs `work` and creates them again, if `work` brings more than twice the rows that the table
 * has. An empty table is not logged either. No foreign key may refer to the table.
 */
async function withoutIndexes<T>(tx: Queryable, table: string, rows: number, work: () => Promise<T>): Promise<T> {
  const [stored] = await tx<
    { rows: number }[]
  >`select reltuples::float8 as rows from pg_class where oid = ${table}::regclass`
  // Twice, because some of the rows may be stored already.
  if (rows <= Math.max(MANY_ROWS, 2 * (stored?.rows ?? 0))) return await work()
  const indexes = await tx<{ name: string; constraint: string | null; definition: string }[]>`
    select i.indexrelid::regclass::text as name, quote_ident(c.conname) as constraint,
           coalesce(pg_get_constraintdef(c.oid), pg_get_indexdef(i.indexrelid)) as definition
      from pg_index i left join pg_constraint c on c.conindid = i.indexrelid and c.contype in ('p', 'u')
     where i.indrelid = ${table}::regclass order by i.indexrelid`
  for (const { name, constraint } of indexes)
    await tx.unsafe(constraint === null ? `drop index ${name}` : `alter table ${table} drop constraint ${constraint}`)
  // PostgreSQL does not log rows in a file that is new in the transaction: it completes the file before it commits.
  const [any] = await tx.unsafe(`select from ${table} limit 1`)
  if (any === undefined) await tx.unsafe(`truncate ${table}`)
  const result = await work()
  for (const { constraint, definition } of indexes)
    await tx.unsafe(
      constraint === null ? definition : `alter table ${table} add constraint ${constraint} ${definition}`,
    )
  return result
}
