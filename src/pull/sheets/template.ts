/** Texts made of several columns: `{Voucher}/{Date|year}`. */
import { MillbookError } from '../../errors.js'

export type Template = readonly (string | Piece)[]

export type Piece =
  /** The text of a cell, or its date, or the year of its date. */
  | { readonly column: string; readonly part: 'text' | 'date' }
  | { readonly column: string; readonly part: 'year'; readonly begins: number }
  /** The number of the row among rows with the same text. */
  | { readonly nth: true }
  | { readonly sheet: true }

export function readTemplate(where: string, given: string, yearBegins: number): Template {
  const pieces = given.split(/(\{[^{}]*\})/).filter((piece) => piece !== '')
  if (pieces.some((piece) => /[{}]/.test(piece.replace(/^\{[^{}]*\}$/, ''))))
    throw new MillbookError(`${where} has a { or } without its other half`)
  const read = pieces.map((piece): string | Piece => {
    if (!piece.startsWith('{')) return piece
    const [column = '', part = 'text', ...more] = piece.slice(1, -1).split('|')
    if (piece === '{#}') return { nth: true }
    if (piece === '{#sheet}') return { sheet: true }
    if (column === '' || more.length > 0 || !['text', 'date', 'year'].includes(part))
      throw new MillbookError(`${where}: write ${piece} as {Column}, {Column|date}, {Column|year}, {#} or {#sheet}`)
    return part === 'year' ? { column, part, begins: yearBegins } : { column, part: part as 'text' | 'date' }
  })
  if (!read.some((piece) => typeof piece !== 'string')) throw new MillbookError(`${where} names no column in { }`)
  return read
}

/** 2026, or 2025-26 if the year does not begin in January. `day` is a date as in an import. */
export function yearOf(day: string, begins: number): string {
  const [year = 0, month = 0] = day.split('-').map(Number)
  if (begins === 1) return String(year)
  const first = month >= begins ? year : year - 1
  return `${first}-${String((first + 1) % 100).padStart(2, '0')}`
}

/** The columns that it names. */
export const columnsInTemplate = (template: Template): string[] =>
  template.flatMap((piece) => (typeof piece === 'object' && 'column' in piece ? piece.column : []))
