/**
 * Features of real books that the contract lacks: each case is loaded as companies export it, shows where the decisions
 * say (docs/decisions/0028, 0029), and every report equals the oracle.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { load } from '../../src/import/pipeline/load.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { reports } from '../../src/reports/index.js'
import { ofOneState, oracle } from '../oracle/index.js'
import { tempFolder, writeFiles } from '../setup/files.js'
import { good } from '../setup/good-files.js'
import { lineOf } from '../setup/problem-lines.js'
import { codesOf, requestsFor } from '../setup/requests.js'
import { companyOf } from '../setup/sample.js'
import { type Service, startService } from '../setup/service.js'
import { inLongTier, long } from '../setup/tier.js'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

type Row = Record<string, string | null>
type Rows = Record<string, Row[]>

/** The good files as rows. */
const base = (): Rows =>
  Object.fromEntries(
    Object.entries(good).map(([file, text]) => {
      const [head = [], ...lines] = text
        .trim()
        .split('\n')
        .map((line) => line.split(','))
      return [
        file.replace('.csv', ''),
        lines.map((cells) => Object.fromEntries(head.map((name, i) => [name, cells[i] || null]))),
      ]
    }),
  )

/** The first row of an entity with some cells changed. */
const like = (entity: string, change: Row): Row => ({ ...base()[entity]?.[0], ...change })

const RANGE = { from_date: '2024-01-01', to_date: '2024-12-31' }

async function ask(path: string, body: object = RANGE): Promise<Record<string, unknown>[]> {
  const answer = await service.call({ path, body, query: { 'per-page': 1000, fields: 'all' } })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json().data
}

/** Loads the good files and these rows, and compares every report with the oracle; `means` translates cells for the oracle. */
async function books(more: Rows, means: Record<string, string> = {}): Promise<void> {
  await service.db.unsafe(
    'truncate warehouse, item, vendor, customer, stock_closing, stock_flow, batch_closing cascade',
  )
  const rows = base()
  for (const [entity, list] of Object.entries(more)) rows[entity] = [...(rows[entity] ?? []), ...list]
  const folder = tempFolder()
  writeFiles(folder, rows, () => 'csv')
  const result = await load(service.database, findFiles(folder))
  expect(result.errors.first.map(lineOf)).toEqual([])
  const meant = (row: Row): Row =>
    Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, means[cell ?? ''] ?? cell]))
  const company = companyOf(Object.fromEntries(Object.entries(rows).map(([entity, list]) => [entity, list.map(meant)])))
  for (const report of ofOneState)
    for (const body of requestsFor(report, RANGE, codesOf(company)).slice(0, long ? undefined : 1)) {
      const data = (await ask(report.path, body)).map(unnumbered)
      expect({ id: report.id, body, data }).toEqual({
        ...{ id: report.id, body },
        data: oracle[report.id]?.(company, body).map((record) => unnumbered(record as Record<string, unknown>)),
      })
    }
  // Units, currencies and taxes are converted anew by the second load, and differ from nothing stored.
  if (!long && more['item_units'] === undefined) return
  const again = await load(service.database, findFiles(folder))
  expect(again.dataVersion).toBe(result.dataVersion)
}

const unnumbered = ({ poid: _, prod_id: __, ...record }: Record<string, unknown>) =>
  typeof record['order_id'] === 'number' ? { ...record, order_id: 0 } : record

/** Loads rows that must be refused, and returns the messages. */
async function refused(more: Rows): Promise<string[]> {
  const folder = tempFolder()
  writeFiles(folder, more, () => 'csv')
  const { errors, committed } = await load(service.database, findFiles(folder))
  expect(committed).toBe(false)
  return errors.first.map(lineOf)
}

