import { Code, Integer, ItemCode, Optional, Quantity, Word } from '../columns.js'
import { businessData, defineEntity } from '../entity.js'

export default defineEntity({
  name: 'work_order_items',
  table: 'work_order_line',
  about: 'One row per component that a work order needs, or by-product that comes out of it.',
  order: 126,
  key: ['work_order_no', 'line_no'],
  columns: {
    work_order_no: Code('Number of the work order.', { example: 'WO-0001' }),
    line_no: Integer(1, 'Number of the line inside the order.'),
    sku: ItemCode('item_id', 'Code of the component or by-product.'),
    kind: Optional(Word(['Component', 'By-product'], 'Whether it goes in or comes out.'), 'Component'),
    planned_qty: Quantity('Quantity for the whole order.', { smallest: 'above zero' }),
  },
  references: [{ columns: ['work_order_no'], table: 'work_order', to: ['work_order_no'], entity: 'work_orders' }],
  grants: businessData,
})
