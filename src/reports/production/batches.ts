/** Batch list: the produced quantities, their cost, and the results of the quality check. */
import { quotient, raw, sql } from '../../db/sql.js'
import {
  Amount,
  Explained,
  extra,
  IsoDate,
  Naming,
  NotAdditive,
  OrMarker,
  OrNull,
  Quantity,
  Text,
  WholeText,
  Word,
} from '../../kernel/report/fields.js'
import { dateRange } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { batchStory } from '../shared/behind.js'
import { item } from '../shared/things.js'

export default defineReport({
  id: 'production.batches',
  method: 'POST',
  path: '/v1/production/batches',
  title: 'Batches',
  summary: 'Produced batches with their cost and quality check',
  askedAs: [
    'what we produced or made in a period',
    'cost of making a batch, cost per unit produced',
    'quality check of batches: passed, failed, rejected',
    'production output and yield',
  ],
  description: `One record per produced batch with a batch date in the range, ordered by \`batch_date\`, \`batch_no\` and \`product_sku\`.

The cost of a batch is the sum of its consumed materials and its other costs. The cost of a unit is the cost of the batch divided by
\`actual_qty\`, and 0 if \`actual_qty\` is 0. \`inv_status\` is \`Pending\` while no receipt of the batch is in the ledger,
\`Partial\` while less than \`actual_qty\` is, then \`Received\`.`,
  request: dateRange,
  perPage: 20,
  record: {
    batch_no: Explained(Text('Number of the batch.'), batchStory('batch_no', 'product_sku')),
    batch_date: IsoDate('Date of the batch.'),
    product_name: Naming(Text("The product's name."), item('product_sku')),
    product_sku: Naming(Text("The product's code."), item('product_sku')),
    batch_qty: Quantity(4, 'unit', 'Quantity of the batch, wastage included.'),
    wastage: Quantity(4, 'unit', 'Wasted quantity.'),
    actual_qty: Quantity(4, 'unit', '`batch_qty` − `wastage`.'),
    batch_cost_incTax: Amount(4, 'Cost of the batch with tax.'),
    unit_cost_incTax: NotAdditive(Amount(4, 'Cost of one unit with tax.')),
    batch_cost_extax: Amount(4, 'Cost of the batch without tax.'),
    unit_cost_extax: NotAdditive(Amount(4, 'Cost of one unit without tax.')),
    qc_status: OrMarker(
      Word(['QC Pass', 'QC Fail', 'QC Hold'], 'Result of the quality check; `-` before the check.'),
      '-',
    ),
    qty_pass: OrNull(Quantity(4, 'unit', 'Quantity that passed; null before the check.')),
    qty_failed: OrNull(Quantity(4, 'unit', 'Quantity that failed; null before the check.')),
    warehouse: Text('Warehouse that produced the batch.'),
    inv_status: Word(['Pending', 'Partial', 'Received'], 'Whether the batch was received into stock.'),
    prod_id: WholeText("The product's number inside the service."),
    wh_id: Text('Key of the warehouse, as in the warehouse list.'),
    OthCost_Inctax: Amount(4, 'Part of `batch_cost_incTax` that is not material.'),
    ...extra({ unit: Text('Unit of the quantities.') }),
  },
  people: [
    'batch_no',
    'product_name',
    'batch_date',
    'actual_qty',
    'unit',
    'unit_cost_extax',
    'batch_cost_extax',
    'wastage',
    'qc_status',
    'warehouse',
  ],
  headings: {
    batch_no: 'Batch',
    product_name: 'Product',
    batch_date: 'Date',
    actual_qty: 'Quantity',
    unit_cost_extax: 'Unit cost',
    batch_cost_extax: 'Cost',
    qc_status: 'QC',
  },
  orderBy: ['batch_date', 'batch_no', 'product_sku'],
  better: { qty_pass: 'more', wastage: 'less', qty_failed: 'less' },
  query: ({ from_date, to_date }) => sql`
    select b.batch_no, b.batch_date, i.name as product_name, i.sku as product_sku, i.unit, b.qty as batch_qty, b.wastage,
           b.qty - b.wastage as actual_qty, c.cost + c.tax as "batch_cost_incTax", c.cost as batch_cost_extax,
           case when b.qty > b.wastage then ${quotient(raw('c.cost + c.tax'), raw('(b.qty - b.wastage)'))} else 0 end as "unit_cost_incTax",
           case when b.qty > b.wastage then ${quotient(raw('c.cost'), raw('(b.qty - b.wastage)'))} else 0 end as unit_cost_extax,
           b.qc_status, b.qty_pass, b.qty_failed, w.location as warehouse,
           case when r.received is null then 'Pending' when r.received < b.qty - b.wastage then 'Partial'
                else 'Received' end as inv_status,
           i.id as prod_id, w.key as wh_id, c.other as "OthCost_Inctax"
      from batch b
      join item i on i.id = b.item_id
      join warehouse w on w.id = b.warehouse_id
     cross join lateral (
       select coalesce(sum(u.val_bom + u.val_short + u.val_rej - u.val_ret), 0) as cost, coalesce(sum(u.tax_val), 0) as tax,
              coalesce(sum(u.val_bom + u.val_short + u.val_rej - u.val_ret + u.tax_val)
                         filter (where u.material_id is null), 0) as other
         from consumption u where u.item_id = b.item_id and u.batch_no = b.batch_no) c
     cross join lateral (
       select sum(m.qty) as received from stock_movement m
        where m.kind = 'production_receipt' and m.item_id = b.item_id and m.batch_no = b.batch_no) r
     where b.batch_date between ${from_date}::date and ${to_date}::date`,
})
