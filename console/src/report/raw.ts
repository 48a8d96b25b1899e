/** Values as programs take them: numbers without grouping, days as YYYY-MM-DD, cells apart by tabs. */
import { type Flat, type Row, valueIn } from '../catalogue.js'

export function rawValue(row: Row, { column, path }: Pick<Flat, 'column' | 'path'>): string {
  const value = valueIn(row, path)
  if (value === null || value === undefined) return ''
  if (column.kind === 'lines') return String((value as unknown[]).length)
  return Array.isArray(value) ? value.join(', ') : String(value)
}

/** A spreadsheet reads a cell with a tab or a line break only in quotes. */
const quoted = (text: string): string => (/[\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

export const tabSeparated = (cells: readonly (readonly string[])[]): string =>
  cells.map((row) => row.map(quoted).join('\t')).join('\n')
