/** Material consumption: the materials and other costs of produced batches, row by row or summed per product and material. */
import { quotient, raw, type Sql, sql } from '../../db/sql.js'
import {
  Amount,
  Explained,
  Integer,
  IsoDate,
  Naming,
  NotAdditive,
  OrNull,
  Quantity,
  Text,
  WholeText,
} from '../../kernel/report/fields.js'
import { dateRange, OneOf } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { batchStory } from '../shared/behind.js'
import { item } from '../shared/things.js'

const product = {
  product_sku: Naming(Text("The product's code."), item('product_sku')),
  product_name: Naming(Text("The product's name."), item('product_sku')),
}
const material = {
  category_name: Text("The material's product category; for another cost its kind, such as `Manpower`."),
  material_name: Naming(Text("The material's name, or the purpose of the other cost."), {
    ...item('material_code'),
    unless: { field: 'material_code', is: '-' },
  }),
  material_code: Text("The material's code; `-` for another cost."),
  Mat_UoM: OrNull(Text('Unit of the quantities; null for another cost.')),
}
const measures = {
  item_qty: Quantity(4, 'Mat_UoM', 'Part of `Total_consumption` that went into usable output.'),
  item_Val: Amount(4, 'Its value.'),
  wastage_item_qty: OrNull(
    Quantity(4, 'Mat_UoM', 'Part of `Total_consumption` that went into wasted output; null if nothing was wasted.'),
  ),
  wastage_item_Val: OrNull(Amount(4, 'Its value.')),
  Item_qty_bom: Quantity(4, 'Mat_UoM', 'Quantity used according to the bill of materials.'),
  item_qty_short: Quantity(4, 'Mat_UoM', 'Quantity used in addition because of a shortage.'),
  item_qty_rej: Quantity(4, 'Mat_UoM', 'Quantity rejected while in use.'),
  item_qty_ret: Quantity(4, 'Mat_UoM', 'Quantity returned to stock.'),
  Total_consumption: Quantity(4, 'Mat_UoM', 'bom + short + rej − ret.'),
  Item_Val_bom: Amount(4, 'Value of `Item_qty_bom`.'),
  item_Val_short: Amount(4, 'Value of `item_qty_short`.'),
  item_Val_rej: Amount(4, 'Value of `item_qty_rej`.'),
  item_Val_ret: Amount(4, 'Value of `item_qty_ret`.'),
  Total_consumption_Val: Amount(4, 'Value of `Total_consumption`: bom + short + rej − ret.'),
}

const rows = ({ from_date, to_date }: { from_date: string; to_date: string }): Sql => sql`
  select d.*, d."Total_consumption" - coalesce(d.wastage_item_qty, 0) as item_qty,
         d."Total_consumption_Val" - coalesce(d."wastage_item_Val", 0) as "item_Val"
    from (select t.*,
                 case when t.damaged_wastage > 0
                      then round(${quotient(raw('t."Total_consumption" * t.damaged_wastage'), raw('t.batch_qty'))}, 4) end as wastage_item_qty,
                 case when t.damaged_wastage > 0
                      then round(${quotient(raw('t."Total_consumption_Val" * t.damaged_wastage'), raw('t.batch_qty'))}, 4) end as "wastage_item_Val"
            from (select p.sku as product_sku, p.name as product_name, b.batch_no, b.batch_date, u.line_no,
                         w.location as warehouse, b.qty as batch_qty, p.unit as "Batch_UOM",
                         b.wastage as damaged_wastage, b.qty - b.wastage as total_prd_qty,
                         coalesce(i.product_category, u.cost_head) as category_name,
                         coalesce(i.name, nullif(u.description, ''), u.cost_head) as material_name,
                         coalesce(i.sku, '-') as material_code, i.unit as "Mat_UoM",
                         u.qty_bom as "Item_qty_bom", u.qty_short as item_qty_short, u.qty_rej as item_qty_rej,
                         u.qty_ret as item_qty_ret, u.qty_bom + u.qty_short + u.qty_rej - u.qty_ret as "Total_consumption",
                         u.val_bom as "Item_Val_bom", u.val_short as "item_Val_short", u.val_rej as "item_Val_rej",
                         u.val_ret as "item_Val_ret",
                         u.val_bom + u.val_short + u.val_rej - u.val_ret as "Total_consumption_Val"
                    from batch b
                    join consumption u on u.item_id = b.item_id and u.batch_no = b.batch_no
                    join item p on p.id = b.item_id
                    join warehouse w on w.id = b.warehouse_id
                    left join item i on i.id = u.material_id
                   where b.batch_date between ${from_date}::date and ${to_date}::date) t) d`

