/** Invoices, cancelled invoices and credit notes in gross margin, order status and batch story, with figures worked out by hand. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type Company,
  customer,
  emptyCompany,
  type Invoice,
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
import { type Service, startService } from '../setup/service.js'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

/** An order of 10 pieces for 200, and the rows that each test adds. */
async function company(more: Partial<Company>): Promise<void> {
  await loadCompany(service.db, {
    ...emptyCompany(),
    warehouse: [warehouse(1, 'Plant')],
    item: [item(1, 'FG1', 'FG')],
    customer: [customer('C1')],
    batch: [producedBatch(1, 'B1')],
    sales_order: [salesOrder('SO1', 'C1')],
    sales_order_line: [salesOrderLine('SO1', 1, { item_id: 1, qty: '10', taxable_amt: '200', total_amt: '200' })],
    ...more,
  })
}

const bill = (no: string, day: number, about: Partial<Invoice> = {}) =>
  invoice('SO1', no, { invoice_at: `2024-03-${String(day).padStart(2, '0')} 12:00:00`, ...about })
const credit = (no: string, day: number, about: Partial<Invoice> = {}) =>
  bill(no, day, { kind: 'CREDIT NOTE', credit_for: 'INV1', ...about })
const line = (of: Invoice, qty: string, value: string) =>
  invoiceLine(of, 1, {
    ...(of.order_no === null ? { order_line_no: null, item_id: 1 } : { order_line_no: 1 }),
    ...{ qty, taxable_value: value, total_value: value },
  })
const issue = (no: number, qty: string, val: string) =>
  movement(no, 'issue', { item_id: 1, warehouse_id: 1, movement_date: '2024-03-02', qty, val, batch_no: 'B1' })

async function ask(path: string, body: object): Promise<Record<string, unknown>[]> {
  const answer = await service.call({ path, body })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json().data
}
const march = { from_date: '2024-03-01', to_date: '2024-03-31' }
const margins = () => ask('/v1/sales/gross-margin', { type: 'CONSOLIDATED', tax: 0, source: 'INV', ...march })

it('gross margin ignores a credit note for a return, because the return counts already, and subtracts any other', async () => {
  const sold = bill('INV1', 3)
  const [ofReturn, discount] = [credit('CN1', 5, { return_no: 'R1' }), credit('CN2', 6)]
  const books = (...credits: [Invoice, qty: string, value: string][]) => ({
    sales_return: [
      {
        ...{ order_no: 'SO1', return_no: 'R1', order_line_no: 1, return_date: '2024-03-04', kind: 'RTV' as const },
        ...{ usable_qty: '2', unusable_qty: '1', taxable_amt: '60', tax_amt: '0' },
      },
    ],
    stock_movement: [issue(1, '10', '100'), { ...issue(2, '2', '20'), kind: 'sales_return' }],
    invoice: [sold, ...credits.map(([note]) => note)],
    invoice_line: [line(sold, '10', '200'), ...credits.map((of) => line(...of))],
  })
  // 200 sold, 60 credited, cost 100 − 20: a profit of 60 on 140; 8 pieces stayed with the customer.
  const expected = {
    ...{ Total_sale_qty: '10.0000', total_sale: '200.00', return_qty: '3.0000', return_amt: '60.00' },
    ...{ Total_cost_cogs: '80.0000', profit: '60.0000', profit_per: '42.86', per_unit_cogs: '10.0000' },
  }
  await company(books([ofReturn, '-3', '-60']))
  expect(await margins()).toMatchObject([expected])
  // A discount of 30 on one piece: 170 sold at the same cost, for 7 pieces.
  await company(books([ofReturn, '-3', '-60'], [discount, '-1', '-30']))
  expect(await margins()).toMatchObject([
    {
      ...expected,
      Total_sale_qty: '9.0000',
      total_sale: '170.00',
      profit: '30.0000',
      profit_per: '27.27',
      per_unit_cogs: '11.4286',
    },
  ])
})

it('gross margin ignores a credit note for a return and a cancelled invoice, also without an order', async () => {
  const without = { order_no: null, customer_code: 'C1' }
  const [sold, cancelled] = [bill('INV1', 3, without), bill('INV2', 4, { ...without, status: 'Cancelled' })]
  const [ofReturn, discount] = [credit('CN1', 5, { ...without, return_no: 'R1' }), credit('CN2', 6, without)]
  await company({
    stock_movement: [
      { ...issue(1, '10', '100'), order_no: null, order_line_no: null, invoice_no: 'INV1', invoice_line_no: 1 },
    ],
    invoice: [sold, cancelled, ofReturn, discount],
    invoice_line: [
      ...[line(sold, '10', '200'), line(cancelled, '5', '50')],
      ...[line(ofReturn, '-3', '-60'), line(discount, '0', '-20')],
    ],
  })
  expect(await margins()).toMatchObject([
    { Total_sale_qty: '10.0000', total_sale: '180.00', Total_cost_cogs: '100.0000', profit: '80.0000' },
  ])
})

it.each([
  // Half of the issued quantity is invoiced: the invoice has half of the cost.
  { issued: '10', invoiced: '5', cost: '50.0000' },
  { issued: '10', invoiced: '10', cost: '100.0000' },
  // More is invoiced than was issued: the invoice has all of the cost, 100 and not 250.
  { issued: '4', invoiced: '10', cost: '100.0000' },
  // Nothing is issued and no quantity is invoiced: the cost is 0, not a division by 0.
  { issued: '0', invoiced: '0', cost: '0.0000' },
])(
  'of $issued issued pieces that cost 100, an invoice of $invoiced costs $cost',
  async ({ issued, invoiced, cost }) => {
    const [sold, cancelled, discount] = [bill('INV1', 3), bill('INV2', 2, { status: 'Cancelled' }), credit('CN1', 4)]
    await company({
      stock_movement: issued === '0' ? [] : [issue(1, issued, '100')],
      invoice: [sold, cancelled, discount],
      invoice_line: [line(sold, invoiced, '200'), line(cancelled, '7', '70'), line(discount, '-5', '-10')],
    })
    expect(await margins()).toMatchObject([{ Total_cost_cogs: cost, total_sale: '190.00' }])
  },
)

it('the latest invoice of an order line is neither cancelled nor a credit note', async () => {
  const [first, second, third] = [bill('INV1', 3), bill('INV3', 4), bill('INV2', 4)]
  const bills = [first, second, third, bill('INV4', 5, { status: 'Cancelled' }), credit('CN1', 6)]
  await company({
    stock_movement: [issue(1, '10', '100')],
    invoice: bills,
    invoice_line: bills.map((of) => line(of, of.kind === 'INVOICE' ? '1' : '-1', '0')),
  })
  const latest = { invoice_no: 'INV3', invoice_date: '2024-03-04 12:00:00' } // of two invoices at the same time, the larger number counts
  expect(await ask('/v1/sales/order-status', { version: 'WR', ...march })).toMatchObject([latest])
  const story = await ask('/v1/production/batch-story', { batch_no: 'B1' })
  expect(story.map(({ step, invoice_no }) => [step, invoice_no])).toEqual([
    ['made', null],
    ['went-to', 'INV3'],
  ])
})

it('an order line whose only invoices are cancelled or credit notes has no invoice', async () => {
  const bills = [bill('INV1', 3, { status: 'Cancelled' }), credit('CN1', 4)]
  await company({ invoice: bills, invoice_line: bills.map((of) => line(of, '1', '0')) })
  expect(await ask('/v1/sales/order-status', { version: 'WR', ...march })).toMatchObject([
    { invoice_no: null, invoice_date: null },
  ])
})
