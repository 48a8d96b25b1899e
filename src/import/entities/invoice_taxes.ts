import { raw, sql } from '../../db/sql.js'
import { Code } from '../columns.js'
import { given } from '../conversion.js'
import { taxColumns } from '../document-columns.js'
import { businessData, defineEntity } from '../entity.js'

export default defineEntity({
  name: 'invoice_taxes',
  table: 'invoice_tax',
  about: 'One row per tax on an invoice or credit note, on one of its lines or on the whole of it.',
  order: 195,
  key: ['invoice_no', 'line_no', 'name'],
  columns: {
    invoice_no: Code('Number of the invoice.', { example: 'INV-00001' }),
    ...taxColumns,
  },
  references: [
    { columns: ['invoice_no'], table: 'invoice', to: ['invoice_no'], entity: 'invoices' },
    {
      columns: ['line_no', 'invoice_no'],
      table: 'invoice_line',
      to: ['line_no', 'invoice_no'],
      entity: 'invoice_items',
      zeroIsNone: true,
    },
  ],
  contradictions: [
    {
      check: 'a tax of a line of an invoice is in its column and in a row',
      column: 'name',
      join: sql`join invoice_line l on l.invoice_no = m.invoice_no and l.line_no = m.line_no`,
      wrong: sql`case upper(m.name) when 'IGST' then ${raw(given('l', 'igst_amt'))} when 'SGST' then ${raw(given('l', 'sgst_amt'))}
                                    when 'CGST' then ${raw(given('l', 'cgst_amt'))} end is not null`,
      message: sql`'line ' || l.line_no || ' of invoice ' || m.invoice_no || ' has ' || upper(m.name)
                   || ' in its column and in invoice_taxes: leave one of them out'`,
    },
  ],
  grants: businessData,
})
