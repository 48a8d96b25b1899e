/** Sales per order and product, with a label for the period. */
import type { Company } from '../setup/company.js'
import { Groups, key } from './books.js'
import { isoWeek } from './calendar.js'
import { format, parse, sum } from './decimal.js'
import { byText } from './order.js'
import { linesIn, type Range } from './order-lines.js'

interface Params extends Range {
  method: 'day' | 'week' | 'month' | 'quarter' | 'year'
}

export function sales(company: Company, { method, ...range }: Params) {
  const groups = new Groups(linesIn(company, range), ({ order, item }) => key(order.order_no, item.id))
  return [...groups.values()]
    .map((group) => group as [(typeof group)[0], ...typeof group])
    .sort(
      ([a], [b]) =>
        byText(a.order.order_date, b.order.order_date) ||
        byText(a.order.order_no, b.order.order_no) ||
        byText(a.item.sku, b.item.sku),
    )
    .map((group) => {
      const [{ order, item, customer, warehouse }] = group
      const whole = (amount: 'taxable_amt' | 'total_amt') =>
        format(sum(group.map(({ line }) => parse(line[amount], 2))), 2)
      return {
        order_no: order.order_no,
        po_no: order.po_no ?? '',
        order_date: order.order_date,
        week_no: period(method, order.order_date),
        order_type: order.order_type,
        channel_id: order.channel_id,
        warehouse: warehouse.location,
        buyer_name: customer.name,
        product_sku: item.sku,
        product_name: item.name,
        total_sales: whole('taxable_amt'),
        total_amount: whole('total_amt'),
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
