/**
 * The ledger condensed: a few rows that add up to the same figures as all movements up to a day, whatever the length of the
 * history. They are balances at a month's end, sums of whole months, and the movements between a day and the nearest month's
 * end.
 *
 * `offset 0` makes the planner read and add up item by item: for a few days it would read the whole ledger, and one large
 * sum by kind is slower than many small ones (docs/decisions/0015).
 */
import { join, raw, type Sql, sql } from '../db/sql.js'

/** The first day of the month that begins nearest to a day, before or after it. */
const nearestMonth = (day: Sql): Sql => sql`date_trunc('month', ${day} + interval '15 days')::date`

/** The last month before a month that has closings: after the last month of the ledger, balances stay the same. */
const lastClosed = (month: Sql): Sql =>
  sql`least((${month} - interval '1 month')::date, (select max(month) from stock_month))`

const sums = raw(`sum(m.qty) as qty, sum(m.val) as val, sum(m.val_tax) as val_tax,
                  sum(m.transfer_charge) as transfer_charge`)

/** Stock and held stock at the beginning of a month, as receipts and holds on a day. */
const balances = (items: Sql, month: Sql, day: Sql): Sql => sql`
    select c.item_id, c.warehouse_id, k.kind, ${day} as movement_date, k.qty, k.val, k.val_tax, 0 as transfer_charge
      from stock_closing c
     cross join lateral (values ('other_receipt'::movement_kind, c.qty, c.val, c.val_tax),
                                ('hold', c.held_qty, c.held_val, c.held_val_tax)) k(kind, qty, val, val_tax)
     where c.month = ${lastClosed(month)} and c.item_id in (${items})
       and (k.qty <> 0 or k.val <> 0 or k.val_tax <> 0)`

/** Sums of the months from `from` to before `to`, as movements on a day. */
const months = (items: Sql, from: Sql, to: Sql, day: Sql): Sql => sql`
    select i.id, m.warehouse_id, m.kind, ${day}, m.qty, m.val, m.val_tax, m.transfer_charge
      from (${items}) i(id)
     cross join lateral (select m.warehouse_id, m.kind, ${sums} from stock_month m
                          where m.item_id = i.id and m.month >= ${from} and m.month < ${to}
                          group by 1, 2 offset 0) m`

/** Movements of the item `i` between a day and the nearest beginning of a month, by the columns `by`. */
const movedNear = (day: Sql, by: Sql): Sql => sql`
    select ${by}, m.kind, ${sums} from stock_movement m
     where m.item_id = i.id and m.movement_date >= least(${day}, ${nearestMonth(day)})
       and m.movement_date < greatest(${day}, ${nearestMonth(day)})
     group by 1, 2 offset 0`

/** Their sign: added if the month begins before the day, subtracted if after it. */
const signNear = (day: Sql): Sql => sql`case when ${nearestMonth(day)} < ${day} then 1 else -1 end`

/** The same as movements on other days, each with a sign. */
const edge = (items: Sql, day: Sql, counted: readonly (readonly [on: Sql, sign: '+' | '-'])[]): Sql => sql`
    select i.id, m.warehouse_id, m.kind, n.day, n.sign * m.qty, n.sign * m.val, n.sign * m.val_tax,
           n.sign * m.transfer_charge
      from (${items}) i(id)
     cross join lateral (${movedNear(day, raw('m.warehouse_id'))}) m
     cross join (values ${join(
       counted.map(([on, sign]) => sql`(${on}, ${raw(sign)}${signNear(day)})`),
       ', ',
     )}) n(day, sign)`

/** The rows of each item and warehouse that had moved by the end of a day; one without figures where nothing is left. */
const ofThoseMoved = (items: Sql, rows: readonly Sql[], day: Sql): Sql => sql`
  (select s.item_id, s.warehouse_id, m.kind, m.movement_date, m.qty, m.val, m.val_tax, m.transfer_charge
     from stock_start s
     left join (${join(rows, ' union all ')}) m on m.item_id = s.item_id and m.warehouse_id = s.warehouse_id
    where s.item_id in (${items}) and s.month <= ${day}
      and (s.month < date_trunc('month', ${day}::timestamp)::date
           or exists (select from stock_movement f
                       where f.item_id = s.item_id and f.warehouse_id = s.warehouse_id
                         and f.movement_date >= s.month and f.movement_date <= ${day})))`

/** Movements of `items`, a query of their ids, up to the end of a day: correct for stock and held stock. */
export const movementsUpTo = (items: Sql, day: Sql): Sql => {
  const end = sql`(${day} + 1)`
  return ofThoseMoved(items, [balances(items, nearestMonth(end), day), edge(items, end, [[day, '+']])], day)
}

/**
 * Movements of `items`, a query of their ids, up to the end of the day `to`: from the day `from` on correct for every figure,
 * before it for stock and held stock.
 */
export const movementsBetween = (items: Sql, from: Sql, to: Sql): Sql => {
  const before = sql`(${from} - 1)`
  const end = sql`(${to} + 1)`
  const rows = [
    balances(items, nearestMonth(from), before),
    edge(items, from, [
      [before, '+'],
      [from, '-'],
    ]),
    months(items, nearestMonth(from), nearestMonth(end), from),
    edge(items, end, [[from, '+']]),
  ]
  return ofThoseMoved(items, rows, to)
}

/**
 * Quantities by batch of `items`, a query of their ids, up to the end of a day, over all warehouses: total receipts and debits
 * of each batch that was in stock at the nearest month's end or has moved since.
 */
export const batchMovementsUpTo = (items: Sql, day: Sql): Sql => {
  const end = sql`(${day} + 1)`
  const month = nearestMonth(end)
  return sql`
  (with near as materialized (
     select i.id as item_id, m.batch_no, m.kind, ${signNear(end)} * m.qty as qty
       from (${items}) i(id)
      cross join lateral (${movedNear(end, raw(`coalesce(m.batch_no, '') as batch_no`))}) m)
   select * from near
   union all
   select b.item_id, b.batch_no, k.kind, k.qty
     from (select c.item_id, c.batch_no from stock_closing c
            where c.month = ${lastClosed(month)} and c.item_id in (${items})
           union select item_id, batch_no from near) b
    cross join lateral (select f.received, f.debited from batch_flow f
                         where f.item_id = b.item_id and f.batch_no = b.batch_no and f.month < ${month}
                         order by f.month desc limit 1) f
    cross join lateral (values ('other_receipt'::movement_kind, f.received), ('trash', f.debited)) k(kind, qty))`
}
