/** Items: the masters of all items, active or not. */
import { sql } from '../../db/sql.js'
import { Decimal, Naming, NotAdditive, Price, Quantity, Text, Word } from '../../kernel/report/fields.js'
import { Optional, TextParam } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { item } from '../shared/things.js'
import { ItemType, itemType, only } from '../shared/words.js'

export default defineReport({
  id: 'masters.items',
  method: 'POST',
  path: '/v1/masters/items',
  title: 'All items',
  summary: 'All items, active or not, with their prices and reorder levels',
  askedAs: [
    'item master with prices',
    'MRP, tax rate, HSN code, reorder level of an item',
    'inactive or discontinued items',
    'all SKUs',
  ],
  description: 'One record per item of any type, active or not, ordered by `sku`.',
  request: { sku: Optional(TextParam('Only the item with this code.', 'FG-0002')) },
  perPage: 100,
  record: {
    name: Naming(Text('Name.'), item('sku')),
    sku: Naming(Text('Code, unique.'), item('sku')),
    type: ItemType('FG', 'SFG', 'COMBO', 'MAT', 'SRV'),
    status: Word(['Active', 'Inactive'], 'An inactive item is left out of the other lists of items.'),
    unit: Text('Unit of every quantity of the item.'),
    primary_category: Text('Primary category.'),
    product_category: Text('Product category.'),
    business_nature: Text('How the account obtains the item, such as `Manufactured`.'),
    hsn: Text('Tax classification.'),
    mrp: Price(2, 'Maximum retail price.'),
    tax_rate: NotAdditive(Decimal(2, 'Tax rate in percent.')),
    reorder_level: NotAdditive(Quantity(4, 'unit', 'Quantity below which to reorder.')),
  },
  people: ['name', 'sku', 'type', 'product_category', 'mrp', 'unit', 'reorder_level', 'status'],
  orderBy: ['sku'],
  listing: true,
  query: ({ sku }) => sql`
    select i.name, i.sku, ${itemType} as type, case when i.active then 'Active' else 'Inactive' end as status, i.unit,
           i.primary_category, i.product_category, i.business_nature, i.hsn, i.mrp, i.tax_rate, i.reorder_level
      from item i where true ${only(sku, (code) => sql`i.sku = ${code}`)}`,
})