it('a purchase in dollars, by the case, received at the rate of another day', async () => {
  await books({
    item_units: [{ sku: 'RM1', unit: 'CASE', factor: '24', divisor: null }],
    purchase_orders: [
      like('purchase_orders', {
        po_no: 'PO2',
        currency: 'USD',
        exchange_rate: '83.25',
        taxable_amt: '10.01',
        tax_amt: '0',
        total_amt: '10.01',
      }),
    ],
    purchase_order_items: [
      like('purchase_order_items', {
        po_no: 'PO2',
        unit: 'CASE',
        qty: '2',
        rate: '1.67',
        taxable_amt: '3.34',
        tax_amt: '0',
        total_amt: '3.34',
      }),
      like('purchase_order_items', {
        po_no: 'PO2',
        line_no: '2',
        unit: 'L',
        qty: '3',
        rate: '2.223333',
        taxable_amt: '6.67',
        tax_amt: '0',
        total_amt: '6.67',
      }),
    ],
    goods_receipts: [like('goods_receipts', { grn_no: 'G2', po_no: 'PO2', exchange_rate: '84' })],
    goods_receipt_items: [
      like('goods_receipt_items', {
        grn_no: 'G2',
        po_no: 'PO2',
        unit: 'CASE',
        received_qty: '2',
        accepted_qty: '1.5',
        rejected_qty: '0.5',
        rate: '1.67',
        taxable_amt: '2.51',
        tax_amt: '0',
        total_amt: '2.51',
      }),
    ],
    stock_movements: [
      like('stock_movements', {
        movement_no: 'M6',
        po_no: 'PO2',
        grn_no: 'G2',
        qty: '36',
        val: '210.84',
        val_tax: '210.84',
      }),
    ],
  })
  const [order] = await ask('/v1/purchase-orders/list', { ...RANGE, vendor_code: 'V1' }).then((all) =>
    all.filter(({ pono }) => pono === 'PO2'),
  )
  expect(order).toMatchObject({
    ...{
      currency: 'USD',
      exchange_rate: '83.2500',
      total_amt: '833.33',
      document_total_amt: '10.01',
      po_status: 'PARTIAL RECEIVED',
    },
    items: [
      {
        ...{ uom: 'L', qty: '48.0000', rate: '5.792813', taxable_amt: '278.06' },
        ...{ document_uom: 'CASE', document_qty: '2.0000', document_rate: '1.6700', document_taxable_amt: '3.34' },
      },
      // 278.055 and 555.2775 add up to 833.3325: 833.33 in all
      { qty: '3.0000', taxable_amt: '555.27', document_uom: 'L', document_taxable_amt: '6.67' },
    ],
  })
  const receipts = await ask('/v1/grn/list')
  expect(receipts.find(({ grn_no }) => grn_no === 'G2')).toMatchObject({
    ...{ exchange_rate: '84.0000', taxable_amt: '210.84', document_taxable_amt: '2.51' },
    items: [{ received_qty: '48.0000', accepted_qty: '36.0000', rejected_qty: '12.0000', ordered_qty: '48.0000' }],
  })
  const pending = await ask('/v1/partner/pending-deliveries')
  expect(pending.map((record) => Object.values(record)).filter((values) => values.includes('PO2')).length).toBe(2)
})

inLongTier(
  'a later change of a rate, a factor or a tax changes the lines, although their file did not change',
  async () => {
    await books({
      item_units: [{ sku: 'FG1', unit: 'BOX', factor: '6', divisor: null }],
      sales_orders: [like('sales_orders', { order_no: 'SO2', currency: 'EUR', exchange_rate: '90' })],
      sales_order_items: [like('sales_order_items', { order_no: 'SO2', unit: 'BOX', tax_amt: null, total_amt: null })],
    })
    const shown = async () => {
      const orders = await ask('/v1/sales-orders')
      const { items } = orders.find(({ order_no }) => order_no === 'SO2') as { items: Record<string, unknown>[] }
      return [items[0]?.['qty'], items[0]?.['taxable_amt'], items[0]?.['tax_amt'], items[0]?.['total_amt']]
    }
    expect(await shown()).toEqual(['12.0000', '1800.00', '216.00', '2016.00'])
    const change = async (entity: string, row: Row) => {
      const folder = tempFolder()
      writeFiles(folder, { [entity]: [row] }, () => 'csv')
      const { errors } = await load(service.database, findFiles(folder))
      expect(errors.first.map(lineOf)).toEqual([])
    }
    await change('sales_orders', like('sales_orders', { order_no: 'SO2', currency: 'EUR', exchange_rate: '91' }))
    expect(await shown()).toEqual(['12.0000', '1820.00', '218.40', '2038.40'])
    await change('item_units', { sku: 'FG1', unit: 'BOX', factor: '5', divisor: '2' })
    expect(await shown()).toEqual(['5.0000', '1820.00', '218.40', '2038.40'])
    await change('sales_order_taxes', { order_no: 'SO2', line_no: null, name: 'VAT', rate: '20', amount: '4' })
    expect(await shown()).toEqual(['5.0000', '1820.00', '364.00', '2184.00'])
    await change('sales_orders', like('sales_orders', { order_no: 'SO2' }))
    expect(await shown()).toEqual(['5.0000', '20.00', '4.00', '24.00'])
  },
)

