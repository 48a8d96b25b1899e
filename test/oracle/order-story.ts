/** The story of a sales order: its lines, dispatches, invoices and returns. */
import type { Company } from '../setup/company.js'
import { books, customerOf, itemOf, key, placeOf } from './books.js'
import { fixed, format, parse } from './decimal.js'
import { byText } from './order.js'
import { issuedQty } from './order-lines.js'

const STEPS = ['ordered', 'dispatched', 'invoiced', 'invoice-cancelled', 'returned', 'back-in-stock']

/** Fields that a step may lack. */
const without = {
  remaining_qty: null,
  usable_qty: null,
  amount: null,
  total_amount: null,
  warehouse: null,
  batch: null,
}

export function orderStory(company: Company, { order_no }: { order_no: string }) {
  const of = books(company)
  const order = company.sales_order.find((o) => o.order_no === order_no)
  if (order === undefined) return []
  const { name: party, code: customer_code } = customerOf(company, order.customer_code)
  const about = { order_no, order_state: order.state, party, customer_code }
  const named = (id: number | null, text = '') => {
    const { sku, name, unit } = itemOf(company, id, text)
    return { sku, name, unit }
  }
  const ordered = of.salesLines.of(order_no).map((line) => ({
    ...{ step: 'ordered', date: order.order_date, document_type: 'sales order', document_no: order_no, part: 0 },
    ...{ line_no: line.line_no, ...named(line.item_id, line.description), ...without, qty: fixed(line.qty, 4) },
    remaining_qty: format(line.item_id === null ? 0n : parse(line.qty, 4) - issuedQty(company, line), 4),
    ...{ amount: fixed(line.taxable_amt, 2), total_amount: fixed(line.total_amt, 2) },
    warehouse: placeOf(company, line.warehouse_id ?? order.warehouse_id).location || null,
  }))
  const moved = [...of.moves.values()]
    .flat()
    .filter((m) => m.order_no === order_no)
    .map((m) => ({
      step: m.kind === 'issue' ? 'dispatched' : 'back-in-stock',
      ...{ date: m.movement_date, document_type: 'movement', document_no: m.movement_no, part: 0 },
      ...{ line_no: m.order_line_no, ...named(m.item_id), ...without, qty: format(m.qty, 4) },
      ...{ warehouse: of.warehouse.of(m.warehouse_id).location, batch: m.batch_no },
    }))
  const invoiced = company.invoice.flatMap((invoice) =>
    of.invoiceLines
      .of(invoice.invoice_no)
      .filter((line) => line.order_no === order_no)
      .map((line) => ({
        step: invoice.status === 'Cancelled' ? 'invoice-cancelled' : 'invoiced',
        ...{ date: invoice.invoice_at.slice(0, 10), document_type: 'invoice', document_no: invoice.invoice_no },
        ...{ part: line.line_no, line_no: line.order_line_no },
        ...named(line.item_id ?? of.salesLine.of(key(order_no, line.order_line_no)).item_id, line.description),
        ...{ ...without, qty: fixed(line.qty, 4) },
        ...{ amount: fixed(line.taxable_value, 2), total_amount: fixed(line.total_value, 2) },
      })),
  )
  const returned = of.returned.of(order_no).map((back) => ({
    ...{ step: 'returned', date: back.return_date, document_type: 'return', document_no: back.return_no, part: 0 },
    line_no: back.order_line_no,
    ...{ ...named(of.salesLine.of(key(order_no, back.order_line_no)).item_id), ...without },
    qty: format(parse(back.usable_qty, 4) + parse(back.unusable_qty, 4), 4),
    ...{ usable_qty: fixed(back.usable_qty, 4), amount: fixed(back.taxable_amt, 2) },
    total_amount: format(parse(back.taxable_amt, 2) + parse(back.tax_amt, 2), 2),
  }))
  return [...ordered, ...moved, ...invoiced, ...returned]
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
