/** Opens a file of sheets, in any of the formats that programs export. */
import { stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { MillbookError } from '../../errors.js'
import type { CsvOptions } from './csv.js'
import { type FileKind, type Look, lookAt } from './kind.js'
import type { SheetRow } from './sheet.js'

export interface Book {
  /** One without a name for formats that have only one. */
  readonly sheets: readonly { readonly name: string; readonly hidden: boolean }[]
  rows(sheet: string): AsyncGenerator<SheetRow>
  close(): void | Promise<void>
}

interface Format {
  readonly endings: readonly string[]
  /** What a file of the format is by its first bytes. */
  readonly kinds: readonly FileKind[]
  open(file: string, options: CsvOptions): Promise<Pick<Book, 'sheets' | 'rows'>>
}

/** A reader is imported when it is needed: a service checks names of files, and reads none. */
const FORMATS: readonly Format[] = [
  {
    endings: ['.xlsx', '.xlsm'],
    kinds: ['zip'],
    open: async (file) => {
      const { readXlsx, xlsxSheets } = await import('./xlsx.js')
      return { sheets: await xlsxSheets(file), rows: (sheet) => readXlsx(file, sheet) }
    },
  },
  {
    endings: ['.xls'],
    kinds: ['xls'],
    open: async (file) => (await import('./xls.js')).openXls(file),
  },
  {
    endings: ['.ods'],
    kinds: ['zip'],
    open: async (file) => {
      const { openOds, readOds } = await import('./ods.js')
      const book = await openOds(file)
      return { sheets: book.sheets, rows: (sheet) => readOds(file, book, sheet) }
    },
  },
  {
    endings: ['.csv', '.tsv', '.txt'],
    kinds: ['text', 'binary'],
    open: async (file, options) => {
      const { readSheetCsv } = await import('./csv.js')
      return { sheets: [{ name: '', hidden: false }], rows: () => readSheetCsv(file, options) }
    },
  },
  { endings: ['.xml'], kinds: ['tally', 'xml'], open: async (file) => (await import('./tally.js')).openTally(file) },
]

/** The endings of files that can be read. */
export const BOOK_ENDINGS: readonly string[] = FORMATS.flatMap(({ endings }) => endings)

export async function openBook(file: string, options: CsvOptions): Promise<Book> {
  const ending = extname(file).toLowerCase()
  const format = FORMATS.find(({ endings }) => endings.includes(ending))
  if (format === undefined)
    throw new MillbookError(`spreadsheets are ${BOOK_ENDINGS.join(', ')} files; save it as one of them`)
  const look = await lookAt(file)
  if (!format.kinds.includes(look.kind) && (await stat(file)).size === 0)
    throw new Error('it is empty: export or copy it again')
  if (!format.kinds.includes(look.kind)) throw new Error(mismatch(ending, look))
  return { ...(await format.open(file, options)), close: () => {} }
}

const AGAIN = 'open it in a spreadsheet program, and save it as .xlsx'

/** A file that is not what its name says. */
function mismatch(ending: string, { kind, separator, isEncrypted }: Look): string {
  const named = `although it is named ${ending}`
  switch (kind) {
    case 'zip':
      return `it is a ZIP file, such as an .xlsx or .ods workbook, ${named}: give it its right ending`
    case 'xls':
      return isEncrypted
        ? 'it is protected by a password: open it in a spreadsheet program, and save it without one'
        : `it is an .xls workbook, ${named}: rename it to .xls`
    case 'html':
      return `it is a web page (HTML), ${named}: ${AGAIN}`
    case 'mhtml':
      return `it is a web page (MHTML), ${named}: ${AGAIN}`
    case 'spreadsheetml':
      return `it is an XML Spreadsheet of Excel 2003, ${named}: ${AGAIN}`
    case 'tally':
    case 'xml':
      return `it is XML, ${named}: if Tally exported it, rename it to .xml; else ${AGAIN}`
    case 'pdf':
      return `it is a PDF, ${named}: export the table as .xlsx or .csv`
    case 'text': {
      const set =
        separator === undefined || separator === ','
          ? ''
          : ` and set separator: ${JSON.stringify(separator)} in the mapping`
      return `it is text (CSV), ${named}: rename it to .csv${set}`
    }
    case 'binary':
      return `it is no workbook, ${named}: ${AGAIN}`
  }
}
