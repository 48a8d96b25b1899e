/** Spreadsheets as sources: XLSX and CSV cells, and numbers and dates as people write them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Amount, Day, Moment, Percent, Quantity, YesNo } from '../../src/import/columns.js'
import { readSheetCsv } from '../../src/pull/sheets/csv.js'
import { dateReader, readCell, unitIn } from '../../src/pull/sheets/formats.js'
import { readXlsx } from '../../src/pull/sheets/xlsx.js'
import { tempFolder } from '../setup/files.js'
import { runs } from '../setup/tier.js'
import { writeXlsx } from '../setup/xlsx.js'

const textFor = (...given: Parameters<typeof readCell>): string | null => readCell(...given).text

const all = async <T>(rows: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = []
  for await (const row of rows) found.push(row)
  return found
}

it.each(['', 'x:'])('XLSX: reads texts, numbers, dates, formulas and gaps, with the prefix "%s"', async (prefix) => {
  const file = join(tempFolder(), 'a.xlsx')
  const rows = [
    ['Code', 'A & B <1>', { inline: '  kept ' }],
    [],
    [0.1 + 0.2, { date: 45_383 }, { date: 45_383.604_166_666_664 }, 1e-7, { formula: 'A1', text: '#N/A' }],
    [null, 123_456_789_012, -12.5, { percent: 0.08875 }],
  ] as const
  await writeXlsx(file, { First: [['other']], 'Second & last': rows }, { prefix })
  expect(await all(readXlsx(file, 'Second & last'))).toEqual([
    { line: 1, cells: ['Code', 'A & B <1>', '  kept '] },
    {
      line: 3,
      cells: [
        { value: '0.3' },
        { value: '2024-04-01' },
        { value: '2024-04-01 14:30:00' },
        { value: '0.0000001' },
        '#N/A',
      ],
    },
    { line: 4, cells: [null, { value: '123456789012' }, { value: '-12.5' }, { value: '0.08875', percent: '8.875' }] },
  ])
  expect(await all(readXlsx(file, undefined))).toEqual([{ line: 1, cells: ['other'] }])
  await expect(all(readXlsx(file, 'Third'))).rejects.toThrow('there is no sheet Third; there are First, Second & last')
})

it('XLSX: reads dates that count from 1904, and sheets of many rows', async () => {
  const file = join(tempFolder(), 'a.xlsx')
  await writeXlsx(file, { Dates: [[{ date: 43_921 }]] }, { date1904: true })
  expect(await all(readXlsx(file, undefined))).toEqual([{ line: 1, cells: [{ value: '2024-04-01' }] }])
  const many = Array.from({ length: 30_000 }, (_, i) => [`Item ${i}`, i])
  await writeXlsx(file, { Many: many })
  const rows = await all(readXlsx(file, 'Many'))
  expect([rows.length, rows[29_999]]).toEqual([30_000, { line: 30_000, cells: ['Item 29999', { value: '29999' }] }])
})

it('XLSX: another kind of file is refused', async () => {
  const file = join(tempFolder(), 'a.xlsx')
  writeFileSync(file, 'PK nothing')
  await expect(all(readXlsx(file, undefined))).rejects.toThrow('it is not an XLSX file')
})

/** Places in the ZIP file's list of entries, counted from the beginning of an entry (APPNOTE 4.3.12). */
const [CHECKSUM, PACKED_SIZE, SIZE, OFFSET, NAME] = [16, 20, 24, 42, 46]

it.each([
  ['a row with a wrong checksum', CHECKSUM, 1, 'xl/worksheets/sheet1.xml does not match its checksum'],
  ['more text than its size says', SIZE, 10, 'too many bytes in the stream'],
  ['less text than its size says', SIZE, 1 << 24, 'not enough bytes in the stream'],
  ['more packed bytes than the file has', PACKED_SIZE, 1 << 30, 'file data overflows file bounds'],
  ['an entry that begins after the end of the file', OFFSET, 1 << 30, 'unexpected EOF'],
])('XLSX: a damaged file with %s is refused', async (_what, place, value, message) => {
  const file = join(tempFolder(), 'a.xlsx')
  await writeXlsx(file, { Many: Array.from({ length: 1000 }, (_, i) => [`Item ${i}`, i]) })
  const bytes = readFileSync(file)
  const entry = bytes.lastIndexOf('xl/worksheets/sheet1.xml') - NAME
  bytes.writeUInt32LE(value, entry + place)
  writeFileSync(file, bytes)
  await expect(all(readXlsx(file, undefined))).rejects.toThrow(message)
})

