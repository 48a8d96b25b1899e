/** Item master FG: the masters of finished goods, for partners. */
import { sql } from '../../db/sql.js'
import { Decimal, Naming, NotAdditive, Price, Quantity, Text } from '../../kernel/report/fields.js'
import { PageSize } from '../../kernel/report/paging.js'
import { defineReport } from '../../kernel/report/report.js'
import { item } from '../shared/things.js'
import { ItemType, itemType } from '../shared/words.js'

export default defineReport({
  id: 'partner.fg-item-master',
  method: 'POST',
  path: '/v1/partner/fg-item-master',
  title: 'Item master',
  summary: 'Active finished goods and combos',
  askedAs: ['finished goods with MRP, tax rate and HSN, for partners', 'product catalogue of active products we sell'],
  description: 'One record per active finished good and combo, ordered by `product_sku`.',
  request: { limit: PageSize('number') },
  perPage: 20,
  perPageFrom: 'limit',
  record: {
    product_name: Naming(Text('Name.'), item('product_sku')),
    product_sku: Naming(Text('Code.'), item('product_sku')),
    product_category: Text('Product category.'),
    primary_category: Text('Primary category.'),
    Item_Type: ItemType('FG', 'COMBO'),
    business_nature: Text('How the account obtains the item, such as `Manufactured`.'),
    hsn: Text('Tax classification.'),
    uom: Text('Unit.'),
    mrp: Price(2, 'Maximum retail price.'),
    tax_rate: NotAdditive(Decimal(2, 'Tax rate in percent.')),
    reorder_level: NotAdditive(Quantity(4, 'uom', 'Quantity below which to reorder.')),
  },
  people: ['product_name', 'mrp', 'uom', 'tax_rate', 'reorder_level', 'product_category', 'hsn', 'product_sku'],
  headings: {
    product_name: 'Product',
    tax_rate: 'Tax %',
    reorder_level: 'Reorder at',
    product_category: 'Category',
    product_sku: 'SKU',
  },
  orderBy: ['product_sku'],
  query: () => sql`
    select i.name as product_name, i.sku as product_sku, i.product_category, i.primary_category, ${itemType} as "Item_Type",
           i.business_nature, i.hsn, i.unit as uom, i.mrp, i.tax_rate, i.reorder_level
      from item i where i.active and i.type in ('FG', 'COMBO')`,
})
