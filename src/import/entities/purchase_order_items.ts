import { Amount, Code, Integer, ItemCode, Optional, Quantity, TaxPercent, Text } from '../columns.js'
import { defineEntity } from '../entity.js'

export default defineEntity({
  name: 'purchase_order_items',
  table: 'purchase_order_line',
  about: 'One row per line of a purchase order.',
  key: ['po_no', 'line_no'],
  columns: {
    po_no: Code('Number of the order.', { example: 'PO-0001' }),
    line_no: Integer(1, 'Number of the line inside the order.'),
    sku: ItemCode('item_id', 'Code of the ordered item.'),
    description: Optional(Text('Free text.'), ''),
    qty: Quantity('Ordered quantity.', { smallest: 'above zero' }),
    rate: Quantity('Price of one unit before tax.'),
    tax_rate: Optional(TaxPercent('Tax rate in percent.', { example: '12' }), '0'),
    taxable_amt: Amount('Amount before tax.'),
    tax_amt: Amount('Tax.'),
    total_amt: Amount('Amount with tax.'),
  },
  references: [{ columns: ['po_no'], table: 'purchase_order', to: ['po_no'], entity: 'purchase_orders' }],
})
