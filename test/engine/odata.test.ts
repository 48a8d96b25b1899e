/** OData: every set has the records of its report, typed; walks over pages keep their version; callers see what they may. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAppPassword } from '../../src/access/app-passwords.js'
import { listsIn, tableName, usualParams } from '../../src/kernel/report/flat.js'
import type { Report } from '../../src/kernel/report/report.js'
import { reports } from '../../src/reports/index.js'
import { openSample } from '../setup/database.js'
import { type EdmEntity, type EdmProperty, entitiesIn, flatRecords, literalOf, setsIn } from '../setup/odata.js'
import { someRequestsFor } from '../setup/requests.js'
import { type Caller, type Service, startService } from '../setup/service.js'

const TODAY = '2026-06-30'
const RANGE = { from_date: '2026-05-01', to_date: TODAY }
const EXACT = { accept: 'application/json;IEEE754Compatible=true' }
/** Of the sample's account, in Asia/Kolkata. */
const OFFSET = '+05:30'

let service: Service
let asha: Caller
let entities: Map<string, EdmEntity>
beforeAll(async () => {
  service = await startService({}, await openSample({ today: TODAY, scale: 0.1, months: 2 }))
  asha = await service.newCaller()
  entities = entitiesIn((await get('$metadata')).body)
})
afterAll(() => service.close())

const get = (
  path: string,
  { headers = {}, by = asha }: { headers?: Record<string, string>; by?: Caller | null } = {},
) =>
  service.app.inject({
    method: 'GET',
    url: `/odata/${path}`,
    headers: { ...(by && { authorization: `Bearer ${by.token}` }), ...headers },
  })
const query = (options: Record<string, string>): string =>
  Object.entries(options)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')

/** All pages of a set or a function. */
async function all(path: string, options: { headers?: Record<string, string>; by?: Caller } = {}) {
  const records: Record<string, unknown>[] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const response = await get(next, options)
    expect([path, response.statusCode, response.statusCode === 200 ? '' : response.body]).toEqual([path, 200, ''])
    records.push(...response.json().value)
    next = response.json()['@odata.nextLink']?.replace(/^.*?\/odata\//, '')
  }
  return records
}

const callOf = (report: Report, table: string, request: Record<string, unknown>): string => {
  const args = Object.entries(request)
    .filter(([name]) => name !== report.shapedBy && name !== report.perPageFrom)
    .map(([name, value]) => `${name}=${literalOf(value, report.request[name]?.type.kind as string)}`)
  return `ask_${table}(${encodeURIComponent(args.join(','))})`
}

