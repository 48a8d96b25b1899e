/** Reads the sheets of an .xls file (Excel 5 to 2003); SheetJS decodes its records. */
import { readFile, stat } from 'node:fs/promises'
import type { CellObject, WorkBook } from '@e965/xlsx'
import { errorCell, FETCHES, formatReader, formulaFault, numberCell, UNCALCULATED } from './cells.js'
import { OverLimit } from './limits.js'
import { Merged } from './merged.js'
import { builtInFormat } from './number-format.js'
import type { SheetCell, SheetRow } from './sheet.js'
import { workbookStream } from './xls-container.js'
import { type Checked, checkRecords } from './xls-records.js'

export interface XlsBook {
  readonly sheets: readonly { readonly name: string; readonly hidden: boolean }[]
  rows(sheet: string): AsyncGenerator<SheetRow>
}

/** A million cells of 50 letters each; SheetJS holds the whole book in memory. */
const LARGEST = 64 * 2 ** 20

const ERRORS: Readonly<Record<number, string>> = {
  ...{ 0: '#NULL!', 7: '#DIV/0!', 15: '#VALUE!', 23: '#REF!', 29: '#NAME?', 36: '#NUM!', 42: '#N/A' },
}

interface Decoded extends Checked {
  readonly book: WorkBook
}

export async function openXls(file: string): Promise<XlsBook> {
  const decoded = await load(file)
  const { book, sheets: checked } = decoded
  if (checked.length > 0 && checked.length !== book.SheetNames.length)
    throw new Error('the file is damaged: two sheets have one place')
  const sheets = book.SheetNames.map((name, place) => ({
    name,
    place,
    hidden: false,
    isTable: true,
    ...(checked[place] && { hidden: checked[place].hidden, isTable: checked[place].isTable }),
  }))
  if (new Set(sheets.map(({ name }) => name)).size < sheets.length)
    throw new Error('the file is damaged: two sheets have one name')
  // A whole book is large: of many books, those that are not read now may go.
  let kept = new WeakRef(decoded)
  return {
    sheets: sheets.filter(({ isTable }) => isTable).map(({ name, hidden }) => ({ name, hidden })),
    async *rows(sheet) {
      const now = kept.deref() ?? (await load(file))
      kept = new WeakRef(now)
      yield* rowsOf(now, sheet, sheets.find(({ name }) => name === sheet)?.place ?? -1)
    },
  }
}

async function load(file: string): Promise<Decoded> {
  if ((await stat(file)).size > LARGEST)
    throw new OverLimit(
      `it has more than ${LARGEST / 2 ** 20} MB, for which an .xls needs too much memory: save it as .xlsx`,
    )
  const stream = workbookStream(await readFile(file))
  const checked = checkRecords(stream)
  return { ...checked, book: await decode(stream) }
}

/** By number: the formats that a workbook need not name (MS-XLS 2.5.165), none with words. */
const FORMATS: Record<number, string> = Object.fromEntries(
  Array.from({ length: 0x188 }, (_, id) => [id, builtInFormat(id)]),
)

async function decode(stream: Buffer): Promise<WorkBook> {
  // 1.5 MB of script that only this format needs.
  const [{ read, set_cptable, SSF }, codePages] = await Promise.all([
    import('@e965/xlsx'),
    import('@e965/xlsx/dist/cpexcel.full.mjs'),
  ])
  set_cptable(codePages)
  // The library keeps the formats of the workbook before, and shows currencies without a format of their own in dollars.
  SSF.load_table(FORMATS)
  const options = {
    type: 'buffer',
    dense: true,
    cellFormula: true,
    cellNF: true,
    cellText: false,
    cellHTML: false,
  } as const
  try {
    return read(stream, options)
  } catch (error) {
    throw new Error(`the file is damaged: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

function* rowsOf({ book, uncalculated, sheets }: Decoded, name: string, place: number): Generator<SheetRow> {
  const sheet = book.Sheets[name]
  const rows: (CellObject | undefined)[][] = sheet?.['!data'] ?? []
  const is1904 = book.Workbook?.WBProps?.date1904 === true
  const read = formatReader()
  const cellOf = (cell: CellObject | undefined, row: number, column: number): SheetCell => {
    if (cell === undefined) return null
    const master = cell.F === undefined ? undefined : rows[rowOf(cell.F)]?.[columnOf(cell.F)]
    if ([cell.f, master?.f].some((formula) => formula !== undefined && formulaFault(formula) !== undefined))
      return FETCHES
    if (uncalculated.has(`${place} ${row} ${column}`)) return UNCALCULATED
    switch (cell.t) {
      case 'n':
        return numberCell(cell.v as number, typeof cell.z === 'string' ? read(cell.z) : undefined, is1904)
      case 's':
        return String(cell.v ?? '') || null
      case 'b':
        return { value: cell.v ? 'true' : 'false' }
      case 'e':
        return errorCell(ERRORS[cell.v as number] ?? 'an error')
      default:
        return null
    }
  }
  const checked = sheets[place]
  const merged = new Merged(checked?.merged)
  for (const [i, row] of rows.entries()) {
    if (row === undefined) continue
    const places = merged.at(i + 1)
    yield {
      ...{ line: i + 1, cells: Array.from(row, (cell, column) => cellOf(cell, i, column)) },
      ...(checked?.hiddenRows.has(i + 1) && { hidden: true as const }),
      ...(places !== undefined && { merged: places }),
    }
  }
}

/** The first cell of C7:C9. */
const rowOf = (range: string): number => Number(/\d+/.exec(range)?.[0] ?? 0) - 1
const columnOf = (range: string): number =>
  [...(/^[A-Z]+/.exec(range)?.[0] ?? '')].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
