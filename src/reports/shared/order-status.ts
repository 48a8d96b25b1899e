/** The record of the sales order status, which two reports show. */
import { raw, type Sql, sql } from '../../db/sql.js'
import {
  Amount,
  ClockTime24,
  Explained,
  extra,
  Integer,
  InWords,
  IsoDate,
  Naming,
  OrMarker,
  OrNull,
  Price,
  Quantity,
  Text,
  TimeOfDay,
  Word,
} from '../../kernel/report/fields.js'
import { orderStory } from '../shared/behind.js'
import { customer, invoice, item } from '../shared/things.js'
import { orderStatusesInWords, ProdType, prodType, shipTo } from '../shared/words.js'

export const orderStatusMeaning = `One record per line of orders with an order date in the range, ordered by \`order_date\`, \`SO_order_id\` and line. Cancelled orders and lines without an
item are left out.

\`issued_qty\` is the quantity that the ledger issued for the line, in units of the ordered item: for a combo, the smallest number of whole
combos that its components' issues cover; and the quantity that the line states as delivered without stock. No stock of a service moves: its
invoiced quantity counts as issued. \`Remaining_qty\` = \`Order_qty\` − \`issued_qty\`. \`SoStatus\` is \`Accepted\` while nothing is issued,
\`Closed\` when nothing remains (also for a line that takes goods back), else \`Partial Issued\`. \`return_qty\` = \`usable_qty\` + \`unusable_qty\`. It includes
goods that came back undelivered and goods that the customer sent back.

An order that was closed by hand keeps the remaining quantities of its lines; with \`fields=all\`, \`order_state\` says that it is CLOSED.`

export const orderStatusRecord = {
  product_sku: Naming(Text("The ordered item's code."), item('product_sku')),
  product_name: Naming(Text("The ordered item's name."), item('product_sku')),
  Prod_type: ProdType,
  SO_order_id: Explained(Text("The order's number."), orderStory('SO_order_id')),
  order_date: IsoDate('Order date.'),
  order_time: TimeOfDay('Time of the order.'),
  po_no: Text("Number of the customer's purchase order; empty where there is none."),
  po_date: OrMarker(IsoDate("Date of the customer's purchase order; empty where there is none."), ''),
  party_name: Naming(Text("The customer's name."), customer('customer_code')),
  party_city: Text('City that the order goes to.'),
  warehouse: Text('Warehouse that the line is dispatched from; empty where there is none.'),
  Order_qty: Quantity(4, 'UoM', 'Ordered quantity.'),
  UoM: Text('Unit of the quantities.'),
  rate: Price(4, 'Price of one unit before discount and tax.'),
  Order_value: Amount(2, 'Amount net of discount, before tax.'),
  gst: Amount(2, 'Tax on `Order_value`.'),
  total_amount: Amount(2, 'Amount with tax.'),
  issued_qty: Quantity(4, 'UoM', 'Quantity issued for the line; for a service, invoiced.'),
  last_issue_date: OrMarker(
    IsoDate(
      'Date of the latest issue for the line, for a service of its latest invoice; `Not Issued` where there is none.',
    ),
    'Not Issued',
  ),
  Remaining_qty: Quantity(4, 'UoM', '`Order_qty` − `issued_qty`.'),
  return_qty: Quantity(4, 'UoM', 'Returned quantity: `usable_qty` + `unusable_qty`.'),
  usable_qty: Quantity(4, 'UoM', 'Returned quantity that is back in stock.'),
  unusable_qty: Quantity(4, 'UoM', 'Returned quantity that is not usable.'),
  Return_date: OrMarker(IsoDate('Date of the latest return of the line; `N/A` where there is none.'), 'N/A'),
  SoStatus: InWords(Word(['Accepted', 'Partial Issued', 'Closed'], 'Status of the line.'), orderStatusesInWords),
  invoice_no: Naming(OrNull(Text("Number of the line's latest invoice that is not cancelled.")), invoice('invoice_no')),
  invoice_date: OrNull(ClockTime24('Its time.')),
  pincode: Text('Postal code that the order goes to.'),
  ...extra({
    order_state: InWords(
      Word(['OPEN', 'CLOSED'], 'State of the order, as people set it; nothing more is issued for a CLOSED order.'),
      orderStatusesInWords,
    ),
    customer_code: Text("The customer's code; empty for a walk-in customer."),
  }),
}

