/** The widths of a table's columns: as their texts need, as the view has room, or as the user dragged them. */
import { type Flat, isNumeric, type Row, type ValueColumn, valueIn } from '../catalogue.js'
import { account } from '../company.js'
import { CHANGE } from '../differences.js'
import { formatted, fractionOf, trimmed } from '../numbers.js'
import { currencySign, headingOf, isAccountMoney, leastDigits, ownCurrency, shownText } from '../people.js'
import { grouping } from '../preferences.js'
import { COMPARED_SUMS, comparedSum, type Sum, sumOf } from './sums.js'

/** Extra padding at the left of the first column. */
export const EDGE = 14
export const NARROWEST = 72
const WIDEST = 300
/** The width of the plus before a change. */
const PLUS = 9
/** Padding of a cell, both sides together. */
const PADDING = 24
/** Padding of a word with a colour. */
const BADGE = 12
/** Below these widths, columns of text are not made narrower to fit into the view; the first column names the row. */
const LEAST_TEXT = 120
const LEAST_FIRST = 168

let context: CanvasRenderingContext2D | null | undefined
/** Width of text in the table's font. */
export function measure(text: string, weight: number): number {
  context ??= document.createElement('canvas').getContext('2d')
  if (context === null || context === undefined) return text.length * 7.5
  context.font = `${weight} 13px ${getComputedStyle(document.body).fontFamily}`
  return context.measureText(text).width
}

/** What the rows seen so far need of a column. It only grows, so that scrolling does not move the columns to and fro. */
export interface Need {
  width: number
  /** Fraction digits of the longest number, to align the points. */
  digits: number
}

/** The number of a cell as it is shown; undefined for any other value. */
function numberIn({ column, path }: Flat, row: Row): string | undefined {
  const value = valueIn(row, path)
  return value === null || value === undefined || value === ''
    ? undefined
    : trimmed(String(value), leastDigits(column as ValueColumn, row))
}

/** The fraction digits of a column's longest number. */
export const digitsIn = (flat: Flat, rows: readonly Row[]): number =>
  isNumeric(flat.column) ? Math.max(0, ...rows.map((row) => fractionOf(numberIn(flat, row) ?? '').length)) : 0

function headingWidth(flat: Flat): number {
  const sign = isAccountMoney(flat) ? ` ${currencySign(account.value?.currency) ?? ''}` : ''
  return Math.min(176, measure(headingOf(flat) + sign, 600) + 34) // with the button of its menu
}

/** Widens the need of a column for these rows: every digit of a number is shown, and texts up to a limit. */
export function widen(need: Need, flat: Flat, rows: readonly Row[]): void {
  const { column, path } = flat
  if (column.kind === 'lines') return
  if (!isNumeric(column)) {
    const texts = rows.map((row) => shownText(String(valueIn(row, path) ?? ''), column))
    const longest = Math.max(0, ...texts.map((text) => measure(text, 400)))
    const around = PADDING + (column.kind === 'word' ? BADGE : 0)
    need.width = Math.ceil(Math.max(need.width, Math.min(WIDEST, longest + around)))
    return
  }
  need.digits = Math.max(need.digits, digitsIn(flat, rows))
  const longest = rows.reduce((most, row) => {
    const own = ownCurrency(column, row)
    const text = withDigits(numberIn(flat, row) ?? '', need.digits)
    const shown = own === undefined ? text : `${own} ${text}`
    return shown.length > most.length ? shown : most
  }, '')
  // Digits are equally wide.
  need.width = Math.ceil(Math.max(need.width, measure(longest, 400) + PADDING + (flat.change === undefined ? 0 : PLUS)))
}

/** The number with room for this many fraction digits. */
function withDigits(number: string, digits: number): string {
  const text = formatted(number, grouping.value)
  const missing = digits - fractionOf(number).length
  return missing <= 0 || text === '' ? text : `${text}${number.includes('.') ? '' : '.'}${'0'.repeat(missing)}`
}

