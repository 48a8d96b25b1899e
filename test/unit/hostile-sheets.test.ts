/** Files that lie: each is refused with a reason, before it fills the memory, and nothing is fetched. */
import { createWriteStream, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { zip } from '../../src/formats/zip.js'
import { openBook } from '../../src/pull/sheets/book.js'
import type { SheetRow } from '../../src/pull/sheets/sheet.js'
import { biff, writeXls, type XlsRecord } from '../setup/biff.js'
import { tempFolder } from '../setup/files.js'
import { type OdsCell, writeOds } from '../setup/ods.js'
import { inLongTier, long, runs } from '../setup/tier.js'
import { writeXlsx } from '../setup/xlsx.js'

async function read(file: string): Promise<SheetRow[]> {
  const book = await openBook(file, { separator: ',', encoding: 'utf-8' })
  const rows: SheetRow[] = []
  for (const { name } of book.sheets) for await (const row of book.rows(name)) rows.push(row)
  return rows
}

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/books/${name}`, import.meta.url))
const path = (name: string): string => join(tempFolder(), name)

const MB = Buffer.alloc(1 << 20, ' ')
const OPEN = '<?xml version="1.0"?>'

/** An archive whose part `name` unpacks to spaces. */
async function bomb(file: string, name: string, others: Record<string, string> = {}, mb = 128): Promise<string> {
  const parts = Object.entries(others).map(([name, text]) => ({ name, bytes: [Buffer.from(text)] }))
  await pipeline(zip([...parts, { name, bytes: Array.from({ length: mb }, () => MB) }], 9), createWriteStream(file))
  return file
}

const BOOK = `${OPEN}<workbook xmlns:r="r"><sheets><sheet name="S" r:id="r1"/></sheets></workbook>`
const RELATIONS = '<Relationships><Relationship Id="r1" Type="t" Target="worksheets/sheet1.xml"/></Relationships>'
const PARTS = { 'xl/workbook.xml': BOOK, 'xl/_rels/workbook.xml.rels': RELATIONS }

const BOMBS: readonly (readonly [string, string, Record<string, string>])[] = [
  ['a.xlsx', 'xl/worksheets/sheet1.xml', PARTS],
  ['a.ods', 'content.xml', {}],
  ['a.xlsx', 'xl/workbook.xml', {}],
  ['a.xlsx', 'xl/sharedStrings.xml', { ...PARTS, 'xl/worksheets/sheet1.xml': '<worksheet/>' }],
  ['a.xlsx', 'xl/styles.xml', { ...PARTS, 'xl/worksheets/sheet1.xml': '<worksheet/>' }],
  ['a.ods', 'styles.xml', { 'content.xml': '<x/>' }],
]

it.each(long ? BOMBS : BOMBS.slice(0, 1))('%s: a bomb in %s is refused', async (name, part, others) => {
  const file = await bomb(path(name), part, others)
  await expect(read(file)).rejects.toThrow(
    `its ${part} unpacks from 1 MB to 128 MB: the file is damaged, or made to fill the memory`,
  )
})

it('an archive inside an .ods is not opened, and an .ods that is only one is refused', async () => {
  const inner = readFileSync(await bomb(path('inner.ods'), 'content.xml', {}, 1))
  const nested = path('a.ods')
  await pipeline(zip([{ name: 'inner.ods', bytes: [inner] }]), createWriteStream(nested))
  await expect(read(nested)).rejects.toThrow('it is not an ODS file: it has no content.xml')
  const beside = path('b.ods')
  await writeOds(beside, { S: [['kept']] }, { parts: { 'Object 1/content.xml': inner.toString('latin1') } })
  expect(await read(beside)).toEqual([{ line: 1, cells: ['kept'] }])
})

const sheet = (rows: string) => ({
  'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
})
const cell = (place: string, more = '') => `<c r="${place}"${more}><v>1</v></c>`

it.each([
  [
    'row 16 million',
    `<row r="16000000">${cell('A16000000')}</row>`,
    'it has a row 16000000, and sheets end at row 1,048,576',
  ],
  ['column 16,385', `<row r="1">${cell('XFE1')}</row>`, 'row 1 has more than 16,384 columns'],
  ['column 300 million', `<row r="1">${cell('ZZZZZ1')}</row>`, 'row 1 has more than 16,384 columns'],
  ['rows out of order', `<row r="2">${cell('A2')}</row><row r="1">${cell('A1')}</row>`, 'row 1 follows row 2'],
  ['a row without a number', `<row r="x">${cell('A1')}</row>`, 'the file is damaged: row x'],
  ['a cell twice', `<row r="1">${cell('A1')}${cell('A1')}</row>`, 'the cell A1 comes twice or too late'],
  ['a cell without an end', '<row r="1"><c r="A1"><v>1</row>', 'is not well-formed XML'],
  ['no end', '<row r="1"><c r="A1">', 'is not well-formed XML'],
  ['elements without end inside each other', '<a>'.repeat(5000), 'nested more than 100 deep'],
  [
    'too many attributes',
    `<row ${Array.from({ length: 2000 }, (_, i) => `a${i}=""`).join(' ')}>`,
    'too many attributes',
  ],
  [
    'a text of 2 MB',
    `<row r="1"><c r="A1" t="str"><v>${'x'.repeat(1 << 21)}</v></c></row>`,
    'a cell has more than 1,048,576 characters',
  ],
  ['entities', '<row r="1"><c r="A1" t="str"><v>&lol;</v></c></row>', 'is not well-formed XML'],
])('.xlsx: %s is refused', async (_what, rows, message) => {
  const file = path('a.xlsx')
  await writeXlsx(file, { S: [] }, { parts: sheet(rows) })
  await expect(read(file)).rejects.toThrow(message)
})

inLongTier('.xlsx: far cells in many rows are refused before the gaps fill the memory', async () => {
  const file = path('a.xlsx')
  const rows = Array.from({ length: 7000 }, (_, i) => `<row r="${i + 1}">${cell(`XFD${i + 1}`)}</row>`)
  await writeXlsx(file, { S: [] }, { parts: sheet(rows.join('')) })
  const book = await openBook(file, { separator: ',', encoding: 'utf-8' })
  const all = async () => {
    for await (const _ of book.rows('S'));
  }
  await expect(all()).rejects.toThrow('a sheet has more than 100,000,000 cells')
})

const LAUGHS = `${OPEN}<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>`

it('a document type is refused in every format of XML', async () => {
  const xlsx = path('a.xlsx')
  await writeXlsx(xlsx, { S: [] }, { parts: { 'xl/worksheets/sheet1.xml': `${LAUGHS}<worksheet/>` } })
  const ods = path('a.ods')
  await writeOds(ods, {}, { parts: { 'content.xml': `${LAUGHS}<x>&b;&c;</x>` } })
  const tally = path('a.xml')
  writeFileSync(tally, `${LAUGHS}<ENVELOPE>&b;</ENVELOPE>`)
  for (const file of [xlsx, ods, tally]) await expect(read(file), file).rejects.toThrow('declares a document type')
})

const repeated = (attributes: string): OdsCell => ({
  attributes: `office:value-type="float" office:value="1" ${attributes}`,
})
const content = (rows: string) =>
  `<office:document-content><office:body><office:spreadsheet><table:table table:name="S">${rows}</table:table></office:spreadsheet></office:body></office:document-content>`

it('.ods: 16 million rows, 16,385 columns and endless repeats are refused', async () => {
  const file = path('a.ods')
  const one = '<table:table-cell office:value-type="float" office:value="1"/>'
  for (const [rows, message] of [
    [`<table:table-row table:number-rows-repeated="16000000">${one}</table:table-row>`, 'it has 16000000 rows'],
    [
      `<table:table-row table:number-rows-repeated="15999999"/><table:table-row>${one}</table:table-row>`,
      'it has 16000000 rows',
    ],
    ['<table:table-row table:number-rows-repeated="-1"/>', 'the file is damaged: it repeats a cell -1 times'],
    [
      `<table:table-row table:number-rows-repeated="1000000">${one.replace('/>', ' table:number-columns-repeated="16384"/>')}</table:table-row>`,
      'more than 100,000,000 cells',
    ],
    [
      '<table:table-row><table:table-cell><text:p><text:s text:c="9999999999"/><text:s text:c="9999999999"/></text:p></table:table-cell></table:table-row>',
      'a cell has more than 1,048,576 characters',
    ],
  ] as const) {
    await writeOds(file, {}, { parts: { 'content.xml': content(rows) } })
    const all = async () => {
      const book = await openBook(file, { separator: ',', encoding: 'utf-8' })
      for await (const _ of book.rows('S'));
    }
    await expect(all()).rejects.toThrow(message)
  }
  await writeOds(file, { S: [[repeated('table:number-columns-repeated="16385"')]] })
  await expect(read(file)).rejects.toThrow('row 1 has more than 16,384 columns')
})

it('formulas that fetch are refused on their cell, links to other workbooks keep their value, and nothing is fetched', async () => {
  let requests = 0
  const server = createServer((_, response) => {
    requests++
    response.end('1')
  })
  await new Promise<void>((started) => server.listen(0, '127.0.0.1', started))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const fetches = { fault: expect.stringContaining('is a formula that fetches data from elsewhere') }
  const formula = (text: string, more = '') => ({
    xml: (place: string) => `<c r="${place}"><f${more}>${text.replaceAll('"', '&quot;')}</f><v>7</v></c>`,
  })
  const xlsx = path('a.xlsx')
  await writeXlsx(
    xlsx,
    {
      S: [
        [
          formula(`_xlfn.WEBSERVICE("${url}")`),
          formula(`RTD("x",,"y")`),
          formula(`cmd|'/c calc'!A0`),
          formula('[2]!topic'),
        ],
        [
          formula(`WEBSERVICE("${url}")`, ' t="shared" ref="A2:A3" si="4"'),
          formula('[1]Prices!A1'),
          formula('LEN("WEBSERVICE(")'),
        ],
        [formula('', ' t="shared" si="4"')],
      ],
    },
    {
      parts: {
        'xl/workbook.xml': BOOK.replace(
          '</workbook>',
          '<externalReferences><externalReference r:id="r2"/><externalReference r:id="r3"/></externalReferences></workbook>',
        ),
        'xl/_rels/workbook.xml.rels': RELATIONS.replace(
          '</R',
          '<Relationship Id="r2" Type="t" Target="externalLinks/1.xml"/><Relationship Id="r3" Type="t" Target="externalLinks/2.xml"/></R',
        ),
        'xl/externalLinks/1.xml': '<externalLink><externalBook/></externalLink>',
        'xl/externalLinks/2.xml': '<externalLink><ddeLink ddeService="cmd" ddeTopic="/c calc"/></externalLink>',
      },
    },
  )
  const seven = { value: '7' }
  expect(await read(xlsx)).toEqual([
    { line: 1, cells: [fetches, fetches, fetches, fetches] },
    { line: 2, cells: [fetches, seven, seven] },
    { line: 3, cells: [fetches] },
  ])
  const ods = path('a.ods')
  const odsFormula = (text: string): OdsCell => repeated(`table:formula="${text.replaceAll('"', '&quot;')}"`)
  await writeOds(ods, {
    S: [
      [
        odsFormula(`of:=WEBSERVICE("${url}")`),
        odsFormula('of:=DDE("soffice";"a";"b")'),
        odsFormula(`of:='file:///b.ods'#$S.A1`),
      ],
    ],
  })
  expect(await read(ods)).toEqual([{ line: 1, cells: [fetches, fetches, { value: '1' }] }])
  const xls = path('a.xls')
  const dde: XlsRecord = [0x01ae, Buffer.from([0, 0, 5, 0, 0, ...Buffer.from('cmd\x03c')])]
  writeXls(xls, [biff.begin('sheet'), dde, biff.text(0, 0, 'x'), biff.end()])
  await expect(read(xls)).rejects.toThrow('it has a link that fetches data from another program')
  server.close()
  expect(requests).toBe(0)
})

