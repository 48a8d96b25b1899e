/** One sheet of a workbook: a table with its header, its rows and its totals, as a stream of XML. */
import type { Records } from '../kernel/answer/answer.js'
import { labelOf } from '../kernel/report/labels.js'
import { recordReader } from '../kernel/report/record-reader.js'
import type { Shape } from '../kernel/report/report.js'
import type { About } from './format.js'
import type { Table } from './table.js'
import { type Cell, cellOf, escaped, letterOf, MAIN, type Styles, XML } from './xlsx-cells.js'
import { Totals } from './xlsx-totals.js'

/** The rows of a sheet, its header included. */
export const MOST_ROWS = 1_048_576
const PIECE_CHARACTERS = 1 << 16
/** Rows that determine the widths of the columns. */
const MEASURED_ROWS = 200
const [NARROWEST, WIDEST] = [8, 60]

export class Sheet {
  readonly name: string
  readonly #table: Table
  readonly #cells: readonly Cell[]
  readonly #styles: Styles
  readonly #headings: readonly string[]
  readonly #totals: Totals | undefined
  /** Number of cells whose text was too long. */
  cut = 0
  rows = 0
  /** Whether the rows left no room for the totals. */
  isFull = false

  constructor(name: string, table: Table, shape: Shape, about: About, styles: Styles) {
    this.name = name
    this.#table = table
    const onCut = () => {
      this.cut++
    }
    this.#cells = table.columns.map(({ column }) => cellOf(column, styles, onCut))
    this.#headings = headingsOf(table, about)
    // The record of totals is a sum already, and the sum over changes means nothing.
    const addsUp = about.report.view?.totals === undefined && about.changes === undefined
    this.#totals = addsUp ? new Totals(table, shape.cancelled, styles) : undefined
    this.#styles = styles
  }

  async *xml(records: Records, { report, values }: About): AsyncGenerator<Buffer> {
    const { columns, rows } = this.#table
    const read = recordReader(report.shapeFor(values))
    const letters = [...columns.keys(), columns.length].map(letterOf)
    let head: string | undefined =
      `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>`
    let text = this.#headerRow(letters)
    const widths = this.#headings.map((heading) => heading.length + 3)
    let row = 1
    const begin = () => {
      const cols = widths.map(
        (width, i) => `<col min="${i + 1}" max="${i + 1}" width="${clamp(width)}" customWidth="1"/>`,
      )
      text = `${head}<cols>${cols.join('')}</cols><sheetData>${text}`
      head = undefined
    }
    for await (const run of records.texts())
      for (const json of run) {
        for (const values of rows(read(json))) {
          row++
          text += `<row r="${row}">`
          for (let i = 0; i < values.length; i++) {
            const value = values[i]
            if (value === null || value === undefined) continue
            if (row <= MEASURED_ROWS) widths[i] = Math.max(widths[i] as number, lengthOf(value))
            text += `<c r="${letters[i]}${row}"${this.#cells[i]?.(value)}</c>`
          }
          text += '</row>'
          this.#totals?.add(values)
        }
        if (head !== undefined && row >= MEASURED_ROWS) begin()
        if (head === undefined && text.length >= PIECE_CHARACTERS) {
          yield Buffer.from(text)
          text = ''
        }
      }
    if (head !== undefined) begin()
    this.rows = row - 1
    text += this.#totalsRows(row, letters, records)
    const filter = `<autoFilter ref="A1:${letterOf(columns.length - 1)}${row}"/>`
    yield Buffer.from(`${text}</sheetData>${filter}</worksheet>`)
  }

  #headerRow(letters: readonly string[]): string {
    const cells = this.#headings.map(
      (heading, i) =>
        `<c r="${letters[i]}1" s="${this.#styles.header}" t="inlineStr"><is><t>${escaped(heading)}</t></is></c>`,
    )
    return `<row r="1">${cells.join('')}</row>`
  }

  /** A blank row keeps the totals out of the filter and of sorting. */
  #totalsRows(last: number, letters: readonly string[], { count, total }: Records): string {
    const part = count === total ? '' : `, ${count.toLocaleString('en')} of ${total.toLocaleString('en')} records only`
    const rows = this.#totals?.rows(last, part) ?? []
    if (last + 1 + rows.length > MOST_ROWS) {
      this.isFull = true
      return ''
    }
    return rows
      .map((cells, i) => {
        const row = last + 2 + i
        const placed = [...cells].sort(([a], [b]) => a - b) // the cells of a row must be in order
        return `<row r="${row}">${placed.map(([at, inside]) => `<c r="${letters[at]}${row}"${inside}</c>`).join('')}</row>`
      })
      .join('')
  }
}

/** A column of lines is on a sheet of its list, whose name its heading leaves out unless a column of the document is called the same. */
function headingsOf({ columns, list = [] }: Table, { options }: About): string[] {
  if (options.headings === 'api') return columns.map(({ name }) => name)
  const ofDocument = columns.filter(({ ofLine }) => !ofLine).map(({ path }) => labelOf(path.join('.')))
  return columns.map(({ path, ofLine }) => {
    const label = labelOf(path.join('.'))
    return ofLine && ofDocument.includes(label) ? labelOf([...list, ...path].join('.')) : label
  })
}

const clamp = (width: number) => Math.min(WIDEST, Math.max(NARROWEST, width))
const lengthOf = (value: unknown): number => (typeof value === 'string' ? value.length + 1 : 12)
