/**
 * The totals under a table of a workbook: exact sums, each with the formula that computes it again. Cancelled documents do not count,
 * quantities of different units are not added up, and a cell says so where a reader would expect the sum.
 */
import type { ValueColumn } from '../kernel/report/columns.js'
import { mostDigits } from '../kernel/report/fields.js'
import type { Shape } from '../kernel/report/report.js'
import { Sum } from './sum.js'
import type { Table, TableColumn } from './table.js'
import { escaped, holds, letterOf, numberCode, type Styles, textCell } from './xlsx-cells.js'

/** A column that is added up. */
interface Added {
  readonly at: number
  readonly digits: number
  readonly style: number
  /** The column of the unit; undefined for an amount, -1 if the table does not have it. */
  readonly unitAt: number | undefined
  /** The sums of the documents that count, and of the cancelled ones, by unit; an amount has one unit, the empty text. */
  readonly sums: Map<string, Sum>
  readonly cancelled: Map<string, Sum>
  /** Whether a cell is text because a double does not hold its number: formulas would leave it out. */
  hasText: boolean
}

/** A cell: its column, and its attributes and content. */
type Placed = readonly [at: number, inside: string]
export type TotalsRow = readonly Placed[]

/** A number of fewer characters has at most 15 digits. */
const SURELY_HELD = 16

export class Totals {
  readonly #added: readonly Added[]
  readonly #labelAt: number
  readonly #isOfLines: boolean
  readonly #bold: number
  readonly #state: Shape['cancelled']
  /** The column of the state; -1 if the table does not have it. */
  readonly #stateAt: number
  #left = 0

  constructor({ columns, list }: Table, cancelled: Shape['cancelled'], styles: Styles) {
    this.#isOfLines = list !== undefined
    this.#bold = styles.bold
    this.#added = columns.flatMap((found, at) =>
      found.column.additive && found.ofLine === this.#isOfLines ? [addedOf(found, at, columns, styles)] : [],
    )
    const isAdded = new Set(this.#added.map(({ at }) => at))
    this.#labelAt = [...columns.keys(), columns.length].find((at) => !isAdded.has(at)) as number
    this.#state = cancelled
    this.#stateAt = columns.findIndex(({ name, ofLine }) => !ofLine && name === cancelled?.field)
  }

  add(row: readonly unknown[]): void {
    const isCancelled = this.#state !== undefined && row[this.#stateAt] === this.#state.is
    if (isCancelled) this.#left++
    for (const added of this.#added) {
      const value = row[added.at]
      if (value === null || value === undefined) continue
      const text = value as string
      if (text.length > SURELY_HELD && !holds(text)) added.hasText = true
      const unit = added.unitAt === undefined ? '' : ((row[added.unitAt] ?? '') as string)
      const sums = isCancelled ? added.cancelled : added.sums
      const sum = sums.get(unit) ?? new Sum(added.digits)
      if (!sums.has(unit)) sums.set(unit, sum)
      sum.add(text)
    }
  }

