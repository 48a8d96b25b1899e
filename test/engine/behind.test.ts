/** From a figure to its rows: the rows behind a figure sum to it, and stories agree with the reports that lead to them. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadSample } from '../../src/demo/sample.js'
import { runWhole } from '../../src/kernel/answer/statement.js'
import { readParams } from '../../src/kernel/report/params.js'
import type { Report } from '../../src/kernel/report/report.js'
import { WHOLE } from '../../src/kernel/report/rights.js'
import { reports } from '../../src/reports/index.js'
import { today } from '../oracle/calendar.js'
import { format, parse, sum } from '../oracle/decimal.js'
import { explained, requestBehind } from '../setup/behind.js'
import { type Company, emptyCompany, item, loadCompany, movement, warehouse } from '../setup/company.js'
import { randomCompany, randomRange } from '../setup/random-company.js'
import { requestsFor } from '../setup/requests.js'
import { companyOf, sampleRows } from '../setup/sample.js'
import { type Service, startService } from '../setup/service.js'
import { stringsOf } from '../setup/texts.js'
import { long, runs } from '../setup/tier.js'

type Row = Record<string, string | null>
const TODAY = '2026-06-30'
const SAMPLE = { today: TODAY, scale: 0.2, months: 3 }
const RANGE = { from_date: '2026-06-01', to_date: '2026-06-20' }

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const byId = (id: string) => reports.find((report) => report.id === id) as Report

/** All records of a report. */
async function ask(id: string, body: object): Promise<Row[]> {
  const report = byId(id)
  const read = readParams(report.request, body as Row)
  if ('errors' in read) throw new Error(`${id}: ${JSON.stringify(read.errors)}`)
  const texts = await stringsOf(runWhole(service.db, report, read.values, WHOLE))
  return texts.map((text) => JSON.parse(text))
}

/** Compares every cell that has movements behind it with their sum; returns how many. */
async function compareCells(range: typeof RANGE, timeZone: string, everyRecord = 1): Promise<Map<string, number>> {
  const compared = new Map<string, number>()
  for (const report of reports) {
    const columns = explained(report).filter(({ behind }) => behind.sum !== undefined)
    if (columns.length === 0) continue
    for (const request of requestsFor(report, range, { tax: [0, 1], limit: [5000] })) {
      const answers = new Map<string, Row[]>()
      const records = await ask(report.id, request)
      for (const record of records.filter((_, i) => i % everyRecord === 0))
        for (const column of columns) {
          const behind = requestBehind(column, record, request, today(timeZone))
          if (behind === undefined) continue
          const asked = JSON.stringify(behind)
          const rows = answers.get(asked) ?? (await ask(behind.report, behind.body))
          answers.set(asked, rows)
          if (behind.body['figure'] === 'TrfChrg')
            expect(
              rows.filter(({ value }) => Number(value) === 0),
              'movements without a charge',
            ).toEqual([])
          const total = sum(rows.map((row) => parse(row[column.behind.sum as string] as string, 4)))
          const cell = parse(record[column.name] as string, 10)
          const about = { report: report.id, request, field: column.name, body: behind.body }
          expect({ ...about, sum: format(total * 1_000_000n, 10) }).toEqual({ ...about, sum: format(cell, 10) })
          const name = `${report.id} ${column.name}`
          compared.set(name, (compared.get(name) ?? 0) + Number(rows.length > 0))
        }
    }
  }
  return compared
}

/** Sums by a key. Lines without an item are left out: reports of quantities do not have them. */
function sums(
  rows: readonly (readonly [key: unknown[], quantity: string | null | undefined])[],
): Record<string, string> {
  const totals = new Map<string, bigint>()
  for (const [key, quantity] of rows) {
    if (key[0] === '') continue
    const name = JSON.stringify(key)
    totals.set(name, (totals.get(name) ?? 0n) + parse(quantity ?? '0', 4))
  }
  return Object.fromEntries(
    [...totals].filter(([, total]) => total !== 0n).map(([name, total]) => [name, format(total, 4)]),
  )
}

