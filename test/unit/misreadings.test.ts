/** Sheets as small firms keep them, of which a proposal once read wrong figures without a word: it reads the right ones, says so, or refuses. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { mappingOf } from '../../src/pull/sheets/mapping.js'
import { Masters } from '../../src/pull/sheets/masters.js'
import { propose } from '../../src/pull/sheets/propose/propose.js'
import { proposalText } from '../../src/pull/sheets/propose/text.js'
import { openSheets } from '../../src/pull/sheets/rows.js'
import { tempFolder } from '../setup/files.js'
import { writeXlsx, type XlsxCell } from '../setup/xlsx.js'

type Rows = readonly (readonly XlsxCell[])[]

interface Read {
  /** By entity and column: the values of all rows. */
  readonly values: Readonly<Record<string, readonly string[]>>
  /** Marked with ! if they must be looked at. */
  readonly doubts: readonly string[]
  readonly unread: readonly string[]
}

async function read(sheets: Record<string, Rows>): Promise<Read> {
  const folder = tempFolder()
  await writeXlsx(join(folder, 'books.xlsx'), sheets)
  const proposal = await propose(folder)
  const doubts = proposal.tables
    .flatMap(({ doubts, rules }) => [...doubts, ...rules.flatMap((rule) => rule.doubts)])
    .map(({ reason, needed }) => `${needed ? '!' : ''}${reason}`)
  const unread = proposal.unread.map(({ why }) => why)
  const values: Record<string, string[]> = {}
  if (proposal.tables.every(({ rules }) => rules.length === 0)) return { values, doubts, unread }
  const { rows, close } = await openSheets(folder, mappingOf(proposalText(proposal), 'm'), { masters: new Masters() })
  try {
    for await (const { part, rows: some } of rows.chunks())
      for (const { header, cells, faults = [] } of some) {
        for (const [i, name] of header.entries()) {
          const at = `${part.entity.name}.${name}`
          values[at] ??= []
          if (cells[i] != null) values[at].push(String(cells[i]))
        }
        doubts.push(...faults.map(({ column, message }) => `${column} ${message}`))
      }
  } finally {
    await close()
  }
  return { values, doubts, unread }
}

/** Days of April 2025. */
const day = (number: number): XlsxCell => ({ date: 45_747 + number })
const sale = (...rows: Rows): Record<string, Rows> => ({
  Sales: [['Invoice No', 'Date', 'Customer', 'Item', 'Qty', 'Unit', 'Rate', 'Amount'], ...rows],
})

