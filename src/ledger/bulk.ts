/** What writing many rows needs besides the rows: speed on the embedded engine, and statistics for the planner. */
import type { Database, Queryable } from '../db/connect.js'

/** Fewer rows are not worth any preparation. */
const MANY_ROWS = 1000

/**
 * Runs a statement that inserts rows. On the embedded engine it inserts many rows without foreign key triggers, because the
 * loader has checked every reference already, and into `indexed`, if given, without its indexes. A server keeps both:
 * dropping an index locks readers out, and disabling triggers needs rights that a loader should not have.
 */
export function insertMany<T>(
  tx: Queryable,
  engine: Database['engine'],
  rows: number,
  insert: () => Promise<T>,
  indexed?: string,
): Promise<T> {
  if (engine === 'server' || rows <= MANY_ROWS) return insert()
  return withoutForeignKeys(tx, () => (indexed === undefined ? insert() : withoutIndexes(tx, indexed, rows, insert)))
}

async function withoutForeignKeys<T>(tx: Queryable, work: () => Promise<T>): Promise<T> {
  await tx`set local session_replication_role = replica`
  const result = await work() // if it fails, the savepoint or the transaction resets the setting
  await tx`set local session_replication_role = origin`
  return result
}

/**
 * Embedded engine only, where no one reads during a merge: drops the indexes of a table, runs `work` and creates them again,
 * if `work` brings more than twice the rows that the table has. An empty table is not logged either. No foreign key may refer
 * to the table.
 */
export async function withoutIndexes<T>(
  tx: Queryable,
  table: string,
  rows: number,
  work: () => Promise<T>,
): Promise<T> {
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

/** Statistics of some columns of a table, for the rest of the load and for the reports after it. */
export const analyze = (tx: Queryable, table: string, columns: readonly string[]) =>
  tx`select analyze_table(${table}, ${columns.join(',')})`

/** Analyzes a staging table with a tenth of the usual sample: the planner needs little more than its size. */
export const analyzeRoughly = (table: string): string =>
  `set local default_statistics_target = 10; analyze ${table}; set local default_statistics_target to default`
