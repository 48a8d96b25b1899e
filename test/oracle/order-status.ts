/** Sales order status: ordered, issued, remaining and returned, a record per order line. */
import type { Company, SalesOrderLine } from '../setup/company.js'
import { books, key } from './books.js'
import { fixed, format, parse, price } from './decimal.js'
import { byText } from './order.js'
import { invoicesOf, issuedQty, itemLinesIn, prodType, type Range, returnsOf, shippingOf } from './order-lines.js'

export const orderStatus = (company: Company, { version, ...range }: Range & { version: 'R' | 'WR' }) =>
  itemLinesIn(company, range, version).map(({ order, line, item, customer, warehouse }) => {
    const { city, pincode } = shippingOf(order, customer)
    const issued = issuedQty(company, line)
    const remaining = parse(line.qty, 4) - issued
    const returned = returnsOf(company, line)
    const invoice = latestInvoice(company, line)
    return {
      product_sku: item.sku,
      product_name: item.name,
      Prod_type: prodType(item),
      SO_order_id: order.order_no,
      order_date: order.order_date,
      order_time: order.order_time,
      po_no: order.po_no ?? '',
      po_date: order.po_date ?? '',
      party_name: customer.name,
      party_city: city,
      warehouse: warehouse.location,
      Order_qty: fixed(line.qty, 4),
      UoM: item.unit,
      rate: price(line.rate, 4),
      Order_value: fixed(line.taxable_amt, 2),
      gst: fixed(line.tax_amt, 2),
      total_amount: fixed(line.total_amt, 2),
      issued_qty: format(issued, 4),
      last_issue_date: (issued > 0n && lastIssue(company, line, item.type === 'SRV')) || 'Not Issued',
      Remaining_qty: format(remaining, 4),
      return_qty: format(returned.usable + returned.unusable, 4),
      usable_qty: format(returned.usable, 4),
      unusable_qty: format(returned.unusable, 4),
      Return_date: returned.latest ?? 'N/A',
      SoStatus: remaining <= 0n ? 'Closed' : issued === 0n ? 'Accepted' : 'Partial Issued',
      invoice_no: invoice?.invoice_no ?? null,
      invoice_date: invoice?.invoice_at ?? null,
      pincode,
      order_state: order.state,
      customer_code: customer.code,
    }
  })

const lastIssue = (company: Company, line: SalesOrderLine, isService: boolean) =>
  (isService
    ? invoicesOf(company, line).map(({ invoice }) => invoice.invoice_at.slice(0, 10))
    : books(company)
        .issues.of(key(line.order_no, line.line_no))
        .map((m) => m.movement_date)
  )
    .sort()
    .at(-1)

/** The latest invoice by time, then number; cancelled invoices and credit notes do not count. */
export const latestInvoice = (company: Company, line: SalesOrderLine) =>
  invoicesOf(company, line)
    .map(({ invoice }) => invoice)
    .sort((a, b) => byText(a.invoice_at, b.invoice_at) || byText(a.invoice_no, b.invoice_no))
    .at(-1)
