/**
 * Raw values for other programs: numbers without grouping, days as YYYY-MM-DD, tabs between cells, and an apostrophe before a text that
 * a spreadsheet would run as a formula, as in CSV.
 */
import { withoutFormula } from '../../../src/formula-text.js'
import { objectWords } from '../../../src/object-words.js'
import { type Flat, type Row, valueIn } from '../catalogue.js'

export function rawValue(row: Row, { column, path }: Pick<Flat, 'column' | 'path'>): string {
  const value = valueIn(row, path)
  if (value === null || value === undefined) return ''
  if (column.kind === 'lines') return String((value as unknown[]).length)
  if (column.kind === 'object') return objectWords(value as Record<string, unknown>)
  const text = Array.isArray(value) ? value.join(', ') : String(value)
  return ['text', 'word', 'list'].includes(column.kind) ? withoutFormula(text) : text
}

/** A spreadsheet needs quotes around a cell with a tab or a line break, and takes a cell that begins with a quote as quoted. */
const quoted = (text: string): string => (/^"|[\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Rows for a spreadsheet; a single cell is plain text, so that it can be pasted into a search field too. */
export function tabSeparated(cells: readonly (readonly string[])[]): string {
  const [row] = cells
  if (cells.length === 1 && row?.length === 1) return row[0] as string
  return cells.map((row) => row.map(quoted).join('\t')).join('\n')
}
