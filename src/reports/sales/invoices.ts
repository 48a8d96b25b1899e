/** Sales invoices with their lines. */
import { raw, sql } from '../../db/sql.js'
import {
  Amount,
  ClockTime24,
  Explained,
  extra,
  IsoDate,
  Lines,
  Naming,
  NumberAmount,
  OrMarker,
  OrNull,
  Percent,
  Price,
  Quantity,
  Text,
  Word,
} from '../../kernel/report/fields.js'
import { dateRange } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { orderStory } from '../shared/behind.js'
import { currencyColumns, currencyFields, stated, statedFields, taxesField, unitField } from '../shared/document.js'
import { customer, invoice, item, order } from '../shared/things.js'

const amounts = {
  shipping: 'amount',
  adjustment: 'amount',
  sub_total: 'amount',
  total_tax: 'amount',
  total_amt: 'amount',
  round_amt: 'amount',
  final_amt: 'amount',
} as const
const measures = { qty: 'quantity', rate: 'price', taxable_value: 'amount', total_value: 'amount' } as const

/** The taxes that have separate columns. */
const GST = ['igst', 'sgst', 'cgst']

/** Rate and amount of each of these taxes, from its columns and from a tax row of that name. */
const gstColumns = raw(
  GST.map((name) => {
    const ofRow = (member: string) =>
      `(jsonb_path_query_first(x.taxes, '$[*] ? (@.name == "${name.toUpperCase()}")') ->> '${member}')::numeric`
    return `
      case when x.taxes is null then x.${name}_rate else coalesce(x.${name}_rate, ${ofRow('rate')}) end as ${name}_rate,
      case when x.taxes is null then x.${name}_amt
           else coalesce(x.${name}_amt + ${ofRow('amount')}, x.${name}_amt, ${ofRow('amount')}) end as ${name}_amt`
  }).join(', '),
)

/** A member of the `n`th tax of the line `l`: of the first taxes a column, of the others a member of their row. */
const ofTax = (column: (name: string) => string, member: string, type = '') =>
  `case n ${GST.map((name, i) => `when ${i + 1} then ${column(name)}`).join(' ')}
          else (l.taxes -> (n - ${GST.length + 1}) ->> '${member}')${type} end`

/** All taxes of an invoice's lines, from columns and from rows. */
const allTaxes = sql`
  select t.line_no, t.name collate "C" as name, t.rate, t.amount
    from (select l.line_no, ${raw(ofTax((name) => `'${name.toUpperCase()}'`, 'name'))} as name,
                 ${raw(ofTax((name) => `l.${name}_rate`, 'rate', '::numeric'))} as rate,
                 ${raw(ofTax((name) => `l.${name}_amt`, 'amount', '::numeric'))} as amount
            from invoice_line l
           cross join lateral generate_series(1, ${raw(String(GST.length))} + coalesce(jsonb_array_length(l.taxes), 0)) n
           where l.invoice_no = parent.invoice_no) t
   where t.amount is not null`

const tax = (name: string) => ({
  [`${name}_rate`]: OrMarker(Percent(`${name.toUpperCase()} rate in percent; \`-\` where it does not apply.`), '-'),
  [`${name}_amt`]: OrMarker(Amount(2, `${name.toUpperCase()}; \`-\` where it does not apply.`), '-'),
})