it('three taxes, a provincial one alone, 8.875 %, and a tax that only the whole document states', async () => {
  const line = (invoice_no: string, line_no: string, taxable: string, change: Row = {}) =>
    like('invoice_items', {
      ...{ invoice_no, line_no, taxable_value: taxable, total_value: null, igst_rate: null, igst_amt: null, ...change },
    })
  const head = (invoice_no: string, total_tax: string) => like('invoices', { invoice_no, total_tax })
  await books({
    invoices: [
      head('I2', '3'),
      head('I3', '0.70'),
      head('I4', '0.89'),
      head('I5', '1.00'),
      head('I6', '1.00'),
      head('I7', '1.80'),
    ],
    invoice_items: [
      ...[line('I2', '1', '20'), line('I3', '1', '10'), line('I4', '1', '10.03')],
      ...[line('I5', '1', '10'), line('I5', '2', '10'), line('I5', '3', '10')],
      ...[line('I6', '1', '10'), line('I6', '2', '10'), line('I6', '3', '10')],
      line('I7', '1', '10'),
    ],
    invoice_taxes: [
      { invoice_no: 'I2', line_no: '1', name: 'GST', rate: '5', amount: '1' },
      { invoice_no: 'I2', line_no: '1', name: 'QST', rate: '9.975', amount: '1.995'.slice(0, 4) },
      { invoice_no: 'I2', line_no: '1', name: 'Eco', rate: null, amount: '0.01' },
      { invoice_no: 'I3', line_no: '1', name: 'PST', rate: '7', amount: '0.70' },
      { invoice_no: 'I4', line_no: '1', name: 'NY', rate: '8.875', amount: '0.89' },
      { invoice_no: 'I5', line_no: null, name: 'VAT', rate: '3.3333', amount: '1.00' },
      { invoice_no: 'I7', line_no: '1', name: 'IGST', rate: '18', amount: '1.80' },
    ],
  })
  const invoices = await ask('/v1/sales/invoices')
  const shown = (no: string) => {
    const { taxes, items } = invoices.find(({ invoice_no }) => invoice_no === no) as Record<
      string,
      Record<string, string>[]
    >
    return {
      taxes: taxes?.map(({ line_no, name, rate, amount }) => `${line_no} ${name} ${rate} ${amount}`),
      totals: items?.map(({ total_value, igst_rate, igst_amt }) => `${total_value} ${igst_rate} ${igst_amt}`),
    }
  }
  expect(shown('I1')).toEqual({ taxes: ['1 IGST 12.00 2.40'], totals: ['22.40 12.00 2.40'] })
  expect(shown('I2')).toEqual({
    ...{ taxes: ['1 Eco null 0.01', '1 GST 5.00 1.00', '1 QST 9.975 1.99'], totals: ['23.00 - -'] },
  })
  expect(shown('I3')).toEqual({ taxes: ['1 PST 7.00 0.70'], totals: ['10.70 - -'] })
  expect(shown('I4')).toEqual({ taxes: ['1 NY 8.875 0.89'], totals: ['10.92 - -'] })
  const thirds = ['10.33 - -', '10.34 - -', '10.33 - -']
  expect(shown('I5')).toEqual({
    taxes: ['1 VAT 3.3333 0.33', '2 VAT 3.3333 0.34', '3 VAT 3.3333 0.33'],
    totals: thirds,
  })
  expect(shown('I6')).toEqual({ taxes: [], totals: thirds })
  expect(shown('I7')).toEqual({ taxes: ['1 IGST 18.00 1.80'], totals: ['11.80 18.00 1.80'] })
})

