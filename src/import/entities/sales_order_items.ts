import { Amount, Code, Integer, ItemCode, Optional, Percent, Quantity, TaxPercent, Text } from '../columns.js'
import { defineEntity } from '../entity.js'

export default defineEntity({
  name: 'sales_order_items',
  table: 'sales_order_line',
  about: 'One row per line of a sales order.',
  key: ['order_no', 'line_no'],
  columns: {
    order_no: Code('Number of the order.', { example: 'SO-00001' }),
    line_no: Integer(1, 'Number of the line inside the order.'),
    sku: ItemCode('item_id', 'Code of the ordered item.'),
    description: Optional(Text('Free text.'), ''),
    qty: Quantity('Ordered quantity.', { smallest: 'above zero' }),
    mrp: Optional(Amount('Maximum retail price.'), '0'),
    rate: Quantity('Price of one unit before discount and tax.'),
    discount_per: Optional(Percent('Discount in percent.', { example: '5' }), '0'),
    discount_amt: Optional(Amount('Discount on the line.'), '0'),
    effective_rate: Quantity('Price of one unit after discount, before tax.'),
    tax_rate: Optional(TaxPercent('Tax rate in percent.', { example: '12' }), '0'),
    taxable_amt: Amount('Amount after discount, before tax.'),
    tax_amt: Amount('Tax.'),
    total_amt: Amount('Amount with tax.'),
  },
  references: [{ columns: ['order_no'], table: 'sales_order', to: ['order_no'], entity: 'sales_orders' }],
})
