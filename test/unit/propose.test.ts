/** Proposed mappings: what is found in sheets of many forms, what is unsure, and that the text is a mapping. */
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { entities } from '../../src/import/entities.js'
import { type Account, accountJson, accountLines } from '../../src/pull/sheets/account.js'
import { mappingOf } from '../../src/pull/sheets/mapping.js'
import { Masters } from '../../src/pull/sheets/masters.js'
import { patternFor, wheresFor } from '../../src/pull/sheets/propose/places.js'
import type { Proposal, RuleObject } from '../../src/pull/sheets/propose/proposal.js'
import { propose } from '../../src/pull/sheets/propose/propose.js'
import { periodOf } from '../../src/pull/sheets/propose/stock.js'
import { mappingObject, mappingYaml, proposalText } from '../../src/pull/sheets/propose/text.js'
import { MEANINGS } from '../../src/pull/sheets/propose/words.js'
import { openSheets } from '../../src/pull/sheets/rows.js'
import { folderOf } from '../setup/files.js'
import { runs } from '../setup/tier.js'
import { writeXlsx, type XlsxCell } from '../setup/xlsx.js'

type Sheets = Record<string, readonly (readonly XlsxCell[])[]>

async function books(workbooks: Record<string, Sheets>, texts: Record<string, string | Buffer> = {}): Promise<string> {
  const folder = folderOf(texts)
  for (const [name, sheets] of Object.entries(workbooks)) await writeXlsx(join(folder, name), sheets)
  return folder
}

const found = async (workbooks: Record<string, Sheets>, texts: Record<string, string | Buffer> = {}) =>
  propose(await books(workbooks, texts))

const rulesFor = ({ tables }: Proposal, entity: string): RuleObject[] =>
  tables.flatMap(({ rules }) => rules.filter((rule) => rule.entity === entity).map(({ given }) => given))

const doubts = ({ tables }: Proposal): string[] =>
  tables
    .flatMap((table) => [...table.doubts, ...table.rules.flatMap((rule) => rule.doubts)])
    .map(({ reason }) => reason)

const names = (proposal: Proposal) => Object.keys(proposal.mapping.entities)

/** The account of reading a folder by a mapping. */
async function accountOf(folder: string, text: string): Promise<Account> {
  const { rows, close } = await openSheets(folder, mappingOf(text, 'mapping.yaml'), { masters: new Masters() })
  try {
    for await (const chunk of rows.chunks()) void chunk
    return rows.account()
  } finally {
    await close()
  }
}

const SALES = ['Invoice No', 'Date', 'Customer', 'Item', 'Qty', 'Unit', 'Rate', 'Amount'] as const

it.each<
  [program: string, name: string, headings: readonly string[], row: readonly XlsxCell[], entities: readonly string[]]
>([
  [
    'Tally',
    'Sales Register',
    ['Date', 'Particulars', 'Voucher Type', 'Voucher No.', 'Gross Total'],
    ['1-Apr-25', 'Asha', 'Sales', '7', 105],
    ['customers', 'invoices'],
  ],
  [
    'Tally',
    'Purchase Register',
    ['Date', 'Particulars', 'Voucher Type', 'Voucher No.', 'Gross Total'],
    ['1-Apr-25', 'Asha', 'Purchase', '7', 105],
    ['vendors', 'purchase_orders'],
  ],
  [
    'ERPNext',
    'Sales Order',
    ['Sales Order', 'Date', 'Customer Name', 'Item Code', 'Item Name', 'Qty', 'Stock UOM', 'Rate', 'Amount'],
    ['SO-1', '2025-04-01', 'Asha', 'G1', 'Ghee', 2, 'Nos', 10, 20],
    ['items', 'customers', 'sales_orders', 'sales_order_items'],
  ],
  [
    'ERPNext',
    'Stock Ledger',
    ['Date', 'Item', 'In Qty', 'Out Qty', 'Warehouse', 'Stock UOM', 'Incoming Rate'],
    ['2025-04-01', 'Ghee', 5, null, 'Main', 'Nos', 10],
    ['warehouses', 'items', 'stock_movements'],
  ],
  [
    'ERPNext',
    'Stock Balance',
    ['Item', 'Item Group', 'Warehouse', 'Stock UOM', 'Balance Qty', 'Balance Value'],
    ['Ghee', 'FG', 'Main', 'Nos', 5, 50],
    ['warehouses', 'items', 'stock_movements'],
  ],
  [
    'Zoho',
    'Purchase_Order',
    [
      'Purchase Order Date',
      'Purchase Order Number',
      'Vendor Name',
      'Item Name',
      'QuantityOrdered',
      'Item Price',
      'Item Total',
      'Date',
    ],
    ['2025-04-01', 'PO-1', 'Patil', 'Ghee', 5, 10, 50, '2025-04-01'],
    ['vendors', 'purchase_orders'],
  ],
  [
    'Zoho',
    'Contacts',
    ['Customer ID', 'Customer Name', 'EmailID', 'Billing City', 'GST Identification Number (GSTIN)'],
    ['C1', 'Asha', 'a@example.com', 'Pune', '27AAA'],
    ['customers'],
  ],
  [
    'QuickBooks',
    'Vendors',
    ['Vendor', 'Phone', 'Email', 'Address'],
    ['Patil', '1', 'p@example.com', '1 Road'],
    ['vendors'],
  ],
  ['people', 'Items', ['Code', 'Name', 'Unit', 'HSN', 'Rate'], ['G1', 'Ghee', 'Nos', '0405', 10], ['items']],
  ['people', 'BOM', ['Product', 'Component', 'Qty', 'Unit'], ['Laddu', 'Ghee', 0.2, 'kg'], ['items', 'bom']],
  [
    'people',
    'GRN register',
    ['GRN No', 'Date', 'Item', 'Qty', 'Rate', 'Unit'],
    ['R1', '2025-04-01', 'Ghee', 5, 10, 'kg'],
    ['warehouses', 'items', 'stock_movements'],
  ],
])('names of columns as %s write them: %s', async (_, name, headings, row, expected) => {
  const proposal = await found({ [`${name}.xlsx`]: { [name]: [headings, row, row] } })
  expect(names(proposal)).toEqual(entities.map((one) => one.name).filter((one) => expected.includes(one)))
  expect(proposal.unread).toEqual([])
  mappingOf(proposalText(proposal), 'proposal')
})

