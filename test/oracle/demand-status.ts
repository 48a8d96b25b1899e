/** The remaining quantities of open orders, line by line or summed per product and warehouse. */
import type { Company } from '../setup/company.js'
import { books, Groups, held, inStock, key } from './books.js'
import { today } from './calendar.js'
import { format, parse, sum } from './decimal.js'
import { byText } from './order.js'
import { issuedQty, itemLinesIn, type Range, shippingOf } from './order-lines.js'

export function demandStatus(company: Company, { type, ...range }: Range & { type: 'CUSTOMER' | 'CONSOLIDATED' }) {
  const lines = itemLinesIn(company, range)
    .filter(({ order }) => order.state === 'OPEN')
    .map((about) => ({ ...about, required: parse(about.line.qty, 4), issued: issuedQty(company, about.line) }))
    .filter(({ required, issued }) => required > issued)
  const product = (group: typeof lines) => {
    const { item, warehouse } = group[0] as (typeof lines)[0]
    const required = sum(group.map((line) => line.required))
    const issued = sum(group.map((line) => line.issued))
    return {
      product_name: item.name,
      product_sku: item.sku,
      warehouse: warehouse.location,
      req_qty: format(required, 4),
      Issued_Qty: format(issued, 4),
      Remaining_qty: format(required - issued, 4),
      UoM: item.unit,
      wh_id: warehouse.key,
    }
  }
  if (type === 'CONSOLIDATED')
    return [...new Groups(lines, ({ item, warehouse }) => key(item.id, warehouse.id)).values()]
      .map((group) => ({ ...product(group), ...coverOf(company, group) }))
      .sort((a, b) => byText(a.product_sku, b.product_sku) || byText(a.warehouse, b.warehouse))
  return lines.map((line) => ({
    company_name: line.customer.name,
    location: shippingOf(line.order, line.customer).city,
    order_id: line.order.order_no,
    ...product([line]),
    customer_code: line.customer.code,
  }))
}

/** Today's stock that is not on hold, and the required quantity that it does not cover. */
function coverOf(
  company: Company,
  group: { item: { id: number }; warehouse: { id: number }; required: bigint; issued: bigint }[],
) {
  const [{ item, warehouse } = { item: { id: 0 }, warehouse: { id: 0 } }] = group
  const now = today(company.account['time_zone'] ?? 'UTC')
  const moves = books(company)
    .moves.of(item.id)
    .filter((m) => m.warehouse_id === warehouse.id && m.movement_date <= now)
  const available = inStock(moves, 'qty') - held(moves, 'qty')
  const short = sum(group.map(({ required, issued }) => required - issued)) - (available > 0n ? available : 0n)
  return { available_qty: format(available, 4), short_qty: format(short > 0n ? short : 0n, 4) }
}
