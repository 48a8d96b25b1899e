/** FG stock status: opening, movements, closing and value of finished and semi-finished goods in a date range. */
import { raw, sql } from '../../db/sql.js'
import { Amount, Explained, Naming, Quantity, Text } from '../../kernel/report/fields.js'
import { dateRange, OneOf, ZeroOrOne } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import type { Figure } from '../../ledger/behind.js'
import { movementsBetween } from '../../ledger/condensed.js'
import { column, flow, inStock, type Measure, onHold, transferCharges } from '../../ledger/figures.js'
import type { FgColumn } from '../../ledger/kinds.js'
import { movementsBehind, movementsOf, sameRange } from '../shared/behind.js'
import { item } from '../shared/things.js'

const types = { FG: `'FG', 'COMBO'`, SFG: `'SFG'`, ALL: `'FG', 'COMBO', 'SFG'` }

const movements = movementsOf('Product_sku', { warehouse: { field: 'warehouse' }, ...sameRange })
const quantity = (figure: Figure, description: string) =>
  Explained(Quantity(4, 'UoM', description), movementsBehind(figure, 'qty', movements))
const amount = (figure: Figure, description: string) =>
  Explained(Amount(4, description), movementsBehind(figure, 'value', movements, { param: 'tax' }))

export default defineReport({
  id: 'inventory.fg-stock-status',
  method: 'POST',
  path: '/v1/inventory/fg-stock-status',
  title: 'Stock of finished goods',
  summary: 'Stock of finished and semi-finished goods: opening, movements, closing and value',
  askedAs: [
    'stock of finished goods: how much we have of a product',
    'opening and closing stock of products in a period',
    'produced, dispatched, returned, trashed, scrapped, thrown away finished goods',
    'negative closing stock',
  ],
  description: `One record per item and warehouse that moved on or before \`to_date\`, ordered by \`Product_sku\` and \`warehouse\`.

Quantities are in the item's unit (\`UoM\`). Values are the values booked when the goods moved, without tax for \`tax\` = 0 and
with tax for \`tax\` = 1; the past is never revalued. On every record
\`Closing_qty\` = \`Opening_qty\` + \`Receipts_qty\` + \`Returned_qty\` − \`Issued_qty\` − \`Trashed_qty\` − \`MovetoBad_qty\` − \`Transfered_qty\` − \`UnPacked_qty\`
and \`Closing_qty\` = \`Closing_active_qty\` + \`Hold_qty\`. Stock can be negative where goods were issued before they were booked in.`,
  request: {
    type: OneOf(
      ['FG', 'SFG', 'ALL'],
      '`FG` for finished goods and combos, `SFG` for semi-finished goods, `ALL` for both.',
      { FG: 'Finished goods', SFG: 'Semi-finished goods', ALL: 'Finished and semi-finished goods' },
    ),
    tax: ZeroOrOne('number', '`0` for values without tax, `1` for values with tax; as a number or as a string.', {
      0: 'excluded',
      1: 'included',
    }),
    ...dateRange,
  },
  record: {
    primary_category: Text("The item's primary category."),
    category_name: Text("The item's product category."),
    product_name: Naming(Text("The item's name."), item('Product_sku')),
    Product_sku: Naming(Explained(Text("The item's code."), movements), item('Product_sku')),
    UoM: Text('Unit of every quantity in the record.'),
    Opening_qty: quantity('Opening', 'Stock at the end of the day before `from_date`.'),
    Qty_Value: amount('Opening', 'Value of `Opening_qty`.'),
    Receipts_qty: quantity('Receipts', 'All receipts in the range: PRD + PUR + TRF + OTH.'),
    Receipts_PRD_qty: quantity('Receipts_PRD', 'Received from production.'),
    Receipts_PUR_qty: quantity('Receipts_PUR', 'Received from purchase.'),
    Receipts_TRF_qty: quantity('Receipts_TRF', 'Received by transfer from another warehouse.'),
    Receipts_OTH_qty: quantity(
      'Receipts_OTH',
      'Other receipts: opening stock, surplus found at a count. An increase of the value alone is included with quantity 0.',
    ),
    Returned_qty: quantity('Returned', 'Returned by customers and usable.'),
    Issued_qty: quantity(
      'Issued',
      'Issued to customers, consumed in production, used otherwise, or returned to the vendor.',
    ),
    Trashed_qty: quantity(
      'Trashed',
      'Trashed, rejected or found short. A decrease of the value alone is included with quantity 0.',
    ),
    MovetoBad_qty: quantity('MovetoBad', 'Moved to bad stock.'),
    Transfered_qty: quantity('Transfered', 'Sent to another warehouse.'),
    UnPacked_qty: quantity('UnPacked', 'Combos taken apart.'),
    ThatPeriod_CrValue: amount('Cr', 'Value of all goods that came in during the range.'),
    ThatPeriod_DrValue: amount('Dr', 'Value of all goods that went out during the range.'),
    Hold_qty: quantity('Hold', 'Quantity on hold at the end of `to_date`.'),
    ThatPeriod_HoldValue: amount('Hold', 'Value of `Hold_qty`.'),
    Closing_active_qty: quantity('Active', 'Stock at the end of `to_date` that is not on hold.'),
    Closing_active_value: amount('Active', 'Value of `Closing_active_qty`: `final_value` − `ThatPeriod_HoldValue`.'),
    Closing_qty: quantity('Closing', 'Stock at the end of `to_date`.'),
    final_value: amount(
      'Closing',
      'Value of `Closing_qty`: `Qty_Value` + `ThatPeriod_CrValue` − `ThatPeriod_DrValue`.',
    ),
    final_TrfChrg: amount('TrfChrg', 'Transfer charges booked on this stock during the range.'),
    warehouse: Text("The warehouse's name."),
  },
  people: [
    'product_name',
    'Closing_qty',
    'UoM',
    'final_value',
    'warehouse',
    'Opening_qty',
    'Receipts_qty',
    'Issued_qty',
    'Hold_qty',
    'Product_sku',
  ],
  headings: {
    product_name: 'Product',
    Closing_qty: 'Closing',
    final_value: 'Value',
    Opening_qty: 'Opening',
    Receipts_qty: 'Received',
    Issued_qty: 'Issued',
    Hold_qty: 'On hold',
    Product_sku: 'SKU',
  },
  orderBy: ['Product_sku', 'warehouse'],
  better: { Trashed_qty: 'less', MovetoBad_qty: 'less' },
  query: ({ type, tax, from_date, to_date }) => {
    const value: Measure = tax ? 'val_tax' : 'val'
    const before = sql`m.movement_date < ${from_date}::date`
    const during = sql`m.movement_date >= ${from_date}::date`
    const always = raw('true')
    const items = sql`select id from stocked_item where type in (${raw(types[type])})`
    const moved = (name: FgColumn) => column('fg', name, 'qty', during)
    return sql`
      select i.primary_category, i.product_category as category_name, i.name as product_name,
             i.sku as "Product_sku", i.unit as "UoM", s.*,
             (select location from warehouse where id = s.warehouse_id) as warehouse,
             s."Receipts_PRD_qty" + s."Receipts_PUR_qty" + s."Receipts_TRF_qty" + s."Receipts_OTH_qty" as "Receipts_qty",
             s."Closing_qty" - s."Hold_qty" as "Closing_active_qty",
             s.final_value - s."ThatPeriod_HoldValue" as "Closing_active_value"
        from (select m.item_id, m.warehouse_id,
                     ${inStock('qty', before)} as "Opening_qty",
                     ${inStock(value, before)} as "Qty_Value",
                     ${moved('Receipts_PRD')} as "Receipts_PRD_qty",
                     ${moved('Receipts_PUR')} as "Receipts_PUR_qty",
                     ${moved('Receipts_TRF')} as "Receipts_TRF_qty",
                     ${moved('Receipts_OTH')} as "Receipts_OTH_qty",
                     ${moved('Returned')} as "Returned_qty",
                     ${moved('Issued')} as "Issued_qty",
                     ${moved('Trashed')} as "Trashed_qty",
                     ${moved('MovetoBad')} as "MovetoBad_qty",
                     ${moved('Transfered')} as "Transfered_qty",
                     ${moved('UnPacked')} as "UnPacked_qty",
                     ${flow('in', value, during)} as "ThatPeriod_CrValue",
                     ${flow('out', value, during)} as "ThatPeriod_DrValue",
                     ${onHold('qty', always)} as "Hold_qty",
                     ${onHold(value, always)} as "ThatPeriod_HoldValue",
                     ${inStock('qty', always)} as "Closing_qty",
                     ${inStock(value, always)} as final_value,
                     ${transferCharges(during)} as "final_TrfChrg"
                from ${movementsBetween(items, sql`${from_date}::date`, sql`${to_date}::date`)} m
               group by m.item_id, m.warehouse_id) s
        join item i on i.id = s.item_id`
  },
})
