/** Dispatches: a record per order line and issued item. */
import type { Company } from '../setup/company.js'
import { books, Groups, key } from './books.js'
import { divide, fixed, format, parse, sum } from './decimal.js'
import { byText } from './order.js'
import { itemLinesIn, type Range, shippingOf } from './order-lines.js'

export function orderDispatch(company: Company, { version, ...range }: Range & { version: 'R' | 'WR' }) {
  const of = books(company)
  return itemLinesIn(company, range, version).flatMap(({ order, line, item, customer, warehouse }) =>
    [...new Groups(of.issues.of(key(line.order_no, line.line_no)), (m) => m.item_id)]
      .map(([item_id, issues]) => ({ product: of.item.of(item_id), issues }))
      .sort((a, b) => byText(a.product.sku, b.product.sku))
      .map(({ product, issues }) => {
        const part = of.contents.of(item.id).find((c) => c.component_id === product.id)
        const pieces = product.id === item.id ? '1' : (part?.qty ?? '0')
        const batches = [...new Groups(issues, (m) => m.batch_no ?? '-')]
          .map(([batch, list]) => ({ batch: String(batch), qty: sum(list.map((m) => m.qty)) }))
          .sort((a, b) => byText(a.batch, b.batch))
        return {
          order_no: order.order_no,
          po_no: order.po_no,
          order_date: order.order_date,
          company_name: customer.name,
          city: shippingOf(order, customer).city,
          warehouse: warehouse.location,
          order_sku: item.sku,
          order_item: item.name,
          order_qty: fixed(line.qty, 4),
          order_uom: item.unit,
          product_sku: product.sku,
          product_name: product.name,
          required_qty: format(divide(parse(line.qty, 4) * parse(pieces, 4), 10_000n), 4),
          sku_uom: product.unit,
          dispatched_qty: format(sum(issues.map((m) => m.qty)), 4),
          batches: batches.map(({ batch, qty }) => `${batch}(${format(qty, 4)} ${product.unit}) `).join(', '),
          customer_code: customer.code,
        }
      }),
  )
}
