/** A company as of a day, for reports with `as_on`. */
import type { Company, Item } from '../setup/company.js'
import { books, held, inStock, key } from './books.js'
import { today } from './calendar.js'
import { parse, sum } from './decimal.js'
import { issuedQty } from './order-lines.js'
import { receivedQty } from './purchase-status.js'

export const dayOf = (company: Company, { as_on }: { as_on?: string }): string =>
  as_on || today(company.account['time_zone'] ?? 'UTC')

const known = new WeakMap<Company, Map<string, Company>>()

/** The company without movements and receipts after the day. */
export function upTo(company: Company, day: string): Company {
  const days = known.get(company) ?? new Map<string, Company>()
  known.set(company, days)
  const late = new Set(
    company.goods_receipt.filter((g) => g.receipt_date > day).map(({ po_no, grn_no }) => key(po_no, grn_no)),
  )
  const cut = days.get(day) ?? {
    ...company,
    stock_movement: company.stock_movement.filter((m) => m.movement_date <= day),
    goods_receipt_line: company.goods_receipt_line.filter(({ po_no, grn_no }) => !late.has(key(po_no, grn_no))),
  }
  days.set(day, cut)
  return cut
}

/** All stock of an item, in 1/10,000. */
export const stockOf = (company: Company, { id }: Item, day: string): bigint =>
  inStock(books(upTo(company, day)).moves.of(id), 'qty')

/** Stock − held of each batch that has not expired, and of stock without a batch. */
export function usableOf(company: Company, { id }: Item, day: string): bigint {
  const of = books(upTo(company, day))
  const moves = of.moves.of(id)
  return sum(
    [...new Set(moves.map((m) => m.batch_no))].map((batch_no) => {
      const expiry = batch_no === null ? null : of.batch.of(key(id, batch_no)).expiry_date
      const own = moves.filter((m) => m.batch_no === batch_no)
      return expiry !== null && expiry < day ? 0n : inStock(own, 'qty') - held(own, 'qty')
    }),
  )
}

/** Ordered from vendors and not yet received; with `until` only what is due by then. */
export function onOrderOf(company: Company, { id }: Item, day: string, until?: string): bigint {
  const cut = upTo(company, day)
  return sum(
    company.purchase_order
      .filter((po) => po.state === 'OPEN' && po.po_date <= day)
      .flatMap((po) =>
        books(cut)
          .purchaseLines.of(po.po_no)
          .filter((line) => line.item_id === id)
          .filter((line) => {
            const due = line.delivery_date ?? po.delivery_date
            return !until || (due !== null && due <= until)
          })
          .map((line) => parse(line.qty, 4) - receivedQty(cut, line)),
      )
      .filter((qty) => qty > 0n),
  )
}

/** Ordered by customers and not yet issued. */
export function onSaleOf(company: Company, { id }: Item, day: string): bigint {
  const cut = upTo(company, day)
  return sum(
    company.sales_order
      .filter((order) => order.state === 'OPEN' && order.order_date <= day)
      .flatMap((order) => books(cut).salesLines.of(order.order_no))
      .filter((line) => line.item_id === id)
      .map((line) => parse(line.qty, 4) - issuedQty(cut, line))
      .filter((qty) => qty > 0n),
  )
}

const openWork = (company: Company, day: string) =>
  company.work_order.filter((w) => ['Planned', 'Open'].includes(w.status) && w.start_date <= day)

/** To be made by open work orders. */
export const inProductionOf = (company: Company, { id }: Item, day: string): bigint =>
  sum(
    openWork(company, day)
      .filter((w) => w.item_id === id)
      .map((w) => {
        const made = upTo(company, day).stock_movement.filter(
          (m) => m.kind === 'production_receipt' && m.item_id === id && m.work_order_no === w.work_order_no,
        )
        return parse(w.planned_qty, 4) - sum(made.map((m) => parse(m.qty, 4)))
      })
      .filter((qty) => qty > 0n),
  )

/** To be consumed by open work orders. */
export const forProductionOf = (company: Company, { id }: Item, day: string): bigint =>
  sum(
    openWork(company, day)
      .map(({ work_order_no: no }) => {
        const lines = company.work_order_line.filter(
          (l) => l.work_order_no === no && l.item_id === id && l.kind === 'Component',
        )
        const used = upTo(company, day).stock_movement.filter(
          (m) => m.kind === 'consumption' && m.item_id === id && m.work_order_no === no,
        )
        return sum(lines.map((l) => parse(l.planned_qty, 4))) - sum(used.map((m) => parse(m.qty, 4)))
      })
      .filter((qty) => qty > 0n),
  )
