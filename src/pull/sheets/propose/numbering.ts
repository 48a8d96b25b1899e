/** How documents are told apart: whether their numbers go on over rows, and whether they begin anew each year. */
import { type SheetCell, textOf } from '../sheet.js'
import { yearOf } from '../template.js'

const MOST_NUMBERS = 200_000
/** Different days of one number that need to be kept. */
const MOST_DAYS = 6

export class Numbering {
  readonly #place: number
  readonly #dayPlace: number | undefined
  /** Rows without a number below one with it. */
  continued = 0
  /** Of these, the ones without a day. */
  continuedWithoutDay = 0
  /** Rows that begin a number, or repeat it. */
  stated = 0
  readonly #days = new Map<string, string[]>()
  #above = ''
  #day = ''

  constructor(place: number, dayPlace: number | undefined) {
    this.#place = place
    this.#dayPlace = dayPlace
  }

  begin(): void {
    this.#above = ''
    this.#day = ''
  }

  /** Whether the row goes on with the document of the row above. */
  note(cells: readonly SheetCell[]): boolean {
    const number = textOf(cells[this.#place])
    const day = this.#dayPlace === undefined ? '' : textOf(cells[this.#dayPlace])
    if (number === '') {
      if (this.#above === '') return false
      this.continued++
      if (day === '') this.continuedWithoutDay++
      return true
    }
    this.stated++
    const isSame = number === this.#above && (day === '' || day === this.#day)
    if (number !== this.#above || day !== '') this.#day = day
    this.#above = number
    const days = this.#days.get(number)
    if (days === undefined) {
      if (this.#days.size < MOST_NUMBERS) this.#days.set(number, [this.#day])
    } else if (days.length < MOST_DAYS && this.#day !== '' && !days.includes(this.#day)) days.push(this.#day)
    return isSame
  }

  /** Numbers that stand on more than one day. */
  repeated(): string[] {
    return [...this.#days].flatMap(([number, days]) => (days.length > 1 ? number : []))
  }

  /** Numbers without letters that are small enough to begin anew. */
  get isPlain(): boolean {
    const all = [...this.#days.keys()].slice(0, 1000)
    return all.length > 0 && all.every((number) => /^\d{1,5}$/.test(number))
  }

  /**
   * The first month of a year in which no number stands on two days; undefined if there is none. Of several such months, the one in which
   * the lowest number stands; otherwise the first of them, which is unsure. `read` reads days as the mapping will.
   */
  yearFor(
    read: (text: string) => string | undefined,
    months: readonly number[],
  ): { begins: number; isSure: boolean } | undefined {
    const isDay = (day: string) => /^\d{4}-\d\d-\d\d/.test(day)
    const all = [...this.#days].map(([number, days]) => ({ number, days: days.map((text) => read(text) ?? text) }))
    const fitting = months.filter((begins) =>
      all.every(({ days }) => {
        const years = days.map((day) => (isDay(day) ? yearOf(day, begins) : day))
        return new Set(years).size === years.length
      }),
    )
    const [first] = fitting
    if (first === undefined || fitting.length === 1)
      return first === undefined ? first : { begins: first, isSure: true }
    const lowest = all.reduce((low, one) => (inOrder.compare(one.number, low.number) < 0 ? one : low))
    const inMonths = new Set(lowest.days.filter(isDay).map((day) => Number(day.slice(5, 7))))
    const begun = fitting.filter((month) => inMonths.has(month))
    return { begins: begun[0] ?? first, isSure: begun.length === 1 }
  }
}

/** 2 comes before 10. */
const inOrder = new Intl.Collator('en', { numeric: true })
