/** Sales invoices with their lines. */
import { sql } from '../../db/sql.js'
import {
  ClockTime24,
  Decimal,
  Explained,
  IsoDate,
  Lines,
  NotAdditive,
  NumberAmount,
  OrMarker,
  OrNull,
  Text,
  Word,
} from '../../kernel/fields.js'
import { dateRange } from '../../kernel/params.js'
import { defineReport } from '../../kernel/report.js'
import { orderStory } from '../shared/behind.js'

const tax = (name: string) => ({
  [`${name}_rate`]: OrMarker(
    NotAdditive(Decimal(2, `${name.toUpperCase()} rate in percent; \`-\` where it does not apply.`)),
    '-',
  ),
  [`${name}_amt`]: OrMarker(Decimal(2, `${name.toUpperCase()}; \`-\` where it does not apply.`), '-'),
})

export default defineReport({
  id: 'sales.invoices',
  method: 'POST',
  path: '/v1/sales/invoices',
  title: 'Invoices',
  summary: 'Sales invoices with their lines',
  description: `One record per invoice of a day in the range, ordered by \`invoice_date\`, \`invoice_no\` and \`order_no\`; cancelled invoices
are included and have that \`invoice_status\`.

Between states a line has IGST, inside one state SGST and CGST; what does not apply is \`-\`. \`final_amt\`, the amount to pay as the
invoice states it, is \`total_amt\` + \`round_amt\`, and the only amount that is a JSON number.`,
  cost: 10,
  request: dateRange,
  perPage: 1000,
  record: {
    invoice_no: Text('Number of the invoice.'),
    invoice_date: ClockTime24('Date and time of the invoice.'),
    due_date: IsoDate('Due date.'),
    order_no: Explained(Text("The order's number."), orderStory('order_no')),
    order_date: IsoDate('Order date.'),
    gstn: Text("The seller's registration that it was issued under."),
    reference: Text('Reference.'),
    po_no: OrNull(Text("Number of the customer's purchase order.")),
    customer_name: Text("The customer's name."),
    contact_person: OrNull(Text('Whom to talk to there.')),
    customer_gstn: Text("The customer's registration."),
    place_of_supply: Text('State of supply.'),
    shipping: Decimal(2, 'Shipping charges.'),
    adjustment: Decimal(2, 'Adjustment; may be negative.'),
    sub_total: Decimal(2, 'Amount before tax.'),
    total_tax: Decimal(2, 'Tax.'),
    total_amt: Decimal(2, 'Amount before rounding.'),
    round_amt: Decimal(2, 'Rounding; may be negative.'),
    final_amt: NumberAmount('Amount to pay.'),
    invoice_status: Word(['Submitted', 'Cancelled'], 'State of the invoice.'),
    items: Lines('The lines, in their order.', {
      fields: {
        product_sku: Text("The product's code."),
        product_name: Text("The product's name."),
        hsn_sac: Text("The product's tax classification."),
        uom: Text('Unit of the quantity.'),
        qty: Decimal(4, 'Invoiced quantity.'),
        rate: NotAdditive(Decimal(4, 'Price of one unit before tax.')),
        taxable_value: Decimal(2, 'Amount before tax.'),
        ...tax('igst'),
        ...tax('sgst'),
        ...tax('cgst'),
        total_value: Decimal(2, 'Amount with tax.'),
      },
      query: sql`
        select x.line_no, i.sku as product_sku, i.name as product_name, i.hsn as hsn_sac, i.unit as uom, x.qty, x.rate,
               x.taxable_value, x.igst_rate, x.igst_amt, x.sgst_rate, x.sgst_amt, x.cgst_rate, x.cgst_amt, x.total_value
          from invoice_line x
          join sales_order_line l on l.order_no = x.order_no and l.line_no = x.order_line_no
          join item i on i.id = l.item_id
         where x.order_no = parent.order_no and x.invoice_no = parent.invoice_no`,
      orderBy: ['line_no'],
    }),
  },
  orderBy: ['invoice_date', 'invoice_no', 'order_no'],
  listing: true,
  query: ({ from_date, to_date }) => sql`
    select n.invoice_no, n.invoice_at as invoice_date, n.due_date, n.order_no, o.order_date, n.gstn, n.reference, o.po_no,
           c.name as customer_name, c.contact_person, n.customer_gstn, n.place_of_supply, n.shipping, n.adjustment,
           n.sub_total, n.total_tax, n.total_amt, n.round_amt, n.final_amt, n.status as invoice_status
      from invoice n
      left join sales_order o on o.order_no = n.order_no -- both are there; the count of all records leaves a left join out
      left join customer c on c.code = o.customer_code
     where n.invoice_at >= ${from_date}::date and n.invoice_at < ${to_date}::date + interval '1 day'`,
})
