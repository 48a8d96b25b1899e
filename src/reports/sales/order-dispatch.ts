/** Sales order dispatch: the quantities issued for each order line, item by item, with their batches. */
import { raw, sql } from '../../db/sql.js'
import {
  Explained,
  extra,
  Integer,
  IsoDate,
  Naming,
  NotAdditive,
  OrNull,
  Quantity,
  Text,
} from '../../kernel/report/fields.js'
import { dateRange, OneOf } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { orderStory } from '../shared/behind.js'
import { customer, item } from '../shared/things.js'
import { shipTo } from '../shared/words.js'

export default defineReport({
  id: 'sales.order-dispatch',
  method: 'POST',
  path: '/v1/sales/order-dispatch',
  title: 'Dispatches',
  summary: 'Quantities dispatched for sales orders, with batches',
  askedAs: [
    'what was dispatched or shipped for sales orders',
    'batch numbers that were shipped with an order',
    'dispatch register',
  ],
  description: `One record per order line and item that was issued for it, of orders with an order date in the range, ordered by
\`order_date\`, \`order_no\`, line and \`product_sku\`. Cancelled orders are left out.

If the ordered item (\`order_sku\`) is a combo, each component has a separate record (\`product_sku\`); \`required_qty\` is then the
ordered quantity times the pieces in one combo. \`dispatched_qty\` is the whole quantity that the ledger issued for the line, on any day. \`batches\`
lists \`<batch>(<quantity> <unit>) \` for each batch, a trailing space included, joined by a comma and a space; stock that is not
kept by batch is called \`-\`. \`version\` R leaves out orders with any return, WR has all.`,
  cost: 10,
  request: {
    version: OneOf(['R', 'WR'], '`R` without orders that had a return, `WR` with them.', {
      WR: 'With orders that had a return',
      R: 'Without orders that had a return',
    }),
    ...dateRange,
  },
  perPage: 20,
  record: {
    order_no: Explained(Text("The order's number."), orderStory('order_no')),
    po_no: OrNull(Text("Number of the customer's purchase order.")),
    order_date: IsoDate('Order date.'),
    company_name: Naming(Text("The customer's name."), customer('customer_code')),
    city: Text('City that the order goes to.'),
    warehouse: Text('Warehouse that the line is dispatched from; empty where there is none.'),
    order_sku: Naming(Text("The ordered item's code."), item('order_sku')),
    order_item: Naming(Text("The ordered item's name."), item('order_sku')),
    order_qty: NotAdditive(Quantity(4, 'order_uom', 'Ordered quantity.')),
    order_uom: Text("The ordered item's unit."),
    product_sku: Naming(Text("The dispatched item's code."), item('product_sku')),
    product_name: Naming(Text("The dispatched item's name."), item('product_sku')),
    required_qty: Quantity(4, 'sku_uom', 'Quantity of the dispatched item that the whole line needs.'),
    sku_uom: Text("The dispatched item's unit."),
    dispatched_qty: Quantity(4, 'sku_uom', 'Dispatched quantity.'),
    batches: Text('The batches that were dispatched.'),
    ...extra({ customer_code: Text("The customer's code; empty for a walk-in customer.") }),
  },
  people: [
    'order_no',
    'company_name',
    'product_name',
    'dispatched_qty',
    'sku_uom',
    'required_qty',
    'order_date',
    'batches',
    'warehouse',
  ],
  headings: {
    order_no: 'Order',
    company_name: 'Customer',
    product_name: 'Product',
    dispatched_qty: 'Dispatched',
    sku_uom: 'Unit',
    required_qty: 'Required',
    order_date: 'Date',
  },
  orderBy: ['order_date', 'order_no', 'line_no', 'product_sku'],
  better: { dispatched_qty: 'more' },
  hiddenKey: { line_no: Integer('Number of the line in its order.') },
  listing: true,
  query: ({ version, from_date, to_date }) => sql`
    select o.order_no, o.po_no, o.order_date, l.line_no, coalesce(c.name, '') as company_name, ${shipTo('city')} as city,
           coalesce(w.location, '') as warehouse, i.sku as order_sku, i.name as order_item, l.qty as order_qty, i.unit as order_uom,
           p.sku as product_sku, p.name as product_name,
           l.qty * case when p.id = l.item_id then 1 else k.qty end as required_qty, p.unit as sku_uom,
           d.dispatched_qty, d.batches, coalesce(c.code, '') as customer_code
      from sales_order o
      left join customer c on c.code = o.customer_code
      join sales_order_line l on l.order_no = o.order_no
      left join warehouse w on w.id = coalesce(l.warehouse_id, o.warehouse_id)
      join item i on i.id = l.item_id
     cross join lateral (
       select b.item_id, sum(b.qty) as dispatched_qty,
              string_agg(b.batch || '(' || round(b.qty, 4) || ' ' || u.unit || ') ', ', ' order by b.batch) as batches
         from (select m.item_id, coalesce(m.batch_no, '-') collate "C" as batch, sum(m.qty) as qty
                 from order_movement m
                where m.order_no = l.order_no and m.order_line_no = l.line_no and m.kind = 'issue'
                group by 1, 2) b
         join item u on u.id = b.item_id
        group by b.item_id) d
      join item p on p.id = d.item_id
      left join combo_line k on k.combo_id = l.item_id and k.component_id = d.item_id
     where o.order_date between ${from_date}::date and ${to_date}::date and o.state <> 'CANCELLED'
       ${version === 'R' ? raw('and not exists (select from sales_return r where r.order_no = o.order_no)') : raw('')}`,
})
