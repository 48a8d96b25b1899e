import { sql } from '../../db/sql.js'
import { Amount, Code, Day, Moment, Optional, Text, Word } from '../columns.js'
import { businessData, defineEntity } from '../entity.js'
import { partsAddUp } from '../totals.js'

export default defineEntity({
  name: 'invoices',
  table: 'invoice',
  about: 'One row per sales invoice.',
  order: 180,
  document: true,
  key: ['invoice_no'],
  tableKey: ['order_no', 'invoice_no'],
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
  contradictions: [
    {
      check: 'an invoice has two orders',
      column: 'order_no',
      join: sql`join invoice o on o.invoice_no = m.invoice_no`,
      wrong: sql`o.order_no <> m.order_no`,
      message: sql`'invoice ' || m.invoice_no || ' has two orders, ' || least(m.order_no, o.order_no) || ' and '
                   || greatest(m.order_no, o.order_no)`,
    },
  ],
  doubts: [
    partsAddUp(
      'invoices',
      'invoice',
      'invoice_no',
      'total_amt',
      'd.sub_total + d.total_tax + d.shipping + d.adjustment',
    ),
    partsAddUp('invoices', 'invoice', 'invoice_no', 'final_amt', 'd.total_amt + d.round_amt'),
  ],
  grants: businessData,
})
