/** Stock ageing and expiry: figures worked out by hand, and what holds on any company. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { oracle } from '../oracle/index.js'
import { type Company, emptyCompany, item, loadCompany, type Movement, movement, warehouse } from '../setup/company.js'
import { randomCompany, randomDay } from '../setup/random-company.js'
import { type Service, startService } from '../setup/service.js'
import { runs, sameOnBoth } from '../setup/tier.js'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const ask = async (path: string, body: object) => {
  const answer = await service.call({ path: `/v1/${path}`, body, query: { 'per-page': 5000 } })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json().data
}

/** A receipt of a good, or what leaves if the quantity is negative. */
type Moved = [movement_date: string, qty: number, about?: Partial<Movement>]
const ledgerOf = (moves: Moved[]): Movement[] =>
  moves.map(([movement_date, qty, about], i) =>
    movement(i + 1, qty > 0 ? 'other_receipt' : 'trash', {
      ...{ item_id: 1, warehouse_id: 1, movement_date, qty: String(Math.abs(qty)), val: String(Math.abs(qty) * 2) },
      ...about,
    }),
  )
const company = (moves: Moved[], more: Partial<Company> = {}): Company => ({
  ...emptyCompany(),
  warehouse: [warehouse(1, 'Plant'), warehouse(2, 'Depot')],
  item: [item(1, 'FG1', 'FG', { name: 'Ghee', unit: 'JAR', primary_category: 'Dairy', product_category: 'Fats' })],
  stock_movement: ledgerOf(moves),
  ...more,
})