it('workbooks with a password are refused with a sentence', async () => {
  const message = 'it is protected by a password: open it in a spreadsheet program, and save it without one'
  await expect(read(fixture('password.xlsx'))).rejects.toThrow(message)
  const xls = path('a.xls')
  writeXls(xls, [biff.begin('sheet'), biff.record(0x2f, 1, 1, 1), biff.text(0, 0, 'x'), biff.end()])
  await expect(read(xls)).rejects.toThrow(message)
  const ods = path('a.ods')
  const manifest =
    '<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>'
  await writeOds(ods, { S: [['x']] }, { parts: { 'META-INF/manifest.xml': manifest } })
  await expect(read(ods)).rejects.toThrow(message)
})

it('.xls: truncated, twisted and impossible files are refused', async () => {
  const whole = readFileSync(fixture('books.xls'))
  const file = path('a.xls')
  const expected = await read(fixture('books.xls'))
  for (let at = 8; at < whole.length - 512; at += runs(970, 97)) {
    writeFileSync(file, whole.subarray(0, at))
    await expect(read(file), `cut at ${at}`).rejects.toThrow()
  }
  // A changed byte of the container is refused, or does not matter.
  for (let at = 24; at < 512; at += runs(40, 5)) {
    const changed = Buffer.from(whole)
    changed[at] = (changed[at] as number) ^ 0xff
    writeFileSync(file, changed)
    const found = await read(file).catch((error: Error) => error)
    if (!(found instanceof Error)) expect([at, found]).toEqual([at, expected])
  }
  for (const [records, message] of [
    [[biff.begin('sheet'), biff.text(0, 0, 'x')], 'it is not complete'],
    [[biff.begin('sheet'), biff.number(0, 300, 1), biff.end()], 'it has a cell in column 301'],
    [[biff.begin('book'), [0x85, Buffer.from([99, 9, 0, 0, 0, 0, 1, 0, 65])], biff.end()], 'a sheet is missing'],
    [[biff.begin('sheet'), biff.record(0x00fd, 0, 0, 0, 9, 0), biff.end()], 'the file is damaged'],
  ] as const) {
    writeXls(file, records as readonly XlsRecord[])
    await expect(read(file)).rejects.toThrow(message)
  }
})

