/** Mappings of spreadsheets: nothing is read wrong in silence. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Account, accountLines } from '../../src/pull/sheets/account.js'
import { mappingOf } from '../../src/pull/sheets/mapping.js'
import { Masters } from '../../src/pull/sheets/masters.js'
import { openSheets } from '../../src/pull/sheets/rows.js'
import { folderOf } from '../setup/files.js'
import { writeXlsx } from '../setup/xlsx.js'

type Books = Record<string, Record<string, readonly (readonly unknown[])[]>>

interface Read {
  rows: Record<string, Record<string, string | null>[]>
  /** Errors as `file:cell column message`. */
  faults: string[]
  account: Account
}

/** Reads workbooks, given by file and sheet, and CSV texts. */
async function read(mapping: string, books: Books, texts: Record<string, string> = {}, strict = false): Promise<Read> {
  const folder = folderOf(texts)
  for (const [name, sheets] of Object.entries(books)) await writeXlsx(join(folder, name), sheets as never)
  const { rows: source, close } = await openSheets(folder, mappingOf(mapping, 'mapping.yaml'), {
    masters: new Masters(),
    strict,
  })
  const found: Read = { rows: {}, faults: [], account: { sheets: [], unread: [] } }
  try {
    for await (const { part, rows } of source.chunks())
      for (const { line, header, cells, faults = [] } of rows) {
        found.rows[part.entity.name] ??= []
        found.rows[part.entity.name]?.push(
          Object.fromEntries(header.map((name, i) => [name, cells[i] as string | null])),
        )
        for (const { column, message } of faults) {
          const { file, line: own, cell } = source.place?.(part.name, line, column) ?? { file: '', line }
          found.faults.push(`${file}:${cell ?? own} ${column} ${message}`)
        }
      }
  } finally {
    await close()
  }
  return { ...found, account: source.account() }
}

const only = <Name extends string>(rows: readonly Record<string, unknown>[] = [], ...names: Name[]) =>
  rows.map((row) => names.map((name) => row[name]))

const HEADS = `
entities:
  sales_orders:
    file: sales.xlsx
    first: true
    columns: {order_no: No, order_date: Date, customer_code: Party}
`
const LATER = [
  ['No', 'Date', 'Party'],
  ['1', '2024-12-30', 'Asha'],
  ['1', '2024-12-30', 'Asha'],
  ['1', '2025-01-02', 'Vikram'],
]

it('numbers that begin anew each year are not merged: different heads of one key are an error that says what to do', async () => {
  const { faults } = await read(HEADS, { 'sales.xlsx': { Sales: LATER } })
  expect(faults).toEqual([
    expect.stringMatching(
      /^sales\.xlsx\[Sales\]:B4 order_date another row of order_no 1 has "2024-12-30" here\. If the numbers begin anew each year/,
    ),
    expect.stringContaining('sales.xlsx[Sales]:C4 customer_code another row of order_no 1 has "Asha" here'),
  ])
  const withYear = HEADS.replace('order_no: No', 'order_no: {text: "{No}/{Date|year}"}')
  const { rows, faults: none } = await read(withYear, { 'sales.xlsx': { Sales: LATER } })
  expect(none).toEqual([])
  expect(only(rows['sales_orders'], 'order_no', 'customer_code')).toEqual([
    ['1/2024', 'Asha'],
    ['1/2025', 'Vikram'],
  ])
  const fiscal = await read(`year_begins: 4${withYear}`, { 'sales.xlsx': { Sales: LATER } })
  expect(fiscal.faults, 'December and January are in one year').toHaveLength(2)
  expect(only(fiscal.rows['sales_orders'], 'order_no')[0]).toEqual(['1/2024-25'])
  const any = await read(HEADS.replace('first: true', 'first: any'), { 'sales.xlsx': { Sales: LATER } })
  expect([any.faults, only(any.rows['sales_orders'], 'customer_code')]).toEqual([[], [['Asha']]])
})

const LINES = `
entities:
  sales_orders:
    file: sales.xlsx
    first: true
    columns: {order_no: {column: No, fill: down}, order_date: {column: Date, fill: down}, customer_code: {column: Party, fill: down},
              taxable_amt: {sum: Amount}, total_amt: {sum: Amount, round: 1}}
  sales_order_items:
    file: sales.xlsx
    columns: {order_no: {column: No, fill: down}, line_no: {count: No}, sku: Item, qty: Qty, taxable_amt: Amount}
`

