/** Sales: the amounts of each order and product, with the label of the period. */
import { raw, sql } from '../../db/sql.js'
import { Decimal, Explained, IsoDate, OrNull, Text } from '../../kernel/report/fields.js'
import { dateRange, OneOf } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { orderStory } from '../shared/behind.js'

const labels = { day: 'DD-MM-YYYY', week: 'IW-IYYY', month: 'MM-YYYY', quarter: '"Q"Q-YYYY', year: 'YYYY' }

export default defineReport({
  id: 'sales.sales',
  method: 'POST',
  path: '/v1/sales',
  title: 'Sales by period',
  summary: 'Sales per order and product, labelled by period',
  description: `One record per order and product, of orders with an order date in the range, ordered by \`order_date\`, \`order_no\` and
\`product_sku\`. Cancelled orders are left out; free-of-cost orders are included with an amount of 0. \`week_no\` is the period of the order date by
\`method\`: day \`DD-MM-YYYY\`, week \`WW-YYYY\` (ISO weeks), month \`MM-YYYY\`, quarter \`Qn-YYYY\`, year \`YYYY\`.`,
  request: {
    method: OneOf(['month', 'day', 'week', 'quarter', 'year'], 'The period that `week_no` names.'),
    ...dateRange,
  },
  perPage: 10,
  record: {
    order_no: Explained(Text("The order's number."), orderStory('order_no')),
    po_no: Text("Number of the customer's purchase order; empty where there is none."),
    order_date: IsoDate('Order date.'),
    week_no: Text('Label of the period.'),
    order_type: Text('How it was sold, such as `B2B/Retail` or `Online`.'),
    channel_id: OrNull(Text('Identifier in the sales channel.')),
    warehouse: Text('Warehouse that the order is dispatched from.'),
    buyer_name: Text("The customer's name."),
    product_sku: Text("The product's code; empty for lines without an item."),
    product_name: Text("The product's name; `Other` for lines without an item."),
    total_sales: Decimal(2, 'Amount before tax.'),
    total_amount: Decimal(2, 'Amount with tax.'),
  },
  orderBy: ['order_date', 'order_no', 'product_sku'],
  listing: true,
  query: ({ method, from_date, to_date }) => sql`
    select o.order_no, coalesce(o.po_no, '') as po_no, o.order_date,
           to_char(o.order_date, ${raw(`'${labels[method]}'`)}) as week_no, o.order_type, o.channel_id,
           w.location as warehouse, coalesce(c.name, '') as buyer_name, coalesce(i.sku, '') as product_sku,
           coalesce(i.name, 'Other') as product_name,
           s.total_sales, s.total_amount
      from sales_order o
      left join customer c on c.code = o.customer_code
      join warehouse w on w.id = o.warehouse_id
     cross join lateral (
       select l.item_id, sum(l.taxable_amt) as total_sales, sum(l.total_amt) as total_amount
         from sales_order_line l where l.order_no = o.order_no group by 1) s
      left join item i on i.id = s.item_id
     where o.order_date between ${from_date}::date and ${to_date}::date and o.state <> 'CANCELLED'`,
})