it('.xls: a file that would fill the memory is refused before it is read', async () => {
  const file = path('a.xls')
  for (const begin of ['d0cf11e0a1b11ae1', '09081000000600050000000000000000']) {
    writeFileSync(file, Buffer.from(begin, 'hex'))
    truncateSync(file, 200 * 2 ** 20)
    const before = process.memoryUsage().arrayBuffers
    await expect(read(file)).rejects.toThrow('it has more than 64 MB, for which an .xls needs too much memory')
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 2 ** 20)
  }
  // Small, but with more cells than fit: 256 numbers in 10 bytes each, 4,000 times.
  const row = (n: number): XlsRecord => [
    0x00bd,
    Buffer.concat([Buffer.from([n & 255, n >> 8, 0, 0]), Buffer.alloc(256 * 6 + 2)]),
  ]
  writeXls(file, [biff.begin('sheet'), ...Array.from({ length: 4000 }, (_, n) => row(n)), biff.end()])
  await expect(read(file)).rejects.toThrow('it has more than 1,000,000 cells')
})

it('.xls: a circle of sectors ends', async () => {
  const whole = Buffer.from(readFileSync(fixture('books.xls')))
  const fat = 512 * (whole.readUInt32LE(76) + 1)
  for (let sector = 0; sector < 12; sector++) {
    const changed = Buffer.from(whole)
    changed.writeUInt32LE(0, fat + 4 * sector)
    const file = path('a.xls')
    writeFileSync(file, changed)
    await read(file).catch((error: Error) => expect(error.message).toContain('damaged'))
  }
})