it('XLSX: a truncated file or one with a changed byte is refused or read correctly', async () => {
  const file = join(tempFolder(), 'a.xlsx')
  await writeXlsx(file, { Few: Array.from({ length: 20 }, (_, i) => [`Item ${i}`, i]) })
  const whole = readFileSync(file)
  const read = await all(readXlsx(file, undefined))
  for (let at = 0; at < whole.length; at += runs(85, 17)) {
    writeFileSync(file, whole.subarray(0, at))
    await expect(all(readXlsx(file, undefined))).rejects.toThrow()
    const changed = Buffer.from(whole)
    changed[at] = (changed[at] as number) ^ 0xff
    writeFileSync(file, changed)
    const found = await all(readXlsx(file, undefined)).catch((error: Error) => error)
    const isRefused =
      found instanceof Error ||
      found.some(({ cells }) => cells.some((cell) => cell instanceof Object && 'fault' in cell))
    if (!isRefused) expect(found).toEqual(read)
  }
})

it('CSV: reads separators, encodings, quotes and line breaks by the mapping', async () => {
  const file = join(tempFolder(), 'a.csv')
  writeFileSync(
    file,
    Buffer.from('Artikel;Menge\r\n"M\xfchle ""A""\nB";1,5\r\n\r\n;2\r\n"A\r\n\r\nB";"C\r\n"\r\n;3', 'latin1'),
  )
  expect(await all(readSheetCsv(file, { separator: ';', encoding: 'windows-1252' }))).toEqual([
    { line: 1, cells: ['Artikel', 'Menge'] },
    { line: 2, cells: ['Mühle "A"\nB', '1,5'] },
    { line: 5, cells: [null, '2'] },
    { line: 6, cells: ['A\r\n\r\nB', 'C\r\n'] },
    { line: 10, cells: [null, '3'] },
  ])
  writeFileSync(file, Buffer.from('\uFEFFArtikel;M\u00fchle\n', 'utf16le'))
  expect(await all(readSheetCsv(file, { separator: ';', encoding: 'utf-8' }))).toEqual([
    { line: 1, cells: ['Artikel', 'M\u00fchle'] },
  ])
  writeFileSync(file, 'M\u00fchle')
  await expect(all(readSheetCsv(file, { separator: ';', encoding: 'windows-1252' }))).rejects.toThrow(
    'its text is utf-8, but the mapping names another encoding: set encoding: utf-8',
  )
  writeFileSync(file, Buffer.from('M\xfchle', 'latin1'))
  await expect(all(readSheetCsv(file, { separator: ';', encoding: 'utf-8' }))).rejects.toThrow(
    'its text is not utf-8: set its encoding in the mapping, such as encoding: windows-1252',
  )
})

it.each([
  ['CRLF, then LF', 'a,b\r\n1,2\n3,4\r\n5,"x\ny"\n6,7\n'],
  ['LF, then CRLF', 'a,b\n1,2\r\n3,4\r\n5,"x\ny"\r\n6,7'],
  ['CR only', 'a,b\r1,2\r3,4\r5,"x\ry"\r6,7\r'],
])('CSV: lines may end in %s, and keep their numbers', async (_, text) => {
  const file = join(tempFolder(), 'a.csv')
  writeFileSync(file, text)
  const rows = []
  for await (const row of readSheetCsv(file, { separator: ',', encoding: 'utf-8' })) rows.push(row)
  expect(rows).toEqual([
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['1', '2'] },
    { line: 3, cells: ['3', '4'] },
    { line: 4, cells: ['5', expect.stringMatching(/^x[\r\n]y$/)] },
    { line: 6, cells: ['6', '7'] },
  ])
})

