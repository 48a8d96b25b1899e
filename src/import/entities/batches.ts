import { raw, sql } from '../../db/sql.js'
import { Code, Day, ItemCode, Optional, Quantity, WarehouseName, Word } from '../columns.js'
import { defineEntity } from '../entity.js'

export default defineEntity({
  name: 'batches',
  table: 'batch',
  about: 'One row per batch of stock, wherever it came from; a produced one also has its production figures.',
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
    wastage: Optional(Quantity('Produced: wasted of it.')),
    qc_status: Optional(Word(['QC Pass', 'QC Fail', 'QC Hold'], 'Produced: result of the check; empty before it.')),
    qty_pass: Optional(Quantity('Produced: passed the check.')),
    qty_failed: Optional(Quantity('Produced: failed it.')),
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
})
