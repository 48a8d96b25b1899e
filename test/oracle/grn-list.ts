/** Goods receipts with their lines. */
import type { Company } from '../setup/company.js'
import { books, currencyOf, itemOf, key, statedOf, taxesOf, warehouseKey } from './books.js'
import { fixed, format, parse, price, sum } from './decimal.js'
import { byText } from './order.js'
import { purchaseStatus } from './purchase-status.js'

const AMOUNTS = { taxable_amt: 2, tax_amt: 2, total_amt: 2 }

interface Params {
  from_date: string
  to_date: string
  vendor_code?: string
  pono?: string
}

export function grnList(company: Company, { from_date, to_date, vendor_code, pono }: Params) {
  const of = books(company)
  return company.goods_receipt
    .filter((grn) => grn.receipt_date >= from_date && grn.receipt_date <= to_date)
    .filter((grn) => !pono || grn.po_no === pono)
    .filter((grn) => !vendor_code || of.purchaseOrder.of(grn.po_no).vendor_code === vendor_code)
    .sort((a, b) => byText(a.receipt_date, b.receipt_date) || byText(a.grn_no, b.grn_no) || byText(a.po_no, b.po_no))
    .map((grn) => {
      const po = of.purchaseOrder.of(grn.po_no)
      const vendor = of.vendor.of(po.vendor_code)
      const warehouse = of.warehouse.of(grn.warehouse_id)
      const lines = of.receiptLines.of(key(grn.po_no, grn.grn_no)).toSorted((a, b) => a.line_no - b.line_no)
      const whole = (amount: 'taxable_amt' | 'tax_amt' | 'total_amt') =>
        format(sum(lines.map((line) => parse(line[amount], 2))), 2)
      const stated = Object.fromEntries(
        Object.keys(AMOUNTS).map((name) => {
          const told = lines.flatMap((line) => line.given?.[name] ?? [])
          return [name, told.length === 0 ? null : format(sum(told.map((text) => parse(text, 2))), 2)]
        }),
      )
      return {
        grn_no: grn.grn_no,
        grn_date: grn.receipt_date,
        reference: grn.reference,
        pono: po.po_no,
        podate: po.po_date,
        po_status: purchaseStatus(company, po),
        warehouse: warehouse.location,
        wh_id: warehouseKey(warehouse.code),
        vendor: vendor.name,
        vendor_code: vendor.code,
        taxable_amt: whole('taxable_amt'),
        tax_amt: whole('tax_amt'),
        total_amt: whole('total_amt'),
        items: lines.map((line) => {
          const ordered = of.purchaseLine.of(key(line.po_no, line.po_line_no))
          const item = itemOf(company, ordered.item_id, ordered.description)
          return {
            itemcode: item.sku,
            itemname: item.name,
            hsn: item.hsn,
            uom: item.unit,
            ordered_qty: fixed(ordered.qty, 4),
            received_qty: fixed(line.received_qty, 4),
            accepted_qty: fixed(line.accepted_qty, 4),
            rejected_qty: fixed(line.rejected_qty, 4),
            rate: price(line.rate, 4),
            taxable_amt: fixed(line.taxable_amt, 2),
            tax_amt: fixed(line.tax_amt, 2),
            total_amt: fixed(line.total_amt, 2),
            warehouse: line.warehouse_id == null ? warehouse.location : of.warehouse.of(line.warehouse_id).location,
            document_uom: line.unit ?? null,
            ...statedOf(line, { received_qty: 4, accepted_qty: 4, rejected_qty: 4, rate: 6, ...AMOUNTS }),
          }
        }),
        ...currencyOf(company, { currency: po.currency, exchange_rate: grn.exchange_rate ?? po.exchange_rate }),
        ...statedOf({ given: stated }, AMOUNTS),
        taxes: taxesOf(lines),
      }
    })
}
