/** `?sort=`, `?filter=`, `?search=` and `?totals=` give the same records as sorting, filtering and adding up the report's JSON. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Column, columnsOf } from '../../src/kernel/report/columns.js'
import { readParams } from '../../src/kernel/report/params.js'
import type { Report } from '../../src/kernel/report/report.js'
import { reports } from '../../src/reports/index.js'
import { closeExample } from '../../src/surfaces/docs/examples.js'
import { type Leaf, type Row, totals, type View, view } from '../oracle/view.js'
import { openSample } from '../setup/database.js'
import { choice, filterFrom, partOf, pick, queryOf, sortFrom, valueFrom } from '../setup/random-view.js'
import { requestsFor } from '../setup/requests.js'
import { type Request, type Service, startService } from '../setup/service.js'
import { inLongTier, long, runs, someOf } from '../setup/tier.js'

const RANGE = { from_date: '2026-05-20', to_date: '2026-06-30' }
const INVOICES = '/v1/sales/invoices'
const MATERIALS = '/v1/inventory/material'
const ORDERS = { path: '/v1/sales-orders', body: { method: 'month', ...RANGE } }

let service: Service
/** A token without a limit on its rate. */
let token: string
/** A token of a client that must not see contact data. */
let blind: string
beforeAll(async () => {
  service = await startService({}, await openSample({ today: RANGE.to_date, scale: 0.2, months: 3 }))
  await closeExample(service.database)
  token = (await service.newCaller({ rate: 1_000_000_000 })).token
  blind = (await service.newCaller({ rate: 1_000_000_000, hideContacts: true })).token
  const [found] = await service.db<Record<string, string>[]>`
    select (select min(batch_no) from stock_movement where batch_no <> '') as batch_no,
           (select min(order_no) from sales_order) as order_no, (select min(po_no) from purchase_order) as pono`
  Object.assign(numbers, found)
})
/** Numbers of documents in this sample. */
const numbers: Record<string, string> = {}
const withNumbers = (request: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(request).map(([name, value]) => [name, numbers[name] ?? value]))

afterAll(() => service.close())

const ask = (request: Request) => service.call({ token, ...request })

async function rowsOf(request: Request): Promise<Row[]> {
  const response = await ask({ ...request, query: { 'per-page': 5000, fields: 'all', ...request.query } })
  expect([response.statusCode, response.statusCode === 200 ? '' : response.body]).toEqual([200, ''])
  expect(response.headers['x-complete']).toBe('true')
  return response.json().data
}

/** The errors of a refused request. */
async function errorsOf(request: Request): Promise<string[]> {
  const response = await ask(request)
  expect([response.statusCode, request.query]).toEqual([422, request.query])
  return response.json().errors.map(({ field, message }: { field: string; message: string }) => `${field} ${message}`)
}

function shapeFor(report: Report, request: Record<string, unknown>) {
  const read = readParams(report.request, request)
  if ('errors' in read) throw new Error(JSON.stringify(read.errors))
  return report.shapeFor(read.values)
}

const leavesOf = (columns: readonly Column[], around: readonly string[] = []): Leaf[] =>
  columns.flatMap((column) => {
    const path = [...around, column.name]
    if (column.kind === 'nested') return leavesOf(column.columns, path)
    return column.kind === 'lines' || column.kind === 'list' || column.kind === 'object' ? [] : [{ ...column, path }]
  })

/** Every report and variant. */
const asked = reports.flatMap((report) => {
  const requests = requestsFor(report, RANGE).filter((request) => !((report.perPageFrom ?? '') in request))
  const shapes = new Map(requests.toReversed().map((request) => [shapeFor(report, request), request]))
  return [...shapes].map(([shape, request]) => ({
    ...{ report, request, cancelled: shape.cancelled, leaves: leavesOf(columnsOf(shape)) },
    name: `${report.id} ${Object.values(request).join(' ')}`,
  }))
})

const anyView = fc.record({
  sort: fc.uniqueArray(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 3 }),
  filters: fc.array(fc.tuple(choice, choice), { maxLength: 2 }),
  words: fc.array(choice, { maxLength: 2 }),
  isBlind: fc.boolean(),
})

