/** The numbers of a table's first rows: whether they bear out what its headings say. */
import { numberIn } from '../formats.js'
import { type SheetCell, textOf } from '../sheet.js'
import type { Field } from './field.js'

/** Later rows seldom have another form. */
const MOST_ROWS = 5000
/** Of the rows that can be compared, the part that must agree. */
export const MOST = 0.8
/** Amounts may be rounded to whole rupees. */
const CLOSE = 0.01

interface Row {
  readonly line: number
  readonly cells: readonly SheetCell[]
  /** It goes on with the document above. */
  readonly goesOn: boolean
}

export interface Compared {
  /** Rows, or documents, with all numbers. */
  readonly compared: number
  readonly fits: number
  /** The first one that does not fit, in words. */
  readonly wrong: string | undefined
  /** Products divided by the amount, if they are nearly the same in all rows. */
  readonly ratio?: number | undefined
}

export const isBorneOut = ({ compared, fits }: Compared): boolean => compared > 0 && fits >= MOST * compared

export class Figures {
  readonly #rows: Row[] = []
  readonly #decimal: () => '.' | ','
  readonly #columns = new Map<number, readonly (number | undefined)[]>()

  /** `decimal` is known after all rows. */
  constructor(decimal: () => '.' | ',') {
    this.#decimal = decimal
  }

  note(row: Row): void {
    if (this.#rows.length < MOST_ROWS) this.#rows.push(row)
  }

  /** Whether quantity times price is the amount, row by row. */
  product(qty: Field, price: Field, amount: Field): Compared {
    const ratios: number[] = []
    let [fits, wrong]: [number, string | undefined] = [0, undefined]
    const columns = [qty, price, amount].map((field) => this.#numbers(field))
    for (const [at, { line }] of this.#rows.entries()) {
      const [a, b, c] = columns.map((numbers) => numbers[at])
      if (!a || !b || !c) continue
      ratios.push((a * b) / c)
      if (isClose(a * b, c)) fits++
      else wrong ??= `row ${line}: ${short(a)} times ${short(b)} is not ${short(c)}`
    }
    const [first = 1] = ratios
    const isOne = ratios.length > 1 && ratios.every((one) => isClose(one, first))
    return { compared: ratios.length, fits, wrong, ratio: isOne ? first : undefined }
  }

  /** Whether some columns together are another one, document by document. `isOfHead`: one row of a document has the number of all. */
  sum(plus: readonly Field[], minus: readonly Field[], total: Field, isOfHead: (field: Field) => boolean): Compared {
    let [compared, fits, wrong]: [number, number, string | undefined] = [0, 0, undefined]
    for (const [from, to] of this.#documents()) {
      const inDocument = (field: Field): number | undefined => {
        const numbers = this.#numbers(field)
          .slice(from, to)
          .filter((number) => number !== undefined)
        return isOfHead(field) ? numbers[0] : numbers.length === 0 ? undefined : added(numbers)
      }
      const [first, right] = [plus[0] && inDocument(plus[0]), inDocument(total)]
      if (first === undefined || right === undefined) continue
      const of = (fields: readonly Field[]) => added(fields.map((field) => inDocument(field) ?? 0))
      const left = of(plus) - of(minus)
      compared++
      const rounding = Number.isInteger(right) ? 0.5 : 0
      if (Math.abs(left - right) <= 0.011 * (to - from) * (plus.length + minus.length) + rounding) fits++
      else wrong ??= `row ${this.#rows[from]?.line}: ${short(left)} is not ${short(right)}`
    }
    return { compared, fits, wrong }
  }

  /** Whether the balance of a row is the one above with what came in and went out, although the item is another one. */
  runsOn(item: Field, came: Field | undefined, went: Field | undefined, balance: Field): boolean {
    let [compared, fits] = [0, 0]
    const balances = this.#numbers(balance)
    for (const [at, { cells, line }] of this.#rows.entries()) {
      const above = this.#rows[at - 1]
      // On the next tab, the rows are numbered anew.
      if (above === undefined || above.line >= line) continue
      if (textOf(above.cells[item.place]) === textOf(cells[item.place])) continue
      const [before, now] = [balances[at - 1], balances[at]]
      const [plus = 0, minus = 0] = [came, went].map((field) => field && this.#numbers(field)[at])
      if (before === undefined || now === undefined) continue
      compared++
      if (Math.abs(before + plus - minus - now) < 0.001) fits++
    }
    return compared > 1 && fits >= MOST * compared
  }

  /** The first row of an item whose balance does not begin at 0. */
  openedAt(item: Field, came: Field | undefined, went: Field | undefined, balance: Field): number | undefined {
    const seen = new Set<string>()
    const [balances, plus, minus] = [balance, came, went].map((field) => field && this.#numbers(field))
    for (const [at, { cells, line }] of this.#rows.entries()) {
      const text = textOf(cells[item.place])
      if (text === '' || seen.has(text)) continue
      seen.add(text)
      const now = balances?.[at]
      if (now !== undefined && Math.abs(now - (plus?.[at] ?? 0) + (minus?.[at] ?? 0)) > 0.001) return line
    }
    return undefined
  }

  /** The first row of each document, and the one after its last. */
  *#documents(): Generator<readonly [from: number, to: number]> {
    let from = 0
    for (const [at, { goesOn }] of this.#rows.entries()) {
      if (goesOn || at === 0) continue
      yield [from, at]
      from = at
    }
    if (from < this.#rows.length) yield [from, this.#rows.length]
  }

  /** The numbers of a column, row by row; read once, after all rows. */
  #numbers({ place }: Field): readonly (number | undefined)[] {
    const known = this.#columns.get(place)
    if (known !== undefined) return known
    const decimal = this.#decimal()
    const numbers = this.#rows.map(({ cells }) => numberOf(cells[place] ?? null, decimal))
    this.#columns.set(place, numbers)
    return numbers
  }
}

/** The number of a cell; undefined if it has none. */
export function numberOf(cell: SheetCell, decimal: '.' | ','): number | undefined {
  const text =
    cell === null ? '' : typeof cell === 'string' ? (numberIn(cell.trim(), decimal)?.number ?? '') : known(cell)
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined
}

const known = (cell: Exclude<SheetCell, string | null>): string => ('value' in cell ? cell.value : '')

const added = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0)
const isClose = (a: number, b: number): boolean => Math.abs(a - b) <= CLOSE * Math.abs(b)
const short = (number: number): string => String(Math.round(number * 100) / 100)
