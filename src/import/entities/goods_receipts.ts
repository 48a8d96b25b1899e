import { Code, Day, Optional, Text, WarehouseName } from '../columns.js'
import { defineEntity } from '../entity.js'

export default defineEntity({
  name: 'goods_receipts',
  table: 'goods_receipt',
  about: 'One row per goods receipt (GRN) against a purchase order.',
  key: ['grn_no'],
  conflict: ['po_no', 'grn_no'],
  columns: {
    grn_no: Code('Number of the receipt, unique over all orders.', { example: 'GRN-0001' }),
    po_no: Code('Number of the order.', { example: 'PO-0001' }),
    receipt_date: Day('Date of the receipt.'),
    warehouse: WarehouseName('Where the goods came in.'),
    reference: Optional(Text("The vendor's challan or invoice number.")),
  },
  references: [{ columns: ['po_no'], table: 'purchase_order', to: ['po_no'], entity: 'purchase_orders' }],
})
