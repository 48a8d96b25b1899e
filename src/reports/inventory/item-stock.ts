/** Stock by warehouse: the stock of every item in each warehouse at the end of a day. */
import { raw, sql } from '../../db/sql.js'
import { Amount, Explained, Naming, Quantity, Text } from '../../kernel/report/fields.js'
import { Day, Optional, TextParam } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import type { Figure } from '../../ledger/behind.js'
import { movementsUpTo } from '../../ledger/condensed.js'
import { inStock, onHold } from '../../ledger/figures.js'
import { movementsBehind, movementsOf, untilDate } from '../shared/behind.js'
import { item } from '../shared/things.js'
import { ItemType, itemType } from '../shared/words.js'

const movements = movementsOf('sku', { warehouse: { field: 'warehouse' }, ...untilDate })
const quantity = (figure: Figure, description: string) =>
  Explained(Quantity(4, 'unit', description), movementsBehind(figure, 'qty', movements))
const amount = (figure: Figure, description: string) =>
  Explained(Amount(4, description), movementsBehind(figure, 'value', movements))
const always = raw('true')

export default defineReport({
  id: 'inventory.item-stock',
  method: 'POST',
  path: '/v1/inventory/item-stock',
  title: 'Stock by warehouse',
  summary: 'Stock of every item in each warehouse at the end of a day',
  askedAs: [
    'stock on hand of any item now or on a day, per warehouse',
    'how much do we have of an item in stock',
    'what lies in one warehouse or location',
    'negative stock, below zero',
  ],
  description: `One record per item and warehouse in which the item moved on or before \`date\`, ordered by \`sku\` and \`warehouse\`; materials and
finished goods alike.

\`stock_qty\` = \`available_qty\` + \`hold_qty\`. Values are without tax, as booked when the goods moved. For \`to_date\` = \`date\` the
figures are those of the stock of finished goods, and of the stock of materials, which adds up the warehouses.`,
  request: {
    date: Day('The day; its movements are included.', '2026-06-30'),
    sku: Optional(TextParam('Only the item with this code.', 'FG-0002')),
  },
  perPage: 100,
  record: {
    sku: Naming(Text("The item's code."), item('sku')),
    name: Naming(Text("The item's name."), item('sku')),
    type: ItemType('FG', 'SFG', 'COMBO', 'MAT', 'SRV'),
    unit: Text('Unit of the quantities.'),
    warehouse: Text("The warehouse's name."),
    stock_qty: quantity('Closing', 'Stock at the end of the day, on hold or not.'),
    hold_qty: quantity('Hold', 'Stock on hold.'),
    available_qty: quantity('Active', 'Stock that is not on hold.'),
    stock_value: amount('Closing', 'Value of `stock_qty`.'),
    hold_value: amount('Hold', 'Value of `hold_qty`.'),
  },
  people: ['name', 'warehouse', 'stock_qty', 'unit', 'hold_qty', 'available_qty', 'stock_value', 'type', 'sku'],
  headings: { stock_qty: 'In stock', hold_qty: 'On hold', available_qty: 'Available', stock_value: 'Value' },
  orderBy: ['sku', 'warehouse'],
  query: ({ date, sku }) => {
    const items = sql`select id from stocked_item ${sku === undefined ? raw('') : sql`where id = (select id from item where sku = ${sku})`}`
    return sql`
      select i.sku, i.name, ${itemType} as type, i.unit, (select location from warehouse where id = s.warehouse_id) as warehouse, s.*,
             s.stock_qty - s.hold_qty as available_qty
        from (select m.item_id, m.warehouse_id,
                     ${inStock('qty', always)} as stock_qty, ${inStock('val', always)} as stock_value,
                     ${onHold('qty', always)} as hold_qty, ${onHold('val', always)} as hold_value
                from ${movementsUpTo(items, sql`${date}::date`)} m
               group by m.item_id, m.warehouse_id) s
        join item i on i.id = s.item_id`
  },
})
