/** Sales orders list: each order with its customer, seller and lines. */
import { sql } from '../../db/sql.js'
import {
  Amount,
  Decimal,
  Explained,
  extra,
  Integer,
  InWords,
  IsoDate,
  Lines,
  Naming,
  Nested,
  NotAdditive,
  OrMarker,
  OrNull,
  Percent,
  Price,
  Quantity,
  Text,
  Word,
} from '../../kernel/report/fields.js'
import { dateRange, OneOf, Optional } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { orderStory } from '../shared/behind.js'
import {
  currencyColumns,
  currencyFields,
  orderAmounts,
  stated,
  statedFields,
  taxesField,
  taxesOf,
  taxRate,
  unitField,
} from '../shared/document.js'
import { customer, item } from '../shared/things.js'
import { addressColumns, asWritten, orderStatusesInWords, place, shipToColumns } from '../shared/words.js'

const measures = {
  qty: 'quantity',
  mrp: 'price',
  rate: 'price',
  discount_amt: 'amount',
  effective_rate: 'price',
  taxable_amt: 'amount',
  tax_amt: 'amount',
  total_amt: 'amount',
} as const

const periods = ['month', 'day', 'week', 'quarter', 'year'] as const
const statuses = ['CREATED', 'PARTIAL ISSUED', 'ISSUED', 'CLOSED', 'CANCELLED'] as const
const address = { buyer: Text('Name of the buyer.'), ...place }

