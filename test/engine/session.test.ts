/** Sessions of the console: signing in, requests with the cookie, signing out, the link that works once. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createAppPassword } from '../../src/access/app-passwords.js'
import { newSecret } from '../../src/access/secrets.js'
import { newTicket } from '../../src/access/sessions.js'
import { checkUser } from '../../src/access/sign-in.js'
import { changePassword, disableUser, updateUser } from '../../src/access/users.js'
import { csrfOf } from '../../src/http/session-cookie.js'
import { reports } from '../../src/reports/index.js'
import { buildApp } from '../../src/runtime/app.js'
import { Browser } from '../setup/browser.js'
import { type Caller, type Service, startService } from '../setup/service.js'

const WAREHOUSES = '/v1/warehouse/warehouse-list'
const STOCK = '/v1/inventory/fg-stock-status'
const COOKIE = 'millbook-session'

let service: Service
let person: Caller
beforeAll(async () => {
  service = await startService()
  person = await service.newCaller()
})
afterAll(() => service.close())

const typed = ({ username, password }: Caller) => ({ username, password })

/** Signs in as a person does, and returns the browser and the last response. */
async function signIn(who = person, back?: string, own = new Browser(service.app)) {
  const begun = await own.send(`/session/begin${back === undefined ? '' : `?return=${encodeURIComponent(back)}`}`)
  const page = await own.send(begun.headers.location as string)
  const submitted = await own.submit(page, typed(who))
  const done = await own.send(submitted.headers.location as string)
  return { own, begun, page, submitted, done }
}

const session = async (own: Browser) => (await own.send('/session')).json()
const csrf = async (own: Browser) => ({ 'x-csrf-token': (await session(own)).csrf as string })
const reads = async (own: Browser, headers: Record<string, string>) =>
  (await own.send(WAREHOUSES, { headers })).statusCode
const cookieSet = (headers: Record<string, unknown>, name: string) =>
  [headers['set-cookie'] as string | string[]].flat().find((cookie) => cookie?.startsWith(`${name}=`))

