/** Work orders with their planned, consumed and made quantities. */
import type { Company, WorkOrder } from '../setup/company.js'
import { books } from './books.js'
import { fixed, format, parse } from './decimal.js'
import { byText } from './order.js'

interface Params {
  status?: string
  sku?: string
  from_date?: string
  to_date?: string
}

const sum = (texts: readonly string[]) => texts.reduce((all, text) => all + parse(text, 4), 0n)

export function workOrders(company: Company, { status, sku, from_date, to_date }: Params) {
  const of = books(company)
  return company.work_order
    .filter((order) => !status || order.status === status)
    .filter((order) => !sku || of.item.of(order.item_id).sku === sku)
    .filter((order) => !from_date || order.start_date >= from_date)
    .filter((order) => !to_date || order.start_date <= to_date)
    .sort((a, b) => byText(a.start_date, b.start_date) || byText(a.work_order_no, b.work_order_no))
    .map((order) => record(company, order))
}

function record(company: Company, order: WorkOrder) {
  const of = books(company)
  const { work_order_no, item_id, status } = order
  const product = of.item.of(item_id)
  const moves = company.stock_movement.filter((m) => m.work_order_no === work_order_no)
  const consumed = moves.filter((m) => m.kind === 'consumption')
  const made = moves.filter((m) => m.kind === 'production_receipt')
  const own = sum(made.filter((m) => m.item_id === item_id).map((m) => m.qty))
  const left = parse(order.planned_qty, 4) - own
  const isOpen = ['Planned', 'Open'].includes(status)
  const difference = sum(consumed.map((m) => m.val)) - sum(made.map((m) => m.val))
  return {
    work_order_no,
    product_sku: product.sku,
    product_name: product.name,
    uom: product.unit,
    warehouse: order.warehouse_id === null ? null : of.warehouse.of(order.warehouse_id).location,
    status,
    planned_qty: fixed(order.planned_qty, 4),
    produced_qty: format(own, 4),
    open_qty: format(isOpen && left > 0n ? left : 0n, 4),
    start_date: order.start_date,
    due_date: order.due_date,
    started_on: moves.map((m) => m.movement_date).sort()[0] ?? null,
    finished_on: order.finished_on,
    consumed_val: format(sum(consumed.map((m) => m.val)), 4),
    produced_val: format(sum(made.map((m) => m.val)), 4),
    wip_val: format(isOpen ? difference : 0n, 4),
    variance_val: format(isOpen ? 0n : difference, 4),
    note: order.note,
    items: itemsOf(company, order),
  }
}

function itemsOf(company: Company, { work_order_no, item_id }: WorkOrder) {
  const of = books(company)
  const found = new Map<string, { kind: string; item: number; planned: bigint; moved: bigint }>()
  const add = (kind: string, item: number, planned: bigint, moved: bigint) => {
    const one = found.get(`${kind} ${item}`) ?? { kind, item, planned: 0n, moved: 0n }
    found.set(`${kind} ${item}`, { ...one, planned: one.planned + planned, moved: one.moved + moved })
  }
  for (const line of company.work_order_line)
    if (line.work_order_no === work_order_no) add(line.kind, line.item_id, parse(line.planned_qty, 4), 0n)
  for (const m of company.stock_movement)
    if (m.work_order_no === work_order_no && (m.kind === 'consumption' || m.item_id !== item_id))
      add(m.kind === 'consumption' ? 'Component' : 'By-product', m.item_id, 0n, parse(m.qty, 4))
  return [...found.values()]
    .map(({ kind, item, planned, moved }) => {
      const { sku, name, unit } = of.item.of(item)
      return { kind, sku, name, uom: unit, planned_qty: format(planned, 4), moved_qty: format(moved, 4) }
    })
    .sort((a, b) => byText(a.kind, b.kind) || byText(a.sku, b.sku))
}
