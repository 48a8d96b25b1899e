/** Columns of one meaning, such as Qty in pieces and Qty in kilograms: the rows tell which of them is meant. */
import { numberIn } from '../formats.js'
import { type SheetCell, textOf } from '../sheet.js'
import type { Field } from './field.js'
import { plainHeading } from './meaning.js'
import type { Doubt } from './proposal.js'
import type { Concept } from './words.js'

/** Price and amounts of a line: quantity times price is one of the amounts. */
const PRICES: readonly Concept[] = ['rate', 'cost']
const AMOUNTS: readonly Concept[] = ['amount', 'sub_total', 'total']
/** Amounts may be rounded to whole rupees. */
const CLOSE = 0.01
/** Of the rows with all three numbers, the part in which the product must be the amount. */
const MOST = 0.8

export class Rivals {
  readonly #columns: readonly Field[]
  readonly #prices: readonly Field[]
  readonly #amounts: readonly Field[]
  /** By column: rows in which it times the price is the amount. */
  readonly #fits: number[]
  #compared = 0
  #differ = false

  /** `columns` are the ones of one meaning, the first one first; `fields` are all columns of the table. */
  constructor(columns: readonly Field[], fields: readonly Field[]) {
    const withConcept = (concepts: readonly Concept[]) =>
      fields.filter(({ meaning }) => meaning !== undefined && concepts.includes(meaning))
    this.#columns = columns
    this.#prices = withConcept(PRICES)
    this.#amounts = withConcept(AMOUNTS)
    this.#fits = columns.map(() => 0)
  }

  note(cells: readonly SheetCell[]): void {
    const numbers = (fields: readonly Field[]) => fields.map(({ place }) => numbersOf(cells[place] ?? null))
    const [own, prices, amounts] = [numbers(this.#columns), numbers(this.#prices).flat(), numbers(this.#amounts).flat()]
    const [first, ...others] = this.#columns.map(({ place }) => textOf(cells[place]))
    if (others.some((text) => text !== first)) this.#differ = true
    if (prices.length === 0 || amounts.length === 0 || own.some((one) => one.length === 0)) return
    this.#compared++
    for (const [at, quantities] of own.entries())
      if (quantities.some((qty) => prices.some((price) => amounts.some((amount) => isClose(qty * price, amount)))))
        this.#fits[at] = (this.#fits[at] ?? 0) + 1
  }

  /** The column that the table means, and what there is to say about it; the first one if all have the same cells. */
  get choice(): { field: Field; doubts: readonly Doubt[] } {
    const [first] = this.#columns as readonly [Field]
    const are =
      new Set(this.#columns.map(({ heading }) => plainHeading(heading))).size === 1
        ? 'have the same name'
        : 'are both quantities'
    const names = this.#columns.map(({ letter }) => letter).join(' and ')
    const filled = this.#columns.filter(({ evidence }) => evidence.filled > 0 && !evidence.contradicts('qty'))
    if (!this.#differ || filled.length < 2) return { field: filled[0] ?? first, doubts: [] }
    const fitting = this.#columns.filter((_, at) => (this.#fits[at] as number) >= Math.max(1, MOST * this.#compared))
    const [only] = fitting
    if (only !== undefined && fitting.length === 1)
      return {
        field: only,
        doubts: [
          {
            reason: `columns ${names} ${are}; ${only.letter} was taken, which times the price is the amount in the rows`,
          },
        ],
      }
    return {
      field: first,
      doubts: [
        {
          reason: `columns ${names} ${are}, and the rows do not tell which one is meant; ${first.letter} was taken, as ${first.name}`,
          needed: true,
        },
      ],
    }
  }
}

/** The quantities of a table that stand in several columns: Qty twice, or Actual Qty and Billed Qty. */
export function rivalsIn(fields: readonly Field[]): Rivals | undefined {
  const columns = fields.filter(({ meaning }) => meaning === 'qty')
  return columns.length > 1 ? new Rivals(columns, fields) : undefined
}

const isClose = (product: number, amount: number): boolean =>
  amount !== 0 && Math.abs(product - amount) <= CLOSE * Math.abs(amount)

/** As both decimal signs read it. */
function numbersOf(cell: SheetCell): number[] {
  if (cell !== null && typeof cell === 'object' && 'value' in cell) return [Number(cell.value)].filter(Number.isFinite)
  const text = textOf(cell)
  return (['.', ','] as const).flatMap((sign) => {
    const found = numberIn(text, sign)
    return found === undefined ? [] : Number(found.number)
  })
}
