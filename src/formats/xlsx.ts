/**
 * A workbook for Excel: the records on the first sheet, the request on the second. Numbers and dates are typed if a cell can hold
 * them exactly. A cell is a double, so a number with more than 15 digits is text.
 */
import { Problem } from '../errors.js'
import type { Records } from '../kernel/answer/answer.js'
import type { ValueColumn } from '../kernel/report/columns.js'
import { mostDigits } from '../kernel/report/fields.js'
import { ownView } from '../kernel/report/view.js'
import type { About, Format } from './format.js'
import { DAY_MS, momentOf } from './moment.js'
import { listWriter, recordReader, type Table, type TableColumn, tableOf } from './table.js'
import { zip } from './zip.js'

/** The rows of a sheet, its header included. */
export const MOST_ROWS = 1_048_576
/** The limit of one cell; the rest of a longer text is cut off, and the second sheet counts such cells. */
const LONGEST_TEXT = 32_767
const PIECE_CHARACTERS = 1 << 16
/** Rows that determine the widths of the columns. */
const MEASURED_ROWS = 200
const [NARROWEST, WIDEST] = [8, 60]

export default {
  name: 'xlsx',
  label: 'Excel workbook',
  share: 0.12,
  contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  extension: 'xlsx',
  options: ['lines'],
  namesRequest: true,
  async check(records, about) {
    if ((await countRows(records, about)) + 1 <= MOST_ROWS) return
    throw new Problem('invalid-parameters', {
      errors: [
        {
          field: 'format',
          message: `cannot be xlsx: a sheet has at most ${MOST_ROWS.toLocaleString('en')} rows, and this report has more; ask for a shorter period, or for csv or parquet`,
        },
      ],
    })
  },
  async *encode(records, about) {
    const table = tableFor(about)
    const sheet = new Sheet(table)
    yield* zip([
      { name: '[Content_Types].xml', bytes: [Buffer.from(CONTENT_TYPES)] },
      { name: '_rels/.rels', bytes: [Buffer.from(ROOT_RELATIONS)] },
      { name: 'xl/workbook.xml', bytes: [Buffer.from(WORKBOOK)] },
      { name: 'xl/_rels/workbook.xml.rels', bytes: [Buffer.from(WORKBOOK_RELATIONS)] },
      { name: 'xl/styles.xml', bytes: [Buffer.from(sheet.styles.xml())] },
      { name: 'xl/worksheets/sheet1.xml', bytes: sheet.xml(records, about) },
      { name: 'xl/worksheets/sheet2.xml', bytes: later(() => aboutSheet(records, about, sheet)) },
    ])
  },
} satisfies Format

const tableFor = ({ report, values, options }: About): Table =>
  tableOf(report.shapeFor(values), { lines: options.lines !== 'no' })

/** The second sheet has counts of the first, so it is made after it. */
function* later(text: () => string): Generator<Buffer> {
  yield Buffer.from(text())
}

/** Counts lines only if there may be too many, judged by size: each line has at least the names of its fields. */
async function countRows(records: Records, about: About): Promise<number> {
  const { columns, rows } = tableFor(about)
  const ofLine = columns.filter((column) => column.ofLine)
  if (ofLine.length === 0) return records.count
  const shortest = ofLine.reduce((sum, { path }) => sum + (path.at(-1)?.length ?? 0) + 4, 0)
  if (records.count + records.size / shortest < MOST_ROWS) return 0
  const read = recordReader(about.report.shapeFor(about.values))
  let count = 0
  for await (const run of records.texts())
    for (const text of run) {
      count += rows(read(text)).length
      if (count >= MOST_ROWS) return count
    }
  return count
}

// Cells --------------------------------------------------------------------------------------------------------------

/** Formats of numbers, by their code; a cell refers to one by its index. */
class Styles {
  readonly #codes: string[] = ['General', '@']

  of(code: string): number {
    const known = this.#codes.indexOf(code)
    return known >= 0 ? known : this.#codes.push(code) - 1
  }

  /** The style of the header comes after all others. */
  get header(): number {
    return this.#codes.length
  }

