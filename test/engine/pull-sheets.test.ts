/** `millbook pull spreadsheets`: a folder of XLSX and CSV files with a mapping. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sheetsOrigin } from '../../src/pull/origin.js'
import { pull } from '../../src/pull/pull.js'
import { showVersion } from '../../src/store/history.js'
import { databaseForThisTest } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { writeXlsx } from '../setup/xlsx.js'

/** Books as a small firm exports them: totals at the end, units in the cells, dates in words. */
const MAPPING = `
dates: DD-MMM-YY
entities:
  account: {file: firm.csv, columns: {name: Firm}, constants: {time_zone: Asia/Kolkata}}
  warehouses: {file: firm.csv, columns: {key: Godown, location: Godown}}
  items:
    - file: stock.xlsx
      sheet: Summary
      header: 3
      unless: Unit
      columns:
        sku: Particulars
        name: Particulars
        unit: {column: Unit, values: {Kgs: KG}}
        tax_rate: GST
      constants: {type: MAT, material_kind: RAW}
    - file: products.csv
      separator: ;
      decimal: ","
      columns: {sku: Code, name: Name, unit: {column: Pack, take: unit}, mrp: Price}
      constants: {type: FG, hsn: 0010, active: yes}
  customers: {file: sales-*.xlsx, first: true, columns: {code: Party, name: Party}}
  sales_orders:
    file: sales-*.xlsx
    first: true
    columns: {order_no: Voucher, order_date: Date, customer_code: Party, taxable_amt: Total, total_amt: Total}
    constants: {order_type: B2B/Retail, warehouse: Main, tax_amt: 0}
  sales_order_items:
    file: sales-*.xlsx
    columns:
      {order_no: Voucher, line_no: {count: Voucher}, sku: Item, qty: Qty, rate: Rate, effective_rate: Rate, taxable_amt: Amount, total_amt: Amount}
    constants: {tax_amt: 0}
  stock_movements:
    file: moves.csv
    columns: {movement_no: No, movement_date: Date, sku: Item, qty: Qty, val: Value, val_tax: Value, kind: {column: Type, values: {In: other_receipt, Out: internal_issue}}}
    constants: {warehouse: Main}
`
const SALES = ['Voucher', 'Date', 'Party', 'Item', 'Qty', 'Rate', 'Amount', 'Total'] as const

async function books(): Promise<string> {
  const folder = folderOf({
    'mapping.yaml': MAPPING,
    'firm.csv': 'Firm,Godown\nRao Mills,Main\n',
    'products.csv': '\uFEFFCode;Name;Pack;Price\nFG1;"Ghee; cow";1 Jar;1.234,50\n',
    'moves.csv':
      'No,Date,Item,Qty,Type,Value\nM1,31-Mar-24,FG1,"1,000 Jar",In,"₹ 5,000.00"\nM2,1-Apr-24,Milk,5.5 Kgs,In,55\n',
    'notes.txt': 'not named in the mapping',
  })
  await writeXlsx(join(folder, 'stock.xlsx'), {
    Cover: [['Rao Mills']],
    Summary: [
      ['Stock Summary'],
      [],
      ['Particulars', 'Unit', 'GST'],
      ['Milk', 'Kgs', 5],
      ['Sugar', 'Kgs', { percent: 0.18 }],
      ['Total'],
    ],
  })
  await writeXlsx(join(folder, 'sales-04.xlsx'), {
    Register: [
      SALES,
      ['S1', { date: 45_383 }, 'Asha', 'FG1', '2 Jar', 10.1, 20.2, 25.25],
      ['S1', { date: 45_383 }, 'Asha', 'Milk', 0.5, 10.1, 5.05, 25.25],
    ],
  })
  await writeXlsx(join(folder, 'sales-05.xlsx'), {
    Register: [SALES, ['S2', '2-May-24', 'Asha', 'FG1', 1, 10.1, 10.1, 10.1]],
  })
  return folder
}

