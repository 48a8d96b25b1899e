/** Sold lines with their cost, for reports about margins and for the figures of a period. */
import { join, quotient, raw, type Sql, sql } from '../db/sql.js'

/** A request for margins. */
export interface Asked {
  tax: boolean
  source: 'INV' | 'ORD'
  from_date: string | Sql
  to_date: string | Sql
}

/** The cost of the goods of the movement `m`: of an issue, or of a return. */
const cost = (tax: boolean): Sql => {
  const value = tax ? 'm.val_tax' : 'm.val'
  return raw(`case m.kind when 'issue' then ${value} when 'sales_return' then -${value} end`)
}

/** The returns of each order line, and the cost of its goods. */
const lineFigures = (tax: boolean): Sql => sql`
  cross join lateral (
    select coalesce(sum(s.usable_qty + s.unusable_qty), 0) as returned, coalesce(sum(s.usable_qty), 0) as usable,
           coalesce(sum(${raw(tax ? 's.taxable_amt + s.tax_amt' : 's.taxable_amt')}), 0) as credited
      from sales_return s where s.order_no = l.order_no and s.order_line_no = l.line_no) r
  cross join lateral (
    select coalesce(sum(${cost(tax)}), 0) as cost
      from order_movement m where m.order_no = l.order_no and m.order_line_no = l.line_no) g`

/** The part of a sold line that was not issued, in quantity and amount. A line without an item, or that takes back, has none. */
const undelivered = (qty: string, issued: string, sale: string): Sql => {
  const open = `(${qty} - ${issued})`
  const isOpen = `l.item_id is not null and ${qty} > 0`
  return sql`case when ${raw(isOpen)} then ${raw(open)} else 0 end as undelivered,
         case when ${raw(isOpen)} then round(${quotient(raw(`${sale} * ${open}`), raw(qty))}, 2) else 0 end as undelivered_sale`
}

/** Order lines by order date. */
const ordered = ({ tax, from_date, to_date }: Asked): Sql => sql`
  select o.order_date as day, o.customer_code, l.item_id, l.qty as sold, ${raw(tax ? 'l.total_amt' : 'l.taxable_amt')} as sale,
         r.returned, r.usable, r.credited, g.cost, ${undelivered('l.qty', 'least(q.issued_qty, l.qty)', tax ? 'l.total_amt' : 'l.taxable_amt')}
    from sales_order o
    join sales_order_line l on l.order_no = o.order_no
    join sales_order_line_issued q on q.order_no = l.order_no and q.line_no = l.line_no
    ${lineFigures(tax)}
   where o.order_date between ${from_date}::date and ${to_date}::date and o.state <> 'CANCELLED'`

/**
 * Invoice lines by invoice date. The cost and the returns of an order line are distributed over its invoices by quantity. Each
 * invoice takes the rounded part up to and including itself minus the parts of earlier invoices, so that the parts add up
 * exactly once the whole line is invoiced. Goods that are issued and not invoiced yet keep their part.
 */
const invoiced = ({ tax, from_date, to_date }: Asked): [ofOrders: Sql, withoutOrder: Sql] => {
  const among = raw('nullif(greatest(v.total, q.issued_qty), 0)')
  const upTo = (whole: string, qty: string, digits: number) =>
    sql`round(${quotient(raw(`${whole} * ${qty}`), among)}, ${raw(String(digits))})`
  const part = (whole: string, digits: number) =>
    sql`coalesce(${upTo(whole, 'v.upto', digits)} - ${upTo(whole, '(v.upto - greatest(v.qty, 0))', digits)}, 0)`
  const inRange = (n: string) =>
    sql`${raw(n)}.invoice_at >= ${from_date}::date and ${raw(n)}.invoice_at < ${to_date}::date + interval '1 day'`
  const sale = raw(tax ? 'x.total_value' : 'x.taxable_value')
  const ofOrders = sql`
    select v.invoice_at::date as day, coalesce(v.customer_code, o.customer_code) as customer_code, coalesce(v.item_id, l.item_id) as item_id, v.qty as sold, v.sale, ${part('r.returned', 4)} as returned,
           ${part('r.usable', 4)} as usable, ${part('r.credited', 2)} as credited, ${part('g.cost', 4)} as cost,
           ${undelivered('v.qty', `(least(v.upto, q.issued_qty) - least(v.upto - greatest(v.qty, 0), q.issued_qty))`, 'v.sale')}
      from (select x.order_no, x.order_line_no, x.invoice_at, x.customer_code, x.item_id, x.qty, ${sale} as sale,
                   sum(greatest(x.qty, 0)) over (partition by x.order_no, x.order_line_no
                                                 order by x.invoice_at, x.invoice_no, x.line_no) as upto,
                   sum(greatest(x.qty, 0)) over (partition by x.order_no, x.order_line_no) as total
              from order_invoice_line x
             where x.status <> 'Cancelled' and x.return_no is null
               and x.order_no in (select y.order_no from order_invoice_line y where ${inRange('y')})) v
      join sales_order o on o.order_no = v.order_no
      join sales_order_line l on l.order_no = v.order_no and l.line_no = v.order_line_no
      join sales_order_line_issued q on q.order_no = l.order_no and q.line_no = l.line_no
      ${lineFigures(tax)}
     where ${inRange('v')} and o.state <> 'CANCELLED'`
  const withoutOrder = sql`
    select n.invoice_at::date as day, n.customer_code, x.item_id, x.qty as sold, ${sale} as sale,
           0 as returned, 0 as usable, 0 as credited,
           (select coalesce(sum(${cost(tax)}), 0) from invoice_movement m
             where m.invoice_no = x.invoice_no and m.invoice_line_no = x.line_no) as cost, 0 as undelivered, 0 as undelivered_sale
      from invoice n
      join invoice_line x on x.invoice_no = n.invoice_no and x.order_no is null
     where ${inRange('n')} and n.status <> 'Cancelled' and n.return_no is null`
  return [ofOrders, withoutOrder]
}

const FIGURES = ['sold', 'sale', 'returned', 'usable', 'credited', 'cost', 'undelivered', 'undelivered_sale'] as const

/**
 * The sums of the sold lines of a request for each value of these columns: sale, returns, cost, and the part that was not
 * issued. Lines with and without an order are summed apart first, so that the nodes of a cluster send sums instead of lines.
 */
export function soldBy(asked: Asked, columns: readonly ('day' | 'customer_code' | 'item_id')[]): Sql {
  const by = columns.join(', ')
  const sums = FIGURES.map((name) => `sum(${name}) as ${name}`).join(', ')
  const summed = (lines: Sql) => sql`select ${raw(`${by}, ${sums}`)} from (${lines}) s group by ${raw(by)}`
  if (asked.source === 'ORD') return summed(ordered(asked))
  return summed(join(invoiced(asked).map(summed), ' union all '))
}

/** A profit in percent of the sale that it was made on; 0 if that is 0. */
export const percent = (profit: string, sale: string): Sql =>
  sql`case when ${raw(sale)} <> 0 then ${quotient(raw(`(${profit}) * 100`), raw(`(${sale})`))} else 0 end`