describe('signing in', () => {
  it('leads through the sign-in page back to the path where it began', async () => {
    const { own, begun, page, submitted, done } = await signIn(person, '/#/sales/invoices?from=2026-04-01')
    expect([begun.statusCode, page.statusCode, submitted.statusCode, done.statusCode]).toEqual([303, 200, 303, 303])
    expect(begun.headers.location).toMatch(/^\/oauth2\/authorize\?response_type=code&client_id=console&/)
    expect(page.body).not.toContain('asks to read')
    expect(done.headers.location).toBe('/#/sales/invoices?from=2026-04-01')
    expect(cookieSet(done.headers, COOKIE)).toMatch(
      /^millbook-session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    )
    expect([...own.cookies.keys()].sort(), 'the verifier is removed').toEqual(['millbook-form', COOKIE])
    for (const { headers } of [begun, submitted, done]) expect(headers['cache-control']).toBe('no-store')
  })

  it('sets only Secure cookies bound to this host over https', async () => {
    const app = await buildApp({
      ...{ database: service.database, reports, logLevel: 'silent', leaseMs: 0 },
      trustedProxies: ['127.0.0.1'],
    })
    const own = new Browser(app)
    const secure = {
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'millbook.example',
      origin: 'https://millbook.example',
    }
    const begun = await own.send('/session/begin', { headers: secure })
    const page = await own.send(begun.headers.location as string, { headers: secure })
    const submitted = await own.submit(page, typed(person), secure)
    const done = await own.send(submitted.headers.location as string, { headers: secure })
    for (const set of [begun, page, done].flatMap(({ headers }) => headers['set-cookie'] ?? []))
      expect(set).toMatch(
        /^__Host-millbook-(begin|form|session)=[\w-]*; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/,
      )
    expect((await own.send('/session', { headers: secure })).statusCode).toBe(200)
    const planted = { ...secure, cookie: `${COOKIE}=${own.cookies.get(`__Host-${COOKIE}`)}` }
    const without = await app.inject({ url: '/session', headers: planted })
    expect(without.statusCode, 'a cookie that another host may have set').toBe(401)
    await app.close()
  })

  it('works from a script, without leaving the page', async () => {
    const own = new Browser(service.app)
    const accept = { accept: 'application/json' }
    const begun = (await own.post('/session/begin')).json()
    expect(begun).toEqual({
      action: '/oauth2/authorize',
      fields: {
        ...{ response_type: 'code', client_id: 'console', code_challenge_method: 'S256' },
        redirect_uri: 'http://millbook.example/session/callback',
        ...{ state: expect.any(String), code_challenge: expect.any(String), form_token: expect.any(String) },
      },
    })
    const wrong = await own.post(begun.action, {
      json: { ...begun.fields, ...typed(person), password: 'no' },
      headers: accept,
    })
    expect([wrong.statusCode, wrong.json().type]).toEqual([401, 'urn:millbook:problem:sign-in-failed'])
    const right = await own.post(begun.action, { json: { ...begun.fields, ...typed(person) }, headers: accept })
    const done = await own.send(right.json().redirect_to, { headers: accept })
    expect([done.statusCode, done.body]).toEqual([204, ''])
    expect((await session(own)).username).toBe(person.username)
    const again = await own.send(right.json().redirect_to, { headers: accept })
    expect([again.statusCode, again.json().type]).toEqual([400, 'urn:millbook:problem:malformed-request'])
  })

  it.each([
    ...['https://evil.example', '//evil.example', '/\\evil.example', '\\\\evil.example', 'evil.example', ''],
    ...['/\t/evil.example', '/\n/evil.example', ' /', '/a b', '/é', 'javascript:alert(1)', `/${'x'.repeat(2001)}`],
  ])('does not lead to %j', async (back) => {
    const response = await new Browser(service.app).send(`/session/begin?return=${encodeURIComponent(back)}`)
    expect([response.statusCode, response.headers.location, response.headers['set-cookie']]).toEqual([
      400,
      undefined,
      undefined,
    ])
    const own = new Browser(service.app)
    const begun = await own.send('/session/begin')
    const { state, verifier } = JSON.parse(
      Buffer.from(own.cookies.get('millbook-begin') as string, 'base64url').toString(),
    )
    own.cookies.set('millbook-begin', Buffer.from(JSON.stringify({ state, verifier, back })).toString('base64url'))
    const submitted = await own.submit(await own.send(begun.headers.location as string), typed(person))
    const done = await own.send(submitted.headers.location as string)
    expect([done.statusCode, done.headers.location], 'nor by a planted cookie').toEqual([400, undefined])
  })

  it('cannot be completed by another browser, without its state, twice, or with a code from another sign-in', async () => {
    const start = async () => {
      const own = new Browser(service.app)
      const begun = await own.send('/session/begin')
      const submitted = await own.submit(await own.send(begun.headers.location as string), typed(person))
      return { own, back: new URL(submitted.headers.location as string) }
    }
    const refused = async (own: Browser, url: URL) => {
      const response = await own.send(url.href)
      expect(response.body).toMatch(/role="alert"[\s\S]*href="\/session\/begin">Sign in again/)
      expect(own.cookies.has(COOKIE)).toBe(false)
      return response.statusCode
    }
    const { own: victim, back: attackers } = await start()
    expect(await refused(new Browser(service.app), attackers), 'login CSRF').toBe(400)
    const other = await start()
    other.back.searchParams.set('code', attackers.searchParams.get('code') as string)
    expect(await refused(other.own, other.back), 'an injected code has another verifier').toBe(401)
    expect(await refused(victim, attackers), 'the failed attempt ended the code').toBe(401)
    const changed = await start()
    changed.back.searchParams.set('state', newSecret())
    expect(await refused(changed.own, changed.back)).toBe(400)
    const mixed = await start()
    mixed.back.searchParams.set('iss', 'https://evil.example')
    expect(await refused(mixed.own, mixed.back)).toBe(401)
    const denied = await start()
    for (const name of ['code', 'iss']) denied.back.searchParams.delete(name)
    denied.back.searchParams.set('error', 'access_denied')
    denied.back.searchParams.set('error_description', '<b>no</b>')
    expect(await refused(denied.own, denied.back)).toBe(403)
  })

  it('ends the session that the browser had before, at once, as signing out does', async () => {
    // A process that trusts what it knows until it forgets it.
    const database = { ...service.database, listen: async () => ({ end: async () => {} }) }
    const app = await buildApp({ database, reports, logLevel: 'silent', leaseMs: Number.POSITIVE_INFINITY })
    onTestFinished(() => app.close())
    const { own } = await signIn(person, undefined, new Browser(app))
    const former = new Browser(app)
    for (const end of [
      () => signIn(person, undefined, own),
      async () => own.post('/session/end', { headers: await csrf(own) }),
    ]) {
      const before = own.cookies.get(COOKIE) as string
      former.cookies.set(COOKIE, before)
      const headers = await csrf(former)
      expect(await reads(former, headers)).toBe(200)
      await end()
      expect(own.cookies.get(COOKIE)).not.toBe(before)
      expect(await reads(former, headers)).toBe(401)
    }
  })
})

