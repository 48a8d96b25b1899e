/** Material list: the masters of all items that are bought or used. */
import { sql } from '../../db/sql.js'
import { Naming, Text } from '../../kernel/report/fields.js'
import { defineReport } from '../../kernel/report/report.js'
import { item } from '../shared/things.js'
import { ItemType, itemType } from '../shared/words.js'

export default defineReport({
  id: 'masters.material',
  method: 'POST',
  path: '/v1/inventory/material',
  title: 'Materials',
  summary: 'Active materials, services and semi-finished goods',
  askedAs: [
    'list of raw materials, packaging materials and services',
    'what we buy, with units and categories',
    'active materials',
  ],
  description: 'One record per active material, service and semi-finished good, ordered by `item_sku`.',
  request: {},
  record: {
    item_name: Naming(Text('Name.'), item('item_sku')),
    item_sku: Naming(Text('Code, unique.'), item('item_sku')),
    item_unit: Text('Unit of every quantity of the item.'),
    item_product_category: Text('Product category.'),
    item_primary_category: Text('Primary category.'),
    item_business_nature: Text('How the account obtains the item, such as `Manufactured`.'),
    item_type: ItemType('MAT', 'SRV', 'SFG'),
  },
  people: ['item_name', 'item_sku', 'item_product_category', 'item_primary_category', 'item_unit', 'item_type'],
  headings: {
    item_name: 'Item',
    item_sku: 'SKU',
    item_product_category: 'Category',
    item_primary_category: 'Primary category',
    item_unit: 'Unit',
    item_type: 'Type',
  },
  orderBy: ['item_sku'],
  query: () => sql`
    select i.name as item_name, i.sku as item_sku, i.unit as item_unit, i.product_category as item_product_category,
           i.primary_category as item_primary_category, i.business_nature as item_business_nature,
           ${itemType} as item_type
      from item i where i.active and i.type in ('MAT', 'SRV', 'SFG')`,
})
