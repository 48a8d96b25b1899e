import { sql } from '../../db/sql.js'
import { Code, Day, ItemCode, Optional, Quantity, Text, WarehouseName, Word } from '../columns.js'
import { businessData, defineEntity } from '../entity.js'

export default defineEntity({
  name: 'work_orders',
  table: 'work_order',
  about: 'One row per work order: the product to make, its quantity and its dates.',
  order: 125,
  document: true,
  key: ['work_order_no'],
  columns: {
    work_order_no: Code('Number of the work order.', { example: 'WO-0001' }),
    sku: ItemCode('item_id', 'Code of the product.'),
    warehouse: Optional(WarehouseName('Where it is made.')),
    status: Word(['Planned', 'Open', 'Closed', 'Cancelled'], 'State of the order.'),
    planned_qty: Quantity('Quantity to be made.', { smallest: 'above zero' }),
    start_date: Day('Planned first day.'),
    due_date: Day('Planned last day.'),
    finished_on: Optional(Day('The day on which it was closed.')),
    note: Optional(Text('Free text.'), ''),
  },
  rules: [
    { column: 'due_date', holds: sql`s.due_date >= s.start_date`, expects: 'a day not before start_date' },
    {
      column: 'finished_on',
      holds: sql`s.finished_on is null or s.status in ('Closed', 'Cancelled')`,
      expects: 'nothing, unless the order is Closed or Cancelled',
    },
  ],
  grants: businessData,
})