it('the order of dates is found over all sheets; what stays open is marked', async () => {
  const sheet = (...dates: string[]) => [
    SALES,
    ...dates.map((date, i) => [`A${i}`, date, 'Asha', 'Ghee', 1, 'Nos', 10, 10]),
  ]
  const clear = await found({
    'a.xlsx': { Sales: sheet('01-02-2025', '05-02-2025') },
    'b.xlsx': { Sales: sheet('25-03-2025') },
  })
  expect(clear.settings.dates).toEqual({
    ...{ value: ['DD-MM-YYYY'], unsure: false },
    why: '1 dates begin with a number above 12, so the day comes first',
  })
  const american = await found({ 'a.xlsx': { Sales: sheet('01/02/25', '05/22/25') } })
  expect(american.settings.dates?.value).toEqual(['MM/DD/YY'])
  const rising = await found({ 'a.xlsx': { Sales: sheet('03/01/2025', '04/01/2025', '01/02/2025') } })
  expect([rising.settings.dates?.value, rising.settings.dates?.unsure]).toEqual([['DD/MM/YYYY'], true])
  const open = await found({ 'a.xlsx': { Sales: sheet('01/02/2025') } })
  expect(open.settings.dates?.unsure).toBe(true)
  expect(proposalText(open)).toMatch(
    /# LOOK: no date tells whether the day or the month comes first.*\ndates: DD\/MM\/YYYY/,
  )
  const both = await found({ 'a.xlsx': { Sales: sheet('25/02/2025') }, 'b.xlsx': { Sales: sheet('02/25/2025') } })
  expect(both.settings.dates?.why).toContain('some sheets write the day first and some the month')
  const words = await found({ 'a.xlsx': { Sales: sheet('1-Apr-25', '2-Apr-25') } })
  expect(words.settings.dates).toMatchObject({ value: ['DD-MMM-YY'], unsure: false })
  // 45660 is 3 January 2025: a program that expects the month first has read 01-03-2025 so.
  const exchanged = await found({
    'a.xlsx': {
      Sales: [
        SALES,
        ...[45_660, 45_691, 45_719, 45_750].map((date, i) => [`A${i}`, { date }, 'Asha', 'Ghee', 1, 'Nos', 10, 10]),
        ['A9', '25-01-2025', 'Asha', 'Ghee', 1, 'Nos', 10, 10],
      ],
    },
  })
  expect(doubts(exchanged)).toContainEqual(expect.stringContaining('may have exchanged day and month'))
})

it('numbers that begin anew each year get the year, with its first month', async () => {
  const rows = (...given: [string, string][]) => given.map(([no, date]) => [no, date, 'Asha', 'Ghee', 1, 'Nos', 10, 10])
  const keyIn = async (...given: [string, string][]) => {
    const proposal = await found({ 'a.xlsx': { Sales: [SALES, ...rows(...given)] } })
    const [rule] = rulesFor(proposal, 'invoices')
    return [rule?.columns?.['invoice_no'], proposal.mapping.year_begins]
  }
  expect(await keyIn(['1', '2024-05-01'], ['2', '2024-06-01'], ['1', '2025-05-01'])).toEqual([
    { text: '{Invoice No}/{Date|year}' },
    undefined,
  ])
  expect(await keyIn(['1', '2025-02-01'], ['1', '2025-05-01'])).toEqual([{ text: '{Invoice No}/{Date|year}' }, '4'])
  expect(await keyIn(['1', '2024-05-01'], ['2', '2024-06-01'])).toEqual(['Invoice No', undefined])
  // Several first months fit: the year begins in the month of the lowest number, if that is one of them.
  const anew = [
    ['7', '2025-01-02'],
    ['1', '2025-04-02'],
    ['2', '2025-05-03'],
    ['10', '2025-07-01'],
  ] as const
  const again = [
    ['1', '2026-04-03'],
    ['2', '2026-05-04'],
  ] as const
  const april = [...anew, ...again].map(([no, date]): [string, string] => [no, date])
  expect(await keyIn(...april)).toEqual([{ text: '{Invoice No}/{Date|year}' }, '4'])
  const unsureIn = async (...given: [string, string][]) =>
    (await found({ 'a.xlsx': { Sales: [SALES, ...rows(...given)] } })).tables
      .flatMap((table) => table.rules.flatMap((rule) => rule.doubts))
      .filter(({ reason, needed }) => needed && reason.includes('begin anew each year'))
      .map(({ reason }) => reason)
  expect(await unsureIn(...april)).toEqual([])
  expect(await unsureIn(['1', '2024-05-01'], ['2', '2024-06-01'], ['1', '2025-05-01'])).toEqual([
    expect.stringContaining('begins in month 1; the sheet does not tell the month, so set year_begins'),
  ])
  const wrong = await found({
    'a.xlsx': { Sales: [SALES, ...rows(['1', '2025-05-01'], ['2', '2025-05-02'], ['1', '2025-05-03'])] },
  })
  expect(doubts(wrong)).toContainEqual(expect.stringContaining('the numbers 1 stand on several days of a year'))
})

it('titles, empty rows, repeated headers, totals and tables below are found; a customer called Total is none', async () => {
  const folder = await books({
    'a.xlsx': {
      Sales: [
        ['Rao Mills'],
        ['Sales'],
        [],
        SALES,
        ['A1', '2025-04-01', 'Total Foods', 'Ghee', 1, 'Nos', 10, 10],
        ['A2', '2025-04-01', 'Asha', 'Ghee', 2, 'Nos', 10, 20],
        ['Total', null, null, null, 3, null, null, 30],
        [],
        SALES,
        ['A3', '2025-04-02', 'Asha', 'Ghee', 4, 'Nos', 10, 40],
        ['Grand total', null, null, null, 7, null, null, 70],
        [],
        ['Item', 'HSN', 'Unit'],
        ['Ghee', '0405', 'Nos'],
      ],
    },
  })
  const proposal = await propose(folder)
  const [rule] = rulesFor(proposal, 'invoice_items')
  expect(rule).toMatchObject({ header: '4', blank: 'true', until: { column: 'Invoice No', like: 'Item' } })
  expect(rule?.leave_out).toEqual([
    { column: 'Invoice No', like: '*total*' },
    { column: 'Invoice No', like: 'Invoice No' },
  ])
  expect(doubts(proposal)).toContain('another table begins in row 13; a rule reads one table of a sheet')
  const account = await accountOf(folder, proposalText(proposal))
  const lines = account.sheets.find(({ entity }) => entity === 'invoice_items')
  expect([lines?.used, lines?.totals]).toEqual([
    3,
    [
      { column: 'Qty', sum: '7', parts: [], stated: '7', line: 11, difference: null },
      { column: 'Amount', sum: '70', parts: [], stated: '70', line: 11, difference: null },
    ],
  ])
})

