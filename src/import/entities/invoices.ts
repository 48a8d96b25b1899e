import { sql } from '../../db/sql.js'
import { Amount, Code, Day, Moment, Optional, Text, Word } from '../columns.js'
import { currencyColumns, currencyRules, documentConversion, rateOfCurrency } from '../document-columns.js'
import { businessData, defineEntity } from '../entity.js'
import { inCurrency, partsAddUp } from '../totals.js'

export default defineEntity({
  name: 'invoices',
  table: 'invoice',
  about: 'One row per sales invoice.',
  order: 180,
  document: true,
  key: ['invoice_no'],
  columns: {
    invoice_no: Code('Number of the invoice or credit note, unique.', { example: 'INV-00001' }),
    order_no: Optional(
      Code('Number of the order; empty for an invoice over several orders or without one.', { example: 'SO-00001' }),
    ),
    customer_code: Optional(Code("Code of the customer; empty for the order's.", { example: 'C001' })),
    kind: Optional(
      Word(['INVOICE', 'CREDIT NOTE'], 'Kind of document. Quantities and amounts of a credit note are negative.'),
      'INVOICE',
    ),
    credit_for: Optional(Code('Of a credit note: number of the invoice that it is for.', { example: 'INV-00001' })),
    return_no: Optional(
      Code('Of a credit note: number of the return in returns that it credits.', { example: 'RT-0001' }),
    ),
    invoice_at: Moment('Date and time of the invoice.'),
    due_date: Day('Due date.'),
    gstn: Optional(Text("The seller's tax registration on the invoice."), ''),
    reference: Optional(Text('Reference.'), ''),
    customer_gstn: Optional(Text("The customer's registration."), ''),
    place_of_supply: Optional(Text('Place of supply.', { example: 'Maharashtra' }), ''),
    shipping: Optional(Amount('Shipping charges.', { smallest: 'any' }), '0'),
    adjustment: Optional(Amount('Adjustment.', { smallest: 'any' }), '0'),
    sub_total: Amount('Amount before tax.', { smallest: 'any' }),
    total_tax: Amount('Tax.', { smallest: 'any' }),
    total_amt: Amount('Amount before rounding.', { smallest: 'any' }),
    round_amt: Optional(Amount('Rounding.', { smallest: 'any' }), '0'),
    final_amt: Amount('Amount to pay.', { smallest: 'any' }),
    status: Optional(Word(['Submitted', 'Cancelled'], 'State of the invoice.'), 'Submitted'),
    ...currencyColumns,
  },
  rules: [
    ...currencyRules,
    {
      column: 'credit_for',
      holds: sql`s.kind = 'CREDIT NOTE' or s.credit_for is null`,
      expects: 'nothing, unless the kind is CREDIT NOTE',
    },
    {
      column: 'return_no',
      holds: sql`s.kind = 'CREDIT NOTE' or s.return_no is null`,
      expects: 'nothing, unless the kind is CREDIT NOTE',
    },
  ],
  references: [
    { columns: ['order_no'], table: 'sales_order', to: ['order_no'], entity: 'sales_orders' },
    { columns: ['customer_code'], table: 'customer', to: ['code'], entity: 'customers' },
  ],
  contradictions: [rateOfCurrency('invoice', 'invoice', 'invoice_no')],
  doubts: [
    partsAddUp('invoices', 'invoice', 'invoice_no', 'total_amt', ['sub_total', 'total_tax', 'shipping', 'adjustment']),
    partsAddUp('invoices', 'invoice', 'invoice_no', 'final_amt', ['total_amt', 'round_amt']),
    {
      check: 'the amount of a credit note is above zero',
      entities: ['invoices'],
      query: (isLoaded) => sql`
        select 'credit note ' || d.invoice_no || ': final_amt is ' || ${inCurrency('d', 'final_amt')}
               || '; amounts of a credit note are negative'
          from invoice d where d.kind = 'CREDIT NOTE' and d.final_amt > 0 and ${isLoaded('invoice_no')} order by d.invoice_no`,
    },
    {
      check: 'a credit note names a return that does not exist',
      entities: ['invoices'],
      query: (isLoaded) => sql`
        select 'credit note ' || d.invoice_no || ': there is no return ' || d.return_no
               || coalesce(' of order ' || d.order_no, '')
          from invoice d
         where not exists (select from sales_return r
                            where r.return_no = d.return_no and r.order_no = coalesce(d.order_no, r.order_no))
           and d.return_no is not null and ${isLoaded('invoice_no')} order by d.invoice_no`,
    },
    {
      check: 'a credit note and a return of the same order line may be one return, which is subtracted twice',
      entities: ['invoice_items', 'returns'],
      query: (isLoaded) => sql`
        select 'credit note ' || n.invoice_no || ' and return ' || d.return_no || ' of order ' || d.order_no
               || ' both take back ' || (d.usable_qty + d.unusable_qty) || ' of line ' || d.order_line_no
               || '; if the credit note is for the return, give it the return_no ' || d.return_no
          from sales_return d
          join invoice_line x on x.order_no = d.order_no and x.order_line_no = d.order_line_no
                             and x.qty = -(d.usable_qty + d.unusable_qty)
          join invoice n on n.invoice_no = x.invoice_no
         where n.kind = 'CREDIT NOTE' and n.status <> 'Cancelled' and n.return_no is null and d.taxable_amt > 0
           and not exists (select from invoice c join invoice_line y on y.invoice_no = c.invoice_no
                            where c.return_no = d.return_no and c.status <> 'Cancelled'
                              and y.order_no = d.order_no and y.order_line_no = d.order_line_no)
           and ${isLoaded('order_no')} order by n.invoice_no, d.return_no, d.order_line_no`,
    },
    {
      check: 'a credit note names an invoice that does not exist',
      entities: ['invoices'],
      query: (isLoaded) => sql`
        select 'credit note ' || d.invoice_no || ': there is no invoice ' || d.credit_for
          from invoice d
         where not exists (select from invoice i where i.invoice_no = d.credit_for) and d.credit_for is not null
           and ${isLoaded('invoice_no')} order by d.invoice_no`,
    },
  ],
  conversion: documentConversion('invoices', 'invoice', 'invoice_no'),
  grants: businessData,
})
