import { sql } from '../../db/sql.js'
import { Day, Decimal, ItemCode, Optional, Word } from '../columns.js'
import { contained } from '../containment.js'
import { businessData, defineEntity } from '../entity.js'

export default defineEntity({
  name: 'bom',
  table: 'bom_line',
  about: 'One row per component that goes into a product, or by-product that comes out beside it.',
  order: 40,
  key: ['product', 'component', 'valid_from'],
  columns: {
    product: ItemCode('product_id', 'Code of the product.'),
    component: ItemCode('component_id', 'Code of the component.'),
    qty: Decimal(18, 10, 'Quantity of the component in one unit of the product.', { smallest: 'above zero' }),
    kind: Optional(
      Word(['Component', 'By-product'], 'Whether the component goes in or comes out beside the product.'),
      'Component',
    ),
    valid_from: Optional(Day('First day on which the row holds; empty for always.'), '0001-01-01'),
    valid_to: Optional(Day('Last day on which it holds; empty for always.')),
  },
  rules: [
    { column: 'component', holds: sql`s.product <> s.component`, expects: 'another item than the product' },
    {
      column: 'valid_to',
      holds: sql`s.valid_to is null or s.valid_to >= coalesce(s.valid_from, '0001-01-01')`,
      expects: 'a day not before valid_from',
    },
  ],
  joins: {
    a: { table: 'item', by: { id: 'm.product_id' } },
    b: { table: 'item', by: { id: 'm.component_id' } },
  },
  contradictions: [
    {
      check: 'a product is a component of itself, directly or through other items',
      column: 'component',
      wrong: sql`m.kind = 'Component' and (m.component_id, m.product_id) in ${contained}`,
      message: sql`a.sku || ' needs ' || b.sku || ', which needs ' || a.sku || ' in its turn'`,
    },
    {
      check: 'two rows of a bill of materials hold on the same day',
      column: 'valid_from',
      wrong: sql`exists (
        select from bom_line o
         where o.product_id = m.product_id and o.component_id = m.component_id and o.valid_from <> m.valid_from
           and o.valid_from <= coalesce(m.valid_to, '9999-12-31') and m.valid_from <= coalesce(o.valid_to, '9999-12-31'))`,
      message: sql`a.sku || ' has ' || b.sku || ' twice on the same day'`,
    },
  ],
  grants: businessData,
})
