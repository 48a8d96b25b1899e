import { raw, sql } from '../../db/sql.js'
import { changedRows, stagedRows } from '../checks.js'
import { Code, Day, ItemCode, Optional, Quantity, WarehouseName, Word } from '../columns.js'
import { businessData, defineEntity } from '../entity.js'

/** Produced batches, which documents and the ledger both describe: all of them, and the ones in a load. */
export const producedBatches = {
  all: sql`select item_id, batch_no from batch where source = 'PRODUCED'`,
  loaded: sql`
    select i.id as item_id, s.batch_no
      from ${stagedRows('batches')} s join item i on i.sku = s.sku where s.source = 'PRODUCED'`,
}

export default defineEntity({
  name: 'batches',
  table: 'batch',
  about: 'One row per batch of stock, wherever it came from; a produced one also has its production figures.',
  order: 130,
  document: true,
  key: ['sku', 'batch_no'],
  columns: {
    sku: ItemCode('item_id', 'Code of the item.'),
    batch_no: Code('Number of the batch, unique for the item.', { example: 'B260401' }),
    source: Word(['PRODUCED', 'PROCURED', 'MANUAL'], 'Where it came from.'),
    mfg_date: Optional(Day('Date of manufacture.')),
    expiry_date: Optional(Day('Date of expiry.')),
    batch_date: Optional(Day('Produced: date of the batch.')),
    warehouse: Optional(WarehouseName('Produced: where.')),
    qty: Optional(Quantity('Produced: quantity, wastage included.')),
    wastage: Optional(Quantity('Produced: wasted part of qty.')),
    qc_status: Optional(Word(['QC Pass', 'QC Fail', 'QC Hold'], 'Produced: result of the check; empty before it.')),
    qty_pass: Optional(Quantity('Produced: passed the check.')),
    qty_failed: Optional(Quantity('Produced: failed it.')),
    supplier_lot: Optional(Code('Number of the lot at the vendor, as on its label.', { example: 'LOT-7731' })),
  },
  rules: [
    { column: 'expiry_date', holds: sql`s.expiry_date >= s.mfg_date`, expects: 'a day not before mfg_date' },
    { column: 'wastage', holds: sql`s.wastage <= s.qty`, expects: 'no more than qty' },
    ...['batch_date', 'warehouse', 'qty', 'wastage'].map((column) => ({
      column,
      holds: sql`(s.source = 'PRODUCED') = (s.${raw(column)} is not null)`,
      expects: 'a value for a produced batch, and nothing for another',
    })),
    ...['qc_status', 'qty_pass', 'qty_failed'].map((column) => ({
      column,
      holds: sql`s.source = 'PRODUCED' or s.${raw(column)} is null`,
      expects: 'nothing, since only a produced batch has it',
    })),
  ],
  changes: {
    changed: sql`
      select s.line, t.item_id, t.batch_no
        from ${stagedRows('batches')} s join item i on i.sku = s.sku
        join batch t on t.item_id = i.id and t.batch_no = s.batch_no
       where t.source <> s.source`,
  },
  agreements: [
    {
      check: 'the ledger received more of a batch than was made',
      scope: {
        name: 'made_batches',
        all: producedBatches.all,
        touched: {
          batches: producedBatches.loaded,
          stock_movements: sql`
            select i.id as item_id, s.batch_no from ${stagedRows('stock_movements')} s join item i on i.sku = s.sku
             where s.kind = 'production_receipt' and s.batch_no is not null
            union all
            select item_id, batch_no from ${changedRows('stock_movements')}
             where kind = 'production_receipt' and batch_no is not null`,
        },
        named: sql`
          select distinct item_id, batch_no from stock_movement
           where kind = 'production_receipt' and batch_no is not null`,
      },
      differing: (x) => sql`
        select 'batch ' || b.batch_no || ' of ' || i.sku || ': ' || (b.qty - b.wastage) || ' made, in the ledger ' || g.qty
               || ' received'
          from (select m.item_id, m.batch_no, sum(m.qty) as qty
                  from ${x} x join stock_movement m on m.item_id = x.item_id and m.batch_no = x.batch_no
                 where m.kind = 'production_receipt' group by 1, 2) g
          join batch b on b.item_id = g.item_id and b.batch_no = g.batch_no join item i on i.id = b.item_id
         where g.qty > b.qty - b.wastage
         order by i.sku, b.batch_no`,
    },
  ],
  grants: businessData,
})