it.each<[how: string, header: string, heads: readonly (readonly (string | null)[])[], no: string]>([
  [
    'of headings in two lines',
    '1-2',
    [
      ['Invoice', 'Invoice', 'Customer', 'Item', 'Qty', 'Rate', 'Amount'],
      ['No', 'Date', null, null, '(Kgs)', '(Rs)', '(Rs)'],
    ],
    'Invoice / No',
  ],
  [
    'whose cells are merged downwards',
    '1-2',
    [
      ['Invoice', null, 'Customer', 'Item', 'Qty', 'Rate', 'Amount'],
      ['No', 'Date', null, null, null, null, null],
    ],
    'Invoice / No',
  ],
  [
    'merged over two whole rows',
    '1',
    [['Invoice No', 'Date', 'Customer', 'Item', 'Qty', 'Rate', 'Amount'], []],
    'Invoice No',
  ],
])('a header %s is found, and its sheet loads', async (_how, header, heads, no) => {
  const rows = [
    ['7', '2025-04-01', 'Asha', 'Ghee', 2, 590, 1180],
    ['8', '2025-04-02', 'Vikram', 'Laddu', 5, 180, 900],
  ]
  const folder = await books({ 'a.xlsx': { Sales: [...heads, ...rows] } })
  const proposal = await propose(folder)
  const [rule] = rulesFor(proposal, 'invoice_items')
  expect([rule?.header ?? '1', rule?.columns?.['invoice_no'], rule?.columns?.['sku']]).toEqual([
    header,
    no,
    { code: 'Item' },
  ])
  const account = await accountOf(folder, proposalText(proposal))
  const lines = account.sheets.find(({ entity }) => entity === 'invoice_items')
  expect([lines?.used, lines?.totals.map(({ sum }) => sum)]).toEqual([2, ['7', '2080']])
})

it('a first row of words is no second line of a header', async () => {
  const proposal = await found({
    'units.xlsx': {
      Items: [
        ['Item', 'Unit', 'Category'],
        ['Weight', 'Kgs', 'Sales'],
        ['Ghee', 'Nos', 'Dairy'],
        ['Milk', 'Ltr', 'Dairy'],
      ],
    },
  })
  expect(rulesFor(proposal, 'items')[0]?.header ?? '1').toBe('1')
})

it.each<[how: string, name: string, headings: readonly (string | null)[], others: readonly (string | null)[]]>([
  ['behind an empty column', 'Item', ['Item', 'UOM', 'Cl. Stock', null, 'Product', 'Rate'], [null]],
  ['with the same heading', 'Item #1', ['Item', 'UOM', 'Cl. Stock', 'Item', 'Rate'], []],
])('a table beside another, %s, gives its rows no numbers', async (_how, name, headings, gap) => {
  const stock = (item: string, qty: number, other: string, rate: number) => [item, 'Kg', qty, ...gap, other, rate]
  const proposal = await found({
    'a.xlsx': {
      Stock: [['Stock as on 31.03.2025'], headings, stock('Besan', 250, 'Ghee', 560), stock('Sugar', 400, 'Besan', 80)],
    },
  })
  const [rule] = rulesFor(proposal, 'stock_movements')
  expect(rule?.columns).toMatchObject({ sku: { code: name }, qty: 'Cl. Stock' })
  expect(rule?.constants).toMatchObject({ movement_date: '2025-03-31', val: '0' })
  expect(
    doubts(proposal).filter((reason) => /^columns [DE] to [EF] were taken for another table/.test(reason)),
  ).toHaveLength(1)
})

it('an item that stands twice in its row begins no other table', async () => {
  const proposal = await found({
    'a.xlsx': {
      Stock: [
        ['Item', 'UOM', 'Cl. Stock', 'Item', 'Rate'],
        ['Besan', 'Kg', 250, 'Besan', 80],
        ['Sugar', 'Kg', 400, 'Sugar', 42],
      ],
    },
  })
  expect(rulesFor(proposal, 'stock_movements')[0]?.columns).toMatchObject({ val: { calc: '{Cl. Stock} * {Rate}' } })
})

it('a title gives the day of stock only if day and month cannot be confused', () => {
  const days = (title: string) => Object.values(periodOf([title]) ?? {}).join(' ')
  const titles = ['as on 31.03.2025', 'Stock 03/31/2025', '1-4-2025 to 30-4-2025', 'as on 05.04.2025', '04/04/2025']
  expect(titles.map(days)).toEqual([
    ...['2025-03-31 2025-03-31', '2025-03-31 2025-03-31', '2025-04-01 2025-04-30', '', '2025-04-04 2025-04-04'],
  ])
})

