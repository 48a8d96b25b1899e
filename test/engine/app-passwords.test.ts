/** App passwords: workbooks and scripts read with them, and do nothing else. */
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { findAppPassword, isAppPassword, newAppPassword } from '../../src/access/app-password-use.js'
import { createAppPassword, revokeAppPassword } from '../../src/access/app-passwords.js'
import { sweep } from '../../src/access/cleanup.js'
import { disableClient, enableClient, updateClient } from '../../src/access/clients.js'
import { newSecret } from '../../src/access/secrets.js'
import {
  changePassword,
  createUser,
  deleteUser,
  disableUser,
  revokeTokensOfUser,
  updateUser,
} from '../../src/access/users.js'
import type { Tx } from '../../src/db/connect.js'
import { csrfOf } from '../../src/http/session-cookie.js'
import { reports } from '../../src/reports/index.js'
import { buildApp } from '../../src/runtime/app.js'
import { operations } from '../../src/surfaces/admin/operations/index.js'
import { untilMinuteHasTime } from '../setup/minute.js'
import { newOperator } from '../setup/operator.js'
import { type Caller, type Service, startService } from '../setup/service.js'
import { sameOnBoth } from '../setup/tier.js'

const WAREHOUSES = '/v1/warehouse/warehouse-list'
const STOCK = '/v1/inventory/fg-stock-status'
const range = { type: 'FG', tax: 0, from_date: '2026-04-01', to_date: '2026-04-30' }
const PATH = '/v1/app-passwords'
const BOTH = ['Bearer realm="millbook"', 'Basic realm="millbook", charset="UTF-8"']

let service: Service
/** A second process on the same database. */
let other: FastifyInstance
const lines: string[] = []
/** All app passwords of these tests. */
const secrets: string[] = []
beforeAll(async () => {
  const logTo = { write: (text: string) => void lines.push(text) }
  service = await startService({ logLevel: 'trace', logTo })
  other = await buildApp({ database: service.database, reports, logLevel: 'silent', leaseMs: 0 })
})
afterAll(async () => {
  await other.close()
  await service.close()
})

const act = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => service.db.begin(work)

interface Limits {
  views?: string[]
  reports?: string[]
}

interface Holder extends Caller {
  appPassword: string
  id: string
}

/** A user with an app password. */
async function newHolder({ views, reports }: Limits = {}): Promise<Holder> {
  const caller = await service.newCaller()
  const limits = { views: views ?? null, reports: reports ?? null }
  const made = await act((tx) => createAppPassword(tx, caller.username, 'Workbook', limits))
  secrets.push(made.appPassword)
  return { ...caller, ...made }
}

const basic = (username: string, password: string, encoding: BufferEncoding = 'utf8') =>
  `Basic ${Buffer.from(`${username}:${password}`, encoding).toString('base64')}`
const basicOf = ({ username, appPassword }: Pick<Holder, 'username' | 'appPassword'>) => basic(username, appPassword)

interface Sent {
  path?: string
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  body?: object
  address?: string
  app?: FastifyInstance
  headers?: Record<string, string>
}

/** A network of its own, so that the failures of other tests do not count. */
let networks = 0
const newAddress = () => `2001:db8:0:${(++networks).toString(16)}::1`

const send = (
  authorization: string | undefined,
  { path = WAREHOUSES, method = 'GET', body, address = newAddress(), app = service.app, headers = {} }: Sent = {},
) =>
  app.inject({
    ...{ method, url: path, remoteAddress: address },
    headers: { ...(authorization !== undefined && { authorization }), ...headers },
    ...(body !== undefined && { payload: body }),
  })
const status = async (...sent: Parameters<typeof send>) => (await send(...sent)).statusCode

/** The answer, the challenges and the words of a refusal. */
async function refusal(...sent: Parameters<typeof send>) {
  const response = await send(...sent)
  return [response.statusCode, response.headers['www-authenticate'], response.json().detail]
}

