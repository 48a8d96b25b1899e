/** The recall list of a trace: who got which of its batches, or from whom they came. */
import { quotient, raw, sql } from '../../db/sql.js'
import {
  Contact,
  Explained,
  extra,
  InWords,
  IsoDate,
  Naming,
  OrNull,
  Quantity,
  Text,
  TextList,
  Word,
} from '../../kernel/report/fields.js'
import { batchStory } from '../shared/behind.js'
import { customer, item, vendor } from '../shared/things.js'
import { documentNo, inOneLine, placeParts, type TraceShape, tables, withParties } from '../shared/trace.js'
import { asWritten } from '../shared/words.js'

const words = ['Customer', 'Vendor'] as const

const record = {
  party_kind: InWords(Word(words, 'Customer in the direction forward, vendor in backward.'), asWritten(words)),
  code: Text('Code of the customer or vendor; empty for a walk-in customer, and for a receipt without an order.'),
  name: Naming(
    Text('Name; empty where there is no code.'),
    { ...customer('code'), when: { field: 'party_kind', is: 'Customer' } },
    { ...vendor('code'), when: { field: 'party_kind', is: 'Vendor' } },
  ),
  contact_person: Contact('Person to call; empty if it is not known.'),
  phone: Contact('Phone number at the shipping address of a customer, else at the billing address.'),
  email: Contact('Email address, in the same way.'),
  address: Contact("A customer's shipping address, or the billing address if there is none; a vendor's address."),
  sku: Naming(Text("The item's code."), item('sku')),
  batch_no: OrNull(
    Explained(Text('Number of the batch; null for stock without a batch.'), batchStory('batch_no', 'sku')),
  ),
  shipped_qty: Quantity(4, 'unit', 'Shipped to the customer, or received from the vendor.'),
  returned_qty: Quantity(
    4,
    'unit',
    'Returned, usable or not. Unusable goods of an order line count in each of its batches by the part of the line that came back.',
  ),
  net_qty: Quantity(4, 'unit', '`shipped_qty` − `returned_qty`.'),
  first_date: OrNull(IsoDate('Day of the first shipment or receipt; null if there are only returns.')),
  last_date: OrNull(IsoDate('Day of the last one.')),
  documents: TextList('Numbers of the orders, or of the invoices of sales without one; of the receipts from a vendor.'),
  ...extra({ unit: Text('Unit of the quantities.') }),
}

/** A member of the shipping address of the customer `c`, else of the billing address; or of the vendor `v`. */
const reachedBy = (part: string) =>
  `coalesce(nullif(c.shipping_${part}, ''), c.billing_${part}, v.${part}, '') as ${part}`

const addressOf = (alias: string) => inOneLine(placeParts.map((part) => `${alias}${part}`))

export const parties: TraceShape = {
  record,
  people: [
    ...[
      'party_kind',
      'name',
      'phone',
      'sku',
      'batch_no',
      'shipped_qty',
      'returned_qty',
      'net_qty',
      'unit',
      'last_date',
    ],
  ],
  headings: { party_kind: 'Kind', batch_no: 'Batch', shipped_qty: 'Shipped', returned_qty: 'Returned', net_qty: 'Net' },
  orderBy: ['party_kind', 'code', 'sku', 'batch_no'],
  query: (asked) => sql`
    with ${tables(asked)},
    -- Of each batch that was issued for an order line, the part of the line that came back unusable.
    spoiled as (
      select m.order_no, m.item_id, m.batch_no, ${quotient(raw('sum(m.qty) * r.unusable_qty'), raw('q.issued_qty'))} as qty
        from moved m
        join (select order_no, order_line_no, sum(unusable_qty) as unusable_qty from sales_return
               where order_no in (select order_no from moved) group by order_no, order_line_no) r
          on r.order_no = m.order_no and r.order_line_no = m.order_line_no
        join (select q.order_no, q.line_no, q.issued_qty
                from sales_order o
                join sales_order_line l on l.order_no = o.order_no
                join sales_order_line_issued q on q.order_no = l.order_no and q.line_no = l.line_no
               where o.order_no in (select order_no from moved)) q
          on q.order_no = m.order_no and q.line_no = m.order_line_no
       where m.kind = 'issue' and q.issued_qty > 0 and r.unusable_qty > 0
       group by m.order_no, m.order_line_no, m.item_id, m.batch_no, r.unusable_qty, q.issued_qty),
    sold as materialized (
      select direction, item_id, batch_no, order_no, invoice_no, po_no, grn_no,
             case when kind in ('issue', 'purchase_receipt') then movement_date end as day,
             case when kind in ('issue', 'purchase_receipt') then qty else 0 end as shipped,
             case when kind in ('issue', 'purchase_receipt') then 0 else qty end as returned
        from moved
      union all
      select 'forward', item_id, batch_no, order_no, null, null, null, null, 0, qty from spoiled)
    select s.*, coalesce(c.name, v.name, '') as name, coalesce(c.contact_person, '') as contact_person,
           ${raw(reachedBy('phone'))}, ${raw(reachedBy('email'))},
           coalesce(nullif(${raw(addressOf('c.shipping_'))}, ''), nullif(${raw(addressOf('c.billing_'))}, ''), ${raw(addressOf('v.'))}) as address
      from (select p.party_kind, p.code, i.sku, i.unit, p.batch_no, sum(p.shipped) as shipped_qty, sum(p.returned) as returned_qty,
                   sum(p.shipped) - sum(p.returned) as net_qty, min(p.day) as first_date, max(p.day) as last_date,
                   coalesce(array_agg(distinct p.document_no order by p.document_no) filter (where p.document_no is not null), '{}') as documents
              from (select case m.direction when 'forward' then 'Customer' else 'Vendor' end as party_kind,
                           coalesce(c.code, v.code, '')::text collate "C" as code, m.item_id, m.batch_no, m.shipped, m.returned, m.day,
                           ${raw(documentNo)} as document_no
                      from sold m ${withParties('sold')}) p
              join item i on i.id = p.item_id
             group by p.party_kind, p.code, i.sku, i.unit, p.batch_no) s
      left join customer c on s.party_kind = 'Customer' and c.code = s.code
      left join vendor v on s.party_kind = 'Vendor' and v.code = s.code`,
}
