/** Plans: what can be made from stock, and what a plan lacks; figures worked out by hand, and what holds on any company. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { usableOf } from '../oracle/as-of.js'
import { format, parse } from '../oracle/decimal.js'
import { converted } from '../oracle/given.js'
import { oracle } from '../oracle/index.js'
import { missingFor } from '../oracle/plan.js'
import {
  type BomLine,
  type Company,
  emptyCompany,
  type Item,
  item,
  loadCompany,
  movement,
  salesOrder,
  salesOrderLine,
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

const DAY = '2024-03-10'
/** Ids of items by code, in the order of the list. */
const items: readonly (readonly [sku: string, type: Item['type']])[] = [
  ['FG', 'FG'],
  ['SFG', 'SFG'],
  ['P', 'MAT'],
  ['Q', 'MAT'],
  ['BOX', 'COMBO'],
  ['SRV', 'SRV'],
  ['OTHER', 'FG'],
]
const id = (sku: string) => items.findIndex(([code]) => code === sku) + 1
const needs = (product: string, component: string, qty: string, about: Partial<BomLine> = {}): BomLine => ({
  ...{ product_id: id(product), component_id: id(component), qty, kind: 'Component', valid_from: '0001-01-01' },
  ...{ valid_to: null, ...about },
})

let movements = 0
const moved = (kind: string, sku: string, qty: string, about = {}) =>
  movement(++movements, kind, { item_id: id(sku), warehouse_id: 1, movement_date: '2024-03-01', qty, ...about })
const stock = (quantities: Record<string, string>) =>
  Object.entries(quantities).map(([sku, qty]) => moved('other_receipt', sku, qty))

async function load(more: Partial<Company>): Promise<void> {
  await loadCompany(service.db, {
    ...emptyCompany(),
    warehouse: [warehouse(1, 'Pune')],
    item: items.map(([sku, type], i) => item(i + 1, sku, type)),
    ...more,
  })
}

async function ask(report: string, body: object) {
  const answer = await service.call({ path: `/v1/insight/${report}`, body: { as_on: DAY, ...body } })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json().data as Record<string, unknown>[]
}
const producible = async (sku: string) => (await ask('producible', { sku }))[0]