export default defineReport({
  id: 'sales.invoices',
  method: 'POST',
  path: '/v1/sales/invoices',
  title: 'Invoices',
  summary: 'Sales invoices with their lines',
  askedAs: [
    'invoices and bills to customers: amounts, tax, GST, due dates',
    'invoiced revenue by customer, state or month',
    'list of invoices in a period',
  ],
  description: `One record per invoice of a day in the range, ordered by \`invoice_date\` and \`invoice_no\`; cancelled invoices
are included and have that \`invoice_status\`.

In India a line has IGST between states, SGST and CGST within one state; a tax that does not apply is \`-\`. \`final_amt\` is the amount to pay as
the invoice states it: \`total_amt\` + \`round_amt\`. It is the only amount that is a JSON number.`,
  cost: 10,
  request: dateRange,
  perPage: 1000,
  record: {
    invoice_no: Naming(Text('Number of the invoice.'), invoice('invoice_no')),
    invoice_date: ClockTime24('Date and time of the invoice.'),
    due_date: IsoDate('Due date.'),
    order_no: Naming(
      Explained(
        Text("The order's number; several numbers are separated by `, `. Empty where there is none."),
        orderStory('order_no'),
      ),
      { ...order('order_no'), separator: ', ' },
    ),
    order_date: OrMarker(IsoDate('Date of the first order; empty where there is none.'), ''),
    gstn: Text("The seller's tax registration on the invoice."),
    reference: Text('Reference.'),
    po_no: OrNull(Text("Number of the customer's purchase order.")),
    customer_name: Naming(Text("The customer's name; empty for a walk-in customer."), customer('customer_code')),
    contact_person: OrNull(Text('Contact person at the customer.')),
    customer_gstn: Text("The customer's tax registration."),
    place_of_supply: Text('State of supply.'),
    shipping: Amount(2, 'Shipping charges.'),
    adjustment: Amount(2, 'Adjustment; may be negative.'),
    sub_total: Amount(2, 'Amount before tax.'),
    total_tax: Amount(2, 'Tax.'),
    total_amt: Amount(2, 'Amount before rounding.'),
    round_amt: Amount(2, 'Rounding; may be negative.'),
    final_amt: NumberAmount('Amount to pay.'),
    invoice_status: Word(['Submitted', 'Cancelled'], 'State of the invoice.'),
    ...extra({
      invoice_type: Word(['Invoice', 'Credit Note'], 'Quantities and amounts of a credit note are negative.'),
      credit_for: Naming(
        OrNull(Text('Number of the credited invoice; only for a credit note.')),
        invoice('credit_for'),
      ),
      customer_code: Text("The customer's code; empty for a walk-in customer."),
    }),
    items: Lines('The lines, in their order.', {
      fields: {
        product_sku: Naming(Text("The product's code; empty for a line without one."), item('product_sku')),
        product_name: Naming(Text("The product's name, or the text of the line."), item('product_sku')),
        hsn_sac: Text("The product's tax classification."),
        uom: Text('Unit of the quantity.'),
        qty: Quantity(4, 'uom', 'Invoiced quantity.'),
        rate: Price(4, 'Price of one unit before tax.'),
        taxable_value: Amount(2, 'Amount before tax.'),
        ...tax('igst'),
        ...tax('sgst'),
        ...tax('cgst'),
        total_value: Amount(2, 'Amount with tax.'),
        ...extra({
          description: Text('Free text of the line.'),
          order_no: Naming(OrNull(Text('Number of the order that the line is for.')), order('order_no')),
        }),
        ...unitField,
        ...statedFields(measures),
      },
      query: sql`
        select x.line_no, coalesce(i.sku, '') as product_sku,
               coalesce(i.name, nullif(x.description, ''), x.order_description, '') as product_name,
               coalesce(i.hsn, '') as hsn_sac, coalesce(i.unit, '') as uom, x.qty, x.rate, x.taxable_value,
               ${gstColumns}, x.total_value, x.description, x.order_no,
               x.unit as document_uom, ${stated('x', Object.keys(measures))}
          from invoice_line_with_order x
          left join item i on i.id = coalesce(x.item_id, x.order_item_id)
         where x.invoice_no = parent.invoice_no`,
      orderBy: ['line_no'],
    }),
    ...currencyFields,
    ...statedFields(amounts),
    ...taxesField(allTaxes),
  },
  people: [
    'invoice_no',
    'customer_name',
    'invoice_date',
    'total_amt',
    'invoice_status',
    'due_date',
    'order_no',
    'items',
    'invoice_type',
  ],
  headings: {
    invoice_no: 'Invoice',
    customer_name: 'Customer',
    invoice_date: 'Date',
    total_amt: 'Amount',
    invoice_status: 'State',
    due_date: 'Due',
    order_no: 'Order',
    invoice_type: 'Type',
  },
  orderBy: ['invoice_date', 'invoice_no'],
  better: { sub_total: 'more', total_amt: 'more', final_amt: 'more' },
  listing: true,
  cancelled: { field: 'invoice_status', is: 'Cancelled' },
  query: ({ from_date, to_date }) => sql`
    select n.invoice_no, n.invoice_at as invoice_date, n.due_date,
           coalesce(n.order_no, (select string_agg(x.order_no, ', ' order by x.order_no)
                                   from (select distinct x.order_no from invoice_line x where x.invoice_no = n.invoice_no) x), '')
             as order_no,
           n.order_date, n.gstn, n.reference, n.po_no, coalesce(c.name, '') as customer_name, coalesce(c.code, '') as customer_code, c.contact_person, n.customer_gstn,
           n.place_of_supply, n.shipping, n.adjustment,
           n.sub_total, n.total_tax, n.total_amt, n.round_amt, n.final_amt, n.status as invoice_status,
           case n.kind when 'INVOICE' then 'Invoice' else 'Credit Note' end as invoice_type, n.credit_for,
           ${currencyColumns('n')}, ${stated('n', Object.keys(amounts))}
      from invoice_with_order n
     cross join account a
      -- The count of all records leaves left joins out.
      left join customer c on c.code = coalesce(n.customer_code, n.order_customer_code)
     where n.invoice_at >= ${from_date}::date and n.invoice_at < ${to_date}::date + interval '1 day'`,
})