export default defineReport({
  id: 'sales.sales-orders',
  method: 'GET',
  path: '/v1/sales-orders',
  title: 'Sales orders',
  summary: 'Sales orders with their lines',
  askedAs: [
    'sales orders of customers with their lines',
    'orders that customers placed, order book, order value',
    'open, cancelled, closed sales orders',
  ],
  description: `One record per order with an order date in the range, ordered by \`order_date\` and \`order_no\`. Send the parameters in a JSON
body or in the query string; \`method\` is accepted and changes nothing.

\`status_code\` is \`order_status\` as a number: 1 CREATED (nothing issued), 2 PARTIAL ISSUED, 3 ISSUED (every line in full),
4 CLOSED, 5 CANCELLED; people set the last two. Lines without an item (freight, a text) do not count. Dates that an order does not have are empty strings.`,
  cost: 10,
  request: {
    method: Optional(OneOf(periods, 'Accepted as in the sales report, without effect.', asWritten(periods))),
    ...dateRange,
  },
  record: {
    order_id: Integer('Number of the order inside the service.'),
    order_type: Text('How it was sold, such as `B2B/Retail` or `Online`.'),
    channel_id: Text('Identifier in the sales channel; empty where there is none.'),
    channel: Integer('Number of the sales channel; 0 for none.'),
    order_no: Explained(Text("The order's number."), orderStory('order_no')),
    order_date: IsoDate('Order date.'),
    pono: Text("Number of the customer's purchase order; empty where there is none."),
    po_date: OrMarker(IsoDate("Date of the customer's purchase order; empty where there is none."), ''),
    created_by: Text('Person who entered the order.'),
    warehouse: Text('Warehouse that the order is dispatched from; empty where there is none.'),
    exp_dispatch_date: OrMarker(IsoDate('Expected date of dispatch; empty where there is none.'), ''),
    reference: OrNull(Text('Reference.')),
    appointment_date: OrMarker(IsoDate('Date of the appointment for delivery; empty where there is none.'), ''),
    expiry_date: OrMarker(IsoDate('Last day on which it may be delivered; empty where there is none.'), ''),
    order_status: InWords(Word(statuses, 'Status of the order.'), orderStatusesInWords),
    status_code: Integer('`order_status` as a number from 1 to 5.'),
    taxable_amt: Amount(2, 'Amount before tax.'),
    tax_amt: Amount(2, 'Tax.'),
    shipping_amt: Amount(2, 'Shipping charges.'),
    total_amt: Amount(2, 'Amount to pay, as the order states it.'),
    adjustment: Nested('A correction of the total.', {
      label: Text('Reason of the correction.'),
      amt: Amount(2, 'Amount of the correction; may be negative.'),
    }),
    customer: Nested('The customer.', {
      customer_name: Naming(Text("The customer's name."), customer('customer.customer_code')),
      customer_code: Naming(Text("The customer's code."), customer('customer.customer_code')),
      billing: Nested('Billing address.', address),
      shipping: Nested("Delivery address: the order's own, or the customer's.", address),
    }),
    seller: Nested('The seller, which is the account.', {
      name: Text('Name of the account.'),
      ...place,
    }),
    items: Lines('The ordered lines, in their order.', {
      fields: {
        type: Text('Type of the item: `FG`, `SFG`, `COMBO`, `MAT` or `SRV`; empty for a line without an item.'),
        itemcode: Naming(Text("The item's code; empty for a line without one."), item('itemcode')),
        itemname: Naming(Text("The item's name."), item('itemcode')),
        description: Text('Free text of the line.'),
        hsn: Text("The item's tax classification."),
        qty: Quantity(4, 'uom', 'Ordered quantity.'),
        uom: Text('Its unit.'),
        mrp: Price(2, 'Maximum retail price.'),
        rate: Price(4, 'Price of one unit before discount and tax.'),
        discount_per: NotAdditive(Decimal(4, 'Discount in percent.')),
        discount_amt: Amount(2, 'Discount on the line.'),
        effetive_rate: Price(4, 'Price of one unit after discount, before tax.'),
        taxrate: Percent('Tax rate in percent.'),
        taxable_amt: Amount(2, 'Amount after discount, before tax.'),
        tax_amt: Amount(2, 'Tax.'),
        total_amt: Amount(2, 'Amount with tax.'),
        ...extra({
          delivery_date: OrMarker(IsoDate('Agreed delivery date of the line; empty where there is none.'), ''),
          warehouse: Text('Warehouse that the line is dispatched from; empty where there is none.'),
          delivered_qty: OrNull(
            Quantity(4, 'uom', 'Quantity that the line states as delivered without stock; null where there is none.'),
          ),
        }),
        ...unitField,
        ...statedFields(measures),
      },
      query: sql`
        select l.line_no, coalesce(i.type, '') as type, coalesce(i.sku, '') as itemcode, coalesce(i.name, '') as itemname,
               l.description, coalesce(i.hsn, '') as hsn, l.qty, coalesce(i.unit, '') as uom, l.mrp,
               l.rate, l.discount_per, l.discount_amt, l.effective_rate as effetive_rate, ${taxRate} as taxrate,
               l.taxable_amt, l.tax_amt, l.total_amt, l.delivery_date, coalesce(w.location, parent.warehouse) as warehouse,
               l.delivered_qty, l.unit as document_uom,
               ${stated('l', Object.keys(measures))}
          from sales_order_line l
          left join item i on i.id = l.item_id
          left join warehouse w on w.id = l.warehouse_id
         where l.order_no = parent.order_no`,
      orderBy: ['line_no'],
    }),
    ...currencyFields,
    ...statedFields(orderAmounts),
    ...taxesField(taxesOf(sql`sales_order_line l`, sql`l.order_no = parent.order_no`)),
  },
  people: [
    'order_no',
    'customer.customer_name',
    'order_date',
    'total_amt',
    'order_status',
    'exp_dispatch_date',
    'warehouse',
    'items',
    'order_type',
  ],
  headings: {
    order_no: 'Order',
    'customer.customer_name': 'Customer',
    order_date: 'Date',
    total_amt: 'Amount',
    order_status: 'State',
    exp_dispatch_date: 'Dispatch by',
    order_type: 'Type',
  },
  orderBy: ['order_date', 'order_no'],
  better: { taxable_amt: 'more', total_amt: 'more' },
  listing: true,
  cancelled: { field: 'order_status', is: 'CANCELLED' },
  query: ({ from_date, to_date }) => sql`
    select o.order_id, o.order_type, coalesce(o.channel_id, '') as channel_id, o.channel, o.order_no, o.order_date,
           coalesce(o.po_no, '') as pono, o.po_date, o.created_by, coalesce(w.location, '') as warehouse, o.exp_dispatch_date, o.reference,
           o.appointment_date, o.expiry_date, o.status_code,
           (array['CREATED', 'PARTIAL ISSUED', 'ISSUED', 'CLOSED', 'CANCELLED'])[o.status_code] as order_status,
           o.taxable_amt, o.tax_amt, o.shipping_amt, o.total_amt, o.adjustment_label, o.adjustment_amt,
           ${currencyColumns('o')}, ${stated('o', Object.keys(orderAmounts))},
           coalesce(c.name, '') as customer_customer_name, coalesce(c.code, '') as customer_customer_code,
           ${addressColumns('customer_billing', 'c.billing')}, ${shipToColumns('customer_shipping')},
           a.name as seller_name, a.address1 as seller_address1, a.address2 as seller_address2, a.city as seller_city,
           a.state as seller_state, a.country as seller_country, a.pincode as seller_pincode, a.gstn as seller_gstn,
           a.phone as seller_phone, a.email as seller_email
      from (select o.*,
                   case o.state when 'CLOSED' then 4 when 'CANCELLED' then 5
                     else (select case when coalesce(sum(q.issued_qty), 0) = 0 then 1
                                       when bool_and(q.issued_qty >= l.qty) then 3 else 2 end
                             from sales_order_line l
                             join sales_order_line_issued q on q.order_no = l.order_no and q.line_no = l.line_no
                            where l.order_no = o.order_no and l.item_id is not null) end as status_code
              from sales_order o) o
      left join customer c on c.code = o.customer_code
      left join warehouse w on w.id = o.warehouse_id
     cross join account a
     where o.order_date between ${from_date}::date and ${to_date}::date`,
})