describe('producible', () => {
  const bill = [needs('FG', 'SFG', '1'), needs('FG', 'P', '2'), needs('SFG', 'P', '3')]

  it('nets all levels, and counts a part that two branches need once', async () => {
    await load({ bom_line: bill, stock_movement: stock({ FG: '7', SFG: '4', P: '20' }) })
    expect(await producible('FG')).toEqual({
      ...{ sku: 'FG', name: 'Item FG', unit: 'KG', stock_qty: '7.0000', limited_by: 'P', limited_by_name: 'Item P' },
      // 4 with 4 SFG in stock need 8 P; each further one needs 5 P, and there are 12: 2.4 more.
      ...{ producible_qty: '6.4000', producible_whole: '6' },
      one_more_needs: [{ sku: 'P', name: 'Item P', qty: '3.0000', unit: 'KG' }],
    })
  })

  it('rounds the quantity down and the missing parts up', async () => {
    await load({ bom_line: [needs('FG', 'P', '0.0416666667')], stock_movement: stock({ P: '1' }) })
    // 1 / 0.0416666667 is 23.99999998…; 24 need 1.0000000008.
    expect(await producible('FG')).toMatchObject({
      ...{ producible_qty: '23.9999', producible_whole: '23', one_more_needs: [{ sku: 'P', qty: '0.0001' }] },
    })
  })

  it('names the first part by code where several limit, and all of them as missing', async () => {
    await load({
      bom_line: [needs('FG', 'Q', '1'), needs('FG', 'P', '2'), needs('FG', 'SFG', '1')],
      stock_movement: stock({ Q: '3', P: '6', SFG: '9' }),
    })
    expect(await producible('FG')).toMatchObject({
      ...{ producible_whole: '3', limited_by: 'P' },
      one_more_needs: [
        { sku: 'P', qty: '2.0000' },
        { sku: 'Q', qty: '1.0000' },
      ],
    })
  })

  it('a part whose stock a bill above it still covers does not limit', async () => {
    // P is at its limit of 0 from the start, but is not needed before the 2 SFG are used up; Q runs out before.
    await load({
      bom_line: [needs('FG', 'SFG', '1'), needs('FG', 'Q', '1'), needs('SFG', 'P', '1')],
      stock_movement: stock({ SFG: '2', Q: '1.5' }),
    })
    expect(await producible('FG')).toMatchObject({ producible_qty: '1.5000', limited_by: 'Q' })
  })

  it('uses neither stock on hold, nor expired batches, nor stock below 0', async () => {
    const batch = (batch_no: string, expiry_date: string | null) => ({
      ...{ item_id: id('P'), batch_no, source: 'MANUAL' as const, mfg_date: null, expiry_date, batch_date: null },
      ...{ warehouse_id: null, qty: null, wastage: null, qc_status: null, qty_pass: null, qty_failed: null },
    })
    await load({
      bom_line: [needs('FG', 'P', '1'), needs('OTHER', 'Q', '1')],
      batch: [batch('OLD', '2024-03-09'), batch('LAST DAY', DAY), batch('NEW', null)],
      stock_movement: [
        moved('other_receipt', 'P', '10', { batch_no: 'OLD' }),
        moved('hold', 'P', '4', { batch_no: 'OLD' }),
        moved('other_receipt', 'P', '5', { batch_no: 'LAST DAY' }),
        moved('other_receipt', 'P', '3', { batch_no: 'NEW' }),
        moved('hold', 'P', '1', { batch_no: 'NEW' }),
        moved('other_receipt', 'P', '100', { movement_date: '2024-03-11' }),
        moved('trash', 'Q', '2'),
      ],
    })
    expect(await producible('FG')).toMatchObject({ producible_whole: '7' })
    expect(await producible('OTHER')).toMatchObject({ producible_qty: '0.0000', one_more_needs: [{ qty: '1.0000' }] })
  })

  it('takes bills that hold on the day, combos, and by-products for nothing; a service limits nothing', async () => {
    await load({
      bom_line: [
        needs('FG', 'P', '1', { valid_to: '2024-03-09' }),
        needs('FG', 'P', '2', { valid_from: DAY }),
        needs('FG', 'Q', '5', { kind: 'By-product' }),
        needs('FG', 'SRV', '1'),
        needs('OTHER', 'SRV', '1'),
      ],
      combo_line: [
        { combo_id: id('BOX'), component_id: id('FG'), qty: '2' },
        { combo_id: id('BOX'), component_id: id('Q'), qty: '1' },
      ],
      stock_movement: stock({ P: '10', FG: '1', Q: '50' }),
    })
    expect(await ask('producible', {})).toMatchObject([
      { sku: 'BOX', producible_qty: '3.0000', limited_by: 'P', one_more_needs: [{ sku: 'P', qty: '4.0000' }] },
      { sku: 'FG', producible_qty: '5.0000' },
      { sku: 'OTHER', producible_qty: null, producible_whole: null, limited_by: null, one_more_needs: [] },
    ])
  })
})