it('of two columns of one name, the rows tell which one is the quantity; otherwise it must be looked at', async () => {
  const quantityIn = async (...rows: (readonly [number | string, number | string, number, number])[]) => {
    const proposal = await found({
      'a.xlsx': {
        Sales: [
          ['Invoice No', 'Date', 'Customer', 'Item', 'Qty', 'Qty', 'Rate', 'Amount'],
          ...rows.map((numbers, i) => [`A${i + 1}`, '2026-04-13', 'Asha', 'Atta', ...numbers]),
        ],
      },
    })
    const [rule] = rulesFor(proposal, 'invoice_items')
    const about = proposal.tables.flatMap((table) => table.doubts).find(({ reason }) => reason.includes('same name'))
    return { qty: rule?.columns?.['qty'], reason: about?.reason, needed: about?.needed, text: proposalText(proposal) }
  }
  expect(await quantityIn([10, 100, 38, 3800], [2, '20', 38, 760])).toMatchObject({
    ...{ qty: 'Qty #2', needed: undefined },
    reason: 'columns E and F have the same name; F was taken, which times the price is the amount in the rows',
  })
  expect((await quantityIn([100, 10, 38, 3800], [20, 2, 38, 760])).qty).toBe('Qty #1')
  const open = await quantityIn([10, 100, 38, 5], [2, 20, 38, 7])
  expect([open.qty, open.needed]).toEqual(['Qty #1', true])
  expect(open.text).toMatch(/# LOOK: columns E and F have the same name/)
  expect(await quantityIn([5, 5, 38, 190])).toMatchObject({ qty: 'Qty #1', reason: undefined })
})

it('a unit that only some cells state must be looked at', async () => {
  const unitsIn = async (...quantities: (string | number)[]) => {
    const proposal = await found({
      'a.xlsx': {
        Sales: [
          ['Invoice No', 'Date', 'Customer', 'Item', 'Qty', 'Rate', 'Amount'],
          ...quantities.map((qty, i) => [`A${i + 1}`, '2026-04-13', 'Asha', `Item ${i + 1}`, qty, 45, 540]),
        ],
      },
    })
    const [rule] = rulesFor(proposal, 'items')
    return { unit: rule?.constants?.['unit'] ?? rule?.columns?.['unit'], text: proposalText(proposal) }
  }
  const some = await unitsIn(2, '1.333', '1 dz')
  expect(some.unit).toBe('dz')
  expect(some.text).toMatch(/# LOOK: unit: only 1 of 3 cells state their unit, dz; it was taken for all/)
  const all = await unitsIn('2 kg', '1 kg')
  expect(all.unit).toEqual({ column: 'Qty', take: 'unit' })
  expect(all.text).not.toMatch(/LOOK: unit/)
})

it('a currency is no unit, and a price does not tell the unit of its item', async () => {
  const itemsOf = async (...rows: (readonly [qty: XlsxCell, rate: XlsxCell, amount: XlsxCell])[]) => {
    const proposal = await found({
      'a.xlsx': {
        Orders: [
          ['Order No', 'Order Date', 'Customer', 'Item', 'Qty', 'Rate', 'Amount'],
          ...rows.map((cells, i) => [`SO${i + 1}`, '2026-04-13', 'Asha', 'Suji', ...cells]),
        ],
      },
    })
    const [rule] = rulesFor(proposal, 'items')
    const rate = proposal.tables[0]?.columns[5]
    return [rule?.constants?.['unit'] ?? rule?.columns?.['unit'], rate?.units, rate?.currencies]
  }
  expect(await itemsOf([10, '40 USD', '400 USD'], [10, '40.00 USD', '$400'])).toEqual(['NOS', [], ['USD']])
  expect(await itemsOf([10, 40, 400], [10, '40 USD', '400 USD'])).toEqual(['NOS', [], ['USD']])
  expect(await itemsOf([10, '40/kg', 400])).toEqual(['NOS', ['kg'], []])
  expect((await itemsOf(['10 USD', 40, 400]))[0]).toBe('NOS')
  expect((await itemsOf(['10 cup', 40, 400]))[0]).toEqual({ column: 'Qty', take: 'unit' })
})

it('a total without a word, below vouchers with blank cells, is no part of the last voucher', async () => {
  const folder = await books({
    'a.xlsx': {
      Purchases: [
        ['Voucher No', 'Date', 'Supplier', 'Item', 'Unit', 'Qty', 'Rate', 'Value'],
        ['P1', '2026-04-02', 'Ravi', 'Wheat', 'kg', 10, 40, 400],
        [null, null, null, 'Maize', 'kg', 5, 40, 200],
        ['P2', '2026-04-13', 'Mohan', 'Wheat', 'kg', 2, 40, 80],
        [null, null, null, null, null, 17, null, 680],
      ],
    },
  })
  const { rows, close } = await openSheets(folder, mappingOf(proposalText(await propose(folder)), 'm'), {
    masters: new Masters(),
  })
  const heads: unknown[] = []
  for await (const chunk of rows.chunks())
    for (const { cells, header } of chunk.rows)
      if (header.includes('total_amt') && !header.includes('line_no'))
        heads.push(['po_no', 'total_amt'].map((name) => cells[header.indexOf(name)]))
  const used = rows.account().sheets.map(({ entity, used }) => [entity, used])
  await close()
  expect(heads).toEqual([
    ['P1', '600'],
    ['P2', '80'],
  ])
  expect(used).toContainEqual(['purchase_order_items', 3])
})

it('a total that differs from the sum of the used rows is said, with the row; subtotals alone state the total together', async () => {
  const mapping = `
entities:
  stock_movements:
    file: a.csv
    leave_out: {column: Item, like: "*total*"}
    columns: {movement_no: No, sku: Item, qty: Qty, val: {calc: "{Amount} - {Rebate}"}}
`
  const account = async (...rows: string[]) => {
    const folder = folderOf({ 'a.csv': ['No,Item,Qty,Amount,Rebate', ...rows].join('\n') })
    return await accountOf(folder, mapping)
  }
  const wrong = await account('1,A,2,"1,000.10",', '2,B,1.5,0.20,1', ',Total,3.5,"1,000.40",1')
  expect(accountLines(wrong)).toEqual([
    'a.csv: 3 rows read for stock_movements, 2 used',
    '  left out because Item is like *total*: row 4',
    '  sums as the sheet states them in row 4: Qty 3.5, Rebate 1',
    '  DIFFERENCE: Amount sums up to 1,000.3, but row 4 states 1,000.4: 0.1 is missing',
  ])
  expect(accountJson(wrong)).toMatchObject({
    sheets: [
      {
        totals: [
          { column: 'Qty' },
          { column: 'Amount', sum: '1000.3', stated: '1000.4', line: 4, difference: '-0.1' },
          {},
        ],
      },
    ],
  })
  const parts = await account('1,A,2,10,', ',Sub total,2,10,', '2,B,1,5,', ',Sub total,1,5,')
  expect(parts.sheets[0]?.totals.slice(0, 2)).toEqual([
    { column: 'Qty', sum: '3', parts: [], stated: '3', line: 5, difference: null },
    { column: 'Amount', sum: '15', parts: [], stated: '15', line: 5, difference: null },
  ])
  const forgotten = await account('1,A,2,10,', ',Sub total,2,10,', '2,B,1,5,')
  expect(forgotten.sheets[0]?.totals[0]).toMatchObject({ sum: '3', stated: '2', difference: '1' })
  const units = await account('1,A,2.5 kg,10,', '2,B,500 g,$5,', '3,A,1 kg,₹ 5,')
  expect(accountLines(units)).toContain(
    '  sums: Qty 503.5 (3.5 kg, 500 g), Amount 20 (10 without a unit, 5 $, 5 ₹), Rebate 0',
  )
  const none = await account('1,A,2,10,')
  expect(accountLines(none)).toEqual([
    'a.csv: 1 row read for stock_movements, 1 used',
    '  sums: Qty 2, Amount 10, Rebate 0',
  ])
})

it('numbers are calculated from several columns, exactly; what is no number is refused at the cell', async () => {
  const mapping = (calc: string) => `
entities:
  stock_movements: {file: a.csv, columns: {movement_no: No, qty: Qty, val: {calc: "${calc}", round: 2}}}
`
  const read = async (calc: string, ...rows: string[]) => {
    const folder = folderOf({ 'a.csv': ['No,Qty,Rate,Tax', ...rows].join('\n') })
    const { rows: source, close } = await openSheets(folder, mappingOf(mapping(calc), 'm'), { masters: new Masters() })
    const values: unknown[] = []
    for await (const chunk of source.chunks())
      for (const { cells, header, faults } of chunk.rows)
        values.push(faults?.[0]?.message ?? cells[header.indexOf('val')])
    await close()
    return values
  }
  expect(await read('{Qty} * {Rate} + {Tax}', '1,3,0.335,1', '2,,5,', '3,2,1.1,')).toEqual(['2.01', null, '2.2'])
  expect(await read('{Rate} - {Tax}', '1,1,0.3,0.1')).toEqual(['0.2'])
  expect(await read('{Qty} * {Rate}', '1,two,5,')).toEqual(['cannot be calculated from Qty "two", Rate "5"'])
  expect(await read('{Qty} * {Rate}', '1,2 kg,5/g,')).toEqual(['cannot be calculated from Qty "2 kg", Rate "5/g"'])
  expect(() => mappingOf(mapping('{Qty} / {Rate}'), 'm')).toThrow('as columns in braces with +, - or * between them')
  expect(() => mappingOf(mapping('Qty * Rate'), 'm')).toThrow('as columns in braces')
})

it('lines below their voucher have its number, although the voucher itself is left out', async () => {
  const folder = folderOf({
    'a.csv': 'No,Date,Name,Qty\n7,2025-04-01,Asha,\n,,Ghee,2\n,,Milk,3\n8,2025-04-02,Vikram,\n,,Ghee,1\n',
  })
  const mapping = `
entities:
  invoice_items:
    file: a.csv
    only: {column: Date}
    columns: {invoice_no: {text: "{No}/{Date|year}", fill: down}, line_no: {count: "{No}/{Date|year}"}, sku: Name, qty: Qty}
`
  const { rows: source, close } = await openSheets(folder, mappingOf(mapping, 'm'), { masters: new Masters() })
  const read: unknown[] = []
  for await (const { rows } of source.chunks()) for (const { cells } of rows) read.push(cells.slice(0, 3))
  await close()
  expect(read).toEqual([
    ['7/2025', '1', 'Ghee'],
    ['7/2025', '2', 'Milk'],
    ['8/2025', '1', 'Ghee'],
  ])
})

it('text files: separator, encoding and decimal comma are found', async () => {
  const text = Buffer.from('Artikel;Item;Unit;Qty;Value\n1;Käse;kg;1.234,5;10,25\n2;Öl;kg;2,5;1.000,00\n', 'latin1')
  const proposal = await found({}, { 'stock.csv': text })
  expect(proposal.settings.decimal?.value).toBe(',')
  expect(rulesFor(proposal, 'items')[0]).toMatchObject({ separator: ';', encoding: 'windows-1252' })
})

it('sheets of one form are one rule with a pattern, which fits next month’s sheet and no other', async () => {
  expect(patternFor(['April 2026', 'May 2026'])).toBe('* 2026')
  expect(patternFor(['Sales Apr', 'Sales Aug'])).toBe('Sales *')
  expect(patternFor(['sales-04.xlsx', 'sales-05.xlsx'])).toBe('sales-*.xlsx')
  expect(patternFor(['Jan', 'Feb'])).toBeUndefined()
  const of = (file: string, ...sheets: string[]) => sheets.map((sheet) => ({ file, sheet }))
  const all = [...of('a.xlsx', 'Sales Apr', 'Sales May', 'Notes'), ...of('b.xlsx', 'Sales Jun')]
  expect(wheresFor(all.slice(0, 2), all)).toEqual([{ file: 'a.xlsx', sheet: 'Sales *' }])
  expect(wheresFor(of('a.xlsx', 'Jan', 'Feb'), of('a.xlsx', 'Jan', 'Feb'))).toEqual([{ file: 'a.xlsx', sheet: '*' }])
  expect(wheresFor(of('a.xlsx', 'Jan', 'Feb'), of('a.xlsx', 'Jan', 'Feb', 'Notes'))).toEqual([
    { file: 'a.xlsx', sheet: ['Jan', 'Feb'] },
  ])
  const other = [...of('a.xlsx', 'X1', 'X2'), ...of('b.xlsx', 'X1', 'X2')]
  const wheres = wheresFor([other[0], other[3]] as typeof other, other)
  expect(wheres).toEqual([
    { file: 'a.xlsx', sheet: 'X1' },
    { file: 'b.xlsx', sheet: 'X2' },
  ])
})

it('sales and purchases of the same form are not mixed, and items of a list are not made again', async () => {
  const head = ['Voucher No', 'Date', 'Party', 'Item', 'Qty', 'Rate', 'Amount']
  const folder = await books({
    'books.xlsx': {
      Items: [
        ['Item Code', 'Item Name', 'Unit'],
        ['G1', 'Ghee', 'Jar'],
        ['M1', 'Milk', 'Ltr'],
      ],
      Sales: [head, ['1', '2025-04-01', 'Asha', 'Ghee', 1, 10, 10]],
      Purchases: [head, ['9', '2025-04-01', 'Patil', 'Milk', 1, 10, 10]],
    },
  })
  const proposal = await propose(folder)
  expect(names(proposal)).toEqual([
    'items',
    'vendors',
    'customers',
    'purchase_orders',
    'purchase_order_items',
    'invoices',
    'invoice_items',
  ])
  expect(rulesFor(proposal, 'items')).toHaveLength(1)
  expect(rulesFor(proposal, 'invoices')[0]?.sheet).toBe('Sales')
  const more = await books({
    'books.xlsx': {
      Items: [
        ['Item Code', 'Item Name', 'Unit'],
        ['G1', 'Ghee', 'Jar'],
      ],
      Sales: [head, ['1', '2025-04-01', 'Asha', 'Paneer', 1, 10, 10]],
    },
  })
  expect(doubts(await propose(more))).toContain('the list of items lacks Paneer; this rule adds them')
})

it('what cannot be read is named with the reason', async () => {
  const proposal = await found(
    {
      'a.xlsx': {
        Notes: [['call Asha'], ['buy milk']],
        Empty: [[null]],
        Plan: [
          ['Machine', 'Operator'],
          ['M1', 'Ravi'],
          ['M2', 'Ravi'],
        ],
      },
    },
    { 'letter.docx': 'x', 'broken.xlsx': 'no workbook', 'mapping.yaml': 'entities: {}', '~$a.xlsx': 'lock' },
  )
  expect(proposal.unread.map(({ file, sheet, why }) => `${file} ${sheet}: ${why.slice(0, 32)}`)).toEqual([
    'a.xlsx Notes: none of its first rows looks lik',
    'a.xlsx Empty: it is empty',
    `broken.xlsx : ${proposal.unread[2]?.why.slice(0, 32)}`,
    'letter.docx : it is none of the files that can',
    'a.xlsx Plan: its columns fit no entity: Machi',
  ])
  expect(proposalText(proposal)).toContain('# letter.docx: it is none of the files')
})

it('a proposal is the same in every run, and its text, as JSON too, is the mapping', async () => {
  const folder = await books({
    'a.xlsx': { Sales: [SALES, ['A1', '1/4/2025', 'Asha, Pune: #1', '*Ghee', '2 Nos', 'Nos', 10, 20]] },
  })
  const [first, second] = [await propose(folder), await propose(folder)]
  expect(second).toEqual(first)
  const text = proposalText(first)
  const written = mappingObject(text, 'm')
  const same = (object: unknown) => JSON.parse(JSON.stringify(object))
  expect(written).toEqual(same(first.mapping))
  expect(mappingObject(mappingYaml(written), 'm')).toEqual(written)
  expect(mappingObject(JSON.stringify(written), 'm')).toEqual(written)
  // A kept mapping is shown on the sheets that it takes.
  const kept = await propose(folder, {
    mapping: { ...written, entities: { invoices: { ...rulesFor(first, 'invoices')[0], header: '1' } as RuleObject } },
  })
  expect(kept.tables.map(({ rules }) => rules.map(({ entity }) => entity))).toEqual([['invoices']])
  expect(kept.tables[0]?.columns.map(({ name }) => name)).toEqual([...SALES])
  expect(() => mappingObject('- a', 'm')).toThrow('m must be an object with entities')
})

/** Headings that the proposer knows and odd ones, over cells of many kinds. */
const odd = [
  '',
  'Rate {net}',
  'A | B',
  'Qty #2',
  '[C]',
  'Wert: "x"',
  '# no',
  "it's",
  '- dash',
  'null',
  '合計',
  'Total',
  '*',
] as const
const heading = fc.oneof(fc.constantFrom(...MEANINGS.keys()), fc.constantFrom(...odd))
const cell = fc.oneof(
  fc.constantFrom<XlsxCell>(
    null,
    'Ghee',
    'Asha: "x"',
    '12-04-2026',
    '1,234.50',
    '(5)',
    '2 kg',
    '₹ 5',
    'Total',
    '{x}',
    '#N/A',
    'Sales',
  ),
  fc.integer({ min: -5, max: 5000 }),
  fc.integer({ min: 45_000, max: 46_000 }).map((date) => ({ date })),
)
const sheet = fc.array(heading, { minLength: 2, maxLength: 9 }).chain((headings) =>
  fc.tuple(
    fc.constant(headings),
    fc.array(fc.array(cell, { minLength: headings.length, maxLength: headings.length }), {
      minLength: 1,
      maxLength: 8,
    }),
  ),
)

it('whatever the sheets look like, the proposal is a mapping that finds its columns', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(sheet, { minLength: 1, maxLength: 3 }), async (sheets) => {
      const folder = await books({
        'Sales & stock.xlsx': Object.fromEntries(sheets.map(([head, rows], i) => [`Tab ${i + 1}`, [head, ...rows]])),
      })
      const proposal = await propose(folder)
      const text = proposalText(proposal)
      expect(mappingObject(text, 'm')).toEqual(JSON.parse(JSON.stringify(proposal.mapping)))
      expect(mappingOf(text, 'm').sheets).toHaveLength(proposal.tables.flatMap(({ rules }) => rules).length)
      if (proposal.tables.some(({ rules }) => rules.length > 0)) await accountOf(folder, text)
    }),
    { numRuns: runs(10, 1000) },
  )
}, 180_000)

