/** Converts movements, and notes the stored ones that change although the load does not bring them: a unit of their item changed. */
import type { Queryable } from '../../db/connect.js'
import { query } from '../../db/query.js'
import { raw, type Sql, sql } from '../../db/sql.js'
import { monthOf } from '../../ledger/periods.js'
import { createTouchedMonths, touchedMonths } from '../../ledger/write.js'
import { changedRows, type Loading, stagedRows } from '../checks.js'

const LEDGER = 'stock_movements'

/** The columns of the ledger that lead to the batches and documents of a movement. */
const DEPENDENT = raw('kind, item_id, batch_no, order_no, order_line_no, for_item_id, for_batch_no, po_no, grn_no')

/**
 * Runs the `update` that converts movements `t`. Resolves to the number of changed movements that the load does not bring; their
 * months, batches and documents count as touched by it.
 */
export async function convertMovements(tx: Queryable, update: Sql, { loaded, first }: Loading): Promise<number> {
  if (first) {
    await query(tx, update)
    return 0
  }
  if (!loaded.has(LEDGER)) await createEmpty(tx)
  const [others] = await query<{ n: number }>(
    tx,
    sql`with converted as (${update} returning t.*),
             others as materialized (
               select * from converted c
                where not exists (select from ${stagedRows(LEDGER)} s where s.movement_no = c.movement_no)),
             months as (insert into ${touchedMonths} select distinct item_id, ${monthOf('movement_date')} from others),
             documents as (insert into ${changedRows(LEDGER)} (${DEPENDENT}) select ${DEPENDENT} from others)
        select count(*)::int as n from others`,
  )
  return others?.n ?? 0
}

/** The tables in which a load of movements notes its rows, for a load without movements. */
async function createEmpty(tx: Queryable): Promise<void> {
  await createTouchedMonths(tx)
  const none = raw('from stock_movement t where false')
  await query(
    tx,
    sql`create unlogged table ${stagedRows(LEDGER)} as select null::bigint as line, t.*, null as sku, null as for_sku ${none}`,
  )
  await query(
    tx,
    sql`create unlogged table ${changedRows(LEDGER)} as select null::bigint as line, ${DEPENDENT} ${none}`,
  )
}
