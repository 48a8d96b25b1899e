/** How documents are told apart: whether their numbers go on over rows, and whether they begin anew each year. */
import { type SheetCell, textOf } from '../sheet.js'
import { yearOf } from '../template.js'

const MOST_NUMBERS = 200_000
/** Different days of one number that need to be kept. */
const MOST_DAYS = 6

export class Numbering {
  readonly #place: number
  readonly #dayPlace: number | undefined
  readonly #typePlace: number | undefined
  /** Rows without a number below one with it. */
  continued = 0
  /** Of these, the ones without a day. */
  continuedWithoutDay = 0
  /** Rows that begin a number, or repeat it. */
  stated = 0
  /** By number and type of voucher. */
  readonly #days = new Map<string, string[]>()
  readonly #types = new Map<string, Set<string>>()
  #above = ''
  #day = ''

  constructor(place: number, dayPlace: number | undefined, typePlace: number | undefined) {
    this.#place = place
    this.#dayPlace = dayPlace
    this.#typePlace = typePlace
  }

  begin(): void {
    this.#above = ''
    this.#day = ''
  }

  /** Whether the row goes on with the document of the row above. */
  note(cells: readonly SheetCell[]): boolean {
    const number = textOf(cells[this.#place])
    const day = this.#dayPlace === undefined ? '' : dayText(cells[this.#dayPlace])
    if (number === '') {
      if (this.#above === '') return false
      this.continued++
      if (day === '') this.continuedWithoutDay++
      return true
    }
    this.stated++
    const own = this.#typePlace === undefined ? '' : textOf(cells[this.#typePlace])
    const type = own === '' && numberOf(this.#above) === number ? this.#above.slice(number.length + 1) : own
    const id = `${number}${BETWEEN}${type}`
    const isSame = id === this.#above && (day === '' || day === this.#day)
    if (id !== this.#above || day !== '') this.#day = day
    this.#above = id
    if (type !== '' && (this.#types.size < MOST_NUMBERS || this.#types.has(number)))
      this.#types.set(number, (this.#types.get(number) ?? new Set()).add(type))
    const days = this.#days.get(id)
    if (days === undefined) {
      if (this.#days.size < MOST_NUMBERS) this.#days.set(id, [this.#day])
    } else if (days.length < MOST_DAYS && this.#day !== '' && !days.includes(this.#day)) days.push(this.#day)
    return isSame
  }

  /** Numbers that stand on more than one day. `read` reads days as the mapping will. */
  repeated(read: (text: string) => string | undefined): string[] {
    return [...this.#days].flatMap(([id, days]) =>
      days.length > 1 && new Set(days.map((day) => dayIn(day, read))).size > 1 ? numberOf(id) : [],
    )
  }

  /** Numbers that several of these types of vouchers have, which are numbered one by one. */
  shared(types: readonly string[]): string[] {
    return [...this.#types].flatMap(([number, own]) => (types.filter((type) => own.has(type)).length > 1 ? number : []))
  }

  /** Numbers without letters that are small enough to begin anew. */
  get isPlain(): boolean {
    const all = [...this.#days.keys()].slice(0, 1000).map(numberOf)
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
    const all = [...this.#days].map(([id, days]) => ({
      number: numberOf(id),
      days: [...new Set(days.map((text) => dayIn(text, read)))],
    }))
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

/** A cell with an error is no day. */
const dayText = (cell: SheetCell | undefined): string =>
  cell !== null && typeof cell === 'object' && 'fault' in cell ? '' : textOf(cell)

/** Without its time. */
const dayIn = (text: string, read: (text: string) => string | undefined): string => {
  const found = read(text) ?? text
  return /^\d{4}-\d\d-\d\d/.test(found) ? found.slice(0, 10) : found
}

const BETWEEN = '\u0000'
const numberOf = (id: string): string => id.slice(0, id.indexOf(BETWEEN))

/** 2 comes before 10. */
const inOrder = new Intl.Collator('en', { numeric: true })