describe('every report', () => {
  it.each(reports.map((report) => [report.id, report] as const))(
    '%s has its records, typed, under keys that are never null',
    async (_id, report) => {
      for (const request of someRequestsFor(report, RANGE, { vendor_code: ['V002'] })) {
        const body = Object.fromEntries(Object.entries(request).filter(([name]) => name !== report.perPageFrom))
        const by = report.shapedBy
        const shape = by === undefined ? '' : String(request[by] ?? report.request[by]?.byDefault)
        const query = { format: 'ndjson', fields: 'all' }
        const rest = await service.call({ path: report.path, body, token: asha.token, query })
        expect(rest.statusCode).toBe(200)
        const records = rest.body.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
        const base = tableName(report, shape)
        const lists = listsIn(report.shapes.get(shape)?.record ?? {}).map(({ name }) => name)
        for (const list of [undefined, ...lists]) {
          const table = list === undefined ? base : `${base}_${list}`
          const { key, properties } = entities.get(table) as EdmEntity
          const path = callOf(report, table, request)
          const got = await all(path, { headers: EXACT })
          const expected = flatRecords(report, shape, records, OFFSET, list)
          // REST does not show hidden keys.
          const shown = Object.keys(expected[0] ?? {})
          expect(got.map((record) => Object.fromEntries(shown.map((name) => [name, plainOf(record[name])])))).toEqual(
            expected,
          )
          const names = properties.map(({ name }) => name)
          const wrong = got.flatMap((record) => [
            ...(String(Object.keys(record)) === String(names) ? [] : [`${Object.keys(record)}`]),
            ...properties.flatMap((property) =>
              isTyped(record[property.name], property) ? [] : [`${property.name}: ${record[property.name]}`],
            ),
          ])
          expect([table, wrong]).toEqual([table, []])
          const keys = got.map((record) => JSON.stringify(key.map((name) => record[name])))
          expect([table, new Set(keys).size, keys.some((text) => /\bnull\b/.test(text))]).toEqual([
            table,
            got.length,
            false,
          ])
          // As JSON numbers, the same values.
          const numbers = properties.filter(({ type }) => /Decimal|Int64/.test(type)).map(({ name }) => name)
          const plain = (await get(path)).json().value as Record<string, unknown>[]
          const asNumber = (value: unknown) => (value === null ? null : Number(value))
          const take = (all: readonly Record<string, unknown>[], read: (value: unknown) => unknown) =>
            all.map((record) => numbers.map((name) => read(record[name])))
          expect(take(plain, (value) => value)).toEqual(take(got.slice(0, plain.length), asNumber))
          expect([table, (await get(`${path}/$count`)).body]).toEqual([table, String(expected.length)])
        }
      }
    },
  )

  it('has the set that its usual parameters mean', async () => {
    const day = (
      await service.db<{ today: string }[]>`
      select (now() at time zone time_zone)::date::text as today from account`
    )[0]?.today as string
    const sets = setsIn((await get('$metadata')).body)
    const listed = (await get('')).json().value.map(({ name }: { name: string }) => name)
    expect(sets.filter((name: string) => !name.startsWith('view_')).sort()).toEqual(listed.sort())
    let records = 0
    for (const report of reports)
      for (const [shape] of report.shapes) {
        const params = usualParams(report, shape, day)
        expect([report.id, sets.includes(tableName(report, shape))]).toEqual([report.id, params !== undefined])
        if (params === undefined) {
          expect((await get(tableName(report, shape))).statusCode).toBe(404)
          continue
        }
        const rest = await service.call({
          path: report.path,
          body: params,
          token: asha.token,
          query: { format: 'ndjson', fields: 'all' },
        })
        const got = await all(tableName(report, shape), { headers: EXACT })
        expect([report.id, got.length]).toEqual([report.id, rest.body.split('\n').filter(Boolean).length])
        records += got.length
      }
    expect(records).toBeGreaterThan(100)
  })
})

/** A column of a JSON object is its text. */
const plainOf = (value: unknown): unknown =>
  typeof value === 'string' && value.startsWith('{') ? JSON.parse(value) : value

const FORMS: Readonly<Record<string, RegExp>> = {
  'Edm.Int64': /^-?\d+$/,
  'Edm.Date': /^\d{4}-\d\d-\d\d$/,
  'Edm.DateTimeOffset': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/,
  'Edm.TimeOfDay': /^\d\d:\d\d:\d\d$/,
  'Edm.String': /^.*$/s,
}

function isTyped(value: unknown, { type, nullable, scale, precision }: EdmProperty): boolean {
  if (value === null) return nullable
  if (type === 'Edm.Boolean') return typeof value === 'boolean'
  if (typeof value !== 'string') return false
  if (type !== 'Edm.Decimal') return FORMS[type]?.test(value) === true
  const [, whole = '', digits = ''] = /^-?(\d+)(?:\.(\d+))?$/.exec(value) ?? []
  return whole !== '' && digits.length <= (scale ?? -1) && whole.length + digits.length <= (precision ?? 0)
}