it.each<[what: string, sheets: Record<string, Rows>, values: Record<string, string[]>, doubts?: string[]]>([
  [
    'subtotals per customer that do not say so',
    {
      Sales: [
        ['Customer', 'Invoice No', 'Date', 'Item', 'Qty', 'Rate', 'Amount'],
        ['Asha', 'A1', day(1), 'Ghee', 2, 500, 1000],
        ['Asha', 'A2', day(2), 'Laddu', 3, 100, 300],
        ['Asha', null, null, null, 5, null, 1300],
        ['Vikram', 'A3', day(3), 'Ghee', 1, 500, 500],
        ['Vikram', null, null, null, 1, null, 500],
        [null, null, null, null, 6, null, 1800],
      ],
    },
    { 'invoices.final_amt': ['1000', '300', '500'], 'invoice_items.taxable_value': ['1000', '300', '500'] },
    ['rows without Item, such as row 4, have the sums of other rows: they are left out'],
  ],
  [
    'a subtotal in a column of numbers, beside a customer called Total',
    {
      Sales: [
        ['Customer', 'Invoice No', 'Date', 'Item', 'Qty', 'Rate', 'Amount'],
        ['Total Foods', 'A1', day(1), 'Ghee', 2, 500, 1000],
        ['Total Foods', 'Sub Total', null, null, 2, null, 1000],
        ['Vikram', 'A3', day(3), 'Ghee', 1, 500, 500],
        ['Vikram', 'Sub Total', null, null, 1, null, 500],
      ],
    },
    { 'invoices.invoice_no': ['A1', 'A3'], 'invoices.final_amt': ['1000', '500'] },
  ],
  [
    'groups of a stock summary with the sums of their items',
    {
      Stock: [
        ['Stock Summary'],
        ['1-Apr-25 to 31-Mar-26'],
        ['Particulars', 'Quantity', 'Rate', 'Value'],
        ['Dairy', 60, null, 9000],
        ['Ghee', 20, 300, 6000],
        ['Curd', 40, 75, 3000],
        ['Sweets', 30, null, 3000],
        ['Laddu', 30, 100, 3000],
      ],
    },
    { 'stock_movements.val': ['6000', '3000', '3000'] },
    ['rows without Rate, such as row 4, have the sums of other rows: they are left out'],
  ],
  [
    'a closing stock per month',
    Object.fromEntries(
      ['April', 'May', 'June'].map((month, i) => [
        month,
        [
          ['Item', 'Unit', 'Opening', 'Received', 'Issued', 'Closing'],
          ['Ghee', 'kg', 10, 5, 3, 12 + i],
          ['Laddu', 'Box', 40, 0, 10, 30],
        ],
      ]),
    ),
    { 'stock_movements.qty': ['14', '30'] },
    [
      '!the same items stand in 3 sheets, so only the stock of the last one, June, is loaded; if they are places and not months, read them all',
    ],
  ],
  [
    'stock counts of several days',
    {
      Stock: [
        ['As on', 'Item', 'Unit', 'Closing Stock', 'Value'],
        [day(30), 'Ghee', 'kg', 10, 5000],
        [day(30), 'Curd', 'kg', 5, 250],
        [day(61), 'Ghee', 'kg', 12, 6000],
        [day(61), 'Curd', 'kg', 4, 200],
      ],
    },
    { 'stock_movements.qty': ['12', '4'] },
    ['!the same items have stock on 2 days; only the last day, 2025-05-31, is loaded'],
  ],
  [
    'the opening balance in each month’s tab',
    Object.fromEntries(
      ['April', 'May'].map((month, i) => [
        month,
        [
          ['Date', 'Item', 'Particulars', 'In', 'Out'],
          [day(1 + 30 * i), 'Ghee', 'Opening Balance', 10, null],
          [day(5 + 30 * i), 'Ghee', 'Purchase', 3, null],
          [day(9 + 30 * i), 'Ghee', 'Sale', null, 2],
        ],
      ]),
    ),
    { 'stock_movements.qty': ['3', '3', '2', '2'] },
    ['!rows of Opening Balance carry a balance and are left out: load the first opening stock by a sheet of its own'],
  ],
  [
    'stock from before the first row',
    {
      Stock: [
        ['Date', 'Item', 'In', 'Out', 'Balance'],
        [day(1), 'Ghee', 3, null, 13],
        [day(1), 'Curd', 5, null, 5],
        [day(2), 'Ghee', null, 2, 11],
      ],
    },
    { 'stock_movements.qty': ['3', '5', '2'] },
    ['!Balance in row 2 has stock from before, which no row brings in: load the opening stock by a sheet of its own'],
  ],
  [
    'actual and billed quantities',
    {
      Sales: [
        ['Invoice No', 'Date', 'Customer', 'Item', 'Actual Qty', 'Billed Qty', 'Unit', 'Rate', 'Amount'],
        ['A1', day(1), 'Asha', 'Ghee', 12, 10, 'Nos', 500, 5000],
        ['A2', day(2), 'Vikram', 'Ghee', 2, 2, 'Nos', 500, 1000],
      ],
    },
    { 'invoice_items.qty': ['10', '2'] },
    ['columns E and F are both quantities; F was taken, which times the price is the amount in the rows'],
  ],
  [
    'a discount between amount and tax',
    {
      Sales: [
        [
          ...['Invoice No', 'Date', 'Customer', 'Item', 'Qty', 'Unit', 'Rate', 'Amount', 'Discount'],
          ...['CGST', 'SGST', 'Net Amount'],
        ],
        ['A1', day(1), 'Asha', 'Ghee', 10, 'Nos', 500, 5000, 500, 112.5, 112.5, 4725],
        ['A2', day(2), 'Vikram', 'Ghee', 2, 'Nos', 500, 1000, 100, 22.5, 22.5, 945],
      ],
    },
    {
      'invoices.sub_total': ['4500', '900'],
      'invoices.total_tax': ['225', '45'],
      'invoices.final_amt': ['4725', '945'],
      'invoice_items.taxable_value': ['4500', '900'],
    },
  ],
  [
    'a gross amount before the discount',
    {
      Sales: [
        [
          ...['Invoice No', 'Date', 'Customer', 'Item', 'Qty', 'Unit', 'Rate', 'Gross Amount', 'Discount'],
          ...['Taxable Value', 'GST Amount', 'Net Amount'],
        ],
        ['A1', day(1), 'Asha', 'Ghee', 10, 'Nos', 500, 5000, 500, 4500, 225, 4725],
        ['A2', day(2), 'Vikram', 'Ghee', 2, 'Nos', 500, 1000, 100, 900, 45, 945],
      ],
    },
    { 'invoices.sub_total': ['4500', '900'], 'invoices.final_amt': ['4725', '945'] },
    ['Taxable Value + GST Amount is Net Amount in the rows, so these columns were taken'],
  ],
  [
    'amounts that do not add up',
    {
      Sales: [
        ['Invoice No', 'Date', 'Customer', 'Amount', 'GST Amount', 'Total'],
        ['A1', day(1), 'Asha', 1000, 50, 1150],
        ['A2', day(2), 'Asha', 2000, 100, 2150],
      ],
    },
    { 'invoices.final_amt': ['1150', '2150'] },
    ['!Amount + GST Amount is not Total, such as in row 2: 1050 is not 1150'],
  ],
  [
    'equal amounts in all lines of an invoice',
    sale(
      ['A1', day(1), 'Asha', 'Ghee', 1, 'Nos', 500, 500],
      ['A1', day(1), 'Asha', 'Paneer', 1, 'Nos', 500, 500],
      ['A2', day(2), 'Vikram', 'Ghee', 2, 'Nos', 500, 1000],
      ['A2', day(2), 'Vikram', 'Curd', 10, 'Nos', 100, 1000],
    ),
    { 'invoices.final_amt': ['1000', '2000'], 'invoice_items.taxable_value': ['500', '500', '1000', '1000'] },
  ],
  [
    'a tax in columns by rate',
    {
      'Purchase Register': [
        [
          'Date',
          'Supplier',
          'Bill No',
          'Taxable Value',
          'Input CGST @ 2.5%',
          'SGST 2.5%',
          'CGST 9%',
          'SGST 9%',
          'IGST 18%',
        ],
        [day(1), 'Patil', 'P1', 1000, 25, 25, null, null, null],
        [day(2), 'Pack Co', 'X7', 2000, null, null, null, null, 360],
        [day(3), 'Pack Co', 'X8', 3000, null, null, 270, 270, null],
      ],
    },
    { 'purchase_orders.tax_amt': ['50', '360', '540'], 'purchase_orders.total_amt': ['1050', '2360', '3540'] },
  ],
  [
    'GST in rupees under a heading that may be a rate',
    {
      Purchases: [
        ['Voucher No', 'Date', 'Supplier', 'Item', 'Qty', 'Unit', 'Rate', 'Taxable Value', 'GST', 'Total'],
        [1, day(1), 'Patil', 'Milk', 10, 'Ltr', 40, 400, 20, 420],
        [2, day(2), 'Pack Co', 'Tape', 1, 'Roll', 33.5, 33.5, 6.03, 39.53],
      ],
    },
    { 'purchase_orders.tax_amt': ['20', '6.03'], 'purchase_orders.total_amt': ['420', '39.53'] },
  ],
  [
    'GST that may be rates or rupees',
    {
      Purchases: [
        ['Voucher No', 'Date', 'Supplier', 'Item', 'Qty', 'Unit', 'Rate', 'Taxable Value', 'GST'],
        ['P1', day(1), 'Patil', 'Milk', 10, 'Ltr', 40, 400, 18],
      ],
    },
    { 'purchase_orders.tax_amt': ['0'] },
    ['GST was taken for a rate in percent'],
  ],
  [
    'a price for a dozen',
    {
      Sales: [
        ['Invoice No', 'Date', 'Customer', 'Item', 'Qty (Pcs)', 'Rate (per doz)', 'Amount'],
        ['A1', day(1), 'Asha', 'Bangle', 24, 120, 240],
        ['A2', day(2), 'Vikram', 'Ring', 36, 60, 180],
      ],
    },
    { 'invoice_items.rate': ['0', '0'], 'invoice_items.taxable_value': ['240', '180'] },
    [
      '!Qty (Pcs) times Rate (per doz) is not Amount, such as in row 2: 24 times 120 is not 240: it is the price of 12 units, so it is not loaded',
    ],
  ],
  [
    'a price with the tax in it',
    {
      Sales: [
        ['Invoice No', 'Date', 'Customer', 'Item', 'Qty', 'Unit', 'Rate', 'Taxable', 'GST Amt', 'Total'],
        ['A1', day(1), 'Asha', 'Ghee', 2, 'Nos', 118, 200, 36, 236],
        ['A2', day(2), 'Vikram', 'Box', 4, 'Nos', 59, 200, 36, 236],
      ],
    },
    { 'invoices.final_amt': ['236', '236'] },
    ['!Qty times Rate is Total, so the prices may include the tax'],
  ],
  [
    'amounts in dollars beside amounts in rupees',
    {
      Sales: [
        ['Invoice No', 'Date', 'Customer', 'Item', 'Qty', 'Unit', 'Rate (USD)', 'Amount (USD)', 'Amount (INR)'],
        ['A1', day(1), 'Acme', 'Ghee', 10, 'Nos', 6, 60, 5100],
      ],
    },
    { 'invoices.final_amt': ['5100'], 'invoice_items.taxable_value': ['5100'], 'invoice_items.rate': ['0'] },
    ['no rule reads the numbers in Amount (USD)'],
  ],
  [
    'a currency in the headings only',
    {
      Sales: [
        ['Invoice No', 'Date', 'Customer', 'Item', 'Qty', 'Unit', 'Rate USD', 'Amount USD'],
        ['A1', day(1), 'Acme', 'Ghee', 10, 'Nos', 6, 60],
      ],
    },
    { 'invoices.final_amt': ['60'], 'invoices.currency': ['USD'], 'account.currency': ['USD'] },
    ['!the headings name USD, and no column has the exchange rate'],
  ],
  [
    'two series of numbers',
    {
      Sales: [
        ['Voucher Type', 'Voucher No', 'Date', 'Party', 'Item', 'Qty', 'Unit', 'Rate', 'Amount'],
        ['Sales', '1', day(1), 'Asha', 'Ghee', 1, 'Nos', 500, 500],
        ['Sales GST', '1', day(1), 'Asha', 'Curd', 1, 'Nos', 50, 50],
        ['Sales', '2', day(2), 'Vikram', 'Ghee', 1, 'Nos', 500, 500],
      ],
    },
    {
      'invoices.invoice_no': ['Sales/1', 'Sales GST/1', 'Sales/2'],
      'invoice_items.line_no': ['1', '1', '1'],
      'invoices.final_amt': ['500', '50', '500'],
    },
  ],
  [
    'units and currencies in a second row of the header',
    {
      Sales: [
        ['Invoice No', 'Date', 'Customer', 'Item', 'Qty', 'Rate', 'Amount'],
        [null, null, null, null, 'Kgs', 'Rs./Kg', '(Rs.)'],
        ['A1', day(1), 'Asha', 'Ghee', 1, 500, 500],
        ['A2', day(2), 'Vikram', 'Curd', 2, 50, 100],
      ],
    },
    { 'items.unit': ['Kgs', 'Kgs'], 'invoice_items.qty': ['1', '2'], 'invoices.final_amt': ['500', '100'] },
  ],
  [
    'a total whose formula has no result',
    sale(
      ['A1', day(1), 'Asha', 'Ghee', 1, 'Nos', 500, 500],
      ['A2', day(2), 'Asha', 'Ghee', 2, 'Nos', 500, 1000],
      ['Total', null, null, null, null, null, null, { xml: (place) => `<c r="${place}"><f>SUM(H2:H3)</f></c>` }],
    ),
    { 'invoices.invoice_no': ['A1', 'A2'] },
  ],
  [
    'grams and kilograms of one item',
    {
      Sales: [
        ['Invoice No', 'Date', 'Customer', 'Item', 'Qty', 'Rate', 'Amount'],
        ['A1', day(1), 'Asha', 'Ghee', '2 kg', 500, 1000],
        ['A2', day(1), 'Asha', 'Ghee', '500 g', 500, 250],
      ],
    },
    { 'items.unit': ['kg'], 'invoice_items.qty': ['2', '0.5'], 'invoice_items.rate': ['500', '500'] },
  ],
  [
    'a column for the amount that is called Basic, and no customer',
    {
      Sales: [
        ['Invoice No', 'Date', 'Item', 'Qty', 'Unit', 'Rate', 'Basic', 'GST Amount', 'Bill Amt'],
        ['A1', day(1), 'Ghee', 2, 'Nos', 500, 1000, 50, 1050],
      ],
    },
    { 'invoices.sub_total': ['1000'], 'invoices.total_tax': ['50'], 'invoices.final_amt': ['1050'] },
    ['!no column names the customer, so these documents have none'],
  ],
  [
    'returns in parentheses',
    sale(
      ['A1', day(1), 'Asha', 'Ghee', 10, 'Nos', 500, 5000],
      ['CN1', day(3), 'Asha', 'Ghee', '(2)', 'Nos', 500, '(1,000.00)'],
    ),
    { 'invoices.final_amt': ['5000', '-1000'], 'invoice_items.qty': ['10', '-2'] },
  ],
  [
    'years that begin in April, on days of both orders',
    sale(
      [1, '05/04/2024', 'Asha', 'Ghee', 1, 'Nos', 500, 500],
      [2, '15/02/2025', 'Asha', 'Ghee', 1, 'Nos', 500, 500],
      [1, '07/04/2025', 'Asha', 'Ghee', 1, 'Nos', 500, 500],
      [2, '19/03/2026', 'Asha', 'Ghee', 1, 'Nos', 500, 500],
    ),
    {
      'invoices.invoice_no': ['1/2024-25', '2/2024-25', '1/2025-26', '2/2025-26'],
      'invoices.invoice_at': ['2024-04-05', '2025-02-15', '2025-04-07', '2026-03-19'],
    },
  ],
])('%s', async (_, sheets, values, doubts = []) => {
  const found = await read(sheets)
  expect(Object.fromEntries(Object.keys(values).map((name) => [name, found.values[name]]))).toEqual(values)
  for (const doubt of doubts) expect(found.doubts).toContain(doubt)
})

