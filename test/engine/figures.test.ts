/** Figures that were wrong without a word: services, sales without an order, own warehouses, closed orders, other currencies. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { load } from '../../src/import/pipeline/load.js'
import { findFiles } from '../../src/import/readers/folder.js'
import {
  type Company,
  customer,
  emptyCompany,
  invoice,
  invoiceLine,
  item,
  loadCompany,
  movement,
  salesOrder,
  salesOrderLine,
  warehouse,
} from '../setup/company.js'
import { databaseForThisTest } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { good } from '../setup/good-files.js'
import { type Service, startService } from '../setup/service.js'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const march = { from_date: '2024-03-01', to_date: '2024-03-31' }
const [GOOD, SERVICE, LOOSE, OLD] = [1, 2, 3, 4]

async function company(more: Partial<Company>): Promise<void> {
  await loadCompany(service.db, {
    ...emptyCompany(),
    warehouse: [warehouse(1, 'Pune'), warehouse(2, 'Delhi')],
    item: [
      item(GOOD, 'FG1', 'FG', { unit: 'PCS' }),
      item(SERVICE, 'SV1', 'SRV', { unit: 'HRS' }),
      item(LOOSE, 'FG2', 'FG', { unit: 'KG' }),
      item(OLD, 'FG3', 'FG', { unit: 'PCS', active: false }),
    ],
    customer: [customer('C1', { name: 'Asha Stores' })],
    ...more,
  })
}

async function ask(path: string, body: object, query: Record<string, string | number> = {}) {
  const answer = await service.call({ path, body, query })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json().data as Record<string, unknown>[]
}
const orderStatus = (query = {}) => ask('/v1/sales/order-status', { version: 'WR', ...march }, query)
const demand = (type = 'CUSTOMER') => ask('/v1/sales/demand-status', { type, ...march })
const orders = (query = {}) => ask('/v1/sales-orders', { method: 'month', ...march }, query)
const issue = (no: number, item_id: number, qty: string, val: string, about = {}) =>
  movement(no, 'issue', { item_id, warehouse_id: 1, movement_date: '2024-03-02', qty, val, ...about })

describe('a service', () => {
  const order = {
    sales_order: [salesOrder('SO1', 'C1')],
    sales_order_line: [
      salesOrderLine('SO1', 1, { item_id: GOOD, qty: '2', taxable_amt: '20', total_amt: '20' }),
      salesOrderLine('SO1', 2, { item_id: SERVICE, qty: '3', taxable_amt: '90', total_amt: '90' }),
    ],
    stock_movement: [issue(1, GOOD, '2', '8')],
  }
  const billed = (qty: string, about = {}) => {
    const bill = invoice('SO1', 'INV1', { invoice_at: '2024-03-09 10:00:00', ...about })
    const line = { order_line_no: 2, qty, taxable_value: '30', total_value: '30' }
    return { invoice: [bill], invoice_line: [invoiceLine(bill, 1, line)] }
  }

  it('is issued as far as it is invoiced, in status, demand and the state of its order', async () => {
    await company(order)
    expect((await orderStatus())[1]).toMatchObject({ issued_qty: '0.0000', SoStatus: 'Accepted' })
    expect(await orders()).toMatchObject([{ order_status: 'PARTIAL ISSUED' }])
    await company({ ...order, ...billed('1') })
    expect((await orderStatus())[1]).toMatchObject({
      ...{ issued_qty: '1.0000', Remaining_qty: '2.0000', SoStatus: 'Partial Issued', last_issue_date: '2024-03-09' },
    })
    expect(await demand()).toMatchObject([{ product_sku: 'SV1', Issued_Qty: '1.0000', Remaining_qty: '2.0000' }])
    await company({ ...order, ...billed('3') })
    expect((await orderStatus())[1]).toMatchObject({ SoStatus: 'Closed' })
    expect(await demand()).toEqual([])
    expect(await orders()).toMatchObject([{ order_status: 'ISSUED' }])
  })

  it('is not issued by a cancelled invoice or a credit note', async () => {
    for (const about of [{ status: 'Cancelled' as const }, { kind: 'CREDIT NOTE' as const }]) {
      await company({ ...order, ...billed('3', about) })
      expect((await orderStatus())[1]).toMatchObject({ issued_qty: '0.0000', last_issue_date: 'Not Issued' })
    }
  })
})

it('a delivery that moved no stock counts as issued, beside the issues of the ledger', async () => {
  await company({
    sales_order: [salesOrder('SO1', 'C1')],
    sales_order_line: [
      salesOrderLine('SO1', 1, { item_id: GOOD, qty: '5', delivered_qty: '3' }),
      salesOrderLine('SO1', 2, { item_id: SERVICE, qty: '5', delivered_qty: '5' }),
    ],
    stock_movement: [issue(1, GOOD, '1', '4')],
  })
  expect(await orderStatus()).toMatchObject([
    { issued_qty: '4.0000', Remaining_qty: '1.0000', last_issue_date: '2024-03-02' },
    { issued_qty: '5.0000', SoStatus: 'Closed' },
  ])
})

describe('sales that were only invoiced', () => {
  const bills = [
    invoice(null, 'INV1', { customer_code: 'C1', invoice_at: '2024-03-05 23:59:59' }),
    invoice(null, 'INV2', { customer_code: 'C1', invoice_at: '2024-03-05 08:00:00', status: 'Cancelled' }),
    invoice(null, 'CN1', { customer_code: 'C1', invoice_at: '2024-03-06 08:00:00', kind: 'CREDIT NOTE' }),
    invoice(null, 'CN2', { kind: 'CREDIT NOTE', return_no: 'R1', invoice_at: '2024-03-06 08:00:00' }),
  ]
  const line = (bill: number, no: number, item_id: number | null, value: string, total: string) =>
    invoiceLine(bills[bill] as (typeof bills)[0], no, {
      ...{ order_no: null, order_line_no: null, item_id, description: 'x' },
      ...{ qty: '1', taxable_value: value, total_value: total },
    })
  const books = {
    sales_order: [salesOrder('SO1', 'C1', { order_date: '2024-03-05' })],
    sales_order_line: [salesOrderLine('SO1', 1, { item_id: GOOD, qty: '2', taxable_amt: '80', total_amt: '88' })],
    invoice: bills,
    invoice_line: [
      ...[line(0, 1, GOOD, '600', '660'), line(0, 2, GOOD, '9.17', '9.17'), line(0, 3, null, '100', '110')],
      ...[line(1, 1, GOOD, '7', '7'), line(2, 1, GOOD, '-50', '-55'), line(3, 1, GOOD, '-5', '-5')],
    ],
  }

  it('are sales with the date and the customer of the invoice; a credit note is a negative one', async () => {
    await company(books)
    const sales = await ask('/v1/sales', { method: 'day', ...march }, { fields: 'all' })
    const only = { po_no: '', order_type: '', channel_id: null, warehouse: '', buyer_name: 'Asha Stores' }
    expect(sales).toEqual([
      expect.objectContaining({
        ...{ order_no: '', order_date: '2024-03-05', week_no: '05-03-2024', ...only, invoice_no: 'INV1' },
        ...{ product_sku: '', product_name: 'Other', total_sales: '100.00', total_amount: '110.00' },
      }),
      expect.objectContaining({ order_no: '', product_sku: 'FG1', total_sales: '609.17', total_amount: '669.17' }),
      expect.objectContaining({ order_no: 'SO1', total_sales: '80.00', warehouse: 'Pune', invoice_no: '' }),
      expect.objectContaining({ order_no: '', order_date: '2024-03-06', total_sales: '-50.00', invoice_no: 'CN1' }),
    ])
  })

  it('add up with the sales of orders to the gross margin by orders and by invoices', async () => {
    await company(books)
    const [{ total_sales } = {}] = await ask('/v1/sales', { method: 'day', ...march }, { totals: 'yes' })
    const margin = (source: string) =>
      ask('/v1/sales/gross-margin', { type: 'CONSOLIDATED', tax: 0, source, ...march }, { totals: 'yes' })
    const [[byOrders], [byInvoices]] = [await margin('ORD'), await margin('INV')]
    expect([byOrders?.['total_sale'], byInvoices?.['total_sale'], total_sales]).toEqual(['80.00', '659.17', '739.17'])
  })
})

describe('gross margin', () => {
  const asked = (source: string, query = {}) =>
    ask('/v1/sales/gross-margin', { type: 'CONSOLIDATED', tax: 0, source, ...march }, { fields: 'all', ...query })

  it('shows beside its fields what was sold and not delivered yet, and the profit without it', async () => {
    const bill = invoice('SO1', 'INV1', { invoice_at: '2024-03-04 10:00:00' })
    await company({
      sales_order: [salesOrder('SO1', 'C1')],
      sales_order_line: [
        salesOrderLine('SO1', 1, { item_id: GOOD, qty: '10', taxable_amt: '200', total_amt: '200' }),
        salesOrderLine('SO1', 2, { item_id: null, qty: '1', taxable_amt: '9', total_amt: '9', description: 'Freight' }),
      ],
      invoice: [bill],
      invoice_line: [invoiceLine(bill, 1, { order_line_no: 1, qty: '6', taxable_value: '120', total_value: '120' })],
      stock_movement: [issue(1, GOOD, '4', '48')],
    })
    const goods = { product_sku: 'FG1', unit: 'PCS' }
    const [freight, byOrder] = await asked('ORD')
    expect(byOrder).toMatchObject({
      ...{ ...goods, Total_sale_qty: '10.0000', total_sale: '200.00', Total_cost_cogs: '48.0000', profit: '152.0000' },
      ...{ undelivered_qty: '6.0000', undelivered_amt: '120.00', delivered_profit: '32.0000' },
      delivered_profit_per: '40.00',
    })
    expect(freight).toMatchObject({ product_sku: '', undelivered_qty: '0.0000', undelivered_amt: '0.00' })
    const [byInvoice] = await asked('INV')
    expect(byInvoice).toMatchObject({
      ...{ total_sale: '120.00', Total_cost_cogs: '48.0000', undelivered_qty: '2.0000', undelivered_amt: '40.00' },
      ...{ delivered_profit: '32.0000', delivered_profit_per: '40.00' },
    })
    const contract = await ask('/v1/sales/gross-margin', { type: 'CONSOLIDATED', tax: 0, source: 'ORD', ...march })
    expect(Object.keys(contract[0] ?? {})).not.toContain('undelivered_qty')
  })
})

describe('totals', () => {
  it('of a quantity in several units are null, with the sum in each unit beside', async () => {
    await company({
      stock_movement: [
        movement(1, 'other_receipt', {
          item_id: GOOD,
          warehouse_id: 1,
          movement_date: '2024-03-01',
          qty: '7',
          val: '70',
        }),
        movement(2, 'other_receipt', {
          item_id: LOOSE,
          warehouse_id: 1,
          movement_date: '2024-03-01',
          qty: '1.5',
          val: '3',
        }),
        movement(3, 'other_receipt', {
          item_id: OLD,
          warehouse_id: 1,
          movement_date: '2024-03-01',
          qty: '2',
          val: '1',
        }),
      ],
    })
    const stock = (query: object) =>
      ask('/v1/inventory/fg-stock-status', { type: 'FG', tax: 0, ...march }, { totals: 'yes', ...query })
    const [all] = await stock({})
    expect(all).toMatchObject({ rows: 3, Closing_qty: null, final_value: '74.0000' })
    expect(all?.['_by_unit']).toEqual([
      expect.objectContaining({ unit: 'KG', Closing_qty: '1.5000', Receipts_qty: '1.5000', Issued_qty: '0.0000' }),
      expect.objectContaining({ unit: 'PCS', Closing_qty: '9.0000' }),
    ])
    const [pieces] = await stock({ filter: 'UoM=PCS' })
    expect(pieces).toMatchObject({ rows: 2, Closing_qty: '9.0000' })
    expect(pieces?.['_by_unit']).toHaveLength(1)
    const [none] = await stock({ filter: 'UoM=TON' })
    expect(none).toMatchObject({ rows: 0, Closing_qty: '0.0000', _by_unit: [] })
    // The unit is no field of this report's contract.
    const [batches] = await ask('/v1/partner/invetory-snapshot', { date: '2024-03-31' }, { totals: 'yes' })
    expect(batches).toMatchObject({
      Available_qty: null,
      _by_unit: [{ unit: 'KG' }, { Available_qty: '9.0000000000' }],
    })
  })

  it('leave cancelled documents out and count them, unless a filter names their state', async () => {
    const made = (no: string, amount: string, state: 'OPEN' | 'CANCELLED') =>
      salesOrder(no, 'C1', { taxable_amt: amount, total_amt: amount, state })
    const lines = ['SO1', 'SO2', 'SO3'].map((no, i) =>
      salesOrderLine(no, 1, { item_id: GOOD, qty: '1', taxable_amt: `${i + 1}00`, total_amt: `${i + 1}00` }),
    )
    await company({
      sales_order: [made('SO1', '100', 'OPEN'), made('SO2', '200', 'CANCELLED'), made('SO3', '300', 'OPEN')],
      sales_order_line: lines,
    })
    const [sums] = await orders({ totals: 'yes' })
    expect(sums).toMatchObject({ rows: 2, total_amt: '400.00', _cancelled: 1 })
    const [sales] = await ask('/v1/sales', { method: 'day', ...march }, { totals: 'yes' })
    expect(sales?.['total_amount']).toBe(sums?.['total_amt'])
    expect(await orders({ totals: 'yes', filter: 'order_status=CANCELLED' })).toMatchObject([
      { rows: 1, total_amt: '200.00', _cancelled: 0 },
    ])
    expect(await orders({ totals: 'yes', filter: 'total_amt>150' })).toMatchObject([
      { rows: 1, total_amt: '300.00', _cancelled: 1 },
    ])
  })
})

it('an order that was closed by hand says so in the order status', async () => {
  await company({
    sales_order: [salesOrder('SO1', 'C1', { state: 'CLOSED' }), salesOrder('SO2', 'C1')],
    sales_order_line: ['SO1', 'SO2'].map((no) => salesOrderLine(no, 1, { item_id: GOOD, qty: '12' })),
    stock_movement: [issue(1, GOOD, '2', '8')],
  })
  expect(await orders()).toMatchObject([{ order_status: 'CLOSED' }, { order_status: 'CREATED' }])
  expect(await orderStatus({ fields: 'all' })).toMatchObject([
    { SO_order_id: 'SO1', SoStatus: 'Partial Issued', Remaining_qty: '10.0000', order_state: 'CLOSED' },
    { SO_order_id: 'SO2', order_state: 'OPEN' },
  ])
  expect(await orderStatus({ filter: 'order_state=CLOSED' })).toHaveLength(1)
  expect((await orderStatus())[0]).not.toHaveProperty('order_state')
})

it('the demand of a line is in its own warehouse; an order may have none', async () => {
  await company({
    sales_order: [salesOrder('SO1', 'C1'), salesOrder('SO2', 'C1', { warehouse_id: null })],
    sales_order_line: [
      salesOrderLine('SO1', 1, { item_id: GOOD, qty: '4' }),
      salesOrderLine('SO1', 2, { item_id: GOOD, qty: '48', warehouse_id: 2 }),
      salesOrderLine('SO2', 1, { item_id: GOOD, qty: '1' }),
    ],
  })
  expect(await demand('CONSOLIDATED')).toMatchObject([
    { warehouse: '', wh_id: '', Remaining_qty: '1.0000' },
    { warehouse: 'Delhi', Remaining_qty: '48.0000' },
    { warehouse: 'Pune', Remaining_qty: '4.0000' },
  ])
  expect((await orderStatus()).map(({ warehouse }) => warehouse)).toEqual(['Pune', 'Delhi', ''])
  const [first, second] = await orders({ fields: 'all' })
  expect([first?.['warehouse'], second?.['warehouse']]).toEqual(['Pune', ''])
  expect(first?.['items']).toMatchObject([{ warehouse: 'Pune' }, { warehouse: 'Delhi' }])
  expect(await ask('/v1/sales', { method: 'day', ...march })).toMatchObject([
    { order_no: 'SO1', warehouse: 'Delhi, Pune' },
    { order_no: 'SO2', warehouse: '' },
  ])
})

it('stock of an item that is no longer active is in the snapshot', async () => {
  await company({
    stock_movement: [
      movement(1, 'other_receipt', { item_id: OLD, warehouse_id: 1, movement_date: '2024-03-01', qty: '5', val: '1' }),
    ],
  })
  const snapshot = await ask('/v1/partner/invetory-snapshot', { date: '2024-03-31', limit: 20_000 })
  const stock = await ask('/v1/inventory/fg-stock-status', { type: 'FG', tax: 0, ...march })
  expect(stock).toMatchObject([{ Product_sku: 'FG3', Closing_qty: '5.0000' }])
  expect(snapshot.filter(({ Available_qty }) => Available_qty !== '0.0000000000')).toMatchObject([
    { product_sku: 'FG3', Available_qty: '5.0000000000' },
  ])
})

describe('loading', () => {
  const files = (more: Record<string, string>) => findFiles(folderOf({ ...good, ...more }))
  const NOTE = 'CN1,SO1,CREDIT NOTE,I1,2024-03-10 09:30:00,2024-03-10,-10,-1.2,-11.2,-11.2'
  const notes = (returnNo: string) => ({
    'invoices.csv': `invoice_no,order_no,kind,credit_for,invoice_at,due_date,sub_total,total_tax,total_amt,final_amt,return_no\nI1,SO1,INVOICE,,2024-03-07 09:30:00,2024-04-07,20,2.4,22.4,22.4,\n${NOTE},${returnNo}\n`,
    'invoice_items.csv':
      'invoice_no,order_no,line_no,order_line_no,qty,rate,taxable_value,igst_rate,igst_amt,total_value\nI1,SO1,1,1,2,10,20,12,2.4,22.4\nCN1,SO1,1,1,-1,10,-10,12,-1.2,-11.2\n',
  })

  it('warns of a credit note and a return of the same line and quantity without a link', async () => {
    const database = await databaseForThisTest()
    const { warnings } = await load(database, files(notes('')))
    expect(warnings.first).toEqual([
      'credit note CN1 and return R1 of order SO1 both take back 1.0000 of line 1; if the credit note is for the return, give it the return_no R1',
    ])
    expect((await load(database, files(notes('R1')))).warnings.count).toBe(0)
  })

  it('takes orders without a warehouse and a delivery date', async () => {
    const database = await databaseForThisTest()
    const { committed } = await load(
      database,
      files({
        'purchase_orders.csv':
          'po_no,po_date,vendor_code,taxable_amt,tax_amt,total_amt\nPO1,2024-02-29,V1,10,1.20,11.20\n',
        'sales_orders.csv':
          'order_no,order_type,order_date,customer_code,taxable_amt,tax_amt,total_amt\nSO1,Online,2024-03-06,C1,20,2.4,22.4\n',
        'sales_order_items.csv':
          'order_no,line_no,sku,qty,warehouse,delivered_qty,rate,effective_rate,taxable_amt,tax_amt,total_amt\nSO1,1,FG1,2,Plant,0,10,10,20,2.4,22.4\n',
      }),
    )
    expect(committed).toBe(true)
    expect(await database.db`select delivery_date, warehouse_id from purchase_order`).toMatchObject([
      { delivery_date: null, warehouse_id: null },
    ])
  })

  it('converts a return at the rate of its credit note', async () => {
    const database = await databaseForThisTest()
    const abroad = (rate: string) => ({
      'sales_orders.csv':
        'order_no,order_type,order_date,customer_code,warehouse,taxable_amt,tax_amt,total_amt,currency,exchange_rate\nSO1,Online,2024-03-06,C1,Plant,20,2.4,22.4,USD,80\n',
      'invoices.csv': `invoice_no,order_no,kind,credit_for,invoice_at,due_date,sub_total,total_tax,total_amt,final_amt,return_no,currency,exchange_rate\nI1,SO1,INVOICE,,2024-03-07 09:30:00,2024-04-07,20,2.4,22.4,22.4,,USD,81\n${NOTE},R1,USD,${rate}\n`,
      'invoice_items.csv': notes('')['invoice_items.csv'],
    })
    const returned = async () =>
      (await database.db<{ taxable_amt: string }[]>`select taxable_amt::text from sales_return`)[0]?.taxable_amt
    await load(database, files(abroad('83')))
    expect(await returned()).toBe('830.00')
    await load(database, findFiles(folderOf({ 'invoices.csv': abroad('84')['invoices.csv'] })))
    expect(await returned(), 'after a load of the credit note alone').toBe('840.00')
    await load(database, findFiles(folderOf({ 'invoices.csv': abroad('84')['invoices.csv'].replace(',R1,', ',,') })))
    expect(await returned(), 'without a credit note the rate of the order').toBe('800.00')
  })
})
