/**
 * A workbook for Excel: the records on the first sheet, each list of their lines on a sheet, the request on the last. Numbers and
 * dates are typed if a cell can hold them exactly. A cell is a double, so a number with more than 15 digits is text.
 */
import { Problem } from '../errors.js'
import type { Records } from '../kernel/answer/answer.js'
import { labelOf } from '../kernel/report/labels.js'
import { recordReader } from '../kernel/report/record-reader.js'
import { ownView } from '../kernel/report/view.js'
import type { About, Format } from './format.js'
import { type Table, tablesFor } from './table.js'
import { MAIN, OFFICE, Styles, textCell, XML } from './xlsx-cells.js'
import { MOST_ROWS, Sheet } from './xlsx-sheet.js'
import { zip } from './zip.js'

export { MOST_ROWS }

const ABOUT = 'About'

export default {
  name: 'xlsx',
  label: 'Excel workbook',
  share: 0.12,
  contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  extension: 'xlsx',
  options: ['lines', 'headings'],
  usualLines: 'yes',
  namesRequest: true,
  async check(records, about) {
    const most = MOST_ROWS.toLocaleString('en')
    const refuse = (reason: string) => {
      const message = `cannot be xlsx: a sheet has at most ${most} rows, and this report has more${reason}, or for csv or parquet`
      throw new Problem('invalid-parameters', { errors: [{ field: 'format', message }] })
    }
    if (records.count + 1 > MOST_ROWS) refuse('; ask for a shorter period')
    if (await hasTooManyLines(records, about)) refuse(' lines; ask for lines=no, for a shorter period')
  },
  async *encode(records, about) {
    const styles = new Styles()
    const sheets = tablesOf(about).map(
      (table) => new Sheet(nameOf(table, about), table, about.report.shapeFor(about.values), about, styles),
    )
    const names = [...sheets.map(({ name }) => name), ABOUT]
    yield* zip([
      { name: '[Content_Types].xml', bytes: [Buffer.from(contentTypes(names))] },
      { name: '_rels/.rels', bytes: [Buffer.from(ROOT_RELATIONS)] },
      { name: 'xl/workbook.xml', bytes: [Buffer.from(workbook(names))] },
      { name: 'xl/_rels/workbook.xml.rels', bytes: [Buffer.from(workbookRelations(names))] },
      { name: 'xl/styles.xml', bytes: [Buffer.from(styles.xml())] },
      ...sheets.map((sheet, i) => ({ name: `xl/${partOf(i)}`, bytes: sheet.xml(records, about) })),
      { name: `xl/${partOf(sheets.length)}`, bytes: later(() => aboutSheet(records, about, sheets)) },
    ])
  },
} satisfies Format

function tablesOf(about: About): readonly Table[] {
  const { documents, lists } = tablesFor(about, { withState: true })
  if (documents.columns.length === 0) return lists // the caller chose lists only
  return about.options.lines === 'no' ? [documents] : [documents, ...lists]
}

/** `Items` for a list `items`; the first sheet is `Documents` if the records have lines. */
function nameOf({ list }: Table, about: About): string {
  if (list !== undefined) return labelOf(list.at(-1) as string)
  return tablesFor(about).lists.length > 0 && about.report.view?.totals === undefined ? 'Documents' : 'Report'
}

/** The last sheet has counts of the others, so it is made after them. */
function* later(text: () => string): Generator<Buffer> {
  yield Buffer.from(text())
}

/** Counts lines only if there may be too many, judged by size: each line has at least the names of its fields. */
async function hasTooManyLines(records: Records, about: About): Promise<boolean> {
  const long = tablesOf(about).filter(({ list, columns }) => {
    const names = columns.filter(({ ofLine }) => ofLine).map(({ path }) => path.at(-1) as string)
    return list !== undefined && records.size / names.reduce((sum, name) => sum + name.length + 4, 1) >= MOST_ROWS
  })
  if (long.length === 0) return false
  const read = recordReader(about.report.shapeFor(about.values))
  const counts = long.map(() => 1) // the header
  for await (const run of records.texts())
    for (const text of run) {
      const record = read(text)
      for (const [i, { rows }] of long.entries()) {
        const count = (counts[i] ?? 0) + rows(record).length
        if (count > MOST_ROWS) return true
        counts[i] = count
      }
    }
  return false
}

function aboutSheet(
  { count, total }: Records,
  { report, values, page, version, known }: About,
  sheets: readonly Sheet[],
): string {
  const [first, ...lists] = sheets
  const full = sheets.filter(({ isFull }) => isFull).map(({ name }) => name)
  const cut = sheets.reduce((sum, sheet) => sum + sheet.cut, 0)
  const facts: [string, string | number][] = [
    ['Report', report.summary],
    ['Name', report.id],
    ...Object.entries({ ...values, ...ownView(report), ...known }).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [value].flat().map((one) => [name, String(one)]),
    ),
    ['Data version', version],
    ['Records', count],
    ['Rows', first?.rows ?? 0],
    ...lists.map(({ name, rows }): [string, number] => [`Rows of ${name}`, rows]),
    [
      'Complete',
      page === undefined || count === total ? 'yes' : `no: page ${page.number} of ${Math.ceil(total / page.size)}`,
    ],
    ...(full.length > 0 ? [['No room for totals', full.join(', ')] as [string, string]] : []),
    ...(cut > 0 ? [['Texts cut off', cut] as [string, number]] : []),
  ]
  const rows = facts.map(([name, value], i) => {
    const cell = typeof value === 'number' ? ` s="0"><v>${value}</v>` : textCell(value)
    return `<row r="${i + 1}"><c r="A${i + 1}"${textCell(name)}</c><c r="B${i + 1}"${cell}</c></row>`
  })
  return `${XML}<worksheet xmlns="${MAIN}"><cols><col min="1" max="1" width="20" customWidth="1"/><col min="2" max="2" width="60" customWidth="1"/></cols><sheetData>${rows.join('')}</sheetData></worksheet>`
}

// Parts of every workbook ----------------------------------------------------------------------------------------------

const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
const RELATION = `${OFFICE}/officeDocument/2006/relationships`

/** The part of the sheet at this index. */
const partOf = (index: number) => `worksheets/sheet${index + 1}.xml`

const contentTypes = (names: readonly string[]) =>
  `${XML}<Types xmlns="${OFFICE}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPES}.styles+xml"/>${names.map((_, i) => `<Override PartName="/xl/${partOf(i)}" ContentType="${TYPES}.worksheet+xml"/>`).join('')}</Types>`

const relations = (all: readonly (readonly [string, string])[]) =>
  `${XML}<Relationships xmlns="${OFFICE}/package/2006/relationships">${all.map(([type, target], i) => `<Relationship Id="rId${i + 1}" Type="${RELATION}/${type}" Target="${target}"/>`).join('')}</Relationships>`
const ROOT_RELATIONS = relations([['officeDocument', 'xl/workbook.xml']])
const workbookRelations = (names: readonly string[]) =>
  relations([...names.map((_, i) => ['worksheet', partOf(i)] as const), ['styles', 'styles.xml']])

const workbook = (names: readonly string[]) =>
  `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATION}"><sheets>${names.map((name, i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`).join('')}</sheets></workbook>`
