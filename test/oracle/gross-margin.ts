/** Turnover and gross margin, by invoice lines or by order lines, per customer and product or per product. */
import type { Company, Customer, Invoice, Item, SalesOrderLine } from '../setup/company.js'
import { books, customerOf, Groups, itemOf, key, total } from './books.js'
import { divide, format, parse, price, sum } from './decimal.js'
import { byText } from './order.js'
import { issuedQty, linesIn, prodType, type Range, returnsOf } from './order-lines.js'

interface Params extends Range {
  type: 'CUSTOMER' | 'CONSOLIDATED'
  tax: 0 | 1 | '0' | '1'
  source: 'INV' | 'ORD'
}

/** Units of 4 digits for quantities and cost, of 2 digits for amounts. */
type Figures = Record<
  'sold' | 'sale' | 'returned' | 'usable' | 'returnAmount' | 'cost' | 'undelivered' | 'undeliveredSale',
  bigint
>
interface Sale extends Figures {
  day: string
  customer: Customer
  item: Item
}

/** Every sold line of a range. */
const soldLines = (company: Company, params: Omit<Params, 'type'>) =>
  params.source === 'ORD' ? byOrder(company, params) : byInvoice(company, params)

export function marginByDay(company: Company, params: Omit<Params, 'type'>) {
  const days = new Groups(soldLines(company, params), ({ day }) => day)
  return [...days]
    .sort(([a], [b]) => byText(String(a), String(b)))
    .map(([date, sales]) => {
      const whole = (figure: keyof Figures) => sum(sales.map((sale) => sale[figure]))
      const cost = whole('cost')
      const net = (whole('sale') - whole('returnAmount')) * 100n
      const delivered = net - whole('undeliveredSale') * 100n
      return {
        date,
        total_sale: format(whole('sale'), 2),
        return_amt: format(whole('returnAmount'), 2),
        Total_cost_cogs: format(cost, 4),
        profit: format(net - cost, 4),
        profit_per: format(net === 0n ? 0n : divide((net - cost) * 100_00n, net), 2),
        undelivered_amt: format(whole('undeliveredSale'), 2),
        delivered_profit: format(delivered - cost, 4),
        delivered_profit_per: format(delivered === 0n ? 0n : divide((delivered - cost) * 100_00n, delivered), 2),
      }
    })
}

export function grossMargin(company: Company, params: Params) {
  const sales = soldLines(company, params)
  const perCustomer = params.type === 'CUSTOMER'
  return [...new Groups(sales, ({ customer, item }) => key(perCustomer ? customer.code : '', item.id)).values()]
    .map((group) => group as [Sale, ...Sale[]])
    .sort(
      ([a], [b]) =>
        (perCustomer && (byText(a.customer.name, b.customer.name) || byText(a.customer.code, b.customer.code))) ||
        byText(a.item.sku, b.item.sku),
    )
    .map((group) => {
      const [{ customer, item }] = group
      const whole = (figure: keyof Figures) => sum(group.map((sale) => sale[figure]))
      const cost = whole('cost')
      const kept = whole('sold') - whole('usable')
      const net = (whole('sale') - whole('returnAmount')) * 100n // with 4 digits, like costs
      const profit = net - cost
      const delivered = net - whole('undeliveredSale') * 100n
      return {
        ...(perCustomer && { company_name: customer.name }),
        product_name: item.name,
        product_sku: item.sku,
        Prod_type: prodType(item),
        MRP: price(item.mrp, 2),
        per_unit_cogs: format(kept === 0n ? 0n : divide(cost * 10_000n, kept), 4),
        Total_sale_qty: format(whole('sold'), 4),
        total_sale: format(whole('sale'), 2),
        return_qty: format(whole('returned'), 4),
        return_amt: format(whole('returnAmount'), 2),
        Total_cost_cogs: format(cost, 4),
        profit: format(profit, 4),
        profit_per: format(net === 0n ? 0n : divide(profit * 100_00n, net), 2),
        unit: item.unit,
        undelivered_qty: format(whole('undelivered'), 4),
        undelivered_amt: format(whole('undeliveredSale'), 2),
        delivered_profit: format(delivered - cost, 4),
        delivered_profit_per: format(delivered === 0n ? 0n : divide((delivered - cost) * 100_00n, delivered), 2),
        ...(perCustomer && { customer_code: customer.code }),
      }
    })
}

/** The returned quantity of an order line and the whole cost of the line. */
function wholeOf(company: Company, line: SalesOrderLine, withTax: boolean) {
  const of = books(company)
  const returned = returnsOf(company, line)
  const measure = withTax ? 'val_tax' : 'val'
  const at = key(line.order_no, line.line_no)
  return {
    returned: returned.usable + returned.unusable,
    usable: returned.usable,
    returnAmount: returned.taxable + (withTax ? returned.tax : 0n),
    cost: total(of.issues.of(at), ['issue'], measure) - total(of.ledgerReturns.of(at), ['sales_return'], measure),
  }
}

