import { sql } from '../../db/sql.js'
import { Amount, Code, Integer, Quantity } from '../columns.js'
import { defineEntity } from '../entity.js'

export default defineEntity({
  name: 'goods_receipt_items',
  table: 'goods_receipt_line',
  about: 'One row per line of a goods receipt.',
  key: ['grn_no', 'line_no'],
  conflict: ['po_no', 'grn_no', 'line_no'],
  columns: {
    grn_no: Code('Number of the receipt.', { example: 'GRN-0001' }),
    po_no: Code('Number of the order.', { example: 'PO-0001' }),
    line_no: Integer(1, 'Number of the line inside the receipt.'),
    po_line_no: Integer(1, "Number of the order's line."),
    received_qty: Quantity('Received quantity; what is neither accepted nor rejected waits for inspection.', {
      smallest: 'above zero',
    }),
    accepted_qty: Quantity('Accepted of it.'),
    rejected_qty: Quantity('Rejected of it.'),
    rate: Quantity('Price of one unit before tax.'),
    taxable_amt: Amount('Amount before tax of what was accepted.'),
    tax_amt: Amount('Tax.'),
    total_amt: Amount('Amount with tax.'),
  },
  rules: [
    {
      column: 'received_qty',
      holds: sql`s.received_qty >= s.accepted_qty + s.rejected_qty`,
      expects: 'no less than accepted_qty + rejected_qty',
    },
  ],
  references: [
    { columns: ['po_no', 'grn_no'], table: 'goods_receipt', to: ['po_no', 'grn_no'], entity: 'goods_receipts' },
    {
      columns: ['po_no', 'po_line_no'],
      table: 'purchase_order_line',
      to: ['po_no', 'line_no'],
      entity: 'purchase_order_items',
    },
  ],
})
