/** Open purchase orders: the quantities that vendors still have to deliver. */
import { raw, sql } from '../../db/sql.js'
import {
  Explained,
  extra,
  Integer,
  InWords,
  IsoDate,
  Naming,
  OrMarker,
  Quantity,
  Text,
  WholeText,
  Word,
} from '../../kernel/report/fields.js'
import { dateRange } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { purchaseStory } from '../shared/behind.js'
import { item, vendor } from '../shared/things.js'
import { orderStatusesInWords, today } from '../shared/words.js'

const delivery = raw('coalesce(l.delivery_date, po.delivery_date)')

export default defineReport({
  id: 'partner.pending-deliveries',
  method: 'POST',
  path: '/v1/partner/pending-deliveries',
  title: 'Pending deliveries',
  summary: 'Lines of purchase orders that are still to be delivered',
  askedAs: [
    'deliveries that vendors still owe us, overdue or pending',
    'on order and not received yet, open purchase order lines',
    'what is expected to come in',
  ],
  description: `One record per order line with a pending quantity, of purchase orders with a PO date in the range, ordered by \`po_date\`, \`po_no\` and
line. Closed and cancelled orders have no pending quantity. The range may be of any length.

\`pending_qty\` is the ordered quantity − the quantity accepted by goods receipts. \`PO_Status\` is \`Raised\` while nothing of the whole order has been received,
else \`Partial Received\`. \`days_no\` counts from today, in the account's time zone, and is negative once the delivery is overdue.`,
  dependsOnToday: true,
  request: dateRange,
  perPage: 500,
  record: {
    po_no: Explained(Text("The purchase order's number."), purchaseStory('po_no')),
    po_date: IsoDate('Its date.'),
    PO_Status: InWords(
      Word(['Raised', 'Partial Received'], 'Whether anything of the order has been received.'),
      orderStatusesInWords,
    ),
    item_code: Naming(Text("The item's code."), item('item_code')),
    product_name: Naming(Text("The item's name."), item('item_code')),
    pending_qty: Quantity(4, 'uom', 'Quantity still to be delivered.'),
    uom: Text('Its unit.'),
    seller_name: Naming(Text("The vendor's name."), vendor('vendor_code')),
    seller_location: Text('City, state and pincode of the vendor.'),
    buyer_shipping_location: Text('City, state and pincode of the warehouse.'),
    delivery_date: OrMarker(
      IsoDate('Agreed delivery date of the line, or of the order if the line has none; empty if neither has one.'),
      '',
    ),
    days_no: OrMarker(
      WholeText('Days from today to the delivery date; negative if the delivery is overdue, empty without a date.'),
      '',
    ),
    ...extra({ vendor_code: Text("The vendor's code.") }),
  },
  people: ['product_name', 'seller_name', 'pending_qty', 'uom', 'delivery_date', 'days_no', 'po_no', 'PO_Status'],
  headings: {
    product_name: 'Product',
    seller_name: 'Vendor',
    pending_qty: 'Pending',
    delivery_date: 'Due',
    days_no: 'Days',
    po_no: 'Order',
    PO_Status: 'State',
  },
  orderBy: ['po_date', 'po_no', 'line_no'],
  hiddenKey: { line_no: Integer('Number of the line in its purchase order.') },
  query: ({ from_date, to_date }) => sql`
    select po.po_no, po.po_date, l.line_no, case s.status_code when 1 then 'Raised' else 'Partial Received' end as "PO_Status",
           i.sku as item_code, i.name as product_name, l.qty - r.received_qty as pending_qty, i.unit as uom,
           v.name as seller_name, v.code as vendor_code,
           concat_ws(', ', nullif(v.city, ''), nullif(v.state, ''), nullif(v.pincode, '')) as seller_location,
           concat_ws(', ', nullif(w.city, ''), nullif(w.state, ''), nullif(w.pincode, '')) as buyer_shipping_location,
           ${delivery} as delivery_date, ${delivery} - ${today} as days_no
      from purchase_order po
      join purchase_order_status s on s.po_no = po.po_no
      join purchase_order_line l on l.po_no = po.po_no
      join purchase_order_line_received r on r.po_no = l.po_no and r.line_no = l.line_no
      join item i on i.id = l.item_id
      join vendor v on v.code = po.vendor_code
      left join warehouse w on w.id = po.warehouse_id
     where po.po_date between ${from_date}::date and ${to_date}::date and po.state = 'OPEN' and l.qty > r.received_qty`,
})