const DAYS: readonly (readonly [form: string, ...texts: string[]])[] = [
  ['DD-MM-YYYY hh:mm', '01-04-2026 10:30', '21-04-2026 10:30'],
  ['DD/MM/YYYY hh:mm AM', '01/04/2026 10:30 AM', '21/04/2026 10:30 am'],
  ['MM/DD/YYYY hh:mm:ss AM', '4/1/2026 10:30:00 AM', '4/21/2026 10:30:00 AM'],
  ['YYYY-MM-DD hh:mm', '2026-04-01 10:30', '2026-04-21 10:30'],
  ['YYYY-MM-DD hh:mm:ss', '2026-04-01 10:30:00.000', '2026-04-21 10:30:00.123'],
  ['YYYY/MM/DD, hh:mm', '2026/04/01, 10:30', '2026/04/21, 10:30'],
  ['YYYY.MM.DD hh:mm', '2026.04.01 10:30', '2026.4.21 10:30'],
  ['MMM DD, YYYY hh:mm', 'Apr 01, 2026 10:30', 'April 21, 2026 10:30'],
  ['DD MMM, YYYY hh:mm', '01 Apr, 2026 10:30', '21 April, 2026 10:30'],
]

it.each(DAYS)('dates such as %s are found, and a column without a time gets the day', async (form, ...texts) => {
  const rows = texts.map((text, i) => [`S-${i}`, text, 'Asha', 'Ghee', 1, 'Nos', 10, 10])
  const folder = await books({ 'a.xlsx': { Sales: [SALES, ...rows] } })
  const proposal = await propose(folder)
  expect(proposal.settings.dates?.value).toEqual([form])
  expect(doubts(proposal).join()).not.toContain('Date: its cells')
  expect(rulesFor(proposal, 'invoices')[0]?.columns).toMatchObject({
    invoice_at: 'Date',
    due_date: { text: '{Date|date}' },
  })
  const { rows: source, close } = await openSheets(folder, mappingOf(proposalText(proposal), 'mapping.yaml'))
  const days: unknown[] = []
  for await (const { part, rows: found } of source.chunks())
    if (part.entity.name === 'invoices')
      for (const { header, cells } of found)
        days.push([cells[header.indexOf('invoice_at')], cells[header.indexOf('due_date')]])
  await close()
  expect(days).toEqual([
    ['2026-04-01 10:30:00', '2026-04-01'],
    ['2026-04-21 10:30:00', '2026-04-21'],
  ])
})

