/** The batches of a trace, each with the balance of its whole history. */
import { join, quotient, raw, sql } from '../../db/sql.js'
import {
  Decimal,
  Explained,
  Integer,
  InWords,
  IsoDate,
  Naming,
  NotAdditive,
  OrNull,
  Quantity,
  Text,
  Word,
} from '../../kernel/report/fields.js'
import { inStock, inTransit, onHold } from '../../ledger/figures.js'
import type { MovementKind } from '../../ledger/kinds.js'
import { batchStory } from '../shared/behind.js'
import { item } from '../shared/things.js'
import { MANY, type TraceShape, tables } from '../shared/trace.js'
import { asWritten } from '../shared/words.js'

const words = ['start', 'forward', 'backward'] as const

/** The kinds of movement that a figure adds up. */
const figures = {
  produced_qty: ['production_receipt'],
  purchased_qty: ['purchase_receipt'],
  returned_qty: ['sales_return'],
  other_in_qty: ['other_receipt'],
  transferred_in_qty: ['transfer_in'],
  consumed_qty: ['consumption'],
  shipped_qty: ['issue'],
  vendor_returned_qty: ['vendor_return'],
  own_use_qty: ['internal_issue'],
  unpacked_qty: ['unpack'],
  wasted_qty: ['trash', 'rejection', 'shortage', 'move_to_bad'],
  transferred_out_qty: ['transfer_out'],
} as const satisfies Record<string, readonly MovementKind[]>

const Moved = (description: string) => Quantity(4, 'unit', description)

const record = {
  direction: InWords(Word(words, '`start`, or the direction in which the trace reached the batch.'), asWritten(words)),
  depth: Integer('Smallest number of links from a start; 0 for a start.'),
  sku: Naming(Text("The item's code."), item('sku')),
  name: Naming(Text("The item's name."), item('sku')),
  unit: Text('Unit of the quantities.'),
  batch_no: Explained(Text('Number of the batch.'), batchStory('batch_no', 'sku')),
  supplier_lot: OrNull(Text('Its number at the vendor.')),
  source: InWords(
    Word(['PRODUCED', 'PROCURED', 'MANUAL'], 'Where the batch comes from.'),
    asWritten(['PRODUCED', 'PROCURED', 'MANUAL']),
  ),
  mfg_date: OrNull(IsoDate('Date of manufacture.')),
  expiry_date: OrNull(IsoDate('Date of expiry.')),
  made_qty: OrNull(
    Moved('Quantity of the production record without the wastage; null for a batch that was not produced here.'),
  ),
  produced_qty: Moved('Received from production.'),
  purchased_qty: Moved('Received from vendors.'),
  returned_qty: Moved('Returned by customers into the stock.'),
  other_in_qty: Moved('Other receipts.'),
  transferred_in_qty: Moved('Arrived from other warehouses.'),
  consumed_qty: Moved('Consumed in production.'),
  shipped_qty: Moved('Issued to customers.'),
  vendor_returned_qty: Moved('Returned to vendors.'),
  own_use_qty: Moved('Issued without an order: samples, own use.'),
  unpacked_qty: Moved('Taken apart.'),
  wasted_qty: Moved('Trashed, rejected, missing, or moved to bad stock.'),
  transferred_out_qty: Moved('Left for other warehouses.'),
  stock_qty: Moved('Stock, on hold or not.'),
  hold_qty: Moved('On hold.'),
  in_transit_qty: Moved('`transferred_out_qty` − `transferred_in_qty`.'),
  unexplained_qty: Moved('`made_qty` − `produced_qty`; 0 if it was not produced here.'),
  accounted_percent: NotAdditive(
    Decimal(2, '`produced_qty` in percent of `made_qty`; 100.00 if nothing was made or it was not produced here.'),
  ),
}

const sums = join(
  Object.entries(figures).map(([name, kinds]) =>
    raw(`coalesce(sum(m.qty) filter (where m.kind in (${kinds.map((kind) => `'${kind}'`).join(', ')})), 0) as ${name}`),
  ),
  ', ',
)
const always = raw('true')

export const batches: TraceShape = {
  record,
  people: [
    ...['batch_no', 'name', 'direction', 'depth', 'made_qty', 'consumed_qty', 'shipped_qty', 'stock_qty', 'unit'],
    'expiry_date',
  ],
  headings: { batch_no: 'Batch', name: 'Item', made_qty: 'Made', consumed_qty: 'Consumed', shipped_qty: 'Shipped' },
  better: { wasted_qty: 'less', accounted_percent: 'more' },
  orderBy: ['direction', 'depth', 'sku', 'batch_no'],
  query: (asked) => sql`
    with ${tables(asked)},
    balance as materialized (
      select b.item_id, i.sku, i.name, i.unit, b.batch_no, b.supplier_lot, b.source, b.mfg_date, b.expiry_date, b.qty - b.wastage as made_qty,
             ${sums}, ${inStock('qty', always)} as stock_qty, ${onHold('qty', always)} as hold_qty, ${inTransit} as in_transit_qty
        from traced t
        join batch b on b.item_id = t.item_id and b.batch_no = t.batch_no
        join item i on i.id = b.item_id
        left join stock_movement m on m.item_id = b.item_id and m.batch_no = b.batch_no
       cross join ${MANY}
       group by b.item_id, i.sku, i.name, i.unit, b.batch_no, b.supplier_lot, b.source, b.mfg_date, b.expiry_date, b.qty, b.wastage)
    select r.direction, r.depth, s.*, coalesce(s.made_qty - s.produced_qty, 0) as unexplained_qty,
           coalesce(${quotient(raw('100 * s.produced_qty'), raw('nullif(s.made_qty, 0)'))}, 100) as accounted_percent
      from (select distinct case depth when 0 then 'start' else direction end as direction, depth, item_id, batch_no from reached) r
      join balance s on s.item_id = r.item_id and s.batch_no = r.batch_no`,
}
