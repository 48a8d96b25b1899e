import { sql } from '../../db/sql.js'
import { Decimal, ItemCode } from '../columns.js'
import { defineEntity } from '../entity.js'

export default defineEntity({
  name: 'bom',
  table: 'bom_line',
  about: 'One row per component of a product: what one unit of it is made of.',
  key: ['product', 'component'],
  columns: {
    product: ItemCode('product_id', 'Code of the product.'),
    component: ItemCode('component_id', 'Code of the component.'),
    qty: Decimal(18, 10, 'Quantity of the component in one unit of the product.', { smallest: 'above zero' }),
  },
  rules: [{ column: 'component', holds: sql`s.product <> s.component`, expects: 'another item than the product' }],
})
