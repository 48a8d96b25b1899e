import { sql } from '../../db/sql.js'
import { Amount, Code, Day, Integer, Quantity, Word } from '../columns.js'
import { defineEntity } from '../entity.js'

export default defineEntity({
  name: 'returns',
  table: 'sales_return',
  about: 'One row per returned line of a sales order. Usable goods also come back as a stock movement.',
  key: ['order_no', 'return_no', 'order_line_no'],
  columns: {
    order_no: Code('Number of the order.', { example: 'SO-00001' }),
    return_no: Code('Number of the return.', { example: 'RT-0001' }),
    order_line_no: Integer(1, "Number of the order's line."),
    return_date: Day('Date of the return.'),
    kind: Word(['RTO', 'RTV'], 'RTO came back undelivered, RTV was sent back.'),
    usable_qty: Quantity('Went back into stock.'),
    unusable_qty: Quantity('Could not be used any more.'),
    taxable_amt: Amount('Credited amount before tax.'),
    tax_amt: Amount('Tax on it.'),
  },
  rules: [
    { column: 'usable_qty', holds: sql`s.usable_qty + s.unusable_qty > 0`, expects: 'a return of more than nothing' },
  ],
  references: [
    {
      columns: ['order_no', 'order_line_no'],
      table: 'sales_order_line',
      to: ['order_no', 'line_no'],
      entity: 'sales_order_items',
    },
  ],
})
