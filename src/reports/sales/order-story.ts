/** Sales order story: the lines of one order, its dispatches, invoices and returns. */
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
import { customer, invoice, item, order } from '../shared/things.js'
import { asWritten, lineItem, orderStatusesInWords, position } from '../shared/words.js'

const documentTypes = ['sales order', 'movement', 'invoice', 'return'] as const
const steps = ['ordered', 'dispatched', 'invoiced', 'invoice-cancelled', 'returned', 'back-in-stock'] as const

export default defineReport({
  id: 'sales.order-story',
  method: 'POST',
  path: '/v1/sales/order-story',
  title: 'Story of an order',
  summary: 'Lines, dispatches, invoices and returns of a sales order',
  askedAs: [
    'what happened with one sales order',
    'history of an order from start to end: dispatches, invoices, returns',
    'was an order invoiced or shipped',
  ],
  description: `The story of one order, ordered by \`date\`, step, \`document_no\`, \`line_no\`, \`sku\` and the line of the invoice.

| \`step\` | records | \`qty\` |
|---|---|---|
| ordered | the lines of the order | ordered; \`remaining_qty\` is not issued yet |
| dispatched | each issue in the ledger, item by item: the components of a combo | issued |
| invoiced | the lines of invoices | invoiced |
| invoice-cancelled | the lines of cancelled invoices, on the day of the invoice | invoiced before |
| returned | the lines of returns | returned; \`usable_qty\` of it is usable |
| back-in-stock | each usable return in the ledger | back in stock |

The quantities add up to the quantities of the order status and of the order dispatch. People set \`order_state\`; the books have no
day for CLOSED and CANCELLED. An order that does not exist has no records.`,
  request: { order_no: TextParam('Number of the order.', 'SO-000001') },
  record: {
    order_no: Naming(Text("The order's number."), order('order_no')),
    order_state: InWords(
      Word(['OPEN', 'CLOSED', 'CANCELLED'], 'State of the order, as people set it.'),
      orderStatusesInWords,
    ),
    party: Naming(Text("The customer's name."), customer('customer_code')),
    customer_code: Text("The customer's code; empty for a walk-in customer."),
    step: InWords(Word(steps, 'Step in the story of the order.'), asWritten(steps)),
    date: IsoDate('Day of the step.'),
    document_type: InWords(Word(documentTypes, 'The type of the document in `document_no`.'), asWritten(documentTypes)),
    document_no: Naming(Text('Number of the order, of the movement in the ledger, of the invoice or of the return.'), {
      ...invoice('document_no'),
      when: { field: 'document_type', is: 'invoice' },
    }),
    line_no: Integer('Number of the order line.'),
    sku: Naming(
      Text("The item's code: for a dispatch or a return into stock the item that moved, else the ordered item."),
      item('sku'),
    ),
    name: Naming(Text('Its name.'), item('sku')),
    qty: Quantity(4, 'unit', 'Quantity.'),
    unit: Text('Its unit.'),
    remaining_qty: OrNull(
      Quantity(4, 'unit', 'Ordered − issued, in units of the ordered item; only for an ordered line.'),
    ),
    usable_qty: OrNull(Quantity(4, 'unit', 'Usable part of `qty`; only for a return.')),
    amount: OrNull(Amount(2, 'Ordered, invoiced or credited amount before tax; null for movements.')),
    total_amount: OrNull(Amount(2, '`amount` with tax.')),
    warehouse: OrNull(Text('Warehouse that the line is dispatched from, or of the movement; null for documents.')),
    batch: OrNull(
      Explained(Text('Batch that moved; null for documents and stock not kept by batch.'), batchStory('batch', 'sku')),
    ),
  },
  people: ['date', 'step', 'document_no', 'name', 'qty', 'unit', 'remaining_qty', 'amount', 'warehouse', 'batch'],
  headings: { document_no: 'Document', name: 'Item', remaining_qty: 'Remaining' },
  orderBy: ['date', 'step_no', 'document_no', 'line_no', 'sku', 'part_no'],
  hiddenKey: {
    step_no: Integer('Number of the step, from 1 for ordered to 6 for back-in-stock.'),
    part_no: Integer('Number of the line in its invoice; 0 for all other records.'),
  },
  query: ({ order_no }) => sql`
    with event as (
      select 'ordered' as step, o.order_date as date, 'sales order' as document_type, l.order_no as document_no, l.line_no,
             l.item_id, l.description, l.qty,
             case when l.item_id is not null then l.qty - q.issued_qty else 0 end as remaining_qty, null::numeric as usable_qty, l.taxable_amt as amount,
             l.total_amt as total_amount, coalesce(l.warehouse_id, o.warehouse_id) as warehouse_id, null as batch, 0 as part_no
        from sales_order o
        join sales_order_line l on l.order_no = o.order_no
        join sales_order_line_issued q on q.order_no = l.order_no and q.line_no = l.line_no
       where o.order_no = ${order_no}
      union all
      select case m.kind when 'issue' then 'dispatched' else 'back-in-stock' end, m.movement_date, 'movement', m.movement_no,
             m.order_line_no, m.item_id, '', m.qty, null, null, null, null, m.warehouse_id, m.batch_no, 0
        from sales_order o join order_movement m on m.order_no = o.order_no
       where o.order_no = ${order_no}
      union all
      select case x.status when 'Cancelled' then 'invoice-cancelled' else 'invoiced' end, x.invoice_at::date, 'invoice',
             x.invoice_no, x.order_line_no, coalesce(x.item_id, l.item_id), x.description, x.qty, null, null, x.taxable_value,
             x.total_value, null, null, x.line_no
        from order_invoice_line x
        join sales_order_line l on l.order_no = x.order_no and l.line_no = x.order_line_no
       where x.order_no = ${order_no}
      union all
      select 'returned', r.return_date, 'return', r.return_no, r.order_line_no, l.item_id, '', r.usable_qty + r.unusable_qty,
             null,
             r.usable_qty, r.taxable_amt, r.taxable_amt + r.tax_amt, null, null, 0
        from sales_return r
        join sales_order_line l on l.order_no = r.order_no and l.line_no = r.order_line_no
       where r.order_no = ${order_no})
    select o.order_no, o.state as order_state, coalesce(c.name, '') as party, coalesce(c.code, '') as customer_code, e.*, ${position(steps, 'e.step')} as step_no, ${lineItem('e')},
           w.location as warehouse
      from event e
      join sales_order o on o.order_no = ${order_no}
      left join customer c on c.code = o.customer_code
      left join item i on i.id = e.item_id
      left join warehouse w on w.id = e.warehouse_id`,
})
