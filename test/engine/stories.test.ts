/** The stories of the sample company, which docs/insight.md tells, have the same figures at every scale. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSample } from '../setup/database.js'
import { type Service, startService } from '../setup/service.js'

/** The shortest history of a sample: 28 days before the last. */
const TODAY = '2026-03-01'
let service: Service
beforeAll(async () => {
  service = await startService({}, await openSample({ today: TODAY, scale: 0.1, months: 1 }))
})
afterAll(() => service.close())

async function ask(report: string, body: Record<string, string>) {
  const answer = await service.call({ path: `/v1/${report}`, body, query: { 'per-page': 5000 } })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json().data as Record<string, unknown>[]
}
const pick = (row: Record<string, unknown> | undefined, ...names: string[]) => names.map((name) => row?.[name])

it('the ledger knows where every kilogram of the palm oil is', async () => {
  const moved = await ask('inventory/movements', { from_date: '2026-02-01', to_date: TODAY, sku: 'RM-9001' })
  expect(moved.filter(({ batch }) => batch === 'B-OIL-2291').map((row) => pick(row, 'kind', 'qty'))).toEqual([
    ['purchase receipt', '1000.0000'],
    ['consumption', '-300.0000'],
    ['consumption', '-320.0000'],
    ['vendor return', '-50.0000'],
    ['trash', '-20.0000'],
    ['consumption', '-200.0000'],
    ['shortage', '-5.0000'],
  ])
})

describe('the pouch', () => {
  it('holds up four products', async () => {
    const products = await ask('insight/producible', { as_on: TODAY })
    const held = products.filter(({ limited_by }) => limited_by === 'PM-9001')
    expect(held.map((row) => pick(row, 'sku', 'producible_whole', 'limited_by_name'))).toEqual(
      ['FG-9001', 'FG-9002', 'FG-9003', 'FG-9004'].map((sku) => [sku, '100', 'Festive Pouch']),
    )
    for (const { one_more_needs } of held)
      expect(one_more_needs).toEqual([{ sku: 'PM-9001', name: 'Festive Pouch', qty: '1.0000', unit: 'NOS' }])
  })

  it('is all that the open orders lack', async () => {
    const plan = 'FG-9001=3000, FG-9002=1500, FG-9003=2500, FG-9004=1200'
    const rows = await ask('insight/shortage', { as_on: TODAY, plan })
    expect(
      rows.map((row) => pick(row, 'level', 'sku', 'needed_qty', 'used_from_stock_qty', 'to_make_qty', 'to_buy_qty')),
    ).toEqual([
      [0, 'FG-9001', '3000.0000', '1660.0000', '1340.0000', '0.0000'],
      [0, 'FG-9002', '1500.0000', '490.0000', '1010.0000', '0.0000'],
      [0, 'FG-9003', '2500.0000', '716.0000', '1784.0000', '0.0000'],
      [0, 'FG-9004', '1200.0000', '250.0000', '950.0000', '0.0000'],
      [1, 'PM-9001', '5084.0000', '100.0000', '0.0000', '1984.0000'],
      [1, 'SF-901', '862.0000', '284.0000', '578.0000', '0.0000'],
      [1, 'SF-902', '546.8000', '320.0000', '226.8000', '0.0000'],
      [2, 'RM-9001', '264.1200', '264.1200', '0.0000', '0.0000'],
      [2, 'RM-9002', '580.9200', '580.9200', '0.0000', '0.0000'],
    ])
    // Without a plan, the orders of these customers are among the open ones.
    const open = await ask('insight/shortage', { as_on: TODAY })
    expect(
      pick(
        open.find(({ sku }) => sku === 'PM-9001'),
        'needed_qty',
        'on_order_qty',
        'to_buy_qty',
      ),
    ).toEqual([...['5084.0000', '3000.0000', '1984.0000']])
  })
})

it('420 gift tins expire in 45 days, and 330 of them will not be sold before', async () => {
  const tins = (await ask('insight/expiry', { as_on: TODAY })).find(({ batch_no }) => batch_no === 'TIN-0031')
  expect(tins).toMatchObject({
    ...{ sku: 'FG-9005', days_left: 45, stock_qty: '420.0000', stock_value: '130200.0000', pace: '2.0000' },
    ...{ used_before_expiry_qty: '90.0000', at_risk_qty: '330.0000', at_risk_value: '102300.0000', status: 'At risk' },
  })
})

it('the vendor of the pouches has never delivered on time, and the others always have', async () => {
  const vendors = await ask('insight/vendor-performance', { from_date: '2026-02-01', to_date: TODAY })
  const ours = vendors.filter(({ code }) => String(code).startsWith('V9'))
  expect(
    ours.map((row) => pick(row, 'code', 'lines', 'in_full', 'on_time', 'on_time_in_full_percent', 'days_late')),
  ).toEqual([
    ['V9001', 3, 2, 0, '0.00', '6.00'],
    ['V9002', 2, 2, 2, '100.00', null],
    ['V9003', 1, 1, 1, '100.00', null],
    ['V9004', 1, 1, 1, '100.00', null],
  ])
  expect(ours[0]).toMatchObject({
    ...{
      received_amt: '24650.0000',
      rejected_amt: '250.0000',
      rejected_percent: '1.01',
      lead_days: '9.00',
      price_variance: '240.0000',
    },
  })
})