inLongTier('a load with a wrong currency, unit or tax names it and stores nothing', async () => {
  await books({ item_units: [{ sku: 'RM1', unit: 'CASE', factor: '24', divisor: null }] })
  const order = (change: Row) => ({ purchase_orders: [like('purchase_orders', change)] })
  expect(await refused(order({ currency: 'USD' }))).toEqual([
    expect.stringContaining("expected a rate if the currency is not the account's"),
  ])
  expect(await refused(order({ exchange_rate: '2' }))).toHaveLength(1)
  expect(await refused(order({ currency: 'INR', exchange_rate: '2' }))).toHaveLength(1)
  expect(await refused(order({ currency: 'usd', exchange_rate: '2' }))).toEqual([
    expect.stringContaining('a code of three capital letters'),
  ])
  expect(await refused({ purchase_order_items: [like('purchase_order_items', { unit: 'PALLET' })] })).toEqual([
    expect.stringContaining('line 1 of purchase order PO1 is in PALLET, which is no unit of item RM1'),
  ])
  const tax = { name: 'VAT', rate: '5', amount: '1' }
  expect(await refused({ purchase_order_taxes: [{ po_no: 'PO1', line_no: '9', ...tax }] })).toEqual([
    expect.stringContaining('there is no such row in purchase_order_items'),
  ])
  expect(await refused({ invoice_taxes: [{ invoice_no: 'I9', line_no: null, ...tax }] })).toEqual([
    expect.stringContaining('there is no such row in invoices'),
  ])
  expect(await refused({ item_units: [{ sku: 'RM1', unit: 'BAG', factor: '0', divisor: null }] })).toHaveLength(1)
  const twelve = 'is the stock unit of item RM1: its factor and divisor must be equal'
  expect(await refused({ item_units: [{ sku: 'RM1', unit: 'L', factor: '12', divisor: null }] })).toEqual([
    `item_units.csv:2: unit = "L": L ${twelve}`,
  ])
  const milk = (base()['items'] ?? []).find(({ sku }) => sku === 'RM1') as Row
  expect(await refused({ items: [{ ...milk, unit: 'CASE' }] })).toEqual([`items.csv:2: unit = "CASE": CASE ${twelve}`])
})

inLongTier(
  'a line of an order cannot get an item that lacks the unit of its receipts, returns or invoices',
  async () => {
    await books({
      item_units: ['RM1', 'FG1'].map((sku) => ({ sku, unit: 'CASE', factor: '24', divisor: null })),
      items: [like('items', { sku: 'FG2', name: 'Paneer' })],
      purchase_orders: [like('purchase_orders', { po_no: 'PO2' })],
      purchase_order_items: [like('purchase_order_items', { po_no: 'PO2' })],
      goods_receipts: [like('goods_receipts', { grn_no: 'G2', po_no: 'PO2' })],
      goods_receipt_items: [like('goods_receipt_items', { grn_no: 'G2', po_no: 'PO2', unit: 'CASE' })],
      sales_orders: [like('sales_orders', { order_no: 'SO2' })],
      sales_order_items: [like('sales_order_items', { order_no: 'SO2' })],
      returns: [like('returns', { order_no: 'SO2', return_no: 'R2', unit: 'CASE' })],
      invoices: [like('invoices', { invoice_no: 'I2', order_no: 'SO2' })],
      invoice_items: [like('invoice_items', { invoice_no: 'I2', order_no: 'SO2', unit: 'CASE' })],
    })
    const no = 'is in CASE, which is no unit of item FG2'
    const paneer = (entity: string, change: Row) => ({ [entity]: [like(entity, { sku: 'FG2', ...change })] })
    expect(await refused(paneer('purchase_order_items', { po_no: 'PO2' }))).toEqual([
      `purchase_order_items.csv:2: sku = "FG2": line 1 of receipt G2 ${no}`,
    ])
    expect(await refused(paneer('sales_order_items', { order_no: 'SO2' }))).toEqual([
      `sales_order_items.csv:2: sku = "FG2": return R2 of order SO2 ${no}`,
      `sales_order_items.csv:2: sku = "FG2": line 1 of invoice I2 ${no}`,
    ])
  },
)

