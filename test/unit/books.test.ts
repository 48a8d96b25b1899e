/** Workbooks of spreadsheet programs, read alike from .xlsx, .ods and .xls, and number formats that change what a cell says. */
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { Amount, Code, Quantity } from '../../src/import/columns.js'
import { BOOK_ENDINGS, openBook } from '../../src/pull/sheets/book.js'
import { numberCell } from '../../src/pull/sheets/cells.js'
import { dateReader, readCell } from '../../src/pull/sheets/formats.js'
import { readNumberFormat } from '../../src/pull/sheets/number-format.js'
import type { Fault, SheetCell } from '../../src/pull/sheets/sheet.js'
import { biff, writeXls } from '../setup/biff.js'
import { tempFolder } from '../setup/files.js'
import { type OdsCell, writeOds } from '../setup/ods.js'
import { writeXlsx } from '../setup/xlsx.js'

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/books/${name}`, import.meta.url))

async function cellsOf(file: string): Promise<Record<string, Record<number, readonly SheetCell[]>>> {
  const book = await openBook(file, { separator: ',', encoding: 'utf-8' })
  const found: Record<string, Record<number, readonly SheetCell[]>> = {}
  for (const { name, hidden } of book.sheets) {
    const rows: Record<number, readonly SheetCell[]> = {}
    for await (const { line, cells } of book.rows(name)) rows[line] = cells
    found[hidden ? `${name} (hidden)` : name] = rows
  }
  await book.close()
  return found
}

// Written by XlsxWriter, and by LibreOffice 7.4 from that.
it.each([
  ['books.xlsx', '₹', ['true', 'false']],
  ['books.ods', 'INR', ['1', '0']],
  ['books.xls', '₹', ['true', 'false']],
])(
  'reads %s: dates, units, currencies, percentages, codes with zeros, errors, merged cells and hidden sheets',
  async (name, sign, [yes, no]) => {
    const rupees = (value: string) => ({ value, currency: sign })
    expect(await cellsOf(fixture(name))).toEqual({
      Stock: {
        1: ['Stock of Rao & Sons'],
        2: ['Code', 'Item', 'Opened', 'Qty', 'Price', 'GST', 'Value', 'Checked'],
        3: [
          { value: '12', shown: '0012' },
          'Milk  A2\nfull',
          { value: '2026-04-12' },
          { value: '2.5', unit: 'Kgs' },
          rupees('40.1'),
          { value: '0.05', percent: '5' },
          { value: '100.25' },
          { value: yes },
        ],
        4: [
          { value: '7', shown: '0007' },
          ' spaced ',
          { value: '2024-02-29' },
          { value: '-0.1', unit: 'Kgs' },
          rupees('0.0000001'),
          { value: '0.18', percent: '18' },
          { fault: 'is #DIV/0!' },
          { value: no },
        ],
        5: [
          { value: '123', shown: '0123' },
          '012',
          { value: '2026-04-12 14:30:00' },
          { value: '123456789012', unit: 'Kgs' },
          rupees('99999.99'),
          { value: '0.0025', percent: '0.25' },
          { value: '3' },
          { value: yes },
        ],
        9: [...Array(9).fill(null), 'far'],
      },
      'Hidden (hidden)': { 1: ['secret'] },
      'Last & least': { 1: ['end'] },
    })
  },
)

const UNCALCULATED = { fault: expect.stringContaining('is a formula without its result') }

it('formulas that no program has calculated are refused in every format', async () => {
  expect(await cellsOf(fixture('uncalculated.xls'))).toEqual({
    S: { 1: [UNCALCULATED], 2: ['text'], 3: [null] }, // the last one gives a text, which may be empty
  })
  const folder = tempFolder()
  await writeXlsx(join(folder, 'a.xlsx'), { S: [[{ formula: '1+1', text: '' }]] })
  await writeOds(join(folder, 'a.ods'), { S: [[{ attributes: 'table:formula="of:=1+1"' }]] })
  for (const name of ['a.xlsx', 'a.ods'])
    expect(await cellsOf(join(folder, name))).toEqual({ S: { 1: [UNCALCULATED] } })
})

const RESULT = { text: Buffer.from([0, 0, 0, 0, 0, 0, 0xff, 0xff]), two: Buffer.from(Float64Array.of(2).buffer) }

it('.xls: reads a stream without a container, and texts that formulas give', async () => {
  const file = join(tempFolder(), 'a.xls')
  const cells = [
    biff.formula(0, 0, RESULT.text),
    biff.string('Größe'),
    biff.formula(0, 1, RESULT.two),
    biff.number(1, 3, 0.1 + 0.2),
  ]
  writeXls(file, [biff.begin('sheet'), ...cells, biff.text(2, 0, 'end'), biff.end()])
  expect(await cellsOf(file)).toEqual({
    Sheet1: { 1: ['Größe', { value: '2' }], 2: [null, null, null, { value: '0.3' }], 3: ['end'] },
  })
})

it('.xls: formats of one workbook are not those of the next', async () => {
  const folder = tempFolder()
  const style = (format: number) => biff.record(0x00e0, 0, format, 0, 0, 0, 0, 0, 0, 0, 0)
  const own = biff.record(0x041e, 44, 4, ...[...'0"g"'].map((letter) => letter.charCodeAt(0)))
  const named = Buffer.concat([own[1].subarray(0, 4), Buffer.from([1]), own[1].subarray(4)])
  writeXls(join(folder, 'a.xls'), [
    biff.begin('sheet'),
    [0x041e, named],
    style(44),
    biff.number(0, 0, 5),
    biff.text(0, 1, 'x'),
    biff.end(),
  ])
  writeXls(join(folder, 'b.xls'), [
    biff.begin('sheet'),
    style(44),
    biff.number(0, 0, 5),
    biff.text(0, 1, 'x'),
    biff.end(),
  ])
  expect(await cellsOf(join(folder, 'a.xls'))).toEqual({ Sheet1: { 1: [{ value: '5', unit: 'g' }, 'x'] } })
  expect(await cellsOf(join(folder, 'b.xls'))).toEqual({ Sheet1: { 1: [{ value: '5' }, 'x'] } })
})

it('.ods: reads repeated rows and cells, spaces, notes, times, and no text of covered cells', async () => {
  const file = join(tempFolder(), 'a.ods')
  const text = (content: string, attributes = ''): OdsCell => ({
    attributes: `office:value-type="string" ${attributes}`,
    content,
  })
  const float = (attributes: string): OdsCell => ({ attributes: `office:value-type="float" ${attributes}` })
  await writeOds(file, {
    S: [
      [
        'a',
        text('<text:p>b<text:s text:c="2"/>c<text:span> d</text:span></text:p><text:p>e<text:line-break/>f</text:p>'),
      ],
      [text('<office:annotation><text:p>a note</text:p></office:annotation><text:p>cell</text:p>')],
      [null, null, float('office:value="2" table:number-columns-repeated="3"')],
      [
        { attributes: 'office:value-type="string" ', content: '<text:p>under</text:p>', name: 'covered-table-cell' },
        'seen',
      ],
      [{ attributes: 'office:value-type="time" office:time-value="PT14H30M00S"' }, { day: '2026-04-12T14:30:00' }],
      [{ attributes: 'office:value-type="time" office:time-value="PT36H00M00S"' }, { day: '1899-12-30' }],
      [{ currency: 'EUR', number: 5 }, { percent: 0.18 }, { number: 12, after: ' Nos' }, { number: 7, zeros: 4 }],
      [{ attributes: 'office:value-type="boolean" office:boolean-value="false"' }],
      [
        text('<text:p>#REF!</text:p>', 'table:formula="of:=x" '),
        text('<text:p>Err:502</text:p>', 'calcext:value-type="error"'),
      ],
    ],
    More: [['x']],
  })
  const { S: rows = {}, More } = await cellsOf(file)
  expect(More).toEqual({ 1: ['x'] })
  expect(Object.values(rows)).toEqual([
    ['a', 'b  c d\ne\nf'],
    ['cell'],
    [null, null, { value: '2' }, { value: '2' }, { value: '2' }],
    [null, 'seen'],
    [{ value: '14:30:00' }, { value: '2026-04-12 14:30:00' }],
    [{ fault: expect.stringContaining('is a duration') }, { fault: expect.stringContaining('is shown as a date') }],
    [
      { value: '5', currency: 'EUR' },
      { value: '0.18', percent: '18' },
      { value: '12', unit: 'Nos' },
      { value: '7', shown: '0007' },
    ],
    [{ value: 'false' }],
    [{ fault: 'is #REF!' }, { fault: 'is Err:502' }],
  ])
})

it.each([
  ['General', 12, { value: '12' }],
  ['0.00', 12, { value: '12' }],
  ['0.00" days"', 12, { value: '12', unit: 'days' }],
  ['0.00\\ \\K\\G', 12, { value: '12', unit: 'KG' }],
  ['[$₹-4009] #,##0.00;[Red]-[$₹-4009] #,##0.00', -12, { value: '-12', currency: '₹' }],
  ['"Rs. "#,##0.00_);("Rs. "#,##0.00)', -12, { value: '-12', currency: 'Rs.' }],
  ['[>=10000000]##\\,##\\,##\\,##0.00;[>=100000]##\\,##\\,##0.00;##,##0.00', 1_234_567.5, { value: '1234567.5' }],
  ['0" %"', 18, { value: '18', percent: '18' }],
  ['0.00%', 0.18, { value: '0.18', percent: '18' }],
  ['00000', 42, { value: '42', shown: '00042' }],
  ['"INV-"0000', 42, { value: '42', shown: 'INV-0042', isOdd: true }],
  ['""0.00" Cr"', 500, { value: '500', shown: '500 Cr', isOdd: true }],
  ['0.0,," M"', 12, { value: '12', shown: '12 M', isOdd: true }],
  ['[<1000]0" g";0.0," kg"', 500, { value: '500', unit: 'g' }],
  ['dd-mmm-yy', 46_124, { value: '2026-04-12' }],
  ['[$-409]d mmmm yyyy;@', 46_124.5, { value: '2026-04-12 12:00:00' }],
  ['hh:mm', 0.5, { value: '12:00:00' }],
  ['dd-mm-yy', 0, { fault: 'is shown as a date, but its number is 0' }],
  ['dd-mm-yy', 1e9, { fault: 'is shown as a date, but its number is 1000000000' }],
  ['[h]:mm', 1.5, { fault: 'is a duration, 1.5 days: show it as a number' }],
] as const)('the number format %s shows %s as %j', (code, number, expected) => {
  expect(numberCell(number, readNumberFormat(code), false)).toEqual(expected)
})

it('words that a number format shows reach the column: units, currencies and codes; odd ones are refused', () => {
  const formats = { date: dateReader([]), decimal: '.' } as const
  const read = (code: string, column: Parameters<typeof readCell>[1]) =>
    readCell(numberCell(42, readNumberFormat(code), false) as Exclude<SheetCell, Fault>, column, formats)
  expect(read('0" Nos"', Quantity(''))).toEqual({ text: '42', unit: 'Nos', currency: undefined })
  expect(read('0.00" INR"', Amount(''))).toEqual({ text: '42', unit: undefined, currency: 'INR' })
  expect(read('"INV-"0000', Code('')).text).toBe('INV-0042')
  expect(read('00000', Code('')).text).toBe('00042')
  expect(read('00000', Quantity('')).text).toBe('42')
  for (const [code, column] of [
    ['0.00" Cr"', Amount('')],
    ['"INV-"0000', Quantity('')],
    ['0" Nos"', Amount('')],
  ] as const) {
    const { text } = read(code, column)
    expect([code, column.read(text as string)]).toEqual([code, undefined])
  }
})

it('the first sheet of a workbook is the first one that is not hidden', async () => {
  const folder = tempFolder()
  const sheets = { Lists: [['x']], Stock: [['y']] }
  await writeXlsx(join(folder, 'a.xlsx'), sheets, { hidden: ['Lists'] })
  await writeOds(join(folder, 'a.ods'), sheets, { hidden: ['Lists'] })
  for (const name of ['a.xlsx', 'a.ods']) {
    const { sheets: found } = await openBook(join(folder, name), { separator: ',', encoding: 'utf-8' })
    expect(found).toEqual([
      { name: 'Lists', hidden: true },
      { name: 'Stock', hidden: false },
    ])
  }
})

it('a file that is not what its name says is refused with its real kind', async () => {
  const folder = tempFolder()
  const put = (name: string, bytes: string | Buffer) => {
    writeFileSync(join(folder, name), bytes)
    return join(folder, name)
  }
  const copied = (from: string, name: string) => {
    cpSync(fixture(from), join(folder, name))
    return join(folder, name)
  }
  for (const [file, message] of [
    [
      put('page.xls', '\r\n<html xmlns:o="x"><table><tr><td>1</td></tr></table></html>'),
      'it is a web page (HTML), although it is named .xls: open it in a spreadsheet program, and save it as .xlsx',
    ],
    [put('table.xls', '<table border="1"><tr><td>1'), 'it is a web page (HTML)'],
    [put('mail.xls', 'MIME-Version: 1.0\r\n'), 'it is a web page (MHTML)'],
    [
      put('old.xls', '<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook/>'),
      'it is an XML Spreadsheet of Excel 2003',
    ],
    [
      put('text.xls', 'No\tDate\tItem\n1\t2\t3\n'),
      'it is text (CSV), although it is named .xls: rename it to .csv and set separator: "\\t" in the mapping',
    ],
    [
      put('text2.xls', Buffer.from('\uFEFFNo,Date\n1,2\n', 'utf16le')),
      'it is text (CSV), although it is named .xls: rename it to .csv',
    ],
    [put('empty.xlsx', ''), 'it is empty: export or copy it again'],
    [put('print.xlsx', '%PDF-1.7'), 'it is a PDF'],
    [put('excel4.xls', Buffer.from([9, 4, 6, 0, 0, 4, 16, 0, 0, 0])), 'it is a workbook of Excel 4 or older'],
    [
      copied('books.xlsx', 'book.xls'),
      'it is a ZIP file, such as an .xlsx or .ods workbook, although it is named .xls',
    ],
    [copied('books.xls', 'book.xlsx'), 'it is an .xls workbook, although it is named .xlsx: rename it to .xls'],
    [copied('books.xlsx', 'book.csv'), 'it is a ZIP file'],
    [copied('books.ods', 'ods.xlsx'), 'it is not an XLSX file: it has no xl/workbook.xml'],
    [copied('books.xlsx', 'xlsx.ods'), 'it is not an ODS file: it has no content.xml'],
    [put('other.xml', '<data><row/></data>'), 'it is XML, but no export of Tally'],
    [put('book.numbers', 'x'), `spreadsheets are ${BOOK_ENDINGS.join(', ')} files`],
  ] as const)
    await expect(cellsOf(file), file).rejects.toThrow(message)
})