it('noon and midnight are not exchanged, and times with a zone are to be looked at', async () => {
  const rows = (texts: readonly string[]) =>
    texts.map((text, i) => [`S-${i}`, text, 'Asha', 'Ghee', 1, 'Nos', 10, 10] as const)
  const folder = await books({
    'a.xlsx': { Sales: [SALES, ...rows(['21/04/2026 12:00 AM', '21/04/2026 12:05 PM', '21/04/2026 01:00 p.m.'])] },
  })
  const { rows: source, close } = await openSheets(folder, mappingOf(proposalText(await propose(folder)), 'm'))
  const times: unknown[] = []
  for await (const { part, rows: found } of source.chunks())
    if (part.entity.name === 'invoices')
      for (const { header, cells } of found) times.push(cells[header.indexOf('invoice_at')])
  await close()
  expect(times).toEqual(['2026-04-21 00:00:00', '2026-04-21 12:05:00', '2026-04-21 13:00:00'])
  for (const [form, zone] of [
    ['YYYY-MM-DDThh:mm:ssZ', 'T10:30:00Z'],
    ['YYYY-MM-DD hh:mm:ss +0530', ' 10:30:00 +0530'],
  ] as const) {
    const { settings } = await found({ 'a.xlsx': { Sales: [SALES, ...rows([`2026-04-21${zone}`])] } })
    expect(settings.dates).toMatchObject({
      value: [form],
      unsure: true,
      why: expect.stringContaining('name their zone'),
    })
  }
})

