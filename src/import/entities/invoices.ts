import { Amount, Code, Day, Moment, Optional, Text, Word } from '../columns.js'
import { defineEntity } from '../entity.js'

export default defineEntity({
  name: 'invoices',
  table: 'invoice',
  about: 'One row per sales invoice.',
  key: ['invoice_no'],
  conflict: ['order_no', 'invoice_no'],
  columns: {
    invoice_no: Code('Number of the invoice, unique over all orders.', { example: 'INV-00001' }),
    order_no: Code('Number of the order.', { example: 'SO-00001' }),
    invoice_at: Moment('Date and time of the invoice.'),
    due_date: Day('Due date.'),
    gstn: Optional(Text("The seller's registration that it was issued under."), ''),
    reference: Optional(Text('Reference.'), ''),
    customer_gstn: Optional(Text("The customer's registration."), ''),
    place_of_supply: Optional(Text('Place of supply.', { example: 'Maharashtra' }), ''),
    shipping: Optional(Amount('Shipping charges.'), '0'),
    adjustment: Optional(Amount('Adjustment.', { smallest: 'any' }), '0'),
    sub_total: Amount('Amount before tax.'),
    total_tax: Amount('Tax.'),
    total_amt: Amount('Amount before rounding.', { smallest: 'any' }),
    round_amt: Optional(Amount('Rounding.', { smallest: 'any' }), '0'),
    final_amt: Amount('Amount to pay.', { smallest: 'any' }),
    status: Optional(Word(['Submitted', 'Cancelled'], 'State of the invoice.'), 'Submitted'),
  },
  references: [{ columns: ['order_no'], table: 'sales_order', to: ['order_no'], entity: 'sales_orders' }],
})
