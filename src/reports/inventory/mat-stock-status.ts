/** Material stock status: opening, movements, closing and value of one kind of materials in a date range. */
import { join, raw, type Sql, sql } from '../../db/sql.js'
import { Amount, Explained, type Fields, Naming, Quantity, Text } from '../../kernel/report/fields.js'
import { dateRange, OneOf } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import type { Figure } from '../../ledger/behind.js'
import { movementsBetween } from '../../ledger/condensed.js'
import { column, inStock, type Measure, onHold } from '../../ledger/figures.js'
import type { MaterialColumn } from '../../ledger/kinds.js'
import { movementsBehind, movementsOf, sameRange } from '../shared/behind.js'
import { item } from '../shared/things.js'

const columns = {
  Opening: 'In stock at the end of the day before `from_date`',
  Receipts: 'Received: purchased, produced, transferred in, returned or found, and increases of the value alone',
  Consumption: 'Consumed in production, used otherwise or issued to customers',
  Reject: 'Rejected or returned to the vendor',
  Shortage: 'Found short',
  Transfer: 'Sent to another warehouse',
  MovetoBad: 'Moved to bad stock',
  Trashed: 'Trashed, and decreases of the value alone',
  Hold: 'On hold at the end of `to_date`',
  Active: 'In stock at the end of `to_date` and not on hold',
  Closing: 'In stock at the end of `to_date`',
} as const

const measures = { qty: 'quantity', val: 'value without tax', val_tax: 'value with tax' } as const

const movements = movementsOf('MaterialCode', sameRange)
const behind = (figure: Figure, measure: Measure) =>
  measure === 'qty'
    ? movementsBehind(figure, 'qty', movements)
    : movementsBehind(figure, 'value', movements, measure === 'val_tax' ? 1 : 0)

const field = (measure: Measure, description: string) =>
  measure === 'qty' ? Quantity(4, 'UoM', description) : Amount(4, description)

const figures: Fields = Object.fromEntries(
  Object.entries(columns).flatMap(([name, meaning]) =>
    Object.entries(measures).map(([suffix, what]) => [
      `${name}_${suffix}`,
      Explained(field(suffix as Measure, `${meaning}: ${what}.`), behind(name as Figure, suffix as Measure)),
    ]),
  ),
)

export default defineReport({
  id: 'inventory.mat-stock-status',
  method: 'POST',
  path: '/v1/inventory/mat-stock-status',
  title: 'Stock of materials',
  summary: 'Stock of one kind of materials: opening, movements, closing and value',
  askedAs: [
    'stock of raw materials and packaging materials',
    'opening and closing stock of materials',
    'receipts, issues, consumption and scrap of materials in a period',
    'opening and closing balance',
  ],
  description: `One record per material of the kind that moved on or before \`to_date\`, over all warehouses, ordered by \`MaterialCode\`.

Every figure has three columns: as quantity in the material's unit, as booked value without tax and as booked value with
tax. On every record, for each of the three, Closing = Opening + Receipts − Consumption − Reject − Shortage − Transfer −
MovetoBad − Trashed, and Active = Closing − Hold.`,
  request: {
    type: OneOf(
      ['PCK', 'RAW', 'CON', 'TOOL'],
      '`RAW` for raw materials, `PCK` for packing materials, `CON` for consumables, `TOOL` for tools.',
      { RAW: 'Raw materials', PCK: 'Packing materials', CON: 'Consumables', TOOL: 'Tools' },
    ),
    ...dateRange,
  },
  perPage: 20,
  record: {
    Date_period: Text('The range, as `<from_date> to <to_date>`.'),
    MaterialCode: Naming(Explained(Text("The material's code."), movements), item('MaterialCode')),
    MaterialName: Naming(Text("The material's name."), item('MaterialCode')),
    UoM: Text('Unit of every quantity in the record.'),
    primary_category: Text("The material's primary category."),
    Category: Text("The material's product category."),
    ...figures,
  },
  people: [
    'MaterialName',
    'Closing_qty',
    'UoM',
    'Closing_val',
    'Opening_qty',
    'Receipts_qty',
    'Consumption_qty',
    'Hold_qty',
    'Category',
    'MaterialCode',
  ],
  headings: {
    MaterialName: 'Material',
    Closing_qty: 'Closing',
    Closing_val: 'Value',
    Opening_qty: 'Opening',
    Receipts_qty: 'Received',
    Consumption_qty: 'Consumed',
    Hold_qty: 'On hold',
    MaterialCode: 'Code',
  },
  orderBy: ['MaterialCode'],
  better: {
    Reject_qty: 'less',
    Reject_val: 'less',
    Reject_val_tax: 'less',
    Shortage_qty: 'less',
    Shortage_val: 'less',
    Shortage_val_tax: 'less',
    MovetoBad_qty: 'less',
    MovetoBad_val: 'less',
    MovetoBad_val_tax: 'less',
    Trashed_qty: 'less',
    Trashed_val: 'less',
    Trashed_val_tax: 'less',
  },
  query: ({ type, from_date, to_date }) => {
    const before = sql`m.movement_date < ${from_date}::date`
    const during = sql`m.movement_date >= ${from_date}::date`
    const always = raw('true')
    const items = sql`select id from stocked_item where material_kind = ${type}`
    const figure = (name: string, measure: Measure): Sql => {
      if (name === 'Opening') return inStock(measure, before)
      if (name === 'Hold') return onHold(measure, always)
      if (name === 'Closing') return inStock(measure, always)
      if (name === 'Active') return sql`${inStock(measure, always)} - ${onHold(measure, always)}`
      return column('material', name as MaterialColumn, measure, during)
    }
    const sums = Object.keys(columns).flatMap((name) =>
      (Object.keys(measures) as Measure[]).map(
        (measure) => sql`${figure(name, measure)} as ${raw(`"${name}_${measure}"`)}`,
      ),
    )
    return sql`
      select ${from_date} || ' to ' || ${to_date} as "Date_period", i.sku as "MaterialCode", i.name as "MaterialName",
             i.unit as "UoM", i.primary_category, i.product_category as "Category", s.*
        from (select m.item_id, ${join(sums, ', ')}
                from ${movementsBetween(items, sql`${from_date}::date`, sql`${to_date}::date`)} m
               group by m.item_id) s
        join item i on i.id = s.item_id`
  },
})
