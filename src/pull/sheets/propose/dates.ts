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
  /** Dates that the file knows as dates: all of them, and the ones with a day up to 12. */
  real = 0
  realLow = 0

  /** Notes a text; false if it is no date. */
  text(text: string): boolean {
    const found = /^(\d{1,2})([-/. ])(\d{1,2})\2(\d{4}|\d{2})(?: (\d{1,2}:\d{2}(:\d{2})?))?$/.exec(text)
    if (found !== null) {
      const [, a = '', sign = '', b = '', year = '', time, seconds] = found
      const [first, second] = [Number(a), Number(b)]
      if (first < 1 || second < 1 || first > 31 || second > 31 || (first > 12 && second > 12)) return false
      this.#note(`AA${sign}BB${sign}${'Y'.repeat(year.length)}${timeForm(time, seconds)}`)
      if (first > 12) this.dayFirst++
      if (second > 12) this.monthFirst++
      this.#follow(Number(year) * 10_000 + second * 100 + first, Number(year) * 10_000 + first * 100 + second)
      return true
    }
    const named = /^(\d{1,2})([-/. ])([a-z]{3})[a-z]*\2(\d{4}|\d{2})(?: (\d{1,2}:\d{2}(:\d{2})?))?$/i.exec(text)
    if (named !== null) {
      const [, , sign = '', month = '', year = '', time, seconds] = named
      if (!MONTHS.includes(month.toLowerCase())) return false
      this.#note(`DD${sign}MMM${sign}${'Y'.repeat(year.length)}${timeForm(time, seconds)}`)
      return true
    }
    const isIso = /^\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d)?$/.test(text)
    if (isIso) this.#note('ISO')
    return isIso
  }

  /** Notes a date as in an import. */
  known(value: string): void {
    this.real++
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

const timeForm = (time: string | undefined, seconds: string | undefined): string =>
  time === undefined ? '' : seconds === undefined ? ' hh:mm' : ' hh:mm:ss'

/** The forms of all dates; undefined if every date is known or written as in an import. */
export function dateSetting(all: readonly DateEvidence[], isIndian: boolean): Setting<readonly string[]> | undefined {
  const forms = new Set(all.flatMap(({ forms }) => [...forms.keys()]).filter((form) => form !== 'ISO'))
  if (forms.size === 0) return undefined
  const order = orderOf(all, isIndian)
  const value = [...forms]
    .sort()
    .map((form) => form.replace('AA', order.day ? 'DD' : 'MM').replace('BB', order.day ? 'MM' : 'DD'))
  if (![...forms].some((form) => form.startsWith('AA')))
    return { value, why: 'the names of the months leave no doubt', unsure: false }
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
