/** How reports show a movement of the ledger: its kind in words, and the documents that it belongs to. */
import { raw, type Sql } from '../../db/sql.js'
import { Explained, InWords, Naming, OrNull, Text, type Thing, Word } from '../../kernel/report/fields.js'
import { kinds } from '../../ledger/kinds.js'
import { batchStory, orderStory, purchaseStory } from '../shared/behind.js'
import { batch, invoice, item, order, purchaseOrder, workOrder } from '../shared/things.js'
import { asWritten } from '../shared/words.js'

export const kindWords = Object.keys(kinds).map((kind) => kind.replaceAll('_', ' '))

export const documentTypes = ['sales order', 'invoice', 'goods receipt', 'batch', 'movement'] as const

/** A thing that `document_no` names, if the document is of this type. */
const named = (is: (typeof documentTypes)[number], thing: Thing): Thing => ({
  ...thing,
  when: { field: 'document_type', is },
})

/** The documents that a movement belongs to. */
export const documents = {
  document_type: InWords(Word(documentTypes, 'The type of the document in `document_no`.'), asWritten(documentTypes)),
  document_no: Naming(
    Text(
      'Number of the sales order for an issue or a return, or of its invoice if there is no order; of the goods receipt for purchased goods; of the batch for produced or consumed goods; of the movement itself for any other kind.',
    ),
    named('sales order', order('document_no')),
    named('invoice', invoice('document_no')),
    named('goods receipt', purchaseOrder('po_no')),
    named('batch', batch('used_in_sku', 'used_in_batch')),
  ),
  order_no: OrNull(Explained(Text('Number of the sales order.'), orderStory('order_no'))),
  po_no: OrNull(Explained(Text('Number of the purchase order.'), purchaseStory('po_no'))),
  work_order_no: Naming(
    OrNull(Text('Number of the work order; only for a consumption or a production receipt.')),
    workOrder('work_order_no'),
  ),
  used_in_sku: Naming(
    OrNull(Text('Code of the item that was made from it; only for a consumption.')),
    item('used_in_sku'),
  ),
  used_in_batch: OrNull(
    Explained(
      Text('Number of the batch that it went into; only for a consumption.'),
      batchStory('used_in_batch', 'used_in_sku'),
    ),
  ),
}

/** The kind of the movement `m`. */
export const kindColumn: Sql = raw(`replace(m.kind::text, '_', ' ')`)

/** The same fields as columns, for a movement `m`. */
export const documentColumns: Sql = raw(`
  case when m.order_no is not null then 'sales order' when m.invoice_no is not null then 'invoice' when m.grn_no is not null then 'goods receipt'
       when m.for_batch_no is not null or m.kind = 'production_receipt' and m.batch_no is not null then 'batch'
       else 'movement' end as document_type,
  coalesce(m.order_no, m.invoice_no, m.grn_no, m.for_batch_no, case m.kind when 'production_receipt' then m.batch_no end, m.movement_no)
    as document_no,
  m.order_no, m.po_no, m.work_order_no, (select sku from item where id = m.for_item_id) as used_in_sku, m.for_batch_no as used_in_batch`)
