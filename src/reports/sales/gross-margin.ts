/** Turnover and gross margin: sales, returns, cost and profit per product, by customer or over all. */
import { quotient, raw, type Sql, sql } from '../../db/sql.js'
import { Decimal, extra, Naming, NotAdditive, Price, Quantity, Text } from '../../kernel/report/fields.js'
import { dateRange, OneOf, ZeroOrOne } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { item } from '../shared/things.js'
import { ProdType, prodType } from '../shared/words.js'

interface Asked {
  tax: boolean
  source: 'INV' | 'ORD'
  from_date: string
  to_date: string
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
  select o.customer_code, l.item_id, l.qty as sold, ${raw(tax ? 'l.total_amt' : 'l.taxable_amt')} as sale,
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
const invoiced = ({ tax, from_date, to_date }: Asked): Sql => {
  const among = raw('nullif(greatest(v.total, q.issued_qty), 0)')
  const upTo = (whole: string, qty: string, digits: number) =>
    sql`round(${quotient(raw(`${whole} * ${qty}`), among)}, ${raw(String(digits))})`
  const part = (whole: string, digits: number) =>
    sql`coalesce(${upTo(whole, 'v.upto', digits)} - ${upTo(whole, '(v.upto - greatest(v.qty, 0))', digits)}, 0)`
  const inRange = (n: string) =>
    sql`${raw(n)}.invoice_at >= ${from_date}::date and ${raw(n)}.invoice_at < ${to_date}::date + interval '1 day'`
  const sale = raw(tax ? 'x.total_value' : 'x.taxable_value')
  return sql`
    select coalesce(v.customer_code, o.customer_code) as customer_code, coalesce(v.item_id, l.item_id) as item_id, v.qty as sold, v.sale, ${part('r.returned', 4)} as returned,
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
     where ${inRange('v')} and o.state <> 'CANCELLED'
    union all
    select n.customer_code, x.item_id, x.qty, ${sale}, 0, 0, 0,
           (select coalesce(sum(${cost(tax)}), 0) from invoice_movement m
             where m.invoice_no = x.invoice_no and m.invoice_line_no = x.line_no), 0, 0
      from invoice n
      join invoice_line x on x.invoice_no = n.invoice_no and x.order_no is null
     where ${inRange('n')} and n.status <> 'Cancelled' and n.return_no is null`
}

const margins = (asked: Asked, by: 'customer' | 'product'): Sql => sql`
  select ${by === 'customer' ? raw(`coalesce(c.name, '') as company_name, coalesce(c.code, '') as customer_code,`) : raw('')}
         coalesce(i.name, 'Other') as product_name, coalesce(i.sku, '') as product_sku, ${prodType} as "Prod_type",
         coalesce(i.mrp, 0) as "MRP", coalesce(i.unit, '') as unit,
         case when t.sold <> t.usable then ${quotient(raw('t.cost'), raw('(t.sold - t.usable)'))} else 0 end as per_unit_cogs,
         t.sold as "Total_sale_qty", t.sale as total_sale, t.returned as return_qty, t.credited as return_amt,
         t.cost as "Total_cost_cogs", t.sale - t.credited - t.cost as profit,
         case when t.sale <> t.credited then ${quotient(raw('(t.sale - t.credited - t.cost) * 100'), raw('(t.sale - t.credited)'))}
              else 0 end as profit_per,
         t.undelivered as undelivered_qty, t.undelivered_sale as undelivered_amt,
         t.sale - t.undelivered_sale - t.credited - t.cost as delivered_profit,
         case when t.sale - t.undelivered_sale <> t.credited
              then ${quotient(raw('(t.sale - t.undelivered_sale - t.credited - t.cost) * 100'), raw('(t.sale - t.undelivered_sale - t.credited)'))}
              else 0 end as delivered_profit_per
    from (select ${by === 'customer' ? raw('customer_code,') : raw('')} item_id, sum(sold) as sold, sum(sale) as sale,
                 sum(returned) as returned, sum(usable) as usable, sum(credited) as credited, sum(cost) as cost,
                 sum(undelivered) as undelivered, sum(undelivered_sale) as undelivered_sale
            from (${asked.source === 'INV' ? invoiced(asked) : ordered(asked)}) s
           group by ${by === 'customer' ? raw('customer_code,') : raw('')} item_id) t
    left join item i on i.id = t.item_id
    ${by === 'customer' ? raw('left join customer c on c.code = t.customer_code') : raw('')}`

const record = {
  product_name: Naming(Text("The product's name; `Other` for lines without an item."), item('product_sku')),
  product_sku: Naming(Text("The product's code; empty for lines without an item."), item('product_sku')),
  Prod_type: ProdType,
  MRP: Price(2, "The product's maximum retail price."),
  per_unit_cogs: NotAdditive(Decimal(4, '`Total_cost_cogs` ÷ (sold − usable returns); 0 if the divisor is 0.')),
  Total_sale_qty: Quantity(4, 'unit', 'Sold quantity.'),
  total_sale: Decimal(2, 'Amount of the sales.'),
  return_qty: Quantity(4, 'unit', 'Returned quantity, usable or not.'),
  return_amt: Decimal(2, 'Amount credited for returns.'),
  Total_cost_cogs: Decimal(4, 'Booked value of the issued goods minus the booked value of usable returns.'),
  profit: Decimal(4, '`total_sale` − `return_amt` − `Total_cost_cogs`.'),
  profit_per: NotAdditive(Decimal(2, '`profit` in percent of `total_sale` − `return_amt`; 0 if that difference is 0.')),
  ...extra({
    unit: Text("The product's unit; empty for lines without an item."),
    undelivered_qty: Quantity(4, 'unit', 'Part of `Total_sale_qty` that was not issued: sold so far without a cost.'),
    undelivered_amt: Decimal(2, 'Part of `total_sale` for `undelivered_qty`.'),
    delivered_profit: Decimal(4, 'Profit on the delivered goods: `profit` − `undelivered_amt`.'),
    delivered_profit_per: NotAdditive(
      Decimal(
        2,
        '`delivered_profit` in percent of `total_sale` − `undelivered_amt` − `return_amt`; 0 if that difference is 0.',
      ),
    ),
  }),
}

export default defineReport({
  id: 'sales.gross-margin',
  method: 'POST',
  path: '/v1/sales/gross-margin',
  title: 'Gross margin',
  summary: 'Turnover, cost and gross margin per product',
  description: `One record per customer and product (\`type\` CUSTOMER, ordered by \`company_name\`, customer code and \`product_sku\`) or per
product (CONSOLIDATED, ordered by \`product_sku\`).

\`source\` INV takes the lines of invoices that are not cancelled, by invoice date; ORD the lines of orders, by order date. Cancelled
orders are left out; free-of-cost orders are included at their cost. Amounts and costs are without tax for \`tax\` = 0 and with tax
for 1. The cost is the value booked when the goods were issued. The cost and the returns of an
order line are distributed over its invoices by quantity; goods that are issued and not invoiced yet keep their part. A credit note
reduces the sale and takes no part of the cost; a credit note for a return is left out, because \`return_amt\` has it already. Sales
without an order come from invoices that name none, with the cost of the goods that were issued for them.

Goods that are ordered or invoiced but not issued yet count as sold and have no cost, so \`profit\` is too high until they are issued. With
\`fields=all\`, \`undelivered_qty\` and \`undelivered_amt\` tell how much that is, and \`delivered_profit\` is the profit without it. Ask with INV for the
profit of a period, with ORD for the profit that the orders of a period promise. Invoices without an order count as delivered.`,
  cost: 10,
  request: {
    type: OneOf(['CUSTOMER', 'CONSOLIDATED'], 'Per customer and product, or per product.'),
    tax: ZeroOrOne('string', '`0` for values without tax, `1` for values with tax; as a number or as a string.'),
    ...dateRange,
    source: OneOf(['INV', 'ORD'], '`INV` by invoices, `ORD` by orders.'),
  },
  perPage: 20,
  variants: {
    by: 'type',
    shapes: {
      CUSTOMER: {
        record: { company_name: Text("The customer's name."), ...record },
        people: [
          'company_name',
          'product_name',
          'delivered_profit',
          'delivered_profit_per',
          'total_sale',
          'Total_cost_cogs',
          'Total_sale_qty',
          'unit',
          'undelivered_amt',
        ],
        orderBy: ['company_name', 'customer_code', 'product_sku'],
        hiddenKey: { customer_code: Text("The customer's code.") },
        query: (asked) => margins(asked, 'customer'),
      },
      CONSOLIDATED: {
        record,
        people: [
          'product_name',
          'delivered_profit',
          'delivered_profit_per',
          'total_sale',
          'Total_cost_cogs',
          'Total_sale_qty',
          'unit',
          'undelivered_amt',
          'product_sku',
        ],
        orderBy: ['product_sku'],
        query: (asked) => margins(asked, 'product'),
      },
    },
  },
})