inLongTier('the account’s currency cannot change while documents have rates, which are prices in it', async () => {
  await books({ purchase_orders: [like('purchase_orders', { po_no: 'PO2', currency: 'USD', exchange_rate: '0.9' })] })
  for (const currency of ['USD', 'GBP'])
    expect(await refused({ account: [like('account', { currency })] })).toEqual([
      `account.csv:2: currency = "${currency}": expected the stored currency, because stored documents have exchange rates in it; load into a new database to change it`,
    ])
  await books({ sales_orders: [like('sales_orders', { order_no: 'SO2', currency: 'INR' })] })
  expect(await refused({ account: [like('account', { currency: 'GBP' })] })).toEqual([
    'account.csv:2: currency = "GBP": sales order SO2 is in INR, which is not the account’s currency, and has no exchange_rate',
  ])
})

inLongTier(
  'a load warns of credit notes above zero or for nothing, of contradicting taxes, and of documents that a new factor changes',
  async () => {
    const warned = async (rows: Record<string, Row[]>) => {
      const folder = tempFolder()
      writeFiles(folder, rows, () => 'csv')
      const { errors, warnings } = await load(service.database, findFiles(folder))
      expect(errors.first.map(lineOf)).toEqual([])
      return warnings.first
    }
    await books({ item_units: [{ sku: 'RM1', unit: 'CAN', factor: '1', divisor: null }] })
    const note = { invoice_no: 'C1', kind: 'CREDIT NOTE', credit_for: 'I9', currency: 'EUR', exchange_rate: '90' }
    const tax = { line_no: '1', name: 'VAT', rate: null, amount: '2' }
    expect(await warned({ invoices: [like('invoices', { ...note })] })).toEqual([
      'credit note C1: final_amt is 22.40 EUR; amounts of a credit note are negative',
      'credit note C1: there is no invoice I9',
    ])
    expect(await warned({ purchase_order_taxes: [{ po_no: 'PO1', ...tax }] })).toEqual([
      'line 1 of purchase_order PO1: tax_amt is 1.20, its tax rows add up to 2.00',
    ])
    expect(await warned({ invoice_taxes: [{ invoice_no: 'I1', ...tax }] })).toEqual([
      'invoice I1: total_tax is 2.40, its taxes add up to 4.40',
      'line 1 of invoice I1: total_value is 22.40, amount and tax add up to 24.40',
    ])
    // No warning for rounding, or for a difference that may be the tax of shipping.
    const dollars = { currency: 'USD', exchange_rate: '83.1234' }
    const amounts = { sub_total: '20.01', total_tax: '2.41', total_amt: '22.42', final_amt: '22.42', ...dollars }
    const line = { invoice_no: 'I8', taxable_value: '6.67', igst_amt: '0.80', total_value: '7.47' }
    expect(
      await warned({
        invoices: [
          like('invoices', { invoice_no: 'I8', ...amounts }),
          like('invoices', { invoice_no: 'I9', shipping: '5', total_tax: '3', total_amt: '28', final_amt: '28' }),
        ],
        invoice_items: [
          ...['1', '2', '3'].map((line_no) =>
            like('invoice_items', { ...line, line_no, order_no: null, order_line_no: null, sku: 'FG1' }),
          ),
          like('invoice_items', { invoice_no: 'I9', order_no: null, order_line_no: null, sku: 'FG1' }),
        ],
      }),
    ).toEqual([])
    // A tax that follows only from the total.
    expect(
      await warned({ goods_receipt_items: [like('goods_receipt_items', { tax_amt: null, total_amt: '9' })] }),
    ).toEqual([])
    const [receipt] = await service.db`select tax_amt::text as tax from goods_receipt_line where grn_no = 'G1'`
    expect(receipt).toEqual({ tax: '1.00' })
    expect(await warned({ sales_order_items: [like('sales_order_items', { tax_amt: '3', total_amt: null })] })).toEqual(
      ['sales_order SO1: tax_amt is 2.40, its lines add up to 3.00'],
    )
    const inCans = {
      purchase_order_items: [like('purchase_order_items', { unit: 'CAN', total_amt: '11.2', tax_amt: null })],
    }
    expect(await warned({ ...inCans, goods_receipt_items: [like('goods_receipt_items', { unit: 'CAN' })] })).toEqual([
      'purchase_order PO1: tax_amt is 1.20, its lines add up to 2.00',
      'line 1 of purchase_order PO1: total_amt is 11.20, amount and tax add up to 12.00',
    ])
    expect(await warned({ item_units: [{ sku: 'RM1', unit: 'CAN', factor: '2', divisor: null }] })).toEqual([
      'receipt G1 of order PO1: 8.0000 of RM1 accepted, in the ledger 4.0000',
    ])
  },
)