describe('a view equals the same view computed from the JSON', () => {
  it.each(someOf(asked, 5))('$name', async ({ report: { path }, request, cancelled, leaves }) => {
    const body = withNumbers(request)
    const whole = { seen: await rowsOf({ path, body }), blind: await rowsOf({ path, body, token: blind }) }
    expect(whole.seen.length).toBeGreaterThan(0)
    await fc.assert(
      fc.asyncProperty(anyView, async ({ sort, filters, words, isBlind }) => {
        const [by, rows] = isBlind ? [blind, whole.blind] : [token, whole.seen]
        const texts = leaves.filter(({ kind }) => ['text', 'word', 'date'].includes(kind))
        const wanted: View = {
          sort: sortFrom(leaves, sort),
          filters: filters.flatMap(([one, other]) => filterFrom(leaves, rows, one, other) ?? []),
          words: words
            .flatMap((one) => partOf(valueFrom(pick(texts, one.field), rows, one), one).split(/\s+/))
            .filter(Boolean),
        }
        const query = queryOf(wanted)
        const expected = view(rows, leaves, wanted)
        expect(await rowsOf({ path, body, query, token: by })).toEqual(expected)
        const { sort: _, ...which } = query
        const sums = await ask({ path, body, query: { ...which, totals: 'yes' }, token: by })
        const filtered = wanted.filters.map(({ leaf }) => leaf.path.join('_'))
        expect(sums.json()).toEqual({ data: [totals(expected, leaves, { cancelled, filtered })] })
      }),
      { numRuns: runs(1, 30), endOnFailure: true },
    )
  })
})

inLongTier('sorts by every field, up and down', async () => {
  for (const { report, request: body, leaves } of someOf(asked, 9)) {
    const { path } = report
    const rows = await rowsOf({ path, body })
    for (const [i, leaf] of leaves.entries()) {
      if (!long && i % 16 !== 0) continue
      const sort = [{ leaf, descending: i % 32 === 0 }]
      const wanted = { sort, filters: [], words: [] }
      expect(await rowsOf({ path, body, query: queryOf(wanted) }), leaf.path.join()).toEqual(view(rows, leaves, wanted))
    }
  }
})

it('an absent value matches = and ~ with its marker or an empty text, never < or >, and sorts last', async () => {
  const path = '/v1/sales/order-status'
  const body = { version: 'WR', ...RANGE }
  const rows = await rowsOf({ path, body })
  const [absent, issued] = [true, false].map((isAbsent) =>
    rows.filter(({ last_issue_date }) => (last_issue_date === 'Not Issued') === isAbsent),
  ) as [Row[], Row[]]
  expect(Math.min(absent.length, issued.length)).toBeGreaterThan(5)
  const found = (filter: string) => rowsOf({ path, body, query: { filter } })
  for (const filter of ['=Not Issued', '=', '~not iss', '!~2026'])
    expect(await found(`last_issue_date${filter}`), filter).toEqual(absent)
  for (const filter of ['!=Not Issued', '!=', '!~NOT', '>=0001-01-01', '<9999-12-31'])
    expect(await found(`last_issue_date${filter}`), filter).toEqual(issued)
  for (const sort of ['last_issue_date', '-last_issue_date'])
    expect((await rowsOf({ path, body, query: { sort } })).slice(issued.length)).toEqual(absent)
})

it('totals have the declared schema and are one record in every format, for any requested page', async () => {
  const document = (await ask({ path: '/openapi.json' })).json()
  const schemas = Object.entries(document.components.schemas).filter(([name]) => name.endsWith('TotalsRecord'))
  expect(schemas.length).toBe(asked.length)
  const ajv = new Ajv2020({ strict: false })
  ajv.addSchema({ components: document.components }, 'openapi')
  const checks = schemas.map(([name]) => ajv.compile({ $ref: `openapi#/components/schemas/${name}` }))
  for (const { report, request: body } of asked) {
    const response = await ask({ path: report.path, body, query: { totals: 'yes', page: 7, 'per-page': 1 } })
    expect([report.id, Object.keys(response.json())]).toEqual([report.id, ['data']])
    const [record] = response.json().data
    expect(
      checks.some((check) => check(record)),
      report.id,
    ).toBe(true)
  }
  const query = { totals: 'yes', filter: ['invoice_status!=Cancelled'] }
  const [sums] = (await ask({ path: INVOICES, body: RANGE, query })).json().data
  const csv = await ask({ path: INVOICES, body: RANGE, query: { ...query, format: 'csv' } })
  expect(csv.headers['content-disposition']).toMatch(/sales-invoices_2026-05-20_2026-06-30_totals_v\d+\.csv/)
  expect(parse(csv.body, { columns: true })).toEqual([
    Object.fromEntries(Object.entries(sums).map(([name, value]) => [name, String(value)])),
  ])
  const ndjson = await ask({ path: INVOICES, body: RANGE, query: { ...query, format: 'ndjson' } })
  expect(JSON.parse(ndjson.body)).toEqual(sums)
})

