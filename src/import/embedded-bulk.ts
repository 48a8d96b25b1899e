/**
 * What makes a merge fast on the embedded engine, where every statement waits for the one before it and so nobody reads
 * during a load anyway. On a server the same would lock readers out, or needs rights that a loader should not have.
 */
import type { Queryable } from '../db/connect.js'

/** Without foreign key triggers: every reference has been looked at already, set by set. */
export async function withoutForeignKeys<T>(tx: Queryable, work: () => Promise<T>): Promise<T> {
  await tx`set local session_replication_role = replica`
  const result = await work() // where it fails, the setting goes with the savepoint or the transaction
  await tx`set local session_replication_role = origin`
  return result
}

/**
 * Inserts without indexes, and makes them again, where far more rows come than there are; where there are none, without a
 * log as well. The table must not be referred to by a foreign key.
 */
export async function withoutIndexes<T>(
  tx: Queryable,
  table: string,
  rows: number,
  work: () => Promise<T>,
): Promise<T> {
  const [there] = await tx`select reltuples::float8 as rows from pg_class where oid = ${table}::regclass`
  // Far more, since rows that are there already may be among them.
  if (rows <= Math.max(1000, 2 * (there?.rows ?? 0))) return await work()
  const indexes = await tx<{ name: string; constraint: string | null; definition: string }[]>`
    select i.indexrelid::regclass::text as name, quote_ident(c.conname) as constraint,
           coalesce(pg_get_constraintdef(c.oid), pg_get_indexdef(i.indexrelid)) as definition
      from pg_index i left join pg_constraint c on c.conindid = i.indexrelid and c.contype in ('p', 'u')
     where i.indrelid = ${table}::regclass order by i.indexrelid`
  for (const { name, constraint } of indexes)
    await tx.unsafe(constraint === null ? `drop index ${name}` : `alter table ${table} drop constraint ${constraint}`)
  // What goes into a file that is new in the transaction is not logged: the file is complete before the commit is.
  const [any] = await tx.unsafe(`select from ${table} limit 1`)
  if (any === undefined) await tx.unsafe(`truncate ${table}`)
  const result = await work()
  for (const { constraint, definition } of indexes)
    await tx.unsafe(
      constraint === null ? definition : `alter table ${table} add constraint ${constraint} ${definition}`,
    )
  return result
}
