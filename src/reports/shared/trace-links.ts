/** A trace as links: what moved from a party or a batch to another. */
import { raw, type Sql, sql } from '../../db/sql.js'
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
import { batchStory } from '../shared/behind.js'
import { item } from '../shared/things.js'
import { documentNo, type TraceShape, tables, withParties } from '../shared/trace.js'
import { asWritten } from '../shared/words.js'

const words = ['received', 'consumed', 'shipped', 'returned', 'vendor-returned'] as const

export const direction = InWords(
  Word(['forward', 'backward'], 'Direction in which the trace followed the batch.'),
  asWritten(['forward', 'backward']),
)

const record = {
  direction,
  depth: Integer('Number of links from the start up to and with this one.'),
  link: InWords(Word(words, 'How it moved.'), asWritten(words)),
  from_sku: Naming(OrNull(Text('Code of the item that moved; null if it comes from a party.')), item('from_sku')),
  from_batch: OrNull(
    Explained(Text('Its batch; null for stock without a batch.'), batchStory('from_batch', 'from_sku')),
  ),
  from_party: OrNull(Text('Name of the vendor, or of the customer who returned it.')),
  from_document: OrNull(Text('Number of the goods receipt; of the order for a return, or of its invoice without one.')),
  to_sku: Naming(
    OrNull(Text('Code of the item that was made of it or came in; null if it went to a party, or nobody knows.')),
    item('to_sku'),
  ),
  to_batch: OrNull(Explained(Text('Its batch; null if there is none.'), batchStory('to_batch', 'to_sku'))),
  to_party: OrNull(Text('Name of the customer, or of the vendor who got it back.')),
  to_document: OrNull(
    Text('Number of the order, or of its invoice without one; of the goods receipt for a return to the vendor.'),
  ),
  qty: Quantity(4, 'unit', 'Quantity that moved.'),
  unit: Text('Unit of the item that moved.'),
  first_date: IsoDate('Day of the first movement.'),
  last_date: IsoDate('Day of the last movement.'),
  movements: Integer('Number of movements.'),
}

/** What one end of a link has for each kind of movement; null for the other kinds. */
const byKind = (values: Readonly<Record<string, string>>): Sql => {
  const kinds = Object.entries(values).filter(([, value]) => value !== 'null')
  return kinds.length === 0
    ? raw('null::text')
    : raw(`case m.kind ${kinds.map(([kind, value]) => `when '${kind}' then ${value}`).join(' ')} end`)
}

export const links: TraceShape = {
  record,
  people: [
    'link',
    'from_party',
    'from_sku',
    'from_batch',
    'to_sku',
    'to_batch',
    'to_party',
    'qty',
    'unit',
    'last_date',
  ],
  headings: { from_sku: 'From item', to_sku: 'To item', last_date: 'Last' },
  orderBy: [
    ...['direction', 'depth', 'link', 'from_sku', 'from_batch', 'from_party', 'from_document'],
    ...['to_sku', 'to_batch', 'to_party', 'to_document'],
  ],
  query: (asked, { without }) => {
    const sales = (value: string) => (without.includes('sales') ? 'null' : value)
    const purchase = (value: string) => (without.includes('purchase') ? 'null' : value)
    const [customer, vendor] = [sales('c.name'), purchase('v.name')]
    const [sold, bought] = [sales(documentNo), purchase(documentNo)]
    const ends = (own: string) => ({ consumption: own, issue: own, vendor_return: own })
    return sql`
    with ${tables(asked)},
    used as materialized (
      select direction, depth, kind, item_id, batch_no, movement_date, qty, order_no, invoice_no, po_no, grn_no, for_item_id, for_batch_no
        from moved
      union all
      select r.direction, r.depth + 1, m.kind, m.item_id, m.batch_no, m.movement_date, m.qty, null, null, null, null, m.for_item_id, m.for_batch_no
        from reached r join stock_movement m on m.item_id = r.item_id and m.batch_no = r.batch_no
       where r.direction = 'forward' and m.kind = 'consumption'
      union all
      select r.direction, r.depth + 1, m.kind, m.item_id, m.batch_no, m.movement_date, m.qty, null, null, null, null, m.for_item_id, m.for_batch_no
        from reached r join stock_movement m on m.for_item_id = r.item_id and m.for_batch_no = r.batch_no
       where r.direction = 'backward')
    select direction, depth, link, from_sku, from_batch, from_party, from_document, to_sku, to_batch, to_party, to_document,
           sum(qty) as qty, unit, min(movement_date) as first_date, max(movement_date) as last_date, count(*) as movements
      from (select m.direction, m.depth,
                   ${byKind({
                     purchase_receipt: `'received'`,
                     consumption: `'consumed'`,
                     issue: `'shipped'`,
                     sales_return: `'returned'`,
                     vendor_return: `'vendor-returned'`,
                   })} as link,
                   ${byKind(ends('i.sku'))} as from_sku, ${byKind(ends('m.batch_no'))} as from_batch,
                   ${byKind({ purchase_receipt: vendor, sales_return: customer })} as from_party,
                   ${byKind({ purchase_receipt: bought, sales_return: sold })} as from_document,
                   ${byKind({ consumption: 'f.sku', purchase_receipt: 'i.sku', sales_return: 'i.sku' })} as to_sku,
                   ${byKind({ consumption: 'm.for_batch_no', purchase_receipt: 'm.batch_no', sales_return: 'm.batch_no' })} as to_batch,
                   ${byKind({ issue: customer, vendor_return: vendor })} as to_party,
                   ${byKind({ issue: sold, vendor_return: bought })} as to_document,
                   m.qty, i.unit, m.movement_date
              from used m
              join item i on i.id = m.item_id
              left join item f on f.id = m.for_item_id ${withParties('moved')}) l
     group by direction, depth, link, from_sku, from_batch, from_party, from_document, to_sku, to_batch, to_party, to_document, unit`
  },
}