it.each<[what: string, sheets: Record<string, Rows>, why: string]>([
  [
    'amounts in lakhs',
    {
      Sales: [
        ['Invoice No', 'Date', 'Customer', 'Amount (Rs. in lakhs)', 'Tax', 'Total'],
        ['A1', day(1), 'Asha', 1.5, 0.075, 1.575],
      ],
    },
    'Amount (Rs. in lakhs) says that its numbers are in lakhs: write them in full',
  ],
  [
    'a title in thousands',
    { Stock: [['Closing stock (Figures in Thousands)'], ['Item', 'Unit', 'Qty', 'Value'], ['Ghee', 'kg', 10, 50]] },
    '"Closing stock (Figures in Thousands)" says that its numbers are in Thousands: write them in full',
  ],
  [
    'items as headings above their rows',
    {
      Stock: [
        ['Date', 'Particulars', 'In', 'Out', 'Balance'],
        ['Ghee 1 kg', null, null, null, null],
        [day(1), 'Purchase', 10, null, 10],
        ['Laddu', null, null, null, null],
        [day(1), 'Purchase', 40, null, 40],
      ],
    },
    'Date has days and other texts, such as the item of the rows below: give each row its day and its item',
  ],
  [
    'a sheet about one item',
    {
      'Ghee 1 kg': [
        ['Date', 'Particulars', 'Inwards', 'Outwards', 'Closing'],
        [day(1), 'Opening Balance', 10, null, 10],
        [day(2), 'Patil Dairy', 20, null, 30],
        [day(3), 'Asha Stores', null, 5, 25],
        [day(5), 'Vikram', null, 5, 20],
      ],
    },
    'Closing runs on from row to row although Particulars changes, so it is about one item, which no column names: add a column with the item',
  ],
])('refused: %s', async (_, sheets, why) => {
  expect(await read(sheets)).toMatchObject({ values: {}, unread: [why] })
})

it('a charge without a name is an error, and no sum', async () => {
  const { values } = await read(
    sale(
      ['A1', day(1), 'Asha', 'Ghee', 2, 'Nos', 500, 1000],
      [null, null, null, 'Curd', 3, 'Nos', 50, 150],
      [null, null, null, null, null, null, null, 100],
      ['A2', day(2), 'Asha', 'Ghee', 2, 'Nos', 500, 1000],
    ),
  )
  expect(values['invoices.final_amt']).toEqual(['1250', '1000'])
  // The line has no item, which the loader refuses.
  expect([values['invoice_items.taxable_value'], values['invoice_items.sku']]).toEqual([
    ['1000', '150', '100', '1000'],
    ['GHEE', 'CURD', 'GHEE'],
  ])
})