/** The need of a column before any row is seen. */
export const firstNeed = (flat: Flat): Need => ({
  width: Math.ceil(flat.column.kind === 'lines' ? 96 : Math.max(NARROWEST, headingWidth(flat))),
  digits: 0,
})

/** The width that the sum of a column needs. */
export function totalWidth(flat: Flat, totals: Row | undefined, digits: number): number {
  if (totals === undefined || !isNumeric(flat.column)) return 0
  const sum = sumOf(totals, flat)
  const compared = COMPARED_SUMS.flatMap(([part]) => comparedSum(totals, flat, part) ?? [])
  const least = leastDigits(flat.column as ValueColumn)
  const widthOf = ({ lines, text }: Sum) =>
    Math.max(...(lines ?? [withDigits(trimmed(text, least), digits)]).map((one) => measure(one, 600))) + PADDING
  if (sum !== undefined) return widthOf(sum)
  return Math.max(0, ...compared.map((one) => widthOf(one) + PLUS))
}

export interface Widths {
  readonly widths: readonly number[]
  /** Where each column begins. */
  readonly lefts: readonly number[]
  readonly full: number
  /** For `grid-template-columns`. */
  readonly template: string
}

interface Room {
  /** Widths that the user set. */
  readonly set: Readonly<Record<string, number>>
  readonly totals: Row | undefined
  /** The label of the totals, in the first column. */
  readonly label: string
  /** Width of the view. */
  readonly view: number
}

export function widthsOf(
  shown: readonly Flat[],
  needs: ReadonlyMap<string, Need>,
  { set, totals, label, view }: Room,
): Widths {
  const natural = shown.map((flat, at) => {
    const need = needs.get(flat.name)
    const least = at > 0 || totals === undefined ? NARROWEST : Math.min(LEAST_FIRST, measure(label, 600) + PADDING)
    const own = Math.max(least, need?.width ?? 0, totalWidth(flat, totals, need?.digits ?? 0))
    return Math.ceil(set[flat.name] ?? own) + (at === 0 ? EDGE : 0)
  })
  const widths = fitted(natural, shown, set, view)
  return {
    widths,
    lefts: widths.map((_, at) => widths.slice(0, at).reduce((sum, width) => sum + width, 0)),
    full: widths.reduce((sum, width) => sum + width, 0),
    template: widths.map((width) => `${width}px`).join(' '),
  }
}

/** Makes columns of text narrower, the widest first, until all columns are in view or none can be narrower. */
function fitted(
  natural: readonly number[],
  shown: readonly Flat[],
  set: Readonly<Record<string, number>>,
  view: number,
): readonly number[] {
  const widths = [...natural]
  const naming = shown[0]?.name === CHANGE ? 1 : 0
  const least = shown.map((flat, at) => {
    const { name, column } = flat
    return set[name] !== undefined || column.kind !== 'text'
      ? (natural[at] as number)
      : Math.min(natural[at] as number, at === naming ? LEAST_FIRST + EDGE : Math.max(LEAST_TEXT, headingWidth(flat)))
  })
  let over = widths.reduce((sum, width) => sum + width, 0) - view
  while (over > 0) {
    const spare = widths.map((width, at) => width - (least[at] as number))
    const widest = widths.reduce((most, width, at) => ((spare[at] as number) > 0 ? Math.max(most, width) : most), 0)
    const taken = widths.flatMap((width, at) => ((spare[at] as number) > 0 && width === widest ? [at] : []))
    if (taken.length === 0) break
    const next = Math.max(0, ...widths.filter((width, at) => width < widest && (spare[at] as number) > 0))
    const step = Math.max(
      1,
      Math.min(widest - next, Math.ceil(over / taken.length), ...taken.map((at) => spare[at] as number)),
    )
    for (const at of taken) widths[at] = (widths[at] as number) - step
    over -= step * taken.length
  }
  return widths
}
