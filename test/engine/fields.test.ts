/** `?fields=`: the contract's fields, all of them, or the ones that a caller names, in that order. */
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rebuildClosings } from '../../src/ledger/closings.js'
import { LARGEST_IN_MEMORY } from '../../src/store/records.js'
import { openSample } from '../setup/database.js'
import { type Request, type Service, startService } from '../setup/service.js'

const RANGE = { from_date: '2026-06-01', to_date: '2026-06-30' }
const INVOICES = { path: '/v1/sales/invoices', body: RANGE }
const ORDERS = { path: '/v1/purchase-orders/list', body: RANGE }
const SNAPSHOT = '/v1/partner/invetory-snapshot'
const STATUS = { path: '/v1/sales/order-status', body: { version: 'WR', ...RANGE } }

let service: Service
beforeAll(async () => {
  service = await startService({}, await openSample({ today: RANGE.to_date, scale: 0.1, months: 2 }))
})
afterAll(() => service.close())

async function ask(request: Request) {
  const answer = await service.call(request)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer
}
const firstOf = async (request: Request): Promise<Record<string, unknown>> => (await ask(request)).json().data[0]
const errorsOf = async (request: Request): Promise<string[]> => {
  const answer = await service.call(request)
  expect(answer.statusCode, answer.body).toBe(422)
  return answer.json().errors.map(({ field, message }: Record<string, string>) => `${field} ${message}`)
}

it('JSON has the contract’s fields by default, and all of them on request', async () => {
  const contract = await firstOf(INVOICES)
  expect(Object.keys(contract).slice(-3)).toEqual(['final_amt', 'invoice_status', 'items'])
  expect(await firstOf({ ...INVOICES, query: { fields: 'contract' } })).toEqual(contract)
  const all = await firstOf({ ...INVOICES, query: { fields: 'all' } })
  expect(all).toMatchObject({ currency: 'INR', invoice_type: 'Invoice', taxes: expect.any(Array) })
  expect((all['items'] as object[])[0]).toHaveProperty('document_uom')
  expect((contract['items'] as object[])[0]).not.toHaveProperty('document_uom')
})

it('named fields come in the order of their names; members of objects keep their nesting', async () => {
  const fields = 'vendor.city,pono,approval.workflow.groups,vendor.vendor,currency,items'
  const record = await firstOf({ ...ORDERS, query: { fields } })
  expect(Object.keys(record)).toEqual(['vendor', 'pono', 'approval', 'currency', 'items'])
  expect(Object.keys(record['vendor'] as object)).toEqual(['city', 'vendor'])
  expect(record['approval']).toEqual({ workflow: { groups: expect.any(Array) } })
  expect((record['items'] as object[])[0], 'a list comes whole').toHaveProperty('document_uom')
  const whole = await firstOf({ ...ORDERS, query: { fields: 'adjustment, poid' } })
  expect(whole).toEqual({ adjustment: { label: expect.any(String), amt: expect.any(String) }, poid: whole['poid'] })
})

it('sorting, filtering and searching may use fields that are not shown', async () => {
  const query = { fields: 'invoice_no', sort: '-invoice_no', filter: 'currency=INR', 'per-page': 3 }
  const { data } = (await ask({ ...INVOICES, query })).json()
  expect(data).toHaveLength(3)
  expect(data.map((record: object) => Object.keys(record))).toEqual(Array(3).fill(['invoice_no']))
  expect(data[0].invoice_no > data[1].invoice_no).toBe(true)
})

it('links to other pages carry the fields, and pages add up to the whole', async () => {
  const query = { fields: 'invoice_no,currency', 'per-page': 40 }
  const { data, _links } = (await ask({ ...INVOICES, query })).json()
  const next = Object.fromEntries(new URL(_links.next.href).searchParams)
  expect(next['fields']).toBe('invoice_no,currency')
  const second = (await ask({ ...INVOICES, query: next })).json().data
  const lines = (await ask({ ...INVOICES, query: { fields: 'invoice_no,currency', format: 'ndjson' } })).body
  const whole = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect([...data, ...second]).toEqual(whole.slice(0, 80))
})

it('files have all fields by default, and the chosen ones on request', async () => {
  const csv = async (query: object) =>
    Object.keys(
      (
        parse((await ask({ ...INVOICES, query: { format: 'csv', ...query } })).body, { columns: true }) as object[]
      )[0] ?? {},
    )
  expect(await csv({ lines: 'no' })).toContain('exchange_rate')
  expect(await csv({ lines: 'no', fields: 'contract' })).not.toContain('exchange_rate')
  expect(await csv({ fields: 'total_amt,invoice_no' })).toEqual(['total_amt', 'invoice_no'])
  const { headers } = await ask({ ...INVOICES, query: { format: 'csv' } })
  expect(headers['content-disposition'], 'all fields are no view').not.toContain('view')
})

