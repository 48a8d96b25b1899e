/** Sales orders that are not dispatched in full, and how old they are. */
import { signal } from '@preact/signals'
import { daysFrom } from '../../dates.js'
import type { Bar } from '../../parts/charts.js'
import { reportUrl } from '../../report/view.js'
import { type Figure, putPoint, tile } from '../model.js'
import { type Days, type Source, text } from '../source.js'

const ORDERS = 'sales.sales-orders'
const OPEN = 'order_status=CREATED|PARTIAL ISSUED'

export function openOrders({ now, year, sums, noPoints }: Source): Figure {
  const orders = tile({ title: 'Open orders', href: reportUrl(ORDERS, year, { filter: [OPEN] }) }, noPoints())
  const count = async (days: Days, filter: readonly string[]) => text(await sums(ORDERS, days, { filter }), 'rows')
  return {
    needs: [ORDERS],
    tiles: [orders],
    async load() {
      orders.value.value = await count(year, [OPEN])
      const old = await count(year, [OPEN, `order_date<${daysFrom(now, -30)}`])
      orders.note.value = `${old} older than 30 days`
    },
    async loadMonth(days, at) {
      putPoint(orders.trend, at, await count(days, [OPEN]), reportUrl(ORDERS, days, { filter: [OPEN] }))
    },
  }
}

/** Ages in days; the last limit is longer than the requested year. */
const LIMITS = [0, 7, 30, 90, 366]

export function ordersByAge({ now, year, sums }: Source): Figure {
  const bars = signal<readonly Bar[] | undefined>(undefined)
  const barOf = async (from: number, to: number): Promise<Bar> => {
    const filter = [OPEN, `order_date<=${daysFrom(now, -from)}`, `order_date>${daysFrom(now, -to)}`]
    return {
      label: to > 365 ? `over ${from} days` : `${from} – ${to - 1} days`,
      values: [text(await sums(ORDERS, year, { filter }), 'rows')],
      href: reportUrl(ORDERS, year, { filter, sort: 'order_date' }),
    }
  }
  return {
    needs: [ORDERS],
    chart: { kind: 'bars', title: 'Open orders by age', name: 'Orders', bars },
    async load() {
      bars.value = await Promise.all(LIMITS.slice(1).map((to, at) => barOf(LIMITS[at] as number, to)))
    },
  }
}
