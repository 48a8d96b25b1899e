/** The sums under a table. */
import { type Flat, type Row, valueIn } from '../catalogue.js'
import { counted } from '../labels.js'
import { formatted, grouped, withoutZeros } from '../numbers.js'
import { grouping } from '../preferences.js'
import { withoutCancelled } from './answer.js'

export interface Sum {
  readonly text: string
  /** The sums in each unit, one line each. */
  readonly lines?: readonly string[]
  /** The whole sum, where the cell shows only a part of it. */
  readonly title?: string
  /** Whether the text is one number. */
  readonly isNumber: boolean
}

/** Sums in more units than this are only counted; the title lists them. */
const UNITS_IN_CELL = 2

/** The sum of a column; undefined if it has none. A quantity in several units has a sum in each. */
export function sumOf(totals: Row, { path, name, column }: Flat, part = ''): Sum | undefined {
  const value = valueIn(totals, [...path.slice(0, -1), `${path.at(-1)}${part}`])
  if (value !== undefined && value !== null) return { text: String(value), isNumber: true }
  if (!('unit' in column) || column.unit === undefined || value === undefined) return undefined
  const byUnit = (totals['_by_unit'] ?? []) as readonly Row[]
  const parts = byUnit.flatMap((row) => {
    const sum = row[`${name}${part}`]
    return sum === null || sum === undefined ? [] : [`${short(String(sum))} ${row['unit'] ?? ''}`.trim()]
  })
  const title = parts.join(' + ')
  const lines = parts.length > UNITS_IN_CELL ? [`in ${parts.length} units`] : parts
  return { text: lines.join(' + '), lines, title, isNumber: false }
}

const short = (sum: string) => formatted(withoutZeros(sum), grouping.value)

/** Such as `Total of 138 rows, without 3 cancelled`. */
export function sumsLabel(totals: Row | undefined, total: number): string {
  const rows = counted(grouped(String(totals?.['rows'] ?? total), grouping.value), 'row')
  const cancelled = withoutCancelled(totals === undefined ? [] : [totals])
  return `Total of ${rows}${cancelled === undefined ? '' : `, ${cancelled}`}`
}

/** The parts of a compared sum, by the end of its name in the totals. */
export const COMPARED_SUMS = [
  ['__before', 'Sum before'],
  ['__after', 'Sum after'],
  ['__difference', 'Difference'],
] as const

type Part = (typeof COMPARED_SUMS)[number][0]

/** A part of the sum of a column; undefined if the column has none. */
export const comparedSum = (totals: Row, flat: Flat, part: Part): Sum | undefined => sumOf(totals, flat, part)

/** Such as `Sum before, without 3 cancelled`. */
export function comparedLabel(totals: Row, [part, label]: (typeof COMPARED_SUMS)[number]): string {
  const cancelled =
    part === '__difference' ? undefined : withoutCancelled([{ _cancelled: totals[`_cancelled${part}`] }])
  return cancelled === undefined ? label : `${label}, ${cancelled}`
}
