/** Total receipts and debits of a batch, at each closing at which it is in stock or has moved since the closing before. */
import { raw, type Sql, sql } from '../db/sql.js'
import { flow } from './figures.js'
import { monthOf, movementsSince, periods, until } from './periods.js'

const always = raw('true')

/** The totals at the closings `since` of the batches that are in stock or move later. */
const stored = (since: Sql): Sql => sql`
  union all
  select b.item_id, b.batch_no, ${monthOf('s.day - 1')}, null, 0, c.received, c.debited
    from (select c.item_id, c.batch_no from ${since} s join batch_closing c on c.item_id = s.item_id and c.day = s.day
          union select item_id, batch_no from moved) b
    join ${since} s on s.item_id = b.item_id
   cross join lateral (select c.received, c.debited from batch_closing c
                        where c.item_id = b.item_id and c.batch_no = b.batch_no and c.day <= s.day
                        order by c.day desc limit 1) c`

/** See `Closings.derive`. */
const derive = (since?: Sql): Sql => sql`
  moved as (
    select m.of_item as item_id, coalesce(m.batch_no, '') as batch_no, ${monthOf('m.movement_date')} as month,
           max(m.movement_date) as last, count(*)::int as movements, ${flow('in', 'qty', always)} as received,
           ${flow('out', 'qty', always)} as debited
      from ${movementsSince(since)} group by 1, 2, 3),
  balance as materialized (
    select *, (received <> debited)::int - coalesce((lag(received) over batch <> lag(debited) over batch)::int, 0) as more
      from (select item_id, batch_no, month, last, movements, sum(received) over batch as received,
                   sum(debited) over batch as debited
              from (select * from moved ${since === undefined ? raw('') : stored(since)}) b
            window batch as (partition by item_id, batch_no order by month)) b
    window batch as (partition by item_id, batch_no order by month)),
  ${periods(raw('select item_id, month, last, movements, more from balance'))}`

export const batchClosings = {
  derive,
  tables: {
    batch_closing: sql`
      select b.item_id, b.batch_no, c.day, b.received, b.debited
        from (select b.*, generate_series(b.from, case when b.received = b.debited then least(b.from, b.until - 1)
                                                       else b.until - 1 end) as at
                from (select b.*, p.at as from, ${until('batch_no')} from balance b join period p using (item_id, month)) b) b
        join closing c on c.item_id = b.item_id and c.at = b.at`,
  },
}
