/** `?since=`: a caller who only applies changes has the same records as the report. */
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { load } from '../../src/import/pipeline/load.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { columnsOf, keyOf } from '../../src/kernel/report/columns.js'
import { keyed } from '../../src/kernel/report/keyed.js'
import { readParams } from '../../src/kernel/report/params.js'
import type { Report } from '../../src/kernel/report/report.js'
import { reports } from '../../src/reports/index.js'
import { buildApp } from '../../src/runtime/app.js'
import { files, openBooks } from '../setup/books.js'
import { folderOf } from '../setup/files.js'
import { KEY } from '../setup/good-files.js'
import { anyLoad } from '../setup/loads.js'
import { requestsFor } from '../setup/requests.js'
import { type Request, type Service, startService } from '../setup/service.js'
import { runs } from '../setup/tier.js'

let service: Service
beforeAll(async () => {
  service = await startService({}, await openBooks())
})
afterAll(() => service.close())

type Row = Record<string, unknown>
const RANGE = { from_date: '2024-01-01', to_date: '2024-12-31' }
const MATERIALS = '/v1/inventory/material'
/** Every report and variant; in the long tier with every choice of its other parameters too. */
const asked = reports.flatMap((report) => {
  const requests = requestsFor(report, RANGE, { plan: [] }).filter(
    (request) => !((report.perPageFrom ?? '') in request),
  )
  const shapes = new Map(requests.map((request) => [shapeFor(report, request), request]))
  return (runs(0, 1) === 0 ? [...shapes.values()] : requests).map((request) => ({ report, request }))
})

const loadRows = (rows: Record<string, string[]>, replace: string[] = []) =>
  load(service.database, findFiles(folderOf(files(rows))), { replace })

function shapeFor(report: Report, request: object) {
  const read = readParams(report.request, request as Row)
  if ('errors' in read) throw new Error(JSON.stringify(read.errors))
  return keyed(report).shapeFor(read.values)
}

/** Follows a report by its changes alone. */
class Follower {
  readonly report: Report
  readonly request: object
  readonly records = new Map<string, Row>()
  token = 'start'
  /** Counts of upserted and of removed records. */
  upserts = 0
  removed = 0

  constructor(report: Report, request: object) {
    this.report = report
    this.request = request
  }

  keyOf(record: Row): string {
    const key = keyOf(shapeFor(this.report, this.request))
    return JSON.stringify(key.map(({ path }) => record[(path as readonly string[]).join('_')]))
  }

  #take(upserts: readonly Row[], removed: readonly Row[]): void {
    this.upserts += upserts.length
    this.removed += removed.length
    for (const record of upserts) this.records.set(this.keyOf(record), record)
    for (const key of removed) this.records.delete(this.keyOf(key)) // a record may have come and gone between two calls
  }

  async follow(way: 'json' | 'pages' | 'ndjson', call = service.call): Promise<void> {
    const { path } = this.report
    const ask = async (query: Record<string, string | number>) => {
      const response = await call({ path, body: this.request, query: { since: this.token, fields: 'all', ...query } })
      expect([this.report.id, response.statusCode, response.statusCode === 200 ? '' : response.body]).toEqual([
        this.report.id,
        200,
        '',
      ])
      return response
    }
    if (way === 'pages') {
      let query: Record<string, string | number> = { page: 1, 'per-page': 3 }
      let token = ''
      while (true) {
        const response = await ask(query)
        const { data, removed, _since, _links, _meta } = response.json()
        expect(response.headers['x-pagination-total-count']).toBe(String(_meta.totalCount))
        expect(data.length + removed.length).toBe(
          Math.max(0, Math.min(3, _meta.totalCount - 3 * (_meta.currentPage - 1))),
        )
        this.#take(data, removed)
        token = _since.token
        if (_links.next === undefined) break
        query = Object.fromEntries(new URL(_links.next.href).searchParams)
      }
      this.token = token
      return
    }
    const response = await ask(way === 'json' ? {} : { format: way })
    const token = response.headers['x-since-token'] as string
    if (way === 'json') {
      const { data, removed, _since } = response.json()
      expect(Object.keys(response.json())).toEqual(['data', 'removed', '_since'])
      expect(_since).toEqual({ token, version: Number(response.headers['x-data-version']) })
      this.#take(data, removed)
    } else {
      const lines = response.body
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Row)
      const of = (change: string) =>
        lines.filter(({ _change }) => _change === change).map(({ _change, ...rest }) => rest)
      expect(lines.length).toBe(of('upsert').length + of('delete').length)
      for (const line of lines) expect(Object.keys(line)[0]).toBe('_change')
      this.#take(of('upsert'), of('delete'))
    }
    this.token = token
  }
}

