/** Reads words for days and periods: `today`, `last-month`, `fy2025`. */
import { nearest } from './nearest.js'

export interface Period {
  readonly first: string
  readonly last: string
}

/** The month in which a financial year begins, by default. */
export const FISCAL_MONTH = 4

/** For help and errors. */
export const DAY_WORDS =
  'YYYY-MM-DD, today, yesterday, N-days-ago, in-N-days, last-N-days, last-N-months, this- or last- with week, month, quarter, year or fy (this-month-so-far ends today), YYYY, YYYY-MM, or fyYYYY'

/** The words that need no number. */
export const PERIODS = [
  'today',
  'yesterday',
  ...['this', 'last'].flatMap((which) => ['week', 'month', 'quarter', 'year', 'fy'].map((what) => `${which}-${what}`)),
  ...['week', 'month', 'quarter', 'year', 'fy'].map((what) => `this-${what}-so-far`),
]

/** The error for an unknown word, without its subject. */
export const notADay = (word: string): string => `must be ${DAY_WORDS}, not ${word}${nearest(word, PERIODS)}`

const MONTHS = { month: 1, quarter: 3, year: 12 } as const

const iso = (date: Date): string => date.toISOString().slice(0, 10)
const utc = (year: number, month: number, day = 1): Date => new Date(Date.UTC(year, month, day))
const months = (first: Date, count: number): Period => ({
  first: iso(first),
  last: iso(utc(first.getUTCFullYear(), first.getUTCMonth() + count, 0)),
})
const days = (first: Date, count: number): Period => ({
  first: iso(first),
  last: iso(utc(first.getUTCFullYear(), first.getUTCMonth(), first.getUTCDate() + count - 1)),
})

/**
 * The first and last day of a word; undefined for an unknown word. A financial year is named by the year in which it ends; the last N
 * days, and the last N months, end today.
 */
export function periodOf(word: string, today: string, fiscalMonth = FISCAL_MONTH): Period | undefined {
  const now = new Date(`${today}T00:00:00Z`)
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  if (word === 'today') return days(now, 1)
  if (word === 'yesterday') return days(utc(year, month, day - 1), 1)
  const ago = /^(\d{1,5})-days?-ago$/.exec(word)
  if (ago) return days(utc(year, month, day - Number(ago[1])), 1)
  const ahead = /^in-(\d{1,5})-days?$/.exec(word)
  if (ahead) return days(utc(year, month, day + Number(ahead[1])), 1)
  const soFar = /^(this-[a-z]+)-so-far$/.exec(word)
  if (soFar) {
    const whole = periodOf(soFar[1] as string, today, fiscalMonth)
    return whole && { first: whole.first, last: today }
  }
  const lastMonths = /^last-(\d{1,3})-months?$/.exec(word)
  if (lastMonths)
    return Number(lastMonths[1]) === 0
      ? undefined
      : { first: iso(utc(year, month + 1 - Number(lastMonths[1]))), last: today }
  const last = /^last-(\d{1,5})-days?$/.exec(word)
  if (last)
    return Number(last[1]) === 0 ? undefined : days(utc(year, month, day + 1 - Number(last[1])), Number(last[1]))
  const exact = /^(\d{4})(?:-(\d\d))?(?:-(\d\d))?$/.exec(word)
  if (exact) return exactly(Number(exact[1]), exact[2], exact[3], word)
  const begun = month + 1 >= fiscalMonth ? year : year - 1
  const fiscal = /^fy(\d{4})$/.exec(word)
  if (fiscal) return months(utc(Number(fiscal[1]) - (fiscalMonth > 1 ? 1 : 0), fiscalMonth - 1), 12)
  const relative = /^(this|last)-(week|month|quarter|year|fy)$/.exec(word)
  if (!relative) return undefined
  const back = relative[1] === 'last' ? 1 : 0
  switch (relative[2]) {
    case 'week':
      return days(utc(year, month, day - ((now.getUTCDay() + 6) % 7) - 7 * back), 7)
    case 'fy':
      return months(utc(begun - back, fiscalMonth - 1), 12)
    default: {
      const count = MONTHS[relative[2] as keyof typeof MONTHS]
      return months(utc(year, Math.floor(month / count) * count - count * back), count)
    }
  }
}

function exactly(year: number, month: string | undefined, day: string | undefined, word: string): Period | undefined {
  if (month === undefined) return months(utc(year, 0), 12)
  if (Number(month) < 1 || Number(month) > 12) return undefined
  if (day === undefined) return months(utc(year, Number(month) - 1), 1)
  return iso(new Date(`${word}T00:00:00Z`)) === word ? { first: word, last: word } : undefined
}

/** A text with days in place of its words in braces: `expiry_date<={in-60-days}`. An unknown word stays as it is. */
export const withDays = (text: string, today: string): string =>
  text.replace(/\{([a-z\d-]+)\}/g, (braced, word: string) => {
    const found = periodOf(word, today)
    return found !== undefined && found.first === found.last ? found.first : braced
  })

/** Today on this machine's clock. */
export function localToday(now = new Date()): string {
  const two = (n: number) => String(n).padStart(2, '0')
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
}
