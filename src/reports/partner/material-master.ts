/** Material master: the stock of each item, and the quantity that the stock of its components would make. */
import { raw, sql } from '../../db/sql.js'
import { Explained, Naming, NotAdditive, OrNull, Quantity, Text, WholeText } from '../../kernel/report/fields.js'
import { OneOf, Optional, WholeNumber } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { movementsUpTo } from '../../ledger/condensed.js'
import { inStock, onHold } from '../../ledger/figures.js'
import { movementsBehind, movementsOf, untilToday } from '../shared/behind.js'
import { item } from '../shared/things.js'
import { ItemType, itemType, today, validOn } from '../shared/words.js'

const types = { MAT: `'MAT', 'SFG', 'FG', 'COMBO'`, FG: `'FG', 'COMBO'`, SFG: `'SFG'` }
const always = raw('true')

export default defineReport({
  id: 'partner.material-master',
  method: 'POST',
  path: '/v1/partner/material-master',
  title: 'Stock and reorder levels',
  summary: 'Stock and producible quantity of every item',
  askedAs: [
    'stock and reorder level of every item in one list',
    'how much could be produced of each item',
    'materials with stock and units, for partners',
  ],
  description: `One record per active item that can be in stock, ordered by \`product_sku\`: all such items for \`item_type\` MAT, finished goods and combos
for FG, semi-finished goods for SFG.

As of today in the account's time zone, over all warehouses. \`inStockQuantity\` includes stock on hold, is null for an item that
never moved and may be negative. \`maxProducibleQuantity\` is the number of whole units that the stock of the direct components
allows, without stock on hold; 0 without a bill of materials. \`limit\` is the number of records.`,
  dependsOnToday: true,
  request: {
    item_type: OneOf(['MAT', 'FG', 'SFG'], 'Which items.', {
      MAT: 'Materials',
      FG: 'Finished goods',
      SFG: 'Semi-finished goods',
    }),
    limit: Optional(WholeNumber('number', 1_000_000, 'Largest number of records; as a number or as a string.', 100)),
  },
  record: {
    product_name: Naming(Text('Name.'), item('product_sku')),
    product_sku: Naming(Text('Code.'), item('product_sku')),
    product_category: Text('Product category.'),
    primary_category: Text('Primary category.'),
    Item_Type: ItemType('FG', 'SFG', 'COMBO', 'MAT'),
    maxProducibleQuantity: WholeText('Whole units that the stock of its components would make.'),
    inStockQuantity: OrNull(
      Explained(
        Quantity(4, 'uom', 'Quantity in stock, on hold or not; null if the item never moved.'),
        movementsBehind('Closing', 'qty', movementsOf('product_sku', untilToday)),
      ),
    ),
    uom: Text('Unit of the quantities.'),
    reorder_level: NotAdditive(Quantity(4, 'uom', 'Quantity below which to reorder.')),
  },
  people: [
    'product_name',
    'inStockQuantity',
    'uom',
    'reorder_level',
    'maxProducibleQuantity',
    'product_category',
    'Item_Type',
    'product_sku',
  ],
  headings: {
    product_name: 'Product',
    inStockQuantity: 'In stock',
    reorder_level: 'Reorder at',
    maxProducibleQuantity: 'Can be made',
    product_category: 'Category',
    Item_Type: 'Type',
    product_sku: 'SKU',
  },
  orderBy: ['product_sku'],
  query: ({ item_type, limit }) => sql`
    with stock as materialized (
      select m.item_id, ${inStock('qty', always)} as qty, ${onHold('qty', always)} as held
        from ${movementsUpTo(sql`select id from stocked_item`, today)} m group by m.item_id)
    select i.name as product_name, i.sku as product_sku, i.product_category, i.primary_category, ${itemType} as "Item_Type",
           coalesce((select greatest(min(div(coalesce(c.qty - c.held, 0), b.qty)), 0)
                       from bom_line b left join stock c on c.item_id = b.component_id
                      where b.product_id = i.id and b.kind = 'Component' and ${validOn(today)}), 0) as "maxProducibleQuantity",
           s.qty as "inStockQuantity", i.unit as uom, i.reorder_level
      from item i
      left join stock s on s.item_id = i.id
     where i.active and i.type in (${raw(types[item_type])})
     order by i.sku ${limit === undefined ? raw('') : sql`limit ${limit}::bigint`}`,
})