describe('an app password reads', () => {
  it('by Basic with its user, or as a bearer token: GET, HEAD and POST, the catalogue and the search', async () => {
    const one = await newHolder()
    for (const authorization of [basicOf(one), `Bearer ${one.appPassword}`, basicOf(one).replace('Basic', 'basic ')]) {
      const list = await send(authorization)
      expect([list.statusCode, list.json().data]).toEqual([200, []])
      expect((await send(authorization, { method: 'HEAD' })).body).toBe('')
      expect(await status(authorization, { method: 'HEAD' })).toBe(200)
      expect(await status(authorization, { path: STOCK, method: 'POST', body: range })).toBe(200)
      expect(await status(authorization, { path: '/v1/search?q=bhujia' })).toBe(200)
      const catalogue = await send(authorization, { path: '/v1/reports' })
      expect(catalogue.json().data).toHaveLength(reports.length)
    }
    expect(isAppPassword(one.appPassword)).toBe(true)
  })

  sameOnBoth('and nothing else: no administration, no app passwords, no session, no token', async () => {
    const operator = await newOperator(service.app, service.db)
    const made = await act((tx) => createAppPassword(tx, operator.username, 'Workbook', { views: null, reports: null }))
    const one = { ...operator, ...made }
    const closed: [Sent['method'], string][] = [
      ...operations.map(
        ({ method, path }) => [method as Sent['method'], `/v1/admin${path}`] as [Sent['method'], string],
      ),
      ...[...(['GET', 'POST'] as const).map((method) => [method, PATH] as [Sent['method'], string])],
      ['DELETE', `${PATH}/${made.id}`],
    ]
    for (const [method = 'GET', path] of closed) {
      expect([path, await status(`Bearer ${one.appPassword}`, { method, path, body: {} })]).toEqual([path, 403])
      expect([401, 403]).toContain(await status(basicOf(one), { method, path, body: {} }))
    }
    expect(await refusal(basicOf(one), { path: PATH }), 'the 401 of a route without Basic is the same as ever').toEqual(
      [
        401,
        'Bearer realm="millbook", error="invalid_token"',
        'Reports take the header Authorization: Bearer <access_token>, not the scheme Basic; POST /oauth2/token gives a token.',
      ],
    )
    expect(await status(basicOf(one), { path: '/session' })).toBe(401)
    const { client_id, client_secret } = service.caller
    const grant = {
      grant_type: 'password',
      client_id,
      client_secret,
      username: one.username,
      password: one.appPassword,
    }
    expect(await status(undefined, { method: 'POST', path: '/oauth2/token', body: grant })).toBe(400)
    const ofClient = { grant_type: 'refresh_token', client_id: 'app-passwords', refresh_token: one.appPassword }
    const response = await send(undefined, { method: 'POST', path: '/oauth2/token', body: ofClient })
    expect([response.statusCode, response.json().error_description]).toEqual([
      401,
      expect.stringContaining('The client app-passwords gets no tokens here. Create a public client'),
    ])
    expect(await status(basicOf(one)), 'it still reads').toBe(200)
  })

  sameOnBoth('only the reports and views that it is limited to', async () => {
    const limited = reports.filter(({ path }) => [WAREHOUSES, STOCK].includes(path)).map(({ id }) => id)
    const two = await newHolder({ reports: limited })
    expect(await status(basicOf(two))).toBe(200)
    expect(await status(basicOf(two), { path: STOCK, method: 'POST', body: range })).toBe(200)
    for (const { path, method } of reports.filter(({ id }) => !limited.includes(id))) {
      const [code, challenge, detail] = await refusal(basicOf(two), { path, method, body: {} })
      expect([path, code, challenge]).toEqual([path, 403, undefined])
      expect(detail).toContain('limited to other reports and views')
    }
    const catalogue = await send(basicOf(two), { path: '/v1/reports' })
    expect(
      catalogue
        .json()
        .data.map(({ id }: { id: string }) => id)
        .sort(),
    ).toEqual([...limited].sort())
    expect(await status(basicOf(two), { path: '/v1/search?q=bhujia' })).toBe(403)
  })

  sameOnBoth('the data of saved views, and does not change them', async () => {
    const [one, other] = [await newHolder(), await newHolder()]
    const bearer = `Bearer ${one.token}`
    const save = async (name: string) => {
      const body = { name, report: 'masters.warehouse-list' }
      return (await send(bearer, { path: '/v1/views', method: 'POST', body })).json().id as string
    }
    const [first, second] = [await save('First'), await save('Second')]
    const made = await act((tx) => createAppPassword(tx, one.username, 'View', { views: [first], reports: null }))
    const limited = { ...one, ...made }
    const data = (id: string) => ({ path: `/v1/views/${id}/data?format=csv` })
    for (const authorization of [basicOf(limited), `Bearer ${limited.appPassword}`, basicOf(one)]) {
      expect((await send(authorization, data(first))).body).toMatch(/^location,address/)
      expect(await status(authorization, { ...data(first), method: 'HEAD' })).toBe(200)
    }
    expect(await status(basicOf(one), data(second))).toBe(200)
    expect(await status(basicOf(limited), data(second))).toBe(403)
    expect(await status(basicOf(limited)), 'limited to a view, it reads no report').toBe(403)
    expect((await send(basicOf(limited), { path: '/v1/reports' })).json().data).toEqual([])
    expect(await status(basicOf(other), data(first)), 'not shared').toBe(404)
    for (const method of ['GET', 'PUT', 'DELETE'] as const)
      expect(await status(`Bearer ${limited.appPassword}`, { path: `/v1/views/${first}`, method, body: {} })).toBe(403)
    expect(await status(basicOf(one), { path: '/v1/views' })).toBe(401)
    await act((tx) => updateUser(tx, one.username, { groups: ['sales'] }))
    expect(await status(basicOf(limited), data(first))).toBe(403)
  })

  sameOnBoth('beside the cookie of another session, which only a request of the console uses', async () => {
    const one = await newHolder()
    await act((tx) => updateUser(tx, one.username, { groups: ['sales'] }))
    const { browser, csrf, ask } = await newOperator(service.app, service.db)
    const read = async (headers: Record<string, string>) => (await browser.send(WAREHOUSES, { headers })).statusCode
    const own = { 'x-csrf-token': csrf }
    expect(await read(own)).toBe(200)
    expect(await read({ authorization: basicOf(one) }), 'the rights of the app password').toBe(403)
    expect(await read({ authorization: basic(one.username, newAppPassword()) })).toBe(401)
    // A browser sends what someone typed in its dialog with every later request.
    expect(await read({ authorization: basicOf(one), ...own }), 'the rights of the session').toBe(200)
    expect(await read({ authorization: basicOf(one), 'x-csrf-token': newSecret() })).toBe(403)
    expect(await read({ authorization: `Bearer ${one.appPassword}`, ...own })).toBe(403)
    const users = await browser.send('/v1/admin/users', { headers: { authorization: basicOf(one), ...own } })
    expect([users.statusCode, (await ask('GET', '/users')).statusCode]).toEqual([200, 200])
    browser.cookies.set('millbook-session', one.appPassword)
    expect((await browser.send('/session')).statusCode, 'it is no session').toBe(401)
    expect(await read({ 'x-csrf-token': csrfOf(one.appPassword) })).toBe(401)
  })

  sameOnBoth('for users whose names have a colon, or are sent in Latin-1', async () => {
    for (const name of [`a:b-${newSecret().slice(0, 6)}`, `Jörg-${newSecret().slice(0, 6)}`]) {
      const { appPassword } = await act(async (tx) => {
        await createUser(tx, name, newSecret())
        return await createAppPassword(tx, name, 'Workbook', { views: null, reports: null })
      })
      expect([name, await status(basic(name, appPassword))]).toEqual([name, 200])
      expect([name, await status(basic(name, appPassword, 'latin1'))]).toEqual([name, 200])
    }
  })
})

