import { Code } from '../columns.js'
import { taxColumns } from '../document-columns.js'
import { businessData, defineEntity } from '../entity.js'

export default defineEntity({
  name: 'goods_receipt_taxes',
  table: 'goods_receipt_tax',
  about: 'One row per tax on a goods receipt, on one of its lines or on the whole of it.',
  order: 125,
  key: ['grn_no', 'po_no', 'line_no', 'name'],
  tableKey: ['po_no', 'grn_no', 'line_no', 'name'],
  columns: {
    grn_no: Code('Number of the receipt.', { example: 'GRN-0001' }),
    po_no: Code('Number of the order.', { example: 'PO-0001' }),
    ...taxColumns,
  },
  references: [
    { columns: ['po_no', 'grn_no'], table: 'goods_receipt', to: ['po_no', 'grn_no'], entity: 'goods_receipts' },
    {
      columns: ['line_no', 'po_no', 'grn_no'],
      table: 'goods_receipt_line',
      to: ['line_no', 'po_no', 'grn_no'],
      entity: 'goods_receipt_items',
      zeroIsNone: true,
    },
  ],
  grants: businessData,
})
