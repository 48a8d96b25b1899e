/** The figures with which a period is reported, of any number of periods in one statement. */
import type { Queryable } from '../db/connect.js'
import { query } from '../db/query.js'
import { identifier, join, raw, type Sql, sql } from '../db/sql.js'
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

/** Periods with id, period, first_day and last_day, and with these figures, as rows. */
export const periodRows = (periods: readonly object[], figures: readonly PeriodFigure[]): Sql => sql`
  select * from json_to_recordset(${JSON.stringify(periods)}::text::json)
    as r(id integer, period text, first_day date, last_day date${raw(figures.map((name) => `, ${name} numeric`).join(''))})`

/** By figures: the periods, with numbers, in which a row counts that was written after a version. The others are as that version knew them. */
export async function touchedSince<P extends { readonly id: number }>(
  tx: Queryable,
  version: number,
  periods: readonly P[],
): Promise<readonly (readonly [readonly PeriodFigure[], readonly P[]])[]> {
  /** The rows that are no longer as that version had them: as they are, and as they were. */
  const written = (table: string, columns: string): Sql => sql`(
    select ${raw(columns)} from ${identifier(table)} where known_from > ${version}::int
    union all
    select ${raw(columns)} from ${identifier(`past_${table}`)} where known_until > ${version}::int)`
  // The profit of an invoice depends on the issues, the returns and the other invoices of its orders.
  const touched = await query<{ id: number; stock: boolean; documents: boolean }>(
    tx,
    sql`
    with movement as materialized (select * from ${written('stock_movement', 'movement_date, order_no, invoice_no')} m),
    combo as (
      select i.id from item i join past_item p on p.id = i.id and p.known_until > ${version}::int where p.type <> i.type
      union select combo_id from ${written('combo_line', 'combo_id')} c),
    written_order as (
      select order_no::text from movement
      union select order_no from ${written('sales_return', 'order_no')} r
      union select order_no from ${written('sales_order', 'order_no')} o
      union select order_no from ${written('sales_order_line', 'order_no')} l
      union select order_no from ${written('invoice_line', 'order_no')} x
      union select x.order_no from ${written('invoice', 'invoice_no')} n join invoice_line x on x.invoice_no = n.invoice_no
      union select l.order_no from sales_order_line l where l.item_id in (select id from combo)),
    written_invoice as (
      select invoice_no::text from movement
      union select invoice_no from ${written('invoice_line', 'invoice_no')} x
      union select x.invoice_no from invoice_line x join written_order o on o.order_no = x.order_no),
    day as materialized (
      select invoice_at::date as day from ${written('invoice', 'invoice_at')} n
      union select n.invoice_at::date from invoice n join written_invoice w on w.invoice_no = n.invoice_no
      union select receipt_date from ${written('goods_receipt', 'receipt_date')} r
      union select r.receipt_date from ${written('goods_receipt_line', 'po_no, grn_no')} l
              join goods_receipt r on r.po_no = l.po_no and r.grn_no = l.grn_no)
    select c.id, exists (select from movement m where m.movement_date <= c.last_day) as stock,
           exists (select from day d where d.day between c.first_day and c.last_day) as documents
      from (${periodRows(periods, [])}) c`,
  )
  const are = (name: 'stock' | 'documents') =>
    periods.filter(({ id }) => touched.some((one) => one.id === id && one[name]))
  return [
    [['stock_value'], are('stock')],
    [['sales', 'margin', 'purchases'], are('documents')],
  ]
}