describe('a request is refused', () => {
  sameOnBoth("with the user's own password, with words that say what to make, and without checking it", async () => {
    const { username, password } = await service.newCaller()
    const before = await service.db`select count(*)::int as n from sign_in`
    for (const sent of [password, 'wrong', '', 'millbook_short'])
      expect(await refusal(basic(username, sent))).toEqual([
        401,
        BOTH,
        expect.stringMatching(/an app password, not with your own password; make an app password in the console/),
      ])
    for (const authorization of ['Basic !', 'Basic', `Basic ${Buffer.from('nobody').toString('base64')}`])
      expect(await status(authorization)).toBe(401)
    expect(await status(basic('a\0b', newAppPassword()))).toBe(401)
    expect([...(await service.db`select count(*)::int as n from sign_in`)]).toEqual([...before])
  })

  sameOnBoth(
    'without a credential, with both challenges; browsers and routes without Basic get the one of Bearer',
    async () => {
      expect((await refusal(undefined)).slice(0, 2)).toEqual([401, BOTH])
      expect((await refusal(undefined, { path: '/v1/search?q=ab' })).slice(0, 2)).toEqual([401, BOTH])
      for (const headers of [{ 'x-csrf-token': '' }, { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }])
        expect((await refusal(undefined, { headers })).slice(0, 2), 'no dialog in a browser').toEqual([401, BOTH[0]])
      expect((await refusal(undefined, { path: PATH })).slice(0, 2)).toEqual([401, BOTH[0]])
      expect((await refusal('Bearer nonsense')).slice(0, 2)).toEqual([401, `${BOTH[0]}, error="invalid_token"`])
    },
  )

  sameOnBoth('with an unknown app password, and with the one of another user', async () => {
    const [one, two] = [await newHolder(), await newHolder()]
    const other = await refusal(basic(two.username, one.appPassword))
    expect(other).toEqual([401, BOTH, expect.stringContaining('unknown or has ended, or belongs to another user')])
    expect(await refusal(basic(one.username, newAppPassword()))).toEqual(other)
    expect(await refusal(basic(newSecret(), newAppPassword())), 'nor whether the user exists').toEqual(other)
    expect(await refusal(`Bearer ${newAppPassword()}`)).toEqual([
      401,
      `${BOTH[0]}, error="invalid_token"`,
      expect.stringContaining('The app password is unknown or has ended; make a new one'),
    ])
  })

  const ends: [string, (tx: Tx, one: Holder) => Promise<unknown>][] = [
    ['revoked', (tx, { username }) => revokeAppPassword(tx, username, { name: 'Workbook' })],
    ['of a disabled user', (tx, { username }) => disableUser(tx, username)],
    ['of a deleted user', (tx, { username }) => deleteUser(tx, username)],
    ['of a user with a new password', (tx, { username }) => changePassword(tx, username, newSecret())],
    ['of a user whose tokens were revoked', (tx, { username }) => revokeTokensOfUser(tx, username)],
    ['deleted by SQL', (tx, { username }) => tx`delete from app_password where username = ${username}`],
  ]
  it.each(ends)('if it is %s, at once and in every process', async (_how, end) => {
    const one = await newHolder()
    for (const app of [service.app, other]) {
      expect(await status(basicOf(one), { app })).toBe(200)
      expect(await status(`Bearer ${one.appPassword}`, { app })).toBe(200)
    }
    await act((tx) => end(tx, one))
    for (const app of [service.app, other]) {
      expect(await status(basicOf(one), { app })).toBe(401)
      expect(await status(`Bearer ${one.appPassword}`, { app })).toBe(401)
    }
  })

  sameOnBoth('while the client of all app passwords is disabled', async () => {
    const one = await newHolder()
    expect(await status(basicOf(one))).toBe(200)
    await act((tx) => disableClient(tx, 'app-passwords'))
    expect(await status(basicOf(one))).toBe(401)
    await act((tx) => enableClient(tx, 'app-passwords'))
    expect(await status(basicOf(one))).toBe(200)
  })
})

