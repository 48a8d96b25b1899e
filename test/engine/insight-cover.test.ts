/** Cover: figures worked out by hand, and what holds on any company. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { forProductionOf } from '../oracle/as-of.js'
import { format, parse } from '../oracle/decimal.js'
import { converted } from '../oracle/given.js'
import { oracle } from '../oracle/index.js'
import {
  type Company,
  emptyCompany,
  item,
  loadCompany,
  type Movement,
  movement,
  type PurchaseOrder,
  warehouse,
} from '../setup/company.js'
import { randomCompany, randomDay } from '../setup/random-company.js'
import { type Service, startService } from '../setup/service.js'
import { runs, sameOnBoth } from '../setup/tier.js'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

type Row = Record<string, string | null>

const all = async (path: string, body: object): Promise<Row[]> => {
  const answer = await service.call({ path: `/v1/${path}`, body, query: { 'per-page': 5000 } })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json().data
}

const DAY = '2024-03-10'
const daysAgo = (days: number) => new Date(Date.parse(DAY) - days * 86_400_000).toISOString().slice(0, 10)
const cover = (body: object = {}) => all('insight/cover', { as_on: DAY, ...body })

/** What came in or was used a number of days before. */
const moved = (kind: string, ago: number, qty: string, about: Partial<Movement> = {}) => ({
  ...{ kind, qty, movement_date: daysAgo(ago), item_id: 1, ...about },
})
const vendor = (code: string): Company['vendor'][number] => ({
  ...{ code, name: `Vendor ${code}`, credit_days: 0, address1: '', address2: '', city: '', state: '', country: '' },
  ...{ pincode: '', gstn: '', phone: '', email: '' },
})
const order = (po_no: string, po_date: string, about: Partial<PurchaseOrder> = {}): PurchaseOrder => ({
  ...{ po_no, poid: Number(po_no.slice(1)), po_date, delivery_date: null, reference: null, shipment_reference: null },
  ...{ vendor_code: 'V1', warehouse_id: 1, state: 'OPEN', approval_required: false, approval_limit: '0' },
  ...{ taxable_amt: '0', tax_amt: '0', shipping_amt: '0', adjustment_label: '', adjustment_amt: '0', total_amt: '0' },
  ...about,
})
const amounts = { rate: '1', tax_rate: '0', taxable_amt: '0', tax_amt: '0', total_amt: '0' }
const ordered = (po_no: string, line_no: number, qty: string) => ({
  ...{ po_no, line_no, qty, item_id: 1, description: '', ...amounts },
})
const receipt = (po_no: string, grn_no: string, receipt_date: string) => ({
  ...{ po_no, grn_no, receipt_date, warehouse_id: 1, reference: null },
})
const received = (po_no: string, grn_no: string, line_no: number, accepted: string, rejected = '0') => {
  const { tax_rate: _, ...money } = amounts
  return {
    ...{ po_no, grn_no, line_no, po_line_no: line_no, warehouse_id: null, ...money },
    ...{ received_qty: String(Number(accepted) + Number(rejected)), accepted_qty: accepted, rejected_qty: rejected },
  }
}

async function load(moves: (Partial<Movement> & { kind: string })[], more: Partial<Company> = {}): Promise<void> {
  await loadCompany(service.db, {
    ...emptyCompany(),
    warehouse: [warehouse(1, 'Pune')],
    item: [item(1, 'P', 'MAT')],
    vendor: [vendor('V1'), vendor('V2'), vendor('V3')],
    stock_movement: moves.map((m, i) =>
      movement(i + 1, m.kind, { warehouse_id: 1, item_id: 1, movement_date: DAY, qty: '1', ...m }),
    ),
    ...more,
  })
}

/** 25 and 35 a day: a pace of 30 and a deviation of 5. */
const steady = [moved('internal_issue', 0, '25'), moved('internal_issue', 1, '35')]
const terms = { item_id: 1, lead_days: null, min_qty: null, multiple: null, price: null }

