/** What a person sees otherwise than a program: hidden rows, merged cells, numbers with more digits than a spreadsheet keeps. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { accountLines } from '../../src/pull/sheets/account.js'
import { openBook } from '../../src/pull/sheets/book.js'
import { mappingOf } from '../../src/pull/sheets/mapping.js'
import { Masters } from '../../src/pull/sheets/masters.js'
import { propose } from '../../src/pull/sheets/propose/propose.js'
import { proposalText } from '../../src/pull/sheets/propose/text.js'
import { openSheets } from '../../src/pull/sheets/rows.js'
import type { SheetRow } from '../../src/pull/sheets/sheet.js'
import { biff, writeXls } from '../setup/biff.js'
import { folderOf, tempFolder } from '../setup/files.js'
import { writeOds } from '../setup/ods.js'
import { writeXlsx, type XlsxCell } from '../setup/xlsx.js'

async function rowsIn(file: string): Promise<SheetRow[]> {
  const book = await openBook(file, { separator: ',', encoding: 'utf-8' })
  const rows: SheetRow[] = []
  for (const { name } of book.sheets) for await (const row of book.rows(name)) rows.push(row)
  return rows
}

/** Reads a folder by a mapping: rows, errors and the account in words. */
async function read(folder: string, mapping: string, strict = false) {
  const { rows: source, close } = await openSheets(folder, mappingOf(mapping, 'mapping.yaml'), {
    masters: new Masters(),
    strict,
  })
  const rows: Record<string, (string | null)[][]> = {}
  const faults: string[] = []
  try {
    for await (const { part, rows: some } of source.chunks())
      for (const { line, cells, faults: found = [] } of some) {
        rows[part.entity.name] = [...(rows[part.entity.name] ?? []), cells as (string | null)[]]
        for (const { column, message } of found) {
          const { file, cell } = source.place?.(part.name, line, column) ?? { file: '', cell: '' }
          faults.push(`${file}:${cell} ${column} ${message}`)
        }
      }
  } finally {
    await close()
  }
  return { rows, faults, lines: accountLines(source.account()) }
}

const merged = new Set([0])
const ODS_ROWS =
  '<table:table-row><table:table-cell office:value-type="string" table:number-rows-spanned="3"><text:p>a</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>b</text:p></table:table-cell></table:table-row>' +
  '<table:table-row table:visibility="filter"><table:covered-table-cell/><table:table-cell office:value-type="string"><text:p>c</text:p></table:table-cell></table:table-row>' +
  '<table:table-row table:visibility="collapse"><table:covered-table-cell/><table:table-cell office:value-type="string"><text:p>d</text:p></table:table-cell></table:table-row>' +
  '<table:table-row><table:table-cell/><table:table-cell office:value-type="string"><text:p>e</text:p></table:table-cell></table:table-row>'

it('hidden rows and merged cells are known in every format', async () => {
  const folder = tempFolder()
  const xlsx = join(folder, 'a.xlsx')
  await writeXlsx(
    xlsx,
    {
      S: [
        ['a', 'b'],
        [null, 'c'],
        [null, 'd'],
        [null, 'e'],
      ],
    },
    { hiddenRows: [2, 3], merged: ['A1:A3', 'B1:C1'] },
  )
  const ods = join(folder, 'a.ods')
  const content = `<office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x"><office:body><office:spreadsheet><table:table table:name="S">${ODS_ROWS}</table:table></office:spreadsheet></office:body></office:document-content>`
  await writeOds(ods, {}, { parts: { 'content.xml': content } })
  for (const file of [xlsx, ods])
    expect(await rowsIn(file), file).toEqual([
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: [null, 'c'], hidden: true, merged },
      { line: 3, cells: [null, 'd'], hidden: true, merged },
      { line: 4, cells: [null, 'e'] },
    ])
})

it('.xls: hidden rows and merged cells are known', async () => {
  const file = join(tempFolder(), 'a.xls')
  const sheet = [
    biff.begin('sheet'),
    biff.record(0x0208, 1, 0, 2, 255, 0, 0, 0x20, 0),
    ...[biff.text(0, 0, 'a'), biff.text(0, 1, 'b'), biff.text(1, 1, 'c'), biff.text(2, 1, 'd')],
    biff.record(0x00e5, 1, 0, 1, 0, 0),
    biff.end(),
  ]
  const name = Buffer.from('S')
  const globals = (at: number) => [
    biff.begin('book'),
    [0x0085, Buffer.concat([Buffer.from(Uint32Array.of(at).buffer), Buffer.from([0, 0, 1, 0]), name])] as const,
    biff.end(),
  ]
  const length = globals(0).reduce((sum, [, body]) => sum + 4 + body.length, 0)
  writeXls(file, [...globals(length), ...sheet])
  expect(await rowsIn(file)).toEqual([
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: [null, 'c'], hidden: true, merged },
    { line: 3, cells: [null, 'd'] },
  ])
})

