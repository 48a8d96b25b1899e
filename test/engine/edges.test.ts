/** Edge cases of reports, with figures calculated by hand. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { load } from '../../src/import/pipeline/load.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { ofOneState } from '../oracle/index.js'
import {
  type Company,
  customer,
  emptyCompany,
  invoice,
  invoiceLine,
  item,
  loadCompany,
  movement,
  producedBatch,
  salesOrder,
  salesOrderLine,
  warehouse,
} from '../setup/company.js'
import { folderOf } from '../setup/files.js'
import { requestsFor } from '../setup/requests.js'
import { type Service, startService } from '../setup/service.js'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const NASTY = 'a "quoted", comma;\nline two \\ मसाला 🥜 \' <b> \u0001'

/** A plant, a good, a combo of two others, one customer, and the rows that each test adds. */
async function company(more: Partial<Company>): Promise<void> {
  await loadCompany(service.db, {
    ...emptyCompany(),
    warehouse: [warehouse(1, 'Plant')],
    item: [
      item(1, 'FG1', 'FG', { unit: 'PCS' }),
      item(2, 'CB1', 'COMBO', { unit: 'PCS' }),
      item(3, 'FG2', 'FG', { unit: 'PCS' }),
      item(4, 'FG3', 'FG', { unit: 'PCS' }),
      item(5, 'RM1', 'MAT'),
    ],
    combo_line: [
      { combo_id: 2, component_id: 3, qty: '2' },
      { combo_id: 2, component_id: 4, qty: '1' },
    ],
    customer: [customer('C1')],
    ...more,
  })
}

async function ask(path: string, body: object): Promise<Record<string, never>[]> {
  const answer = await service.call({ path, body, query: { 'per-page': 5000 } })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json().data
}
const stockOn = async (from_date: string, to_date = from_date) =>
  (await ask('/v1/inventory/fg-stock-status', { type: 'FG', tax: 0, from_date, to_date }))[0]

const at = (movement_date: string, qty: string, val = '0') => ({ item_id: 1, warehouse_id: 1, movement_date, qty, val })

it('on a day without data and in an empty database, every report of records returns an empty list', async () => {
  await loadCompany(service.db, emptyCompany())
  for (const report of ofOneState) {
    if (report.id === 'inventory.stock-value') continue // it has a record for each month
    for (const body of requestsFor(report, { from_date: '1999-01-01', to_date: '1999-01-01' }, { plan: [] }))
      expect([report.id, await ask(report.path, body)]).toEqual([report.id, []])
  }
  const page = await service.call({ path: '/v1/warehouse/warehouse-list', query: { page: 3 } })
  const { _meta, _links } = page.json()
  expect(_meta).toEqual({ totalCount: 0, pageCount: 0, currentPage: 3, perPage: 20 })
  expect(new URL(_links.last.href).searchParams.get('page')).toBe('1')
})

it('from = to is one day, also a leap day', async () => {
  await company({
    stock_movement: [
      movement(1, 'other_receipt', at('2024-02-28', '10')),
      movement(2, 'other_receipt', at('2024-02-29', '5')),
      movement(3, 'trash', at('2024-03-01', '1')),
    ],
  })
  expect(await stockOn('2024-02-29')).toMatchObject({
    ...{ Opening_qty: '10.0000', Receipts_qty: '5.0000', Trashed_qty: '0.0000', Closing_qty: '15.0000' },
  })
  const answer = await service.call({
    path: '/v1/inventory/fg-stock-status',
    body: { type: 'FG', tax: 0, from_date: '2023-02-29', to_date: '2023-03-01' },
  })
  expect(answer.statusCode).toBe(422)
})

it('a back-dated movement that is loaded later changes every day from its date on', async () => {
  await company({ stock_movement: [movement(1, 'other_receipt', at('2024-03-10', '10'))] })
  expect(await stockOn('2024-03-05')).toBeUndefined()
  const header = 'movement_no,movement_date,kind,sku,warehouse,qty,val,val_tax'
  const late = `${header}\nLATE,2024-01-31,other_receipt,FG1,Plant,3,30,33\n`
  expect((await load(service.database, findFiles(folderOf({ 'stock_movements.csv': late })))).committed).toBe(true)
  expect(await stockOn('2024-03-05')).toMatchObject({
    Opening_qty: '3.0000',
    Closing_qty: '3.0000',
    final_value: '30.0000',
  })
  expect(await stockOn('2024-03-10')).toMatchObject({ Opening_qty: '3.0000', Closing_qty: '13.0000' })
})

