import { Code } from '../columns.js'
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
  grants: businessData,
})
