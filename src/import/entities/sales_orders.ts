import { address } from '../address.js'
import { Amount, ClockTime, Code, Day, Integer, Optional, Text, WarehouseName, Word, YesNo } from '../columns.js'
import { currencyColumns, currencyRules, documentConversion, rateOfCurrency } from '../document-columns.js'
import { businessData, defineEntity } from '../entity.js'
import { ORDER_PARTS, partsAddUp } from '../totals.js'

/** Where this order goes, if not to the customer's own shipping address. */
const shipTo = address('shipping', null)

export default defineEntity({
  name: 'sales_orders',
  table: 'sales_order',
  about: 'One row per sales order. How much of it was issued follows from the stock movements.',
  order: 150,
  document: true,
  key: ['order_no'],
  columns: {
    order_no: Code('Number of the order, unique.', { example: 'SO-00001' }),
    order_type: Text('How it was sold, such as B2B/Retail or Online.', { example: 'Online' }),
    channel_id: Optional(Text('Identifier in the sales channel.')),
    channel: Optional(Integer(0, 'Number of the sales channel.'), '0'),
    order_date: Day('Date of the order.'),
    order_time: Optional(ClockTime('Time of the order.'), '00:00:00'),
    customer_code: Optional(Code('Code of the customer; empty for one who walked in.', { example: 'C001' })),
    warehouse: Optional(WarehouseName('Where it is dispatched from, unless a line says otherwise.')),
    po_no: Optional(Text("Number of the customer's purchase order.")),
    po_date: Optional(Day('Its date.')),
    created_by: Optional(Text('Who entered it.'), ''),
    exp_dispatch_date: Optional(Day('Expected date of dispatch.')),
    appointment_date: Optional(Day('Date of the appointment for delivery.')),
    expiry_date: Optional(Day('Last day on which it may be delivered.')),
    reference: Optional(Text('Reference.')),
    ...shipTo,
    free_of_cost: Optional(YesNo('Whether nothing is charged.'), 'false'),
    state: Optional(Word(['OPEN', 'CLOSED', 'CANCELLED'], 'State that people set.'), 'OPEN'),
    taxable_amt: Amount('Amount before tax.', { smallest: 'any' }),
    tax_amt: Amount('Tax.', { smallest: 'any' }),
    shipping_amt: Optional(Amount('Shipping charges.'), '0'),
    adjustment_label: Optional(Text('Reason for the adjustment.'), ''),
    adjustment_amt: Optional(Amount('Adjustment of the total.', { smallest: 'any' }), '0'),
    total_amt: Amount('Amount to pay.', { smallest: 'any' }),
    ...currencyColumns,
  },
  rules: currencyRules,
  references: [{ columns: ['customer_code'], table: 'customer', to: ['code'], entity: 'customers' }],
  contradictions: [rateOfCurrency('sales order', 'sales_order', 'order_no')],
  doubts: [partsAddUp('sales_orders', 'sales_order', 'order_no', 'total_amt', ORDER_PARTS)],
  conversion: documentConversion('sales_orders', 'sales_order', 'order_no'),
  grants: { ...businessData, sequences: ['sales_order_id'] },
})
