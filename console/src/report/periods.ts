/** Periods of the calendar as the service names them in groups: `2026-04`, `2026-W15`, `2026-Q2`, `2026-27`. */
import type { Period } from '../../../src/kernel/report/periods.js'
import { daysFrom, inWords, monthInWords, type Range, yearBegins } from '../dates.js'

export type { Period }

/** With the word on its button. */
export const PERIODS: Readonly<Record<Period, string>> = {
  day: 'Day',
  week: 'Week',
  month: 'Month',
  quarter: 'Quarter',
  year: 'Year',
  fy: 'FY',
}

/** In a sentence. */
export const periodWord = (period: Period): string =>
  period === 'fy' ? 'financial year' : PERIODS[period].toLowerCase()

const DAY_MS = 86_400_000
/** 1970-01-05 was a Monday. */
const FIRST_MONDAY = 4

const dayNumber = (day: string): number => Math.floor(Date.parse(`${day}T00:00:00Z`) / DAY_MS)
const dayNamed = (number: number): string => new Date(number * DAY_MS).toISOString().slice(0, 10)
const two = (number: number): string => String(number).padStart(2, '0')

/** The number of the period that has this day. Periods of one kind are numbered without gaps. */
export function numberOf(period: Period, day: string): number {
  const [year = 0, month = 1] = day.split('-').map(Number)
  switch (period) {
    case 'day':
      return dayNumber(day)
    case 'week':
      return Math.floor((dayNumber(day) - FIRST_MONDAY) / 7)
    case 'month':
      return year * 12 + month - 1
    case 'quarter':
      return year * 4 + Math.floor((month - 1) / 3)
    case 'year':
      return year
    case 'fy':
      return month < yearBegins.value ? year - 1 : year
  }
}

function firstDay(period: Period, number: number): string {
  const month = (months: number) => `${String(Math.floor(months / 12)).padStart(4, '0')}-${two((months % 12) + 1)}-01`
  switch (period) {
    case 'day':
      return dayNamed(number)
    case 'week':
      return dayNamed(number * 7 + FIRST_MONDAY)
    case 'month':
      return month(number)
    case 'quarter':
      return month(number * 3)
    case 'year':
      return month(number * 12)
    case 'fy':
      return month(number * 12 + yearBegins.value - 1)
  }
}

export const daysOf = (period: Period, number: number): Range => ({
  from: firstDay(period, number),
  to: daysFrom(firstDay(period, number + 1), -1),
})

/** The ISO year of a week is the year of its Thursday. */
const weekOf = (number: number): { year: number; week: number } => {
  const thursday = daysFrom(firstDay('week', number), 3)
  const year = Number(thursday.slice(0, 4))
  return { year, week: Math.floor((dayNumber(thursday) - dayNumber(`${year}-01-01`)) / 7) + 1 }
}

/** As in a record. */
export function nameOf(period: Period, number: number): string {
  const first = firstDay(period, number)
  const year = first.slice(0, 4)
  switch (period) {
    case 'day':
      return first
    case 'week':
      return `${weekOf(number).year}-W${two(weekOf(number).week)}`
    case 'month':
      return first.slice(0, 7)
    case 'quarter':
      return `${year}-Q${(number % 4) + 1}`
    case 'year':
      return year
    case 'fy':
      return yearBegins.value === 1 ? year : `${year}-${two((number + 1) % 100)}`
  }
}

/** The number of a period by its name in a record; undefined if it is no such name. */
export function numberNamed(period: Period, name: string): number | undefined {
  const [, year = '', rest = ''] = /^(\d{4})-?(.*)$/.exec(name) ?? []
  if (year === '') return undefined
  const found = period === 'week' ? weekNamed(year, rest) : numberOf(period, dayIn(period, year, rest))
  return Number.isFinite(found) && nameOf(period, found) === name ? found : undefined
}

const weekNamed = (year: string, rest: string): number =>
  numberOf('week', `${year}-01-04`) + Number(rest.replace('W', '')) - 1

/** A day of the named period. */
function dayIn(period: Period, year: string, rest: string): string {
  switch (period) {
    case 'day':
      return `${year}-${rest}`
    case 'month':
      return `${year}-${rest}-01`
    case 'quarter':
      return `${year}-${two(Number(rest.replace('Q', '')) * 3)}-01`
    case 'fy':
      return `${year}-${two(yearBegins.value)}-01`
    default:
      return `${year}-01-01`
  }
}

/** For axes and headings: `Apr 2026`, `Q2 2026`, `FY 2026–27`. */
export function periodInWords(period: Period, number: number): string {
  const first = firstDay(period, number)
  switch (period) {
    case 'day':
      return inWords(first)
    case 'week':
      return `W${weekOf(number).week} ${weekOf(number).year}`
    case 'month':
      return monthInWords(first)
    case 'quarter':
      return `Q${(number % 4) + 1} ${first.slice(0, 4)}`
    case 'year':
      return first.slice(0, 4)
    case 'fy':
      return `FY ${nameOf('fy', number).replace('-', '–')}`
  }
}

/** Why a period has not all of its days yet: it has not ended, or the chosen dates cut it; undefined if it has. */
export function unfinished(
  period: Period,
  number: number,
  today: string,
  range: Range | undefined,
): string | undefined {
  const { from, to } = daysOf(period, number)
  if (from <= today && today < to) return `until ${inWords(today)}`
  if (range === undefined || (range.from <= from && to <= range.to)) return undefined
  if (to < range.from || range.to < from) return undefined
  return `${inWords(from < range.from ? range.from : from)} to ${inWords(to > range.to ? range.to : to)} only`
}

/** A value of a group as people read it; a text that names no period stays as it is. */
export function namedInWords(period: Period, name: string): string {
  const number = numberNamed(period, name)
  return number === undefined ? name : periodInWords(period, number)
}