it('loads XLSX and CSV files by the mapping; loading them again changes nothing, and removed rows go', async () => {
  const folder = await books()
  const database = await databaseForThisTest()
  const first = await pull(database, sheetsOrigin(folder, undefined))
  expect([first.errors.first, first.warnings.first]).toEqual([[], []])
  expect(
    Object.fromEntries(Object.entries(first.entities).map(([name, counts]) => [name, counts.new + counts.changed])),
  ).toEqual({
    ...{ account: 1, warehouses: 1, items: 3, customers: 1, sales_orders: 2, sales_order_items: 3, stock_movements: 2 },
  })
  const { db } = database
  expect(await db`select sku, name, unit, mrp::text, tax_rate::text as tax, hsn from item order by sku`).toEqual([
    { sku: 'FG1', name: 'Ghee; cow', unit: 'Jar', mrp: '1234.500000', tax: '0.0000', hsn: '0010' },
    { sku: 'Milk', name: 'Milk', unit: 'KG', mrp: '0.000000', tax: '5.0000', hsn: '' },
    { sku: 'Sugar', name: 'Sugar', unit: 'KG', mrp: '0.000000', tax: '18.0000', hsn: '' },
  ])
  expect(
    await db`select order_no, line_no, qty::text, total_amt::text as total from sales_order_line order by order_no, line_no`,
  ).toEqual([
    { order_no: 'S1', line_no: 1, qty: '2.0000', total: '20.20' },
    { order_no: 'S1', line_no: 2, qty: '0.5000', total: '5.05' },
    { order_no: 'S2', line_no: 1, qty: '1.0000', total: '10.10' },
  ])
  expect(await db`select order_no, order_date::text as day from sales_order order by order_no`).toEqual([
    { order_no: 'S1', day: '2024-04-01' },
    { order_no: 'S2', day: '2024-05-02' },
  ])
  expect((await pull(database, sheetsOrigin(folder, undefined))).dataVersion).toBe(1)

  // Line numbers of a voucher continue across files.
  await writeXlsx(join(folder, 'sales-05.xlsx'), {
    Register: [SALES, ['S1', '1-Apr-24', 'Asha', 'FG1', 1, 10.1, 10.1, 25.25]],
  })
  await pull(database, sheetsOrigin(folder, undefined))
  expect(await db`select line_no from sales_order_line where order_no = 'S1' order by 1`).toHaveLength(3)
  await writeXlsx(join(folder, 'sales-05.xlsx'), {
    Register: [SALES, ['S2', '2-May-24', 'Asha', 'FG1', 1, 10.1, 10.1, 10.1]],
  })
  await pull(database, sheetsOrigin(folder, undefined))
  rmSync(join(folder, 'sales-05.xlsx'))
  const third = await pull(database, sheetsOrigin(folder, undefined))
  expect([third.dataVersion, third.entities['sales_orders'], third.entities['sales_order_items']?.removed]).toEqual([
    ...[4, { new: 0, changed: 0, same: 1, removed: 1 }, 1],
  ])
  // The history has the rows that each pull changed and removed.
  const linesAt = (version: number) =>
    db.begin('read only', async (tx) => {
      await showVersion(tx, version)
      return await tx`select order_no || ' ' || line_no as line from sales_order_line order by 1`
    })
  const lines = async (version: number) => (await linesAt(version)).map((row) => row['line'])
  expect(await lines(1)).toEqual(['S1 1', 'S1 2', 'S2 1'])
  expect(await lines(2)).toEqual(['S1 1', 'S1 2', 'S1 3'])
  expect(await lines(3)).toEqual(['S1 1', 'S1 2', 'S2 1'])
  expect(await lines(4)).toEqual(['S1 1', 'S1 2'])
})