describe('the protocol', () => {
  const POWER_QUERY = {
    accept:
      'application/json;odata.metadata=minimal;q=1.0,application/json;odata=minimalmetadata;q=0.9,application/atomsvc+xml;q=0.8,application/atom+xml;q=0.8,application/xml;q=0.7,text/plain;q=0.7',
    'odata-maxversion': '4.0',
    maxdataserviceversion: '3.0',
    'accept-encoding': 'gzip, deflate',
  }

  it('answers what Power Query sends, twice alike', async () => {
    const address = await service.app.listen({ port: 0, host: '127.0.0.1' })
    const fetched = async (path: string) => {
      const response = await fetch(`${address}/odata/${path}`, {
        headers: { ...POWER_QUERY, authorization: `Bearer ${asha.token}` },
      })
      return { response, text: await response.text() }
    }
    const root = await fetched('')
    expect(root.response.headers.get('content-type')).toBe('application/json;odata.metadata=minimal')
    expect(JSON.parse(root.text)['@odata.context']).toBe(`${address}/odata/$metadata`)
    const xml = await fetched('$metadata')
    expect(xml.response.headers.get('content-type')).toMatch(/^application\/xml/)
    const set = 'sales_customers?$select=code,name&$filter=startswith(code,%27C%27)&$top=1000'
    const [first, second] = [await fetched(set), await fetched(set)]
    expect(first.text).toBe(second.text)
    for (const { response } of [root, xml, first]) {
      expect(response.status).toBe(200)
      expect(response.headers.get('odata-version')).toBe('4.0') // two headers would be "4.0, 4.0"
    }
    const { value, ...about } = JSON.parse(first.text)
    expect(about).toEqual({ '@odata.context': `${address}/odata/$metadata#sales_customers(code,name)` })
    expect(Object.keys(value[0])).toEqual(['code', 'name'])
    expect(first.response.headers.get('content-type')).toBe('application/json;odata.metadata=minimal')
  })

  it('answers a GET that names the type of a body which it does not have, as Olingo sends it', async () => {
    for (const type of ['application/xml', 'application/json', 'text/plain'])
      expect((await get('$metadata', { headers: { 'content-type': type } })).statusCode).toBe(200)
  })

  it('has a context that fits what was asked', async () => {
    const contextOf = async (path: string, headers = {}) =>
      (await get(path, { headers })).json()['@odata.context']?.replace(/^.*\/odata\//, '')
    expect(await contextOf('sales_customers')).toBe('$metadata#sales_customers')
    expect(await contextOf('sales_customers?$select=*')).toBe('$metadata#sales_customers')
    expect(await contextOf("sales_customers('C00001')")).toBe('$metadata#sales_customers/$entity')
    expect(await contextOf("sales_customers(code='C00001')?$select=code")).toBe(
      '$metadata#sales_customers(code)/$entity',
    )
    expect(await contextOf('ask_sales_customers()?$select=code')).toBe(
      '$metadata#Collection(Millbook.sales_customers)(code)',
    )
    expect(await contextOf('sales_customers', { accept: 'application/json;odata.metadata=none' })).toBeUndefined()
  })

  it('filters, sorts, cuts and counts as the records say', async () => {
    const table = `ask_sales_invoices(${encodeURIComponent(`from_date=${RANGE.from_date},to_date=${RANGE.to_date}`)})`
    const whole = await all(table, { headers: EXACT })
    const numbers = (records: readonly Record<string, unknown>[]) => records.map(({ invoice_no }) => invoice_no)
    const expectFilter = async (filter: string, by: (record: Record<string, unknown>) => boolean, some = true) => {
      const found = await all(`${table}?${query({ $filter: filter })}`)
      expect([filter, numbers(found)]).toEqual([filter, numbers(whole.filter(by))])
      expect([filter, found.length > 0 && found.length < whole.length]).toEqual([filter, some])
      const count = await get(`${table}/$count?${query({ $filter: filter })}`)
      expect([count.headers['content-type'], count.body]).toEqual(['text/plain', String(found.length)])
    }
    const { customer_name = '', due_date = '' } = whole[3] as Record<string, string>
    const text = (value: unknown) => `'${String(value).replaceAll("'", "''")}'`
    const middle = [...whole].sort((a, b) => Number(a['total_amt']) - Number(b['total_amt']))[whole.length >> 1]?.[
      'total_amt'
    ]
    await expectFilter(`customer_name eq ${text(customer_name)}`, (r) => r['customer_name'] === customer_name)
    await expectFilter(`customer_name ne ${text(customer_name)}`, (r) => r['customer_name'] !== customer_name)
    await expectFilter(`contains(customer_name,'Sup')`, (r) => String(r['customer_name']).includes('Sup'))
    await expectFilter(`startswith(customer_name,'S')`, (r) => String(r['customer_name']).startsWith('S'))
    await expectFilter(`endswith(customer_name,'d')`, (r) => String(r['customer_name']).endsWith('d'))
    await expectFilter(`contains(customer_name,'sup')`, (r) => String(r['customer_name']).includes('sup'), false)
    await expectFilter(`total_amt gt ${middle}`, (r) => Number(r['total_amt']) > Number(middle))
    await expectFilter(`not (total_amt gt ${middle})`, (r) => Number(r['total_amt']) <= Number(middle))
    await expectFilter(`due_date le ${due_date}`, (r) => String(r['due_date']) <= due_date)
    await expectFilter('po_no eq null', (r) => r['po_no'] === null)
    await expectFilter('po_no ne null', (r) => r['po_no'] !== null)
    await expectFilter(
      "not contains(po_no,'/')",
      (r) => r['po_no'] !== null && !String(r['po_no']).includes('/'),
      false,
    )
    await expectFilter("not (po_no gt 'C00005')", (r) => r['po_no'] === null || String(r['po_no']) <= 'C00005')
    const noon = '2026-06-10T12:00:00+05:30'
    await expectFilter(`invoice_date ge ${noon}`, (r) => Date.parse(String(r['invoice_date'])) >= Date.parse(noon))
    await expectFilter(
      `(total_amt lt ${middle} or po_no ne null) and invoice_date lt ${noon}`,
      (r) =>
        (Number(r['total_amt']) < Number(middle) || r['po_no'] !== null) &&
        Date.parse(String(r['invoice_date'])) < Date.parse(noon),
    )
    await expectFilter(
      'order_date lt due_date',
      (r) => r['order_date'] !== null && String(r['order_date']) < String(r['due_date']),
      true,
    )

    const sorted = await all(`${table}?${query({ $orderby: 'po_no,total_amt desc', $select: 'invoice_no' })}`)
    const order = (a: Record<string, unknown>, b: Record<string, unknown>) => {
      const [x, y] = [a['po_no'] as string | null, b['po_no'] as string | null]
      if (x !== y) return x === null ? -1 : y === null ? 1 : x < y ? -1 : 1
      return Number(b['total_amt']) - Number(a['total_amt']) || whole.indexOf(a) - whole.indexOf(b)
    }
    expect(numbers(sorted)).toEqual(numbers([...whole].sort(order)))
    expect(sorted[0]).toEqual({ invoice_no: expect.any(String) })
    const last = await all(`${table}?${query({ $orderby: 'po_no desc', $select: 'po_no' })}`)
    expect(last.at(-1)).toEqual({ po_no: null })

    for (const [skip, top] of [
      [0, 3],
      [5, 4],
      [7, 1],
      [3, 10_000],
      [10_000, 3],
      [0, 0],
      [2, 7],
    ] as const) {
      const response = await get(`${table}?$skip=${skip}&$top=${top}&$count=true`)
      expect([skip, top, numbers(response.json().value)]).toEqual([skip, top, numbers(whole.slice(skip, skip + top))])
      expect(response.json()['@odata.count']).toBe(whole.length)
      expect(response.json()['@odata.nextLink']).toBeUndefined()
    }
    // Pages of any size are the whole.
    for (const [size, options] of [
      [7, ''],
      [10, '?$skip=3'],
      [4, '?$top=11&$skip=2'],
    ] as const) {
      const paged = await all(`${table}${options}`, { headers: { prefer: `odata.maxpagesize=${size}` } })
      const [skip, top] = options === '' ? [0, Infinity] : options === '?$skip=3' ? [3, Infinity] : [2, 11]
      expect([size, options, numbers(paged)]).toEqual([size, options, numbers(whole.slice(skip, skip + top))])
    }
    const exact = (await get(`${table}?$count=true&$top=1`, { headers: EXACT })).json()
    expect(exact['@odata.count']).toBe(String(whole.length))
  })

  it('finds a record by its key', async () => {
    const [first] = await all('inventory_item_stock?$top=1')
    const { sku, warehouse } = first as Record<string, string>
    const key = (text: string) => `inventory_item_stock(${encodeURIComponent(text)})`
    const found = await get(key(`sku='${sku}',warehouse='${warehouse}'`))
    const { '@odata.context': _, ...record } = found.json()
    expect(record).toEqual(first)
    expect((await get(key(`sku='${sku}',warehouse='nowhere'`))).statusCode).toBe(404)
    for (const wrong of [`'${sku}'`, `sku='${sku}'`, `sku='${sku}',other='x'`, `sku=1,warehouse='${warehouse}'`])
      expect([wrong, (await get(key(wrong))).statusCode]).toEqual([wrong, 400])
  })

  it.each([
    [400, 'sales_customers?$filter=code%20eq'],
    [400, 'sales_customers?$filter=nothing%20eq%201'],
    [400, 'sales_customers?$orderby=nothing'],
    [400, 'sales_customers?$select=nothing'],
    [400, 'sales_customers?top=5'],
    [400, 'sales_customers?$skiptoken=x'],
    [400, 'ask_sales_invoices()'],
    [400, 'ask_sales_invoices(from_date=2026-06-30,to_date=2026-06-01)'],
    [400, "ask_sales_invoices(from_date='2026-06-01',to_date=2026-06-30)"],
    [400, 'ask_sales_invoices(from_date=2026-06-01,to_date=2026-06-30,nothing=1)'],
    [400, "ask_inventory_item_stock(date=2026-06-30,sku='a',sku='b')"],
    [404, 'nothing'],
    [404, 'sales_customers/nothing'],
    [404, 'sales_order_story'],
    [404, 'view_nothing'],
    [406, '$metadata?$format=json'],
    [406, 'sales_customers?$format=atom'],
    [501, 'sales_customers?$expand=orders'],
    [501, 'sales_customers?$search=a'],
    [501, 'sales_customers?$apply=groupby((code))'],
    [501, 'sales_customers?$filter=year(code)%20eq%202026'],
    [501, "sales_customers('C00001')/code"],
    [501, 'sales_customers/$ref'],
    [501, '$all'],
    [501, '$crossjoin(sales_customers,sales_invoices)'],
  ])('answers %s to %s', async (status, path) => {
    const response = await get(path)
    expect([path, response.statusCode]).toEqual([path, status])
    expect(response.headers['odata-version']).toBe('4.0')
    expect(response.headers['content-type']).toMatch(/^application\/json/)
    const { error, ...rest } = response.json()
    expect(rest).toEqual({})
    expect(error).toMatchObject({ code: expect.any(String), message: expect.stringMatching(/^.{10}/) })
  })

  it('only reads', async () => {
    const send = (method: 'POST' | 'PATCH' | 'DELETE', url: string) =>
      service.app.inject({ method, url, headers: { authorization: `Bearer ${asha.token}` } })
    for (const method of ['POST', 'PATCH', 'DELETE'] as const) {
      const response = await send(method, '/odata/sales_customers')
      expect([response.statusCode, response.headers['allow'], response.json().error.code]).toEqual([
        405,
        'GET, HEAD',
        'method-not-allowed',
      ])
    }
    expect((await send('POST', '/odata/$batch')).statusCode).toBe(501)
    const head = await service.app.inject({
      method: 'HEAD',
      url: '/odata/sales_customers',
      headers: { authorization: `Bearer ${asha.token}` },
    })
    expect([head.statusCode, head.body, head.headers['odata-version']]).toEqual([200, '', '4.0'])
    expect((await get('sales_customers', { headers: { 'odata-maxversion': '3.0' } })).statusCode).toBe(400)
    expect((await get('sales_customers', { headers: { accept: 'application/atom+xml' } })).statusCode).toBe(406)
  })
})

describe('a walk over pages', () => {
  const SMALL = { prefer: 'odata.maxpagesize=100' }
  const load = (change: string) =>
    service.db.begin(async (tx) => {
      await tx.unsafe(change)
      await tx`update data_version set version = version + 1, committed_at = clock_timestamp()`
    })
  const change = (column: string, value: string) => load(`update customer set ${column} = '${value}'`)

  it('sees one version while loads happen, also of a listing', async () => {
    for (const set of ['inventory_movements', 'ask_sales_customers()', 'sales_customers']) {
      const path =
        set === 'inventory_movements'
          ? `ask_inventory_movements(${encodeURIComponent(`from_date=${RANGE.from_date},to_date=${RANGE.to_date}`)})`
          : set
      const headers = set === 'inventory_movements' ? SMALL : { prefer: 'odata.maxpagesize=5' }
      const before = await all(path, { headers: EXACT })
      const seen: Record<string, unknown>[] = []
      for (let next: string | undefined = path, page = 0; next !== undefined; page++) {
        const response = await get(next, { headers: { ...headers, ...EXACT } })
        expect([set, page, response.statusCode, response.statusCode === 200 ? '' : response.body]).toEqual([
          set,
          page,
          200,
          '',
        ])
        expect(response.headers['preference-applied']).toBe(headers.prefer)
        seen.push(...response.json().value)
        next = response.json()['@odata.nextLink']?.replace(/^.*?\/odata\//, '')
        if (page === 0) await change('billing_city', `City ${set}`)
      }
      expect([set, seen.length > 10, seen]).toEqual([set, true, before])
      if (set === 'sales_customers') expect(await all(path, { headers: EXACT })).not.toEqual(before)
    }
  })

  it('ends with 410 when its version is gone, and with 400 for a token of another query', async () => {
    const first = (await get('sales_customers?$select=code', { headers: { prefer: 'odata.maxpagesize=5' } })).json()
    const next = first['@odata.nextLink'].replace(/^.*?\/odata\//, '') as string
    expect((await get(next)).statusCode).toBe(200)
    for (const wrong of [
      next.replace('$select=code', '$select=name'),
      next.replace('sales_customers', 'masters_items'),
      `${next}x`,
      next.replace('skiptoken=5', 'skiptoken=6'),
    ])
      expect([wrong, (await get(wrong)).statusCode]).toEqual([wrong, 400])
    const token = new URL(`http://x/${next}`).searchParams.get('$skiptoken') as string
    const { readToken, tokenOf } = await import('../../src/surfaces/odata/walk.js')
    const place = readToken(token, '/odata/sales_customers', '$select=code')
    const gone = tokenOf({ ...place, pin: '1-1' }, '/odata/sales_customers', '$select=code')
    const response = await get(`sales_customers?$select=code&$skiptoken=${gone}`)
    expect([response.statusCode, response.json().error.code]).toEqual([410, 'gone'])
    expect(response.json().error.message).toContain('run the query again')
  })
})

describe('rights', () => {
  const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  const BOTH = ['Bearer realm="millbook"', 'Basic realm="millbook", charset="UTF-8"']
  const listed = async (options: Parameters<typeof get>[1]) =>
    (await get('', options)).json().value.map(({ name }: { name: string }) => name) as string[]
  const save = async (by: Caller, definition: object) =>
    (await service.call({ method: 'POST', path: '/v1/views', token: by.token, body: definition })).json() as {
      id: string
    }

  it('a caller without a credential gets both challenges, and the user’s own password is refused', async () => {
    const { username, password } = asha
    for (const authorization of [undefined, basic(username, password)])
      for (const path of ['', '$metadata', 'sales_customers', 'nothing', 'sales_customers/$count']) {
        const response = await get(path, { by: null, headers: { ...(authorization && { authorization }) } })
        expect([path, response.statusCode, response.headers['www-authenticate']]).toEqual([path, 401, BOTH])
        expect([response.json().error.code, response.headers['odata-version']]).toEqual(['unauthorized', '4.0'])
      }
    const { appPassword } = await service.db.begin((tx) =>
      createAppPassword(tx, username, 'Tableau', { views: null, reports: null }),
    )
    const headers = { authorization: basic(username, appPassword) }
    expect((await get('sales_customers?$top=1', { by: null, headers })).json()).toEqual(
      (await get('sales_customers?$top=1')).json(),
    )
    expect(await listed({ by: null, headers })).toEqual(await listed({}))
  })

  it('an app password that is limited to a view reads this view, by its name and its id, and nothing else', async () => {
    const view = {
      name: 'Sales by customer',
      report: 'sales.invoices',
      values: RANGE,
      group: ['customer_name', 'month(invoice_date)'],
      measures: 'sum(total_amt)',
      sort: '-total_amt',
    }
    const { id } = await save(asha, view)
    const other = await save(asha, { ...view, name: 'Another' })
    const { appPassword } = await service.db.begin((tx) =>
      createAppPassword(tx, asha.username, 'One view', { views: [id], reports: null }),
    )
    const options = { by: null, headers: { authorization: basic(asha.username, appPassword) } }
    expect(await listed(options)).toEqual(['view_Sales_by_customer'])
    const xml = (await get('$metadata', options)).body
    const alias = `view_${id.replaceAll('-', '_')}`
    expect(setsIn(xml)).toEqual(['view_Sales_by_customer', alias])
    expect(xml).not.toContain('<Function')
    const rest = await service.call({ path: `/v1/views/${id}/data`, token: asha.token, query: { 'per-page': 5000 } })
    const strings = rest.json().data as Record<string, unknown>[]
    expect(strings.length).toBeGreaterThan(5)
    for (const set of ['view_Sales_by_customer', alias]) {
      const records = await all(set, { by: null, headers: { ...options.headers, ...EXACT } } as never)
      // Of groups, a part of the key could be null: the row is the key, and the order is the view's.
      expect(records.map(({ _row, ...record }) => record)).toEqual(
        strings.map((record) =>
          Object.fromEntries(
            Object.entries(record).map(([name, value]) => [name, typeof value === 'number' ? String(value) : value]),
          ),
        ),
      )
    }
    for (const set of [
      'view_Another',
      `view_${other.id.replaceAll('-', '_')}`,
      'sales_invoices',
      'ask_sales_customers()',
    ])
      expect([set, (await get(set, options)).statusCode]).toEqual([set, 403])
    const file = (path: string) => service.app.inject({ method: 'GET', url: path, headers: options.headers })
    expect((await file(`/v1/views/${id}.odc`)).statusCode).toBe(200)
    expect((await file(`/v1/views/${other.id}.odc`)).statusCode).toBe(403)
  })

  it('a caller finds the sets of its groups, and sees no contact data if it must not', async () => {
    const seller = await service.newCaller({ groups: ['sales'], hideContacts: true })
    const names = await listed({ by: seller })
    expect(names.filter((name) => !name.startsWith('sales_'))).toEqual([])
    expect(names).toContain('sales_invoices_items')
    const forbidden = await get('purchase_vendors', { by: seller })
    expect([forbidden.statusCode, forbidden.json().error.message]).toEqual([403, expect.stringContaining('purchase')])
    expect((await get('history_changes', { by: await service.newCaller({ groups: ['history'] }) })).statusCode).toBe(
      403,
    )
    const [own] = await all('sales_customers?$top=1')
    const [hidden] = await all('sales_customers?$top=1', { by: seller })
    const contacts = Object.keys(own as object).filter((name) => own?.[name] !== hidden?.[name])
    expect(contacts).toEqual(expect.arrayContaining(['billing_email']))
    for (const name of contacts) expect(hidden?.[name]).toBe('')
    const email = encodeURIComponent(String(own?.['billing_email']))
    expect(await all(`sales_customers?$filter=billing_email%20eq%20'${email}'`, { by: seller })).toEqual([])
    expect(await all(`sales_customers?$filter=billing_email%20eq%20'${email}'`)).toHaveLength(1)
  })

  it('views of others are there if they are shared, and follow their names', async () => {
    const ravi = await service.newCaller()
    const { id } = await save(ravi, {
      name: 'Ravi’s vendors',
      report: 'purchase.vendors',
      fields: 'name,city',
      shared: 'everyone',
    })
    await save(ravi, { name: 'Secret', report: 'purchase.vendors' })
    const names = await listed({})
    expect(names).toContain('view_Ravi_s_vendors')
    expect(names).not.toContain('view_Secret')
    const [record] = await all('view_Ravi_s_vendors')
    // The key is there even if the view does not choose it.
    expect(Object.keys(record as object)).toEqual(['name', 'city', 'code'])
    const renamed = { name: 'Vendors', report: 'purchase.vendors', shared: 'everyone' }
    await service.app.inject({
      method: 'PUT',
      url: `/v1/views/${id}`,
      payload: renamed,
      headers: { authorization: `Bearer ${ravi.token}` },
    })
    expect((await get('view_Ravi_s_vendors')).statusCode).toBe(404)
    const alias = `view_${id.replaceAll('-', '_')}`
    expect(Object.keys((await all(alias))[0] as object)).toContain('address1')
    await service.db`update saved_view set definition = '{"report":"no.such"}'::json where id = ${id}`
    expect((await get('$metadata')).statusCode).toBe(200)
    const broken = await get(alias)
    expect([broken.statusCode, broken.json().error.message]).toEqual([409, expect.stringContaining('no longer fits')])
  })

  it('files for Excel and Power BI lead to the set of the view', async () => {
    const { id } = await save(asha, { name: 'Lager Süd', report: 'inventory.item-stock', values: { date: TODAY } })
    const file = (extension: string, token: string | null = asha.token) =>
      service.call({ path: `/v1/views/${id}.${extension}`, token })
    const address = `http://localhost:80/odata/view_${id.replaceAll('-', '_')}`.replace(':80', '')
    const [odc, pbids] = [await file('odc'), await file('pbids')]
    expect(odc.headers['content-type']).toBe('text/x-ms-odc; charset=utf-8')
    expect(odc.headers['content-disposition']).toBe(
      `attachment; filename="Lager_S_d.odc"; filename*=UTF-8''Lager_S%C3%BCd.odc`,
    )
    expect(odc.body).toContain(`OData.Feed(&quot;${address}&quot;`)
    expect(pbids.json().connections[0].details.address.url).toMatch(
      new RegExp(`/odata/view_${id.replaceAll('-', '_')}$`),
    )
    expect(await all(`view_${id.replaceAll('-', '_')}`)).not.toEqual([])
    expect((await file('odc', null)).statusCode).toBe(401)
    expect((await service.call({ path: '/v1/views/nothing.odc' })).statusCode).toBe(404)
    const seller = await service.newCaller({ groups: ['sales'] })
    await save(asha, {
      name: 'Shared stock',
      report: 'inventory.item-stock',
      values: { date: TODAY },
      shared: 'everyone',
    }).then(async ({ id }) =>
      expect((await service.call({ path: `/v1/views/${id}.odc`, token: seller.token })).statusCode).toBe(403),
    )
  })
})
