/** The error-prone parts of the oracle itself, with figures worked out by hand. */
import { describe, expect, it } from 'vitest'
import { batches } from '../oracle/batches.js'
import { today } from '../oracle/calendar.js'
import { grossMargin } from '../oracle/gross-margin.js'
import { inventorySnapshot } from '../oracle/inventory-snapshot.js'
import { materialConsumption } from '../oracle/material-consumption.js'
import { materialMaster } from '../oracle/material-master.js'
import { orderDispatch } from '../oracle/order-dispatch.js'
import { orderStatus } from '../oracle/order-status.js'
import { period } from '../oracle/sales.js'
import { salesOrders } from '../oracle/sales-orders.js'
import {
  type Company,
  consumption,
  customer,
  emptyCompany,
  invoice,
  invoiceLine,
  item,
  movement,
  producedBatch,
  salesOrder,
  salesOrderLine,
  warehouse,
} from '../setup/company.js'

const range = { from_date: '2024-03-01', to_date: '2024-03-31' }
const company = (tables: Partial<Company>): Company => ({
  ...emptyCompany(),
  warehouse: [warehouse(1, 'Plant')],
  customer: [customer('C1')],
  ...tables,
})
let moved = 0
const move = (kind: string, item_id: number, qty: string, about: Parameters<typeof movement>[2] | object = {}) =>
  movement(++moved, kind, { item_id, warehouse_id: 1, movement_date: '2024-03-02', qty, ...about })

describe('gross margin by invoice', () => {
  const [first, second, third, cancelled] = [
    invoice('SO1', 'Z', { invoice_at: '2024-03-01 10:00:00' }),
    invoice('SO1', 'A', { invoice_at: '2024-03-02 10:00:00' }),
    invoice('SO1', 'B', { invoice_at: '2024-03-02 10:00:00' }),
    invoice('SO1', 'C', { invoice_at: '2024-03-02 00:00:00', status: 'Cancelled' }),
  ]
  const about = { order_line_no: 1, qty: '1', taxable_value: '50', total_value: '59' }
  const sold = company({
    item: [item(1, 'FG1', 'FG')],
    sales_order: [salesOrder('SO1', 'C1', { order_date: '2024-02-01' })],
    sales_order_line: [salesOrderLine('SO1', 1, { item_id: 1, qty: '3' })],
    sales_return: [
      {
        ...{ order_no: 'SO1', return_no: 'R1', order_line_no: 1, return_date: '2024-04-01', kind: 'RTV' },
        ...{ usable_qty: '1', unusable_qty: '1', taxable_amt: '10', tax_amt: '1.8' },
      },
    ],
    invoice: [third, second, first, cancelled],
    invoice_line: [first, second, third].map((i) => invoiceLine(i, 1, about)).concat(invoiceLine(cancelled, 1, about)),
    stock_movement: [
      move('issue', 1, '3', { val: '120', val_tax: '132' }),
      move('sales_return', 1, '1', { val: '20', val_tax: '22' }),
    ],
  })
  const margin = (from: string, to: string, tax: 0 | '1') =>
    grossMargin(sold, { type: 'CUSTOMER', source: 'INV', tax, from_date: from, to_date: to })[0]

  it('shares cost and returns out so that they add up to the whole', () => {
    // Cost 120 - 20 = 100: the first takes 33.3333. Up to the second it is 66.6667, less 33.3333 = 33.3334 for it, and
    // 33.3333 are left for the third. Both of 2 March: 66.6667.
    // Returned 2: 0.6667, 0.6666, 0.6667. Usable 1: 0.3333, 0.3334, 0.3333. Amount 10: 3.33, 3.34, 3.33.
    expect(margin('2024-03-01', '2024-03-01', 0)).toMatchObject({
      ...{ company_name: 'Customer C1', product_name: 'Item FG1', product_sku: 'FG1', Prod_type: 'Single' },
      ...{ MRP: '100.00', Total_sale_qty: '1.0000', total_sale: '50.00', return_qty: '0.6667', return_amt: '3.33' },
      per_unit_cogs: '49.9975', // 33.3333 / (1 - 0.3333) = 50 - 0.0017 / 0.6667
      Total_cost_cogs: '33.3333',
      profit: '13.3367', // 50 - 3.33 - 33.3333
      profit_per: '28.58', // 13.3367 / 46.67
    })
    expect(margin('2024-03-02', '2024-03-02', 0)).toMatchObject({
      ...{ Total_sale_qty: '2.0000', return_qty: '1.3333', return_amt: '6.67', Total_cost_cogs: '66.6667' },
      per_unit_cogs: '50.0013', // 66.6667 / (2 - 0.6667) = 50 + 0.0017 / 1.3333
    })
    expect(margin('2024-03-01', '2024-03-02', 0)).toMatchObject({
      ...{ Total_sale_qty: '3.0000', total_sale: '150.00', return_qty: '2.0000', return_amt: '10.00' },
      ...{ Total_cost_cogs: '100.0000', per_unit_cogs: '50.0000', profit: '40.0000', profit_per: '28.57' },
    })
  })

  it('follows tax in sale, return and cost', () => {
    // Cost 132 - 22 = 110, a third of it 36.6667. Returned 11.80, a third of it 3.93.
    expect(margin('2024-03-01', '2024-03-01', '1')).toMatchObject({
      ...{ total_sale: '59.00', return_amt: '3.93', Total_cost_cogs: '36.6667' },
      profit: '18.4033', // 59 - 3.93 - 36.6667
      profit_per: '33.42', // 18.4033 / 55.07
    })
  })
})