it('totals leave cancelled documents out of every figure', async () => {
  await changed(
    `update work_order set status = 'Cancelled' where work_order_no = (select min(work_order_no) from work_order)`,
  )
  for (const { report, request: body, cancelled, leaves } of asked) {
    if (cancelled === undefined) continue
    const { path } = report
    const rows = await rowsOf({ path, body })
    expect(
      rows.map((row) => row[cancelled.field]),
      path,
    ).toContain(cancelled.is)
    const { data } = (await ask({ path, body, query: { totals: 'yes' } })).json()
    expect(data, path).toEqual([totals(rows, leaves, { cancelled })])
  }
})

it('totals have no sum in a unit in which no record has a quantity', async () => {
  await changed(`insert into item (sku, name, type, unit) values ('NEVER-MOVED', 'Crate', 'FG', 'CRATE')`)
  const [path, body] = ['/v1/partner/material-master', { item_type: 'FG' }]
  const { data } = (await ask({ path, body, query: { totals: 'yes', filter: 'uom=CRATE' } })).json()
  expect(data).toEqual([{ rows: 1, inStockQuantity: '0.0000', _by_unit: [] }])
})

describe('pages of a view', () => {
  const query = {
    sort: '-sub_total,customer_name',
    filter: ['sub_total>10', 'customer_name~a|e'],
    search: '2026',
    fields: 'all',
  }

  it('concatenate to the whole; their links carry the view', async () => {
    const whole = await rowsOf({ path: INVOICES, body: RANGE, query })
    expect(whole.length).toBeGreaterThan(20)
    const all: Row[] = []
    let asking: Record<string, string | readonly string[]> = { ...query, page: '1', 'per-page': '7' }
    while (true) {
      const response = await ask({ path: INVOICES, body: RANGE, query: asking })
      const { data, _links, _meta } = response.json()
      expect(_meta.totalCount).toBe(whole.length)
      all.push(...data)
      if (_links.next === undefined) break
      const { searchParams } = new URL(_links.next.href)
      expect(['sort', 'filter', 'search', 'fields'].map((name) => searchParams.getAll(name))).toEqual(
        [query.sort, query.filter, query.search, query.fields].map((value) => [value].flat()),
      )
      asking = { ...Object.fromEntries(searchParams), filter: searchParams.getAll('filter') }
    }
    expect(all).toEqual(whole)
  })

  it('a link of a GET is complete', async () => {
    const { path, body } = ORDERS
    const view = { sort: '-customer.customer_name', filter: 'customer.billing.city!=', fields: 'all' }
    const params = { ...body, ...view, 'per-page': 5 }
    const first = (await ask({ path, query: params })).json()
    const second = await ask({
      path: new URL(first._links.next.href).pathname,
      query: searchOf(first._links.next.href),
    })
    const rows = await rowsOf({ path, query: { ...params, 'per-page': 5000 } })
    expect([...first.data, ...second.json().data]).toEqual(rows.slice(0, 10))
  })

  it('belong to one version during loads, and so do its totals', async () => {
    const sums = { filter: query.filter, search: query.search, totals: 'yes' }
    const whole = await rowsOf({ path: INVOICES, body: RANGE, query })
    const first = await ask({ path: INVOICES, body: RANGE, query: { ...query, 'per-page': 7 } })
    const total = await ask({ path: INVOICES, body: RANGE, query: sums })
    const version = first.headers['x-data-version']
    const [{ invoice_no }] = first.json().data
    await changed(`update invoice set sub_total = 11 where invoice_no = '${invoice_no}'`)
    const next = searchOf(first.json()._links.next.href)
    const second = await ask({ path: INVOICES, body: RANGE, query: next })
    expect(second.json().data).toEqual(whole.slice(7, 14))
    const pinned = await ask({ path: INVOICES, body: RANGE, query: { ...sums, snapshot: next['snapshot'] as string } })
    expect(pinned.json()).toEqual(total.json())
    expect([second, pinned].map(({ headers }) => headers['x-data-version'])).toEqual([version, version])
    const now = await ask({ path: INVOICES, body: RANGE, query: { ...query, 'per-page': 7 } })
    expect(Number(now.headers['x-data-version'])).toBe(Number(version) + 1)
    expect(now.json().data[0].invoice_no).not.toBe(invoice_no)
    expect((await ask({ path: INVOICES, body: RANGE, query: sums })).json()).not.toEqual(total.json())
    const never = { ...sums, search: 'never', snapshot: next['snapshot'] as string }
    expect((await ask({ path: INVOICES, body: RANGE, query: never })).statusCode).toBe(410)
  })
})