  /** The rows below a table whose rows end at `last`. `part` is added to labels if the table has a part of the report only. */
  rows(last: number, part: string): TotalsRow[] {
    if (this.#added.length === 0 || last < 2) return []
    if (this.#state !== undefined && this.#stateAt < 0)
      return [
        [this.#label(`No totals: add ${this.#state.field} to the fields, because cancelled documents do not count`)],
      ]
    const lines = `${this.#left === 1 ? 'line' : 'lines'} of cancelled documents`
    const left = `${this.#left.toLocaleString('en')} ${this.#isOfLines ? lines : 'cancelled'}`
    const [shown, counted] = [this.#shown(last), this.#left === 0 ? [] : this.#counted(last)]
    const rows: TotalsRow[] =
      this.#left === 0
        ? [[this.#label(`Total of the rows shown${part}`), ...shown]]
        : [
            [this.#label(`Total without ${left}${part}`), ...counted],
            [this.#label(`Rows shown, cancelled included${part}`), ...shown],
          ]
    return [...rows, ...this.#byUnit(last, part)]
  }

  #label = (text: string): Placed => [this.#labelAt, textCell(text, undefined, this.#bold)]

  /** The sums of the rows that a filter of the spreadsheet leaves. */
  #shown(last: number): Placed[] {
    return this.#added.map((added) => {
      const all = new Map(added.sums)
      for (const [unit, sum] of added.cancelled) all.set(unit, both(added.digits, sum, all.get(unit)))
      return this.#total(added, all, `SUBTOTAL(109,${rangeOf(added.at, last)})`)
    })
  }

  /** The sums of the documents that count. */
  #counted(last: number): Placed[] {
    return this.#added.map((added) => this.#total(added, added.sums, this.#sumIf(added.at, last)))
  }

  #total(added: Added, sums: ReadonlyMap<string, Sum>, formula: string | undefined): Placed {
    const { at, digits, unitAt } = added
    if (unitAt === -1) return [at, textCell('unit not shown', undefined, this.#bold)]
    if (sums.size > 1) return [at, textCell('several units', undefined, this.#bold)]
    const [sum = new Sum(digits)] = sums.values()
    return this.#sum(added, sum, formula)
  }

  #sum({ at, style, hasText }: Added, sum: Sum, formula: string | undefined): Placed {
    if (hasText) return [at, textCell(String(sum), undefined, this.#bold)]
    return [at, ` s="${style}">${formula === undefined ? '' : `<f>${escaped(formula)}</f>`}<v>${sum}</v>`]
  }

  /** The sums of each unit; no rows if every quantity has one unit. */
  #byUnit(last: number, part: string): TotalsRow[] {
    const quantities = this.#added.filter(({ unitAt }) => unitAt !== undefined && unitAt >= 0)
    if (quantities.every(({ sums, cancelled }) => new Set([...sums.keys(), ...cancelled.keys()]).size < 2)) return []
    const units = [...new Set(quantities.flatMap(({ sums }) => [...sums.keys()]))].sort()
    const head = this.#left === 0 ? 'Total of each unit' : 'Total of each unit without cancelled'
    return [
      [this.#label(`${head}, of all rows${part}`)],
      ...units.map(
        (unit): TotalsRow => [
          this.#label(unit === '' ? 'no unit' : unit),
          ...quantities.flatMap((added) => {
            const sum = added.sums.get(unit)
            if (sum === undefined) return []
            return [this.#sum(added, sum, this.#sumIf(added.at, last, added.unitAt, unit, units))]
          }),
        ],
      ),
    ]
  }

  /** The formula of a sum without cancelled documents, of one unit if there is one. */
  #sumIf(at: number, last: number, unitAt?: number, unit = '', units: readonly string[] = []): string | undefined {
    const [sum, unitRange] = [rangeOf(at, last), unitAt === undefined ? undefined : rangeOf(unitAt, last)]
    const [state, is] = [this.#left === 0 ? undefined : rangeOf(this.#stateAt, last), this.#state?.is ?? '']
    if (unitRange !== undefined && !isWord(unit, units)) {
      if (unit.length > LONGEST_LITERAL) return undefined
      const conditions = [`EXACT(${unitRange},${literal(unit)})`]
      if (state !== undefined) conditions.push(`(${state}<>${literal(is)})`)
      return `SUMPRODUCT(${conditions.map((condition) => `--${condition}`).join(',')},${sum})`
    }
    const conditions = [
      ...(unitRange === undefined ? [] : [unitRange, literal(unit)]),
      ...(state === undefined ? [] : [state, literal(`<>${is}`)]),
    ]
    return `SUMIFS(${[sum, ...conditions].join(',')})`
  }
}

function addedOf({ column, ofLine }: TableColumn, at: number, columns: readonly TableColumn[], styles: Styles): Added {
  const { unit } = column
  const isUnit = (other: TableColumn) => other.ofLine === ofLine && other.path.join('_') === unit
  return {
    ...{ at, digits: digitsOf(column), unitAt: unit === undefined ? undefined : columns.findIndex(isUnit) },
    ...{ style: styles.of(numberCode(column)) + styles.bold, sums: new Map(), cancelled: new Map(), hasText: false },
  }
}

const digitsOf = (column: ValueColumn): number => ('digits' in column ? mostDigits(column) : 0)

function both(digits: number, one: Sum, other: Sum | undefined): Sum {
  const sum = new Sum(digits)
  sum.addSum(one)
  if (other !== undefined) sum.addSum(other)
  return sum
}

const rangeOf = (at: number, last: number): string => `${letterOf(at)}2:${letterOf(at)}${last}`

const LONGEST_LITERAL = 255
const literal = (text: string): string => `"${text.replaceAll('"', '""')}"`

/** Whether SUMIFS finds this unit only: it reads wildcards, operators and numbers in its conditions, and ignores case. */
const isWord = (unit: string, units: readonly string[]): boolean =>
  /^\p{L}[\p{L}\p{N} .%/-]{0,99}$/u.test(unit) &&
  !/^(true|false)$/i.test(unit) &&
  units.every((other) => other === unit || other.toLowerCase() !== unit.toLowerCase())
