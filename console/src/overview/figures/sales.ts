/** Sales and their margin: this month against the same number of days of the month before, and over the months. */
import { signal } from '@preact/signals'
import type { Series } from '../../parts/charts.js'
import { reportUrl } from '../../report/view.js'
import { type Figure, putInSeries, putPoint, tile } from '../model.js'
import { type Days, type Source, text } from '../source.js'

const MARGIN = 'sales.gross-margin'
const marginOf = (days: Days) => ({ type: 'CONSOLIDATED', tax: '0', source: 'INV', ...days })

/** The tiles, with their fields in the report. */
const PARTS = [
  { title: 'Sales', field: 'total_sale' },
  { title: 'Margin', field: 'delivered_profit' },
]

export function sales({ months, month, before, beforeInWords, sums, noPoints }: Source): Figure {
  const parts = PARTS.map(({ title, field }) => {
    const href = reportUrl(MARGIN, marginOf(month), { sort: `-${field}` })
    return { field, shown: tile({ title: `${title} this month`, href }, noPoints()) }
  })
  const series = signal<readonly Series[]>(PARTS.map(({ title }) => ({ name: title, points: noPoints() })))
  return {
    needs: [MARGIN],
    tiles: parts.map(({ shown }) => shown),
    chart: { kind: 'column', title: 'Sales, margin', series },
    async load() {
      const now = await sums(MARGIN, marginOf(month))
      for (const { field, shown } of parts) shown.value.value = text(now, field)
      const then = await sums(MARGIN, marginOf(before))
      for (const { field, shown } of parts) shown.before.value = { label: beforeInWords, value: text(then, field) }
    },
    async loadMonth(days, at) {
      const row = await sums(MARGIN, marginOf(days))
      const href = reportUrl(MARGIN, marginOf(days))
      // A month that has just begun would look like a drop.
      const isOver = at < months.length - 1
      for (const [which, { field, shown }] of parts.entries()) {
        if (isOver) putPoint(shown.trend, at, text(row, field), href)
        putInSeries(series, which, at, text(row, field), href)
      }
    },
  }
}
