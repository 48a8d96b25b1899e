/** Sales per order and product, and per invoice without an order and product, with a label for the period. */
import type { Company } from '../setup/company.js'
import { books, customerOf, Groups, itemOf, key } from './books.js'
import { isoWeek } from './calendar.js'
import { format, parse, sum } from './decimal.js'
import { byText } from './order.js'
import { linesIn, type Range } from './order-lines.js'

interface Params extends Range {
  method: 'day' | 'week' | 'month' | 'quarter' | 'year'
}

export function sales(company: Company, { method, ...range }: Params) {
  return [...ordered(company, range), ...onlyInvoiced(company, range)]
    .sort(
      (a, b) =>
        byText(a.order_date, b.order_date) ||
        byText(a.order_no, b.order_no) ||
        byText(a.product_sku, b.product_sku) ||
        byText(a.invoice_no, b.invoice_no),
    )
    .map(({ order_no, po_no, order_date, ...row }) => ({
      ...{ order_no, po_no, order_date, week_no: period(method, order_date) },
      ...row,
    }))
}

const whole = (amounts: readonly string[]) => format(sum(amounts.map((amount) => parse(amount, 2))), 2)

function ordered(company: Company, range: Range) {
  const groups = new Groups(linesIn(company, range), ({ order, item }) => key(order.order_no, item.id))
  return [...groups.values()].map((group) => {
    const { order, item, customer } = group[0] as (typeof group)[0]
    const places = new Set(group.map(({ warehouse }) => warehouse.location).filter(Boolean))
    return {
      order_no: order.order_no,
      po_no: order.po_no ?? '',
      order_date: order.order_date,
      order_type: order.order_type,
      channel_id: order.channel_id,
      warehouse: [...places].sort(byText).join(', '),
      buyer_name: customer.name,
      product_sku: item.sku,
      product_name: item.name,
      total_sales: whole(group.map(({ line }) => line.taxable_amt)),
      total_amount: whole(group.map(({ line }) => line.total_amt)),
      invoice_no: '',
      customer_code: customer.code,
      product_category: item.product_category,
    }
  })
}

/** Lines of invoices without an order; credit notes for returns do not count. */
function onlyInvoiced(company: Company, { from_date, to_date }: Range) {
  const lines = company.invoice_line
    .filter((line) => line.order_no === null)
    .map((line) => ({ line, invoice: books(company).invoice.of(line.invoice_no) }))
    .filter(({ invoice }) => invoice.status !== 'Cancelled' && invoice.return_no === null)
    .filter(({ invoice }) => invoice.invoice_at.slice(0, 10) >= from_date && invoice.invoice_at.slice(0, 10) <= to_date)
  return [...new Groups(lines, ({ line }) => key(line.invoice_no, line.item_id)).values()].map((group) => {
    const { line, invoice } = group[0] as (typeof group)[0]
    const item = itemOf(company, line.item_id, 'Other')
    return {
      ...{ order_no: '', po_no: '', order_date: invoice.invoice_at.slice(0, 10), order_type: '', channel_id: null },
      ...{ warehouse: '', buyer_name: customerOf(company, invoice.customer_code).name },
      ...{ product_sku: item.sku, product_name: item.name },
      total_sales: whole(group.map(({ line }) => line.taxable_value)),
      total_amount: whole(group.map(({ line }) => line.total_value)),
      invoice_no: invoice.invoice_no,
      customer_code: customerOf(company, invoice.customer_code).code,
      product_category: item.product_category,
    }
  })
}

export function period(method: Params['method'], date: string): string {
  const [year = '', month = '', day = ''] = date.split('-')
  if (method === 'day') return `${day}-${month}-${year}`
  if (method === 'month') return `${month}-${year}`
  if (method === 'quarter') return `Q${Math.ceil(Number(month) / 3)}-${year}`
  if (method === 'year') return year
  const iso = isoWeek(date)
  return `${String(iso.week).padStart(2, '0')}-${String(iso.year).padStart(4, '0')}`
}