inLongTier('when --replace removes a line or a tax, the remaining lines share the amounts again', async () => {
  const lines = ['1', '2', '3'].map((line_no) =>
    like('sales_order_items', { order_no: 'SO2', line_no, taxable_amt: '10', tax_amt: null, total_amt: null }),
  )
  const order = like('sales_orders', { order_no: 'SO2', tax_amt: '1', currency: 'USD', exchange_rate: '10.005' })
  const vat = { order_no: 'SO2', line_no: null, name: 'VAT', rate: '20', amount: '6' }
  await books({ sales_orders: [order], sales_order_items: lines, sales_order_taxes: [vat] })
  const taxes = async () => {
    const orders = await ask('/v1/sales-orders')
    const { items } = orders.find(({ order_no }) => order_no === 'SO2') as { items: Record<string, unknown>[] }
    return items.map(({ tax_amt }) => tax_amt)
  }
  expect(await taxes()).toEqual(['20.01', '20.01', '20.01'])
  const replaced = async (entity: string, rows: Row[]) => {
    const folder = tempFolder()
    writeFiles(folder, { [entity]: rows }, () => 'csv')
    const { errors } = await load(service.database, findFiles(folder), { replace: [entity] })
    expect(errors.first.map(lineOf)).toEqual([])
  }
  await replaced('sales_order_taxes', [{ ...vat, order_no: 'SO1' }])
  expect(await taxes()).toEqual(['3.30', '3.40', '3.31'])
  await replaced('sales_order_items', [...(base()['sales_order_items'] ?? []), ...lines.slice(0, 2)])
  expect(await taxes()).toEqual(['5.00', '5.01'])
})

inLongTier('a load refuses an amount that is too large in the account’s currency, and stores nothing', async () => {
  await books({})
  const order = { currency: 'USD', exchange_rate: '999999999999', total_amt: '99999999999999999999' }
  expect(await refused({ purchase_orders: [like('purchase_orders', order)] })).toEqual([
    expect.stringContaining("a row is not valid after its conversion to the account's currency"),
  ])
  const [still] = await ask('/v1/purchase-orders/list')
  expect(still).toMatchObject({ currency: 'INR', total_amt: '11.20' })
})

inLongTier('loads amounts and dates as databases export them, and prices with 6 digits', async () => {
  await books(
    {
      sales_orders: [
        like('sales_orders', { order_no: 'SO2', order_date: '2024-03-06 00:00:00.000', taxable_amt: '201.0400' }),
      ],
      sales_order_items: [
        like('sales_order_items', { order_no: 'SO2', rate: '0.123456', effective_rate: '0.123456', qty: '2.0000' }),
      ],
      invoices: [like('invoices', { invoice_no: 'I2', order_no: 'SO2', invoice_at: '2024-03-08' })],
    },
    { '201.0400': '201.04', '2024-03-06 00:00:00.000': '2024-03-06', '2024-03-08': '2024-03-08 00:00:00' },
  )
  const orders = await ask('/v1/sales-orders')
  expect(orders.find(({ order_no }) => order_no === 'SO2')).toMatchObject({
    ...{ order_date: '2024-03-06', taxable_amt: '201.04', items: [{ rate: '0.123456' }] },
  })
  const invoices = await ask('/v1/sales/invoices')
  expect(invoices.find(({ invoice_no }) => invoice_no === 'I2')).toMatchObject({ invoice_date: '2024-03-08 00:00:00' })
})

