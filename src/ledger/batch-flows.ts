/** Running totals of receipts and debits per batch, at the end of each month in which it moved, over all warehouses. */
import type { Queryable } from '../db/connect.js'
import { query } from '../db/query.js'
import { raw, type Sql, sql } from '../db/sql.js'
import { flow } from './figures.js'

const always = raw('true')

/** From rows `m` of `stock_month`; `before` selects one row: the totals of the batch of a row `n` before all of them. */
const sumsOf = (rows: Sql, before: Sql): Sql => sql`
  select n.item_id, n.batch_no, n.month,
         b.received + sum(n.received) over batch as received, b.debited + sum(n.debited) over batch as debited
    from (select m.item_id, m.batch_no, m.month, ${flow('in', 'qty', always)} as received,
                 ${flow('out', 'qty', always)} as debited
            from ${rows} group by 1, 2, 3) n
   cross join lateral (${before}) b
  window batch as (partition by n.item_id, n.batch_no order by n.month)`

/** The totals of all batches. */
export const batchFlows: Sql = sumsOf(raw('stock_month m'), raw('select 0 as received, 0 as debited'))

/** To be called after `stock_month` was updated; `from` has each touched item with its first touched month. */
export async function updateBatchFlows(tx: Queryable, from: Sql): Promise<void> {
  await query(tx, sql`delete from batch_flow b using ${from} f where b.item_id = f.item_id and b.month >= f.month`)
  await query(
    tx,
    sql`insert into batch_flow ${sumsOf(
      sql`stock_month m join ${from} f on f.item_id = m.item_id and m.month >= f.month`,
      // The totals only grow, so the largest is the last.
      sql`select coalesce(max(f.received), 0) as received, coalesce(max(f.debited), 0) as debited
            from batch_flow f where f.item_id = n.item_id and f.batch_no = n.batch_no`,
    )}`,
  )
}
