/**
 * The condensed ledger: a few rows that add up to the same figures as all movements up to a day, for a history of any length.
 * They are an item's stock at its last closing, sums between closings, and the movements since the last closing.
 *
 * Rows are in the order of items and warehouses, because aggregation in a hash table takes longer.
 */
import { raw, type Sql, sql } from '../db/sql.js'
import { flow, inStock, inTransit, passedOver } from './figures.js'

/**
 * Makes the planner run a subquery item by item: otherwise it would read the whole ledger for a few days, and one large sum by
 * kind is slower than many small ones (docs/decisions/0015). It sorts nothing. `offset 0` would do the same, but a shard of a
 * cluster cannot run that for a column of an outer query (docs/decisions/0031).
 */
const apart = raw('order by null::integer')

/** The last closing of the item `i` on or before a day; it includes all movements before its day. */
const lastClosing = (table: string, day: Sql): Sql =>
  sql`coalesce((select max(c.day) from ${raw(table)} c where c.item_id = i.id and c.day <= ${day}), '-infinity')`

const sums = raw(`sum(m.qty) as qty, sum(m.val) as val, sum(m.val_tax) as val_tax,
                  sum(m.transfer_charge) as transfer_charge`)

/** Stock and held stock of the item `i` at a closing, as receipts and holds on a day. */
const balances = (closing: Sql, day: Sql): Sql => sql`
  select c.warehouse_id, c.kind, ${day} as movement_date, c.qty, c.val, c.val_tax, 0 as transfer_charge
    from stock_closing c where c.item_id = i.id and c.day = ${closing}`

/** Sums of the item `i` over all closings after one day and up to another. */
const flows = (from: Sql, to: Sql, day: Sql): Sql => sql`
  select m.warehouse_id, m.kind, ${day}, ${sums} from stock_flow m
   where m.item_id = i.id and m.day > ${from} and m.day <= ${to} group by 1, 2`

/** Movements of the item `i` from a closing to before a day, added up by warehouse. */
const movedSince = (closing: Sql, day: Sql): Sql => sql`
  select m.warehouse_id, m.kind, ${sums} from stock_movement m
   where m.item_id = i.id and m.movement_date >= ${closing} and m.movement_date < ${day} group by 1, 2`

/** Movements of `items`, a query of their ids, up to the end of a day: correct for stock and held stock. */
export const movementsUpTo = (items: Sql, day: Sql): Sql => {
  const end = sql`(${day} + 1)`
  return sql`
  (select i.id as item_id, m.*
     from (select i.id, ${lastClosing('stock_closing', end)} as closed from (${items}) i(id) ${apart}) i
    cross join lateral (select * from (
      ${balances(raw('i.closed'), day)}
      union all
      select m.warehouse_id, m.kind, ${day}, m.qty, m.val, m.val_tax, m.transfer_charge
        from (${movedSince(raw('i.closed'), end)}) m) m ${apart}) m
    order by 1, 2)`
}

/** The same for several days of each item: `items` is a query of ids and days, and each row has its day. */
export const stockOnDays = (items: Sql): Sql => sql`
  (select i.id as item_id, i.day, m.*
     from (select i.id, i.day, ${lastClosing('stock_closing', sql`(i.day + 1)`)} as closed from (${items}) i(id, day) ${apart}) i
    cross join lateral (select * from (
      ${balances(raw('i.closed'), raw('i.day'))}
      union all
      select m.warehouse_id, m.kind, i.day, m.qty, m.val, m.val_tax, m.transfer_charge
        from (${movedSince(raw('i.closed'), sql`(i.day + 1)`)}) m) m ${apart}) m
    order by 1, 2)`

/**
 * Movements of `items`, a query of their ids, up to the end of the day `to`: correct for every figure from the day `from`
 * on, and before it for stock and held stock.
 */
export const movementsBetween = (items: Sql, from: Sql, to: Sql): Sql => {
  const before = sql`(${from} - 1)`
  const end = sql`(${to} + 1)`
  // A closing inside the range also includes movements before the range; they are subtracted.
  return sql`
  (select i.id as item_id, m.*
     from (select i.id, ${lastClosing('stock_closing', from)} as opened,
                  (select max(c.day) from stock_closing c
                    where c.item_id = i.id and c.day > ${from} and c.day <= ${end}) as closed
             from (${items}) i(id) ${apart}) i
    cross join lateral (select * from (
      ${balances(raw('i.opened'), before)}
      union all
      ${flows(from, end, from)}
      union all
      select m.warehouse_id, m.kind, n.day, n.sign * m.qty, n.sign * m.val, n.sign * m.val_tax, n.sign * m.transfer_charge
        from (${movedSince(raw('i.opened'), from)}) m
        join (values (${before}, 1), (${from}, -1)) n(day, sign) on n.sign = 1 or i.closed is not null
      union all
      select m.warehouse_id, m.kind, ${from}, m.qty, m.val, m.val_tax, m.transfer_charge
        from (${movedSince(sql`coalesce(i.closed, ${from})`, end)}) m) m ${apart}) m
    order by 1, 2)`
}

