/** Movements in a unit of their item: the column, its check, and the conversion of their quantity to the stock unit. */
import { sql } from '../db/sql.js'
import { changedRows, stagedRows } from './checks.js'
import { Optional, Text } from './columns.js'
import type { Conversion } from './conversion.js'
import { unitOfItem } from './document-columns.js'

const ofItem = sql`join stock_movement m on m.item_id = c.item_id`

/** Movements in a unit, of items whose stock unit or further units the load changes. */
const ofChanged = (entity: 'items' | 'item_units') => sql`
  select m.movement_no from ${changedRows(entity)} c ${ofItem} where m.unit is not null`

export const movementUnits = {
  column: { unit: Optional(Text('Unit of qty, from item_units; empty for the stock unit.', { example: 'CASE' })) },
  contradiction: unitOfItem('a movement', sql`m.item_id`, sql`'movement ' || m.movement_no`, ofItem),
  conversion: {
    document: ['movement_no'],
    item: sql`t.item_id`,
    needs: sql`select movement_no from stock_movement where unit is not null`,
    touched: {
      stock_movements: sql`select movement_no from ${stagedRows('stock_movements')} where unit is not null`,
      items: ofChanged('items'),
      item_units: ofChanged('item_units'),
    },
  } satisfies Conversion,
}
