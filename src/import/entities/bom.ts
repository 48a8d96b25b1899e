import { sql } from '../../db/sql.js'
import { Decimal, ItemCode } from '../columns.js'
import { contains } from '../containment.js'
import { businessData, defineEntity } from '../entity.js'

export default defineEntity({
  name: 'bom',
  table: 'bom_line',
  about: 'One row per component of a product: what one unit of it is made of.',
  order: 40,
  key: ['product', 'component'],
  columns: {
    product: ItemCode('product_id', 'Code of the product.'),
    component: ItemCode('component_id', 'Code of the component.'),
    qty: Decimal(18, 10, 'Quantity of the component in one unit of the product.', { smallest: 'above zero' }),
  },
  rules: [{ column: 'component', holds: sql`s.product <> s.component`, expects: 'another item than the product' }],
  joins: {
    a: { table: 'item', by: { id: 'm.product_id' } },
    b: { table: 'item', by: { id: 'm.component_id' } },
  },
  contradictions: [
    {
      check: 'a product is needed for itself',
      column: 'component',
      wrong: sql`(m.component_id, m.product_id) in ${contains('bom_line', 'product_id')}`,
      message: sql`a.sku || ' needs ' || b.sku || ', which needs ' || a.sku || ' in its turn'`,
    },
  ],
  grants: businessData,
})