inLongTier('CSV: a quote that never closes is refused', async () => {
  const file = path('a.csv')
  await pipeline(
    (function* () {
      yield 'a,b\n"'
      for (let i = 0; i < 40; i++) yield MB
    })(),
    createWriteStream(file),
  )
  await expect(read(file)).rejects.toThrow(/a row has more than 16,777,216 characters/)
})

it('CSV: a file of bytes, and a row of too many cells, are refused', async () => {
  const file = path('a.csv')
  writeFileSync(file, Buffer.from('a,b\n1,2\n', 'utf16le'))
  await expect(read(file)).rejects.toThrow('its text is utf-16le: set encoding: utf-16le')
  writeFileSync(file, `${','.repeat(20_000)}\n`)
  await expect(read(file)).rejects.toThrow('row 1 has more than 16,384 columns')
})

inLongTier('Tally: endless records are refused', async () => {
  const file = path('a.xml')
  await pipeline(
    (function* () {
      yield '<ENVELOPE><BODY><TALLYMESSAGE><VOUCHER>'
      for (let i = 0; i < 120; i++) yield '<A>1</A>'.repeat(10_000)
    })(),
    createWriteStream(file),
  )
  await expect(read(file)).rejects.toThrow('a VOUCHER in it has too many parts')
})

it('Tally: a file that ends in the middle is refused', async () => {
  const file = path('a.xml')
  writeFileSync(file, '<ENVELOPE><BODY><TALLYMESSAGE><VOUCHER>')
  await expect(read(file)).rejects.toThrow('is not well-formed XML')
})