/** The order of the records, and the column of it that they do not show. */
export const orderStatusKey = {
  people: [
    'product_name',
    'party_name',
    'Remaining_qty',
    'UoM',
    'order_state',
    'SO_order_id',
    'order_date',
    'Order_qty',
    'total_amount',
    'warehouse',
  ],
  headings: {
    product_name: 'Product',
    party_name: 'Customer',
    Remaining_qty: 'Remaining',
    order_state: 'State',
    SO_order_id: 'Order',
    order_date: 'Date',
    Order_qty: 'Ordered',
    total_amount: 'Amount',
  },
  orderBy: ['order_date', 'SO_order_id', 'line_no'],
  better: {
    Order_qty: 'more',
    Order_value: 'more',
    total_amount: 'more',
    return_qty: 'less',
    unusable_qty: 'less',
  } as const,
  hiddenKey: { line_no: Integer('Number of the line in its order.') },
}

/** Whether a row of order_invoice_line is of an invoice that is not cancelled. */
export const isInvoice = (x: string): Sql => raw(`${x}.status <> 'Cancelled' and ${x}.kind = 'INVOICE'`)

/** The latest of several such rows. */
export const latestInvoice = (x: string): Sql =>
  raw(`max(${x}.invoice_at) as invoice_at,
       (array_agg(${x}.invoice_no order by ${x}.invoice_at desc, ${x}.invoice_no desc))[1] as invoice_no`)

export const orderStatusQuery = (
  { from_date, to_date }: { from_date: string; to_date: string },
  returned: 'with returns' | 'without returns',
): Sql => sql`
  select i.sku as product_sku, i.name as product_name, ${prodType} as "Prod_type", o.order_no as "SO_order_id", l.line_no,
         o.order_date, o.order_time, coalesce(o.po_no, '') as po_no, o.po_date, coalesce(c.name, '') as party_name,
         ${shipTo('city')} as party_city, coalesce(w.location, '') as warehouse, l.qty as "Order_qty", i.unit as "UoM", l.rate,
         l.taxable_amt as "Order_value", l.tax_amt as gst, l.total_amt as total_amount, q.issued_qty, q.last_issue_date,
         l.qty - q.issued_qty as "Remaining_qty", r.usable + r.unusable as return_qty, r.usable as usable_qty,
         r.unusable as unusable_qty, r.last as "Return_date",
         case when q.issued_qty >= l.qty then 'Closed' when q.issued_qty = 0 then 'Accepted'
              else 'Partial Issued' end as "SoStatus",
         v.invoice_no, v.invoice_at as invoice_date, ${shipTo('pincode')} as pincode, o.state as order_state, coalesce(c.code, '') as customer_code
    from sales_order o
    left join customer c on c.code = o.customer_code
    join sales_order_line l on l.order_no = o.order_no
    left join warehouse w on w.id = coalesce(l.warehouse_id, o.warehouse_id)
    join item i on i.id = l.item_id
    join sales_order_line_issued q on q.order_no = l.order_no and q.line_no = l.line_no
   cross join lateral (
     select coalesce(sum(s.usable_qty), 0) as usable, coalesce(sum(s.unusable_qty), 0) as unusable, max(s.return_date) as last
       from sales_return s where s.order_no = l.order_no and s.order_line_no = l.line_no) r
    left join lateral (
      select ${latestInvoice('x')} from order_invoice_line x
       where x.order_no = l.order_no and x.order_line_no = l.line_no and ${isInvoice('x')}) v on true
   where o.order_date between ${from_date}::date and ${to_date}::date and o.state <> 'CANCELLED'
     ${returned === 'without returns' ? raw('and not exists (select from sales_return s where s.order_no = o.order_no)') : raw('')}`