const EVER = { from_date: '0001-01-01', to_date: '9999-12-31' }

/** Compares the stories of a company's orders and batches with the other reports about them. */
async function compareStories(company: Company, few = Number.POSITIVE_INFINITY): Promise<void> {
  const [status, dispatch, pending, list] = await Promise.all([
    ask('sales.order-status', { version: 'WR', ...EVER }),
    ask('sales.order-dispatch', { version: 'WR', ...EVER }),
    ask('partner.pending-deliveries', EVER),
    ask('purchase.purchase-orders-list', {}),
  ])
  for (const { order_no } of company.sales_order.filter(({ state }) => state !== 'CANCELLED').slice(-few)) {
    const story = await ask('sales.order-story', { order_no })
    const step = (name: string) => story.filter((row) => row['step'] === name)
    const ordered = new Map(step('ordered').map((row) => [row['line_no'], row['sku']]))
    const of = status.filter((row) => row['SO_order_id'] === order_no)
    const told = (rows: Row[], field: string) =>
      sums(rows.map((row) => [[ordered.get(row['line_no'] ?? null)], row[field]]))
    const shown = (field: string) => sums(of.map((row) => [[row['product_sku']], row[field]]))
    expect(told(step('ordered'), 'qty'), order_no).toEqual(shown('Order_qty'))
    expect(told(step('ordered'), 'remaining_qty'), order_no).toEqual(shown('Remaining_qty'))
    expect(told(step('returned'), 'qty'), order_no).toEqual(shown('return_qty'))
    expect(told(step('returned'), 'usable_qty'), order_no).toEqual(shown('usable_qty'))
    expect(
      sums(step('dispatched').map((row) => [[ordered.get(row['line_no'] ?? null), row['sku']], row['qty']])),
      order_no,
    ).toEqual(
      sums(
        dispatch
          .filter((row) => row['order_no'] === order_no)
          .map((row) => [[row['order_sku'], row['product_sku']], row['dispatched_qty']]),
      ),
    )
  }
  for (const { po_no: pono } of company.purchase_order.slice(-few)) {
    const story = await ask('purchase.order-story', { pono })
    const left = sums(story.map((row) => [[row['sku']], row['pending_qty']]))
    expect(left, pono).toEqual(
      sums(pending.filter((row) => row['po_no'] === pono).map((row) => [[row['item_code']], row['pending_qty']])),
    )
    const [order] = list.filter((row) => row['pono'] === pono)
    for (const { po_status } of story) expect(po_status).toBe(order?.['po_status'])
    const [receipt] = [await ask('grn.list', { ...EVER, pono })]
    const accepted = receipt.flatMap((grn) => grn['items'] as unknown as Row[])
    expect(sums(story.filter((row) => row['step'] === 'received').map((row) => [[row['sku']], row['qty']]))).toEqual(
      sums(accepted.map((line) => [[line['itemcode']], line['accepted_qty']])),
    )
  }
  const snapshot = await ask('partner.invetory-snapshot', { date: EVER.to_date })
  for (const record of snapshot.filter((row) => row['batch_no'] !== '').slice(-few)) {
    const [batch_no, sku] = [record['batch_no'], record['product_sku']]
    const story = await ask('production.batch-story', { batch_no, sku })
    const total = (step: string) =>
      sum(story.filter((row) => row['step'] === step).map((row) => parse(row['qty'] as string, 4)))
    expect([batch_no, format((total('received') - total('went-to')) * 1_000_000n, 10)]).toEqual([
      batch_no,
      record['Available_qty'],
    ])
  }
}