sameOnBoth('has the rights that its user has at the time of the request', async () => {
  const one = await newHolder()
  expect(await status(basicOf(one))).toBe(200)
  await act((tx) => updateUser(tx, one.username, { groups: ['sales'] }))
  const [code, , detail] = await refusal(basicOf(one))
  expect([code, detail]).toEqual([403, expect.stringContaining('This app password is good for sales, not masters')])
  const catalogue = await send(basicOf(one), { path: '/v1/reports' })
  expect(new Set(catalogue.json().data.map(({ group }: { group: string }) => group))).toEqual(new Set(['sales']))
  await act((tx) => updateUser(tx, one.username, { groups: null }))
  expect(await status(basicOf(one))).toBe(200)
  await act((tx) => updateClient(tx, 'app-passwords', { groups: ['sales'] }))
  onTestFinished(async () => void (await act((tx) => updateClient(tx, 'app-passwords', { groups: null }))))
  expect(await status(basicOf(one)), 'an operator can limit all app passwords').toBe(403)
})

sameOnBoth('hides contacts if its user or the client of all app passwords may not see them', async () => {
  const one = await newHolder()
  const hides = async () =>
    (await findAppPassword(service.db, one.appPassword, null, newAddress()))?.caller.hideContacts
  expect(await hides()).toBe(false)
  await act((tx) => updateUser(tx, one.username, { hideContacts: true }))
  expect(await hides()).toBe(true)
  await act((tx) => updateUser(tx, one.username, { hideContacts: false }))
  await act((tx) => updateClient(tx, 'app-passwords', { hideContacts: true }))
  onTestFinished(async () => void (await act((tx) => updateClient(tx, 'app-passwords', { hideContacts: false }))))
  expect(await hides()).toBe(true)
})

