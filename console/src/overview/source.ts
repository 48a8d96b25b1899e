/** The days and months of the overview, and its requests to reports. */
import { Failure } from '../api.js'
import { allRows, totalsOf, type View } from '../ask.js'
import { type CatalogueReport, type Row, reportOf, type Values } from '../catalogue.js'
import { monthInWords, monthOf, monthsFrom, type Range, rangeInWords, today } from '../dates.js'
import type { Point } from '../parts/charts.js'

/** A range, as reports accept it. */
export type Days = { readonly from_date: string; readonly to_date: string }

export interface Source {
  readonly now: string
  /** The last 12 months, this one included, the oldest first. */
  readonly months: readonly Days[]
  /** This month so far. */
  readonly month: Days
  /** The same number of days of the month before. */
  readonly before: Days
  readonly beforeInWords: string
  /** The last 12 months so far. */
  readonly year: Days
  /** The sums over all records of a view; `rows` is their number. */
  sums(report: string, values: Values, view?: View): Promise<Row>
  rows(report: string, values: Values, view?: View, most?: number): Promise<{ rows: Row[]; total: number }>
  /** A point for each month, without a value yet. */
  noPoints(): Point[]
}

const daysOf = ({ from, to }: Range): Days => ({ from_date: from, to_date: to })

export function sourceOf(stop: AbortSignal, now = today()): Source {
  const months = Array.from({ length: 12 }, (_, at) => daysOf(monthOf(monthsFrom(now, at - 11))))
  const last = monthOf(monthsFrom(now, -1))
  const sameDay = `${last.from.slice(0, 8)}${now.slice(8)}`
  const soFar = { from: last.from, to: sameDay < last.to ? sameDay : last.to }
  return {
    ...{ now, months },
    month: { from_date: monthOf(now).from, to_date: now },
    before: daysOf(soFar),
    beforeInWords: withoutYear(rangeInWords(soFar)).replaceAll(' – ', '–'),
    year: { from_date: monthsFrom(now, -11), to_date: now },
    sums: async (report, values, view = {}) => (await totalsOf(known(report), values, view, stop)).row,
    rows: async (report, values, view = {}, most = 20_000) =>
      await allRows(known(report), values, view, { most, signal: stop }),
    noPoints: () =>
      months.map(({ from_date }) => ({
        label: monthInWords(from_date).replace(/ \d\d(\d\d)$/, ' $1'),
        value: undefined,
      })),
  }
}

function known(id: string): CatalogueReport {
  const report = reportOf(id)
  if (report === undefined) throw new Failure(`You may not use the report ${id}; ask an operator for access.`, 403)
  return report
}

export const withoutYear = (text: string): string => text.replace(/ \d{4}$/, '')

/** A value of a record, or 0 if it has none. */
export const text = (row: Row, field: string): string => String(row[field] ?? '0')
