/** The widths of a table's columns: as their texts need, or as the user dragged them. */
import { type Flat, isNumeric, type Row, valueIn } from '../catalogue.js'
import { formatted } from '../numbers.js'
import { type Arrangement, grouping } from '../preferences.js'
import { headingOf } from './group-words.js'
import { sumOf } from './sums.js'

/** Extra padding at the left of the first column. */
export const EDGE = 14
export const NARROWEST = 72
const WIDEST = 300
/** Padding of a cell, both sides together. */
const PADDING = 24

let context: CanvasRenderingContext2D | null | undefined
/** Width of text in the table's font. */
export function measure(text: string, weight: number): number {
  context ??= document.createElement('canvas').getContext('2d')
  if (context === null || context === undefined) return text.length * 7.5
  context.font = `${weight} 13px ${getComputedStyle(document.body).fontFamily}`
  return context.measureText(text).width
}

/** The width that the label and the first rows of a column need. */
export function naturalWidth(flat: Flat, sample: readonly Row[]): number {
  const { column, path } = flat
  if (column.kind === 'lines') return 96
  const label = Math.min(160, measure(headingOf(flat), 600) + 34) // with the button of its menu
  const longest = sample.reduce((most, row) => {
    const value = valueIn(row, path)
    if (value === null || value === undefined) return most
    const text = isNumeric(column) ? formatted(String(value), grouping.peek()) : String(value)
    return Math.max(most, measure(text, 400))
  }, 0)
  return Math.ceil(Math.min(isNumeric(column) ? Infinity : WIDEST, Math.max(NARROWEST, label, longest + PADDING)))
}

/** Widens the columns of numbers for rows that came into view, because every digit of a number is shown. */
export function widen(natural: Map<string, number>, columns: readonly Flat[], rows: readonly Row[]): void {
  for (const { name, path } of columns.filter(({ column }) => isNumeric(column))) {
    const longest = rows.reduce((most, row) => {
      const text = formatted(String(valueIn(row, path) ?? ''), grouping.value)
      return text.length > most.length ? text : most
    }, '')
    // Digits are equally wide.
    natural.set(name, Math.max(natural.get(name) ?? 0, Math.ceil(measure(longest, 400) + PADDING)))
  }
}

/** The width that the sum of a column needs. */
export function totalWidth(flat: Flat, totals: Row | undefined): number {
  const sum = totals === undefined || !isNumeric(flat.column) ? undefined : sumOf(totals, flat)
  if (sum === undefined) return 0
  return measure(sum.isNumber ? formatted(sum.text, grouping.value) : sum.text, 600) + PADDING
}

export interface Widths {
  readonly widths: readonly number[]
  /** Where each column begins. */
  readonly lefts: readonly number[]
  readonly full: number
  /** For `grid-template-columns`. */
  readonly template: string
}

export function widthsOf(
  shown: readonly Flat[],
  natural: ReadonlyMap<string, number>,
  arrangement: Arrangement,
  { totals, label, view }: { totals: Row | undefined; label: string; view: number },
): Widths {
  // Unless the user set its width, the first column has room for the label of the totals.
  const least = (at: number) => (at > 0 || totals === undefined ? NARROWEST : measure(label, 600) + PADDING)
  // On a phone the first column leaves room for the others.
  const most = (at: number) => (at === 0 && view < 500 ? view * 0.4 : Infinity)
  const widths = shown.map((flat, at) => {
    const own = Math.ceil(Math.max(least(at), natural.get(flat.name) ?? 0, totalWidth(flat, totals)))
    return Math.min(most(at), (arrangement.widths[flat.name] ?? own) + (at === 0 ? EDGE : 0))
  })
  return {
    widths,
    lefts: widths.map((_, at) => widths.slice(0, at).reduce((sum, width) => sum + width, 0)),
    full: widths.reduce((sum, width) => sum + width, 0),
    template: widths.map((width) => `${width}px`).join(' '),
  }
}
