/**
 * CSV as in RFC 4180: UTF-8, a header, CRLF. One row per document, or with `lines=yes` one row per line of the main list. Null is an
 * empty cell, an empty text a cell of two quotes.
 */
import { parse } from 'csv-parse/sync'
import { withoutFormula } from '../formula-text.js'
import { recordReader } from '../kernel/report/record-reader.js'
import type { Format } from './format.js'
import { joined, type TableColumn, tablesFor } from './table.js'

const PIECE_CHARACTERS = 1 << 16

export default {
  name: 'csv',
  label: 'CSV',
  share: 0.35,
  contentType: 'text/csv; charset=utf-8',
  extension: 'csv',
  options: ['lines', 'formulas'],
  usualLines: 'no',
  async *encode(records, about) {
    const { report, values, options } = about
    const { documents, lists } = tablesFor(about)
    const ofLines = options.lines === 'yes' || documents.columns.length === 0 // the caller chose lists only
    const { columns, rows } = (ofLines ? lists[0] : undefined) ?? documents
    const read = recordReader(report.shapeFor(values))
    const cells = columns.map(({ column }) => cellOf(column, options.formulas === 'safe'))
    let text = `${columns.map(({ name }) => quoted(name)).join(',')}\r\n`
    for await (const run of records.texts())
      for (const json of run) {
        for (const row of rows(read(json))) {
          for (let i = 0; i < row.length; i++) text += `${i === 0 ? '' : ','}${cells[i]?.(row[i])}`
          text += '\r\n'
        }
        if (text.length >= PIECE_CHARACTERS) {
          yield Buffer.from(text)
          text = ''
        }
      }
    if (text !== '') yield Buffer.from(text)
  },
} satisfies Format

/** The cells of a file in this format, with its heading. */
export const cellsOf = (text: string): string[][] => parse(text)

const NEEDS_QUOTES = /[",\r\n]/

const quoted = (text: string): string =>
  text === '' ? '""' : NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text

function cellOf(column: TableColumn['column'], safe: boolean): (value: unknown) => string {
  switch (column.kind) {
    case 'text':
    case 'word':
    case 'list':
      return (value) => {
        if (value === undefined || value === null) return ''
        const text = column.kind === 'list' ? joined(value) : (value as string)
        return quoted(safe ? withoutFormula(text) : text)
      }
    case 'object': // begins with a brace, so it is no formula
      return (value) => (value === undefined || value === null ? '' : quoted(JSON.stringify(value)))
    default: // numbers, dates, times and flags have no character that needs quotes
      return (value) => (value === undefined || value === null ? '' : quoted(String(value)))
  }
}