describe('GET /session', () => {
  it('returns the user and the rights of the session', async () => {
    const who = await service.newCaller()
    await service.db.begin((tx) =>
      updateUser(tx, who.username, { role: 'operator', groups: ['masters', 'sales'], hideContacts: true }),
    )
    const { own } = await signIn(who)
    const response = await own.send('/session')
    expect(response.json()).toEqual({
      ...{ username: who.username, role: 'operator', groups: ['masters', 'sales'], hide_contacts: true },
      ...{ expires_at: expect.stringMatching(/^\d{4}-.*Z$/), csrf: expect.stringMatching(/^[\w-]{43}$/) },
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      ...{ data_version: 0, loaded_at: expect.stringMatching(/^\d{4}-.*Z$/), time_zone: 'UTC', has_data: false },
      ...{ account: 'Unnamed account', currency: 'INR', year_begins: 4 },
    })
    const hours = (Date.parse(response.json().expires_at) - Date.now()) / 3_600_000
    expect(hours).toBeGreaterThan(11.9)
    expect(hours).toBeLessThanOrEqual(12)
    expect(response.body).not.toContain(own.cookies.get(COOKIE))
  })

  it('is 401 without the cookie, with its value in a header or URL, or with the token of a program', async () => {
    const own = new Browser(service.app)
    const nothing = await own.send('/session')
    expect([nothing.statusCode, nothing.headers['www-authenticate']]).toEqual([
      401,
      'Bearer realm="millbook", resource_metadata="http://millbook.example/.well-known/oauth-protected-resource"',
    ])
    expect((await own.send('/session', { headers: { authorization: `Bearer ${person.token}` } })).statusCode).toBe(401)
    own.cookies.set(COOKIE, person.token)
    expect((await own.send('/session')).statusCode).toBe(401)
    own.cookies.set(COOKIE, '"><\u0001')
    expect((await own.send('/session')).statusCode).toBe(401)
  })
})

