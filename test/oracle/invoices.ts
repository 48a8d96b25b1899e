/** Sales invoices with their lines, cancelled ones too. */
import type { Company } from '../setup/company.js'
import { books, key } from './books.js'
import { fixed } from './decimal.js'
import { byText } from './order.js'

const orDash = (text: string | null) => (text === null ? '-' : fixed(text, 2))

export function invoices(company: Company, { from_date, to_date }: { from_date: string; to_date: string }) {
  const of = books(company)
  return company.invoice
    .filter(({ invoice_at }) => invoice_at.slice(0, 10) >= from_date && invoice_at.slice(0, 10) <= to_date)
    .sort(
      (a, b) =>
        byText(a.invoice_at, b.invoice_at) || byText(a.invoice_no, b.invoice_no) || byText(a.order_no, b.order_no),
    )
    .map((invoice) => {
      const order = of.salesOrder.of(invoice.order_no)
      const customer = of.customer.of(order.customer_code)
      return {
        invoice_no: invoice.invoice_no,
        invoice_date: invoice.invoice_at,
        due_date: invoice.due_date,
        order_no: order.order_no,
        order_date: order.order_date,
        gstn: invoice.gstn,
        reference: invoice.reference,
        po_no: order.po_no,
        customer_name: customer.name,
        contact_person: customer.contact_person,
        customer_gstn: invoice.customer_gstn,
        place_of_supply: invoice.place_of_supply,
        shipping: fixed(invoice.shipping, 2),
        adjustment: fixed(invoice.adjustment, 2),
        sub_total: fixed(invoice.sub_total, 2),
        total_tax: fixed(invoice.total_tax, 2),
        total_amt: fixed(invoice.total_amt, 2),
        round_amt: fixed(invoice.round_amt, 2),
        final_amt: Number(invoice.final_amt) + 0, // JSON knows no minus zero
        invoice_status: invoice.status,
        items: of.invoiceLines
          .of(key(invoice.order_no, invoice.invoice_no))
          .toSorted((a, b) => a.line_no - b.line_no)
          .map((line) => {
            const item = of.item.of(of.salesLine.of(key(line.order_no, line.order_line_no)).item_id)
            return {
              product_sku: item.sku,
              product_name: item.name,
              hsn_sac: item.hsn,
              uom: item.unit,
              qty: fixed(line.qty, 4),
              rate: fixed(line.rate, 4),
              taxable_value: fixed(line.taxable_value, 2),
              igst_rate: orDash(line.igst_rate),
              igst_amt: orDash(line.igst_amt),
              sgst_rate: orDash(line.sgst_rate),
              sgst_amt: orDash(line.sgst_amt),
              cgst_rate: orDash(line.cgst_rate),
              cgst_amt: orDash(line.cgst_amt),
              total_value: fixed(line.total_value, 2),
            }
          }),
      }
    })
}