it('negative stock is shown as a negative number', async () => {
  await company({
    batch: [producedBatch(1, 'B1')],
    sales_order: [salesOrder('SO1', 'C1')],
    sales_order_line: [salesOrderLine('SO1', 1, { item_id: 1, qty: '4' })],
    stock_movement: [movement(1, 'issue', { ...at('2024-03-01', '4', '40'), batch_no: 'B1' })],
  })
  expect(await stockOn('2024-03-01')).toMatchObject({ Closing_qty: '-4.0000', final_value: '-40.0000' })
  const snapshot = await ask('/v1/partner/invetory-snapshot', { date: '2024-03-01' })
  expect(snapshot[1]).toMatchObject({
    ...{ batch_no: 'B1', Receipt_qty: '0.0000000000', Debit_qty: '4.0000000000', Available_qty: '-4.0000000000' },
  })
  const [, master] = await ask('/v1/partner/material-master', { item_type: 'FG' })
  expect(master).toMatchObject({ product_sku: 'FG1', inStockQuantity: '-4.0000', maxProducibleQuantity: '0' })
})

it('an item that is deactivated while it has stock leaves the lists of items, not the figures of stock', async () => {
  await company({
    item: [item(1, 'FG1', 'FG', { active: false })],
    combo_line: [],
    stock_movement: [movement(1, 'other_receipt', at('2024-03-01', '7'))],
  })
  expect(await stockOn('2024-03-31')).toMatchObject({ Product_sku: 'FG1', Closing_qty: '7.0000' })
  expect(await ask('/v1/inventory/finished-goods', {})).toEqual([])
  expect(await ask('/v1/partner/invetory-snapshot', { date: '2024-03-31' })).toMatchObject([
    { product_sku: 'FG1', Available_qty: '7.0000000000' },
  ])
  expect(await ask('/v1/partner/invetory-snapshot', { date: '2024-02-29' })).toEqual([])
  expect(await ask('/v1/partner/material-master', { item_type: 'MAT' })).toEqual([])
})

it('a combo with one component short counts as issued only in whole combos', async () => {
  const component = (no: number, item_id: number, qty: string) =>
    movement(no, 'issue', { ...at('2024-03-02', qty, '1'), item_id, batch_no: null })
  await company({
    sales_order: [salesOrder('SO1', 'C1', { order_date: '2024-03-01' })],
    sales_order_line: [salesOrderLine('SO1', 1, { item_id: 2, qty: '5' })],
    // 5 combos of 2 × FG2 and 1 × FG3 need 10 and 5; 10 and 3 were issued: 3 whole combos.
    stock_movement: [component(1, 3, '10'), component(2, 4, '3')],
  })
  const range = { from_date: '2024-03-01', to_date: '2024-03-01' }
  const [status] = await ask('/v1/sales/order-status', { version: 'WR', ...range })
  expect(status).toMatchObject({
    ...{ Prod_type: 'Combo', Order_qty: '5.0000', issued_qty: '3.0000', Remaining_qty: '2.0000' },
    ...{ SoStatus: 'Partial Issued', last_issue_date: '2024-03-02', Return_date: 'N/A' },
  })
  const dispatch = await ask('/v1/sales/order-dispatch', { version: 'WR', ...range })
  expect(dispatch).toMatchObject([
    {
      order_sku: 'CB1',
      product_sku: 'FG2',
      required_qty: '10.0000',
      dispatched_qty: '10.0000',
      batches: '-(10.0000 PCS) ',
    },
    {
      order_sku: 'CB1',
      product_sku: 'FG3',
      required_qty: '5.0000',
      dispatched_qty: '3.0000',
      batches: '-(3.0000 PCS) ',
    },
  ])
  expect(await ask('/v1/sales/demand-status', { type: 'CONSOLIDATED', ...range })).toMatchObject([
    { product_sku: 'CB1', req_qty: '5.0000', Issued_Qty: '3.0000', Remaining_qty: '2.0000' },
  ])
})