const searchOf = (href: string): Record<string, string | readonly string[]> => {
  const { searchParams } = new URL(href)
  return { ...Object.fromEntries(searchParams), filter: searchParams.getAll('filter') }
}

const changed = async (...statements: string[]) => {
  for (const statement of statements) await service.db.unsafe(statement)
  await service.db`update data_version set version = version + 1, committed_at = clock_timestamp()`
}

it('every format has the records of the view in its order, and a file name that says so', async () => {
  const query = { sort: '-total_amt', filter: ['total_amt>100'] }
  const rows = await rowsOf({ path: INVOICES, body: RANGE, query })
  const numbers = rows.map(({ invoice_no }) => invoice_no)
  const fetched = (format: string) =>
    ask({ path: INVOICES, body: RANGE, query: { ...query, format, ...(format === 'csv' && { lines: 'no' }) } })
  const [csv, ndjson, parquet, xlsx] = await Promise.all(['csv', 'ndjson', 'parquet', 'xlsx'].map(fetched))
  expect(csv?.headers['content-disposition']).toContain('_view_v')
  expect((parse(csv?.body ?? '', { columns: true }) as Row[]).map(({ invoice_no }) => invoice_no)).toEqual(numbers)
  expect(
    ndjson?.body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(rows)
  const bytes = parquet?.rawPayload ?? Buffer.alloc(0)
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer
  expect((await parquetReadObjects({ file })).map(({ invoice_no }) => invoice_no)).toEqual(numbers)
  const about = parquetMetadata(file).key_value_metadata?.find(({ key }) => key === 'millbook.parameters')
  expect(JSON.parse(about?.value ?? '')).toEqual({ ...RANGE, ...query })
  expect(xlsx?.statusCode).toBe(200)
})

it('every view has its own ETag, and gives 304 for it', async () => {
  const tagOf = async (query: Record<string, string>) => String((await ask({ path: MATERIALS, query })).headers['etag'])
  const queries = [
    {},
    { sort: 'item_name' },
    { sort: '-item_name' },
    { filter: 'item_name~a' },
    { search: 'a' },
    { totals: 'yes' },
  ]
  const tags = await Promise.all(queries.map(tagOf as (query: object) => Promise<string>))
  expect(new Set(tags).size).toBe(queries.length)
  for (const [i, query] of queries.entries())
    expect(
      (
        await ask({
          path: MATERIALS,
          query: query as Record<string, string>,
          headers: { 'if-none-match': tags[i] as string },
        })
      ).statusCode,
    ).toBe(304)
  expect(await tagOf({ sort: '', filter: '', search: ' ', totals: 'no' }), 'empty view parameters').toBe(tags[0])
})

it('filters and searches take hostile texts literally, not as a pattern or SQL', async () => {
  const texts = [
    ...["O'Brien's", `"quoted"`, '100%', 'a_b', 'back\\slash', 'a|b', '🍚 rice', "'; drop table item; --", '$1 $$ {x}'],
    ...[
      '.*',
      '[a-z]+',
      '(?i)x',
      '***=y',
      '^start$',
      '{2}',
      '\\d',
      '\\',
      'ÄÖÜ straße ÇAĞ',
      'Σίγμα ς',
      'हल्दी',
      '\u00a0 wide',
      'a\tb',
      '<b>&amp;',
    ],
  ]
  const items = await rowsOf({ path: MATERIALS })
  expect(items.length).toBeGreaterThan(texts.length)
  const skus = texts.map((_text, i) => String(items[i]?.['item_sku']))
  for (const [i, text] of texts.entries())
    await service.db`update item set name = ${text} where sku = ${skus[i] as string}`
  await changed()
  const rows = await rowsOf({ path: MATERIALS })
  const leaf: Leaf = { path: ['item_name'], kind: 'text', additive: false }
  const leaves = leavesOf(columnsOf(shapeFor(reports.find(({ path }) => path === MATERIALS) as Report, {})))
  for (const [i, text] of texts.entries()) {
    for (const operator of ['=', '~', '!~', '<', '>=']) {
      const wanted: View = { sort: [], filters: [{ leaf, operator, values: [text] }], words: [] }
      const found = await rowsOf({ path: MATERIALS, query: queryOf(wanted) })
      expect(found, `${operator}${text}`).toEqual(view(rows, leaves, wanted))
      if (operator === '=' || operator === '~') expect(found.map(({ item_sku }) => item_sku)).toContain(skus[i])
    }
    const flipped = { sort: [], filters: [], words: text.toUpperCase().split(/\s+/).filter(Boolean) }
    const found = await rowsOf({ path: MATERIALS, query: queryOf(flipped) })
    expect(found, `search ${text}`).toEqual(view(rows, leaves, flipped))
    if (text.toUpperCase().length === text.length) expect(found.map(({ item_sku }) => item_sku)).toContain(skus[i])
  }
})

describe('contact data', () => {
  const PHONE = '5550100777'
  const contacts = [
    { ...ORDERS, field: 'customer.billing.phone' },
    { ...ORDERS, field: 'seller.phone' },
    { path: '/v1/purchase-orders/list', body: RANGE, field: 'vendor.phone' },
  ]
  const found = async (request: Request, by: string) => (await rowsOf({ ...request, token: by })).length

  it('cannot be filtered, searched or sorted by a client that must not see it', async () => {
    await changed(
      `update customer set billing_phone = '${PHONE}' where code = (select min(customer_code) from sales_order where order_date > '2026-06-01')`,
      `update vendor set phone = '${PHONE}' where code = (select min(vendor_code) from purchase_order where po_date > '2026-06-01')`,
      `update account set phone = '${PHONE}'`,
    )
    for (const { path, body, field } of contacts) {
      const all = await rowsOf({ path, body, token: blind })
      for (const filter of [`${field}=${PHONE}`, `${field}~${PHONE.slice(3)}`, `${field}>0`, `${field}!=`]) {
        expect(await found({ path, body, query: { filter } }, token), filter).toBeGreaterThan(0)
        expect(await found({ path, body, query: { filter } }, blind), filter).toBe(0)
      }
      const query = { filter: `${field}=${PHONE}`, totals: 'yes' }
      expect((await ask({ path, body, query, token: blind })).json().data[0].rows).toBe(0)
      expect(await found({ path, body, query: { search: PHONE } }, token)).toBeGreaterThan(0)
      expect(await found({ path, body, query: { search: PHONE } }, blind)).toBe(0)
      for (const sort of [field, `-${field}`])
        expect(await rowsOf({ path, body, query: { sort }, token: blind })).toEqual(all)
    }
    const { path, body, field } = contacts[0] as (typeof contacts)[0]
    expect(await rowsOf({ path, body, query: { sort: `-${field}` } }), 'other clients can sort by it').not.toEqual(
      await rowsOf({ path, body }),
    )
  })
})

describe('contact data in groups', () => {
  it('cannot be grouped, measured, compared or sorted by a client that must not see it', async () => {
    const { path, body } = ORDERS
    const field = 'customer.billing.phone'
    const inGroups = async (query: Record<string, string | readonly string[]>, by: string) => {
      const response = await ask({ path, body, query: { ...query, 'per-page': 5000 }, token: by })
      expect([response.statusCode, response.statusCode === 200 ? '' : response.body]).toEqual([200, ''])
      return response
    }
    const by = { group: field, measures: 'rows' }
    const figures = { group: 'warehouse', measures: `min(${field}),max(${field}),distinct(${field}),count(${field})` }
    const views: Record<string, string | readonly string[]>[] = [by, figures].flatMap((view) => [
      view,
      { ...view, sort: '-rows' },
      { ...view, having: 'rows>0' },
      { ...view, compare: 'year' },
      { ...view, compare: 'previous', sort: 'rows', having: 'rows>=0' },
    ])
    const digits = /\d{7}/
    for (const view of views) {
      expect((await inGroups(view, token)).body, JSON.stringify(view)).toMatch(digits)
      const { data } = (await inGroups(view, blind)).json()
      expect(JSON.stringify(data), JSON.stringify(view)).not.toMatch(digits)
      if (view['group'] === field) expect(data).toHaveLength(1)
      for (const format of ['csv', 'ndjson'])
        expect(
          (await inGroups({ ...view, format, fields: view['group'] === field ? field : 'all' }, blind)).body,
        ).not.toMatch(digits)
    }
    const [{ customer } = { customer: {} }] = (await inGroups({ ...figures, sort: 'rows' }, blind)).json().data
    expect(customer).toEqual({
      billing: { ...{ phone_min: '', phone_max: '', phone_distinct: 1 }, phone_count: expect.any(Number) },
    })
    for (const having of [`${field}_max>0`, `${field}_distinct>1`])
      expect((await inGroups({ ...figures, having }, blind)).json().data).toEqual([])
  })
})

it('a filter that compares a time with a day covers the whole day', async () => {
  const invoices = { path: INVOICES, body: RANGE }
  const rows = await rowsOf(invoices)
  const dayOf = (row: Row) => String(row['invoice_date']).slice(0, 10)
  const day = dayOf(rows[Math.floor(rows.length / 2)] as Row)
  const holds: Record<string, (other: string) => boolean> = {
    '=': (other) => other === day,
    '!=': (other) => other !== day,
    '<': (other) => other < day,
    '<=': (other) => other <= day,
    '>': (other) => other > day,
    '>=': (other) => other >= day,
  }
  for (const [operator, test] of Object.entries(holds)) {
    const expected = rows.filter((row) => test(dayOf(row)))
    expect(expected.length, operator).toBeGreaterThan(0)
    expect(await rowsOf({ ...invoices, query: { filter: `invoice_date${operator}${day}` } }), operator).toEqual(
      expected,
    )
  }
})

it('a filter compares a number or a date with another field by @', async () => {
  const [path, body] = ['/v1/partner/material-master', { item_type: 'MAT' }]
  const rows = await rowsOf({ path, body })
  const isUnder = (row: Row) =>
    row['inStockQuantity'] !== null && Number(row['inStockQuantity']) < Number(row['reorder_level'])
  const found = await rowsOf({ path, body, query: { filter: 'inStockQuantity<@reorder_level' } })
  expect(found.length).toBeGreaterThan(0)
  expect(found).toEqual(rows.filter(isUnder))
  const differ = await rowsOf({ path, body, query: { filter: 'inStockQuantity!=@reorder_level' } })
  expect(differ).toEqual(rows.filter((row) => row['inStockQuantity'] !== row['reorder_level']))
  expect(await errorsOf({ path, body, query: { filter: 'inStockQuantity<@uom' } })).toEqual([
    'filter must compare inStockQuantity with a field of the same kind, not "@uom"',
  ])
  expect(await errorsOf({ path, body, query: { filter: 'inStockQuantity<@nothing' } })).toHaveLength(1)
})

describe('a wrong view is refused with the name of its parameter:', () => {
  const wrong = [
    [{ sort: 'totl_amt' }, /^sort names "totl_amt", which is not a field of this report \(did you mean total_amt\?\)$/],
    [{ sort: 'items.qty' }, /^sort names "items.qty", which has several values in one record/],
    [{ filter: 'items=1' }, /^filter names "items", which has several values in one record/],
    [{ sort: 'total_amt,-total_amt' }, /^sort names total_amt twice$/],
    [{ sort: 'total_amt,' }, /^sort names "", which is not a field/],
    [
      { sort: 'sub_total,total_tax,total_amt,round_amt,final_amt,invoice_no' },
      /^sort must be at most 5 fields, not 6$/,
    ],
    [{ filter: '__proto__=1' }, /^filter names "__proto__", which is not a field/],
    [
      { filter: 'invoice_no' },
      /^filter must be a field, one of .* and a value, such as "warehouse=Pune", not "invoice_no"$/,
    ],
    [{ filter: '=1' }, /^filter must be a field/],
    [{ filter: 'total_amt=many' }, /^filter must compare total_amt with a number such as -12.5, not "many"$/],
    [{ filter: 'total_amt<' }, /^filter must compare total_amt with a number such as -12.5, not ""$/],
    [{ filter: 'total_amt<1|2' }, /^filter must compare total_amt by < with one value, not with several$/],
    [{ filter: 'total_amt=1e5' }, /with a number/],
    [
      { filter: 'due_date>2026-02-30' },
      /^filter must compare due_date with a calendar date as YYYY-MM-DD, not "2026-02-30"$/,
    ],
    [
      { filter: 'invoice_date>yesterday' },
      /^filter must compare invoice_date with a day as YYYY-MM-DD, or a time as YYYY-MM-DD HH:MM:SS/,
    ],
    [{ filter: 'invoice_status=Canceled' }, /^filter must compare invoice_status with one of .*Cancelled/],
    [{ filter: 'invoice_no~' }, /^filter must compare invoice_no with some text, not ""$/],
    [{ filter: 'invoice_no=a\0b' }, /^filter must be at most 20 conditions of at most 500 characters/],
    [{ search: 'a\0b' }, /^search must be text of at most 200 characters/],
    [{ sort: '\0' }, /^sort must be text of at most 500 characters/],
    [{ search: 'a '.repeat(11) }, /^search must be at most 10 words, not 11$/],
    [{ search: 'a'.repeat(201) }, /^search must be text of at most 200 characters/],
    [{ filter: Array.from({ length: 21 }, () => 'total_amt>1') }, /^filter must be at most 20 conditions/],
    [{ filter: `invoice_no=${'x'.repeat(500)}` }, /^filter must be at most 20 conditions of at most 500 characters/],
    [{ sort: ['total_amt', 'invoice_no'] }, /^sort must be text/],
    [{ totals: 'maybe' }, /^totals must be one of no, yes, not "maybe"$/],
    [{ totals: 'yes', sort: 'total_amt' }, /^sort must be left out with totals/],
    [
      { since: 'start', sort: 'total_amt' },
      /^since must be left out with sort, filter, search, totals, group and compare/,
    ],
    [{ since: 'start', totals: 'yes' }, /^since must be left out/],
  ] as const
  it.each(wrong.map(([query, message]) => ({ query, message })))('$message', async ({ query, message }) => {
    const errors = await errorsOf({ path: INVOICES, body: RANGE, query: query as NonNullable<Request['query']> })
    expect(errors).toEqual([expect.stringMatching(message)])
  })

  it('several errors at once, of objects and flags too', async () => {
    const query = {
      sort: 'vendr',
      filter: [
        'billing=x',
        'approval.required=true|false', // the one without an error
        'approval.required=yes',
        'approval.required>true',
        'approval.workflow.groups.status=Approved',
        'poid=1.5|x',
      ],
    }
    expect(await errorsOf({ path: '/v1/purchase-orders/list', query })).toEqual([
      'filter names "billing", which is an object; name a field of it, such as billing.buyer',
      'filter must compare approval.required with true or false, not "yes"',
      'filter must compare approval.required by = or !=, not >',
      expect.stringContaining('filter names "approval.workflow.groups.status", which has several values'),
      'filter must compare poid with a number such as -12.5, not "x"',
      expect.stringContaining('sort names "vendr", which is not a field'),
    ])
  })

  it('a view parameter in the body', async () => {
    expect(await errorsOf({ path: INVOICES, body: { ...RANGE, sort: 'total_amt' } })).toEqual([
      'sort belongs in the query string, not in the body',
    ])
  })
})