describe('ageing', () => {
  const ageing = async (moves: Moved[], body: object, more?: Partial<Company>) => {
    await loadCompany(service.db, company(moves, more))
    return await ask('insight/stock-ageing', body)
  }

  it('what left used the oldest receipt; a record has every figure', async () => {
    const moves: Moved[] = [
      ['2024-12-01', 30],
      ['2024-12-02', 20],
      ['2024-12-03', -10],
    ]
    expect(await ageing(moves, { as_on: '2024-12-10', bands: '8' })).toEqual([
      {
        ...{ sku: 'FG1', name: 'Ghee', unit: 'JAR', primary_category: 'Dairy', category: 'Fats' },
        ...{ stock_qty: '40.0000', in_transit_qty: '0.0000', stock_value: '80.0000', average_age_days: '8.50' },
        ...{ oldest_on: '2024-12-01', last_in_on: '2024-12-02', last_out_on: '2024-12-03' },
        bands: [
          { from_days: 0, to_days: 8, qty: '20.0000', value: '40.0000' },
          { from_days: 9, to_days: null, qty: '20.0000', value: '40.0000' },
        ],
      },
    ])
  })

  it('what left before anything came in used the next receipt', async () => {
    const moves: Moved[] = [
      ['2024-12-01', -30],
      ['2024-12-01', 20],
      ['2024-12-03', 20],
      ['2024-12-03', 10],
    ]
    const [record] = await ageing(moves, { as_on: '2024-12-10', bands: '6,7,8' })
    expect(record).toMatchObject({ stock_qty: '20.0000', oldest_on: '2024-12-03', average_age_days: '7.00' })
    expect(record.bands.map(({ qty }: { qty: string }) => qty)).toEqual(['0.0000', '20.0000', '0.0000', '0.0000'])
  })

  it('a transfer makes no stock younger, and stock on its way counts', async () => {
    const batch_no = 'L1'
    const batches: Partial<Company> = {
      batch: [
        {
          ...{ item_id: 1, batch_no, source: 'MANUAL', mfg_date: null, expiry_date: '2025-01-31', batch_date: null },
          ...{ warehouse_id: null, qty: null, wastage: null, qc_status: null, qty_pass: null, qty_failed: null },
        },
      ],
    }
    const moves: Moved[] = [
      ['2024-09-01', 20, { batch_no }],
      ['2024-10-01', -10, { batch_no, kind: 'transfer_out' }],
      ['2024-10-04', 10, { batch_no, kind: 'transfer_in', warehouse_id: 2 }],
    ]
    const body = { as_on: '2024-12-10', by: 'batch', bands: '99' }
    const ages = (record: object) => ({ ...record, from: undefined })
    const [arrived] = await ageing(moves, body, batches)
    expect(ages(arrived)).toMatchObject({
      ...{ batch_no, expiry_date: '2025-01-31', stock_qty: '20.0000', in_transit_qty: '0.0000' },
      ...{ oldest_on: '2024-09-01', last_in_on: '2024-09-01', last_out_on: null, average_age_days: '100.00' },
      bands: [{ qty: '0.0000' }, { from_days: 100, to_days: null, qty: '20.0000', value: '40.0000' }],
    })
    const [away] = await ageing(moves, { ...body, as_on: '2024-10-02' }, batches)
    expect(away).toMatchObject({
      ...{ stock_qty: '10.0000', in_transit_qty: '10.0000', stock_value: '20.0000', oldest_on: '2024-09-01' },
      bands: [{ qty: '20.0000', value: '20.0000' }, { qty: '0.0000' }],
    })
  })

  it('the youngest band with a quantity gets what rounding leaves; stock below 0 has no age', async () => {
    const thirds: Moved[] = [
      ['2024-12-01', 1, { val: '0.0001' }],
      ['2024-12-05', 1, { val: '0' }],
      ['2024-12-09', 1, { val: '0' }],
    ]
    const [record] = await ageing(thirds, { as_on: '2024-12-10', bands: '0,3,6' })
    expect(record.bands.map(({ qty, value }: { qty: string; value: string }) => [qty, value])).toEqual([
      ...[
        ['0.0000', '0.0000'],
        ['1.0000', '0.0001'],
        ['1.0000', '0.0000'],
        ['1.0000', '0.0000'],
      ],
    ])
    const [below] = await ageing([['2024-12-01', -3]], { as_on: '2024-12-10', bands: '3' })
    expect(below).toMatchObject({
      ...{ stock_qty: '-3.0000', stock_value: '-6.0000', average_age_days: null, oldest_on: null, last_in_on: null },
      bands: [
        { qty: '0.0000', value: '0.0000' },
        { qty: '0.0000', value: '0.0000' },
      ],
    })
  })

  it('bands have 1 to 20 rising days', async () => {
    for (const bands of [
      '30,30',
      '60,30',
      '1.5',
      '-1',
      'x',
      '30,',
      '100000',
      Array.from({ length: 21 }, (_, i) => i).join(),
    ]) {
      const answer = await service.call({ path: '/v1/insight/stock-ageing', body: { bands } })
      expect([bands, answer.statusCode, answer.json().errors?.[0]?.field]).toEqual([bands, 422, 'bands'])
    }
  })
})

