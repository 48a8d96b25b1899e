/** Usable stock: the stock that is neither on hold nor in an expired batch. */
import { raw, type Sql, sql } from '../../db/sql.js'
import { batchesUpTo, movementsUpTo } from '../../ledger/condensed.js'
import { inStock, moves, onHold, signed } from '../../ledger/figures.js'

const always = raw('true')

/**
 * The stock and the usable stock of each item over all warehouses at the end of a day. Of a batch that expired before the day
 * nothing is usable: its stock that is not on hold is taken off. Either may be negative. Few movements are holds, and many batches have
 * expired: all holds are added up once.
 */
export const usableStock = (day: Sql): Sql => sql`
  select s.item_id, s.stock_qty, s.stock_qty - s.held_qty - coalesce(e.qty, 0) as usable_qty
    from (select m.item_id, ${inStock('qty', always)} as stock_qty, ${onHold('qty', always)} as held_qty
            from ${movementsUpTo(sql`select id from stocked_item`, day)} m group by m.item_id) s
    left join (select e.item_id, sum(e.qty) as qty
                 from (select b.item_id, b.received - b.debited as qty
                         from ${batchesUpTo(expiredItems(day), day)} b
                         join ${expired(day)} x on x.item_id = b.item_id and x.batch_no = b.batch_no
                       union all
                       select h.item_id, -h.qty
                         from (select m.item_id, m.batch_no, sum(${signed('held', 'qty')}) as qty
                                 from stock_movement m where ${moves('held')} and m.movement_date <= ${day} group by 1, 2) h
                         join ${expired(day)} x on x.item_id = h.item_id and x.batch_no = h.batch_no) e
                group by e.item_id) e on e.item_id = s.item_id`

const expired = (day: Sql): Sql => sql`(select item_id, batch_no from batch where expiry_date < ${day})`
const expiredItems = (day: Sql): Sql => sql`select item_id from batch where expiry_date < ${day} group by item_id`