it('a dispatch lists its batches, each followed by a space, joined by a comma and a space', async () => {
  const from = (no: number, batch_no: string, qty: string) =>
    movement(no, 'issue', { ...at('2024-03-02', qty), batch_no })
  await company({
    batch: [producedBatch(1, 'B1'), producedBatch(1, 'B2')],
    sales_order: [salesOrder('SO1', 'C1')],
    sales_order_line: [salesOrderLine('SO1', 1, { item_id: 1, qty: '9' })],
    stock_movement: [from(1, 'B2', '1'), from(2, 'B1', '2'), from(3, 'B2', '3.5')],
  })
  const range = { from_date: '2024-03-01', to_date: '2024-03-01' }
  const [row] = await ask('/v1/sales/order-dispatch', { version: 'R', ...range })
  expect(row?.['batches']).toBe('B1(2.0000 PCS) , B2(4.5000 PCS) ')
})

it('a return counts on its own day, not on the day of its issue', async () => {
  await company({
    sales_order: [salesOrder('SO1', 'C1')],
    sales_order_line: [
      salesOrderLine('SO1', 1, { item_id: 1, qty: '10', taxable_amt: '200.00', tax_amt: '24.00', total_amt: '224.00' }),
    ],
    sales_return: [
      {
        ...{ order_no: 'SO1', return_no: 'R1', order_line_no: 1, return_date: '2024-04-05', kind: 'RTV' },
        ...{ usable_qty: '2', unusable_qty: '1', taxable_amt: '60.00', tax_amt: '7.20' },
      },
    ],
    stock_movement: [
      movement(1, 'other_receipt', at('2024-02-01', '20', '200')),
      movement(2, 'issue', at('2024-03-02', '10', '100')),
      movement(3, 'sales_return', at('2024-04-05', '2', '20')),
    ],
  })
  expect(await stockOn('2024-03-01', '2024-03-31')).toMatchObject({ Issued_qty: '10.0000', Returned_qty: '0.0000' })
  expect(await stockOn('2024-04-01', '2024-04-30')).toMatchObject({
    ...{ Opening_qty: '10.0000', Issued_qty: '0.0000', Returned_qty: '2.0000', Closing_qty: '12.0000' },
  })
  const march = { from_date: '2024-03-01', to_date: '2024-03-31' }
  expect((await ask('/v1/sales/order-status', { version: 'WR', ...march }))[0]).toMatchObject({
    ...{ issued_qty: '10.0000', return_qty: '3.0000', usable_qty: '2.0000', unusable_qty: '1.0000' },
    ...{ Return_date: '2024-04-05', SoStatus: 'Closed' },
  })
  expect(await ask('/v1/sales/order-status', { version: 'R', ...march })).toEqual([])
  expect(await ask('/v1/sales/order-dispatch', { version: 'R', ...march })).toEqual([])
  // 200 sold, 60 credited, cost 100 − 20: a profit of 60 on 140; 8 pieces stayed with the customer.
  const asked = { type: 'CONSOLIDATED', tax: '0', source: 'ORD', ...march }
  expect(await ask('/v1/sales/gross-margin', asked)).toMatchObject([
    {
      ...{ Total_sale_qty: '10.0000', total_sale: '200.00', return_qty: '3.0000', return_amt: '60.00' },
      ...{ Total_cost_cogs: '80.0000', profit: '60.0000', profit_per: '42.86', per_unit_cogs: '10.0000' },
    },
  ])
})

it('an invoice with rounding shows its parts unrounded, and the amount to pay as a number', async () => {
  const bill = invoice('SO1', 'INV1', {
    ...{
      invoice_at: '2024-03-31 23:59:59',
      sub_total: '99.50',
      total_tax: '11.94',
      shipping: '5.00',
      adjustment: '-0.10',
    },
    ...{ total_amt: '116.34', round_amt: '-0.34', final_amt: '116.00' },
  })
  await company({
    sales_order: [salesOrder('SO1', 'C1')],
    sales_order_line: [salesOrderLine('SO1', 1, { item_id: 1, qty: '2' })],
    invoice: [bill],
    invoice_line: [
      invoiceLine(bill, 1, {
        ...{ order_line_no: 1, qty: '2', rate: '49.75', taxable_value: '99.50', total_value: '111.44' },
        ...{ sgst_rate: '6', sgst_amt: '5.97', cgst_rate: '6', cgst_amt: '5.97' },
      }),
    ],
  })
  const [row] = await ask('/v1/sales/invoices', { from_date: '2024-03-31', to_date: '2024-03-31' })
  expect(row).toMatchObject({
    ...{ invoice_date: '2024-03-31 23:59:59', total_amt: '116.34', round_amt: '-0.34', final_amt: 116 },
    items: [{ igst_rate: '-', igst_amt: '-', sgst_rate: '6.00', sgst_amt: '5.97', cgst_amt: '5.97', rate: '49.7500' }],
  })
  expect(await ask('/v1/sales/invoices', { from_date: '2024-04-01', to_date: '2024-04-01' })).toEqual([])
})

