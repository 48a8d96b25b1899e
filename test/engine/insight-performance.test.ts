/** Performance of vendors and towards customers: figures worked out by hand, and the oracle's on any company. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { oracle } from '../oracle/index.js'
import {
  customer,
  emptyCompany,
  type GoodsReceiptLine,
  item,
  loadCompany,
  movement,
  type PurchaseOrder,
  salesOrder,
  salesOrderLine,
  type Vendor,
  warehouse,
} from '../setup/company.js'
import { randomCompany, randomRange } from '../setup/random-company.js'
import { type Service, startService } from '../setup/service.js'
import { runs, sameOnBoth } from '../setup/tier.js'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const ask = async (report: string, body: object) => {
  const answer = await service.call({ path: `/v1/insight/${report}`, body, query: { 'per-page': 5000 } })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json().data
}
const range = { from_date: '2024-03-01', to_date: '2024-03-31' }
const place = {
  address1: '',
  address2: '',
  city: '',
  state: '',
  country: '',
  pincode: '',
  gstn: '',
  phone: '',
  email: '',
}
const vendorOf = (code: string): Vendor => ({ ...{ code, name: `Vendor ${code}`, credit_days: 0 }, ...place })

it('vendors: in full, on time, days late, rejections, lead time and what prices cost more', async () => {
  const order = (po_no: string, vendor_code: string, about: Partial<PurchaseOrder> = {}): PurchaseOrder => ({
    ...{
      po_no,
      poid: 1,
      po_date: '2024-03-01',
      delivery_date: '2024-03-10',
      reference: null,
      shipment_reference: null,
    },
    ...{ vendor_code, warehouse_id: 1, state: 'OPEN' as const, approval_required: false, approval_limit: '0' },
    ...{ taxable_amt: '0', tax_amt: '0', shipping_amt: '0', adjustment_label: '', adjustment_amt: '0', total_amt: '0' },
    ...about,
  })
  const line = (
    po_no: string,
    line_no: number,
    item_id: number | null,
    qty: string,
    delivery_date: string | null = null,
  ) => ({
    ...{ po_no, line_no, item_id, description: '', delivery_date, qty, rate: '1', tax_rate: '0' },
    ...{ taxable_amt: '0', tax_amt: '0', total_amt: '0' },
  })
  const came = (
    po_no: string,
    grn_no: string,
    po_line_no: number,
    quantities: string[],
    rate: string,
  ): GoodsReceiptLine => {
    const [received_qty = '', accepted_qty = '', rejected_qty = ''] = quantities
    return {
      ...{ po_no, grn_no, line_no: po_line_no, po_line_no, received_qty, accepted_qty, rejected_qty, rate },
      ...{ taxable_amt: '0', tax_amt: '0', total_amt: '0' },
    }
  }
  const receipt = (po_no: string, grn_no: string, receipt_date: string) => ({
    ...{ po_no, grn_no, receipt_date, warehouse_id: 1, reference: null },
  })
  await loadCompany(service.db, {
    ...emptyCompany(),
    warehouse: [warehouse(1, 'Plant')],
    item: [item(1, 'RM1', 'MAT'), item(2, 'RM2', 'MAT'), item(3, 'SV1', 'SRV')],
    vendor: [vendorOf('V1'), vendorOf('V2')],
    purchase_order: [
      order('P1', 'V1'),
      order('P2', 'V1', { delivery_date: null }),
      order('P3', 'V2', { state: 'CANCELLED' }),
      order('P4', 'V2', { po_date: '2024-02-20', delivery_date: '2024-04-30' }),
    ],
    purchase_order_line: [
      line('P1', 1, 1, '10'), // in two receipts, the second on the promised day
      line('P1', 2, 2, '10', '2024-03-05'), // 3 days late
      line('P1', 3, 3, '1'), // a service
      line('P1', 4, null, '1'), // freight
      line('P1', 5, 2, '-1'), // taken back
      line('P2', 1, 1, '5', '2024-03-20'), // not in full
      line('P2', 2, 1, '5'), // promised for no day
      line('P3', 1, 1, '5'),
      line('P4', 1, 1, '4', '2024-03-31'), // 10 days late
    ],
    goods_receipt: [
      ...[receipt('P1', 'G1', '2024-03-04'), receipt('P1', 'G2', '2024-03-10'), receipt('P1', 'G3', '2024-03-08')],
      ...[receipt('P2', 'G4', '2024-03-11'), receipt('P3', 'G0', '2024-03-01'), receipt('P4', 'G5', '2024-04-10')],
    ],
    goods_receipt_line: [
      came('P3', 'G0', 1, ['1', '1', '0'], '2'), // before all others of RM1
      came('P1', 'G1', 1, ['6', '4', '2'], '3'), // 4 × (3 − 2)
      came('P1', 'G2', 1, ['6', '6', '0'], '2.5'), // 6 × (2.5 − 3)
      came('P1', 'G3', 2, ['10', '10', '0'], '7'), // the first of RM2
      came('P2', 'G4', 1, ['4', '4', '0'], '2.505'), // 4 × 0.005
      came('P4', 'G5', 1, ['4', '4', '0'], '2.505'),
    ],
  })
  expect(await ask('vendor-performance', range)).toEqual([
    {
      ...{ code: 'V1', name: 'Vendor V1', lines: 3, in_full: 2, on_time: 1, on_time_in_full_percent: '33.33' },
      // 6 × 3 + 6 × 2.5 + 10 × 7 + 4 × 2.505; 2 × 3 of it rejected. First receipts after 3, 7 and 10 days.
      ...{ days_late: '3.00', received_amt: '113.0200', rejected_amt: '6.0000', rejected_percent: '5.31' },
      ...{ lead_days: '6.67', price_variance: '1.0200' },
    },
    {
      ...{ code: 'V2', name: 'Vendor V2', lines: 1, in_full: 1, on_time: 0, on_time_in_full_percent: '0.00' },
      ...{ days_late: '10.00', received_amt: '10.0200', rejected_amt: '0.0000', rejected_percent: '0.00' },
      ...{ lead_days: '50.00', price_variance: '0.0000' },
    },
  ])
  expect(await ask('vendor-performance', { from_date: '2024-05-01', to_date: '2024-05-31' })).toEqual([])
})

it('customers: in full, on time, fill rate, returns and days to the first issue', async () => {
  const issue = (
    no: number,
    item_id: number,
    order_no: string,
    order_line_no: number,
    movement_date: string,
    qty: string,
  ) => movement(no, 'issue', { item_id, warehouse_id: 1, movement_date, qty, order_no, order_line_no })
  const about = { exp_dispatch_date: '2024-03-10' }
  const returned = (order_no: string, return_no: string, taxable_amt: string) => ({
    ...{ order_no, return_no, order_line_no: 1, return_date: '2024-03-20', kind: 'RTV' as const },
    ...{ usable_qty: '0', unusable_qty: '1', taxable_amt, tax_amt: '0' },
  })
  await loadCompany(service.db, {
    ...emptyCompany(),
    warehouse: [warehouse(1, 'Plant')],
    item: [item(1, 'FG1', 'FG'), item(2, 'CB1', 'COMBO'), item(3, 'FG2', 'FG'), item(4, 'SV1', 'SRV')],
    combo_line: [
      { combo_id: 2, component_id: 1, qty: '2' },
      { combo_id: 2, component_id: 3, qty: '1' },
    ],
    customer: [customer('C1', { name: 'Shop' })],
    sales_order: [
      salesOrder('S1', 'C1', about),
      salesOrder('S2', 'C1', { ...about, order_date: '2024-03-05' }),
      salesOrder('S3', null, about),
      salesOrder('S4', 'C1', { ...about, state: 'CANCELLED' }),
    ],
    sales_order_line: [
      salesOrderLine('S1', 1, { item_id: 1, qty: '10', taxable_amt: '100' }), // 4 on time, the rest 2 days late
      salesOrderLine('S1', 2, { item_id: 2, qty: '3', taxable_amt: '300', delivery_date: '2024-03-12' }), // combos
      salesOrderLine('S2', 1, { item_id: 3, qty: '3', taxable_amt: '100' }), // 1 of 3
      salesOrderLine('S2', 2, { item_id: 4, qty: '3', taxable_amt: '100' }),
      salesOrderLine('S3', 1, { item_id: 1, qty: '2', taxable_amt: '0', delivered_qty: '2' }), // no movement
      salesOrderLine('S4', 1, { item_id: 1, qty: '2', taxable_amt: '10' }),
    ],
    sales_return: [returned('S1', 'R1', '40')],
    stock_movement: [
      ...[issue(1, 1, 'S1', 1, '2024-03-03', '4'), issue(2, 1, 'S1', 1, '2024-03-12', '8')],
      // 5 of the first part and 3 of the second are 2 combos; the third is whole on the promised day.
      ...[issue(3, 1, 'S1', 2, '2024-03-04', '5'), issue(4, 3, 'S1', 2, '2024-03-11', '3')],
      ...[issue(5, 1, 'S1', 2, '2024-03-12', '1'), issue(6, 3, 'S2', 1, '2024-03-15', '1')],
    ],
  })
  expect(await ask('customer-performance', range)).toEqual([
    {
      ...{ code: '', name: '', lines: 1, in_full: 1, on_time: 0, on_time_in_full_percent: '0.00', days_late: null },
      ...{ fill_percent: null, returned_percent: null, days_to_dispatch: null },
    },
    {
      ...{
        code: 'C1',
        name: 'Shop',
        lines: 3,
        in_full: 2,
        on_time: 1,
        on_time_in_full_percent: '33.33',
        days_late: '2.00',
      },
      // 100 + 300 + 33.33 of 500; 40 of 120 + 300 + 33.33; first issues after 2, 3 and 10 days.
      ...{ fill_percent: '86.67', returned_percent: '8.82', days_to_dispatch: '5.00' },
    },
  ])
})

sameOnBoth('both equal the oracle on any company', async () => {
  await fc.assert(
    fc.asyncProperty(randomCompany, randomRange, async (company, range) => {
      await loadCompany(service.db, company)
      for (const report of ['vendor-performance', 'customer-performance'])
        expect([report, await ask(report, range)]).toEqual([report, oracle[`insight.${report}`]?.(company, range)])
    }),
    { numRuns: runs(10, 100), endOnFailure: true },
  )
})
