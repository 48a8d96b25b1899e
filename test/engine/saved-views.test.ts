/** `/v1/views`: views are saved, shared, and read within the rights of their reader. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deleteUser } from '../../src/access/users.js'
import { valuesIn } from '../../src/kernel/report/columns.js'
import type { Shape } from '../../src/kernel/report/report.js'
import { reports } from '../../src/reports/index.js'
import { openSample } from '../setup/database.js'
import { type Caller, type Service, startService } from '../setup/service.js'

const VIEWS = '/v1/views'
const INVOICES = '/v1/sales/invoices'
const RANGE = { from_date: '2026-05-01', to_date: '2026-05-31' }

let service: Service
let [asha, ravi, stores, seller, program] = [] as unknown as [Caller, Caller, Caller, Caller, Caller]
beforeAll(async () => {
  service = await startService({}, await openSample({ today: '2026-06-30', scale: 0.1, months: 2 }))
  asha = await service.newCaller()
  ravi = await service.newCaller()
  stores = await service.newCaller({ groups: ['inventory'] })
  seller = await service.newCaller({ groups: ['sales'], hideContacts: true })
  program = await service.newCaller({ grants: ['client_credentials'] })
  const { client_id, client_secret } = program
  const answer = await service.call({
    ...{ method: 'POST', path: '/oauth2/token', token: null },
    body: { grant_type: 'client_credentials', client_id, client_secret },
  })
  program.token = answer.json().access_token
})
afterAll(() => service.close())

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
const send = async (by: Caller, method: Method, path: string, body?: unknown, query: Record<string, string> = {}) =>
  await service.call({ method: method as 'GET', path, token: by.token, query, ...(body !== undefined && { body }) })
const get = (by: Caller, path: string, query?: Record<string, string>) => send(by, 'GET', path, undefined, query)

let made = 0
async function save(by: Caller, definition: object): Promise<{ id: string } & Record<string, unknown>> {
  const response = await send(by, 'POST', VIEWS, { name: `View ${++made}`, report: 'sales.invoices', ...definition })
  expect([response.statusCode, response.statusCode === 201 ? '' : response.body]).toEqual([201, ''])
  expect(response.headers['location']).toBe(`${VIEWS}/${response.json().id}`)
  return response.json()
}
const errorsOf = async (by: Caller, definition: object): Promise<string[]> => {
  const response = await send(by, 'POST', VIEWS, { name: 'Wrong', report: 'sales.invoices', ...definition })
  expect([response.statusCode, response.statusCode === 422 ? '' : response.body]).toEqual([422, ''])
  return response.json().errors.map(({ field, message }: { field: string; message: string }) => `${field} ${message}`)
}

describe('a saved view', () => {
  it('is the same report as by its URL, in every format', async () => {
    const view = { group: ['customer_name', 'month(invoice_date)'], measures: 'sum(total_amt)', sort: '-total_amt' }
    const { id } = await save(asha, { ...view, values: RANGE, filter: 'total_amt>0', having: ['rows>1'] })
    const query = { ...RANGE, ...view, group: view.group.join(), filter: 'total_amt>0', having: 'rows>1' }
    for (const format of ['json', 'csv', 'ndjson', 'parquet']) {
      const [saved, asked] = await Promise.all([
        get(asha, `${VIEWS}/${id}/data`, { format, 'per-page': '5000' }),
        service.call({
          method: 'GET',
          path: INVOICES,
          token: asha.token,
          query: { ...query, format, 'per-page': '5000' },
        }),
      ])
      expect(saved.statusCode).toBe(200)
      if (format === 'json') expect(saved.json().data).toEqual(asked.json().data)
      else expect(saved.rawPayload.equals(asked.rawPayload)).toBe(true)
      expect(saved.headers['x-data-version']).toBe(asked.headers['x-data-version'])
    }
    expect((await get(asha, `${VIEWS}/${id}/data`)).json().data.length).toBeGreaterThan(2)
    expect((await get(asha, `${VIEWS}/${id}/data`, { format: 'xlsx' })).statusCode).toBe(200)
  })

  it('is returned as it was sent, and listed', async () => {
    const sent = { values: RANGE, fields: ['invoice_no', 'total_amt'], search: 'pune', shared: ['sales'] }
    const view = await save(asha, sent)
    const { username } = asha
    expect(view).toEqual({
      ...{ id: expect.stringMatching(/^[\w-]{16}$/), name: view['name'], report: 'sales.invoices', ...sent },
      ...{ owner: username, mine: true, changed_at: expect.any(String) },
    })
    expect((await get(asha, `${VIEWS}/${view.id}`)).json()).toEqual(view)
    const listed = (await get(asha, VIEWS)).json().data
    expect(listed).toContainEqual(view)
    expect((await get(seller, VIEWS)).json().data).toContainEqual({ ...view, mine: false })
  })

  it('can be replaced and deleted by its owner', async () => {
    const { id } = await save(asha, { values: RANGE, shared: 'everyone' })
    const changed = {
      name: 'Changed',
      report: 'inventory.fg-stock-status',
      values: { type: 'FG', tax: 0 },
      period: '2026-05',
    }
    for (const method of ['PUT', 'DELETE'] as const) {
      const refused = await send(ravi, method, `${VIEWS}/${id}`, method === 'PUT' ? changed : undefined)
      expect([refused.statusCode, refused.json().detail]).toEqual([403, expect.stringContaining('only its owner')])
    }
    const put = await send(asha, 'PUT', `${VIEWS}/${id}`, changed)
    expect([put.statusCode, put.json()]).toMatchObject([200, { id, ...changed, shared: 'nobody' }])
    expect((await get(asha, `${VIEWS}/${id}/data`)).json().data.length).toBeGreaterThan(0)
    expect((await get(ravi, `${VIEWS}/${id}`)).statusCode).toBe(404)
    expect((await send(asha, 'DELETE', `${VIEWS}/${id}`)).statusCode).toBe(200)
    expect((await get(asha, `${VIEWS}/${id}`)).statusCode).toBe(404)
    const acts = await service.db`
      select act, actor, detail ->> 'name' as name from audit_entry where act like 'view.%' and detail ->> 'id' = ${id} order by id`
    expect(acts.map(({ act }) => act)).toEqual(['view.create', 'view.update', 'view.delete'])
    expect(acts.map(({ actor }) => actor)).toEqual(Array(3).fill(asha.username))
  })

  it('has a name that its owner uses once', async () => {
    const { name } = await save(asha, { values: RANGE })
    await save(ravi, { name, values: RANGE })
    const twice = await send(asha, 'POST', VIEWS, { name, report: 'sales.invoices', values: RANGE })
    expect([twice.statusCode, twice.json().detail]).toEqual([409, expect.stringContaining('already')])
  })
})

describe('rights', () => {
  it('a view that is not shared does not exist for others; one of a group that they lack is refused', async () => {
    const mine = await save(asha, { values: RANGE })
    for (const path of ['', '/data']) expect((await get(ravi, `${VIEWS}/${mine.id}${path}`)).statusCode).toBe(404)
    const ours = await save(asha, { values: RANGE, shared: 'everyone' })
    expect((await get(ravi, `${VIEWS}/${ours.id}/data`)).statusCode).toBe(200)
    for (const path of ['', '/data']) {
      const refused = await get(stores, `${VIEWS}/${ours.id}${path}`)
      expect([refused.statusCode, refused.json().detail]).toEqual([403, expect.stringContaining('group sales')])
    }
    const listed = (await get(stores, VIEWS)).json().data.map(({ id }: { id: string }) => id)
    expect(listed).not.toContain(ours.id)
    expect((await send(stores, 'POST', VIEWS, { name: 'x', report: 'sales.invoices', values: RANGE })).statusCode).toBe(
      403,
    )
  })

  it('no view has an odd id', async () => {
    for (const id of ['%00', '%F0%9F%98%80', "'%20or%20true--", 'x'.repeat(90)])
      for (const path of ['', '/data']) expect((await get(asha, `${VIEWS}/${id}${path}`)).statusCode, id).toBe(404)
  })

  it('an owner who loses the group of the report is refused too; the views of a deleted user are gone', async () => {
    const leaver = await service.newCaller()
    const { id } = await save(leaver, { values: RANGE, shared: 'everyone' })
    const data = async (by: Caller) => (await get(by, `${VIEWS}/${id}/data`)).statusCode
    const change = async (groups: string[] | null) => {
      await service.db`update api_user set groups = ${groups} where username = ${leaver.username}`
      await service.db`update access_version set version = version + 1`
    }
    await change(['inventory'])
    await expect.poll(() => data(leaver)).toBe(403)
    expect(await data(ravi)).toBe(200) // the rights of the reader count, not those of the owner
    await change(null)
    await expect.poll(() => data(leaver)).toBe(200)
    await service.db.begin((tx) => deleteUser(tx, leaver.username))
    expect(await data(ravi)).toBe(404)
    await expect.poll(() => data(leaver)).toBe(401)
  })

  it('shared with groups, it is seen by readers of one of them', async () => {
    const values = { type: 'FG', tax: 0, ...RANGE }
    const { id } = await save(asha, { report: 'inventory.fg-stock-status', values, shared: ['inventory', 'purchase'] })
    const statuses = await Promise.all(
      [stores, seller, ravi].map(async (by) => (await get(by, `${VIEWS}/${id}/data`)).statusCode),
    )
    expect(statuses).toEqual([200, 404, 200])
  })

  it('contacts are hidden from readers who must not see them, in groups too', async () => {
    const report = 'sales.sales-orders'
    const whole = await save(asha, { report, values: { method: 'month', ...RANGE }, fields: 'all', shared: 'everyone' })
    const text = async (by: Caller, id: string) => (await get(by, `${VIEWS}/${id}/data`, { 'per-page': '50' })).body
    const phone = /\+91[ \d]{8,}/
    expect(await text(asha, whole.id)).toMatch(phone)
    expect(await text(seller, whole.id)).not.toMatch(phone)
    const shape = reports.find(({ id }) => id === report)?.shapeFor({}) as Shape
    const { path = [] } = valuesIn(shape.record).find(({ field }) => field.contact && field.type.kind === 'text') ?? {}
    const grouped = await save(asha, {
      ...{ report, values: { method: 'month', ...RANGE }, group: path.join('.'), measures: 'rows', shared: 'everyone' },
    })
    const groups = async (by: Caller) => (await get(by, `${VIEWS}/${grouped.id}/data`)).json().data
    expect((await groups(asha)).length).toBeGreaterThan(1)
    expect((await groups(seller)).length).toBe(1)
  })

  it('a client without a user reads shared views and saves none', async () => {
    const { id } = await save(asha, { values: RANGE, shared: 'everyone' })
    expect((await get(program, `${VIEWS}/${id}/data`)).statusCode).toBe(200)
    const refused = await send(program, 'POST', VIEWS, { name: 'x', report: 'sales.invoices', values: RANGE })
    expect([refused.statusCode, refused.json().detail]).toEqual([403, expect.stringContaining('belong to users')])
    expect((await service.call({ method: 'GET', path: VIEWS, token: null })).statusCode).toBe(401)
  })
})

describe('a period in words', () => {
  it('is counted from today, or from the day of `on`, which links to pages keep', async () => {
    const { id } = await save(asha, { period: 'last-month', fields: 'invoice_no' })
    const numbers = async (from_date: string, to_date: string) => {
      const query = { from_date, to_date, fields: 'invoice_no', 'per-page': 5000 }
      return (await service.call({ method: 'GET', path: INVOICES, token: asha.token, query })).json().data
    }
    const may = await numbers('2026-05-01', '2026-05-31')
    expect(may.length).toBeGreaterThan(5)
    expect((await get(asha, `${VIEWS}/${id}/data`, { on: '2026-06-15', 'per-page': '5000' })).json().data).toEqual(may)
    const first = (await get(asha, `${VIEWS}/${id}/data`, { on: '2026-06-15', 'per-page': '3' })).json()
    const next = new URL(first._links.next.href)
    expect([next.pathname, next.searchParams.get('on')]).toEqual([`${VIEWS}/${id}/data`, '2026-06-15'])
    const second = (await get(asha, next.pathname, Object.fromEntries(next.searchParams))).json()
    expect([...first.data, ...second.data]).toEqual(may.slice(0, 6))
    const today = (await get(asha, `${VIEWS}/${id}/data`)).json()
    const [{ day } = { day: '' }] =
      await service.db`select (now() at time zone time_zone)::date::text as day from account`
    expect(new URL(today._links.self.href).searchParams.get('on')).toBe(day)
  })

  it('takes the financial year of the account', async () => {
    const { id } = await save(asha, { period: 'this-fy', group: 'fy(invoice_date)', measures: 'rows' })
    const years = async () => (await get(asha, `${VIEWS}/${id}/data`, { on: '2026-06-15' })).json().data
    expect(await years()).toMatchObject([{ invoice_date_fy: '2026-27' }])
    await service.db`update account set year_begins = 6`
    await service.db`update data_version set version = version + 1`
    const counted = await years()
    expect(counted).toMatchObject([{ invoice_date_fy: '2026-27' }])
    const june =
      await service.db`select count(*)::integer as rows from invoice where invoice_at >= '2026-06-01' and status <> 'Cancelled'`
    expect(counted[0].rows).toBe(june[0]?.['rows'])
    await service.db`update account set year_begins = 4`
    await service.db`update data_version set version = version + 1`
  })
})

it.each<[object, string]>([
  [{ report: 'sales.invoice' }, 'report names sales.invoice, which is no report'],
  [{ name: ' ' }, 'name must be a text of 1 to 200 printable characters'],
  [{ name: 'two\nlines' }, 'name must be a text of 1 to 200 printable characters'],
  [{ name: 'half \ud800' }, 'name must be a text of 1 to 200 printable characters'],
  [{ values: RANGE, compare: null }, 'compare must be a text'],
  [{ values: RANGE, totals: 'yes' }, 'totals is not a parameter of a view'],
  [{ values: RANGE, colour: 'red' }, 'colour is not a parameter of a view'],
  [{ values: [] }, 'values must be an object'],
  [{}, 'values.from_date is required'],
  [{ values: { ...RANGE, day: 1 } }, 'values.day is not a parameter here'],
  [{ period: 'last-decade' }, 'period must be YYYY-MM-DD, today'],
  [{ period: 'last-month', values: RANGE }, 'values.from_date must be left out with period'],
  [{ report: 'masters.warehouse-list', period: 'today' }, 'period must be left out'],
  [{ values: RANGE, fields: ['nothing'] }, 'fields names "nothing", which is not a field'],
  [{ values: RANGE, group: 'nothing' }, 'group names "nothing", which is not a field'],
  [{ values: RANGE, having: 'rows>1' }, 'having must be left out'],
  [{ values: RANGE, filter: [1] }, 'filter must be a text or a list of texts'],
  [{ values: RANGE, compare: 'week' }, 'compare must be one of previous, month, quarter, year'],
  [{ values: RANGE, shared: ['everybody'] }, 'shared must be "nobody", "everyone" or a list of masters'],
])('%j is refused: %s', async (definition, message) => {
  expect(await errorsOf(asha, definition)).toContainEqual(expect.stringContaining(message))
})

it('a view whose report or field is gone says so', async () => {
  const { id, name } = await save(asha, { values: RANGE, fields: 'invoice_no' })
  const data = async () => {
    const response = await get(asha, `${VIEWS}/${id}/data`)
    return [response.statusCode, response.json().detail]
  }
  await service.db`update saved_view set definition = replace(definition::text, 'invoice_no', 'invoice_nr')::json where id = ${id}`
  expect(await data()).toEqual([
    409,
    `The view ${name} no longer fits this version of the service: fields names "invoice_nr", which is not a field of this report (did you mean invoice_no?). Change the view, or delete it.`,
  ])
  await service.db`update saved_view set definition = replace(definition::text, 'sales.invoices', 'sales.bills')::json where id = ${id}`
  expect(await data()).toEqual([409, expect.stringContaining('report names sales.bills, which is no report')])
  expect((await get(asha, VIEWS)).json().data.map(({ id }: { id: string }) => id)).toContain(id)
})

it('a walk over groups keeps its version, and the same data gives 304', async () => {
  const { id } = await save(asha, { values: RANGE, group: 'customer_name', measures: 'sum(total_amt)' })
  const path = `${VIEWS}/${id}/data`
  const whole = (await get(asha, path, { 'per-page': '5000' })).json().data
  const first = await get(asha, path, { 'per-page': '3' })
  const tag = String(first.headers['etag'])
  const again = await service.call({
    ...{ method: 'GET', path, token: asha.token, query: { 'per-page': '3' } },
    headers: { 'if-none-match': tag },
  })
  expect(again.statusCode).toBe(304)
  await service.db`update invoice set total_amt = total_amt + 1000`
  await service.db`update data_version set version = version + 1, committed_at = clock_timestamp()`
  const next = new URL(first.json()._links.next.href)
  const second = await get(asha, next.pathname, Object.fromEntries(next.searchParams))
  expect([...first.json().data, ...second.json().data]).toEqual(whole.slice(0, 6))
  expect((await get(asha, path, { 'per-page': '5000' })).json().data).not.toEqual(whole)
  expect((await get(asha, path, { snapshot: '1-1' })).statusCode).toBe(410)
})

it('a parameter that the view has already is refused', async () => {
  const { id } = await save(asha, { values: RANGE })
  const response = await get(asha, `${VIEWS}/${id}/data`, { sort: 'invoice_no' })
  expect([response.statusCode, response.json().errors[0].field]).toEqual([422, 'sort'])
})
