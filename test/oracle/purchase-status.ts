/** The received quantity and the status of a purchase order. */
import type { Company, PurchaseOrder, PurchaseOrderLine } from '../setup/company.js'
import { books, key } from './books.js'
import { parse, sum } from './decimal.js'

/** The quantity of an ordered line that receipts accepted. */
export const receivedQty = (company: Company, { po_no, line_no }: PurchaseOrderLine) =>
  sum(
    books(company)
      .received.of(key(po_no, line_no))
      .map((r) => parse(r.accepted_qty, 4)),
  )

export const codes = { CREATED: 1, 'PARTIAL RECEIVED': 2, RECEIVED: 3, CLOSED: 4, CANCELLED: 5 }

export function purchaseStatus(company: Company, po: PurchaseOrder): keyof typeof codes {
  if (po.state !== 'OPEN') return po.state
  const lines = books(company)
    .purchaseLines.of(po.po_no)
    .filter((line) => line.item_id !== null)
  if (lines.every((line) => receivedQty(company, line) === 0n)) return 'CREATED'
  const full = lines.every((line) => receivedQty(company, line) >= parse(line.qty, 4))
  return full ? 'RECEIVED' : 'PARTIAL RECEIVED'
}