const whole = async (report: Report, request: object): Promise<Row[]> =>
  (await service.call({ path: report.path, body: request, query: { format: 'ndjson' } })).body
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

const shown = (record: Row): string =>
  JSON.stringify(Object.fromEntries(Object.entries(record).filter(([name]) => !name.startsWith('_'))))

async function expectCurrent({ report, request, records }: Follower): Promise<void> {
  const present = await whole(report, request)
  expect({ report: report.id, records: [...records.values()].map(shown).sort() }).toEqual({
    report: report.id,
    records: present.map((record) => JSON.stringify(record)).sort(),
  })
}

it('columns of the key that the report hides have the numbers that their descriptions say', async () => {
  const { path } = byId('sales.order-story')
  const { data } = (await service.call({ path, body: { order_no: 'SO1' }, query: { since: 'start' } })).json()
  expect(data.map((row: Row) => [row['step'], row['_step_no'], row['_part_no']])).toEqual([
    ['ordered', 1, 0],
    ['dispatched', 2, 0],
    ['invoiced', 3, 1],
    ['returned', 5, 0],
    ['back-in-stock', 6, 0],
  ])
})

it('after any loads, in any format and from any process, changes add up to the report; every report and variant', async () => {
  let [upserts, removed] = [0, 0]
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(anyLoad, fc.constantFrom('json', 'pages', 'ndjson'), fc.boolean()), {
        minLength: runs(1, 3),
        maxLength: runs(2, 6),
      }),
      async (sequence) => {
        const steady = asked.map(({ report, request }) => new Follower(report, request))
        const late = asked.map(({ report, request }) => new Follower(report, request))
        for (const follower of [...steady, ...late]) await follower.follow('json')
        // The last two loads surely add an invoice, and move it out of the range.
        const invoice = (day: string) => ({
          rows: { invoices: [`I9,SO1,${day} 09:30:00,${day},20,2.4,22.4,22.4`] },
          replace: [],
        })
        const last = ['2024-03-07', '2025-03-07'].map((day) => [invoice(day), 'json', false] as const)
        for (const [step, way, other] of [...sequence, ...last]) {
          await loadRows(step.rows, step.replace)
          // Another process, without the files of this one.
          const app = other ? await buildApp({ ...OPTIONS, database: service.database }) : undefined
          const call: Service['call'] = app === undefined ? service.call : callOf(app)
          for (const follower of steady) await follower.follow(way as 'json', call)
          await app?.close()
        }
        for (const follower of late) await follower.follow('ndjson')
        for (const follower of [...steady, ...late]) {
          await expectCurrent(follower)
          upserts += follower.upserts
          removed += follower.removed
          const { token } = follower
          await follower.follow('json')
          expect(follower.token).toBe(token) // nothing has changed
        }
      },
    ),
    { numRuns: runs(1, 10), endOnFailure: true },
  )
  expect(upserts).toBeGreaterThan(0)
  expect(removed).toBeGreaterThan(0)
})

const OPTIONS = { reports, logLevel: 'silent', leaseMs: 0 }
const callOf =
  (app: Service['app']) =>
  ({ path, query = {}, body }: Request) =>
    app.inject({
      method: reports.find((report) => report.path === path)?.method ?? 'GET',
      url: path,
      query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
      headers: { authorization: `Bearer ${service.caller.token}` },
      payload: body as object,
    })