/** So that a wait does not end while a slow machine takes its next step. */
const lengthenWaits = (address: string) => service.db`
  update sign_in set failed_at = failed_at + interval '10 seconds', failures = failures + 3 where address = ${address}`

describe('wrong app passwords', () => {
  it('are refused for a growing time after five, for the right one at that address too, and keep nobody from signing in', async () => {
    const one = await newHolder()
    const address = '192.0.2.1'
    const guess = () => status(basic(one.username, newAppPassword()), { address })
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) {
      statuses.push(await guess())
      if (i === 4) await lengthenWaits(address)
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    const refused = await send(basicOf(one), { address })
    expect([refused.statusCode, Number(refused.headers['retry-after'])]).toEqual([429, expect.any(Number)])
    expect(await status(basicOf(one), { address: '192.0.2.2' }), 'elsewhere').toBe(200)
    expect(await status(basicOf(one), { address }), 'an app password in memory').toBe(200)
    const { client_id, client_secret, username, password } = one
    const signedIn = await send(undefined, {
      ...{ path: '/oauth2/token', method: 'POST', address },
      body: { grant_type: 'password', client_id, client_secret, username, password },
    })
    expect(signedIn.statusCode).toBe(200)
  })

  sameOnBoth('of any users count for their address, apart from signing in', async () => {
    const address = '192.0.2.3'
    for (let i = 0; i < 30; i++) expect(await status(basic(`nobody-${i}`, newAppPassword()), { address })).toBe(401)
    await lengthenWaits(address)
    expect(await status(basic('nobody', newAppPassword()), { address })).toBe(429)
    expect(await status(`Bearer ${newAppPassword()}`, { address })).toBe(429)
    const { client_id, client_secret, username, password } = await service.newCaller()
    const body = { grant_type: 'password', client_id, client_secret, username, password }
    expect(await status(undefined, { path: '/oauth2/token', method: 'POST', address, body })).toBe(200)
  })

  sameOnBoth('are in the audit trail with the address, and with the name only if it exists', async () => {
    const one = await newHolder()
    const address = '192.0.2.4'
    const typed = newSecret()
    await send(basic(one.username, newAppPassword()), { address })
    await send(basic(typed, newAppPassword()), { address })
    const entries = await service.db`
      select act, actor, client, username, detail from audit_entry where address = ${address} order by id`
    const refused = {
      act: 'token.refuse',
      actor: 'app-passwords',
      client: 'app-passwords',
      detail: { grant: 'app_password' },
    }
    expect([...entries]).toEqual([
      { ...refused, username: one.username },
      { ...refused, username: null },
    ])
  })
})

sameOnBoth('the app passwords of a user share a rate, which is not that of other users', async () => {
  await untilMinuteHasTime(service.db)
  const app = await buildApp({ database: service.database, reports, logLevel: 'silent', leaseMs: 0, rate: 3 })
  onTestFinished(() => app.close())
  const [one, two] = [await newHolder(), await newHolder()]
  const second = await act((tx) => createAppPassword(tx, one.username, 'Second', { views: null, reports: null }))
  const codes = [
    ...[await status(basicOf(one), { app }), await status(basicOf({ ...one, ...second }), { app })],
    ...[await status(`Bearer ${one.appPassword}`, { app }), await status(basicOf(one), { app })],
  ]
  expect(codes).toEqual([200, 200, 200, 429])
  expect(await status(basicOf(two), { app })).toBe(200)
  await service.db`update rate_use set minute = minute - interval '2 days' where username <> ''`
  await sweep(service.db)
  expect(await service.db`select from rate_use where username <> ''`).toHaveLength(0)
})

