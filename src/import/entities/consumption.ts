import { sql } from '../../db/sql.js'
import { changedRows, stagedRows } from '../checks.js'
import { Code, Integer, ItemCode, Optional, Quantity, Text, Word } from '../columns.js'
import { businessData, defineEntity } from '../entity.js'
import { producedBatches } from './batches.js'

export default defineEntity({
  name: 'consumption',
  table: 'consumption',
  about: 'One row per material or other cost that a produced batch used. Values are without tax.',
  order: 140,
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
  joins: {
    i: { table: 'item', by: { id: 'm.item_id' } },
    b: { table: 'batch', by: { item_id: 'm.item_id', batch_no: 'm.batch_no' } },
  },
  contradictions: [
    {
      check: 'a batch that was not produced has consumption',
      column: 'batch_no',
      causes: [
        {
          ...{ entity: 'batches', column: 'source' },
          through: sql`join consumption m on m.item_id = c.item_id and m.batch_no = c.batch_no`,
        },
      ],
      wrong: sql`b.source <> 'PRODUCED'`,
      message: sql`'row ' || m.line_no || ' is consumption of batch ' || m.batch_no || ' of ' || i.sku
                   || ', which is ' || b.source || ', not PRODUCED'`,
    },
  ],
  agreements: [
    {
      check: 'the consumption of a batch differs from the ledger',
      scope: {
        name: 'consuming_batches',
        all: producedBatches.all,
        touched: {
          batches: producedBatches.loaded,
          consumption: sql`
            select i.id as item_id, s.batch_no from ${stagedRows('consumption')} s join item i on i.sku = s.sku`,
          stock_movements: sql`
            select i.id as item_id, s.for_batch_no as batch_no
              from ${stagedRows('stock_movements')} s join item i on i.sku = s.for_sku
             where s.for_batch_no is not null
            union all
            select for_item_id, for_batch_no from ${changedRows('stock_movements')} where for_batch_no is not null`,
        },
        named: sql`
          select distinct for_item_id as item_id, for_batch_no as batch_no from stock_movement
           where for_batch_no is not null`,
      },
      differing: (x) => sql`
        select 'batch ' || e.batch_no || ' of ' || p.sku || ': ' || e.qty || ' of ' || i.sku || ' used for ' || e.val
               || ' (with tax ' || e.val_tax || '), in the ledger ' || e.ledger_qty || ' for ' || e.ledger_val
               || ' (with tax ' || e.ledger_val_tax || ')'
          from (select item_id, batch_no, material_id, coalesce(sum_of_few(qty), 0.0000) as qty,
                       coalesce(sum_of_few(val), 0.0000) as val, coalesce(sum_of_few(val_tax), 0.0000) as val_tax,
                       coalesce(sum_of_few(ledger_qty), 0.0000) as ledger_qty,
                       coalesce(sum_of_few(ledger_val), 0.0000) as ledger_val,
                       coalesce(sum_of_few(ledger_val_tax), 0.0000) as ledger_val_tax
                  from (select c.item_id, c.batch_no, c.material_id, c.qty_bom + c.qty_short + c.qty_rej - c.qty_ret as qty,
                               c.val_bom + c.val_short + c.val_rej - c.val_ret as val,
                               c.val_bom + c.val_short + c.val_rej - c.val_ret + c.tax_val as val_tax,
                               null::numeric as ledger_qty, null::numeric as ledger_val, null::numeric as ledger_val_tax
                          from ${x} x join consumption c on c.item_id = x.item_id and c.batch_no = x.batch_no
                         where c.material_id is not null
                        union all
                        select m.for_item_id, m.for_batch_no, m.item_id, null, null, null, m.qty, m.val, m.val_tax
                          from ${x} x join stock_movement m
                            on m.for_item_id = x.item_id and m.for_batch_no = x.batch_no) both_sides
                 group by 1, 2, 3) e
          join item p on p.id = e.item_id join item i on i.id = e.material_id
         where e.qty <> e.ledger_qty or e.val <> e.ledger_val or e.val_tax <> e.ledger_val_tax
         order by p.sku, e.batch_no, i.sku`,
    },
  ],
  grants: businessData,
})
