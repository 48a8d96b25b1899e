import { sql } from '../../db/sql.js'
import { Amount, Code, Integer, Optional, Quantity, TaxPercent } from '../columns.js'
import { defineEntity } from '../entity.js'

export default defineEntity({
  name: 'invoice_items',
  table: 'invoice_line',
  about: 'One row per line of an invoice. Between states it has IGST, inside one state SGST and CGST.',
  key: ['invoice_no', 'line_no'],
  conflict: ['order_no', 'invoice_no', 'line_no'],
  columns: {
    invoice_no: Code('Number of the invoice.', { example: 'INV-00001' }),
    order_no: Code('Number of the order.', { example: 'SO-00001' }),
    line_no: Integer(1, 'Number of the line inside the invoice.'),
    order_line_no: Integer(1, "Number of the order's line."),
    qty: Quantity('Invoiced quantity.', { smallest: 'above zero' }),
    rate: Quantity('Price of one unit before tax.'),
    taxable_value: Amount('Amount before tax.'),
    igst_rate: Optional(TaxPercent('IGST rate in percent.')),
    igst_amt: Optional(Amount('IGST.')),
    sgst_rate: Optional(TaxPercent('SGST rate in percent.')),
    sgst_amt: Optional(Amount('SGST.')),
    cgst_rate: Optional(TaxPercent('CGST rate in percent.')),
    cgst_amt: Optional(Amount('CGST.')),
    total_value: Amount('Amount with tax.'),
  },
  rules: [
    {
      column: 'igst_amt',
      holds: sql`(s.igst_rate is null) = (s.igst_amt is null)`,
      expects: 'an amount where there is a rate, and none where there is none',
    },
    {
      column: 'sgst_amt',
      holds: sql`num_nulls(s.sgst_rate, s.sgst_amt, s.cgst_rate, s.cgst_amt) in (0, 4)`,
      expects: 'SGST and CGST together, each with rate and amount',
    },
    {
      column: 'igst_rate',
      holds: sql`s.igst_rate is null or s.sgst_rate is null`,
      expects: 'either IGST, or SGST and CGST',
    },
  ],
  references: [
    { columns: ['order_no', 'invoice_no'], table: 'invoice', to: ['order_no', 'invoice_no'], entity: 'invoices' },
    {
      columns: ['order_no', 'order_line_no'],
      table: 'sales_order_line',
      to: ['order_no', 'line_no'],
      entity: 'sales_order_items',
    },
  ],
})