it('its last use is recorded, though not by every request', async () => {
  const one = await newHolder()
  const lastUse = async () => {
    const response = await service.call({ path: PATH, token: one.token })
    return response.json().data[0].last_used_at as string | null
  }
  expect(await lastUse()).toBeNull()
  await send(basicOf(one))
  await expect.poll(lastUse).toEqual(expect.any(String))
  const [before] = await service.db`
    update app_password set used_at = '2020-01-01' where id = ${one.id}::uuid returning (select version from access_version)`
  for (let i = 0; i < 3; i++) expect(await status(basicOf(one))).toBe(200)
  expect(await lastUse(), 'this process has recorded one a moment ago').toBe('2020-01-01T00:00:00.000Z')
  expect(await status(basicOf(one), { app: other })).toBe(200)
  await expect.poll(lastUse).not.toBe('2020-01-01T00:00:00.000Z')
  const [after] = await service.db`select version from access_version`
  expect(after, 'recording it makes no process look up its tokens again').toEqual(before)
})

describe('/v1/app-passwords', () => {
  const make = (token: string, body: unknown) =>
    service.app.inject({
      method: 'POST',
      url: PATH,
      headers: { authorization: `Bearer ${token}` },
      payload: body as object,
    })

  it('makes an app password, lists it without the secret, and ends it', async () => {
    const caller = await service.newCaller()
    const made = await make(caller.token, { name: 'Stock workbook', reports: [reports[0]?.id] })
    expect([made.statusCode, made.headers['cache-control']]).toEqual([201, 'no-store'])
    const { id, app_password } = made.json()
    secrets.push(app_password)
    const about = { id, name: 'Stock workbook', username: caller.username, views: null, reports: [reports[0]?.id] }
    expect(made.json()).toEqual({ ...about, app_password: expect.stringMatching(/^millbook_[\w-]{43}$/) })
    const list = await service.call({ path: PATH, token: caller.token })
    expect(list.json()).toEqual({ data: [{ ...about, created_at: expect.stringMatching(/Z$/), last_used_at: null }] })
    expect((await service.call({ path: PATH, token: service.caller.token })).json(), 'of others').toEqual({ data: [] })
    const end = (token: string, which = id) =>
      service.app.inject({ method: 'DELETE', url: `${PATH}/${which}`, headers: { authorization: `Bearer ${token}` } })
    expect((await end(service.caller.token)).statusCode, 'by another user').toBe(404)
    expect((await end(caller.token, 'a%00b')).statusCode).toBe(404)
    const ended = await end(caller.token)
    expect([ended.statusCode, ended.json()]).toEqual([200, { id, name: 'Stock workbook', username: caller.username }])
    expect((await end(caller.token)).statusCode).toBe(404)
    const entries = await service.db`
      select act, actor, client, address, detail from audit_entry
       where username = ${caller.username} and act like 'app-password.%' order by id`
    const by = { actor: caller.username, client: caller.username, address: '127.0.0.1' }
    expect([...entries]).toEqual([
      { act: 'app-password.create', ...by, detail: { id, name: 'Stock workbook', reports: about.reports } },
      { act: 'app-password.revoke', ...by, detail: { id, name: 'Stock workbook' } },
    ])
  })

  sameOnBoth('is for sessions too, with the CSRF token and from pages of this service only', async () => {
    const { browser, csrf, username } = await newOperator(service.app, service.db)
    const json = { name: 'Tableau' }
    expect((await browser.post(PATH, { json })).statusCode).toBe(403)
    const headers = { 'x-csrf-token': csrf }
    expect(
      (await browser.post(PATH, { json, headers: { ...headers, origin: 'https://evil.example' } })).statusCode,
    ).toBe(403)
    const made = await browser.post(PATH, { json, headers })
    expect([made.statusCode, made.json()]).toMatchObject([
      201,
      { username, name: 'Tableau', views: null, reports: null },
    ])
    secrets.push(made.json().app_password)
  })

  sameOnBoth('refuses a wrong body with all its errors, a name twice, and more than 50', async () => {
    const caller = await service.newCaller()
    const wrong = await make(caller.token, {
      name: ' ',
      reports: ['inventory.fg-stok-status'],
      views: [],
      colour: 'red',
    })
    expect([wrong.statusCode, wrong.json().errors]).toEqual([
      422,
      [
        { field: 'name', message: expect.stringContaining('the name of an app password must be 1 to 100') },
        { field: 'views', message: expect.stringContaining('must be a list of 1 to 100 ids') },
        {
          field: 'reports',
          message: expect.stringContaining('there is no report inventory.fg-stok-status (did you mean'),
        },
        { field: 'colour', message: expect.stringContaining('is not a field here') },
      ],
    ])
    expect((await make(caller.token, { name: 'One' })).statusCode).toBe(201)
    const unseen = await make(caller.token, { name: 'View', views: ['q5MNYCuEKb4YhDvk'] })
    expect([unseen.statusCode, unseen.json().errors[0].field]).toEqual([422, 'views'])
    const twice = await make(caller.token, { name: 'One' })
    expect([twice.statusCode, twice.json().detail]).toEqual([
      409,
      expect.stringContaining('already has an app password'),
    ])
    await service.db`
      insert into app_password (username, name, secret_hash)
      select ${caller.username}, 'n' || i, sha256((${caller.username} || i)::bytea) from generate_series(1, 49) i`
    const full = await make(caller.token, { name: 'Two' })
    expect([full.statusCode, full.json().detail]).toEqual([409, expect.stringContaining('has 50 app passwords')])
  })

  sameOnBoth('gives none to a client without a user, nor to a token that may read less than its user', async () => {
    const machine = await service.newCaller({ grants: ['password', 'client_credentials'] })
    const { client_id, client_secret } = machine
    const tokenOf = async (body: object) =>
      (await send(undefined, { path: '/oauth2/token', method: 'POST', body })).json().access_token as string
    const alone = await tokenOf({ grant_type: 'client_credentials', client_id, client_secret })
    const refused = await make(alone, { name: 'Machine' })
    expect([refused.statusCode, refused.json().detail]).toEqual([
      403,
      expect.stringContaining('a client without a user'),
    ])
    const { username, password } = machine
    const narrow = await tokenOf({
      grant_type: 'password',
      client_id,
      client_secret,
      username,
      password,
      scope: 'sales',
    })
    expect((await make(narrow, { name: 'More' })).json().detail).toContain('may read less than an app password')
    await act((tx) => updateUser(tx, username, { groups: ['sales'] }))
    expect((await make(narrow, { name: 'The same' })).statusCode).toBe(201)
    const hiding = await service.newCaller({ hideContacts: true })
    expect((await make(hiding.token, { name: 'Contacts' })).statusCode).toBe(403)
    await act((tx) => updateUser(tx, hiding.username, { hideContacts: true }))
    expect((await make(hiding.token, { name: 'Contacts' })).statusCode).toBe(201)
  })

  sameOnBoth('gives none to a user who is being disabled', async () => {
    const caller = await service.newCaller()
    let made: Promise<unknown> = Promise.resolve()
    await act(async (tx) => {
      await disableUser(tx, caller.username)
      made = expect(
        act((other) => createAppPassword(other, caller.username, 'Late', { views: null, reports: null })),
      ).rejects.toThrow('is disabled')
      if (service.database.engine.name === 'server') await new Promise((resolve) => setTimeout(resolve, 100))
    })
    await made
    expect(await service.db`select from app_password where username = ${caller.username}`).toHaveLength(0)
  })
})

it('no app password is in the database, the log or an error', async () => {
  expect(secrets.length).toBeGreaterThan(7)
  const kept = await service.db<{ row: string }[]>`
    select p::text as row from app_password p union all select e::text from audit_entry e
    union all select s::text from sign_in s`
  const everything = [...lines, ...kept.map(({ row }) => row)].join('\n')
  await expect.poll(() => lines.join('')).toContain('"path":"/v1/app-passwords"')
  expect(secrets.filter((secret) => everything.includes(secret) || everything.includes(secret.slice(9)))).toEqual([])
})
