/** At which days the items of the ledger are closed: the same rule for stock and for batches. */
import { raw, type Sql, sql } from '../db/sql.js'

/** A closing needs this many movements, since the one before, for each balance that it has to carry. */
const MOVEMENTS_PER_BALANCE = raw('3')

/** The first day after a day's month. The cast avoids the time zone, which is slow. */
export const closingAfter = (day: string): Sql =>
  raw(`(date_trunc('month', ${day}::timestamp) + interval '1 month')::date`)

/** The ledger's movements `m`: all of them, or, item by item (offset 0), those since the closings `since`. */
export const movementsSince = (since: Sql | undefined): Sql =>
  since === undefined
    ? raw('stock_movement m')
    : sql`${since} s cross join lateral (
            select * from stock_movement m
             where m.item_id = s.item_id and m.movement_date >= coalesce(s.day, '-infinity') offset 0) m`

/**
 * Which months of an item end with a closing, as common table expressions. `events` has, by item and day, the number of
 * movements before that day and how many balances there are more. `at` numbers the closings of an item from 0; a month
 * has the number of the closing that it is part of, and `closings` is the number of all. `closing` has the new closings.
 */
export const periods = (events: Sql, since: Sql | undefined): Sql => sql`
  period as materialized (
    select item_id, day, closed, count(*) filter (where closed) over (partition by item_id) as closings,
           count(*) filter (where closed) over (partition by item_id order by day) - closed::int as at
      from (select item_id, day,
                   since_closing(moved, ${MOVEMENTS_PER_BALANCE} * balances) over (partition by item_id order by day) = 0
                     as closed
              from (select item_id, day, sum(moved)::int as moved,
                           sum(sum(more)) over (partition by item_id order by day)::int as balances
                      from (${events}) e(item_id, day, moved, more)
                     group by 1, 2) p) p),
  closing as (
    select p.item_id, p.at, p.day from period p
     ${since === undefined ? raw('') : sql`join ${since} s on s.item_id = p.item_id and p.day > coalesce(s.day, '-infinity')`}
     where p.closed)`

/** The number of the closing from which on a balance `b` is another; its own is `p.at`. */
export const until = (key: string): Sql =>
  raw(`coalesce(lead(p.at) over (partition by b.item_id, b.${key} order by b.day), p.closings) as until`)
