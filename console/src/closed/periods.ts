/** Closed periods: their days, their figures, and the reports that say why a figure is no longer what it was. */
import type { View } from '../ask.js'
import type { Values } from '../catalogue.js'
import { daysFrom, monthInWords, monthsFrom, type Range, rangeInWords } from '../dates.js'
import { reportUrl } from '../report/view.js'

/** The names of the figures, before `_then`, `_now` and `_difference`. */
export const FIGURES = ['stock_value', 'sales', 'margin', 'purchases'] as const
export type FigureName = (typeof FIGURES)[number]

const MONTH = /^\d{4}-\d{2}$/

/** The days of `2026-10` or `2026-04-01..2026-09-30`. */
export function daysOf(period: string): Range {
  if (!MONTH.test(period)) {
    const [from = period, to = from] = period.split('..')
    return { from, to }
  }
  return { from: `${period}-01`, to: daysFrom(monthsFrom(`${period}-01`, 1), -1) }
}

/** `Oct 2026`, `1 Apr – 30 Sep 2026` */
export const periodInWords = (period: string): string =>
  MONTH.test(period) ? monthInWords(`${period}-01`) : rangeInWords(daysOf(period))

/** The months before this one that people may close, the last one first. */
export const monthsBefore = (today: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => monthsFrom(today, -1 - at).slice(0, 7))

interface Explained {
  readonly report: string
  readonly values: Values
  readonly view?: View
}

/** The reports whose differences add up to that of the figure. */
const EXPLAINED: Readonly<Record<FigureName, Explained>> = {
  // By item, from which each leads to its movements.
  stock_value: {
    report: 'inventory.movements',
    values: { figure: 'Closing', tax: '0' },
    view: { group: 'sku', measures: 'sum(value)' },
  },
  sales: { report: 'sales.invoices', values: {} },
  margin: { report: 'sales.margin-by-day', values: { tax: '0', source: 'INV' } },
  purchases: { report: 'grn.list', values: {} },
}

/** What changed in the figure since the period was closed with this version. */
export function whyUrl(figure: FigureName, period: string, version: number): string {
  const { report, values, view } = EXPLAINED[figure]
  const { from, to } = daysOf(period)
  return reportUrl(report, { ...values, from_date: from, to_date: to }, { ...view, against: String(version) })
}