it('empty cells under the first line of a voucher are filled down, not into the next voucher, and heads are summed', async () => {
  const sheet = [
    ['No', 'Date', 'Party', 'Item', 'Qty', 'Amount'],
    ['S1', '2026-04-01', 'Asha', 'A', 1, 10.05],
    [null, null, null, 'B', 2, 20.1],
    ['S2', '2026-04-02', null, 'A', 3, 30],
    [null, null, null, 'C', 4, 0.33],
    [null, null, null, 'D', 5, 1],
  ]
  const { rows, faults, account } = await read(LINES, { 'sales.xlsx': { Sales: sheet } })
  expect(faults).toEqual([])
  expect(only(rows['sales_orders'], 'order_no', 'order_date', 'customer_code', 'taxable_amt', 'total_amt')).toEqual([
    ['S1', '2026-04-01', 'Asha', '30.15', '30.2'],
    ['S2', '2026-04-02', null, '31.33', '31.3'],
  ])
  expect(only(rows['sales_order_items'], 'order_no', 'line_no', 'sku')).toEqual([
    ['S1', '1', 'A'],
    ['S1', '2', 'B'],
    ['S2', '1', 'A'],
    ['S2', '2', 'C'],
    ['S2', '3', 'D'],
  ])
  expect(account.sheets.map(({ read, used }) => [read, used])).toEqual([
    [5, 5],
    [5, 5],
  ])
  const all = LINES.replaceAll(
    'customer_code: {column: Party, fill: down}',
    'customer_code: {column: Party, fill: all}',
  )
  const through = await read(all, { 'sales.xlsx': { Sales: sheet } })
  expect(only(through.rows['sales_orders'], 'customer_code')).toEqual([['Asha'], ['Asha']])
})

it('a run tells the rows that it read, used and left out by each rule, and what no rule reads', async () => {
  const mapping = `
entities:
  items:
    file: stock*.xlsx
    sheet: [Stock, "20* stock"]
    header: 2
    unless: Unit
    leave_out: [{column: Item, like: ["*total*", "Group:*"]}]
    only: {column: Kind, like: Goods}
    until: {column: Item, like: "Notes*"}
    columns: {sku: Item, name: Item, unit: Unit}
    constants: {type: FG}
`
  const sheet = [
    ['Stock of Rao Mills'],
    ['Item', 'Unit', 'Kind'],
    ['A', 'KG', 'Goods'],
    [],
    ['Group: other', 'x', 'Goods'],
    ['B', 'KG', 'Service'],
    ['C', null, 'Goods'],
    ['Sub Total', 'KG', 'Goods'],
    ['D', 'KG', 'Goods'],
    ['Notes', '', ''],
    ['E', 'KG', 'Goods'],
    [],
  ]
  const books: Books = {
    'stock-1.xlsx': { Cover: [['x']], Stock: sheet },
    'stock-2.xlsx': { '2026 Stock': sheet.slice(0, 3) },
    'more.xlsx': { A: [] },
  }
  const { rows, account } = await read(mapping, books, { 'notes.csv': 'x\n' })
  expect(only(rows['items'], 'sku')).toEqual([['A'], ['D'], ['A']])
  expect(accountLines(account)).toEqual([
    'stock-1.xlsx[Stock]: 9 rows read for items, 2 used',
    '  left out because the row is empty: row 4',
    '  left out because Item is like *total* or Group:*: 2 rows: 5, 8',
    '  left out because it is not so that Kind is like Goods: row 6',
    '  left out because Unit is empty: row 7',
    '  left out because the table ends where Item is like Notes*: 2 rows: 10, 11',
    'stock-2.xlsx[2026 Stock]: 1 row read for items, 1 used',
    'not read: more.xlsx, notes.csv, stock-1.xlsx[Cover]',
  ])
  await expect(read(mapping, books, { 'notes.csv': 'x\n' }, true)).rejects.toThrow(
    '--strict refuses the files:\nmore.xlsx: no rule of the mapping reads it\nnotes.csv: no rule of the mapping reads it\nstock-1.xlsx[Cover]',
  )
  const whole = { 'stock-1.xlsx': { Stock: sheet } }
  await expect(read(mapping, whole, {}, true)).rejects.toThrow(
    /\[Stock\], items: left out because the row is empty: row 4$/,
  )
  expect((await read(`blank: true${mapping}`, whole, {}, true)).faults, 'a rule allows empty rows').toEqual([])
})

