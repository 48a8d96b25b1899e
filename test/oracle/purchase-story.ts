/** The story of a purchase order: its lines, its receipts and their movements into stock. */
import type { Company } from '../setup/company.js'
import { books, itemOf, key, placeOf } from './books.js'
import { fixed, format, parse } from './decimal.js'
import { byText } from './order.js'
import { purchaseStatus, receivedQty } from './purchase-status.js'

const STEPS = ['ordered', 'received', 'stocked', 'returned']

/** Fields that a step may lack. */
const without = {
  ...{ grn_no: null, pending_qty: null, received_qty: null, rejected_qty: null, amount: null, total_amount: null },
  batch: null,
}

export function purchaseStory(company: Company, { pono }: { pono: string }) {
  const of = books(company)
  const po = company.purchase_order.find((order) => order.po_no === pono)
  if (po === undefined) return []
  const { vendor_code } = po
  const about = { pono, po_status: purchaseStatus(company, po), party: of.vendor.of(vendor_code).name, vendor_code }
  const named = (id: number | null, text = '') => {
    const { sku, name, unit } = itemOf(company, id, text)
    return { sku, name, unit }
  }
  const place = (id: number | null) => ({ warehouse: placeOf(company, id).location })
  const ordered = of.purchaseLines.of(pono).map((line) => {
    const left = parse(line.qty, 4) - receivedQty(company, line)
    return {
      ...{ step: 'ordered', date: po.po_date, document_type: 'purchase order', document_no: pono, part: 0 },
      ...{ line_no: line.line_no, ...named(line.item_id, line.description), ...without, qty: fixed(line.qty, 4) },
      pending_qty: format(po.state === 'OPEN' && line.item_id !== null && left > 0n ? left : 0n, 4),
      ...{ amount: fixed(line.taxable_amt, 2), total_amount: fixed(line.total_amt, 2), ...place(po.warehouse_id) },
    }
  })
  const received = company.goods_receipt
    .filter((grn) => grn.po_no === pono)
    .flatMap((grn) =>
      of.receiptLines.of(key(pono, grn.grn_no)).map((line) => ({
        ...{ step: 'received', date: grn.receipt_date, document_type: 'goods receipt', document_no: grn.grn_no },
        ...{ part: line.line_no, line_no: line.po_line_no },
        ...named(
          of.purchaseLine.of(key(pono, line.po_line_no)).item_id,
          of.purchaseLine.of(key(pono, line.po_line_no)).description,
        ),
        ...{ ...without, grn_no: grn.grn_no },
        ...{ qty: fixed(line.accepted_qty, 4), received_qty: fixed(line.received_qty, 4) },
        ...{ rejected_qty: fixed(line.rejected_qty, 4), amount: fixed(line.taxable_amt, 2) },
        ...{ total_amount: fixed(line.total_amt, 2), ...place(line.warehouse_id ?? grn.warehouse_id) },
      })),
    )
  const stocked = [...of.moves.values()]
    .flat()
    .filter((m) => m.po_no === pono)
    .map((m) => ({
      ...{
        step: m.kind === 'vendor_return' ? 'returned' : 'stocked',
        date: m.movement_date,
        document_type: 'movement',
        document_no: m.movement_no,
        part: 0,
      },
      ...{ line_no: null, ...named(m.item_id), ...without, grn_no: m.grn_no, qty: format(m.qty, 4) },
      ...{ ...place(m.warehouse_id), batch: m.batch_no },
    }))
  return [...ordered, ...received, ...stocked]
    .sort(
      (a, b) =>
        byText(a.date, b.date) ||
        STEPS.indexOf(a.step) - STEPS.indexOf(b.step) ||
        byText(a.document_no, b.document_no) ||
        (a.line_no ?? 0) - (b.line_no ?? 0) ||
        byText(a.sku, b.sku) ||
        a.part - b.part,
    )
    .map(({ part, ...row }) => ({ ...about, ...row }))
}