describe('cover', () => {
  it('has every figure', async () => {
    await load([moved('other_receipt', 400, '460'), ...steady])
    expect(await cover({ window_days: 2, lead_days: 10 })).toEqual([
      {
        ...{ sku: 'P', name: 'Item P', unit: 'KG', type: 'RAW', stock_qty: '400.0000', usable_qty: '400.0000' },
        ...{ on_order_qty: '0.0000', in_production_qty: '0.0000', demanded_qty: '0.0000', projected_qty: '400.0000' },
        ...{ pace: '30.0000', deviation: '5.0000', cover_days: '13.33', runs_out_on: '2024-03-23' },
        ...{ lead_days: '10.00', lead_deviation: '0.00', lead_source: 'Given', safety_qty: '26.0074' },
        // 400 − 326.0074 are used up in 2.47 days.
        ...{ reorder_point: '326.0074', order_qty: '0.0000', order_by: '2024-03-12', vendor: null },
        ...{ abc: 'A', xyz: 'Z' },
      },
    ])
  })

  sameOnBoth(
    'orders up to the reorder point and the use of the lead time, at least the minimum, in whole multiples',
    async () => {
      const orderQty = async (about: object) => {
        await load([moved('other_receipt', 400, '380'), ...steady], {
          item_vendor: [{ ...terms, vendor_code: 'V1', lead_days: 10, ...about }],
        })
        const [row] = await cover({ window_days: 2 })
        expect(row).toMatchObject({ lead_source: 'Vendor', reorder_point: '326.0074', order_by: DAY, vendor: 'V1' })
        return row?.['order_qty']
      }
      // 326.0074 + 300 − 320
      expect(await orderQty({})).toBe('306.0074')
      expect(await orderQty({ min_qty: '306' })).toBe('306.0074')
      expect(await orderQty({ min_qty: '400' })).toBe('400.0000')
      expect(await orderQty({ multiple: '50' })).toBe('350.0000')
      expect(await orderQty({ min_qty: '400', multiple: '50' })).toBe('400.0000')
      expect(await orderQty({ min_qty: '400.0001', multiple: '50' })).toBe('450.0000')
    },
  )

  sameOnBoth('takes z from the service level, as a text or as a number', async () => {
    await load([moved('other_receipt', 400, '460'), ...steady])
    const safety = async (service_level: unknown) =>
      (await cover({ window_days: 2, lead_days: 10, service_level }))[0]?.['safety_qty']
    // z × 5 × √10
    expect(await safety('80')).toBe('13.3072')
    expect(await safety(97.5)).toBe('30.9898')
    expect(await safety('99.5')).toBe('40.7274')
    expect(await safety('')).toBe('26.0074')
    for (const service_level of [96, '95.0', [95], true]) {
      const answer = await service.call({ path: '/v1/insight/cover', body: { service_level } })
      expect([service_level, answer.statusCode, answer.json().errors?.[0]?.field]).toEqual([
        ...[service_level, 422, 'service_level'],
      ])
    }
  })

  sameOnBoth(
    'measures the lead time of order lines first received in a year, and names the vendor of the last receipt',
    async () => {
      await load([moved('other_receipt', 400, '1000'), ...steady], {
        purchase_order: [
          order('O1', daysAgo(375)),
          order('O2', daysAgo(20)),
          order('O3', daysAgo(30), { state: 'CLOSED', vendor_code: 'V2' }),
        ],
        purchase_order_line: [
          ordered('O1', 1, '10'),
          ordered('O1', 2, '10'),
          ordered('O2', 1, '10'),
          ordered('O3', 1, '10'),
        ],
        goods_receipt: [
          receipt('O1', 'G1', daysAgo(365)), // a day too early
          receipt('O1', 'G2', daysAgo(364)),
          receipt('O2', 'G3', daysAgo(15)),
          receipt('O2', 'G4', daysAgo(10)),
          receipt('O3', 'G5', daysAgo(10)),
          receipt('O2', 'G6', daysAgo(-1)),
        ],
        goods_receipt_line: [
          received('O1', 'G1', 1, '5'),
          received('O1', 'G2', 1, '5'),
          received('O1', 'G2', 2, '5'), // 11 days
          received('O2', 'G3', 1, '0', '5'), // nothing accepted
          received('O2', 'G4', 1, '4'), // 10 days
          received('O3', 'G5', 1, '1'), // 20 days
          received('O2', 'G6', 1, '6'),
        ],
      })
      const [row] = await cover({ window_days: 2, lead_days: 99 })
      expect(row).toMatchObject({
        // 5 of the second line, and 6 that come tomorrow.
        ...{ on_order_qty: '11.0000', projected_qty: '951.0000', lead_source: 'Measured', vendor: 'V2' },
        // A mean of 41 ÷ 3, squares of the distances of 64 ÷ 9, 121 ÷ 9 and 361 ÷ 9: a variance of 182 ÷ 9.
        ...{ lead_days: '13.67', lead_deviation: '4.50' },
        // 1.644854 × √(41 ÷ 3 × 25 + 900 × 182 ÷ 9)
        ...{ safety_qty: '223.9761', reorder_point: '633.9761' },
      })
    },
  )

  sameOnBoth('takes the terms of the cheapest vendor, and the first by code of equal ones', async () => {
    const vendorOf = async (...item_vendor: NonNullable<Company['item_vendor']>) => {
      await load(steady, { item_vendor })
      const [row] = await cover({ window_days: 2, lead_days: 4 })
      return [row?.['vendor'], row?.['lead_days'], row?.['lead_source']]
    }
    const [v1, v2, v3] = ['V1', 'V2', 'V3'].map((vendor_code, i) => ({ ...terms, vendor_code, lead_days: i + 1 }))
    if (!v1 || !v2 || !v3) throw new Error('there are three')
    expect(await vendorOf(v3, v2, v1)).toEqual(['V1', '1.00', 'Vendor'])
    expect(await vendorOf(v1, { ...v2, price: '2' }, { ...v3, price: '2' })).toEqual(['V2', '2.00', 'Vendor'])
    expect(await vendorOf({ ...v1, price: '3' }, { ...v2, price: '2.000001' }, { ...v3, price: '2' })).toEqual([
      ...['V3', '3.00', 'Vendor'],
    ])
    expect(await vendorOf({ ...v1, lead_days: null })).toEqual(['V1', '4.00', 'Given'])
  })

  sameOnBoth('has no dates without a pace, and no reorder point without a lead time', async () => {
    await load([moved('other_receipt', 400, '5')])
    expect(await cover({ lead_days: 7 })).toMatchObject([
      {
        pace: '0.0000',
        cover_days: null,
        runs_out_on: null,
        reorder_point: '0.0000',
        order_by: null,
        abc: null,
        xyz: null,
      },
    ])
    await load([moved('other_receipt', 400, '1000000'), moved('internal_issue', 80, '0.0001')])
    expect(await cover()).toMatchObject([
      { pace: '0.0000', cover_days: '899999999910.00', runs_out_on: null, lead_source: 'None' },
    ])
    await load(steady)
    expect(await cover({ window_days: 2 })).toMatchObject([
      {
        ...{
          usable_qty: '-60.0000',
          cover_days: '-2.00',
          runs_out_on: daysAgo(2),
          lead_days: null,
          lead_deviation: null,
        },
        ...{ lead_source: 'None', safety_qty: null, reorder_point: null, order_qty: '0.0000', order_by: null },
      },
    ])
  })

  sameOnBoth('counts what came back as not used, and no pace below 0', async () => {
    await load([
      moved('other_receipt', 9, '100'),
      moved('internal_issue', 2, '9'),
      moved('sales_return', 1, '3', { order_no: null, order_line_no: null, invoice_no: 'N1', invoice_line_no: 1 }),
      moved('trash', 0, '50'),
    ])
    // Used 9, −3 and 0 on the three days.
    expect(await cover({ window_days: 3 })).toMatchObject([{ pace: '2.0000', deviation: '5.0990' }])
    expect(await cover({ window_days: 2, lead_days: 3 })).toMatchObject([
      { pace: '0.0000', deviation: '1.5000', cover_days: null, safety_qty: '4.2735', reorder_point: '4.2735' },
    ])
  })

  sameOnBoth('ranks all items by the value that was used in a year', async () => {
    const values = ['500', '300', '100', '60', '40']
    const items = [...'PQRSTUV'].map((sku, i) => item(i + 1, sku, i < 5 ? 'MAT' : 'FG'))
    const used = values.map((val, i) => moved('consumption', 10 * i, '1', { item_id: i + 1, val }))
    await load([...used, moved('consumption', 365, '1', { item_id: 6, val: '900' })], { item: items })
    const classes = async (body = {}) => (await cover(body)).map(({ sku, abc }) => `${sku}${abc}`).join(' ')
    expect(await classes()).toBe('PA QA RB SC TC Unull Vnull')
    expect(await classes({ type: 'FG' })).toBe('Unull Vnull')
    // The first is A, whatever its share; equal values stand in order of code.
    await load(
      ['9', '9', '900', '0'].map((val, i) => moved('consumption', 0, '1', { item_id: i + 1, val })),
      { item: items },
    )
    expect(await classes()).toBe('PC QC RA SC Tnull Unull Vnull')
  })

  sameOnBoth('tells steady from unsteady use in 26 weeks', async () => {
    const steadiness = async (moves: Parameters<typeof load>[0]) => {
      await load(moves)
      return (await cover())[0]?.['xyz']
    }
    const weeks = (from: number, to: number, qty = '1') =>
      Array.from({ length: to - from }, (_, i) => moved('internal_issue', 7 * (from + i) + 6, qty))
    expect(await steadiness(weeks(0, 26))).toBe('X')
    // Half of them 1 and half of them 3: a deviation of half of the mean.
    expect(await steadiness([...weeks(0, 13), ...weeks(13, 26, '3')])).toBe('X')
    expect(await steadiness([...weeks(0, 13), ...weeks(13, 26, '3.0001')])).toBe('Y')
    expect(await steadiness(weeks(0, 13))).toBe('Y')
    expect(await steadiness(weeks(0, 12))).toBe('Z')
    expect(await steadiness(weeks(26, 30))).toBe(null)
  })

  sameOnBoth('has active items, and others only with stock; no services', async () => {
    const items = [item(1, 'A', 'MAT', { active: false }), item(2, 'B', 'FG', { active: false }), item(3, 'C', 'SRV')]
    await load(
      [moved('other_receipt', 3, '2', { item_id: 2 }), moved('other_receipt', 3, '2'), moved('trash', 2, '2')],
      {
        item: [...items, item(4, 'D', 'COMBO'), item(5, 'E', 'MAT', { material_kind: 'TOOL' })],
      },
    )
    const kinds = async (body = {}) => (await cover(body)).map(({ sku, type }) => `${sku} ${type}`)
    expect(await kinds()).toEqual(['B FG', 'D COMBO', 'E TOOL'])
    expect(await kinds({ type: 'FG' })).toEqual(['B FG', 'D COMBO'])
  })
})

