/** Turnover and gross margin: sales, returns, cost and profit per product, by customer or over all. */
import { quotient, raw, type Sql, sql } from '../../db/sql.js'
import { Decimal, NotAdditive, Text } from '../../kernel/fields.js'
import { dateRange, OneOf, ZeroOrOne } from '../../kernel/params.js'
import { defineReport } from '../../kernel/report.js'
import { ProdType, prodType } from '../shared/words.js'

interface Asked {
  tax: boolean
  source: 'INV' | 'ORD'
  from_date: string
  to_date: string
}

/** Of each order line: what came back, and what its goods cost. */
const lineFigures = (tax: boolean): Sql => sql`
  cross join lateral (
    select coalesce(sum(s.usable_qty + s.unusable_qty), 0) as returned, coalesce(sum(s.usable_qty), 0) as usable,
           coalesce(sum(${raw(tax ? 's.taxable_amt + s.tax_amt' : 's.taxable_amt')}), 0) as credited
      from sales_return s where s.order_no = l.order_no and s.order_line_no = l.line_no) r
  cross join lateral (
    select coalesce(sum(case m.kind when 'issue' then ${raw(tax ? 'm.val_tax' : 'm.val')}
                                    when 'sales_return' then -${raw(tax ? 'm.val_tax' : 'm.val')} end), 0) as cost
      from stock_movement m where m.order_no = l.order_no and m.order_line_no = l.line_no) g`

/** Order lines by order date. */
const ordered = ({ tax, from_date, to_date }: Asked): Sql => sql`
  select o.customer_code, l.item_id, l.qty as sold, ${raw(tax ? 'l.total_amt' : 'l.taxable_amt')} as sale,
         r.returned, r.usable, r.credited, g.cost
    from sales_order o
    join sales_order_line l on l.order_no = o.order_no
    ${lineFigures(tax)}
   where o.order_date between ${from_date}::date and ${to_date}::date and o.state <> 'CANCELLED'`

/**
 * Invoice lines by invoice date. What belongs to an order line as a whole is shared out to its invoices by quantity, each
 * taking what is due up to it less what earlier ones took, so that the parts add up to the whole once all of it is
 * invoiced; what is issued and not invoiced yet keeps its part.
 */
const invoiced = ({ tax, from_date, to_date }: Asked): Sql => {
  const part = (whole: string, digits: number) =>
    sql`round(${quotient(raw(`${whole} * v.upto`), raw('greatest(v.total, q.issued_qty)'))}, ${raw(String(digits))})
        - round(${quotient(raw(`${whole} * (v.upto - v.qty)`), raw('greatest(v.total, q.issued_qty)'))}, ${raw(String(digits))})`
  return sql`
    select o.customer_code, l.item_id, v.qty as sold, v.sale, ${part('r.returned', 4)} as returned,
           ${part('r.usable', 4)} as usable, ${part('r.credited', 2)} as credited, ${part('g.cost', 4)} as cost
      from (select x.order_no, x.order_line_no, n.invoice_at, x.qty,
                   ${raw(tax ? 'x.total_value' : 'x.taxable_value')} as sale,
                   sum(x.qty) over (partition by x.order_no, x.order_line_no
                                    order by n.invoice_at, n.invoice_no, x.line_no) as upto,
                   sum(x.qty) over (partition by x.order_no, x.order_line_no) as total
              from invoice_line x
              join invoice n on n.order_no = x.order_no and n.invoice_no = x.invoice_no and n.status <> 'Cancelled'
             where x.order_no in (select d.order_no from invoice d
                                   where d.invoice_at >= ${from_date}::date and d.invoice_at < ${to_date}::date + interval '1 day')) v
      join sales_order o on o.order_no = v.order_no
      join sales_order_line l on l.order_no = v.order_no and l.line_no = v.order_line_no
      join sales_order_line_issued q on q.order_no = l.order_no and q.line_no = l.line_no
      ${lineFigures(tax)}
     where v.invoice_at >= ${from_date}::date and v.invoice_at < ${to_date}::date + interval '1 day'
       and o.state <> 'CANCELLED'`
}

const margins = (asked: Asked, by: 'customer' | 'product'): Sql => sql`
  select ${by === 'customer' ? raw('c.name as company_name, c.code as customer_code,') : raw('')}
         i.name as product_name, i.sku as product_sku, ${prodType} as "Prod_type", i.mrp as "MRP",
         case when t.sold <> t.usable then ${quotient(raw('t.cost'), raw('(t.sold - t.usable)'))} else 0 end as per_unit_cogs,
         t.sold as "Total_sale_qty", t.sale as total_sale, t.returned as return_qty, t.credited as return_amt,
         t.cost as "Total_cost_cogs", t.sale - t.credited - t.cost as profit,
         case when t.sale <> t.credited then ${quotient(raw('(t.sale - t.credited - t.cost) * 100'), raw('(t.sale - t.credited)'))}
              else 0 end as profit_per
    from (select ${by === 'customer' ? raw('customer_code,') : raw('')} item_id, sum(sold) as sold, sum(sale) as sale,
                 sum(returned) as returned, sum(usable) as usable, sum(credited) as credited, sum(cost) as cost
            from (${asked.source === 'INV' ? invoiced(asked) : ordered(asked)}) s
           group by ${by === 'customer' ? raw('customer_code,') : raw('')} item_id) t
    join item i on i.id = t.item_id
    ${by === 'customer' ? raw('join customer c on c.code = t.customer_code') : raw('')}`

const record = {
  product_name: Text("The product's name."),
  product_sku: Text("The product's code."),
  Prod_type: ProdType,
  MRP: NotAdditive(Decimal(2, "The product's maximum retail price.")),
  per_unit_cogs: NotAdditive(Decimal(4, '`Total_cost_cogs` ÷ (sold − usable returns); 0 where that is 0.')),
  Total_sale_qty: Decimal(4, 'Sold quantity.'),
  total_sale: Decimal(2, 'Amount of the sales.'),
  return_qty: Decimal(4, 'Returned quantity, usable or not.'),
  return_amt: Decimal(2, 'Credited for returns.'),
  Total_cost_cogs: Decimal(4, 'Booked value of the goods issued, less that of usable returns.'),
  profit: Decimal(4, '`total_sale` − `return_amt` − `Total_cost_cogs`.'),
  profit_per: NotAdditive(Decimal(2, '`profit` in percent of `total_sale` − `return_amt`; 0 where that is 0.')),
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
for 1. The cost is what was booked when the goods were issued. The cost and the returns of an
order line are shared out to its invoices by quantity; goods that are issued and not invoiced yet keep their part.`,
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
        orderBy: ['company_name', 'customer_code', 'product_sku'],
        hiddenKey: { customer_code: Text("The customer's code.") },
        query: (asked) => margins(asked, 'customer'),
      },
      CONSOLIDATED: {
        record,
        orderBy: ['product_sku'],
        query: (asked) => margins(asked, 'product'),
      },
    },
  },
})