describe('shortage', () => {
  const bom_line = [needs('FG', 'SFG', '1'), needs('FG', 'P', '2'), needs('SFG', 'P', '3')]
  const figures = ({ level, sku, needed_qty, used_from_stock_qty, to_make_qty, to_buy_qty }: Record<string, unknown>) =>
    [level, sku, needed_qty, used_from_stock_qty, to_make_qty, to_buy_qty].map(String).join(' ').replaceAll('.0000', '')

  it('uses stock of the plan first, makes what has a bill, and buys the rest', async () => {
    await load({ bom_line, stock_movement: stock({ FG: '1', SFG: '4', P: '20' }) })
    expect((await ask('shortage', { plan: 'FG=10, OTHER = 2.5' })).map(figures)).toEqual([
      '0 FG 10 1 9 0',
      '0 OTHER 2.5000 0 0 2.5000',
      '1 SFG 9 4 5 0',
      // 2 for each FG that is made, and 3 for each SFG.
      '2 P 33 20 0 13',
    ])
  })

  it('refuses codes that do not exist, and texts that are no plan', async () => {
    await load({ bom_line })
    const refused = async (plan: string) =>
      (await service.call({ path: '/v1/insight/shortage', body: { plan } })).json()
    expect(await refused('FG=1, NONE=2, GONE=3')).toMatchObject({
      status: 422,
      errors: [{ field: 'plan', message: 'names "NONE" and 1 more, which no item has as its code' }],
    })
    for (const plan of ['FG', 'FG=', 'FG=-1', 'FG=1 SFG=2', '=1', 'FG=1,,SFG=2'])
      expect(await refused(plan), plan).toMatchObject({ status: 422, errors: [{ field: 'plan' }] })
  })

  it('plans open sales by itself, without services and without what was issued', async () => {
    await load({
      bom_line,
      sales_order: [salesOrder('SO1', null), salesOrder('SO2', null, { state: 'CANCELLED' })],
      sales_order_line: [
        salesOrderLine('SO1', 1, { item_id: id('FG'), qty: '5' }),
        salesOrderLine('SO1', 2, { item_id: id('SRV'), qty: '5' }),
        salesOrderLine('SO2', 1, { item_id: id('FG'), qty: '5' }),
      ],
      stock_movement: [...stock({ FG: '3' }), moved('issue', 'FG', '2', { order_no: 'SO1', order_line_no: 1 })],
    })
    expect((await ask('shortage', {})).map(figures)).toEqual(['0 FG 3 1 2 0', '1 SFG 2 0 2 0', '2 P 10 0 0 10'])
  })
})

describe('a bill that contains itself', () => {
  it.each([
    [{ bom_line: [needs('FG', 'SFG', '1'), needs('SFG', 'FG', '1')] }, 'FG → SFG → FG'],
    [
      {
        bom_line: [needs('FG', 'BOX', '1'), needs('SFG', 'P', '1')],
        combo_line: [{ combo_id: id('BOX'), component_id: id('FG'), qty: '2' }],
      },
      'FG → BOX → FG',
    ],
  ])('is named by both reports, if an earlier version has loaded it', async (bills, cycle) => {
    await load(bills)
    for (const [report, body] of [
      ['producible', {}],
      ['shortage', { plan: 'P=1' }],
    ] as const) {
      const answer = await service.call({ path: `/v1/insight/${report}`, body })
      expect([answer.statusCode, answer.json().detail]).toEqual([409, expect.stringContaining(cycle)])
    }
  })
})

sameOnBoth(
  'on any company the producible quantity is feasible and no more is, and a plan of it lacks nothing',
  async () => {
    const limited = new Set<boolean>()
    await fc.assert(
      fc.asyncProperty(randomCompany, randomDay, async (drawn, as_on) => {
        await loadCompany(service.db, drawn)
        const company = converted(drawn)
        const rows = await ask('producible', { as_on })
        expect(rows).toEqual(oracle['insight.producible']?.(drawn, { as_on }))
        for (const row of rows) {
          const product = company.item.find(({ sku }) => sku === row['sku']) as Item
          const missing = (units: bigint) => missingFor(company, product, as_on, units).size
          limited.add(row['producible_qty'] !== null)
          if (row['producible_qty'] === null) {
            expect(missing(10n ** 30n)).toBe(0)
            continue
          }
          const most = parse(String(row['producible_qty']), 4)
          const whole = BigInt(String(row['producible_whole']))
          expect([product.sku, missing(most)]).toEqual([product.sku, 0])
          expect([product.sku, missing(most + 1n) > 0]).toEqual([product.sku, true])
          expect([whole * 10_000n <= most, most < (whole + 1n) * 10_000n]).toEqual([true, true])

          // The plan uses the product's own stock first. No purchase order is due by the first day.
          if (most > 10n ** 20n || /[,=\s]/.test(product.sku)) continue
          const own = usableOf(company, product, as_on)
          const toBuy = async (units: bigint) => {
            const plan = `${product.sku}=${format(units + (own > 0n ? own : 0n), 4)}`
            const lines = await ask('shortage', { as_on, plan, until: '0001-01-01' })
            return lines.filter(({ to_buy_qty }) => to_buy_qty !== '0.0000').length
          }
          expect([product.sku, await toBuy(most)]).toEqual([product.sku, 0])
        }
      }),
      { numRuns: runs(8, 60), endOnFailure: true },
    )
    expect(limited).toContain(true)
  },
)
