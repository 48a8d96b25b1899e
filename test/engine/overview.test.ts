/** `/v1/overview`: each user keeps an overview, checked when it is written, and nobody else reads or writes it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAppPassword } from '../../src/access/app-passwords.js'
import { deleteUser } from '../../src/access/users.js'
import { MOST_PINS } from '../../src/views/pins.js'
import { newOperator } from '../setup/operator.js'
import { type Caller, type Service, startService } from '../setup/service.js'

const PATH = '/v1/overview'

let service: Service
let [asha, ravi] = [] as unknown as [Caller, Caller]
beforeAll(async () => {
  service = await startService()
  asha = await service.newCaller()
  ravi = await service.newCaller()
})
afterAll(() => service.close())

const get = async (token: string) => await service.call({ path: PATH, token })
const put = async (token: string, payload: object) =>
  await service.app.inject({ method: 'PUT', url: PATH, headers: { authorization: `Bearer ${token}` }, payload })
const errorsOf = async (by: Caller, payload: object): Promise<string[]> => {
  const response = await put(by.token, payload)
  expect([response.statusCode, response.statusCode === 422 ? '' : response.body]).toEqual([422, ''])
  return response.json().errors.map(({ field, message }: { field: string; message: string }) => `${field} ${message}`)
}
const saveView = async (by: Caller, view: object): Promise<string> =>
  (await service.call({ method: 'POST', path: '/v1/views', token: by.token, body: view })).json().id

const FIGURE = {
  ...{ title: 'Invoiced', kind: 'figure', field: 'total_amt', good: 'more', size: 'medium' },
  definition: { report: 'sales.invoices', period: 'this-month-so-far', compare: 'month' },
  trend: {
    definition: { report: 'sales.invoices', period: 'last-12-months', group: 'month(invoice_date)' },
    field: 'total_amt',
  },
}
const LIST = {
  ...{ title: 'Expiring', kind: 'list', note: 'left' },
  definition: {
    ...{ report: 'partner.invetory-snapshot', period: 'today' },
    ...{ fields: ['product_name', 'expiry_date'], filter: ['expiry_date<={in-60-days}'], sort: 'expiry_date' },
  },
}

describe('an overview', () => {
  it('is empty at first, and is returned as it was sent, in its order, with a token of any client of the user', async () => {
    expect((await get(asha.token)).json()).toEqual({ start: null, pins: null, changed_at: null })
    const view = await saveView(asha, { name: 'Mine', report: 'sales.invoices', values: {}, period: 'last-month' })
    const chart = { title: 'By customer', kind: 'chart', style: 'bars', view }
    for (const pins of [
      [FIGURE, LIST, chart],
      [chart, FIGURE],
    ]) {
      const made = await put(asha.token, { start: 'sales', pins })
      expect([made.statusCode, made.json()]).toEqual([
        200,
        { start: 'sales', pins, changed_at: expect.stringMatching(/Z$/) },
      ])
      expect((await get(asha.token)).json()).toEqual(made.json())
    }
    expect((await put(asha.token, { start: 'stores' })).json()).toMatchObject({ start: 'stores', pins: null })
    const acts = await service.db`select act, actor, detail from audit_entry where act like 'overview.%' order by id`
    expect(acts).toMatchObject([
      { act: 'overview.update', actor: asha.username, detail: { start: 'sales', pins: 3 } },
      { detail: { pins: 2 } },
      { detail: { start: 'stores', pins: null } },
    ])
  })

  it('belongs to its user: another user, operators included, has an own one and changes no other', async () => {
    await put(asha.token, { pins: [FIGURE] })
    const operator = await newOperator(service.app, service.db)
    const headers = { 'x-csrf-token': operator.csrf }
    const read = async () => (await operator.browser.send(PATH, { headers })).json()
    expect(await read()).toEqual({ start: null, pins: null, changed_at: null })
    const sent = await operator.browser.send(PATH, { method: 'PUT', headers, json: { start: 'owner', pins: [LIST] } })
    expect([sent.statusCode, (await read()).pins]).toEqual([200, [LIST]])
    for (const url of [`${PATH}/${asha.username}`, `${PATH}?username=${asha.username}`]) {
      const other = await operator.browser.send(url, { headers })
      if (other.statusCode === 200) expect(other.json().pins).toEqual([LIST])
      else expect(other.statusCode).toBe(404)
    }
    expect((await get(ravi.token)).json().pins).toBeNull()
    expect((await get(asha.token)).json().pins).toEqual([FIGURE])
  })

  it('a session needs its CSRF token and a page of this service', async () => {
    const { browser, csrf } = await newOperator(service.app, service.db)
    const status = async (headers: Record<string, string>) =>
      (await browser.send(PATH, { method: 'PUT', headers, json: { start: 'owner' } })).statusCode
    expect(await status({})).toBe(403)
    expect(await status({ 'x-csrf-token': csrf, origin: 'https://elsewhere.example' })).toBe(403)
    expect(await status({ 'x-csrf-token': csrf })).toBe(200)
  })

  it('app passwords and clients without a user neither read nor write one', async () => {
    const { appPassword } = await service.db.begin((tx) =>
      createAppPassword(tx, ravi.username, 'Workbook', { views: null, reports: null }),
    )
    for (const made of [await get(appPassword), await put(appPassword, { start: 'owner' })])
      expect(made.statusCode).toBe(403)
    const { client_id, client_secret } = await service.newCaller({ grants: ['client_credentials'] })
    const body = { grant_type: 'client_credentials', client_id, client_secret }
    const { access_token } = (await service.call({ method: 'POST', path: '/oauth2/token', token: null, body })).json()
    for (const made of [await get(access_token), await put(access_token, { start: 'owner' })])
      expect([made.statusCode, made.json().detail]).toEqual([403, expect.stringContaining('a client without a user')])
    expect((await get(ravi.token)).json().changed_at).toBeNull()
  })

  it('goes with its user', async () => {
    const gone = await service.newCaller()
    await put(gone.token, { start: 'owner' })
    await service.db.begin((tx) => deleteUser(tx, gone.username))
    expect([...(await service.db`select from overview where username = ${gone.username}`)]).toEqual([])
  })
})

describe('what is wrong gets 422 and its name', () => {
  it('members, kinds, sizes and texts', async () => {
    expect(await errorsOf(ravi, { start: 'boss', pin: [], pins: 3 })).toEqual([
      expect.stringMatching(/^pin is not a parameter of an overview \(did you mean pins\?\)|^pin is not/),
      'start must be null or one of owner, stores, sales, purchase, production, accounts',
      `pins must be null or a list of at most ${MOST_PINS} pins`,
    ])
    const { definition } = FIGURE
    const pins = [
      7,
      { title: 'A', kind: 'table', definition },
      { title: '', kind: 'list', size: 'huge', note: 'x'.repeat(41), style: 'bars', definition },
      { title: 'A', kind: 'chart', style: 'pie' },
      { title: 'A', kind: 'list', view: 'k3J9sPq0vXzT1bYc', definition },
      { title: 'A', kind: 'figure', good: 'both', definition },
    ]
    expect(await errorsOf(ravi, { pins })).toEqual([
      'pins[0] must be an object',
      'pins[1].kind must be one of figure, list, chart',
      expect.stringMatching(/^pins\[2\]\.style is not a parameter of a list/),
      'pins[2].title must be a text of 1 to 100 characters',
      'pins[2].size must be one of small, medium, large',
      'pins[2].note must be a text of 1 to 40 characters',
      'pins[3].style must be one of columns, lines, bars, ages',
      'pins[3] must have either view, the id of a saved view, or definition',
      'pins[4] must have either view, the id of a saved view, or definition',
      'pins[5].good must be more or less',
      'pins[5].field must be the field that the figure adds up, or rows',
    ])
    expect(await errorsOf(ravi, { pins: Array(MOST_PINS + 1).fill(FIGURE) })).toHaveLength(1)
    expect((await get(ravi.token)).json().changed_at).toBeNull()
  })

  it('definitions: a report, a parameter, a field or a day that does not exist, and what a figure cannot add up', async () => {
    const pin = (definition: object, more: object = {}) => ({ title: 'A', kind: 'list', definition, ...more })
    const figure = { kind: 'figure', field: 'total_amt' }
    const report = 'sales.invoices'
    const pins = [
      pin({ report: 'sales.bills' }),
      pin({ report, period: 'last-moth' }),
      pin({ report, period: 'last-month', sort: '-total', filter: ['invoice_date>{soon}'] }),
      pin({ report, name: 'Mine', shared: 'everyone' }),
      pin({ report, period: 'last-month' }, { ...figure, field: 'total' }),
      pin({ report, period: 'last-month' }, { ...figure, field: 'customer_name' }),
      pin({ report, period: 'last-month' }, { ...figure, trend: { definition: { report: 'no' }, field: 'x' } }),
      pin({ report, period: 'last-month' }, { ...figure, trend: {} }),
    ]
    const found = await errorsOf(ravi, { pins })
    for (const expected of [
      /^pins\[0\]\.definition\.report names sales\.bills, which is no report/,
      /^pins\[1\]\.definition\.period must be .* not last-moth/,
      /^pins\[2\]\.definition\.filter must compare invoice_date with/,
      /^pins\[2\]\.definition\.sort names "total", which is not a field/,
      /^pins\[3\]\.definition\.name must be left out/,
      /^pins\[3\]\.definition\.shared must be left out/,
      /^pins\[4\]\.field names "total", which is not a field/,
      /^pins\[5\]\.field names "customer_name", whose sum means nothing/,
      /^pins\[6\]\.trend\.definition\.report names no, which is no report/,
      /^pins\[7\]\.trend must have a definition and a field/,
    ])
      expect(found).toContainEqual(expect.stringMatching(expected))
  })

  it('a view that the user does not see; a kept pin stays when its view is gone', async () => {
    const view = await saveView(asha, { name: 'Own', report: 'sales.invoices', period: 'last-month' })
    const pin = { title: 'Own', kind: 'list', view }
    const refusal = ['pins[0].view names no saved view that you see; GET /v1/views lists them']
    expect(await errorsOf(ravi, { pins: [pin] })).toEqual(refusal)
    expect((await put(asha.token, { pins: [pin] })).statusCode).toBe(200)
    const headers = { authorization: `Bearer ${asha.token}` }
    expect((await service.app.inject({ method: 'DELETE', url: `/v1/views/${view}`, headers })).statusCode).toBe(200)
    expect((await put(asha.token, { pins: [LIST, pin] })).statusCode).toBe(200)
    expect(await errorsOf(asha, { pins: [{ ...pin, title: 'Another' }] })).toEqual(refusal)
  })
})
