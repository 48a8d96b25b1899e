/**
 * CSV as in RFC 4180: UTF-8, a header, CRLF. A document has a row for each of its lines. Null is an empty cell, an empty text a cell of
 * two quotes; a list is JSON.
 */
import type { Format } from './format.js'
import { listWriter, recordReader, type TableColumn, tableOf } from './table.js'

const PIECE_CHARACTERS = 1 << 16

export default {
  name: 'csv',
  label: 'CSV',
  share: 0.35,
  contentType: 'text/csv; charset=utf-8',
  extension: 'csv',
  options: ['lines', 'formulas'],
  async *encode(records, { report, values, options }) {
    const shape = report.shapeFor(values)
    const { columns, rows } = tableOf(shape, { lines: options.lines !== 'no' })
    const read = recordReader(shape)
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

const NEEDS_QUOTES = /[",\r\n]/

const quoted = (text: string): string =>
  text === '' ? '""' : NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** Spreadsheets run a text with such a beginning as a formula (OWASP, "CSV injection"). */
const FORMULA = /^[=+\-@\t\r]/

function cellOf(column: TableColumn['column'], safe: boolean): (value: unknown) => string {
  switch (column.kind) {
    case 'lines':
    case 'list': {
      const json = listWriter(column)
      return (value) => (value === undefined || value === null ? '' : quoted(json(value)))
    }
    case 'text':
    case 'word':
      return (value) => {
        if (value === undefined || value === null) return ''
        const text = value as string
        return quoted(safe && FORMULA.test(text) ? `'${text}` : text)
      }
    default: // numbers, dates, times and flags have no character that needs quotes
      return (value) => (value === undefined || value === null ? '' : quoted(String(value)))
  }
}