/** The part of a sold quantity that was not issued, and of its amount. Lines without an item or that take back have none. */
function undelivered(line: SalesOrderLine, sold: bigint, issued: bigint, sale: bigint) {
  const isOpen = line.item_id !== null && sold > 0n
  const open = isOpen ? sold - issued : 0n
  return { undelivered: open, undeliveredSale: isOpen ? divide(sale * open, sold) : 0n }
}

const least = (a: bigint, b: bigint) => (a < b ? a : b)

function byOrder(company: Company, { tax, ...range }: Omit<Params, 'type'>): Sale[] {
  const withTax = Number(tax) === 1
  return linesIn(company, range).map(({ line, order, item, customer }) => {
    const [sold, sale] = [parse(line.qty, 4), parse(withTax ? line.total_amt : line.taxable_amt, 2)]
    return {
      ...{ day: order.order_date, customer, item, sold, sale, ...wholeOf(company, line, withTax) },
      ...undelivered(line, sold, least(issuedQty(company, line), sold), sale),
    }
  })
}

function byInvoice(company: Company, { tax, from_date, to_date }: Omit<Params, 'type'>): Sale[] {
  const of = books(company)
  const withTax = Number(tax) === 1
  const counts = (invoice: Invoice) => invoice.status !== 'Cancelled' && invoice.return_no === null
  const withOrder = company.sales_order_line.flatMap((ordered) => {
    const order = of.salesOrder.of(ordered.order_no)
    if (order.state === 'CANCELLED') return []
    const lines = of.invoiced
      .of(key(ordered.order_no, ordered.line_no))
      .map((line) => ({ ...line, invoice: of.invoice.of(line.invoice_no), sold: parse(line.qty, 4) }))
      .filter(({ invoice }) => counts(invoice))
      .sort(
        (a, b) =>
          byText(a.invoice.invoice_at, b.invoice.invoice_at) ||
          byText(a.invoice_no, b.invoice_no) ||
          a.line_no - b.line_no,
      )
    if (lines.length === 0) return []
    const whole = wholeOf(company, ordered, withTax)
    // Goods issued but not yet invoiced keep their part of the cost.
    const invoiced = sum(lines.map((line) => positive(line.sold)))
    const issued = issuedQty(company, ordered)
    const among = issued > invoiced ? issued : invoiced
    let upToIt = 0n
    const taken = { returned: 0n, usable: 0n, returnAmount: 0n, cost: 0n }
    return lines.flatMap(({ invoice, item_id, sold, taxable_value, total_value }) => {
      const before = upToIt
      upToIt += positive(sold)
      const delivered = least(upToIt, issued) - least(before, issued)
      const take = (figure: keyof typeof taken) => {
        const share = among === 0n ? 0n : divide(whole[figure] * upToIt, among) - taken[figure]
        taken[figure] += share
        return share
      }
      const shares = {
        ...{ returned: take('returned'), usable: take('usable') },
        ...{ returnAmount: take('returnAmount'), cost: take('cost') },
      }
      const day = invoice.invoice_at.slice(0, 10)
      if (day < from_date || day > to_date) return []
      const sale = parse(withTax ? total_value : taxable_value, 2)
      const customer = customerOf(company, invoice.customer_code ?? order.customer_code)
      const item = itemOf(company, item_id ?? ordered.item_id, 'Other')
      return { day, customer, item, sold, sale, ...shares, ...undelivered(ordered, sold, delivered, sale) }
    })
  })
  const withoutOrder = company.invoice_line
    .filter((line) => line.order_no === null)
    .map((line) => ({ line, invoice: of.invoice.of(line.invoice_no) }))
    .filter(({ invoice }) => counts(invoice))
    .filter(({ invoice }) => invoice.invoice_at.slice(0, 10) >= from_date && invoice.invoice_at.slice(0, 10) <= to_date)
    .map(({ line, invoice }): Sale => {
      const moved = [...of.moves.values()]
        .flat()
        .filter((m) => m.invoice_no === line.invoice_no && m.invoice_line_no === line.line_no)
      const measure = withTax ? 'val_tax' : 'val'
      return {
        day: invoice.invoice_at.slice(0, 10),
        ...{ customer: customerOf(company, invoice.customer_code), item: itemOf(company, line.item_id, 'Other') },
        sold: parse(line.qty, 4),
        sale: parse(withTax ? line.total_value : line.taxable_value, 2),
        ...{ returned: 0n, usable: 0n, returnAmount: 0n, undelivered: 0n, undeliveredSale: 0n },
        cost: total(moved, ['issue'], measure) - total(moved, ['sales_return'], measure),
      }
    })
  return [...withOrder, ...withoutOrder]
}

const positive = (units: bigint) => (units > 0n ? units : 0n)