it('a column whose cells are not what its heading says is named, also if no table fits then', async () => {
  const day = { date: 46_113 }
  const dates = await found({
    'a.xlsx': { Sales: [SALES, ['S-1', 'Wed, 01 Apr 2026', 'Asha', 'Ghee', 1, 'Nos', 10, 10]] },
  })
  expect(dates.tables[0]?.doubts).toContainEqual({
    reason:
      'Date: its cells, such as "Wed, 01 Apr 2026", are no dates in a form that is known, so no rule reads them: name their form in dates, such as DD-MMM-YY, and add the columns',
    needed: true,
  })
  const amounts = await found({ 'a.xlsx': { Sales: [SALES, ['S-1', day, 'Asha', 'Ghee', 1, 'Nos', 10, '1.5 Cr']] } })
  expect(proposalText(amounts)).toContain('LOOK: Amount: its cells, such as "1.5 Cr", are no numbers that are clear')
  const none = await found({
    'a.xlsx': {
      Sales: [
        ['Invoice No', 'Date', 'Amount'],
        ['S-1', '20260401', 10],
      ],
    },
  })
  expect(none.unread[0]?.why).toContain('Date: its cells, such as "20260401", are no dates in a form that is known')
})

it('cells with errors do not change what their column is, and are to be looked at', async () => {
  const rows = [1, 2, 3].map((n): XlsxCell[] => [`S-${n}`, { date: 46_112 + n }, 'Asha', 'Ghee', n, 'Nos', 10, 10 * n])
  for (const [place, name] of SALES.entries()) {
    const proposal = await found({
      'a.xlsx': { Sales: [SALES, ...rows.map((row, i) => (i === 1 ? row.with(place, { error: '#REF!' }) : row))] },
    })
    expect(names(proposal), name).toEqual(['items', 'customers', 'invoices', 'invoice_items'])
    expect(doubts(proposal).filter((reason) => !/^all of|exist only|no column states a tax/.test(reason))).toEqual([
      `${name}: 1 cell cannot be read; the first is #REF!`,
    ])
  }
})

it('headings that stand over both rows of a header belong to it, and Unit is no unit', async () => {
  const proposal = await found({
    'a.xlsx': {
      Sales: [
        ['Invoice', null, 'Party', 'Item', 'Sold', null, null, null],
        ['No', 'Date', null, null, 'Qty', 'Unit', 'Rate', 'Amount'],
        ['S-1', { date: 46_113 }, 'Asha', 'Ghee', 1, 'Box', 10, 10],
      ],
    },
  })
  expect(proposal.tables[0]?.header).toEqual({ first: 1, last: 2 })
  expect(rulesFor(proposal, 'items')[0]?.columns).toMatchObject({ sku: { code: 'Item' }, unit: 'Unit' })
  expect(rulesFor(proposal, 'invoices')[0]?.columns).toMatchObject({ customer_code: { code: 'Party' } })
  expect(rulesFor(proposal, 'invoice_items')[0]?.columns).toMatchObject({
    qty: 'Qty',
    unit: 'Unit',
    taxable_value: 'Amount',
  })
})