describe('one change', () => {
  const call = (query: Record<string, string | number>, more: Partial<Request> = {}) =>
    service.call({ path: MATERIALS, query, ...more })
  let number = 0
  /** A material more. */
  const add = async () => {
    const sku = `NEW${++number}`
    await loadRows({ items: [material(sku)] })
    return sku
  }

  it('shows one record, in every format', async () => {
    const { _since } = (await call({ since: 'start' })).json()
    const name = await add()
    const json = await call({ since: _since.token })
    expect(json.json()).toMatchObject({ data: [{ item_sku: name }], removed: [] })
    expect(json.headers['x-record-count']).toBe('1')
    const csv = await call({ since: _since.token, format: 'csv' })
    const [row, ...more] = parse(csv.body, { columns: true }) as Row[]
    expect([Object.keys(row ?? {})[0], row?.['_change'], row?.['item_sku'], more]).toEqual([
      '_change',
      'upsert',
      name,
      [],
    ])
    expect(csv.headers['content-disposition']).toMatch(/changes_v\d+\.csv/)
    const { rawPayload } = await call({ since: _since.token, format: 'parquet' })
    const [typed, ...others] = await parquetReadObjects({ file: new Uint8Array(rawPayload).buffer })
    expect([Object.keys(typed ?? {})[0], typed?.['_change'], typed?.['item_sku'], others]).toEqual([
      ...['_change', 'upsert', name, []],
    ])
    expect((await call({ since: _since.token, format: 'xlsx' })).statusCode).toBe(200)
    for (const { headers } of [json, csv]) expect(headers['x-since-token']).toBe(json.json()._since.token)
  })

  it('that removes a record shows its key, in every format', async () => {
    const [report, request] = [byId('sales.invoices'), { ...RANGE }]
    await loadRows({ invoices: ['I8,SO1,2024-03-07 09:30:00,2024-04-07,20,2.4,22.4,22.4'] })
    const ask = (query: Record<string, string>) =>
      service.call({ path: report.path, body: request, query: { fields: 'all', ...query } })
    const { token } = (await ask({ since: 'start' })).json()._since
    await service.db`update invoice set status = status` // callers see no change without a new version
    await loadRows({ invoices: ['I8,SO1,2025-03-07 09:30:00,2025-04-07,20,2.4,22.4,22.4'] }) // out of the range
    const json = (await ask({ since: token })).json()
    const key = { invoice_date: json.removed[0].invoice_date, invoice_no: 'I8' }
    expect(json.removed).toEqual([key])
    expect(json.data).toEqual([])
    const [row] = parse((await ask({ since: token, format: 'csv' })).body, { columns: true }) as Row[]
    expect(row).toMatchObject({ _change: 'delete', ...key })
    const { rawPayload } = await ask({ since: token, format: 'parquet' })
    const [typed] = await parquetReadObjects({ file: new Uint8Array(rawPayload).buffer })
    expect(typed).toMatchObject({ _change: 'delete', invoice_no: 'I8' })
  })

  it('that a caller stored without its token is repaired by asking with the older token', async () => {
    const path = byId('sales.invoices').path
    const ask = async (since: string) => (await service.call({ path, body: RANGE, query: { since } })).json()
    const invoice = (no: string, day: string) =>
      loadRows({ invoices: [`${no},SO1,${day} 09:30:00,2024-04-07,20,2.4,22.4,22.4`] })
    await invoice('J1', '2024-05-01')
    const { _since } = await ask('start')
    await invoice('J1', '2024-05-02')
    await invoice('J2', '2024-05-03')
    expect((await ask(_since.token)).data.map((one: Row) => one['invoice_no'])).toEqual(['J1', 'J2']) // the caller crashes before it stores the token
    await invoice('J1', '2024-05-01')
    await invoice('J2', '2025-05-03') // out of the range
    const { data, removed } = await ask(_since.token)
    expect(data).toMatchObject([{ invoice_no: 'J1', invoice_date: '2024-05-01 09:30:00' }])
    expect(removed.map((key: Row) => [key['invoice_no'], String(key['invoice_date']).slice(0, 10)]).sort()).toEqual([
      ['J1', '2024-05-02'],
      ['J2', '2024-05-03'],
    ])
  })

  it('leaves ETags valid: 304 for a repeated since=start, and another ETag without since', async () => {
    const { headers } = await call({ since: 'start' })
    const again = await call({ since: 'start' }, { headers: { 'if-none-match': String(headers['etag']) } })
    expect(again.statusCode).toBe(304)
    const plain = await call({})
    expect(plain.headers['etag']).not.toBe(headers['etag'])
    expect(plain.headers['x-since-token']).toBeUndefined()
  })
})

const material = (sku: string) => `${sku},Rennet,MAT,RAW,KG,`
const byId = (id: string) => reports.find((report) => report.id === id) as Report

