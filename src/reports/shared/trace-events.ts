/** The events of a trace that food authorities ask for: receipts, production and shipments. */
import { raw, type Sql, sql } from '../../db/sql.js'
import { Explained, InWords, IsoDate, Naming, OrNull, Quantity, Text, Word } from '../../kernel/report/fields.js'
import { batchStory } from '../shared/behind.js'
import { item } from '../shared/things.js'
import { inOneLine, MANY, placeParts, type TraceShape, tables, withParties } from '../shared/trace.js'
import { asWritten, shipTo } from '../shared/words.js'

const words = ['Receiving', 'Transformation', 'Shipping'] as const
const documents = ['goods receipt', 'work order', 'batch', 'sales order', 'invoice'] as const

const record = {
  event: InWords(Word(words, 'Kind of the event.'), asWritten(words)),
  lot: OrNull(Explained(Text('Number of the batch; null for stock without a batch.'), batchStory('lot', 'item'))),
  item: Naming(Text("The item's code."), item('item')),
  description: Naming(Text("The item's name."), item('item')),
  qty: Quantity(4, 'unit', 'Quantity received, produced or shipped.'),
  unit: Text('Its unit.'),
  date: IsoDate('Day.'),
  from_name: OrNull(Text('The vendor, for Receiving; else the account.')),
  from_address: OrNull(Text("The vendor's address; else the warehouse, several separated by `; `.")),
  to_name: OrNull(Text('The customer, for Shipping; else the account.')),
  to_address: OrNull(Text('The address that the order goes to; else the warehouse, several separated by `; `.')),
  lot_source: OrNull(
    Text(
      'The vendor of a purchased batch, several separated by `; `, null for those without the group `purchase`; of any other batch the account.',
    ),
  ),
  document_kind: InWords(
    OrNull(
      Text(
        '`goods receipt`, `sales order`, `invoice`, and for Transformation `work order` or `batch`, the batch record; null for a receipt without a document.',
      ),
    ),
    asWritten(documents),
  ),
  document_no: OrNull(Text('Its number.')),
  input_lots: OrNull(
    Text(
      'Only for Transformation: everything that was consumed for the batch, as `sku lot qty unit`, separated by `; `, in order of code; `-` stands for stock without a batch.',
    ),
  ),
}

const warehouse = inOneLine(['w.location', 'w.address', 'w.address2', 'w.city', 'w.state', 'w.pincode', 'w.country'])
const vendorAddress = `nullif(${inOneLine(placeParts.map((part) => `v.${part}`))}, '')`

/** The address that the order goes to in one line. */
const shippedTo: Sql = sql`nullif(concat_ws(', ', ${placeParts
  .map((part) => sql`nullif(${shipTo(part)}, '')`)
  .reduce((all, part) => sql`${all}, ${part}`)}), '')`

export const events: TraceShape = {
  record,
  people: [
    ...['event', 'date', 'description', 'lot', 'qty', 'unit', 'from_name', 'to_name', 'document_no', 'input_lots'],
  ],
  headings: { description: 'Item', document_no: 'Document', input_lots: 'Made from' },
  orderBy: ['event', 'lot', 'item', 'date', 'document_kind', 'document_no'],
  query: (asked, { without }) => sql`
    with ${tables(asked)},
    happened as materialized (
      select h.*
        from (select case kind when 'issue' then 'Shipping' else 'Receiving' end as event, item_id, batch_no, warehouse_id, movement_date, qty,
             order_no, invoice_no, po_no, grn_no, null::text as made_by
        from moved where kind in ('issue', 'purchase_receipt')
      union all
      select 'Transformation', m.item_id, m.batch_no, m.warehouse_id, m.movement_date, m.qty, null, null, null, null,
             coalesce(m.work_order_no, '')
        from traced t join stock_movement m on m.item_id = t.item_id and m.batch_no = t.batch_no
       where m.kind = 'production_receipt') h cross join ${MANY}),
    bought as materialized (
      select m.item_id, m.batch_no, m.po_no
        from traced t join stock_movement m on m.item_id = t.item_id and m.batch_no = t.batch_no
       where m.kind = 'purchase_receipt' and m.po_no is not null
       group by m.item_id, m.batch_no, m.po_no),
    source as (
      select b.item_id, b.batch_no, string_agg(distinct v.name, '; ' order by v.name) as vendors
        from bought b
        join (select po_no, vendor_code from purchase_order where po_no in (select po_no from bought)) po on po.po_no = b.po_no
        join vendor v on v.code = po.vendor_code
       group by b.item_id, b.batch_no),
    input as (
      select u.for_item_id, u.for_batch_no,
             string_agg(concat_ws(' ', i.sku, coalesce(u.batch_no, '-'), round(u.qty, 4), i.unit), '; '
                        order by i.sku, u.batch_no) as lots
        from (select m.for_item_id, m.for_batch_no, m.item_id, m.batch_no, sum(m.qty) as qty
                from traced t join stock_movement m on m.for_item_id = t.item_id and m.for_batch_no = t.batch_no
               group by m.for_item_id, m.for_batch_no, m.item_id, m.batch_no) u
        join item i on i.id = u.item_id
       group by u.for_item_id, u.for_batch_no)
    select e.event, e.lot, i.sku as item, i.name as description, e.qty, i.unit, e.date,
           case e.event when 'Receiving' then e.party_name else a.name end as from_name,
           case e.event when 'Receiving' then e.party_address else e.own_address end as from_address,
           case e.event when 'Shipping' then e.party_name else a.name end as to_name,
           case e.event when 'Shipping' then e.party_address else e.own_address end as to_address,
           case when b.source is distinct from 'PROCURED' then a.name
                else ${raw(without.includes('purchase') ? 'null' : 's.vendors')} end as lot_source,
           e.document_kind, e.document_no, case e.event when 'Transformation' then n.lots end as input_lots
      from (select m.event, m.batch_no as lot, m.item_id, m.movement_date as date, m.document_kind, m.document_no, m.party_name,
                   m.party_address, sum(m.qty) as qty, string_agg(distinct m.own_address, '; ' order by m.own_address) as own_address
              from (select m.event, m.item_id, m.batch_no, m.movement_date, m.qty,
                           case when m.grn_no is not null then 'goods receipt' when m.order_no is not null then 'sales order'
                                when m.invoice_no is not null then 'invoice' when m.made_by <> '' then 'work order'
                                when m.made_by = '' then 'batch' end as document_kind,
                           coalesce(m.grn_no, m.order_no, m.invoice_no, nullif(m.made_by, ''), case m.made_by when '' then m.batch_no end)
                             as document_no,
                           coalesce(c.name, v.name) as party_name,
                           case m.event when 'Receiving' then ${raw(vendorAddress)} else ${shippedTo} end as party_address,
                           ${raw(warehouse)} as own_address
                      from happened m
                      join warehouse w on w.id = m.warehouse_id ${withParties('happened')}) m
             group by m.event, m.batch_no, m.item_id, m.movement_date, m.document_kind, m.document_no, m.party_name, m.party_address) e
      join item i on i.id = e.item_id
     cross join account a
      left join (select b.item_id, b.batch_no, b.source from traced t join batch b on b.item_id = t.item_id and b.batch_no = t.batch_no) b
        on b.item_id = e.item_id and b.batch_no = e.lot
      left join source s on s.item_id = e.item_id and s.batch_no = e.lot
      left join input n on n.for_item_id = e.item_id and n.for_batch_no = e.lot`,
}