it('a header may have two rows, and columns of one name are chosen by the group above, by number or by letter', async () => {
  const sheet = [
    [null, null, 'Inwards', null, null, 'Outwards', null, 'Remarks'],
    ['Date', 'Item', 'Qty', 'Rate', 'Value', 'Qty', 'Value'],
    ['2026-04-01', 'A', 5, 2, 10, 3, 6, 'ok'],
  ]
  const mapping = (qty: string) => `
entities:
  stock_movements: {file: book.xlsx, header: 1-2, columns: {movement_no: {text: "{Date|date}/{Item}/{#}"}, sku: Item, qty: "${qty}", note: Remarks}}
`
  for (const [name, qty] of [
    ['Inwards / Qty', '5'],
    ['Outwards / Qty', '3'],
    ['Qty #2', '3'],
    ['[C]', '5'],
    ['Rate', '2'],
  ] as const) {
    const { rows } = await read(mapping(name), { 'book.xlsx': { Book: sheet } })
    expect([name, ...only(rows['stock_movements'], 'movement_no', 'qty', 'note')]).toEqual([
      name,
      ['2026-04-01/A/1', qty, 'ok'],
    ])
  }
  await expect(read(mapping('Qty'), { 'book.xlsx': { Book: sheet } })).rejects.toThrow(
    'book.xlsx[Book], row 2: there are 2 columns Qty; name one as "Inwards / Qty" or "Outwards / Qty", or by its letter as "[C]"',
  )
})

const MEASURES = `
entities:
  account: {file: firm.csv, columns: {name: Firm, currency: Currency}, constants: {time_zone: Asia/Kolkata}}
  items: {file: items.csv, columns: {sku: Item, name: Item, unit: Unit}, constants: {type: MAT}}
  item_units: {file: units.csv, columns: {sku: Item, unit: Unit, factor: Factor}}
  purchase_orders: {file: heads.csv, columns: {po_no: No, taxable_amt: Amount, currency: Currency, exchange_rate: Rate}}
  purchase_order_items: {file: lines.csv, columns: {po_no: No, line_no: Line, sku: Item, qty: Qty, rate: Rate, taxable_amt: Amount}}
`
const MASTERS = {
  'firm.csv': 'Firm,Currency\nRao Mills,INR\n',
  'items.csv': 'Item,Unit\nFlour,KG\nEggs,Nos\nOil,LTR\n',
  'units.csv': 'Item,Unit,Factor\nOil,TIN,15\n',
  'heads.csv': 'No,Amount,Currency,Rate\nP1,"₹ 1,23,456.50",,\nP2,USD 35.00,USD,83\n',
}
const LINE = 'No,Line,Item,Qty,Rate,Amount\n'

it.each([
  ['P1,1,Flour,500 g,70/kg,35', ['0.5', null, '70', '35']],
  ['P1,1,Flour,500 g,70.00,35', ['0.5', null, '70', '35']],
  ['P1,1,Flour,500 g,0.07,35', ['0.5', null, '70', '35']],
  ['P1,1,Flour,2 qtl,40/Kgs,8000', ['200', null, '40', '8000']],
  ['P1,1,Flour,2 Kgs,40,80', ['2', null, '40', '80']],
  ['P1,1,Eggs,1 doz,72/doz,72', ['12', null, '6', '72']],
  ['P1,1,Oil,2 tin,1500/TIN,3000', ['2', 'TIN', '1500', '3000']],
  ['P1,1,Oil,2 tin,100/ltr,3000', ['2', 'TIN', '1500', '3000']],
  ['P2,1,Oil,2,$17.50,USD 35.00', ['2', null, '17.5', '35']],
])('the line %s is read in the item’s unit and the document’s currency', async (line, expected) => {
  const { rows, faults } = await read(
    MEASURES,
    {},
    { ...MASTERS, 'lines.csv': `${LINE}${line.replace('USD 35.00', '"USD 35.00"')}\n` },
  )
  expect(faults).toEqual([])
  expect(only(rows['purchase_order_items'], 'qty', 'unit', 'rate', 'taxable_amt')).toEqual([expected])
})

