/** The figures with which a period is reported, of any number of periods in one statement. */
import { join, raw, type Sql, sql } from '../db/sql.js'
import { inStock } from './figures.js'
import { soldBy } from './margin.js'

export const PERIOD_FIGURES = ['stock_value', 'sales', 'margin', 'purchases'] as const
export type PeriodFigure = (typeof PERIOD_FIGURES)[number]

/**
 * The value of the stock at the end of a day, without tax, as inventory.stock-value has it. For many days, one pass over the ledger is
 * faster than closings, and a report as known has no closings.
 */
const stockValue = sql`(select coalesce(sum(s.value), 0) from day_stock s where s.day <= p.last_day)::numeric(30, 4)`

/** Invoices less credit notes, before tax, without cancelled ones, as sales.invoices adds them up. */
const sales = sql`(
  select coalesce(sum(n.sub_total), 0) from invoice n
   where n.invoice_at >= p.first_day and n.invoice_at < p.last_day + interval '1 day' and n.status <> 'Cancelled')::numeric(30, 2)`

/** The profit of sales.margin-by-day, by invoices. */
const margin = sql`(
  select coalesce(sum(s.profit), 0) from day_profit s where s.day between p.first_day and p.last_day)::numeric(30, 4)`

/** Accepted receipts before tax, as grn.list adds them up. */
const purchases = sql`(
  select coalesce(sum(l.taxable_amt), 0) from goods_receipt r
    join goods_receipt_line l on l.po_no = r.po_no and l.grn_no = r.grn_no
   where r.receipt_date between p.first_day and p.last_day)::numeric(30, 2)`

const expressions: Readonly<Record<PeriodFigure, Sql>> = { stock_value: stockValue, sales, margin, purchases }

const sold = soldBy(
  {
    ...{ tax: false, source: 'INV' },
    from_date: raw('(select min(first_day) from period)'),
    to_date: raw('(select max(last_day) from period)'),
  },
  ['day'],
)

/** The closed periods as `c`, with their figures as they are as `f`. */
export const closedWithFigures = sql`
  closed_period c
  cross join lateral (select * from closed_figure f where f.closing = c.id order by f.version desc limit 1) f`

/** The rows of `periods`, which have at least first_day and last_day, with these figures; other figures cost nothing. */
export const withFigures = (periods: Sql, figures: readonly PeriodFigure[] = PERIOD_FIGURES): Sql => sql`
  with period as materialized (${periods}),
  day_stock as materialized (
    select m.movement_date as day, ${inStock('val', raw('true'))} as value
      from stock_movement m where m.movement_date <= (select max(last_day) from period) group by 1),
  day_profit as materialized (select s.day, s.sale - s.credited - s.cost as profit from (${sold}) s)
  select p.*, ${join(
    figures.map((name) => sql`${expressions[name]} as ${raw(name)}`),
    ', ',
  )} from period p`
