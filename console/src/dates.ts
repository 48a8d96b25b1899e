/** Days as YYYY-MM-DD, and the ranges that people ask for. */
import { signal } from '@preact/signals'
import { isCalendarDate } from '../../src/calendar.js'
import { FISCAL_MONTH, localToday, periodOf } from '../../src/period-words.js'

export interface Range {
  readonly from: string
  readonly to: string
}

const day = (year: number, month: number, date: number): string =>
  new Date(Date.UTC(year, month, date)).toISOString().slice(0, 10)

/** The account's time zone; undefined, for the browser's, until the session is known. */
export const accountZone = signal<string | undefined>(undefined)

/** The month in which the account's financial year begins. */
export const yearBegins = signal(FISCAL_MONTH)

/** Today in the account's time zone. */
export const today = (now = new Date()): string =>
  accountZone.value === undefined
    ? localToday(now)
    : // The Swedish locale writes days as YYYY-MM-DD.
      new Intl.DateTimeFormat('sv-SE', { timeZone: accountZone.value }).format(now)

const parts = (text: string): [number, number, number] => {
  const [year = 0, month = 1, date = 1] = text.split('-').map(Number)
  return [year, month - 1, date]
}

/** The period that a word of the command line means, such as `last-month`. */
function period(word: string, now = today()): Range {
  const { first, last } = periodOf(word, now, yearBegins.value) ?? { first: now, last: now }
  return { from: first, to: last }
}

export const monthOf = (text: string): Range => period(text.slice(0, 7))

export function daysFrom(text: string, days: number): string {
  const [year, month, date] = parts(text)
  return day(year, month, date + days)
}

export function monthsFrom(text: string, months: number): string {
  const [year, month] = parts(text)
  return day(year, month + months, 1)
}

export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000)

export interface Preset {
  readonly name: string
  readonly range: Range
}

/** Periods that are not over end today. */
export function presets(now = today()): Preset[] {
  const soFar = (word: string): Range => ({ from: period(word, now).from, to: now })
  const [thisYear, lastYear] = [soFar('this-fy'), period('last-fy', now)]
  return [
    { name: 'Today', range: { from: now, to: now } },
    { name: 'This month', range: soFar('this-month') },
    { name: 'Last month', range: period('last-month', now) },
    { name: 'Last 30 days', range: { from: daysFrom(now, -29), to: now } },
    { name: 'This quarter', range: soFar('this-quarter') },
    { name: 'Last quarter', range: period('last-quarter', now) },
    { name: fiscalName(thisYear), range: thisYear },
    { name: fiscalName(lastYear), range: lastYear },
    { name: 'Last 12 months', range: { from: monthsFrom(now, -11), to: now } },
  ]
}

/** `Financial year 2026–27` */
function fiscalName({ from }: Range): string {
  const year = Number(from.slice(0, 4))
  return `Financial year ${year}–${String(year + 1).slice(2)}`
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `1 Apr 2026`; a text that is no day of the calendar stays as it is. */
export function inWords(text: string): string {
  if (!isCalendarDate(text)) return text
  const [year, month, date] = parts(text)
  return `${date} ${MONTHS[month]} ${year}`
}

/** `1 – 30 Apr 2026`, `1 Apr – 5 May 2026` */
export function rangeInWords({ from, to }: Range): string {
  if (from === to) return inWords(to)
  if (!isCalendarDate(from) || !isCalendarDate(to)) return `${inWords(from)} – ${inWords(to)}`
  const [fromYear, fromMonth, fromDate] = parts(from)
  const [toYear, toMonth] = parts(to)
  if (fromYear !== toYear) return `${inWords(from)} – ${inWords(to)}`
  return fromMonth === toMonth ? `${fromDate} – ${inWords(to)}` : `${fromDate} ${MONTHS[fromMonth]} – ${inWords(to)}`
}

export const monthInWords = (text: string): string => {
  const [year, month] = parts(text)
  return `${MONTHS[month]} ${year}`
}

/** `Nov 26`, on the axis of a chart. */
export const shortMonth = (text: string): string => monthInWords(text).replace(/ \d\d(\d\d)$/, ' $1')

/** `06:12 IST` in the account's time zone, or with its day if that is not today. */
export function clock(moment: string): string {
  const at = new Date(moment)
  if (Number.isNaN(at.getTime())) return moment
  const zone = { timeZone: accountZone.value }
  const time = new Intl.DateTimeFormat('en-GB', { ...zone, hour: '2-digit', minute: '2-digit' }).format(at)
  const date = today(at)
  return `${date === today() ? '' : `${inWords(date)}, `}${time} ${zoneName(at)}`
}

/** `IST`, or `GMT+5:30` where no locale has letters for the zone. */
function zoneName(at: Date): string {
  const names = ['en-IN', 'en-GB', 'en-US', 'en-AU'].map((locale) => {
    const format = new Intl.DateTimeFormat(locale, { timeZone: accountZone.value, timeZoneName: 'short' })
    return format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  })
  return names.find((name) => !/\d/.test(name)) ?? (names[0] as string)
}