describe('tokens', () => {
  const call = (since: string, query: Record<string, string> = {}) =>
    service.call({ path: MATERIALS, query: { since, ...query } })
  const newToken = async () => (await call('start')).json()._since.token as string

  it('that are no longer stored get 410 and a link that starts again', async () => {
    const unknown = '0123456789abcdef'.repeat(2)
    const response = await call(unknown, { format: 'csv' })
    expect(response.statusCode).toBe(410)
    const link = /^<(.*)>; rel="first"$/.exec(String(response.headers['link']))?.[1] as string
    expect(response.json().detail).toContain(link)
    const url = new URL(link)
    expect([url.pathname, Object.fromEntries(url.searchParams)]).toEqual([MATERIALS, { since: 'start', format: 'csv' }])
  })

  it('expire with their stored keys 35 days after their last use; tokens in use stay', async () => {
    const old = await newToken()
    await loadRows({ items: [material('OLD-SHED')] })
    const used = await newToken()
    await service.db`update feed_step set used_at = now() - interval '35 days' where token = ${old}`
    await service.db`update feed_step set used_at = now() - interval '34 days' where token = ${used}`
    // Another process has no token in memory.
    const app = await buildApp({ ...OPTIONS, database: service.database })
    const ask = (since: string) => callOf(app)({ path: MATERIALS, query: { since } })
    expect((await ask(old)).statusCode).toBe(410)
    expect((await ask(used)).statusCode).toBe(200)
    await loadRows({ items: [material('NEWER-SHED')] })
    expect((await ask(used)).json().data).toHaveLength(1)
    expect(await service.db`select from feed_step where token = ${old}`).toHaveLength(0)
    expect(
      await service.db`select from feed_step where token = ${used} and used_at > now() - interval '1 minute'`,
    ).toHaveLength(1)
    await app.close()
  })

  it('of two requests with the same records are not mixed up', async () => {
    const path = byId('sales.sales-orders').path
    for (const method of ['month', 'day']) {
      const { _since } = (await service.call({ path, query: { ...RANGE, method, since: 'start' } })).json()
      const { statusCode } = await service.call({ path, query: { ...RANGE, method, since: _since.token } })
      expect([method, statusCode]).toEqual([method, 200])
    }
  })

  it('belong to a report, its parameters and the rights of the caller', async () => {
    const token = await newToken()
    const other = await service.call({ path: '/v1/inventory/finished-goods', query: { since: token } })
    expect([other.statusCode, other.json().errors?.[0]?.field]).toEqual([422, 'since'])
    const { token: hiding } = await service.newCaller({ hideContacts: true })
    const hidden = await service.call({ path: MATERIALS, query: { since: token }, token: hiding })
    expect(hidden.statusCode).toBe(422)
    for (const wrong of ['', 'now', token.slice(1), `${token}0`]) expect((await call(wrong)).statusCode).toBe(422)
  })

  it('are removed above the limit of records, least recently used first; a larger report is refused', async () => {
    const [first] = [await newToken()]
    const app = await buildApp({ ...OPTIONS, database: service.database, changesRecords: 40 })
    const ask = (path: string, query: object, body?: object) =>
      callOf(app)({ path, query: query as Record<string, string>, ...(body && { body }) })
    await service.db`update feed_step set used_at = now() - interval '2 days'`
    const path = '/v1/warehouse/warehouse-list'
    await loadRows({ warehouses: [`${KEY.replaceAll('0', 'e')},Shed`] })
    const { _since } = (await ask(path, { since: 'start' })).json()
    const [sum] = await service.db<{ rows: number }[]>`select sum(row_count)::int as rows from feed`
    const [rows] = await service.db<{ rows: number }[]>`select count(*)::int as rows from feed_record`
    expect(sum).toEqual(rows)
    expect(rows?.rows).toBeLessThanOrEqual(40)
    expect((await ask(path, { since: _since.token })).statusCode).toBe(200)
    await app.close()
    const small = await buildApp({ ...OPTIONS, database: service.database, changesRecords: 1 })
    await loadRows({ items: [material('LAST-SHED')] })
    const refused = await callOf(small)({ path: MATERIALS, query: { since: 'start' } })
    expect([refused.statusCode, refused.json().errors?.[0]?.field]).toEqual([422, 'since'])
    await small.close()
    expect(first).toMatch(/^[0-9a-f]{32}$/)
  })
})

it('every column of a key is shown, and none is contact data', () => {
  for (const report of reports)
    for (const [name, shape] of keyed(report).shapes) {
      const columns = columnsOf(shape)
      for (const { column, path } of keyOf(shape)) {
        expect(path, `${report.id} ${name} ${column}`).toHaveLength(1)
        expect(columns.find((found) => found.name === path?.[0])).toMatchObject({ contact: false })
      }
    }
})
