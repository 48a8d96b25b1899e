/** Stock of batches: every batch, made, bought or entered, with its dates and its stock. */
import { raw, sql } from '../../db/sql.js'
import { Explained, IsoDate, Naming, OrMarker, OrNull, Quantity, Text, Word } from '../../kernel/report/fields.js'
import { Day, Optional, TextParam } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import type { Figure } from '../../ledger/behind.js'
import { batchesUpTo } from '../../ledger/condensed.js'
import { batchStory, movementsBehind, movementsOf, untilDate } from '../shared/behind.js'
import { item } from '../shared/things.js'
import { only } from '../shared/words.js'

const movements = movementsOf('sku', { batch: { field: 'batch_no' }, ...untilDate })
const quantity = (figure: Figure, description: string) =>
  Explained(Quantity(4, 'unit', description), movementsBehind(figure, 'qty', movements))

export default defineReport({
  id: 'inventory.batches',
  method: 'POST',
  path: '/v1/inventory/batches',
  title: 'Stock of batches',
  summary: 'Every batch, made, bought or entered, with its dates and its stock',
  askedAs: [
    'batches or lots of an item with their stock',
    'expiry date and manufacturing date of a batch',
    'which batches are on hand',
    'supplier lot numbers',
  ],
  description: `One record per batch of any item, in stock or not, ordered by \`sku\` and \`batch_no\`.

\`received_qty\` and \`issued_qty\` are the total quantities that came in and went out up to the end of \`date\`, over all warehouses, and
\`stock_qty\` is the difference, stock on hold included. Stock that is not kept by batch has no record.`,
  request: {
    date: Day('The day; its movements are included.', '2026-06-30'),
    sku: Optional(TextParam('Only batches of the item with this code.', 'FG-0002')),
    batch_no: Optional(TextParam('Only batches with this number.', 'B260516-001')),
  },
  perPage: 100,
  record: {
    sku: Naming(Text("The item's code."), item('sku')),
    name: Naming(Text("The item's name."), item('sku')),
    batch_no: Explained(Text('Number of the batch.'), batchStory('batch_no', 'sku')),
    source: Word(['Produced', 'Procured', 'Manually'], 'Origin of the batch.'),
    mfg_date: OrNull(IsoDate('Date of manufacture.')),
    expiry_date: OrNull(IsoDate('Date of expiry.')),
    batch_date: OrNull(IsoDate('Date of production; null for a batch that was not produced here.')),
    qc_status: OrMarker(
      Word(['QC Pass', 'QC Fail', 'QC Hold'], 'Result of the quality check of a produced batch; `-` before the check.'),
      '-',
    ),
    received_qty: quantity('Cr', 'Total quantity that came in.'),
    issued_qty: quantity('Dr', 'Total quantity that went out.'),
    stock_qty: quantity('Closing', '`received_qty` − `issued_qty`.'),
    unit: Text('Unit of the quantities.'),
  },
  people: ['batch_no', 'name', 'stock_qty', 'unit', 'expiry_date', 'mfg_date', 'source', 'qc_status', 'sku'],
  orderBy: ['sku', 'batch_no'],
  query: ({ date, sku, batch_no }) => {
    const items = sql`select id from stocked_item ${sku === undefined ? raw('') : sql`where id = (select id from item where sku = ${sku})`}`
    return sql`
      select i.sku, i.name, b.batch_no,
             case b.source when 'PRODUCED' then 'Produced' when 'PROCURED' then 'Procured' else 'Manually' end as source,
             b.mfg_date, b.expiry_date, b.batch_date, b.qc_status, i.unit, coalesce(s.received, e.received, 0) as received_qty,
             coalesce(s.debited, e.debited, 0) as issued_qty,
             coalesce(s.received - s.debited, e.received - e.debited, 0) as stock_qty
        from batch b
        join item i on i.id = b.item_id
        left join ${batchesUpTo(items, sql`${date}::date`)} s on s.item_id = b.item_id and s.batch_no = b.batch_no
        -- The batch's own last closing, if it was empty at the item's last closing and has not moved since.
        left join lateral (
          select c.received, c.debited from batch_closing c
           where s.item_id is null and c.item_id = b.item_id and c.batch_no = b.batch_no and c.day <= ${date}::date + 1
           order by c.day desc limit 1) e on true
       where true ${only(sku, (code) => sql`i.sku = ${code}`)} ${only(batch_no, (no) => sql`b.batch_no = ${no}`)}`
  },
})