describe('a request with the cookie', () => {
  it('is answered like a request with a token, if it has the CSRF token of the session', async () => {
    const { own } = await signIn()
    const headers = await csrf(own)
    expect(await reads(own, headers)).toBe(200)
    const range = { type: 'FG', tax: 0, from_date: '2026-04-01', to_date: '2026-04-30' }
    expect((await own.post(STOCK, { json: range, headers })).statusCode).toBe(200)
  })

  it('is refused with 403 without a CSRF token, with a wrong one, and with the one of another session', async () => {
    const [{ own }, { own: other }] = [await signIn(), await signIn()]
    for (const headers of [{}, { 'x-csrf-token': '' }, { 'x-csrf-token': newSecret() }, await csrf(other)]) {
      const response = await own.send(WAREHOUSES, { headers: headers as Record<string, string> })
      expect([response.statusCode, response.json().type]).toEqual([403, 'urn:millbook:problem:csrf-token-required'])
      expect(response.json().detail).toMatch(/needs the header X-CSRF-Token.*GET \/session returns it as csrf\.$/)
    }
  })

  it('uses the Authorization header if it has one, and never accepts the token of a program in the cookie', async () => {
    const { own } = await signIn()
    expect(await reads(own, { authorization: `Bearer ${person.token}` })).toBe(200)
    expect(await reads(own, { authorization: 'Bearer nonsense', ...(await csrf(own)) })).toBe(401)
    own.cookies.set(COOKIE, person.token)
    expect(await reads(own, { 'x-csrf-token': csrfOf(person.token) })).toBe(401)
  })

  it('needs a right to the group', async () => {
    const who = await service.newCaller()
    await service.db.begin((tx) => updateUser(tx, who.username, { groups: ['sales'] }))
    const { own } = await signIn(who)
    const response = await own.send(WAREHOUSES, { headers: await csrf(own) })
    expect([response.statusCode, response.json().detail]).toEqual([
      403,
      expect.stringContaining('good for sales, not masters'),
    ])
  })

  it.each(['expired', 'of a disabled user', 'of a new password'])('gets 401 when its session is %s', async (how) => {
    const who = await service.newCaller()
    const { own } = await signIn(who)
    const headers = await csrf(own)
    expect(await reads(own, headers)).toBe(200)
    if (how === 'expired') await service.db`update api_token set expires_at = now() where username = ${who.username}`
    else if (how === 'of a disabled user') await service.db.begin((tx) => disableUser(tx, who.username))
    else await service.db.begin((tx) => changePassword(tx, who.username, newSecret()))
    await expect.poll(() => reads(own, headers)).toBe(401)
    expect((await own.send('/session')).statusCode).toBe(401)
  })
})

describe('a new password of one’s own', () => {
  const change = (own: Browser, headers: Record<string, string>, json: unknown) =>
    own.post('/session/password', { json, headers })

  it('ends every other session, token and app password, and keeps this browser signed in', async () => {
    const who = await service.newCaller()
    const [{ own }, { own: elsewhere }] = [await signIn(who), await signIn(who)]
    await service.db.begin((tx) => createAppPassword(tx, who.username, 'Workbook', { views: null, reports: null }))
    const [before, headers] = [own.cookies.get(COOKIE), await csrf(own)]
    const new_password = newSecret()
    const response = await change(own, headers, { old_password: who.password, new_password })
    expect([response.statusCode, response.headers['cache-control']]).toEqual([200, 'no-store'])
    // Two sessions, and the access and refresh token of the program.
    expect(response.json()).toEqual({ tokens_ended: 4, app_passwords_ended: 1 })
    expect(own.cookies.get(COOKIE)).not.toBe(before)
    expect((await session(own)).username).toBe(who.username)
    expect(await reads(own, await csrf(own))).toBe(200)
    expect((await elsewhere.send('/session')).statusCode).toBe(401)
    await expect.poll(() => reads(own, { authorization: `Bearer ${who.token}` })).toBe(401)
    const { username } = who
    const matches = async (password: string) => (await checkUser(service.db, username, password)) !== undefined
    expect([await matches(who.password), await matches(new_password)]).toEqual([false, true])
    const trail = await service.db`
      select act, actor, address, detail from audit_entry where username = ${who.username} and act = 'user.passwd'`
    expect(trail).toEqual([
      {
        act: 'user.passwd',
        actor: who.username,
        address: '127.0.0.1',
        detail: { tokens_ended: 4, app_passwords_ended: 1 },
      },
    ])
  })

  it('keeps the limits of the session', async () => {
    const who = await service.newCaller()
    const { own } = await signIn(who)
    await service.db`update api_token set groups = '{sales}' where username = ${who.username} and client_id = 'console'`
    await change(own, await csrf(own), { old_password: who.password, new_password: newSecret() })
    expect((await session(own)).groups).toEqual(['sales'])
  })

  it.each([
    [{}, ['old_password', 'new_password']],
    [{ old_password: 'a', new_password: 1 }, ['new_password']],
    [{ old_password: 'a', new_password: 'long enough', more: 1 }, ['more']],
    [{ old_password: 'not the password', new_password: 'long enough' }, ['old_password']],
    [{ old_password: 'same as before', new_password: 'same as before' }, ['new_password']],
    [{ old_password: 'a', new_password: 'short' }, ['new_password']],
    [{ old_password: 'a', new_password: `line\nfeed long` }, ['new_password']],
  ])('refuses %j', async (sent, fields) => {
    const who = await service.newCaller()
    const { own } = await signIn(who)
    const response = await change(own, await csrf(own), sent)
    expect([response.statusCode, response.json().errors.map(({ field }: { field: string }) => field)]).toEqual([
      ...[422, fields],
    ])
    expect(response.body).not.toContain('not the password')
    expect((await own.send('/session')).statusCode).toBe(200)
  })

  it('has the limits on guessing of the sign-in page, and an entry in the audit trail for each wrong guess', async () => {
    const who = await service.newCaller()
    const { own } = await signIn(who)
    const headers = await csrf(own)
    const guess = async (old_password: string) =>
      (await change(own, headers, { old_password, new_password: 'long enough' })).statusCode
    const answers: number[] = []
    while (answers.length < 20 && !answers.includes(429)) answers.push(await guess(`wrong ${answers.length}`))
    expect(answers.at(-1)).toBe(429)
    // However long this takes, the last failure was just now.
    await service.db`update sign_in set failed_at = now() + interval '1 minute' where failures > 0`
    expect(new Set(answers.slice(0, -1))).toEqual(new Set([422]))
    expect(await guess(who.password), 'the right one has to wait too').toBe(429)
    const [{ count } = {}] = await service.db<{ count: number }[]>`
      select count(*)::int from audit_entry
       where username = ${who.username} and act = 'token.refuse' and detail->>'grant' = 'new_password'`
    expect(count).toBe(answers.length - 1)
  })

  it('needs a session, its CSRF token, and a page of the service', async () => {
    const { own } = await signIn()
    const sent = { old_password: person.password, new_password: 'long enough' }
    expect((await change(new Browser(service.app), {}, sent)).statusCode).toBe(401)
    expect((await change(own, {}, sent)).statusCode).toBe(403)
    expect((await change(own, { ...(await csrf(own)), 'sec-fetch-site': 'cross-site' }, sent)).statusCode).toBe(403)
    expect((await change(own, { authorization: `Bearer ${person.token}` }, sent)).statusCode).toBe(403)
    expect((await own.send('/session')).statusCode).toBe(200)
  })
})