it.each([
  ['1,234.50 Nos', '.', '1234.5'],
  ['₹ 1,23,456.00', '.', '123456'],
  ['1.234,5', ',', '1234.5'],
  ["1'234.50", '.', '1234.5'],
  ['(12.00)', '.', '-12'],
  ['12.00-', '.', '-12'],
  ['-0.00', '.', '0'],
  ['007', '.', '7'],
  ['Rs. 12,34,567.5', '.', '1234567.5'],
  ['-$ 5.00', '.', '-5'],
  ['US$5', '.', '5'],
  ['(1 234,50 €)', ',', '-1234.5'],
  ['1\u202f234,50 kg', ',', '1234.5'],
  ['12 m2', '.', '12'],
  ['5. Nos', '.', '5'],
  ['5,-', ',', '5'],
  ['€ 5,--', ',', '5'],
  ['5.-', '.', '5'],
  ['Rs. 1,234/-', '.', '1234'],
  ['₹1,23,456.00', '.', '123456'],
  ['INR 500', '.', '500'],
  ['500 INR', '.', '500'],
  ['EUR 5,00', ',', '5'],
  ['.5', '.', '0.5'],
  [',5 kg', ',', '0.5'],
  ['–5', '.', '-5'],
  ['(5.00) EUR', '.', '-5'],
] as const)('the number %s with %s before fractions is %s', (text, decimal, expected) => {
  expect(textFor(text, Quantity('', { smallest: 'any' }), { date: dateReader([]), decimal })).toBe(expected)
})

it.each([
  [
    '.',
    ['1.2.3', '1,5', '1.234,50', '1,2345', '1,23,45', '0,500', '01,234', '1.2 lakh', '1,234.50 Cr'],
    ' (with decimal: .)',
  ],
  [
    '.',
    [
      'n/a',
      '2 Cr',
      '2k',
      '2 million',
      '5 negative',
      '12 - PCS',
      'OLD 12',
      '-',
      '.',
      'kg',
      '1e3',
      '2 x 6',
      '12 34',
      '5 %',
      '10 - 12',
      '(5',
      '-5-',
    ],
    '',
  ],
  [',', ['12.50', '0.500 kg', '1,234.50', '1.23.456', '1.234.5', '1,5 bis 2'], ' (with decimal: ,)'],
] as const)('with %s before fractions, none of %j becomes another number', (decimal, texts, hint) => {
  const read = texts.map((text) => textFor(text, Amount(''), { date: dateReader([]), decimal }))
  expect(read).toEqual(texts.map((text) => text + hint))
  expect(read.map((text) => Amount('').read(text as string))).toEqual(texts.map(() => undefined))
})

it.each([
  ['DD-MMM-YY', '1-Apr-24', '2024-04-01'],
  ['DD/MM/YYYY', '31/12/2023', '2023-12-31'],
  ['DD.MM.YYYY hh:mm', '01.02.2024 9:05', '2024-02-01 09:05:00'],
  ['MMM DD, YYYY', 'September 3, 2024', '2024-09-03'],
  ['YYYY/MM/DD', '2024-04-01', '2024-04-01'],
  ['DD.MM.YY', '31.12.99', '1999-12-31'],
  ['DD MMM YY', '1 Mai 24', '1 Mai 24'],
])('the date format %s reads %s as %s', (format, text, expected) => {
  expect(textFor(text, Moment(''), { date: dateReader([format]), decimal: '.' })?.replace(' 00:00:00', '')).toBe(
    expected,
  )
})

it('date formats need a day, a month and a year; a date in another format is passed on, and the loader refuses it', () => {
  expect(() => dateReader(['MM/YYYY'])).toThrow(/lacks year, month or day/)
  expect(textFor('13.01.2024', Day(''), { date: dateReader(['DD/MM/YYYY']), decimal: '.' })).toBe('13.01.2024')
})

it('reads words for true and false, and units after numbers', () => {
  const formats = { date: dateReader([]), decimal: '.' } as const
  expect(['Yes', 'no', 'X', ' '].map((text) => textFor(text, YesNo(''), formats))).toEqual([
    'true',
    'false',
    'true',
    null,
  ])
  const units = ['12.50 Nos', '3kg', '12', 'Nos', '1,000 Sq. m', '4 m2'].map((text) => unitIn(text, '.'))
  expect(units).toEqual(['Nos', 'kg', null, null, 'Sq. m', 'm2'])
})

it('a rate may be written with a percent sign, in a text and in a cell that a sheet shows in percent', () => {
  const formats = { date: dateReader([]), decimal: '.' } as const
  expect(['18 %', '8.875%', '18'].map((text) => textFor(text, Percent(''), formats))).toEqual(['18', '8.875', '18'])
  expect(textFor({ value: '0.18', percent: '18' }, Percent(''), formats)).toBe('18')
  expect(textFor({ value: '0.18', percent: '18' }, Amount(''), formats)).toBe('0.18')
})
