import { sql } from '../../db/sql.js'
import { Code, Integer, ItemCode, Optional, Quantity, Text, Word } from '../columns.js'
import { defineEntity } from '../entity.js'

export default defineEntity({
  name: 'consumption',
  table: 'consumption',
  about: 'One row per material or other cost that a produced batch used. Values are without tax.',
  key: ['sku', 'batch_no', 'line_no'],
  columns: {
    sku: ItemCode('item_id', 'Code of the produced item.'),
    batch_no: Code('Number of the produced batch.', { example: 'B260401' }),
    line_no: Integer(1, 'Number of the row inside the batch.'),
    material: Optional(ItemCode('material_id', 'Code of the material; empty for another cost.')),
    cost_head: Optional(
      Word(['Other Costs', 'Taxes', 'Manpower', 'Transport'], 'Kind of another cost; empty for a material.'),
    ),
    description: Optional(Text('Free text; the name of another cost.'), ''),
    qty_bom: Optional(Quantity('Quantity by the bill of materials.'), '0'),
    qty_short: Optional(Quantity('Used in addition because of a shortage.'), '0'),
    qty_rej: Optional(Quantity('Rejected while in use.'), '0'),
    qty_ret: Optional(Quantity('Returned to stock.'), '0'),
    val_bom: Optional(Quantity('Value of qty_bom.'), '0'),
    val_short: Optional(Quantity('Value of qty_short.'), '0'),
    val_rej: Optional(Quantity('Value of qty_rej.'), '0'),
    val_ret: Optional(Quantity('Value of qty_ret.'), '0'),
    tax_val: Optional(Quantity("Tax on the row's total."), '0'),
  },
  rules: [
    {
      column: 'material',
      holds: sql`(s.material is null) <> (s.cost_head is null)`,
      expects: 'either a material or a cost_head',
    },
    {
      column: 'qty_ret',
      holds: sql`coalesce(s.qty_ret, 0) <= coalesce(s.qty_bom, 0) + coalesce(s.qty_short, 0) + coalesce(s.qty_rej, 0)`,
      expects: 'no more than was used',
    },
    {
      column: 'val_ret',
      holds: sql`coalesce(s.val_ret, 0) <= coalesce(s.val_bom, 0) + coalesce(s.val_short, 0) + coalesce(s.val_rej, 0)`,
      expects: 'no more than was used',
    },
  ],
  references: [{ columns: ['sku', 'batch_no'], table: 'batch', to: ['item_id', 'batch_no'], entity: 'batches' }],
})
