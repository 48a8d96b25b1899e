/**
 * Closings: derived from the ledger, updated in the transaction of a load, and verified against the ledger.
 *
 * An item is closed at the end of a month if it has moved often enough since its last closing to be worth the rows
 * (docs/decisions/0018). So closings do not outgrow the ledger on any books, and a report reads the last closing before a day
 * and the few movements since.
 */

import { analyzeRoughly } from '../db/analyze.js'
import type { Queryable } from '../db/connect.js'
import { query } from '../db/query.js'
import { join, raw, type Sql, sql } from '../db/sql.js'
import { batchClosings } from './batch-closings.js'
import { stockClosings } from './stock-closings.js'

/** The tables that are derived from the ledger, with the columns that plans depend on. */
export const derivedTables = {
  stock_closing: ['item_id', 'day', 'warehouse_id'],
  stock_flow: ['item_id', 'day', 'warehouse_id', 'kind'],
  batch_closing: ['item_id', 'day', 'batch_no'],
} as const

interface Closings {
  /**
   * Derives closings as common table expressions: of the whole ledger, or of the items in `since`. This table has, for each
   * item, the day of the closing to continue from, or null to begin with the first movement.
   */
  derive(since?: Sql): Sql
  /** For each table, a query that selects its rows from these expressions. */
  tables: Readonly<Record<string, Sql>>
}

const all: readonly Closings[] = [stockClosings, batchClosings]

/** Inserts the rows that `derive` finds. They are stored by day, because a report reads closings of about the same day. */
const insertion = ({ derive, tables }: Closings, since?: Sql): Sql => {
  const inserts = Object.entries(tables).map(
    ([table, rows]) => sql`insert into ${raw(table)} ${rows} order by day, item_id`,
  )
  const named = inserts.map((insert, i) => sql`${raw(`insert_${i}`)} as (${insert})`)
  return sql`with ${derive(since)}, ${join(named, ', ')} select`
}

/** Updates the closings after movements were written; `touched` has each item and month with a new, removed or changed movement. */
export async function updateClosings(tx: Queryable, touched: Sql): Promise<void> {
  for (const closings of all) {
    const tables = Object.keys(closings.tables)
    const since = raw(`millbook_staging.since_${tables[0]}`)
    await query(
      tx,
      sql`create unlogged table ${since} as
          select t.item_id, (select max(c.day) from ${raw(tables[0] as string)} c
                              where c.item_id = t.item_id and c.day <= t.month) as day
            from (select item_id, min(month) as month from ${touched} group by 1) t`,
    )
    await tx.unsafe(analyzeRoughly(since.text))
    for (const table of tables)
      await query(
        tx,
        sql`delete from ${raw(table)} d using ${since} s where d.item_id = s.item_id and d.day > coalesce(s.day, '-infinity')`,
      )
    await query(tx, insertion(closings, since))
  }
}

/** Deletes all closings and derives them again. */
export async function rebuildClosings(tx: Queryable): Promise<void> {
  for (const closings of all) {
    // TRUNCATE would block readers.
    for (const table of Object.keys(closings.tables)) await tx.unsafe(`delete from ${table}`)
    await query(tx, insertion(closings))
  }
}

/** How many rows of each derived table differ from the ledger. */
export async function checkClosings(db: Queryable): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const { derive, tables } of all)
    for (const [table, rows] of Object.entries(tables)) {
      const [row] = await query<{ n: number }>(
        db,
        sql`with ${derive()}, derived as materialized (${rows})
            select count(*)::int as n from (
              (select * from ${raw(table)} except all select * from derived) union all
              (select * from derived except all select * from ${raw(table)})) d`,
      )
      found[table] = row?.n ?? 0
    }
  return found
}