it('says which file, row and column is wrong, and stores nothing', async () => {
  const folder = await books()
  const database = await databaseForThisTest()
  writeFileSync(join(folder, 'moves.csv'), 'No,Date,Item,Qty,Type,Value\nM1,31/03/2024,FG1,many,In,1\n')
  const { errors, committed } = await pull(database, sheetsOrigin(folder, undefined))
  expect([committed, errors.first]).toEqual([
    false,
    [
      expect.objectContaining({ file: 'moves.csv', line: 2, column: 'movement_date', value: '31/03/2024' }),
      expect.objectContaining({ file: 'moves.csv', line: 2, column: 'qty', value: 'many' }),
    ],
  ])
  // If an entity has several files, the error names the file of the row.
  writeFileSync(join(folder, 'products.csv'), 'Code;Name;Pack;Price\nFG1;Ghee;1 Jar;12.50\nFG1;Ghee;1 Jar;12,50\n')
  const inSecond = await pull(database, sheetsOrigin(folder, undefined))
  expect(inSecond.errors.first[0]).toEqual(
    expect.objectContaining({ file: 'products.csv', line: 2, column: 'mrp', value: '12.50 (with decimal: ,)' }),
  )
  writeFileSync(join(folder, 'products.csv'), 'Code,Name,Pack,Price\nFG1,Ghee,1 Jar,12.50\n')
  await expect(pull(database, sheetsOrigin(folder, undefined))).rejects.toThrow(
    /there is no column Code; there are Code,Name,Pack,Price\. If its columns are separated by ",", set separator: ","$/,
  )
  writeFileSync(join(folder, 'products.csv'), 'Code;Name;Pack;Price;Price\nFG1;Ghee;1 Jar;1;2\n')
  await expect(pull(database, sheetsOrigin(folder, undefined))).rejects.toThrow(
    'products.csv, row 1: there are 2 columns Price; name one as "Price #1" or "Price #2", or by its letter as "[D]"',
  )
  // An unquoted separator inside a number makes one cell too many.
  writeFileSync(join(folder, 'products.csv'), 'Code;Name;Pack;Price\nFG1;Ghee;1 Jar;1;50\n')
  const moved = await pull(database, sheetsOrigin(folder, undefined))
  expect(moved.errors.first[0]).toMatchObject({
    file: 'products.csv',
    line: 2,
    message: 'there are more cells than columns',
  })
  await writeXlsx(join(folder, 'sales-05.xlsx'), {
    Register: [SALES, ['S2', '2-May-24', 'Asha', 'FG1', { formula: '1+1', text: '' }, 10.1, 10.1, 10.1]],
  })
  writeFileSync(join(folder, 'products.csv'), 'Code;Name;Pack;Price\nFG1;Ghee;1 Jar;1\n')
  const formula = await pull(database, sheetsOrigin(folder, undefined))
  expect(formula.errors.first[0]).toMatchObject({
    file: 'sales-05.xlsx[Register]',
    cell: 'E2',
    message: expect.stringContaining('the cell is a formula without its result'),
  })
  await writeXlsx(join(folder, 'sales-05.xlsx'), { Register: [SALES] })
  writeFileSync(join(folder, 'moves.csv'), 'No,Day\nM1,31/03/2024\n')
  writeFileSync(join(folder, 'products.csv'), 'Code;Name;Pack;Price\nFG1;Ghee;1 Jar;1\n')
  await expect(pull(database, sheetsOrigin(folder, undefined))).rejects.toThrow(
    /^moves\.csv, row 1: there is no column Date.*; there are No, Day$/,
  )
  rmSync(join(folder, 'moves.csv'))
  await expect(pull(database, sheetsOrigin(folder, undefined))).rejects.toThrow(
    'there is no file moves.csv, which the mapping names: rename the file, or use a pattern such as moves*.csv in the mapping',
  )
})

it.each([
  ['entities: {itmes: {}}', /entities\.itmes is unknown.*items/],
  ['entities: {items: {file: a.csv, columns: {skuu: X}}}', /columns\.skuu is unknown.*sku/],
  ['entities: {items: {columns: {sku: X}}}', /items\.file is missing/],
  ['entities: {items: {file: a.csv, decimal: x}}', /decimal must be/],
  ['entities: {items: {file: a.csv, header: 0}}', /header must be the number of a row/],
  ['dates: MM/YYYY\nentities: {items: {file: a.csv}}', /lacks year, month or day/],
  ['entities: [', /cannot be read/],
])('a wrong mapping is refused: %s', (mapping, message) => {
  expect(() => sheetsOrigin(folderOf({ 'mapping.yaml': mapping }), undefined)).toThrow(message)
})