describe('a combo of 2 A and half a B', () => {
  const made = company({
    item: [item(1, 'CB', 'COMBO'), item(2, 'A', 'FG', { unit: 'PCS' }), item(3, 'B', 'FG')],
    combo_line: [
      { combo_id: 1, component_id: 3, qty: '0.5' },
      { combo_id: 1, component_id: 2, qty: '2' },
    ],
    sales_order: [salesOrder('SO1', 'C1')],
    sales_order_line: [
      salesOrderLine('SO1', 2, { item_id: 1, qty: '1' }),
      salesOrderLine('SO1', 1, { item_id: 1, qty: '5' }),
    ],
    stock_movement: [
      move('issue', 1, '1'),
      move('issue', 2, '1.25', { batch_no: 'B2' }),
      move('issue', 2, '3', { movement_date: '2024-05-01' }),
      move('issue', 2, '2.5', { batch_no: 'B10' }),
      move('issue', 2, '0.25', { batch_no: 'B2' }),
      move('issue', 3, '1.4', { batch_no: 'B2' }),
      move('issue', 2, '2', { order_line_no: 2 }),
    ],
  })

  it('is issued in whole combos that all components cover, and as a packed combo', () => {
    // A: 7 cover 3.5 combos, B: 1.4 cover 2.8, so 2 whole ones; and 1 issued as a combo. Line 2 has no B.
    expect(orderStatus(made, { version: 'R', ...range })).toMatchObject([
      {
        ...{ issued_qty: '3.0000', Remaining_qty: '2.0000', last_issue_date: '2024-05-01' },
        ...{ SoStatus: 'Partial Issued', Prod_type: 'Combo' },
      },
      { issued_qty: '0.0000', Remaining_qty: '1.0000', last_issue_date: 'Not Issued', SoStatus: 'Accepted' },
    ])
    expect(salesOrders(made, range)).toMatchObject([{ order_status: 'PARTIAL ISSUED', status_code: 2 }])
  })

  it('is dispatched by component, each with its batches', () => {
    const rows = orderDispatch(made, { version: 'WR', ...range })
    expect(rows.map((r) => [r.order_sku, r.product_sku, r.required_qty, r.dispatched_qty, r.batches])).toEqual([
      ['CB', 'A', '10.0000', '7.0000', '-(3.0000 PCS) , B10(2.5000 PCS) , B2(1.5000 PCS) '],
      ['CB', 'B', '2.5000', '1.4000', 'B2(1.4000 KG) '],
      ['CB', 'CB', '5.0000', '1.0000', '-(1.0000 KG) '],
      ['CB', 'A', '2.0000', '2.0000', '-(2.0000 PCS) '],
    ])
  })
})

