/** The partner's open purchase orders: a record per line with something pending. */
import type { Company } from '../setup/company.js'
import { books } from './books.js'
import { daysBetween, today } from './calendar.js'
import { format, parse } from './decimal.js'
import { byText } from './order.js'
import { purchaseStatus, receivedQty } from './purchase-status.js'

const place = (...parts: (string | null)[]) => parts.filter(Boolean).join(', ')

export function pendingDeliveries(company: Company, { from_date, to_date }: { from_date: string; to_date: string }) {
  const of = books(company)
  const now = today(company.account['time_zone'] ?? 'UTC')
  const daysTo = (day: string | null) => (day === null ? '' : String(daysBetween(now, day)))
  return company.purchase_order
    .filter((po) => po.state === 'OPEN' && po.po_date >= from_date && po.po_date <= to_date)
    .sort((a, b) => byText(a.po_date, b.po_date) || byText(a.po_no, b.po_no))
    .flatMap((po) => {
      const vendor = of.vendor.of(po.vendor_code)
      const warehouse = po.warehouse_id === null ? undefined : of.warehouse.of(po.warehouse_id)
      return of.purchaseLines
        .of(po.po_no)
        .toSorted((a, b) => a.line_no - b.line_no)
        .filter((line) => line.item_id !== null)
        .map((line) => ({
          line,
          item: of.item.of(line.item_id as number),
          pending: parse(line.qty, 4) - receivedQty(company, line),
        }))
        .filter(({ pending }) => pending > 0n)
        .map(({ line, item, pending }) => ({
          po_no: po.po_no,
          po_date: po.po_date,
          PO_Status: purchaseStatus(company, po) === 'CREATED' ? 'Raised' : 'Partial Received',
          item_code: item.sku,
          product_name: item.name,
          pending_qty: format(pending, 4),
          uom: item.unit,
          seller_name: vendor.name,
          seller_location: place(vendor.city, vendor.state, vendor.pincode),
          buyer_shipping_location: warehouse ? place(warehouse.city, warehouse.state, warehouse.pincode) : '',
          delivery_date: line.delivery_date ?? po.delivery_date ?? '',
          days_no: daysTo(line.delivery_date ?? po.delivery_date),
          vendor_code: po.vendor_code,
        }))
    })
}
