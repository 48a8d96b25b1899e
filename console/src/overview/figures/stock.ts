/** The value of finished goods, and beside it the value of materials, over the months. */
import { signal } from '@preact/signals'
import { daysFrom, inWords } from '../../dates.js'
import { add } from '../../numbers.js'
import type { Series } from '../../parts/charts.js'
import { reportUrl } from '../../report/view.js'
import { type Figure, putInSeries, putPoint, tile } from '../model.js'
import { type Days, type Source, text, withoutYear } from '../source.js'

const GOODS = 'inventory.fg-stock-status'
const MATERIALS = 'inventory.mat-stock-status'
const goodsOf = (days: Days) => ({ type: 'ALL', tax: '0', ...days })

export function stock({ month, sums, noPoints }: Source): Figure {
  const goods = tile(
    { title: 'Finished goods', href: reportUrl(GOODS, goodsOf(month), { sort: '-final_value' }) },
    noPoints(),
  )
  const series = signal<readonly Series[]>([
    { name: 'Finished goods', points: noPoints() },
    { name: 'Materials', points: noPoints() },
  ])
  return {
    needs: [GOODS, MATERIALS],
    tiles: [goods],
    chart: { kind: 'line', title: 'Stock value', series },
    async load() {
      const row = await sums(GOODS, goodsOf(month))
      const dayBefore = withoutYear(inWords(daysFrom(month.from_date, -1)))
      goods.value.value = text(row, 'final_value')
      goods.before.value = { label: dayBefore, value: text(row, 'Qty_Value') }
    },
    async loadMonth(days, at) {
      const [row, raw, packing] = await Promise.all([
        sums(GOODS, goodsOf(days)),
        sums(MATERIALS, { type: 'RAW', ...days }),
        sums(MATERIALS, { type: 'PCK', ...days }),
      ])
      const href = reportUrl(GOODS, goodsOf(days))
      putPoint(goods.trend, at, text(row, 'final_value'), href)
      putInSeries(series, 0, at, text(row, 'final_value'), href)
      const materials = add(text(raw, 'Closing_val'), text(packing, 'Closing_val'))
      putInSeries(series, 1, at, materials, reportUrl(MATERIALS, { type: 'RAW', ...days }))
    },
  }
}
