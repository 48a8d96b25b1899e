/** What of each batch is used before it expires: the coming days one after the other, each using the batch that expires first. */
import type { Company } from '../setup/company.js'
import { books, Groups, held, inStock, key, total } from './books.js'
import { daysBetween } from './calendar.js'
import { divide, format } from './decimal.js'
import { byText } from './order.js'
import { dayOf, itemsOf } from './stock-ageing.js'

const USED = ['issue', 'internal_issue', 'consumption', 'unpack']

interface Params {
  as_on?: string
  window_days?: number | string
  within_days?: number | string
}

export function expiry(company: Company, { as_on, window_days, within_days }: Params) {
  const day = dayOf(company, as_on)
  const window = BigInt(window_days || 90)
  return itemsOf(company).flatMap((item) => {
    const moves = books(company)
      .moves.of(item.id)
      .filter((m) => m.movement_date <= day)
    const recent = moves.filter((m) => daysBetween(m.movement_date, day) < Number(window))
    const used = total(recent, USED, 'qty') - total(recent, ['sales_return'], 'qty')
    const pace = used > 0n ? used : 0n
    const batches = [...new Groups(moves, (m) => m.batch_no ?? '').values()].flatMap((list) => {
      const batch_no = list[0]?.batch_no ?? null
      if (batch_no === null) return []
      const { mfg_date, expiry_date } = books(company).batch.of(key(item.id, batch_no))
      const stock = inStock(list, 'qty')
      if (stock <= 0n || expiry_date === null) return []
      const hold = held(list, 'qty')
      const days_left = daysBetween(day, expiry_date)
      const free = stock - hold < 0n ? 0n : hold < 0n ? stock : stock - hold
      // Each quantity is in parts of `window` to a unit, so that a day uses a whole number of them.
      const left = days_left < 0 ? 0n : free * window
      return [
        { batch_no, mfg_date, expiry_date, stock, hold, value: inStock(list, 'val'), days_left, left, free: left },
      ]
    })
    const queue = batches.toSorted((a, b) => byText(a.expiry_date, b.expiry_date) || byText(a.batch_no, b.batch_no))
    for (let ahead = 1; pace > 0n && queue.some((b) => b.left > 0n && b.days_left >= ahead); ahead++) {
      let wanted = pace
      for (const batch of queue.filter((b) => b.days_left >= ahead)) {
        const taken = batch.left < wanted ? batch.left : wanted
        batch.left -= taken
        wanted -= taken
      }
    }
    return batches
      .filter(({ days_left }) => !within_days || days_left <= Number(within_days))
      .sort((a, b) => byText(a.batch_no, b.batch_no))
      .map(({ batch_no, mfg_date, expiry_date, stock, hold, value, days_left, left, free }) => {
        const taken = free - left
        const risk = stock * window - taken
        return {
          ...{ sku: item.sku, name: item.name, unit: item.unit, batch_no, mfg_date, expiry_date, days_left },
          ...{ stock_qty: format(stock, 4), hold_qty: format(hold, 4), stock_value: format(value, 4) },
          pace: format(divide(pace, window), 4),
          used_before_expiry_qty: format(divide(taken, window), 4),
          at_risk_qty: format(divide(risk, window), 4),
          at_risk_value: format(divide(value * risk, stock * window), 4),
          status: days_left < 0 ? 'Expired' : risk > 0n ? 'At risk' : 'Safe',
        }
      })
  })
}