describe('expiry', () => {
  const batchOf = (batch_no: string, expiry_date: string | null) => ({
    ...{ item_id: 1, batch_no, source: 'MANUAL' as const, mfg_date: null, expiry_date, batch_date: null },
    ...{ warehouse_id: null, qty: null, wastage: null, qc_status: null, qty_pass: null, qty_failed: null },
  })

  it('the batch that expires first is used first, at the pace of the window', async () => {
    const of = (batch_no: string, more: Partial<Movement> = {}) => ({ batch_no, ...more })
    const use: Partial<Movement> = { kind: 'internal_issue' }
    await loadCompany(
      service.db,
      company(
        [
          ...(['E1', 'A2', 'A1', 'B1', 'B2'].map((no) => ['2024-01-01', 100, of(no)]) as Moved[]),
          ['2024-06-21', -30, use], // outside of the window
          ['2024-06-22', -20, use],
          ['2024-06-30', -10, use],
          ['2024-06-30', 40, of('B1', { kind: 'hold' })],
        ],
        {
          batch: [
            ...[batchOf('E1', '2024-06-29'), batchOf('A2', '2024-07-20'), batchOf('A1', '2024-07-20')],
            ...[batchOf('B1', '2024-12-31'), batchOf('B2', null)],
          ],
        },
      ),
    )
    // 3 a day for 20 days: 60 of A1, which comes before A2; 184 × 3 = 552 until the end of the year.
    const records = await ask('insight/expiry', { as_on: '2024-06-30', window_days: 9 })
    const short = records.map((r: Record<string, unknown>) => [
      ...[r['batch_no'], r['days_left'], r['pace'], r['used_before_expiry_qty'], r['at_risk_qty'], r['at_risk_value']],
      r['status'],
    ])
    expect(short).toEqual([
      ['A1', 20, '3.3333', '66.6667', '33.3333', '66.6667', 'At risk'],
      ['A2', 20, '3.3333', '0.0000', '100.0000', '200.0000', 'At risk'],
      ['B1', 184, '3.3333', '60.0000', '40.0000', '80.0000', 'At risk'],
      ['E1', -1, '3.3333', '0.0000', '100.0000', '200.0000', 'Expired'],
    ])
    const soon = await ask('insight/expiry', { as_on: '2024-06-30', window_days: 9, within_days: 19 })
    expect(soon.map((r: Record<string, unknown>) => r['batch_no'])).toEqual(['E1'])
  })
})

sameOnBoth('on any company ageing adds up to the stock, and expiry uses no more than can be used', async () => {
  const units = (text: string) => BigInt(text.replace('.', ''))
  const sum = (list: bigint[]) => list.reduce((a, b) => a + b, 0n)
  await fc.assert(
    fc.asyncProperty(randomCompany, randomDay, async (company, as_on) => {
      await loadCompany(service.db, company)
      for (const by of ['item', 'batch']) {
        const ageing = await ask('insight/stock-ageing', { as_on, by })
        expect(ageing).toEqual(oracle['insight.stock-ageing']?.(company, { as_on, by }))
        for (const { stock_qty, in_transit_qty, stock_value, bands } of ageing) {
          const all = units(stock_qty) + units(in_transit_qty)
          expect(sum(bands.map(({ qty }: { qty: string }) => units(qty)))).toBe(all > 0n ? all : 0n)
          expect(sum(bands.map(({ value }: { value: string }) => units(value)))).toBe(
            all > 0n ? units(stock_value) : 0n,
          )
        }
        // The stock status of a day: its closing is the stock, whether an item has a record of ageing or not.
        const stock = await ask('inventory/item-stock', { date: as_on })
        for (const { sku } of company.item) {
          const of = (records: { sku: string; stock_qty: string }[]) =>
            sum(records.filter((one) => one.sku === sku).map((one) => units(one.stock_qty)))
          expect([sku, of(ageing)]).toEqual([sku, of(stock)])
        }
      }
      const expiry = await ask('insight/expiry', { as_on })
      expect(expiry).toEqual(oracle['insight.expiry']?.(company, { as_on }))
      const batches = await ask('inventory/batches', { date: as_on })
      for (const { sku, batch_no, stock_qty, hold_qty, used_before_expiry_qty, days_left } of expiry) {
        const same = batches.find((b: Record<string, unknown>) => b['sku'] === sku && b['batch_no'] === batch_no)
        expect([sku, batch_no, stock_qty]).toEqual([sku, batch_no, same.stock_qty])
        const usable = days_left < 0 ? 0n : units(stock_qty) - units(hold_qty)
        const most = usable < 0n ? 0n : usable > units(stock_qty) ? units(stock_qty) : usable
        expect(units(used_before_expiry_qty)).toBeLessThanOrEqual(most)
      }
    }),
    { numRuns: runs(8, 60), endOnFailure: true },
  )
})