describe('production', () => {
  const made = company({
    item: [item(1, 'FG1', 'FG'), item(2, 'M1', 'MAT')],
    batch: [
      producedBatch(1, 'P1', { qty: '7', wastage: '2' }),
      producedBatch(1, 'P2', { qty: '7', wastage: '0' }),
      producedBatch(1, 'P3', { qty: '8', wastage: '4' }),
    ],
    consumption: [
      consumption(1, 'P1', 2, { cost_head: 'Manpower', val_bom: '50', tax_val: '9' }),
      consumption(1, 'P1', 1, {
        ...{ material_id: 2, qty_bom: '10', qty_short: '1', qty_rej: '0.5', qty_ret: '1.5' },
        ...{ val_bom: '100', val_ret: '0.0001', tax_val: '5' },
      }),
      consumption(1, 'P2', 1, { material_id: 2, qty_bom: '3', val_bom: '30' }),
      consumption(1, 'P3', 1, { cost_head: 'Manpower', description: 'Manpower', val_bom: '0.0001' }),
    ],
    stock_movement: [
      move('production_receipt', 1, '4.9999', { batch_no: 'P1' }),
      move('production_receipt', 1, '7', { batch_no: 'P2' }),
      move('other_receipt', 1, '4', { batch_no: 'P3' }),
    ],
  })
  const split = (rows: object[]) =>
    rows.map((row) => {
      const r = row as Record<string, string | null>
      return [
        ...[r['material_name'], r['item_qty'], r['wastage_item_qty'], r['Total_consumption']],
        ...[r['item_Val'], r['wastage_item_Val'], r['Total_consumption_Val']],
      ]
    })

  it('splits consumption into used and wasted parts', () => {
    // P1: 10 + 1 + 0.5 - 1.5 = 10; 10 × 2/7 = 2.857142…; 99.9999 × 2/7 = 28.5714; 50 × 2/7 = 14.285714…
    // P3: half of 0.0001 is 0.00005, which rounds to 0.0001 and leaves nothing.
    expect(split(materialConsumption(made, { version: 'DETAILED', ...range }))).toEqual([
      ['Item M1', '7.1429', '2.8571', '10.0000', '71.4285', '28.5714', '99.9999'],
      ['Manpower', '0.0000', '0.0000', '0.0000', '35.7143', '14.2857', '50.0000'],
      ['Item M1', '3.0000', null, '3.0000', '30.0000', null, '30.0000'],
      ['Manpower', '0.0000', '0.0000', '0.0000', '0.0000', '0.0001', '0.0001'],
    ])
  })

  it('sums the split figures per product and material', () => {
    const rows = materialConsumption(made, { version: 'SUMMARY', ...range })
    expect(split(rows)).toEqual([
      ['Manpower', '0.0000', '0.0000', '0.0000', '35.7143', '14.2858', '50.0001'],
      ['Item M1', '10.1429', '2.8571', '13.0000', '101.4285', '28.5714', '129.9999'],
    ])
    expect(rows).toMatchObject([
      { material_code: '-', Mat_UoM: null, category_name: 'Manpower', batches: '2' },
      { material_code: 'M1', Mat_UoM: 'KG', category_name: 'Category', batches: '2' },
    ])
  })

  it('divides the cost of a batch by its remaining units', () => {
    // P1: 99.9999 + 50 = 149.9999, with tax 163.9999; over 5 units 29.99998 and 32.79998.
    expect(batches(made, range)).toMatchObject([
      {
        ...{ batch_no: 'P1', actual_qty: '5.0000', batch_cost_extax: '149.9999', unit_cost_extax: '30.0000' },
        ...{ batch_cost_incTax: '163.9999', unit_cost_incTax: '32.8000', OthCost_Inctax: '59.0000' },
        ...{ inv_status: 'Partial', qc_status: '-', qty_pass: null },
      },
      { batch_no: 'P2', inv_status: 'Received', unit_cost_extax: '4.2857' },
      { batch_no: 'P3', inv_status: 'Pending', unit_cost_extax: '0.0000', OthCost_Inctax: '0.0001' },
    ])
  })
})