const HEAD = ['Invoice No', 'Date', 'Party', 'Item', 'Qty', 'Unit', 'Rate', 'Amount']
const day = (n: number) => ({ date: 46113 + n })
const line = (no: string | null, at: XlsxCell, party: string | null, item: string, qty: number): XlsxCell[] => [
  ...[no, at, party, item, qty, 'Box', 180, qty * 180],
]
/** The party is merged over two invoices, the number over two lines. */
const MERGED = [
  line('S-1', day(0), 'Asha', 'Ghee', 2),
  line(null, null, null, 'Laddu', 3),
  line('S-2', day(1), 'Vikram', 'Ghee', 1),
  line('S-3', day(2), null, 'Ghee', 4),
]
const BY_HAND = `
entities:
  sales_orders:
    file: Sales.xlsx
    columns: {order_no: Invoice No, order_date: Date, customer_code: Party, taxable_amt: Amount}
`

it('a row that lacks the value of a merged cell is named, and refused by --strict', async () => {
  const folder = tempFolder()
  const file = join(folder, 'Sales.xlsx')
  const rows = [HEAD, ...MERGED.filter(([no]) => no !== null)]
  await writeXlsx(file, { Sales: rows }, { merged: ['C3:C4', 'F2:F4'] })
  const { rows: found, lines } = await read(folder, BY_HAND)
  expect(found['sales_orders']?.at(-1)?.[2]).toBeNull()
  expect(lines).toContain(
    '  Party is empty, because its cell is merged with the one above (fill: all gives it the value): row 4',
  )
  await expect(read(folder, BY_HAND, true)).rejects.toThrow('Sales.xlsx[Sales], sales_orders: Party is empty')
  const filled = await read(folder, BY_HAND.replace('Party', '{column: Party, fill: all}'), true)
  expect(filled.rows['sales_orders']?.map((cells) => cells[2])).toEqual(['Asha', 'Vikram', 'Vikram'])
  // Programs keep the values under a merged cell, where nobody sees them.
  const under = (party: string) => ({ Sales: rows.map((row, i) => (i === 3 ? row.with(2, party) : row)) })
  await writeXlsx(file, under('Nandini'), { merged: ['C3:C4'] })
  expect((await read(folder, BY_HAND)).lines).toContain(
    '  Party has another value than the merged cell above, which hides it: row 4',
  )
  await writeXlsx(file, under('Vikram'), { merged: ['C3:C4'] })
  expect((await read(folder, BY_HAND, true)).lines.join()).not.toContain('merged')
  // Merged, and empty together: nothing is lost.
  await writeXlsx(file, { Sales: rows.map((row, i) => row.with(2, i === 0 ? 'Party' : null)) }, { merged: ['C3:C4'] })
  expect((await read(folder, BY_HAND, true)).lines.join()).not.toContain('merged')
})

it('a proposal gives a cell that is merged over several documents to all of them', async () => {
  const folder = tempFolder()
  await writeXlsx(
    join(folder, 'Sales.xlsx'),
    { Sales: [HEAD, ...MERGED] },
    { merged: ['A2:A3', 'B2:B3', 'C2:C3', 'C4:C5'] },
  )
  const proposal = await propose(folder)
  expect(proposal.tables[0]?.doubts.map(({ reason }) => reason)).toEqual([
    'Party: cells are merged over several rows, and all of these get the value',
  ])
  const { rows, faults } = await read(folder, proposalText(proposal), true)
  expect(faults).toEqual([])
  const at = ['invoice_no', 'customer_code', 'sub_total'].map((name) =>
    Object.keys({
      ...(proposal.mapping.entities['invoices'] as { constants: object; columns: object }).constants,
      ...(proposal.mapping.entities['invoices'] as { columns: object }).columns,
    }).indexOf(name),
  )
  expect(rows['invoices']?.map((cells) => at.map((i) => cells[i])).toSorted()).toEqual([
    ['S-1', 'ASHA', '900'],
    ['S-2', 'VIKRAM', '180'],
    ['S-3', 'VIKRAM', '720'],
  ])
})