it.each([
  [
    'P1,1,Flour,500 bag,1,500',
    'D2 qty is in bag, and the item is kept in KG: add bag to its item_units, or correct the cell',
  ],
  ['P1,1,Flour,500 g,10,35', 'E2 rate may be the price for one g or for one KG: write it as 10/KG'],
  ['P1,1,Flour,5,70/ltr,350', 'E2 rate is in ltr, and the row is in KG'],
  ['P1,1,Oil,2,100,USD 35.00', 'F2 taxable_amt is in USD, and its document is in INR'],
  ['P2,1,Oil,2,Rs 100,35', 'E2 rate is in Rs, and its document is in USD'],
  ['P1,1,Oil,2,$ 100,35', 'E2 rate is in $, and its document is in INR'],
])('the line %s is refused with its cell', async (line, message) => {
  const { faults } = await read(MEASURES, {}, { ...MASTERS, 'lines.csv': `${LINE}${line}\n` })
  expect(faults).toEqual([`lines.csv:${message}`])
})

it('converted units are told, and --strict refuses them', async () => {
  const texts = { ...MASTERS, 'lines.csv': `${LINE}P1,1,Flour,500 g,70/kg,35\nP1,2,Flour,2 Kgs,40,80\n` }
  const { account } = await read(MEASURES, {}, texts)
  expect(accountLines(account).filter((line) => line.includes('converted'))).toEqual(['  g was converted to KG: row 2'])
  await expect(read(MEASURES, {}, texts, true)).rejects.toThrow(
    'lines.csv, purchase_order_items: g was converted to KG: row 2',
  )
})

it('items and customers that exist only by name get a code from it, the same in every run', async () => {
  const mapping = `
entities:
  items:
    - {file: coded.csv, columns: {sku: Code, name: Name, unit: Unit}, constants: {type: MAT}}
    - {file: stock.csv, columns: {sku: {code: Name}, name: Name, unit: Unit}, constants: {type: FG}}
  customers: {file: sales.csv, first: any, columns: {code: {code: Party}, name: Party}}
  sales_order_items: {file: sales.csv, columns: {order_no: No, line_no: {count: No}, sku: {code: Item}, qty: Qty}}
`
  const texts = {
    'coded.csv': 'Code,Name,Unit\nRM-7,Ghee  tin,NOS\n',
    'stock.csv': 'Name,Unit\n"Steel rod, 12 mm",KG\nA very long name of an item that no code can hold,KG\n',
    'sales.csv': 'No,Party,Item,Qty\n1,Asha & Sons,GHEE TIN,1\n1,ASHA  & sons,"steel rod,  12 MM",2\n',
  }
  const { rows, faults } = await read(mapping, {}, texts)
  expect(faults).toEqual([])
  expect(only(rows['items'], 'sku')).toEqual([
    ['RM-7'],
    ['STEEL-ROD-12-MM'],
    [expect.stringMatching(/^A-VERY-LONG-NAME-OF-AN-ITEM-THAT-[0-9A-F]{6}$/)],
  ])
  expect(only(rows['customers'], 'code', 'name')).toEqual([['ASHA-SONS', 'Asha & Sons']])
  expect(only(rows['sales_order_items'], 'sku', 'qty')).toEqual([
    ['RM-7', '1'],
    ['STEEL-ROD-12-MM', '2'],
  ])
  const two = await read(
    mapping,
    {},
    { ...texts, 'sales.csv': 'No,Party,Item,Qty\n1,Asha & Sons,Ghee Tin,1\n2,Asha-Sons,Ghee Tin,1\n' },
  )
  expect(two.faults).toEqual([
    'sales.csv:B3 code the code ASHA-SONS would be made from two names, ASHA & SONS and ASHA-SONS; give one of them another code by values',
  ])
})

