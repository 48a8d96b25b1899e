import { Code } from '../columns.js'
import { taxColumns } from '../document-columns.js'
import { businessData, defineEntity } from '../entity.js'

export default defineEntity({
  name: 'sales_order_taxes',
  table: 'sales_order_tax',
  about: 'One row per tax on a sales order, on one of its lines or on the whole of it.',
  order: 165,
  key: ['order_no', 'line_no', 'name'],
  columns: {
    order_no: Code('Number of the order.', { example: 'SO-00001' }),
    ...taxColumns,
  },
  references: [
    { columns: ['order_no'], table: 'sales_order', to: ['order_no'], entity: 'sales_orders' },
    {
      columns: ['line_no', 'order_no'],
      table: 'sales_order_line',
      to: ['line_no', 'order_no'],
      entity: 'sales_order_items',
      zeroIsNone: true,
    },
  ],
  grants: businessData,
})