describe('signing out', () => {
  it('revokes the token at once and clears the cookie, with the CSRF token only', async () => {
    const { own } = await signIn()
    const [token, headers] = [own.cookies.get(COOKIE) as string, await csrf(own)]
    expect(await reads(own, headers)).toBe(200)
    expect((await own.post('/session/end')).statusCode).toBe(403)
    expect(
      (await own.post('/session/end', { headers: { ...headers, 'sec-fetch-site': 'cross-site' } })).statusCode,
    ).toBe(403)
    expect(await reads(own, headers)).toBe(200)
    const ended = await own.post('/session/end', { headers })
    expect([ended.statusCode, cookieSet(ended.headers, COOKIE)]).toEqual([204, expect.stringContaining('Max-Age=0')])
    expect(own.cookies.has(COOKIE)).toBe(false)
    expect((await service.call({ path: WAREHOUSES, token })).statusCode).toBe(401)
    expect((await own.post('/session/end')).statusCode, 'twice').toBe(204)
    const trail = await service.db`
      select act from audit_entry where client = 'console' and username = ${person.username} order by id desc limit 1`
    expect(trail[0]).toEqual({ act: 'token.revoke' })
  })
})

it('no token is accepted in a URL', async () => {
  const { own } = await signIn()
  const token = own.cookies.get(COOKIE) as string
  const bare = new Browser(service.app)
  for (const name of ['access_token', 'token', 'csrf', COOKIE, 'authorization']) {
    const query = `?${name}=${encodeURIComponent(name === 'authorization' ? `Bearer ${token}` : token)}`
    for (const path of [WAREHOUSES, '/session']) expect((await bare.send(path + query)).statusCode).toBe(401)
    expect((await bare.post(STOCK + query, { json: {} })).statusCode).toBe(401)
  }
  const inBody = await bare.post(STOCK, { json: { access_token: token } })
  expect(inBody.statusCode).toBe(401)
})

