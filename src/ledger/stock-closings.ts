/** The stock of an item at its closings, in every warehouse in which it ever moved, and the flows between two closings. */
import { join, raw, type Sql, sql } from '../db/sql.js'
import { change, type Measure, moves } from './figures.js'
import { monthOf, movementsSince, periods, until } from './periods.js'

const measures = (column: (name: Sql, measure: Measure) => Sql): Sql =>
  join(
    (['qty', 'val', 'val_tax'] as const).map((measure) => sql`${column(raw(measure), measure)} as ${raw(measure)}`),
    ', ',
  )

const stored = (since: Sql): Sql => sql`
  union all
  select c.item_id, ${monthOf('c.day - 1')}, c.warehouse_id, c.kind, c.qty, c.val, c.val_tax
    from ${since} s join stock_closing c on c.item_id = s.item_id and c.day = s.day`

/** See `Closings.derive`. Stock is stored as a balance of receipts, held stock as a balance of holds. */
const derive = (since?: Sql): Sql => sql`
  moved as materialized (
    select m.of_item as item_id, ${monthOf('m.movement_date')} as month, m.warehouse_id, m.kind, max(m.movement_date) as last,
           count(*)::int as movements,
           ${measures((name) => sql`sum_of_few(m.${name})`)},
           coalesce(sum_of_few(m.transfer_charge) filter (where m.kind in ('transfer_in', 'transfer_out')), 0.0000)
             as transfer_charge
      from ${movementsSince(since)} group by 1, 2, 3, 4),
  balance as materialized (
    select item_id, month, warehouse_id, kind, ${measures((name) => sql`sum(${name}) over cell`)},
           lag(month) over cell is null as first
      from (select m.item_id, m.month, m.warehouse_id,
                   case when ${moves('stock')} then 'other_receipt'::movement_kind else 'hold' end as kind,
                   ${measures((_, measure) => sql`sum_of_few(${change(measure)})`)}
              from moved m group by 1, 2, 3, 4
            ${since === undefined ? raw('') : stored(since)}) b
    window cell as (partition by item_id, warehouse_id, kind order by month)),
  ${periods(
    sql`select item_id, month, last, movements, 0 from moved
        union all select item_id, month, null, 0, 1 from balance where first`,
  )}`

export const stockClosings = {
  derive,
  tables: {
    stock_closing: sql`
      select b.item_id, c.day, b.warehouse_id, b.kind, b.qty, b.val, b.val_tax
        from (select b.*, generate_series(b.from, b.until - 1) as at
                from (select b.*, p.at as from, ${until('warehouse_id, b.kind')}
                        from balance b join period p using (item_id, month)) b) b
        join closing c on c.item_id = b.item_id and c.at = b.at`,
    stock_flow: sql`
      select m.item_id, c.day, m.warehouse_id, m.kind, ${measures((name) => sql`sum_of_few(m.${name})`)},
             sum_of_few(m.transfer_charge) as transfer_charge
        from moved m join period p using (item_id, month) join closing c on c.item_id = p.item_id and c.at = p.at
       group by 1, 2, 3, 4`,
  },
}
