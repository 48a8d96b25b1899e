/** FG demand status: the quantities that open orders still need, line by line or summed per product and warehouse. */
import { raw, type Sql, sql } from '../../db/sql.js'
import { Explained, extra, Integer, IsoDate, Naming, Quantity, Text } from '../../kernel/report/fields.js'
import { dateRange, OneOf } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { movementsUpTo } from '../../ledger/condensed.js'
import { inStock, onHold } from '../../ledger/figures.js'
import { orderStory } from '../shared/behind.js'
import { customer, item } from '../shared/things.js'
import { shipTo, today } from '../shared/words.js'

const always = raw('true')

const product = {
  product_name: Naming(Text("The ordered item's name."), item('product_sku')),
  product_sku: Naming(Text("The ordered item's code."), item('product_sku')),
  warehouse: Text('Warehouse that the line is dispatched from; empty where there is none.'),
}
const quantities = {
  req_qty: Quantity(4, 'UoM', 'Ordered quantity.'),
  Issued_Qty: Quantity(4, 'UoM', 'Issued quantity; for a service, invoiced.'),
  Remaining_qty: Quantity(4, 'UoM', '`req_qty` − `Issued_Qty`.'),
  UoM: Text('Unit of the quantities.'),
  wh_id: Text('Key of the warehouse, as in the warehouse list; empty where there is none.'),
}

const lines = ({ from_date, to_date }: { from_date: string; to_date: string }): Sql => sql`
  select coalesce(c.name, '') as company_name, ${shipTo('city')} as location, o.order_no as order_id, o.order_date, l.line_no,
         i.name as product_name, i.sku as product_sku, coalesce(w.location, '') as warehouse, l.qty as req_qty,
         q.issued_qty as "Issued_Qty", l.qty - q.issued_qty as "Remaining_qty", i.unit as "UoM", coalesce(w.key, '') as wh_id,
         l.item_id, w.id as warehouse_id, coalesce(c.code, '') as customer_code
    from sales_order o
    left join customer c on c.code = o.customer_code
    join sales_order_line l on l.order_no = o.order_no
    left join warehouse w on w.id = coalesce(l.warehouse_id, o.warehouse_id)
    join item i on i.id = l.item_id
    join sales_order_line_issued q on q.order_no = l.order_no and q.line_no = l.line_no
   where o.order_date between ${from_date}::date and ${to_date}::date and o.state = 'OPEN' and l.qty > q.issued_qty`

export default defineReport({
  id: 'sales.demand-status',
  method: 'POST',
  path: '/v1/sales/demand-status',
  title: 'Open demand',
  summary: 'Quantities that open orders still need',
  askedAs: [
    'what open orders still need: quantities to send out per item',
    'backlog, pending demand, what we owe customers in pieces',
    'is there enough stock for the open orders',
  ],
  description: `Order lines with a quantity still to be issued, of open orders with an order date in the range. Orders that were closed or
cancelled by hand are left out.

\`type\` CUSTOMER has one record per line, ordered by order date, \`order_id\` and line. CONSOLIDATED sums them per product and
warehouse, ordered by \`product_sku\` and \`warehouse\`. With \`fields=all\`, \`available_qty\` is today's stock for them, and \`short_qty\` the quantity that it
does not cover; \`filter=short_qty>0\` lists what stock cannot cover.`,
  dependsOnToday: true,
  cost: 10,
  request: {
    type: OneOf(['CUSTOMER', 'CONSOLIDATED'], 'Line by line, or summed per product and warehouse.', {
      CUSTOMER: 'Line by line',
      CONSOLIDATED: 'Per product and warehouse',
    }),
    ...dateRange,
  },
  variants: {
    by: 'type',
    shapes: {
      CUSTOMER: {
        record: {
          company_name: Naming(Text("The customer's name."), customer('customer_code')),
          location: Text('City that the order goes to.'),
          order_id: Explained(Text("The order's number."), orderStory('order_id')),
          ...product,
          ...quantities,
          ...extra({ customer_code: Text("The customer's code; empty for a walk-in customer.") }),
        },
        people: [
          'product_name',
          'company_name',
          'Remaining_qty',
          'UoM',
          'req_qty',
          'Issued_Qty',
          'order_id',
          'warehouse',
          'location',
        ],
        headings: {
          product_name: 'Product',
          company_name: 'Customer',
          Remaining_qty: 'Remaining',
          req_qty: 'Required',
          Issued_Qty: 'Issued',
          order_id: 'Order',
        },
        orderBy: ['order_date', 'order_id', 'line_no'],
        hiddenKey: { order_date: IsoDate("The order's date."), line_no: Integer('Number of the line in its order.') },
        query: lines,
      },
      CONSOLIDATED: {
        record: {
          ...product,
          ...quantities,
          ...extra({
            available_qty: Quantity(
              4,
              'UoM',
              'Stock in the warehouse today that is not on hold; 0 without a warehouse.',
            ),
            short_qty: Quantity(4, 'UoM', 'Part of `Remaining_qty` that `available_qty` does not cover.'),
          }),
        },
        people: [
          ...['product_name', 'Remaining_qty', 'UoM', 'available_qty', 'short_qty', 'req_qty', 'Issued_Qty'],
          ...['warehouse', 'product_sku'],
        ],
        headings: {
          product_name: 'Product',
          Remaining_qty: 'Remaining',
          available_qty: 'In stock',
          short_qty: 'Short',
          req_qty: 'Required',
          Issued_Qty: 'Issued',
          product_sku: 'SKU',
        },
        orderBy: ['product_sku', 'warehouse'],
        query: (values) => sql`
          select d.*, coalesce(s.qty, 0) as available_qty, greatest(d."Remaining_qty" - greatest(coalesce(s.qty, 0), 0), 0) as short_qty
            from (select product_name, product_sku, warehouse, sum(req_qty) as req_qty, sum("Issued_Qty") as "Issued_Qty",
                         sum("Remaining_qty") as "Remaining_qty", "UoM", wh_id, item_id, warehouse_id
                    from (${lines(values)}) l
                   group by product_name, product_sku, warehouse, "UoM", wh_id, item_id, warehouse_id) d
            left join (select m.item_id, m.warehouse_id, ${inStock('qty', always)} - ${onHold('qty', always)} as qty
                         from ${movementsUpTo(sql`select id from stocked_item`, today)} m group by 1, 2) s
              on s.item_id = d.item_id and s.warehouse_id = d.warehouse_id`,
      },
    },
  },
})