it('goods issued but not yet invoiced keep their cost; a later invoice does not change an earlier month', async () => {
  const bill = (no: string, at: string) => invoice('SO1', no, { invoice_at: `${at} 12:00:00` })
  const [first, second] = [bill('INV1', '2024-03-12'), bill('INV2', '2024-04-02')]
  const books = (bills: (typeof first)[]) => ({
    sales_order: [salesOrder('SO1', 'C1')],
    sales_order_line: [salesOrderLine('SO1', 1, { item_id: 1, qty: '100' })],
    stock_movement: [movement(1, 'issue', at('2024-03-11', '100', '500'))],
    invoice: bills,
    invoice_line: bills.map((one) =>
      invoiceLine(one, 1, {
        ...{ order_line_no: 1, qty: one === first ? '40' : '60' },
        ...(one === first ? { taxable_value: '400.00', total_value: '400.00' } : {}),
      }),
    ),
  })
  const march = { type: 'CONSOLIDATED', tax: 0, source: 'INV', from_date: '2024-03-01', to_date: '2024-03-31' }
  const expected = [{ total_sale: '400.00', Total_cost_cogs: '200.0000', per_unit_cogs: '5.0000', profit: '200.0000' }]
  await company(books([first]))
  expect(await ask('/v1/sales/gross-margin', march)).toMatchObject(expected)
  await company(books([first, second]))
  expect(await ask('/v1/sales/gross-margin', march)).toMatchObject(expected)
})

it('names with quotes, commas, line breaks and control characters come back unchanged', async () => {
  await company({
    warehouse: [warehouse(1, NASTY)],
    item: [item(1, 'FG1', 'FG', { name: NASTY, unit: NASTY, product_category: NASTY })],
    combo_line: [],
    customer: [customer('C1', { name: NASTY, shipping_city: NASTY })],
    sales_order: [salesOrder('SO1', 'C1', { po_no: NASTY })],
    sales_order_line: [salesOrderLine('SO1', 1, { item_id: 1, qty: '1' })],
    stock_movement: [movement(1, 'issue', at('2024-03-01', '1'))],
  })
  const range = { from_date: '2024-03-01', to_date: '2024-03-01' }
  expect(await ask('/v1/sales/order-dispatch', { version: 'WR', ...range })).toMatchObject([
    {
      ...{ company_name: NASTY, city: NASTY, warehouse: NASTY, order_item: NASTY, po_no: NASTY },
      batches: `-(1.0000 ${NASTY}) `,
    },
  ])
  expect(await ask('/v1/warehouse/warehouse-list', {})).toMatchObject([{ location: NASTY }])
})

it('sums beyond the precision of a double are exact', async () => {
  // A thousand values of 20 digits before the point and 4 after: each sum has 27 digits.
  const large = '99999999999999999999.9999'
  await company({
    stock_movement: Array.from({ length: 1000 }, (_, i) =>
      movement(i, 'other_receipt', at('2024-03-01', large, large)),
    ),
  })
  expect(await stockOn('2024-03-01')).toMatchObject({
    Closing_qty: '99999999999999999999999.9000',
    final_value: '99999999999999999999999.9000',
  })
  const [snapshot] = await ask('/v1/partner/invetory-snapshot', { date: '2024-03-01' }).then((rows) =>
    rows.filter((row) => row['product_sku'] === 'FG1'),
  )
  expect(snapshot).toMatchObject({ Available_qty: '99999999999999999999999.9000000000' })
})
