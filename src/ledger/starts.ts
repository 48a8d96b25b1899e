/** The month in which each item first moved in each warehouse: stock reports show it from then on, even without stock. */
import type { Queryable } from '../db/connect.js'
import { query } from '../db/query.js'
import { raw, type Sql, sql } from '../db/sql.js'

/** From rows `m` of `stock_month`. */
const firstOf = (rows: Sql): Sql =>
  sql`select m.item_id, m.warehouse_id, min(m.month) as month from ${rows} group by 1, 2`

/** The first months of all items. */
export const starts: Sql = firstOf(raw('stock_month m'))

/** To be called after `stock_month` was updated for the items and months of the table `touched`. */
export async function updateStarts(tx: Queryable, touched: Sql): Promise<void> {
  // A touched first month may have lost its movements: only for these items the later months are read.
  const gone = await query<{ item_id: number }>(
    tx,
    sql`delete from stock_start s using ${touched} t where t.item_id = s.item_id and t.month = s.month
        returning s.item_id`,
  )
  await query(
    tx,
    sql`insert into stock_start ${firstOf(sql`
          (select m.* from stock_month m join ${touched} t on t.item_id = m.item_id and t.month = m.month
           union all
           select m.* from stock_month m
            where m.item_id in (select unnest(${`{${gone.map((row) => row.item_id)}}`}::int[]))) m`)}
        on conflict (item_id, warehouse_id) do update set month = least(stock_start.month, excluded.month)`,
  )
}
