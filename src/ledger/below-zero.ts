/** Finds stock and held stock below zero, and stock of which more is held than there is. */
import { raw, type Sql, sql } from '../db/sql.js'
import { signed } from './figures.js'

/** Movements of the items `x` since their last closing before a day, with the stock at this closing; without a day, all movements. */
const movedOf = (x: Sql, since: Sql | undefined): Sql => {
  const of = (day: string) =>
    sql`m.item_id, m.warehouse_id, m.${raw(day)}, ${signed('stock', 'qty')} as stock, ${signed('held', 'qty')} as held`
  if (since === undefined) return sql`select ${of('movement_date as day')} from stock_movement m`
  const closed = sql`(select x.item_id, (select max(c.day) from stock_closing c
                                          where c.item_id = x.item_id and c.day <= ${since}) as day from ${x} x offset 0)`
  // Item by item (offset 0): for one month, the planner would read the whole ledger.
  return sql`
    select ${of('movement_date as day')} from ${closed} x
     cross join lateral (select * from stock_movement m
                          where m.item_id = x.item_id and m.movement_date >= coalesce(x.day, '-infinity') offset 0) m
    union all
    select ${of('day - 1')} from ${closed} x join stock_closing m on m.item_id = x.item_id and m.day = x.day`
}

/**
 * One text per item and warehouse with stock or held stock below zero at the end of a day, or with more held than in stock
 * after the last day. The movements of a day are peers of the window, so each row has the balance at the end of its day;
 * adding them up first is slower (docs/decisions/0008). Without the day `since`, `x` has to be all items.
 */
export const belowZero = (x: Sql, since?: Sql): Sql => sql`
  select case p.what
           when 1 then 'stock of ' || i.sku || ' in ' || w.location || ' is ' || p.stock || ' on ' || p.day
           when 2 then 'held stock of ' || i.sku || ' in ' || w.location || ' is ' || p.held || ' on ' || p.day
           else p.held || ' of ' || i.sku || ' in ' || w.location || ' is held at the end, but only ' || p.stock || ' is in stock'
         end
    from (select distinct on (b.item_id, b.warehouse_id, v.what) b.*, v.what
            from (select item_id, warehouse_id, day, sum(stock) over cell as stock, sum(held) over cell as held,
                         lead(day) over cell as next
                    from (${movedOf(x, since)}) moved
                  window cell as (partition by item_id, warehouse_id order by day)) b
           cross join lateral (values (1, b.stock < 0), (2, b.held < 0),
                                      (3, b.next is null and b.held > greatest(b.stock, 0))) v(what, holds)
           where (b.stock < 0 or b.held < 0 or b.next is null and b.held > 0) and v.holds
             ${since ? sql`and b.day >= ${since}` : raw('')}
           order by b.item_id, b.warehouse_id, v.what, b.day) p
    join item i on i.id = p.item_id join warehouse w on w.id = p.warehouse_id
   order by p.what, i.sku, w.location`
