import { sql } from '../../db/sql.js'
import { stagedRows } from '../checks.js'
import { Factor, ItemCode, Optional, Text } from '../columns.js'
import { businessData, defineEntity } from '../entity.js'

export default defineEntity({
  name: 'item_units',
  table: 'item_unit',
  about: 'One row per further unit of an item, for lines of documents and for movements.',
  order: 35,
  key: ['sku', 'unit'],
  columns: {
    sku: ItemCode('item_id', 'Code of the item.'),
    unit: Text('The unit.', { example: 'CASE' }),
    factor: Factor('Number of stock units in `divisor` of this unit.', { example: '12' }),
    divisor: Optional(
      Factor('1, unless the factor is a fraction: 12 PCS of a stock unit DOZEN have factor 1 and divisor 12.'),
      '1',
    ),
  },
  decides: ['factor', 'divisor'],
  changes: {
    changed: sql`
      select s.line, t.item_id from ${stagedRows('item_units')} s
        join item i on i.sku = s.sku join item_unit t on t.item_id = i.id and t.unit = s.unit
       where (t.factor, t.divisor) is distinct from (s.factor, s.divisor)`,
    removed: sql`
      select null, t.item_id from item_unit t join item i on i.id = t.item_id
       where not exists (select from ${stagedRows('item_units')} s where s.sku = i.sku and s.unit = t.unit)`,
  },
  joins: { i: { table: 'item', by: { id: 'm.item_id' } } },
  contradictions: [
    {
      check: 'an item’s stock unit is listed with a factor other than 1',
      column: 'unit',
      causes: [{ entity: 'items', column: 'unit', through: sql`join item_unit m on m.item_id = c.item_id` }],
      wrong: sql`m.unit = i.unit and m.factor <> m.divisor`,
      message: sql`m.unit || ' is the stock unit of item ' || i.sku || ': its factor and divisor must be equal'`,
    },
  ],
  grants: businessData,
})