describe('on random companies', () => {
  it('the movements behind every figure sum to it, and stories agree with the other reports', async () => {
    const withRows = new Set<string>()
    await fc.assert(
      fc.asyncProperty(randomCompany, randomRange, async (company, range) => {
        await loadCompany(service.db, company)
        const compared = await compareCells(range, company.account['time_zone'] ?? 'UTC')
        for (const [name, cells] of compared) if (cells > 0) withRows.add(name)
        await compareStories(company)
      }),
      { numRuns: runs(1, 30), endOnFailure: true },
    )
    if (long) expect(withRows.size).toBeGreaterThan(50)
  })
})

it('stock without batches has movements behind it; a record without stock has none', async () => {
  const at = { warehouse_id: 1, movement_date: '2026-01-05', qty: '5', val: '10', val_tax: '12' }
  await loadCompany(service.db, {
    ...emptyCompany(),
    warehouse: [warehouse(1, 'Plant')],
    item: [item(1, 'FG1', 'FG'), item(2, 'FG2', 'FG')],
    batch: [],
    stock_movement: [
      movement(1, 'other_receipt', { ...at, item_id: 1 }),
      movement(2, 'trash', { ...at, item_id: 1 }),
      movement(3, 'other_receipt', { ...at, item_id: 2 }),
    ],
  })
  const request = { date: '2026-01-31' }
  const records = await ask('partner.invetory-snapshot', request)
  const columns = explained(byId('partner.invetory-snapshot'))
  const behind = (name: string) =>
    records.map((record) => {
      const column = columns.find((one) => one.name === name)
      return column && requestBehind(column, record, request, TODAY)?.body
    })
  expect(records).toMatchObject([{ Receipt_qty: '0.0000000000' }, { Receipt_qty: '5.0000000000', batch_no: '' }])
  const body = { sku: 'FG2', batch: '', figure: 'Cr', from_date: '0001-01-01', to_date: '2026-01-31' }
  expect(behind('Receipt_qty')).toEqual([undefined, body])
  expect(behind('batch_no')).toEqual([undefined, undefined])
  expect(await ask('inventory.movements', body)).toMatchObject([{ movement_no: 'M3', batch: null, qty: '5.0000' }])
})

describe('on the sample company', () => {
  beforeAll(async () => {
    const fresh = await startService()
    await service.close()
    service = fresh
    await loadSample(service.database, SAMPLE)
  })

  it('the movements behind every figure sum to it', async () => {
    const compared = await compareCells(RANGE, 'Asia/Kolkata', runs(5, 1))
    const withRows = [...compared.values()].filter((cells) => cells > 0)
    expect(withRows.length, 'more than half of the figures have movements in these three weeks').toBeGreaterThan(
      compared.size / 2,
    )
  })

  it('stories agree with the other reports', async () => {
    await compareStories(companyOf(await sampleRows(SAMPLE)), runs(4, 300))
  })

  it('the request behind a cell gives the same movements by HTTP, page by page', async () => {
    const request = { type: 'FG', tax: 1, ...RANGE }
    const stock = byId('inventory.fg-stock-status')
    const records: Row[] = (await service.call({ path: stock.path, body: request })).json().data
    const [record] = records.toSorted((a, b) => Number(b['Closing_qty']) - Number(a['Closing_qty']))
    const column = explained(stock).find(({ name }) => name === 'final_value')
    if (record === undefined || column === undefined) throw new Error('the sample has no stock')
    const behind = requestBehind(column, record, request, TODAY)
    const rows: Row[] = []
    for (let page = 1; ; page++) {
      const response = await service.call({
        path: byId('inventory.movements').path,
        body: behind?.body,
        query: { page, 'per-page': 7 },
      })
      expect(response.statusCode, response.body).toBe(200)
      rows.push(...response.json().data)
      if (response.json()._links.next === undefined) break
    }
    expect(rows.length).toBeGreaterThan(7)
    expect(format(sum(rows.map((row) => parse(row['value'] as string, 4))), 4)).toBe(record['final_value'])
  })
})
