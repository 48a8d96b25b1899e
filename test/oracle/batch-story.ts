/** The story of a batch: its production, the consumption for it and its own movements. */
import type { Company } from '../setup/company.js'
import { books, INS, key, OUTS } from './books.js'
import { format, parse } from './decimal.js'
import { documentsOf } from './movements.js'
import { byText } from './order.js'
import { latestInvoice } from './order-status.js'

const STEPS = ['made-from', 'made', 'received', 'went-to', 'held']

export function batchStory(company: Company, { batch_no, sku }: { batch_no: string; sku?: string }) {
  const of = books(company)
  const moves = [...of.moves.values()].flat()
  const stories = company.batch.filter((b) => b.batch_no === batch_no && (!sku || of.item.of(b.item_id).sku === sku))
  return stories
    .sort((a, b) => byText(of.item.of(a.item_id).sku, of.item.of(b.item_id).sku))
    .flatMap((batch) => {
      const item = of.item.of(batch.item_id)
      const own = moves.filter((m) => m.item_id === batch.item_id && m.batch_no === batch_no)
      const into = moves.filter((m) => m.for_item_id === batch.item_id && m.for_batch_no === batch_no)
      const moved = [
        ...into.map((m) => ({ m, step: 'made-from' })),
        ...own.map((m) => ({
          m,
          step: INS.includes(m.kind) ? 'received' : OUTS.includes(m.kind) ? 'went-to' : 'held',
        })),
      ].map(({ m, step }) => {
        const what = of.item.of(m.item_id)
        const order = m.order_no === null ? undefined : of.salesOrder.of(m.order_no)
        const sold = order ?? (m.invoice_no === null ? undefined : of.invoice.of(m.invoice_no))
        const line = order && of.salesLine.of(key(m.order_no, m.order_line_no))
        return {
          ...{ sku: item.sku, batch_no, step, date: m.movement_date, kind: m.kind.replaceAll('_', ' ') },
          ...documentsOf(company, m),
          invoice_no: m.invoice_no ?? (line && latestInvoice(company, line)?.invoice_no) ?? null,
          party: sold
            ? sold.customer_code === null
              ? null
              : of.customer.of(sold.customer_code).name
            : m.po_no === null
              ? null
              : of.vendor.of(of.purchaseOrder.of(m.po_no).vendor_code).name,
          ...{ item_sku: what.sku, item_name: what.name, batch: m.batch_no, qty: format(m.qty, 4), unit: what.unit },
          ...{ warehouse: of.warehouse.of(m.warehouse_id).location, movement_no: m.movement_no as string | null },
        }
      })
      const made =
        batch.source === 'PRODUCED'
          ? [
              {
                ...{ sku: item.sku, batch_no, step: 'made', date: batch.batch_date as string, kind: 'production' },
                ...{ document_type: 'batch', document_no: batch_no, order_no: null, po_no: null },
                ...{ work_order_no: null, used_in_sku: null, used_in_batch: null, invoice_no: null, party: null },
                ...{ item_sku: item.sku, item_name: item.name, batch: batch_no },
                qty: format(parse(batch.qty as string, 4) - parse(batch.wastage as string, 4), 4),
                ...{ unit: item.unit, warehouse: of.warehouse.of(batch.warehouse_id as number).location },
                movement_no: null,
              },
            ]
          : []
      return [...moved, ...made].sort(
        (a, b) =>
          STEPS.indexOf(a.step) - STEPS.indexOf(b.step) ||
          byText(a.date, b.date) ||
          byText(a.item_sku, b.item_sku) ||
          byText(a.movement_no ?? '', b.movement_no ?? ''),
      )
    })
}
