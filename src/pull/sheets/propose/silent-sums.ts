/** Finds rows that sum up the rows above or below them without saying so: they lack a cell that all other rows have. */
import { type SheetCell, textOf } from '../sheet.js'
import type { Field } from './field.js'
import { numberOf } from './figures.js'
import { ADDITIVE, type Concept, MONEY } from './words.js'

/** Columns that a row of goods or a document does not lack, but a sum does; the surest first. */
const ESSENTIAL: readonly Concept[] = [
  ...(['item', 'item_code', 'invoice_no', 'order_no', 'po_no', 'grn_no', 'voucher_no', 'voucher_type'] as const),
  ...(['invoice_date', 'order_date', 'date', 'rate', 'cost', 'unit', 'customer', 'vendor', 'party'] as const),
  ...(['closing_rate', 'opening_rate', 'particulars'] as const),
]
/** Tenths of a paisa, so that sums are exact. */
const EXACT = 1000

type Rows = readonly (readonly SheetCell[])[]

/** The place of the column that only sums lack; undefined if there are none. */
export function sumColumn(fields: readonly Field[], rows: Rows, decimal: '.' | ','): number | undefined {
  const additive = fields.filter(({ concept }) => concept !== undefined && ADDITIVE.has(concept))
  const amounts = additive.filter(({ concept }) => MONEY.has(concept as Concept))
  const needed = amounts.length > 0 ? amounts : additive
  if (needed.length === 0) return undefined
  const numbers = rows.map((cells) =>
    additive.map(({ place }) => {
      const number = numberOf(cells[place] ?? null, decimal)
      return number === undefined ? undefined : Math.round(number * EXACT)
    }),
  )
  const asked = needed.map((field) => additive.indexOf(field))
  for (const concept of ESSENTIAL)
    for (const { place } of fields.filter((field) => field.concept === concept)) {
      const isSum = rows.map((cells) => textOf(cells[place]) === '')
      if (areSums(numbers, isSum, asked) || areSums(numbers.toReversed(), isSum.toReversed(), asked)) return place
    }
  return undefined
}

/** Every marked row has the sums of the rows since the last one, or of all; one of them has at least two rows. */
function areSums(
  rows: readonly (readonly (number | undefined)[])[],
  isSum: readonly boolean[],
  asked: number[],
): boolean {
  const width = rows[0]?.length ?? 0
  const all = new Array<number>(width).fill(0)
  let since = new Array<number>(width).fill(0)
  let [count, most] = [0, 0]
  for (const [at, row] of rows.entries()) {
    if (!isSum[at]) {
      count++
      for (const [i, number] of row.entries()) {
        all[i] = (all[i] as number) + (number ?? 0)
        since[i] = (since[i] as number) + (number ?? 0)
      }
      continue
    }
    const equals = (sums: readonly number[]) =>
      row.every((number, i) => number === undefined || number === sums[i]) && asked.some((i) => row[i])
    if (!(count > 0 && equals(since)) && !equals(all)) return false
    most = Math.max(most, count)
    count = 0
    since = since.map(() => 0)
  }
  return most > 1
}

/**
 * Rows that are sums of at least two rows below or above them by two columns, and lack nothing: groups of a stock summary, or a coincidence.
 */
export function groupRows(
  fields: readonly Field[],
  rows: readonly { line: number; cells: readonly SheetCell[] }[],
  decimal: '.' | ',',
): number[] {
  const additive = fields.filter(({ concept }) => concept !== undefined && ADDITIVE.has(concept))
  const find = (all: typeof rows): number[] => {
    const found: number[] = []
    let since = additive.map(() => 0)
    let count = 0
    for (const { line, cells } of all) {
      const numbers = additive.map(({ place }) => numberOf(cells[place] ?? null, decimal))
      const filled = numbers.flatMap((number, i) => (number ? [[Math.round(number * EXACT), i] as const] : []))
      if (count > 1 && filled.length > 1 && filled.every(([number, i]) => number === since[i])) {
        found.push(line)
        since = additive.map(() => 0)
        count = 0
        continue
      }
      count++
      for (const [number, i] of filled) since[i] = (since[i] as number) + number
    }
    return found
  }
  const [below, above] = [find(rows), find(rows.toReversed()).toReversed()]
  return below.length >= above.length ? below : above
}

/** Sums over the rows so far, and since the last row that was a sum. */
export class RunningSums {
  readonly #additive: readonly Field[]
  readonly #all: number[]
  #since: number[]

  constructor(fields: readonly Field[]) {
    this.#additive = fields.filter(({ concept }) => concept !== undefined && ADDITIVE.has(concept))
    this.#all = this.#additive.map(() => 0)
    this.#since = this.#additive.map(() => 0)
  }

  add(cells: readonly SheetCell[]): void {
    for (const [i, { place }] of this.#additive.entries()) {
      const number = either(cells[place])[0] ?? 0
      this.#all[i] = (this.#all[i] as number) + number
      this.#since[i] = (this.#since[i] as number) + number
    }
  }

  part(): void {
    this.#since = this.#additive.map(() => 0)
  }

  /** The numbers of the row are these sums, one of them at least; people round. */
  equals(cells: readonly SheetCell[]): boolean {
    const found = this.#additive.flatMap(({ place }, i) => {
      const numbers = either(cells[place])
      return numbers.length === 0 ? [] : [{ numbers, all: this.#all[i] as number, since: this.#since[i] as number }]
    })
    const fits = (which: 'all' | 'since') =>
      found.every((one) => one.numbers.some((number) => Math.abs(number - one[which]) <= 1 + Math.abs(number) / 1e5))
    return found.length > 0 && (fits('all') || fits('since'))
  }
}

/** As both decimal signs read it. */
const either = (cell: SheetCell | undefined): number[] =>
  (['.', ','] as const).flatMap((sign) => numberOf(cell ?? null, sign) ?? [])
