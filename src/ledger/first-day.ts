/** Where the ledger begins if years are archived: the first day from which on it has every movement (docs/decisions/0033). */
import type { Queryable } from '../db/connect.js'
import { raw, sql } from '../db/sql.js'

/** As YYYY-MM-DD; undefined if no year is archived. */
export async function ledgerBegins(db: Queryable): Promise<string | undefined> {
  const [row] = await db<{ day: string | null }[]>`select ledger_begins::text as day from data_version`
  return row?.day ?? undefined
}

/** As a date to compare with: before all days if no year is archived. */
export const firstDay = raw(`coalesce((select ledger_begins from data_version), '-infinity')`)

/** Rows that stand for archived movements have numbers that begin with this. */
export const ARCHIVED = 'ARCHIVED/'

/** Whether the movement `m` stands for archived ones. */
export const standsForArchived = sql`(m.movement_date < ${firstDay} and m.movement_no like ${raw(`'${ARCHIVED}%'`)})`

/** Batches of which the ledger has only rows that stand for archived movements. Without an archived year, nothing is read. */
export const archivedBatches = sql`
  select distinct m.item_id, m.batch_no from stock_movement m
   where (select ledger_begins from data_version) is not null and m.batch_no is not null and ${standsForArchived}`