/**
 * Total receipts and debits of each batch of `items`, a query of their ids, up to the end of a day, over all warehouses. Only
 * batches that were in stock at the item's last closing, or moved about then or since.
 */
export const batchesUpTo = (items: Sql, day: Sql): Sql => {
  const end = sql`(${day} + 1)`
  const always = raw('true')
  return sql`
  (select i.id as item_id, b.*
     from (select i.id, ${lastClosing('batch_closing', end)} as closed from (${items}) i(id) ${apart}) i
    cross join lateral (
      select coalesce(c.batch_no, n.batch_no) as batch_no,
             coalesce(n.received, 0) + coalesce(c.received, e.received, 0) as received,
             coalesce(n.debited, 0) + coalesce(c.debited, e.debited, 0) as debited
        from (select c.* from batch_closing c where c.item_id = i.id and c.day = i.closed) c
        full join (select m.item_id, coalesce(m.batch_no, '') as batch_no, ${flow('in', 'qty', always)} as received,
                          ${flow('out', 'qty', always)} as debited
                     from stock_movement m
                    where m.item_id = i.id and m.movement_date >= i.closed and m.movement_date < ${end} group by 1, 2) n
          on n.item_id = c.item_id and n.batch_no = c.batch_no
        left join batch_closing e -- the batch's own last closing, if the item's last closing does not have the batch
          on c.item_id is null and e.item_id = n.item_id and e.batch_no = n.batch_no
         and e.day = (select max(l.day) from batch_closing l
                       where l.item_id = n.item_id and l.batch_no = n.batch_no and l.day <= i.closed) ${apart}) b)`
}

const passed = sql`${passedOver('in')} as came, ${passedOver('out')} as went, ${inStock('qty', raw('true'))} as stock,
                   ${inStock('val', raw('true'))} as value, ${inTransit} as transit`

/**
 * What came into the company and left it by item and day, for the age of the stock of `items`, a query of their ids, at the end of a day. The
 * receipts that are still in stock have their own days; of each item, one row has the sums of all movements before them, if the closings
 * know these sums. The days of its last receipt and of what left last are exact.
 */
export const passedByDay = (items: Sql, day: Sql): Sql => {
  const end = sql`(${day} + 1)`
  const older = (column: string) => raw(`sum(${column}) filter (where until <= since) as ${column}`)
  return sql`
  (select i.item_id, m.*
     from (select item_id, since, ${older('came')}, ${older('went')}, ${older('stock')}, ${older('value')}, ${older('transit')}
             from (select p.*, coalesce(max(begins) filter (where came_since >= there and came_since > 0 and went_since > 0)
                                          over (partition by item_id), '-infinity') as since
                     from (select p.*, sum(came - went) over (partition by item_id) as there, sum(came) over later as came_since,
                                  sum(went) over later as went_since, lead(until) over later as begins
                             from (select i.id as item_id, p.*
                                     from (select i.id, ${lastClosing('stock_closing', end)} as closed from (${items}) i(id) ${apart}) i
                                    cross join lateral (select * from (
                                      select m.day as until, ${passed} from stock_flow m where m.item_id = i.id and m.day <= i.closed group by 1
                                      union all
                                      select 'infinity', ${passed} from stock_movement m
                                       where m.item_id = i.id and m.movement_date >= i.closed and m.movement_date < ${end}) m ${apart}) p) p
                           window later as (partition by item_id order by until desc)) p) p
            group by item_id, since) i
    cross join lateral (select * from (
      select since - 1 as day, came, went, stock, value, transit where since > '-infinity'
      union all
      select m.movement_date, ${passed} from stock_movement m
       where m.item_id = i.item_id and m.movement_date >= i.since and m.movement_date < ${end} group by 1) m ${apart}) m)`
}

/** The same by batch, with the days of all movements: closings have no batches that are gone. */
export const passedByBatchAndDay = (items: Sql, day: Sql): Sql => sql`
  (select m.item_id, m.batch_no, m.movement_date as day, ${passed} from stock_movement m
    where m.movement_date <= ${day} and m.item_id in (${items}) group by 1, 2, 3)`