describe('changes', () => {
  it('can be followed with any fields, and have the key of each record', async () => {
    for (const [fields, names] of [
      ['all', ['order_state', '_line_no']],
      ['Order_qty,order_state', ['Order_qty', 'order_state', 'order_date', 'SO_order_id', '_line_no']],
    ] as const) {
      const first = (await ask({ ...STATUS, query: { fields, since: 'start' } })).json()
      expect(Object.keys(first.data[0])).toEqual(expect.arrayContaining([...names]))
      const none = (await ask({ ...STATUS, query: { fields, since: first._since.token } })).json()
      expect([none.data, none.removed]).toEqual([[], []])
      expect(await errorsOf({ ...STATUS, query: { since: first._since.token } })).toEqual([
        expect.stringContaining('since must be a token of the same report'),
      ])
    }
  })
})

it('a wrong choice is refused with the field and what to do', async () => {
  const wrong = [
    ['invoice_no,custmer_name', /^fields names "custmer_name", which is not a field of this report.*customer_name/],
    ['items.qty', 'fields names "items.qty", which is inside a list; name the whole list, items'],
    ['invoice_no,invoice_no', 'fields names invoice_no twice'],
    ['invoice_no,all', /^fields names "all", which is not a field/],
    ['__proto__', /^fields names "__proto__", which is not a field/],
    [',', /^fields names "", which is not a field/],
    [Array(101).fill('invoice_no').join(), 'fields must be at most 100 fields, not 101'],
  ] as const
  for (const [fields, message] of wrong) {
    const [error] = await errorsOf({ ...INVOICES, query: { fields } })
    if (typeof message === 'string') expect(error).toBe(message)
    else expect(error).toMatch(message)
  }
  expect(await errorsOf({ ...ORDERS, query: { fields: 'vendor,vendor.city' } })).toEqual([
    'fields names vendor.city twice',
  ])
  expect(await errorsOf({ ...INVOICES, query: { fields: 'total_amt', totals: 'yes' } })).toEqual([
    'fields must be left out with totals, which add up every field that can be',
  ])
})

it('a page of the snapshot may have more records than other pages', async () => {
  const call = { path: SNAPSHOT, body: { date: RANGE.to_date, limit: '100000' } }
  const { data, _meta } = (await ask(call)).json()
  expect(_meta).toMatchObject({ perPage: 100_000, pageCount: 1, totalCount: data.length })
  const { data: walked } = (await ask({ ...call, body: { date: RANGE.to_date }, query: { 'per-page': 5000 } })).json()
  expect(data).toEqual(walked)
  expect(await errorsOf({ ...call, query: { 'per-page': 5001 } })).toHaveLength(1)
})

it('pages larger than other pages are exact, also if they are too large for memory', async () => {
  const before = (await ask({ path: SNAPSHOT, body: { date: RANGE.to_date, limit: '5000' } })).json()._meta.totalCount
  await service.db.begin(async (tx) => {
    await tx`
      insert into batch (item_id, batch_no, source)
      select (select min(id) from item where type = 'FG'), 'LARGE-' || n, 'MANUAL' from generate_series(1, 6000) n`
    await tx`
      insert into stock_movement (item_id, movement_no, movement_date, kind, warehouse_id, batch_no, qty, val, val_tax)
      select item_id, batch_no, ${RANGE.to_date}::date, 'other_receipt', (select min(id) from warehouse), batch_no, 1, 0, 0
        from batch where batch_no like 'LARGE-%'`
    await rebuildClosings(tx)
    await tx`update data_version set version = version + 1, committed_at = clock_timestamp()`
  })
  const pages = async (limit: number) => {
    const found = []
    for (let page = 1; ; page += 1) {
      const answer = await ask({ path: SNAPSHOT, body: { date: RANGE.to_date, limit: `${limit}` }, query: { page } })
      const { data, _meta } = answer.json()
      expect(_meta).toMatchObject({ perPage: limit, currentPage: page, totalCount: before + 6000 })
      found.push({ data, bytes: answer.rawPayload.length })
      if (page >= _meta.pageCount) return found
    }
  }
  const large = await pages(5500)
  expect(large.map(({ data }) => data.length)).toEqual([5500, before + 500])
  expect(large[0]?.bytes, 'too large for memory').toBeGreaterThan(LARGEST_IN_MEMORY)
  const records = (list: { data: object[] }[]) => list.flatMap(({ data }) => data)
  expect(records(large)).toEqual(records(await pages(5000)))
  expect(records(await pages(5500)), 'asked again').toEqual(records(large))
})
