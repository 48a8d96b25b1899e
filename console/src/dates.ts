/** Days as YYYY-MM-DD, and the ranges that people ask for. */

export interface Range {
  readonly from: string
  readonly to: string
}

const day = (year: number, month: number, date: number): string =>
  new Date(Date.UTC(year, month, date)).toISOString().slice(0, 10)

/** Of this machine's clock. */
export function today(): string {
  const now = new Date()
  return day(now.getFullYear(), now.getMonth(), now.getDate())
}

const parts = (text: string): [number, number, number] => {
  const [year = 0, month = 1, date = 1] = text.split('-').map(Number)
  return [year, month - 1, date]
}

export function monthOf(text: string): Range {
  const [year, month] = parts(text)
  return { from: day(year, month, 1), to: day(year, month + 1, 0) }
}

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

/** The financial year begins in April. */
export function presets(now = today()): Preset[] {
  const [year, month] = parts(now)
  const last = monthOf(monthsFrom(now, -1))
  const quarter = day(year, month - (month % 3), 1)
  const fiscal = month >= 3 ? year : year - 1
  return [
    { name: 'This month', range: { from: monthOf(now).from, to: now } },
    { name: 'Last month', range: last },
    { name: 'Last 30 days', range: { from: daysFrom(now, -29), to: now } },
    { name: 'This quarter', range: { from: quarter, to: now } },
    { name: 'Last quarter', range: { from: monthsFrom(quarter, -3), to: daysFrom(quarter, -1) } },
    { name: `Financial year ${fiscal}–${String(fiscal + 1).slice(2)}`, range: { from: day(fiscal, 3, 1), to: now } },
    {
      name: `Financial year ${fiscal - 1}–${String(fiscal).slice(2)}`,
      range: { from: day(fiscal - 1, 3, 1), to: day(fiscal, 3, 0) },
    },
    { name: 'Last 12 months', range: { from: monthsFrom(now, -11), to: now } },
  ]
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `1 Apr 2026` */
export function inWords(text: string): string {
  const [year, month, date] = parts(text)
  return `${date} ${MONTHS[month]} ${year}`
}

/** `1 – 30 Apr 2026`, `1 Apr – 5 May 2026` */
export function rangeInWords({ from, to }: Range): string {
  if (from === to) return inWords(to)
  const [fromYear, fromMonth, fromDate] = parts(from)
  const [toYear, toMonth] = parts(to)
  if (fromYear !== toYear) return `${inWords(from)} – ${inWords(to)}`
  return fromMonth === toMonth ? `${fromDate} – ${inWords(to)}` : `${fromDate} ${MONTHS[fromMonth]} – ${inWords(to)}`
}

export const monthInWords = (text: string): string => {
  const [year, month] = parts(text)
  return `${MONTHS[month]} ${year}`
}

/** `06:12`, or with its day if that is not today. */
export function clock(moment: string): string {
  const at = new Date(moment)
  const time = `${String(at.getHours()).padStart(2, '0')}:${String(at.getMinutes()).padStart(2, '0')}`
  const date = day(at.getFullYear(), at.getMonth(), at.getDate())
  return date === today() ? time : `${inWords(date)}, ${time}`
}