const better = {
  wastage_item_qty: 'less',
  wastage_item_Val: 'less',
  item_qty_short: 'less',
  item_Val_short: 'less',
  item_qty_rej: 'less',
  item_Val_rej: 'less',
} as const

export default defineReport({
  id: 'production.material-consumption',
  method: 'POST',
  path: '/v1/production/material-consumption',
  title: 'Material consumption',
  summary: 'Materials and other costs of produced batches',
  askedAs: [
    'which materials and ingredients were used up in production',
    'how much of a raw material the factory consumed',
    'material cost, labour and overheads of produced batches',
  ],
  description: `The materials that batches with a batch date in the range used, and their other costs in the same shape. Values are without tax.

\`version\` DETAILED has one record per batch and row, ordered by \`batch_date\`, \`batch_no\`, \`product_sku\` and the row's number.
SUMMARY sums the same figures per product and material, ordered by \`product_sku\`, \`material_code\`, \`category_name\` and
\`material_name\`; \`batches\` is the number of batches.

Total_consumption = bom + short + rej − ret, and \`item_qty\` + \`wastage_item_qty\` = \`Total_consumption\`; likewise for values.`,
  request: {
    version: OneOf(['DETAILED', 'SUMMARY'], 'Row by row, or summed per product and material.', {
      DETAILED: 'Row by row',
      SUMMARY: 'Per product and material',
    }),
    ...dateRange,
  },
  variants: {
    by: 'version',
    shapes: {
      DETAILED: {
        record: {
          ...product,
          batch_no: Explained(Text('Number of the batch.'), batchStory('batch_no', 'product_sku')),
          batch_date: IsoDate('Date of the batch.'),
          warehouse: Text('Warehouse that produced the batch.'),
          batch_qty: NotAdditive(Quantity(4, 'Batch_UOM', 'Quantity of the batch, wastage included.')),
          Batch_UOM: Text('Its unit.'),
          damaged_wastage: NotAdditive(Quantity(4, 'Batch_UOM', 'Wasted quantity.')),
          total_prd_qty: NotAdditive(Quantity(4, 'Batch_UOM', '`batch_qty` − `damaged_wastage`.')),
          ...material,
          ...measures,
        },
        people: [
          'product_name',
          'material_name',
          'Total_consumption',
          'Mat_UoM',
          'Total_consumption_Val',
          'Item_qty_bom',
          'wastage_item_qty',
          'batch_no',
          'batch_date',
        ],
        headings: {
          product_name: 'Product',
          material_name: 'Material',
          Total_consumption: 'Consumed',
          Mat_UoM: 'Unit',
          Total_consumption_Val: 'Value',
          Item_qty_bom: 'By BOM',
          wastage_item_qty: 'Wasted',
          batch_no: 'Batch',
          batch_date: 'Date',
        },
        orderBy: ['batch_date', 'batch_no', 'product_sku', 'line_no'],
        better,
        hiddenKey: { line_no: Integer('Number of the line in its batch.') },
        listing: true,
        query: rows,
      },
      SUMMARY: {
        record: { ...product, ...material, ...measures, batches: WholeText('Number of batches.') },
        people: [
          'product_name',
          'material_name',
          'Total_consumption',
          'Mat_UoM',
          'Total_consumption_Val',
          'Item_qty_bom',
          'wastage_item_qty',
          'batches',
        ],
        headings: {
          product_name: 'Product',
          material_name: 'Material',
          Total_consumption: 'Consumed',
          Mat_UoM: 'Unit',
          Total_consumption_Val: 'Value',
          Item_qty_bom: 'By BOM',
          wastage_item_qty: 'Wasted',
        },
        orderBy: ['product_sku', 'material_code', 'category_name', 'material_name', 'Mat_UoM'],
        better,
        query: (values) => sql`
          select product_sku, product_name, category_name, material_name, material_code, "Mat_UoM",
                 sum(item_qty) as item_qty, sum("item_Val") as "item_Val", sum(wastage_item_qty) as wastage_item_qty,
                 sum("wastage_item_Val") as "wastage_item_Val", sum("Item_qty_bom") as "Item_qty_bom",
                 sum(item_qty_short) as item_qty_short, sum(item_qty_rej) as item_qty_rej, sum(item_qty_ret) as item_qty_ret,
                 sum("Total_consumption") as "Total_consumption", sum("Item_Val_bom") as "Item_Val_bom",
                 sum("item_Val_short") as "item_Val_short", sum("item_Val_rej") as "item_Val_rej",
                 sum("item_Val_ret") as "item_Val_ret", sum("Total_consumption_Val") as "Total_consumption_Val",
                 count(distinct batch_no) as batches
            from (${rows(values)}) r
           group by product_sku, product_name, category_name, material_name, material_code, "Mat_UoM"`,
      },
    },
  },
})