it('a second part of a table under a title of its own is to be looked at', async () => {
  const row = (no: string) => [no, { date: 46_113 }, 'Asha', 'Ghee', 1, 'Box', 10, 10]
  const proposal = await found({ 'a.xlsx': { Sales: [SALES, row('S-1'), [], ['Sales returns'], SALES, row('R-1')] } })
  expect(proposalText(proposal)).toMatch(/LOOK: row 4 says Sales returns, and the names of the columns follow again/)
  const page = await found({ 'a.xlsx': { Sales: [SALES, row('S-1'), SALES, row('R-1')] } })
  expect(proposalText(page)).not.toContain('follow again')
})

it('a date as a text and the same date as a date are one day of a document', async () => {
  const row = (at: XlsxCell, item: string) => ['S-1', at, 'Asha', item, 1, 'Box', 10, 10]
  const proposal = await found({
    'a.xlsx': { Sales: [SALES, row('21-04-2026', 'Ghee'), row({ date: 46_133 }, 'Laddu')] },
  })
  expect(doubts(proposal).join()).not.toContain('several days')
  expect(rulesFor(proposal, 'invoices')[0]?.columns?.['invoice_no']).toBe('Invoice No')
})

it('exchanged days and months are to be looked at', async () => {
  // 4 January, 4 February …: what 1 April, 2 April … become in a program that expects the month first.
  const days = Array.from({ length: 28 }, (_, i) => (i < 12 ? { date: 46_026 + 31 * (i % 2) } : `${i + 1}/04/2026`))
  const rows = days.map((day, i): XlsxCell[] => [`S-${i}`, day, 'Asha', 'Ghee', 1, 'Box', 10, 10])
  expect(proposalText(await found({ 'a.xlsx': { Sales: [SALES, ...rows] } }))).toContain(
    'LOOK: Date: all real dates have a day up to 12',
  )
})

it('text files of other programs: semicolons mean a decimal comma, UTF-16 needs no mark, and a guessed encoding is shown', async () => {
  const text = 'Invoice No;Date;Party;Item;Qty;Unit;Rate;Amount\nS-1;21.04.2026;Müller;Laddu;2;Box;1.250;2.500\n'
  const semicolons = await found({}, { 'a.csv': text })
  expect(semicolons.settings.decimal).toMatchObject({ value: ',', unsure: true })
  expect((await found({}, { 'a.csv': text.replaceAll(';', '\t') })).settings.decimal).toMatchObject({
    value: '.',
    unsure: true,
  })
  const wide = await found({}, { 'a.tsv': Buffer.from(text.replaceAll(';', '\t'), 'utf16le') })
  expect(wide.unread).toEqual([])
  expect(rulesFor(wide, 'invoices')[0]).toMatchObject({ separator: '\t', encoding: 'utf-16le' })
  const windows = await found({}, { 'a.csv': Buffer.from(text, 'latin1') })
  expect(doubts(windows)).toContain('the file was read as windows-1252, which makes texts such as Müller')
})

it('one price in another currency does not change the account, and most prices must be looked at', async () => {
  const rows = (prices: readonly string[]) =>
    prices.map((price, i): XlsxCell[] => [`S-${i}`, { date: 46_113 }, 'Asha', 'Ghee', 1, 'Box', price, price])
  const one = await found({ 'a.xlsx': { Sales: [SALES, ...rows(['100', '100', 'USD 35.00'])] } })
  expect(names(one)).not.toContain('account')
  // QuickBooks writes the sign into the first row and the total only.
  const first = await found({ 'a.xlsx': { Sales: [SALES, ...rows(['$1', '2', '3', '4', '5'])] } })
  expect(rulesFor(first, 'account')[0]?.constants).toMatchObject({ currency: 'USD' })
  const most = await found({ 'a.xlsx': { Sales: [SALES, ...rows(['USD 1', '$ 2', '3'])] } })
  expect(most.tables[0]?.rules.find(({ entity }) => entity === 'account')?.doubts).toContainEqual({
    column: 'currency',
    reason: '4 cells state USD, and the account is in INR; 2 other amounts state no currency, and would be in USD too',
    needed: true,
  })
})

it('columns that no rule reads are named, and codes that a program has shortened', async () => {
  const stock = await found({
    'a.xlsx': {
      Stock: [
        ['Item', 'Batch', 'Unit', 'Closing Qty'],
        ['Ghee', 'B1', 'Nos', 10],
        ['Oil', 'B2', 'Ltr', 5],
      ],
    },
  })
  expect(doubts(stock)).toContain('no rule reads the column Batch')
  const codes = await found({}, { 'items.csv': 'Item Code,Item Name,Unit\n8.90E+12,Ghee,Nos\nA,Oil,Ltr\n' })
  expect(proposalText(codes)).toContain(
    'LOOK: Item Code: 8.90E+12 is a number that a spreadsheet program has shortened',
  )
})

it('stock cards with a tab for each item are refused: what happened is no item', async () => {
  const card = (name: string) => [
    [`Stock card: ${name}`],
    ['Date', 'Particulars', 'In', 'Out', 'Balance'],
    [{ date: 46_113 }, 'Opening', 10, null, 10],
    [{ date: 46_117 }, 'Purchase', 5, null, 15],
    [{ date: 46_121 }, 'Sale', null, 3, 12],
  ]
  for (const items of [['Ghee'], ['Ghee', 'Laddu', 'Oil']]) {
    const proposal = await found({ 'a.xlsx': Object.fromEntries(items.map((name) => [name, card(name)])) })
    expect([names(proposal), proposal.unread[0]?.why], items.join()).toEqual([
      [],
      'Balance runs on from row to row although Particulars changes, so it is about one item, which no column names: add a column with the item',
    ])
  }
  const bare = await found({ 'a.xlsx': { Ghee: card('Ghee').map((row) => row.slice(0, 4)) } })
  expect(bare.unread[0]?.why).toBe(
    'Particulars says what happened, such as Opening, Purchase, Sale, and no column names the item: add a column with the item',
  )
})