it('hidden rows are read and named, and refused by --strict', async () => {
  const folder = tempFolder()
  const file = join(folder, 'Sales.xlsx')
  const rows = MERGED.filter(([no]) => no !== null)
  await writeXlsx(file, { Sales: [HEAD, ...rows] }, { hiddenRows: [1, 3, 4] })
  const { rows: found, lines } = await read(folder, BY_HAND)
  expect(found['sales_orders']).toHaveLength(3)
  expect(lines).toContain('  the row is hidden: 2 rows: 3, 4')
  await expect(read(folder, BY_HAND, true)).rejects.toThrow(
    'Sales.xlsx[Sales], sales_orders: the row is hidden: 2 rows: 3, 4',
  )
})

it('a cell with an error is no part of a number of a document', async () => {
  const folder = tempFolder()
  await writeXlsx(join(folder, 'Sales.xlsx'), {
    Sales: [HEAD, [{ error: '#REF!' }, ...line('S-1', day(0), 'Asha', 'Ghee', 2).slice(1)]],
  })
  const mapping = BY_HAND.replace('order_no: Invoice No', 'order_no: {text: "{Invoice No}/{Date|year}"}')
  expect((await read(folder, mapping)).faults).toEqual([
    'Sales.xlsx[Sales]:A2 order_no the cell of Invoice No is #REF!',
  ])
})

it('a number of more than 15 digits is refused, because spreadsheet programs keep 15 of them', async () => {
  const folder = tempFolder()
  const numbers = ['999999999999999', '1234567890123456', '1.2345678901234567E+19', '0.1234567890123456789']
  const rows = numbers.map((text) => [{ xml: (place: string) => `<c r="${place}"><v>${text}</v></c>` }])
  await writeXlsx(join(folder, 'a.xlsx'), { S: rows })
  await writeOds(join(folder, 'a.ods'), {
    S: numbers.map((text) => [{ attributes: `office:value-type="float" office:value="${text}"` }]),
  })
  const fault = { fault: expect.stringContaining('is a number of more than 15 digits') }
  for (const name of ['a.xlsx', 'a.ods'])
    expect(
      (await rowsIn(join(folder, name))).map(({ cells }) => cells[0]),
      name,
    ).toEqual([{ value: '999999999999999' }, ...[fault, fault], { value: '0.123456789012346' }])
})

it('a number that a spreadsheet program has shortened is no code, and is refused at its cell', async () => {
  const folder = folderOf({ 'items.csv': 'Code,Name,Unit\n8.90E+12,Ghee,Nos\nE5,Oil,Ltr\n' })
  const mapping = (sku: string) =>
    `entities: {items: {file: items.csv, columns: {sku: ${sku}, name: Name, unit: Unit}}}`
  const message =
    'Code is a number that a spreadsheet program has shortened, so its last digits are lost: export the column as texts'
  for (const sku of ['Code', '{text: "I-{Code}"}', '{code: Code}'])
    expect((await read(folder, mapping(sku))).faults, sku).toEqual([`items.csv:A2 sku ${message}`])
})

it('a text file with a quote that does not end is refused, before it takes the next rows', async () => {
  const folder = folderOf({ 'items.csv': 'Code,Name,Unit\nA,Oil,"Ltr\nB,Ghee,Nos\nC,Curd,"Nos"\n' })
  await expect(
    read(folder, 'entities: {items: {file: items.csv, columns: {sku: Code, name: Name, unit: Unit}}}'),
  ).rejects.toThrow('row 2 has a cell that begins with a quote without its end')
})

it('a value of stock with a unit is refused: it may be the quantity', async () => {
  const folder = folderOf({
    'items.csv': 'Item,Unit\nGhee,kg\n',
    'stock.csv': 'No,Date,Item,Qty,Value\n1,2026-04-01,Ghee,5,500 kg\n2,2026-04-01,Ghee,5,₹ 500\n',
  })
  const { rows } = await read(
    folder,
    `entities:
  items: {file: items.csv, columns: {sku: Item, name: Item, unit: Unit}}
  stock_movements: {file: stock.csv, columns: {movement_no: No, movement_date: Date, sku: Item, qty: Qty, val: Value}}`,
  )
  // The loader refuses the text at its cell.
  expect(rows['stock_movements']?.map((cells) => cells[4])).toEqual(['500 kg', '500'])
})