it('credit notes, negative lines, freight, invoices over several orders or without one, and a walk-in customer', async () => {
  await books({
    sales_orders: [like('sales_orders', { order_no: 'SO2', customer_code: null })],
    sales_order_items: [
      like('sales_order_items', { order_no: 'SO2', delivery_date: '2024-03-20' }),
      like('sales_order_items', {
        order_no: 'SO2',
        line_no: '2',
        qty: '-1',
        taxable_amt: '-10',
        tax_amt: '-1.2',
        total_amt: '-11.2',
      }),
      like('sales_order_items', { order_no: 'SO2', line_no: '3', sku: null, description: 'Freight' }),
    ],
    invoices: [
      like('invoices', { invoice_no: 'I2', order_no: null }),
      like('invoices', { invoice_no: 'I3', order_no: null, customer_code: 'C1' }),
      like('invoices', {
        invoice_no: 'I4',
        kind: 'CREDIT NOTE',
        credit_for: 'I1',
        sub_total: '-10',
        total_tax: '-1.2',
        total_amt: '-11.2',
        final_amt: '-11.2',
      }),
    ],
    invoice_items: [
      like('invoice_items', { invoice_no: 'I2', order_no: 'SO2' }),
      like('invoice_items', { invoice_no: 'I2', line_no: '2' }),
      like('invoice_items', { invoice_no: 'I3', order_no: null, order_line_no: null, sku: 'FG1' }),
      like('invoice_items', {
        invoice_no: 'I3',
        line_no: '2',
        order_no: null,
        order_line_no: null,
        sku: null,
        description: 'Packing',
      }),
      like('invoice_items', {
        invoice_no: 'I4',
        qty: '-1',
        taxable_value: '-10',
        igst_amt: '-1.2',
        total_value: '-11.2',
      }),
    ],
  })
  const invoices = await ask('/v1/sales/invoices')
  expect(invoices.map(({ order_no, customer_name, invoice_type }) => [order_no, customer_name, invoice_type])).toEqual([
    ['SO1', 'Customer', 'Invoice'],
    ['SO1, SO2', 'Customer', 'Invoice'],
    ['', 'Customer', 'Invoice'],
    ['SO1', 'Customer', 'Credit Note'],
  ])
  const status = await ask('/v1/sales/order-status', { ...RANGE, version: 'WR' })
  expect(
    status
      .filter(({ SO_order_id }) => SO_order_id === 'SO2')
      .map(({ Order_qty, party_name }) => [Order_qty, party_name]),
  ).toEqual([
    ['2.0000', ''],
    ['-1.0000', ''],
  ])
})

it('several warehouses in a receipt, a date per line, and an approval without a name', async () => {
  await books({
    warehouses: [{ key: 'Stores - B', location: 'Depot' }],
    purchase_order_items: [like('purchase_order_items', { line_no: '2', delivery_date: '2024-04-01' })],
    approvals: [like('approvals', { step: '2', approver: null, action_at: null })],
    goods_receipt_items: [like('goods_receipt_items', { line_no: '2', po_line_no: '2', warehouse: 'Depot' })],
    stock_movements: [like('stock_movements', { movement_no: 'M6', warehouse: 'Stores - B' })],
  })
  expect(await ask('/v1/grn/list')).toMatchObject([{ items: [{ warehouse: 'Plant' }, { warehouse: 'Depot' }] }])
  const places = await ask('/v1/warehouse/warehouse-list', {})
  expect(places.map(({ location, key }) => [location, key])).toContainEqual([
    'Depot',
    expect.stringMatching(/^[0-9a-f]{32}$/),
  ])
})