describe('partner', () => {
  it('the snapshot omits empty batches, shows negative ones, and shows every product at least once', () => {
    const procured = { ...producedBatch(1, 'B2'), source: 'PROCURED', mfg_date: '2024-01-01' } as const
    const stock = company({
      item: [
        item(1, 'FG1', 'FG'),
        item(2, 'FG2', 'FG'),
        item(3, 'FG3', 'FG', { active: false }),
        item(4, 'CB', 'COMBO'),
      ],
      batch: [producedBatch(1, 'B1'), procured, producedBatch(4, 'B1', { expiry_date: '2024-06-01' })],
      stock_movement: [
        move('other_receipt', 1, '5', { batch_no: 'B1' }),
        move('trash', 1, '5', { batch_no: 'B1' }),
        move('trash', 1, '2.5', { batch_no: 'B2' }),
        move('other_receipt', 1, '3'),
        move('hold', 1, '1'),
        move('other_receipt', 4, '1', { batch_no: 'B1', movement_date: '2024-03-03' }),
      ],
    })
    const rows = inventorySnapshot(stock, { date: '2024-03-02' })
    const nothing = ['', 'NA', null, '0.0000000000', '0.0000000000', '0.0000000000', 'N/A']
    expect(
      rows.map((r) => [
        ...[r.product_sku, r.batch_no, r.mfg_date, r.expiry_date],
        ...[r.Receipt_qty, r.Debit_qty, r.Available_qty, r.rec_source],
      ]),
    ).toEqual([
      ['CB', ...nothing],
      ['FG1', '', 'NA', null, '3.0000000000', '0.0000000000', '3.0000000000', 'N/A'],
      ['FG1', 'B2', '2024-01-01', null, '0.0000000000', '2.5000000000', '-2.5000000000', 'Procured'],
      ['FG2', ...nothing],
    ])
  })

  it('the producible quantity is whole units from stock that is not held, as of today', () => {
    const tomorrow = new Date(Date.parse(today('Asia/Kolkata')) + 86_400_000).toISOString().slice(0, 10)
    const always = { kind: 'Component' as const, valid_from: '0001-01-01', valid_to: null }
    const stock = company({
      item: [item(1, 'FG1', 'FG'), item(2, 'M1', 'MAT'), item(3, 'M2', 'MAT'), item(4, 'M3', 'MAT')],
      bom_line: [
        { product_id: 1, component_id: 2, qty: '0.0416666667', ...always },
        { product_id: 1, component_id: 3, qty: '0.01', ...always },
      ],
      stock_movement: [
        move('other_receipt', 2, '10'),
        move('hold', 2, '1'),
        move('other_receipt', 3, '100'),
        move('trash', 4, '1', { movement_date: tomorrow }),
        move('trash', 1, '1'),
      ],
    })
    // 9 / 0.0416666667 = 215.9999998…; M3 moves tomorrow only.
    const rows = materialMaster(stock, { item_type: 'MAT' })
    expect(rows.map((r) => [r.product_sku, r.maxProducibleQuantity, r.inStockQuantity])).toEqual([
      ['FG1', '215', '-1.0000'],
      ['M1', '0', '10.0000'],
      ['M2', '0', '100.0000'],
      ['M3', '0', null],
    ])
    expect(materialMaster(stock, { item_type: 'MAT', limit: '2' })).toEqual(rows.slice(0, 2))
  })
})

it('labels periods, and weeks by their ISO year', () => {
  const labels = (date: string) =>
    (['day', 'week', 'month', 'quarter', 'year'] as const).map((method) => period(method, date))
  expect(labels('2024-12-31')).toEqual(['31-12-2024', '01-2025', '12-2024', 'Q4-2024', '2024'])
  expect(labels('2023-01-01')).toEqual(['01-01-2023', '52-2022', '01-2023', 'Q1-2023', '2023'])
  expect(labels('2021-01-03')).toEqual(['03-01-2021', '53-2020', '01-2021', 'Q1-2021', '2021'])
})
