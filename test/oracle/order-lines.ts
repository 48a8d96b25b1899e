/** Shared by all reports on sales orders: the shipping address, and the issued and returned quantities of a line. */
import type { Company, Customer, Item, SalesOrder, SalesOrderLine } from '../setup/company.js'
import { books, customerOf, itemOf, key, placeOf, total } from './books.js'
import { parse, sum } from './decimal.js'
import { byText } from './order.js'

export interface Range {
  from_date: string
  to_date: string
}

/** Orders of a range by date and number. */
export const ordersIn = ({ sales_order }: Company, { from_date, to_date }: Range) =>
  sales_order
    .filter((order) => order.order_date >= from_date && order.order_date <= to_date)
    .sort((a, b) => byText(a.order_date, b.order_date) || byText(a.order_no, b.order_no))

/** Lines of the orders of a range that were not cancelled, each with its order. */
export const linesIn = (company: Company, range: Range, version: 'R' | 'WR' = 'WR') =>
  ordersIn(company, range)
    .filter((order) => order.state !== 'CANCELLED')
    .filter((order) => version === 'WR' || books(company).returned.of(order.order_no).length === 0)
    .flatMap((order) => linesOf(company, order))

/** The same lines without lines that have no item. */
export const itemLinesIn: typeof linesIn = (...asked) => linesIn(...asked).filter(({ line }) => line.item_id !== null)

export function linesOf(company: Company, order: SalesOrder) {
  const of = books(company)
  return of.salesLines
    .of(order.order_no)
    .toSorted((a, b) => a.line_no - b.line_no)
    .map((line) => ({
      line,
      order,
      item: itemOf(company, line.item_id, 'Other'),
      customer: customerOf(company, order.customer_code),
      warehouse: placeOf(company, line.warehouse_id ?? order.warehouse_id),
    }))
}

/** The order's own shipping address, possibly incomplete, or else the customer's. */
export const shippingOf = (order: SalesOrder, customer: Customer) => {
  const hasOwn = Object.entries(order).some(([name, value]) => /^shipping_(?!amt)/.test(name) && value !== null)
  const from = hasOwn
    ? Object.fromEntries(Object.entries(order).map(([name, value]) => [name, value ?? '']))
    : (customer as unknown as Record<string, unknown>)
  return {
    buyer: from['shipping_buyer'],
    address1: from['shipping_address1'],
    address2: from['shipping_address2'],
    city: from['shipping_city'],
    state: from['shipping_state'],
    country: from['shipping_country'],
    pincode: from['shipping_pincode'],
    gstn: from['shipping_gstn'],
    phone: from['shipping_phone'],
    email: from['shipping_email'],
  }
}

export const prodType = (item: Item) => (item.type === 'COMBO' ? 'Combo' : 'Single')

/**
 * Issues of the ordered item itself, and for a combo also the whole combos that its components' issues cover; and the quantity
 * that was delivered without stock. Of a service, the invoiced quantity.
 */
export function issuedQty(company: Company, line: SalesOrderLine): bigint {
  const of = books(company)
  const issues = of.issues.of(key(line.order_no, line.line_no))
  const issued = (item_id: number) =>
    total(
      issues.filter((m) => m.item_id === item_id),
      ['issue'],
      'qty',
    )
  if (line.item_id === null) return line.delivered_qty == null ? 0n : parse(line.delivered_qty, 4)
  if (of.item.of(line.item_id).type === 'SRV')
    return line.delivered_qty == null
      ? sum(invoicesOf(company, line).map(({ qty }) => parse(qty, 4)))
      : parse(line.delivered_qty, 4)
  const contents = of.item.of(line.item_id).type === 'COMBO' ? of.contents.of(line.item_id) : []
  const covered = contents.map((part) => issued(part.component_id) / parse(part.qty, 4))
  const combos = covered.reduce((least, n) => (n < least ? n : least), covered[0] ?? 0n)
  return issued(line.item_id) + combos * 10_000n + parse(line.delivered_qty ?? '0', 4)
}

/** The lines of invoices for an order line; cancelled invoices and credit notes do not count. */
export const invoicesOf = (company: Company, { order_no, line_no }: SalesOrderLine) =>
  books(company)
    .invoiced.of(key(order_no, line_no))
    .map((line) => ({ ...line, invoice: books(company).invoice.of(line.invoice_no) }))
    .filter(({ invoice }) => invoice.status !== 'Cancelled' && invoice.kind === 'INVOICE')

/** The returns of a line; amounts as units of 2 digits. */
export function returnsOf(company: Company, line: SalesOrderLine) {
  const returns = books(company).lineReturns.of(key(line.order_no, line.line_no))
  return {
    usable: sum(returns.map((r) => parse(r.usable_qty, 4))),
    unusable: sum(returns.map((r) => parse(r.unusable_qty, 4))),
    taxable: sum(returns.map((r) => parse(r.taxable_amt, 2))),
    tax: sum(returns.map((r) => parse(r.tax_amt, 2))),
    latest: returns
      .map((r) => r.return_date)
      .sort()
      .at(-1),
  }
}
