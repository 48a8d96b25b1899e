/** Batch story: the materials of a batch, its receipts into stock and its issues. */
import { identifier, join, type Sql, sql } from '../../db/sql.js'
import type { Group } from '../../groups.js'
import {
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
import { Optional, TextParam } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { flows } from '../../ledger/figures.js'
import { batchStory } from '../shared/behind.js'
import { documentColumns, documents, kindColumn, kindWords } from '../shared/movement.js'
import { isInvoice, latestInvoice } from '../shared/order-status.js'
import { batch, invoice, item } from '../shared/things.js'
import { asWritten, only, position } from '../shared/words.js'

const storyKinds = ['production', ...kindWords]
const steps = ['made-from', 'made', 'received', 'went-to', 'held'] as const

/** Columns that name a party or its documents, and the types of the documents that each group has. */
const named = ['party', 'document_no', 'order_no', 'po_no', 'invoice_no']
const documentsOf = { sales: ['sales order', 'invoice'], purchase: ['goods receipt'] } as const

/** These columns, null for documents of groups that the caller may not use. */
function shownColumns(without: readonly Group[]): Sql {
  const hidden = Object.entries(documentsOf).flatMap(([group, types]) =>
    without.includes(group as Group) ? types : [],
  )
  return join(
    named.map((name) =>
      hidden.length === 0
        ? identifier(name)
        : sql`case when document_type <> all(${hidden}::text[]) then ${identifier(name)} end as ${identifier(name)}`,
    ),
    ', ',
  )
}

export default defineReport({
  id: 'production.batch-story',
  method: 'POST',
  path: '/v1/production/batch-story',
  title: 'Story of a batch',
  summary: 'Where a batch came from and where it went',
  askedAs: [
    'history of one batch: where it came from and where it went',
    'ingredients of a batch, orders that got it',
    'what went into a batch',
  ],
  description: `The story of one batch, produced, purchased or entered by hand, ordered by \`sku\`, step, \`date\`, \`item_sku\` and \`movement_no\`. Batches of
several items may have the same number: \`sku\` selects one item.

| \`step\` | records |
|---|---|
| made-from | materials that production consumed for the batch, each with its own batch: ask for the story of that batch to go further back |
| made | the production record: \`qty\` is the quantity produced, without the wastage |
| received | receipts into stock: from production, from a vendor, by transfer, returned by a customer, or otherwise |
| went-to | issues from stock: to a customer, into a later batch, to another warehouse, rejected, trashed and the like |
| held | stock that was put on hold or released |

Every record except \`made\` is a movement of the ledger. Quantities are positive; the stock of the batch is the sum of received minus the sum
of went-to. \`invoice_no\` is the latest invoice of the order line that is not cancelled. \`party\` and the numbers of documents are null for a caller who may not use their group: \`sales\` for orders and
invoices, \`purchase\` for purchase orders and goods receipts. A batch that does not exist has no records.`,
  request: {
    batch_no: TextParam('Number of the batch.', 'B260516-001'),
    sku: Optional(TextParam('Code of its item, if batches of several items have this number.', 'FG-0005')),
  },
  record: {
    sku: Naming(Text("Code of the batch's item."), item('sku')),
    batch_no: Naming(Text('Number of the batch.'), batch('sku', 'batch_no')),
    step: InWords(Word(steps, 'Step in the story of the batch.'), asWritten(steps)),
    date: IsoDate('Day of the step.'),
    kind: InWords(
      Word(storyKinds, 'Kind of the movement; `production` for the production record.'),
      asWritten(storyKinds),
    ),
    ...documents,
    document_no: OrNull(documents.document_no),
    invoice_no: Naming(OrNull(Text('Number of the invoice.')), invoice('invoice_no')),
    party: OrNull(Text('Name of the customer, or of the vendor.')),
    item_sku: Naming(
      Text('Code of the item that moved: the material for made-from, else the same as `sku`.'),
      item('item_sku'),
    ),
    item_name: Naming(Text('Name of the item that moved.'), item('item_sku')),
    batch: OrNull(
      Explained(Text('Batch that moved; null if the item is not kept by batch.'), batchStory('batch', 'item_sku')),
    ),
    qty: Quantity(4, 'unit', 'Quantity.'),
    unit: Text('Unit of the quantity.'),
    warehouse: Text('Warehouse of the step.'),
    movement_no: OrNull(Text('Number of the movement in the ledger; null for the production record.')),
  },
  people: ['date', 'step', 'kind', 'item_name', 'qty', 'unit', 'batch', 'party', 'document_no', 'warehouse'],
  headings: { item_name: 'Item', document_no: 'Document' },
  orderBy: ['sku', 'step_no', 'date', 'item_sku', 'movement_no'],
  hiddenKey: { step_no: Integer('Number of the step, from 1 for made-from to 5 for held.') },
  masks: ['sales', 'purchase'],
  query: ({ batch_no, sku }, { without }) => sql`
    with story as materialized (
      select b.*, i.sku, i.name, i.unit from batch b join item i on i.id = b.item_id
       where b.batch_no = ${batch_no} ${only(sku, (code) => sql`i.sku = ${code}`)}),
    moved as (
      select s.sku as story_sku, s.batch_no as story_no, 'made-from' as step, m.*
        from story s join stock_movement m on m.for_item_id = s.item_id and m.for_batch_no = s.batch_no
      union all
      select s.sku, s.batch_no,
             case when ${flows('in')} then 'received' when ${flows('out')} then 'went-to' else 'held' end, m.*
        from story s join stock_movement m on m.item_id = s.item_id and m.batch_no = s.batch_no),
    event as (
      select m.story_sku as sku, m.story_no as batch_no, m.step, m.movement_date as date, ${kindColumn} as kind,
             ${documentColumns}, coalesce(m.invoice_no, v.invoice_no) as invoice_no, coalesce(c.name, d.name) as party, i.sku as item_sku, i.name as item_name,
             m.batch_no as batch, m.qty, i.unit, w.location as warehouse, m.movement_no
        from moved m
        join item i on i.id = m.item_id
        join warehouse w on w.id = m.warehouse_id
        left join (select order_no, customer_code from sales_order where order_no in (select order_no from moved)) o
          on o.order_no = m.order_no
        left join (select invoice_no, customer_code from invoice where invoice_no in (select invoice_no from moved)) n
          on n.invoice_no = m.invoice_no
        left join customer c on c.code = coalesce(o.customer_code, n.customer_code)
        left join (select po_no, vendor_code from purchase_order where po_no in (select po_no from moved)) po
          on po.po_no = m.po_no
        left join vendor d on d.code = po.vendor_code
        left join (select order_no, order_line_no, ${latestInvoice('x')} from order_invoice_line x
                    where ${isInvoice('x')} and order_no in (select order_no from moved)
                    group by 1, 2) v on v.order_no = m.order_no and v.order_line_no = m.order_line_no
      union all
      select s.sku, s.batch_no, 'made', s.batch_date, 'production', 'batch', s.batch_no, null, null, null, null, null, null, null,
             s.sku, s.name, s.batch_no, s.qty - s.wastage, s.unit, w.location, null
        from story s join warehouse w on w.id = s.warehouse_id
       where s.source = 'PRODUCED')
    select sku, batch_no, step, date, kind, document_type, work_order_no, used_in_sku, used_in_batch, item_sku, item_name, batch, qty, unit,
           warehouse, movement_no, ${position(steps, 'step')} as step_no, ${shownColumns(without)}
      from event`,
})
