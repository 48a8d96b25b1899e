/** Finds the rows with the names of the columns among the first rows of a sheet. */

import { type SheetCell, type SheetRow, textOf } from '../sheet.js'
import { isUnitOnly, plainHeading } from './meaning.js'
import { GROUPS, MEANINGS } from './words.js'

export interface HeaderRows {
  readonly first: number
  readonly last: number
}

const LONGEST_LABEL = 60

/** A text that may name a column: not a number and not a date. */
export function isLabel(cell: SheetCell | undefined): boolean {
  const text = textOf(cell)
  return (
    typeof cell === 'string' &&
    text.length <= LONGEST_LABEL &&
    /\p{L}/u.test(text) &&
    !isDateLike(text) &&
    !/^[\d(₹$€£-]/.test(text)
  )
}

const isDateLike = (text: string): boolean => /^\d{1,4}[-/. ](\d{1,2}|\p{L}{3,9})[-/. ]\d{2,4}\b/u.test(text)

const filledIn = ({ cells }: SheetRow): number[] => cells.flatMap((cell, at) => (textOf(cell) === '' ? [] : at))
const isKnown = (cell: SheetCell | undefined): boolean => isLabel(cell) && MEANINGS.has(plainHeading(textOf(cell)))
const isGroup = (cell: SheetCell | undefined): boolean =>
  isLabel(cell) && Object.values(GROUPS).some((words) => words.includes(plainHeading(textOf(cell))))

/** Undefined if no row looks like a header. */
export function findHeader(rows: readonly SheetRow[]): HeaderRows | undefined {
  let best: { at: number; score: number } | undefined
  for (const [at, row] of rows.entries()) {
    const filled = filledIn(row)
    const labels = filled.filter((place) => isLabel(row.cells[place]))
    if (labels.length < 2 || at === rows.length - 1) continue
    const known = labels.filter((place) => isKnown(row.cells[place])).length
    const score = labels.length + 2 * known - 2 * (filled.length - labels.length)
    if (score >= 2 && (best === undefined || score > best.score)) best = { at, score }
  }
  if (best === undefined) return undefined
  let [first, last] = [best.at, best.at]
  while (first > 0 && last - first < 3 && isAbove(rows[first - 1] as SheetRow, rows[first] as SheetRow)) first--
  if (last - first < 3 && last + 2 < rows.length && isBelow(rows[last + 1] as SheetRow, rows[last] as SheetRow)) last++
  else if (last - first < 3 && last + 2 < rows.length && isOfUnits(rows[last + 1] as SheetRow, rows[last] as SheetRow))
    last++
  return { first: (rows[first] as SheetRow).line, last: (rows[last] as SheetRow).line }
}

/** The places of headings that stand in several columns. */
function repeatedIn({ cells }: SheetRow): number[] {
  const own = cells.map((cell) => plainHeading(textOf(cell)))
  return own.flatMap((text, at) => (text !== '' && own.indexOf(text) !== own.lastIndexOf(text) ? at : []))
}

/** Groups of columns, or headings over both rows. */
function isAbove(row: SheetRow, header: SheetRow): boolean {
  const filled = filledIn(row)
  if (row.line !== header.line - 1 || filled.length < 2 || !filled.every((at) => isLabel(row.cells[at]))) return false
  if (repeatedIn(header).length > 0) return true
  if (filled.some((at) => isGroup(row.cells[at]) && textOf(header.cells[at]) !== '')) return true
  // Party stands over both rows, beside Invoice over No and Date.
  const [over, alone] = [true, false].map((has) => filled.filter((at) => (textOf(header.cells[at]) !== '') === has))
  return (over?.length ?? 0) > 0 && (alone?.some((at) => isKnown(row.cells[at])) ?? false)
}

/** Units and currencies under the names: Qty over Kgs, Amount over Rs. */
function isOfUnits(row: SheetRow, header: SheetRow): boolean {
  const filled = filledIn(row)
  return (
    row.line === header.line + 1 &&
    filled.length > 0 &&
    filled.length < filledIn(header).length &&
    filled.every((at) => isUnitOnly(textOf(row.cells[at])) && textOf(header.cells[at]) !== '')
  )
}

/** Names of columns under the groups above, or the second line of headings: Invoice and Invoice over No and Date. */
function isBelow(row: SheetRow, header: SheetRow): boolean {
  const filled = filledIn(row)
  const isUnit = (at: number) => isUnitOnly(textOf(row.cells[at]))
  if (row.line !== header.line + 1 || filled.length < 2) return false
  if (!filled.every((at) => isLabel(row.cells[at]) || isUnit(at))) return false
  const isName = (at: number) =>
    isKnown(row.cells[at]) || MEANINGS.has(plainHeading(`${textOf(header.cells[at])} ${textOf(row.cells[at])}`))
  const known = filled.filter((at) => isName(at) || isUnit(at)).length
  const repeated = repeatedIn(header)
  const goesOn = (at: number) => textOf(header.cells[at]) === '' || (repeated.includes(at) && isName(at))
  return known * 2 >= filled.length && filled.some(goesOn)
}