sameOnBoth('on any company cover is what the oracle finds, and agrees with other reports', async () => {
  const total = (rows: Row[], code: string, qty: string) => {
    const sums = new Map<string, bigint>()
    for (const row of rows) sums.set(row[code] ?? '', (sums.get(row[code] ?? '') ?? 0n) + parse(row[qty] ?? '', 4))
    return (sku: string) => sums.get(sku) ?? 0n
  }
  const asked = fc.record({
    window_days: fc.constantFrom(1, 7, 90, 400),
    service_level: fc.constantFrom('80', 95, '97.5', 99.5),
    lead_days: fc.constantFrom(undefined, 1, 30),
  })
  await fc.assert(
    fc.asyncProperty(randomCompany, randomDay, asked, async (company, as_on, more) => {
      await loadCompany(service.db, company)
      const body = { as_on, ...more }
      expect(await all('insight/cover', body)).toEqual(oracle['insight.cover']?.(company, body))

      // Other reports have no day of their own: by this day everything has happened.
      const end = '2999-01-01'
      const range = { from_date: '0001-01-01', to_date: end }
      const pending = total(await all('partner/pending-deliveries', range), 'item_code', 'pending_qty')
      const demand = total(
        await all('sales/demand-status', { type: 'CONSOLIDATED', ...range }),
        'product_sku',
        'Remaining_qty',
      )
      for (const row of await all('insight/cover', { as_on: end })) {
        const one = company.item.find(({ sku }) => sku === row['sku'])
        const inWork = one ? forProductionOf(converted(company), one, end) : 0n
        expect([row['sku'], row['on_order_qty'], row['demanded_qty']]).toEqual([
          ...[row['sku'], format(pending(row['sku'] ?? ''), 4), format(demand(row['sku'] ?? '') + inWork, 4)],
        ])
      }
    }),
    { numRuns: runs(8, 60), endOnFailure: true },
  )
})
