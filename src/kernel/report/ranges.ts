/** The range of days of a request, and the earlier range that it is compared with. */
import type { Params, Values } from './params.js'

/** `previous`: as many days before, or as many whole months; the others: the same days a month, a quarter or a year before. */
export const COMPARISONS = ['previous', 'month', 'quarter', 'year'] as const
const MONTHS = { month: 1, quarter: 3, year: 12 } as const
export type Comparison = (typeof COMPARISONS)[number]

export interface Range {
  readonly from_date: string
  readonly to_date: string
}

/** The days of a request; undefined for a request without a range. */
export function rangeOf({ from_date, to_date }: Values<Params>): Range | undefined {
  return typeof from_date === 'string' && typeof to_date === 'string' ? { from_date, to_date } : undefined
}

/** The range that a range is compared with; undefined if it would begin before the year 0001. */
export function rangeBefore(range: Range, comparison: Comparison): Range | undefined {
  const before = shifted(range, comparison)
  return /^(-|0000)/.test(before.from_date) ? undefined : before
}

function shifted({ from_date, to_date }: Range, comparison: Comparison): Range {
  const [from, to] = [dayOf(from_date), dayOf(to_date)]
  const isWhole = from.getUTCDate() === 1 && dayAfter(to).getUTCDate() === 1
  const after = dayAfter(to)
  const months =
    comparison === 'previous'
      ? (after.getUTCFullYear() - from.getUTCFullYear()) * 12 + after.getUTCMonth() - from.getUTCMonth()
      : MONTHS[comparison]
  if (isWhole)
    return { from_date: iso(monthsBefore(from, months)), to_date: iso(new Date(+monthsBefore(after, months) - DAY)) }
  if (comparison !== 'previous')
    return { from_date: iso(monthsBefore(from, months)), to_date: iso(monthsBefore(to, months)) }
  const length = +after - +from
  return { from_date: iso(new Date(+from - length)), to_date: iso(new Date(+from - DAY)) }
}

const DAY = 86_400_000
const dayOf = (text: string): Date => new Date(`${text}T00:00:00Z`)
const dayAfter = (day: Date): Date => new Date(+day + DAY)
const iso = (day: Date): string => day.toISOString().slice(0, 10)

/** Unlike `Date.UTC`, it takes years before 100 as they are. */
const utc = (year: number, month: number, day: number): Date => new Date(new Date(0).setUTCFullYear(year, month, day))

/** The same day of an earlier month, or its last day if it is shorter. */
function monthsBefore(day: Date, months: number): Date {
  const [year, month] = [day.getUTCFullYear(), day.getUTCMonth() - months]
  const last = utc(year, month + 1, 0).getUTCDate()
  return utc(year, month, Math.min(day.getUTCDate(), last))
}