it('texts and real dates stand in one column, Indian numbers and brackets are read, computed cells are rounded by a rule', async () => {
  const mapping = `
dates: [DD-MM-YYYY, DD-MMM-YY]
entities:
  purchase_orders: {file: p.xlsx, columns: {po_no: No, po_date: Date, taxable_amt: {column: Amount, round: 2}}}
`
  const sheet = [
    ['No', 'Date', 'Amount'],
    ['1', '12-04-2026', '1,23,456.50'],
    ['2', { date: 46_124 }, '(250.00)'],
    ['3', '3-Apr-26', 1.005],
    ['4', '2026/04/01', 2.675],
  ]
  const { rows } = await read(mapping, { 'p.xlsx': { P: sheet } })
  expect(only(rows['purchase_orders'], 'po_date', 'taxable_amt')).toEqual([
    ['2026-04-12', '123456.5'],
    ['2026-04-12', '-250'],
    ['2026-04-03', '1.01'],
    ['2026/04/01', '2.68'],
  ])
})

it('a tab per month is read by a pattern, totals and subtotals are left out, and the month may be a part of the key', async () => {
  const mapping = `
blank: true
dates: DD-MM-YYYY
entities:
  stock_movements:
    file: stock*.xlsx
    sheet: ["Apr*", "May*"]
    header: 2
    leave_out: [{column: Item, like: ["*total*", ""]}]
    columns: {movement_no: {text: "{#sheet}/{Item}/{#}"}, movement_date: Date, sku: Item, qty: In}
    constants: {kind: other_receipt, warehouse: Main}
`
  const month = (day: string) => [
    ['Stock book'],
    ['Date', 'Item', 'In'],
    [day, 'A', 5],
    [],
    [null, 'Sub-Total', 5],
    [day, 'A', '1,23,456.50'],
    [null, 'TOTAL', 123_461.5],
  ]
  const { rows, account } = await read(mapping, {
    'stock 2026.xlsx': { 'Apr 26': month('12-04-2026'), 'May 26': month('01-05-2026'), Summary: [['x']] },
  })
  expect(only(rows['stock_movements'], 'movement_no', 'movement_date', 'qty')).toEqual([
    ['Apr 26/A/1', '2026-04-12', '5'],
    ['Apr 26/A/2', '2026-04-12', '123456.5'],
    ['May 26/A/1', '2026-05-01', '5'],
    ['May 26/A/2', '2026-05-01', '123456.5'],
  ])
  expect([account.sheets.map(({ sheet, used }) => [sheet, used]), account.unread]).toEqual([
    [
      ['Apr 26', 2],
      ['May 26', 2],
    ],
    ['stock 2026.xlsx[Summary]'],
  ])
})

it('opening stock is one sheet: a movement per item, with its unit and value, and the same numbers in every run', async () => {
  const mapping = `
entities:
  items: {file: stock.xlsx, leave_out: {column: Item, like: "*total*"}, columns: {sku: {code: Item}, name: Item, unit: Unit}, constants: {type: MAT}}
  stock_movements:
    file: stock.xlsx
    leave_out: {column: Item, like: "*total*"}
    columns: {movement_no: {text: "opening/{Item}"}, sku: {code: Item}, qty: Quantity, val: {column: Value, round: 2}, val_tax: {column: Value, round: 2}}
    constants: {movement_date: 2026-04-01, kind: other_receipt, warehouse: Main}
`
  const sheet = [
    ['Item', 'Unit', 'Quantity', 'Value'],
    ['Wheat flour', 'KG', { number: 1500.5, format: '0.000" Kgs"' }, 52_517.505],
    ['Ghee tin', 'NOS', '2 doz', '(0.00)'],
    ['Grand Total', null, null, 52_517.5],
  ]
  for (let run = 0; run < 2; run++) {
    const { rows, faults } = await read(mapping, { 'stock.xlsx': { Stock: sheet } })
    expect(faults).toEqual([])
    expect(only(rows['stock_movements'], 'movement_no', 'sku', 'qty', 'val')).toEqual([
      ['opening/Wheat flour', 'WHEAT-FLOUR', '1500.5', '52517.51'],
      ['opening/Ghee tin', 'GHEE-TIN', '24', '0'],
    ])
  }
})
