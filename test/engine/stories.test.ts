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

describe('the palm oil', () => {
  const trace = (show: string, batch_no = 'B-OIL-2291') =>
    ask('insight/trace', { batch_no, show, direction: 'forward' })
  const customers = async (batch?: string) => [...new Set((await trace('parties', batch)).map(({ code }) => code))]

  it('reached eleven customers through two semi-finished goods; the twelfth got none of it', async () => {
    const eleven = Array.from({ length: 11 }, (_, i) => `C${9001 + i}`)
    expect(await customers()).toEqual(eleven)
    expect(await customers('B-OIL-2304')).toContain('C9012')
    const dough = (await trace('batches')).filter(({ depth }) => depth === 1)
    expect(dough.map((row) => pick(row, 'sku', 'batch_no'))).toEqual([
      ['SF-901', 'S901-01'],
      ['SF-901', 'S901-02'],
      ['SF-902', 'S902-01'],
    ])
  })

  it('is still with them, but for what they sent back', async () => {
    const back = (await trace('parties')).filter(({ returned_qty }) => returned_qty !== '0.0000')
    expect(back.map((row) => pick(row, 'code', 'shipped_qty', 'returned_qty', 'net_qty'))).toEqual([
      ['C9002', '500.0000', '60.0000', '440.0000'],
      ['C9004', '500.0000', '24.0000', '476.0000'],
      ['C9009', '600.0000', '48.0000', '552.0000'],
    ])
  })

  it('went through rework into another batch', async () => {
    const links = (await trace('links')).filter(({ to_batch, from_batch }) =>
      [to_batch, from_batch].includes('S901-03'),
    )
    expect(links.map((row) => pick(row, 'from_batch', 'to_batch', 'qty', 'unit'))).toEqual([
      ['F9002-01', 'S901-03', '60.0000', 'PCS'],
      ['S901-03', 'F9002-02', '24.0000', 'KG'],
    ])
  })

  it('is accounted for to the kilogram, and 12 packs that were made are not', async () => {
    const batches = await trace('batches')
    expect(batches.find(({ direction }) => direction === 'start')).toMatchObject({
      ...{ supplier_lot: 'OIL-2291', purchased_qty: '1000.0000', consumed_qty: '820.0000', wasted_qty: '25.0000' },
      ...{ vendor_returned_qty: '50.0000', stock_qty: '105.0000', hold_qty: '105.0000' },
    })
    const odd = batches.filter(({ unexplained_qty }) => unexplained_qty !== '0.0000')
    expect(odd.map((row) => pick(row, 'batch_no', 'made_qty', 'produced_qty', 'unexplained_qty'))).toEqual([
      ['F9003-01', '1992.0000', '1980.0000', '12.0000'],
    ])
    const onTheWay = batches.filter(({ in_transit_qty }) => in_transit_qty !== '0.0000')
    expect(onTheWay.map((row) => pick(row, 'batch_no', 'in_transit_qty'))).toEqual([['F9004-01', '100.0000']])
  })
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

  it('should have been ordered, by the lead time that its vendor really has', async () => {
    const pouch = (await ask('insight/cover', { as_on: TODAY })).find(({ sku }) => sku === 'PM-9001')
    expect(pouch).toMatchObject({
      ...{ pace: '110.0000', cover_days: '0.91', runs_out_on: TODAY, order_by: TODAY, demanded_qty: '5300.0000' },
      ...{
        lead_days: '9.00',
        lead_deviation: '2.00',
        lead_source: 'Measured',
        vendor: 'V9001',
        order_qty: '7600.0000',
      },
    })
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
