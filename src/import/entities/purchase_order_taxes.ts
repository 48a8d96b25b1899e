import { Code } from '../columns.js'
import { taxColumns } from '../document-columns.js'
import { businessData, defineEntity } from '../entity.js'

export default defineEntity({
  name: 'purchase_order_taxes',
  table: 'purchase_order_tax',
  about: 'One row per tax on a purchase order, on one of its lines or on the whole of it.',
  order: 100,
  key: ['po_no', 'line_no', 'name'],
  columns: {
    po_no: Code('Number of the order.', { example: 'PO-0001' }),
    ...taxColumns,
  },
  references: [
    { columns: ['po_no'], table: 'purchase_order', to: ['po_no'], entity: 'purchase_orders' },
    {
      columns: ['line_no', 'po_no'],
      table: 'purchase_order_line',
      to: ['line_no', 'po_no'],
      entity: 'purchase_order_items',
      zeroIsNone: true,
    },
  ],
  grants: businessData,
})
