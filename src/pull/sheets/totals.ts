/** Sums over the used rows of a sheet, beside the totals that the sheet itself states in rows that are left out. */

import { columnsIn } from './columns-in.js'
import { add, compareDecimals, isDecimal, round, subtract, Total } from './decimal.js'
import { numberIn } from './formats.js'
import type { ColumnName, From, SheetMapping } from './mapping.js'
import { type SheetCell, textOf } from './sheet.js'
import { isTotal } from './total-words.js'
import { columnOf } from './value.js'

export interface ColumnTotal {
  /** The sheet's column. */
  readonly column: ColumnName
  /** Over the rows that are used, as the sheet adds them up: whatever their units and currencies are. */
  readonly sum: string
  /** The same by unit, or by currency, if the rows have several; the unit is empty where a row states none. */
  readonly parts: readonly { readonly unit: string; readonly sum: string }[]
  /** What the sheet states; null if it states no total. */
  readonly stated: string | null
  /** The row that states it, the last one of several. */
  readonly line: number | null
  /** `sum` less `stated`; null if they are equal, or nothing is stated. */
  readonly difference: string | null
}

/** Beyond these, a spreadsheet's own calculation is not exact. */
const DIGITS = 6

/** More units are texts of another kind. */
const MOST_UNITS = 20

interface Column {
  readonly name: ColumnName
  /** The sheet's column with its unit or currency, if the mapping has one. */
  readonly unitColumn: ColumnName | undefined
  /** By unit or currency. */
  readonly byUnit: Map<string, Total>
  /** Heads of documents take a column of the head from one row of each, and sums from all. */
  readonly everyRow: boolean
  readonly all: Total
  /** Since the last row that states a total. */
  since: Total
  /** The sum of stated subtotals. */
  parts: string
  areParts: boolean
  stated: string | undefined
  line: number | undefined
}

export class Totals {
  readonly #columns: readonly Column[]
  readonly #decimal: '.' | ','

  constructor({ entity, columns, formats }: SheetMapping) {
    this.#decimal = formats.decimal
    const every = new Map<ColumnName, { everyRow: boolean; unitColumn: ColumnName | undefined }>()
    const named = (name: string): ColumnName | undefined => {
      const from = columns.get(name)
      return from === undefined ? undefined : columnsIn(from)[0]
    }
    for (const [name, from] of columns) {
      const column = columnOf(entity, name)
      if (column?.sqlType !== 'numeric' || column.measure === 'price' || column.inPercent || NO_SUMS.has(name)) continue
      const unitColumn = named(column.measure === 'amount' || column.isValue ? 'currency' : 'unit')
      for (const one of summable(from))
        every.set(one, { everyRow: every.get(one)?.everyRow === true || 'sum' in from, unitColumn })
    }
    this.#columns = [...every].map(([name, { everyRow, unitColumn }]) => ({
      ...{ name, everyRow, unitColumn, byUnit: new Map(), all: new Total(), since: new Total() },
      ...{ parts: '0', areParts: true },
      ...{ stated: undefined, line: undefined },
    }))
  }

  /** `isHead`: it is the first row of its document, or every row counts. */
  use(at: (column: ColumnName) => SheetCell, isHead: boolean): void {
    for (const { name, everyRow, unitColumn, byUnit, all, since } of this.#columns) {
      if (!isHead && !everyRow) continue
      const cell = at(name)
      const number = this.#number(cell)
      if (number === undefined) continue
      all.add(number)
      since.add(number)
      const unit = this.#unit(cell) || (unitColumn === undefined ? '' : this.#unitText(at(unitColumn)))
      if (byUnit.size < MOST_UNITS || byUnit.has(unit)) byUnit.set(unit, byUnit.get(unit) ?? new Total())
      byUnit.get(unit)?.add(number)
    }
  }

  /** A row that a rule of the mapping leaves out; `text` is the one that the rule is about. */
  leaveOut(line: number, text: string, cells: readonly SheetCell[], at: (column: ColumnName) => SheetCell): void {
    if (this.#columns.length === 0 || !(isTotal(text) || this.#sums(cells))) return
    for (const column of this.#columns) {
      const number = this.#number(at(column.name))
      if (number === undefined) continue
      const isPart = same(number, column.since.toString())
      if (isPart) column.parts = add(column.parts, number)
      else if (!same(number, column.all.toString())) column.areParts = false
      column.stated = add(number, '0') // without zeros at its end
      column.line = line
      column.since = new Total()
    }
  }

  result(): ColumnTotal[] {
    return this.#columns.map(({ name, byUnit, all, parts: subtotals, areParts, stated, line }) => {
      const sum = all.toString()
      const parts =
        byUnit.size < 2 || byUnit.size >= MOST_UNITS
          ? []
          : [...byUnit].map(([unit, total]) => ({ unit, sum: total.toString() }))
      if (stated === undefined || line === undefined)
        return { column: name, sum, parts, stated: null, line: null, difference: null }
      // Subtotals alone: together, they state the total.
      const whole = same(stated, sum) || !areParts ? stated : subtotals
      return {
        column: name,
        sum,
        parts,
        stated: whole,
        line,
        difference: same(whole, sum) ? null : subtract(sum, whole),
      }
    })
  }

  /** Nothing but numbers, and maybe a label such as Total. */
  #sums(cells: readonly SheetCell[]): boolean {
    return cells.every((cell) => {
      const text = textOf(cell)
      return text === '' || isTotal(text) || this.#number(cell) !== undefined
    })
  }

  /** The unit or currency that the cell states. */
  #unit(cell: SheetCell): string {
    if (cell === null) return ''
    if (typeof cell === 'object') return 'value' in cell ? (cell.unit ?? cell.currency ?? '') : ''
    const found = numberIn(textOf(cell), this.#decimal)
    return found?.unit ?? found?.currency ?? ''
  }

  /** In a column of units, or in a quantity with its unit. */
  #unitText(cell: SheetCell): string {
    return this.#unit(cell) || (typeof cell === 'string' ? textOf(cell) : '')
  }

  #number(cell: SheetCell): string | undefined {
    if (cell === null) return undefined
    const text = textOf(cell)
    if (typeof cell === 'string') return text === '' ? undefined : numberIn(text, this.#decimal)?.number
    return 'fault' in cell || !isDecimal(text) ? undefined : text
  }
}

/** Numeric columns of which a sum means nothing. */
const NO_SUMS = new Set(['factor', 'divisor', 'exchange_rate', 'reorder_level', 'approval_limit'])

const same = (a: string, b: string): boolean => compareDecimals(round(a, DIGITS), round(b, DIGITS)) === 0

/** Columns of a calculation that are added; a product's factors are not. */
function summable(from: From): ColumnName[] {
  if ('constant' in from || 'count' in from || 'text' in from || 'code' in from) return []
  const calculation = 'sum' in from ? from.sum : 'calc' in from ? from.calc : undefined
  if (calculation === undefined) return columnsIn(from)
  return calculation.flatMap(({ factors }) => (factors.length === 1 ? factors : []))
}
