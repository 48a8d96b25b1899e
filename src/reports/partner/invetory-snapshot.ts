/** FG inventory snapshot: the available quantity of each batch at the end of a day. */
import { sql } from '../../db/sql.js'
import {
  type Behind,
  Explained,
  extra,
  IsoDate,
  Naming,
  OrMarker,
  OrNull,
  Quantity,
  Text,
  Word,
} from '../../kernel/report/fields.js'
import { PageSize } from '../../kernel/report/paging.js'
import { Day } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { batchesUpTo } from '../../ledger/condensed.js'
import { batchStory, movementsBehind, movementsOf, untilDate } from '../shared/behind.js'
import { item } from '../shared/things.js'

const products = sql`select id from stocked_item where type in ('FG', 'COMBO')`

const ofProduct = movementsOf('product_sku', untilDate)

/** A product without any stock has a record with zeros, which no movement explains. */
const ofBatch = (figure: 'Cr' | 'Dr' | 'Closing'): Behind => ({
  ...movementsBehind(figure, 'qty', movementsOf('product_sku', { batch: { field: 'batch_no' }, ...untilDate })),
  unless: { field: 'Available_qty', is: '0.0000000000' },
})

export default defineReport({
  id: 'partner.invetory-snapshot',
  method: 'POST',
  path: '/v1/partner/invetory-snapshot',
  title: 'Stock by batch',
  summary: 'Available stock of finished goods per batch at the end of a day',
  askedAs: [
    'available stock of finished goods per batch',
    'products on the shelf by batch and expiry, for sales partners',
    'stock by batch at the end of a day',
  ],
  description: `One record per batch of each finished good and combo that is active or has stock, over all warehouses, ordered by \`product_sku\` and \`batch_no\`.

\`Receipt_qty\` and \`Debit_qty\` are the total quantities that came in and went out up to \`date\`, \`Available_qty\` is the difference, stock on hold
included. Batches with an available quantity of exactly 0 are left out; an active product without any other batch gets one record with an empty
\`batch_no\`, zeros, \`NA\` and \`N/A\`. Stock that is not kept by batch has an empty \`batch_no\` too. Quantities have 10 fraction digits.`,
  request: {
    date: Day('The day of the snapshot; its movements are included.', '2026-06-30'),
    limit: PageSize('string'),
  },
  perPage: 20,
  perPageFrom: 'limit',
  record: {
    primary_category: Text("The product's primary category."),
    product_category: Text("The product's category."),
    product_name: Naming(Text("The product's name."), item('product_sku')),
    product_sku: Naming(Explained(Text("The product's code."), ofProduct), item('product_sku')),
    batch_no: Explained(Text('Number of the batch; may be empty.'), {
      ...batchStory('batch_no', 'product_sku'),
      unless: { field: 'batch_no', is: '' },
    }),
    inventory_date: IsoDate('The day of the snapshot.'),
    expiry_date: OrNull(IsoDate('Date of expiry.')),
    mfg_date: OrMarker(IsoDate('Date of manufacture; `NA` if it is not known.'), 'NA'),
    Receipt_qty: Explained(Quantity(10, 'unit', 'Total quantity that came in up to the day.'), ofBatch('Cr')),
    Debit_qty: Explained(Quantity(10, 'unit', 'Total quantity that went out up to the day.'), ofBatch('Dr')),
    Available_qty: Explained(Quantity(10, 'unit', '`Receipt_qty` − `Debit_qty`.'), ofBatch('Closing')),
    rec_source: OrMarker(
      Word(['Produced', 'Procured', 'Manually'], 'Origin of the batch; `N/A` without a batch.'),
      'N/A',
    ),
    ...extra({ unit: Text('Unit of the quantities.') }),
  },
  people: ['product_name', 'Available_qty', 'unit', 'batch_no', 'expiry_date', 'mfg_date', 'rec_source', 'product_sku'],
  headings: {
    product_name: 'Product',
    Available_qty: 'In stock',
    batch_no: 'Batch',
    expiry_date: 'Expires',
    mfg_date: 'Made',
    rec_source: 'Source',
    product_sku: 'SKU',
  },
  orderBy: ['product_sku', 'batch_no'],
  query: ({ date }) => sql`
    select i.primary_category, i.product_category, i.name as product_name, i.sku as product_sku, i.unit,
           coalesce(s.batch_no, '') as batch_no, ${date}::date as inventory_date, s.expiry_date, s.mfg_date,
           coalesce(s.received, 0) as "Receipt_qty", coalesce(s.debited, 0) as "Debit_qty",
           coalesce(s.received - s.debited, 0) as "Available_qty",
           case s.source when 'PRODUCED' then 'Produced' when 'PROCURED' then 'Procured'
                         when 'MANUAL' then 'Manually' end as rec_source
      from item i
      left join (select s.*, b.expiry_date, b.mfg_date, b.source
                   from ${batchesUpTo(products, sql`${date}::date`)} s
                   left join batch b on b.item_id = s.item_id and b.batch_no = s.batch_no
                  where s.received <> s.debited) s on s.item_id = i.id
     where i.type in ('FG', 'COMBO') and (i.active or s.item_id is not null)`,
})