it('CORS never allows credentials or the CSRF header, even for an allowed origin', async () => {
  const app = await buildApp({
    ...{ database: service.database, reports, logLevel: 'silent', leaseMs: 0, corsOrigins: ['https://other.example'] },
  })
  const headers = {
    origin: 'https://other.example',
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'x-csrf-token',
  }
  for (const url of ['/session', WAREHOUSES, '/session/end', '/oauth2/authorize']) {
    const preflight = await app.inject({ method: 'OPTIONS', url, headers })
    expect(preflight.headers['access-control-allow-credentials']).toBeUndefined()
    expect(preflight.headers['access-control-allow-headers']).not.toMatch(/csrf/i)
  }
  await app.close()
})

describe('a link that opens the console', () => {
  const newLink = (who = person) => service.db.begin((tx) => newTicket(tx, who.username))
  const open = (own: Browser, json: unknown, headers: Record<string, string> = {}) =>
    own.post('/session/open', { json, headers })

  it('works once', async () => {
    const [own, ticket] = [new Browser(service.app), await newLink()]
    expect((await open(own, { ticket })).statusCode).toBe(204)
    expect((await session(own)).username).toBe(person.username)
    expect(await reads(own, await csrf(own))).toBe(200)
    const again = await open(new Browser(service.app), { ticket })
    expect([again.statusCode, again.json().type]).toEqual([410, 'urn:millbook:problem:link-ended'])
    const [entry] = await service.db`
      select detail->>'grant' as grant from audit_entry where act = 'token.issue' and client = 'console' order by id desc limit 1`
    expect(entry).toEqual({ grant: 'link' })
    const rows = await service.db.unsafe<{ row: string }[]>('select l::text as row from sign_in_link l')
    expect(rows.some(({ row }) => row.includes(ticket))).toBe(false)
  })

  it('opens only one of several browsers that use it at once', async () => {
    const ticket = await newLink()
    const answers = await Promise.all([1, 2, 3].map(() => open(new Browser(service.app), { ticket })))
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([204, 410, 410])
  })

  it('works for an hour, while its user is enabled and keeps the password', async () => {
    const status = async (ticket: string) => (await open(new Browser(service.app), { ticket })).statusCode
    const late = await newLink()
    await service.db`update sign_in_link set expires_at = expires_at - interval '1 hour 1 second'`
    expect(await status(late)).toBe(410)
    const [one, other] = [await service.newCaller(), await service.newCaller()]
    const links = [await newLink(one), await newLink(other)]
    await service.db.begin((tx) => disableUser(tx, one.username))
    await service.db.begin((tx) => changePassword(tx, other.username, newSecret()))
    for (const ticket of links) expect(await status(ticket)).toBe(410)
    await expect(newLink(one)).rejects.toThrow(`${one.username} is disabled; run millbook user enable first`)
  })

  it('works only on this machine and from a page of the service; a refused request does not use it up', async () => {
    const ticket = await newLink()
    const refused: [Browser, Record<string, string>][] = [
      [new Browser(service.app, '192.0.2.1'), {}],
      [new Browser(service.app, '::ffff:192.0.2.1'), {}],
      [new Browser(service.app), { 'x-forwarded-for': '127.0.0.1' }],
      [new Browser(service.app), { 'x-forwarded-host': 'millbook.example' }],
      [new Browser(service.app), { forwarded: 'for=127.0.0.1' }],
      [new Browser(service.app), { origin: 'https://evil.example' }],
      [new Browser(service.app), { 'sec-fetch-site': 'cross-site' }],
      [new Browser(service.app), { 'sec-fetch-site': 'same-origin', origin: 'https://proxy.example' }],
    ]
    for (const [own, headers] of refused) {
      const response = await open(own, { ticket }, headers)
      expect([headers, response.statusCode, own.cookies.size]).toEqual([headers, 403, 0])
    }
    for (const body of [{}, { ticket: 1 }, { ticket: '' }])
      expect((await open(new Browser(service.app), body)).statusCode).toBe(400)
    const form = await new Browser(service.app).post('/session/open', { form: { ticket } })
    expect(form.statusCode, 'a form of another site').toBe(415)
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
      expect((await open(new Browser(service.app, address), { ticket: await newLink() })).statusCode).toBe(204)
    expect((await open(new Browser(service.app), { ticket })).statusCode).toBe(204)
  })
})
