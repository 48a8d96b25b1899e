/** Sales: the amounts of each order and product, and of each invoice without an order, with the label of the period. */
import { raw, type Sql, sql } from '../../db/sql.js'
import { Amount, Explained, extra, IsoDate, Naming, OrNull, Text } from '../../kernel/report/fields.js'
import { dateRange, OneOf } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { orderStory } from '../shared/behind.js'
import { customer, invoice, item } from '../shared/things.js'
import { asWritten } from '../shared/words.js'

const labels = { day: 'DD-MM-YYYY', week: 'IW-IYYY', month: 'MM-YYYY', quarter: '"Q"Q-YYYY', year: 'YYYY' }

export default defineReport({
  id: 'sales.sales',
  method: 'POST',
  path: '/v1/sales',
  title: 'Sales by period',
  summary: 'Sales per order and product, labelled by period',
  askedAs: [
    'sales, revenue, turnover by month, week, quarter or year',
    'how much did we sell',
    'best customers and products by sales, sales growth against last year',
    'sales by category, customer, product',
  ],
  description: `One record per order and product, of orders with an order date in the range, and one per invoice and product for sales that were
invoiced without an order, with the date of the invoice and an empty \`order_no\`. Ordered by \`order_date\`, \`order_no\`, \`product_sku\` and the
number of the invoice. Cancelled orders and invoices are left out; free-of-cost orders are included with an amount of 0. A credit note without
an order is a negative sale, except a credit note for a return. \`week_no\` is the period of the order date by
\`method\`: day \`DD-MM-YYYY\`, week \`WW-YYYY\` (ISO weeks), month \`MM-YYYY\`, quarter \`Qn-YYYY\`, year \`YYYY\`.`,
  request: {
    method: OneOf(
      ['month', 'day', 'week', 'quarter', 'year'],
      'The period that `week_no` names.',
      asWritten(['month', 'day', 'week', 'quarter', 'year']),
    ),
    ...dateRange,
  },
  perPage: 10,
  record: {
    order_no: Explained(Text("The order's number; empty for a sale that was only invoiced."), {
      ...orderStory('order_no'),
      unless: { field: 'order_no', is: '' },
    }),
    po_no: Text("Number of the customer's purchase order; empty where there is none."),
    order_date: IsoDate('Order date; the date of the invoice for a sale that was only invoiced.'),
    week_no: Text('Label of the period.'),
    order_type: Text('How it was sold, such as `B2B/Retail` or `Online`; empty for a sale that was only invoiced.'),
    channel_id: OrNull(Text('Identifier in the sales channel.')),
    warehouse: Text(
      'Warehouse that the order is dispatched from; several are separated by `, `. Empty where there is none.',
    ),
    buyer_name: Naming(Text("The customer's name."), customer('customer_code')),
    product_sku: Naming(Text("The product's code; empty for lines without an item."), item('product_sku')),
    product_name: Naming(Text("The product's name; `Other` for lines without an item."), item('product_sku')),
    total_sales: Amount(2, 'Amount before tax.'),
    total_amount: Amount(2, 'Amount with tax.'),
    ...extra({
      invoice_no: Naming(
        Text('Number of the invoice of a sale that was only invoiced; else empty.'),
        invoice('invoice_no'),
      ),
      customer_code: Text("The customer's code; empty for a walk-in customer."),
      product_category: Text("The product's category; empty for lines without an item."),
    }),
  },
  people: [
    'buyer_name',
    'product_name',
    'order_date',
    'total_amount',
    'total_sales',
    'order_no',
    'invoice_no',
    'warehouse',
  ],
  headings: {
    order_date: 'Date',
    buyer_name: 'Customer',
    product_name: 'Product',
    total_amount: 'Amount',
    total_sales: 'Before tax',
    order_no: 'Order',
    invoice_no: 'Invoice',
    product_category: 'Category',
  },
  orderBy: ['order_date', 'order_no', 'product_sku', 'invoice_no'],
  better: { total_sales: 'more', total_amount: 'more' },
  listing: true,
  counts: ({ from_date, to_date }) => [
    sql`
      select first, count(*) as records
        from (select o.order_date::date as first, o.order_no, l.item_id
                from sales_order o join sales_order_line l on l.order_no = o.order_no
               where o.order_date between ${from_date}::date and ${to_date}::date and o.state <> 'CANCELLED' group by 1, 2, 3) sold
       group by 1`,
    sql`
      select first, count(*) as records
        from (select n.invoice_at::date as first, n.invoice_no, x.item_id
                from invoice n join invoice_line x on x.invoice_no = n.invoice_no and x.order_no is null
               where n.invoice_at::date between ${from_date}::date and ${to_date}::date
                 and n.status <> 'Cancelled' and n.return_no is null group by 1, 2, 3) sold
       group by 1`,
  ],
  parts: ({ method, from_date, to_date }) => {
    const label = (day: Sql) => sql`to_char(${day}, ${raw(`'${labels[method]}'`)}) as week_no`
    return [
      sql`
        select o.order_no::text, coalesce(o.po_no, '')::text as po_no, o.order_date::date, o.order_type::text, o.channel_id::text,
               coalesce(l.warehouses, w.location, '')::text as warehouse, coalesce(c.name, '')::text as buyer_name,
               coalesce(i.sku, '')::text as product_sku, coalesce(i.name, 'Other')::text as product_name,
               l.total_sales, l.total_amount, ''::text collate "C" as invoice_no, coalesce(c.code, '')::text as customer_code,
               coalesce(i.product_category, '')::text as product_category, ${label(raw('o.order_date::date'))}
          from sales_order o
          left join customer c on c.code = o.customer_code
          left join warehouse w on w.id = o.warehouse_id
         cross join lateral (
           select l.item_id, sum(l.taxable_amt) as total_sales, sum(l.total_amt) as total_amount,
                  case when count(l.warehouse_id) > 0
                       then (select string_agg(x.location, ', ' order by x.location) from warehouse x
                              where x.id = any (array_agg(coalesce(l.warehouse_id, o.warehouse_id)))) end as warehouses
             from sales_order_line l where l.order_no = o.order_no group by 1) l
          left join item i on i.id = l.item_id
         where o.order_date between ${from_date}::date and ${to_date}::date and o.state <> 'CANCELLED'`,
      // Invoices with such lines are found by day if they are many, and by their lines if they are few.
      sql`
        select ''::text collate "C" as order_no, ''::text collate "C" as po_no, n.invoice_at::date as order_date,
               ''::text collate "C" as order_type, null::text collate "C" as channel_id, ''::text collate "C" as warehouse,
               coalesce(c.name, '')::text as buyer_name, coalesce(i.sku, '')::text as product_sku,
               coalesce(i.name, 'Other')::text as product_name, x.total_sales, x.total_amount, n.invoice_no::text,
               coalesce(c.code, '')::text as customer_code, coalesce(i.product_category, '')::text as product_category,
               ${label(raw('n.invoice_at::date'))}
          from invoice n
         cross join lateral (
           select x.item_id, sum(x.taxable_value) as total_sales, sum(x.total_value) as total_amount
             from invoice_line x where x.invoice_no = n.invoice_no and x.order_no is null group by 1) x
          left join customer c on c.code = n.customer_code
          left join item i on i.id = x.item_id
         where n.invoice_at::date between ${from_date}::date and ${to_date}::date
           and n.invoice_no in (select invoice_no from invoice_line where order_no is null)
           and n.status <> 'Cancelled' and n.return_no is null`,
    ]
  },
})
