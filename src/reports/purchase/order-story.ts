/** Purchase order story: the lines of one order, and their receipts. */
import { sql } from '../../db/sql.js'
import {
  Amount,
  Explained,
  Integer,
  InWords,
  IsoDate,
  Naming,
  OrNull,
  Quantity,
  Text,
  Word,
} from '../../kernel/report/fields.js'
import { TextParam } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { batchStory } from '../shared/behind.js'
import { item, purchaseOrder, vendor } from '../shared/things.js'
import { asWritten, lineItem, orderStatusesInWords, poStatuses, position } from '../shared/words.js'

const documentTypes = ['purchase order', 'goods receipt', 'movement'] as const
const steps = ['ordered', 'received', 'stocked', 'returned'] as const

export default defineReport({
  id: 'purchase.order-story',
  method: 'POST',
  path: '/v1/purchase/order-story',
  title: 'Story of a purchase order',
  summary: 'Lines, receipts and returns of a purchase order',
  askedAs: [
    'what happened with one purchase order',
    'history of a PO: when its goods came in, what was received and returned',
    'receipts and returns of one PO',
  ],
  description: `The story of one purchase order, ordered by \`date\`, step, \`document_no\`, \`line_no\`, \`sku\` and the line of the receipt.

| \`step\` | records | \`qty\` |
|---|---|---|
| ordered | the lines of the order | ordered; \`pending_qty\` is still to be delivered |
| received | the lines of goods receipts (GRN) | accepted; beside \`received_qty\` and \`rejected_qty\` |
| stocked | each purchase receipt in the ledger, with its batch | booked into stock |
| returned | each return to the vendor in the ledger that names the receipt | taken out of stock |

\`pending_qty\` = ordered − accepted, never below 0, and 0 for an order that is closed or cancelled, as in the open purchase orders.
\`po_status\` is the current status of the whole order. An order that does not exist has no records.`,
  request: { pono: TextParam('Number of the purchase order.', 'PO-00001') },
  record: {
    pono: Naming(Text('Number of the purchase order.'), purchaseOrder('pono')),
    po_status: InWords(Word(poStatuses, 'Status of the order.'), orderStatusesInWords),
    party: Naming(Text("The vendor's name."), vendor('vendor_code')),
    vendor_code: Text("The vendor's code."),
    step: InWords(Word(steps, 'Step in the story of the order.'), asWritten(steps)),
    date: IsoDate('Day of the step.'),
    document_type: InWords(Word(documentTypes, 'The type of the document in `document_no`.'), asWritten(documentTypes)),
    document_no: Text('Number of the purchase order, of the goods receipt or of the movement in the ledger.'),
    grn_no: OrNull(Text('Number of the goods receipt; null for ordered lines.')),
    line_no: OrNull(Integer('Number of the order line; null for movements, because the ledger does not have it.')),
    sku: Naming(Text("The item's code."), item('sku')),
    name: Naming(Text("The item's name."), item('sku')),
    qty: Quantity(4, 'unit', 'Quantity.'),
    unit: Text('Unit of the quantity.'),
    pending_qty: OrNull(Quantity(4, 'unit', 'Quantity still to be delivered; only for an ordered line.')),
    received_qty: OrNull(Quantity(4, 'unit', 'Quantity that came, accepted or not; only for a receipt.')),
    rejected_qty: OrNull(Quantity(4, 'unit', 'Quantity of it that was rejected; only for a receipt.')),
    amount: OrNull(Amount(2, 'Ordered or accepted amount before tax; null for movements.')),
    total_amount: OrNull(Amount(2, '`amount` with tax.')),
    warehouse: Text('Warehouse that is to receive the goods, or that received them; empty where there is none.'),
    batch: OrNull(
      Explained(
        Text('Batch that the movement names; null for documents and stock not kept by batch.'),
        batchStory('batch', 'sku'),
      ),
    ),
  },
  people: ['date', 'step', 'document_no', 'name', 'qty', 'unit', 'pending_qty', 'amount', 'warehouse', 'batch'],
  headings: { document_no: 'Document', name: 'Item', pending_qty: 'Pending' },
  orderBy: ['date', 'step_no', 'document_no', 'line_no', 'sku', 'part_no'],
  hiddenKey: {
    step_no: Integer('Number of the step: 1 ordered, 2 received, 3 stocked, 4 returned.'),
    part_no: Integer('Number of the line in its receipt; 0 for all other records.'),
  },
  query: ({ pono }) => sql`
    with event as (
      select 'ordered' as step, po.po_date as date, 'purchase order' as document_type, l.po_no as document_no,
             null as grn_no, l.line_no, l.item_id, l.description, l.qty,
             case when po.state = 'OPEN' and l.item_id is not null then greatest(l.qty - r.received_qty, 0) else 0 end
               as pending_qty,
             null::numeric as received_qty, null::numeric as rejected_qty, l.taxable_amt as amount,
             l.total_amt as total_amount, po.warehouse_id, null as batch, 0 as part_no
        from purchase_order po
        join purchase_order_line l on l.po_no = po.po_no
        join purchase_order_line_received r on r.po_no = l.po_no and r.line_no = l.line_no
       where po.po_no = ${pono}
      union all
      select 'received', g.receipt_date, 'goods receipt', g.grn_no, g.grn_no, r.po_line_no, l.item_id, l.description, r.accepted_qty, null,
             r.received_qty, r.rejected_qty, r.taxable_amt, r.total_amt, coalesce(r.warehouse_id, g.warehouse_id),
             null, r.line_no
        from goods_receipt g
        join goods_receipt_line r on r.po_no = g.po_no and r.grn_no = g.grn_no
        join purchase_order_line l on l.po_no = r.po_no and l.line_no = r.po_line_no
       where g.po_no = ${pono}
      union all
      select case m.kind when 'purchase_receipt' then 'stocked' else 'returned' end, m.movement_date, 'movement', m.movement_no, m.grn_no, null, m.item_id, '', m.qty, null, null, null, null,
             null, m.warehouse_id, m.batch_no, 0
        from purchase_order po join receipt_movement m on m.po_no = po.po_no
       where po.po_no = ${pono} and m.grn_no is not null)
    select po.po_no as pono, s.po_status, v.name as party, v.code as vendor_code, e.*, ${position(steps, 'e.step')} as step_no, ${lineItem('e')},
           coalesce(w.location, '') as warehouse
      from event e
      join purchase_order po on po.po_no = ${pono}
      join purchase_order_status s on s.po_no = po.po_no
      join vendor v on v.code = po.vendor_code
      left join item i on i.id = e.item_id
      left join warehouse w on w.id = e.warehouse_id`,
})
