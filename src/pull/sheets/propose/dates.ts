/** How the dates of a folder are written, found from all of them together. */
import type { Setting } from './proposal.js'

/** What the dates of one column have shown. */
export class DateEvidence {
  /** By form, with D for the part before the month or after it: `AA-BB-YYYY`, `DD-MMM-YY`. */
  readonly forms = new Map<string, number>()
  /** Dates whose first, or second, part cannot be a month. */
  dayFirst = 0
  monthFirst = 0
  /** Rows whose date is before that of the row above, if the day, or the month, comes first. */
  readonly #falls = { day: 0, month: 0 }
  #above: { day: number; month: number } | undefined
  /** Dates with a time of the day. */
  timed = 0
  /** Dates that the file knows as dates: all of them, and the ones with a day up to 12. */
  real = 0
  realLow = 0

  /** Notes a text; false if it is no date. */
  text(text: string): boolean {
    const [, day = '', time = ''] = WITH_TIME.exec(text) ?? []
    const clock = time === '' ? '' : clockForm(time)
    const form = clock === undefined ? undefined : this.#form(day)
    if (form === undefined || clock === undefined) return false
    if (clock !== '' && !/^\D*0?0:00(:00(\.0+)?)?\D*$/.test(time)) this.timed++
    const isImport = form === 'YYYY-MM-DD' && (clock === '' || clock === ' hh:mm:ss') && !/[.,]/.test(time)
    this.#note(isImport ? 'ISO' : `${form}${clock}`)
    return true
  }

  /** How the day is written; undefined if it is no day. */
  #form(text: string): string | undefined {
    const numbers = /^(\d{1,2})([-/. ])(\d{1,2})\2(\d{4}|\d{2})$/.exec(text)
    if (numbers !== null) {
      const [, a = '', sign = '', b = '', year = ''] = numbers
      const [first, second] = [Number(a), Number(b)]
      if (first < 1 || second < 1 || first > 31 || second > 31 || (first > 12 && second > 12)) return undefined
      if (first > 12) this.dayFirst++
      if (second > 12) this.monthFirst++
      this.#follow(Number(year) * 10_000 + second * 100 + first, Number(year) * 10_000 + first * 100 + second)
      return `AA${sign}BB${sign}${'Y'.repeat(year.length)}`
    }
    const named = /^(\d{1,2})([-/. ])([a-z]{3})[a-z]*(,?)\2(\d{4}|\d{2})$/i.exec(text)
    if (named !== null) {
      const [, , sign = '', month = '', comma = '', year = ''] = named
      return isMonth(month) ? `DD${sign}MMM${comma}${sign}${'Y'.repeat(year.length)}` : undefined
    }
    const american = /^([a-z]{3})[a-z]* (\d{1,2})(,?) (\d{4})$/i.exec(text)
    if (american !== null) return isMonth(american[1] ?? '') ? `MMM DD${american[3]} YYYY` : undefined
    const [, sign] = /^\d{4}([-/.])\d{1,2}\1\d{1,2}$/.exec(text) ?? []
    return sign && `YYYY${sign}MM${sign}DD`
  }

  /** Notes a date as in an import. */
  known(value: string): void {
    this.real++
    if (value.length > 10) this.timed++
    if (Number(value.slice(8, 10)) <= 12) this.realLow++
  }

  #note(form: string): void {
    this.forms.set(form, (this.forms.get(form) ?? 0) + 1)
  }

  #follow(day: number, month: number): void {
    if (this.#above !== undefined) {
      if (day < this.#above.day) this.#falls.day++
      if (month < this.#above.month) this.#falls.month++
    }
    this.#above = { day, month }
  }

  /** The order in which the rows' dates never fall, if only one has that. */
  get rising(): 'day' | 'month' | undefined {
    const { day, month } = this.#falls
    return day === 0 && month > 0 ? 'day' : month === 0 && day > 0 ? 'month' : undefined
  }

  /** A program with the other order may have read the texts that it could as dates, with day and month exchanged. */
  get mayBeExchanged(): boolean {
    return this.dayFirst > 0 && this.real > 3 && this.real === this.realLow && this.dayFirst === this.#ambiguous
  }

  get #ambiguous(): number {
    return [...this.forms].reduce((sum, [form, count]) => sum + (form.startsWith('AA') ? count : 0), 0)
  }
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

const isMonth = (text: string): boolean => MONTHS.includes(text.toLowerCase())

/** A day, and maybe a time. */
const WITH_TIME = /^(.*?)((?:[ T]|, )\d{1,2}:\d{2}.*)?$/s

/** The form of a time with the sign before it; undefined if it is none. */
function clockForm(time: string): string | undefined {
  const found = /^( |T|, )\d{1,2}:\d{2}(:\d{2}(?:[.,]\d+)?)?( ?)([ap]\.?m\.?)?( ?(?:Z|[+-]\d{2}:?\d{2}))?$/i.exec(time)
  if (found === null) return undefined
  const [, sign = '', seconds, space = '', half, zone = ''] = found
  return `${sign}hh:mm${seconds === undefined ? '' : ':ss'}${space}${half === undefined ? '' : 'AM'}${zone}`
}

/** The forms of all dates; undefined if every date is known or written as in an import. */
export function dateSetting(all: readonly DateEvidence[], isIndian: boolean): Setting<readonly string[]> | undefined {
  const forms = new Set(all.flatMap(({ forms }) => [...forms.keys()]).filter((form) => form !== 'ISO'))
  if (forms.size === 0) return undefined
  const order = orderOf(all, isIndian)
  const value = [...forms]
    .sort()
    .map((form) => form.replace('AA', order.day ? 'DD' : 'MM').replace('BB', order.day ? 'MM' : 'DD'))
  if ([...forms].some((form) => /(?:Z|[+-]\d{2}:?\d{2})$/.test(form) && form.includes('hh')))
    return {
      ...{ value, unsure: true },
      why: 'the times name their zone, and are read as they are written: if it is not the zone of the company, some dates are those of the day before or after',
    }
  if (![...forms].some((form) => form.startsWith('AA')))
    return { value, why: 'months with names, and dates that begin with the year, leave no doubt', unsure: false }
  return { value, why: order.why, unsure: order.unsure }
}

function orderOf(all: readonly DateEvidence[], isIndian: boolean): { day: boolean; why: string; unsure: boolean } {
  const count = (of: (one: DateEvidence) => number) => all.reduce((sum, one) => sum + of(one), 0)
  const [day, month] = [count(({ dayFirst }) => dayFirst), count(({ monthFirst }) => monthFirst)]
  if (day > 0 && month > 0)
    return {
      ...{ day: day >= month, unsure: true },
      why: `${day} dates begin with a number above 12 and ${month} have one in the middle: some sheets write the day first and some the month; give these sheets their own dates`,
    }
  if (day > 0)
    return { day: true, unsure: false, why: `${day} dates begin with a number above 12, so the day comes first` }
  if (month > 0)
    return {
      day: false,
      unsure: false,
      why: `${month} dates have a number above 12 in the middle, so the month comes first`,
    }
  const rising = new Set(all.flatMap(({ rising }) => rising ?? []))
  if (rising.size === 1) {
    const isDay = rising.has('day')
    return {
      ...{ day: isDay, unsure: true },
      why: `no date has a number above 12; the rows are in the order of their dates only if the ${isDay ? 'day' : 'month'} comes first`,
    }
  }
  return {
    ...{ day: true, unsure: true },
    why: `no date tells whether the day or the month comes first${isIndian ? '; the sheets look Indian, so the day was taken' : '; the day was taken'}`,
  }
}