const pathOf = (id: string) => reports.find((report) => report.id === id)?.path ?? ''

it('returns to a vendor, own use, use without a batch, and values without a quantity', async () => {
  const moved = (movement_no: string, kind: string, change: Row) =>
    like('stock_movements', { movement_no, kind, po_no: null, grn_no: null, movement_date: '2024-03-10', ...change })
  await books({
    stock_movements: [
      moved('M6', 'other_receipt', { qty: '20', val: '40', val_tax: '40' }),
      moved('M7', 'vendor_return', { qty: '1', val: '2', val_tax: '2', po_no: 'PO1', grn_no: 'G1' }),
      moved('M8', 'internal_issue', { qty: '2', val: '4', val_tax: '4' }),
      moved('M9', 'consumption', { qty: '3', val: '6', val_tax: '6' }),
      moved('M10', 'value_increase', { qty: '0', val: '7.5', val_tax: '7.5' }),
      moved('M11', 'value_decrease', { qty: '0', val: '0.5', val_tax: '0.5' }),
    ],
  })
  const [stock] = await ask(pathOf('inventory.mat-stock-status'), { ...RANGE, type: 'RAW' })
  // Quantity: received 4 + 20, used 3 + 3 + 2, sent back 1. Value: 8 + 40 + 7.50, less 6 + 6 + 4 + 2 and 0.50.
  expect(stock).toMatchObject({
    ...{ Receipts_qty: '24.0000', Receipts_val: '55.5000', Consumption_qty: '8.0000', Reject_qty: '1.0000' },
    ...{ Trashed_qty: '0.0000', Trashed_val: '0.5000', Closing_qty: '15.0000', Closing_val: '37.0000' },
  })
  const moves = await ask(pathOf('inventory.movements'), { ...RANGE, sku: 'RM1' })
  expect(moves.map(({ movement_no, qty, value }) => [movement_no, qty, value])).toEqual([
    ['M1', '4.0000', '8.0000'],
    ['M2', '-3.0000', '-6.0000'],
    ['M10', '0.0000', '7.5000'],
    ['M11', '0.0000', '-0.5000'],
    ['M6', '20.0000', '40.0000'],
    ['M7', '-1.0000', '-2.0000'],
    ['M8', '-2.0000', '-4.0000'],
    ['M9', '-3.0000', '-6.0000'],
  ])
})

it('work orders, bills of materials that change, by-products, consumables and tools', async () => {
  await books({
    items: [
      like('items', { sku: 'CON1', name: 'Gloves', type: 'MAT', material_kind: 'CON', unit: 'PCS', mrp: null }),
      like('items', { sku: 'TOOL1', name: 'Knife', type: 'MAT', material_kind: 'TOOL', unit: 'PCS', mrp: null }),
      like('items', { sku: 'SFG1', name: 'Whey', type: 'SFG', material_kind: null, unit: 'L', mrp: null }),
    ],
    bom: [
      { product: 'FG1', component: 'CON1', qty: '1', valid_from: '2024-01-01', valid_to: '2024-06-30', kind: null },
      { product: 'FG1', component: 'CON1', qty: '2', valid_from: '2024-07-01', valid_to: null, kind: null },
      { product: 'FG1', component: 'SFG1', qty: '0.5', valid_from: null, valid_to: null, kind: 'By-product' },
    ],
    work_orders: [
      like('work_orders', {
        work_order_no: 'WO2',
        status: 'Planned',
        start_date: '2024-04-01',
        due_date: '2024-04-02',
      }),
    ],
    stock_movements: [
      like('stock_movements', {
        movement_no: 'M6',
        kind: 'consumption',
        qty: '1',
        val: '2',
        val_tax: '2',
        po_no: null,
        grn_no: null,
        for_sku: 'FG1',
        work_order_no: 'WO1',
      }),
    ],
  })
  const orders = await ask(pathOf('production.work-orders'))
  expect(orders.map(({ work_order_no, status }) => [work_order_no, status])).toEqual([
    ['WO1', 'Open'],
    ['WO2', 'Planned'],
  ])
})