  xml(): string {
    const formats = this.#codes.map(
      (code, i) => `<numFmt numFmtId="${FIRST_FORMAT + i}" formatCode="${escaped(code)}"/>`,
    )
    const cells = this.#codes.map(
      (_, i) =>
        `<xf numFmtId="${FIRST_FORMAT + i}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`,
    )
    return `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="${formats.length}">${formats.join('')}</numFmts>${FONTS}<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${cells.length + 1}">${cells.join('')}<xf numFmtId="0" fontId="1" fillId="2" borderId="0" xfId="0" applyFont="1" applyFill="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
  }
}

/** Lower numbers are built into Excel. */
const FIRST_FORMAT = 164

/** A value as the inside of its cell: attributes and content; undefined for no cell. */
type Cell = (value: unknown) => string | undefined

const DIGITS = /^-?\d+(?:\.\d+)?$/

/** Whether a double holds all digits of a number; false for text that is not a number, such as a marker. */
function holds(text: string): boolean {
  if (!DIGITS.test(text)) return false
  const significant = text.replace(/^-?0*/, '').replace('.', '')
  return (text.includes('.') ? significant.replace(/0+$/, '') : significant).length <= 15
}

function listCell(column: TableColumn['column'], onCut: () => void): (value: unknown) => string {
  const json = listWriter(column)
  return (value) => textCell(json(value), onCut)
}

function cellOf(column: ValueColumn, styles: Styles, onCut: () => void): Cell {
  const text: Cell = (value) => textCell(String(value), onCut)
  switch (column.kind) {
    case 'decimal':
    case 'number':
    case 'integer': {
      const digits = column.kind === 'integer' ? 0 : column.digits
      const more = column.kind === 'integer' ? 0 : mostDigits(column) - digits
      const style = styles.of(digits === 0 ? '0' : `0.${'0'.repeat(digits)}${'#'.repeat(more)}`)
      return (value) => (holds(String(value)) ? ` s="${style}"><v>${value}</v>` : text(value))
    }
    case 'date':
    case 'timestamp': {
      const style = styles.of(column.kind === 'date' ? 'yyyy-mm-dd' : 'yyyy-mm-dd hh:mm:ss')
      return (value) => serial(String(value), style) ?? text(value)
    }
    case 'time': {
      const style = styles.of('hh:mm:ss')
      return (value) => {
        const ms = momentOf(`1970-01-01 ${value}`)
        return ms === undefined ? text(value) : ` s="${style}"><v>${ms / DAY_MS}</v>`
      }
    }
    case 'flag':
      return (value) =>
        value === 'true' || value === 'false' ? ` t="b"><v>${value === 'true' ? 1 : 0}</v>` : text(value)
    case 'list':
      return (value) => textCell(JSON.stringify(value), onCut)
    default:
      return text
  }
}

/** Excel counts days from here and treats 1900 as a leap year: dates are right from March 1900 on. */
const EPOCH = Date.UTC(1899, 11, 30)
const FIRST_RIGHT_DAY = 61

/** The cell of a date or a time; undefined for a marker, and for a day that Excel would show as another day. */
function serial(text: string, style: number): string | undefined {
  const days = ((momentOf(text) ?? Number.NaN) - EPOCH) / DAY_MS
  return days >= FIRST_RIGHT_DAY ? ` s="${style}"><v>${days}</v>` : undefined
}

function textCell(text: string, onCut: () => void): string {
  if (text.length > LONGEST_TEXT) onCut()
  return ` t="inlineStr"><is><t xml:space="preserve">${escaped(text.slice(0, LONGEST_TEXT))}</t></is>`
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML cannot hold these
const SPECIAL = /[&<>"]|[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\r]|_(?=x[0-9a-fA-F]{4}_)/g
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** XML text, with Excel's escapes for characters that XML cannot hold, and for texts that look like such an escape. */
const escaped = (text: string): string =>
  text.replace(SPECIAL, (c) => ENTITIES[c] ?? `_x${c.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}_`)

// Sheets -------------------------------------------------------------------------------------------------------------

class Sheet {
  readonly styles = new Styles()
  readonly #table: Table
  readonly #cells: readonly Cell[]
  /** Number of cells whose text was too long. */
  cut = 0
  rows = 0

  constructor(table: Table) {
    this.#table = table
    const onCut = () => {
      this.cut++
    }
    this.#cells = table.columns.map(({ column }) =>
      column.kind === 'lines' ? listCell(column, onCut) : cellOf(column, this.styles, onCut),
    )
  }

  async *xml(records: Records, about: About): AsyncGenerator<Buffer> {
    const { columns, rows } = this.#table
    const read = recordReader(about.report.shapeFor(about.values))
    const letters = columns.map((_, i) => letterOf(i))
    const last = letters.at(-1)
    let head: string | undefined =
      `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>`
    let text = this.#header(letters)
    const widths = columns.map(({ name }) => name.length + 3)
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
        }
        if (head !== undefined && row >= MEASURED_ROWS) begin()
        if (head === undefined && text.length >= PIECE_CHARACTERS) {
          yield Buffer.from(text)
          text = ''
        }
      }
    if (head !== undefined) begin()
    this.rows = row - 1
    yield Buffer.from(`${text}</sheetData><autoFilter ref="A1:${last}${row}"/></worksheet>`)
  }

  #header(letters: readonly string[]): string {
    const cells = this.#table.columns.map(
      ({ name }, i) =>
        `<c r="${letters[i]}1" s="${this.styles.header}" t="inlineStr"><is><t>${escaped(name)}</t></is></c>`,
    )
    return `<row r="1">${cells.join('')}</row>`
  }
}

const clamp = (width: number) => Math.min(WIDEST, Math.max(NARROWEST, width))
const lengthOf = (value: unknown): number => (typeof value === 'string' ? value.length + 1 : 12)

/** A, B … Z, AA … */
function letterOf(index: number): string {
  const rest = Math.floor(index / 26)
  return (rest === 0 ? '' : letterOf(rest - 1)) + String.fromCharCode(65 + (index % 26))
}

function aboutSheet({ count, total }: Records, { report, values, page, version }: About, sheet: Sheet): string {
  const facts: [string, string | number][] = [
    ['Report', report.summary],
    ['Name', report.id],
    ...Object.entries({ ...values, ...ownView(report) }).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [value].flat().map((one) => [name, String(one)]),
    ),
    ['Data version', version],
    ['Records', count],
    ['Rows', sheet.rows],
    [
      'Complete',
      page === undefined || count === total ? 'yes' : `no: page ${page.number} of ${Math.ceil(total / page.size)}`,
    ],
    ...(sheet.cut > 0 ? [['Texts cut off', sheet.cut] as [string, number]] : []),
  ]
  const rows = facts.map(([name, value], i) => {
    const cell = typeof value === 'number' ? ` s="0"><v>${value}</v>` : textCell(value, () => {})
    return `<row r="${i + 1}"><c r="A${i + 1}"${textCell(name, () => {})}</c><c r="B${i + 1}"${cell}</c></row>`
  })
  return `${XML}<worksheet xmlns="${MAIN}"><cols><col min="1" max="1" width="20" customWidth="1"/><col min="2" max="2" width="60" customWidth="1"/></cols><sheetData>${rows.join('')}</sheetData></worksheet>`
}

// Parts of every workbook ----------------------------------------------------------------------------------------------

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const OFFICE = 'http://schemas.openxmlformats.org'
const MAIN = `${OFFICE}/spreadsheetml/2006/main`
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
const RELATION = `${OFFICE}/officeDocument/2006/relationships`
const FONTS =
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FFEDEDED"/></patternFill></fill></fills><borders count="1"><border/></borders>'

const CONTENT_TYPES = `${XML}<Types xmlns="${OFFICE}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPES}.styles+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPES}.worksheet+xml"/><Override PartName="/xl/worksheets/sheet2.xml" ContentType="${TYPES}.worksheet+xml"/></Types>`

const relations = (all: readonly (readonly [string, string])[]) =>
  `${XML}<Relationships xmlns="${OFFICE}/package/2006/relationships">${all.map(([type, target], i) => `<Relationship Id="rId${i + 1}" Type="${RELATION}/${type}" Target="${target}"/>`).join('')}</Relationships>`
const ROOT_RELATIONS = relations([['officeDocument', 'xl/workbook.xml']])
const WORKBOOK_RELATIONS = relations([
  ['worksheet', 'worksheets/sheet1.xml'],
  ['worksheet', 'worksheets/sheet2.xml'],
  ['styles', 'styles.xml'],
])

const WORKBOOK = `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATION}"><sheets><sheet name="Report" sheetId="1" r:id="rId1"/><sheet name="About" sheetId="2" r:id="rId2"/></sheets></workbook>`
