/** The days at which the ledger closes an item: the same rule for stock and for batches. */
import { raw, type Sql, sql } from '../db/sql.js'

/** A closing needs this many movements since the closing before, per balance that it stores. */
const MOVEMENTS_PER_BALANCE = raw('3')

/** The first day of a day's month. Without the cast, PostgreSQL would convert through the time zone, which is slow. */
export const monthOf = (day: string): Sql => raw(`date_trunc('month', (${day})::timestamp)::date`)

/**
 * The ledger's movements `m`: all of them, or the movements since the closings `since`, item by item (offset 0). Group them by
 * `of_item`: for `item_id` the planner would expect as many groups as one item has rows.
 */
export const movementsSince = (since: Sql | undefined): Sql =>
  since === undefined
    ? raw('(select *, item_id as of_item from stock_movement) m')
    : sql`(select s.item_id as of_item, m.* from ${since} s cross join lateral (
            select * from stock_movement m
             where m.item_id = s.item_id and m.movement_date >= coalesce(s.day, '-infinity') offset 0) m) m`

/**
 * The months of an item that end with a closing, as common table expressions. `events` has, by item and month, the day of the
 * last movement, the number of movements, and the number of added balances; a row without a movement is the month of a stored
 * closing. `at` numbers the closings of an item from 0; a month has the number of the closing that includes it, and `closings`
 * is the number of closings.
 *
 * `closing` has the new closings. Their day is the day after the last movement, so that a report as of today also finds this
 * month's closing.
 */
export const periods = (events: Sql): Sql => sql`
  period as materialized (
    select item_id, month, last, closed, count(*) filter (where closed) over (partition by item_id) as closings,
           count(*) filter (where closed) over (partition by item_id order by month) - closed::int as at
      from (select item_id, month, last,
                   since_closing(moved, ${MOVEMENTS_PER_BALANCE} * balances) over (partition by item_id order by month) = 0
                     as closed
              from (select item_id, month, max(last) as last, sum(moved)::int as moved,
                           sum(sum(more)) over (partition by item_id order by month)::int as balances
                      from (${events}) e(item_id, month, last, moved, more)
                     group by 1, 2) p) p),
  closing as (
    select p.item_id, p.at, p.last + 1 as day from period p
     where p.closed and p.last is not null)`

/** The number of the first closing at which a balance `b` no longer holds; it holds from `p.at` on. */
export const until = (key: string): Sql =>
  raw(`coalesce(lead(p.at) over (partition by b.item_id, b.${key} order by b.month), p.closings) as until`)
