/** The authorization endpoint and the code grant keep to the standards and withstand known attacks. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sweep } from '../../src/access/cleanup.js'
import { createClient, createPublicClient, disableClient, updateClient } from '../../src/access/clients.js'
import { newSecret } from '../../src/access/secrets.js'
import { challengeOf } from '../../src/access/sessions.js'
import { findToken } from '../../src/access/tokens.js'
import { changePassword, disableUser, updateUser } from '../../src/access/users.js'
import { Browser } from '../setup/browser.js'
import { type Caller, type Service, startService } from '../setup/service.js'

const CALLBACK = 'https://program.example/callback'
const HTML_NAME = 'A <script>alert("1")</script> & \'B\''
const WAREHOUSES = '/v1/warehouse/warehouse-list'

let service: Service
let clientId: string
let person: Caller
beforeAll(async () => {
  service = await startService()
  person = await service.newCaller()
  const made = await service.db.begin((tx) =>
    createPublicClient(tx, {
      name: 'A program',
      redirectUris: [
        CALLBACK,
        'http://127.0.0.1/cb',
        'http://[::1]:1/cb',
        'com.example.program:/cb',
        `${CALLBACK}?a=1`,
      ],
    }),
  )
  clientId = made.clientId
})
afterAll(() => service.close())

const verifier = newSecret()
const usual = () => ({
  response_type: 'code',
  client_id: clientId,
  redirect_uri: CALLBACK,
  state: 'a state',
  code_challenge: challengeOf(verifier),
  code_challenge_method: 'S256',
})
const url = (parameters: Record<string, string>) => `/oauth2/authorize?${new URLSearchParams(parameters)}`
const browser = (address?: string) => new Browser(service.app, address)
const typed = ({ username, password }: Caller) => ({ username, password })

/** Signs a person in and returns the parameters of the redirect. */
async function authorize(change: Record<string, string> = {}, who = person): Promise<URLSearchParams> {
  const own = browser()
  const response = await own.submit(await own.send(url({ ...usual(), ...change })), typed(who))
  expect([response.statusCode, response.body]).toEqual([303, ''])
  const to = new URL(response.headers.location as string)
  expect(to.href.startsWith(change['redirect_uri'] ?? CALLBACK)).toBe(true)
  return to.searchParams
}

const token = async (body: Record<string, string>) => {
  const response = await service.call({ method: 'POST', path: '/oauth2/token', body, token: null })
  return { status: response.statusCode, ...response.json() }
}
const exchange = (code: string, change: Record<string, string> = {}) =>
  token({
    ...{ grant_type: 'authorization_code', client_id: clientId, code, redirect_uri: CALLBACK, code_verifier: verifier },
    ...change,
  })
const codeFor = async (change?: Record<string, string>, who?: Caller) =>
  (await authorize(change, who)).get('code') as string
const works = async (withToken: string) => (await service.call({ path: WAREHOUSES, token: withToken })).statusCode
const ends = (withToken: string) => expect.poll(() => works(withToken)).toBe(401)

describe('a person signs in for a program', () => {
  it('which gets a code with state and issuer (RFC 9207), and exchanges it for tokens of that person', async () => {
    const back = await authorize()
    expect([...back.keys()]).toEqual(['code', 'state', 'iss'])
    expect([back.get('state'), back.get('iss')]).toEqual(['a state', 'http://millbook.example'])
    const issued = await exchange(back.get('code') as string)
    expect(issued).toEqual({
      ...{ status: 200, expires_in: 86_400, token_type: 'Bearer', scope: null },
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(await works(issued.access_token)).toBe(200)
    const [entry] = await service.db`
      select username, detail->>'grant' as grant from audit_entry where act = 'token.issue' and client = 'A program'`
    expect(entry).toEqual({ username: person.username, grant: 'authorization_code' })
  })

  it('with a secret, if the program has one; then its refresh token stays valid', async () => {
    const client = await service.db.begin((tx) =>
      createClient(tx, { name: 'Server side', redirectUris: [CALLBACK], groups: ['masters', 'sales'] }),
    )
    const own = { client_id: client.clientId }
    const code = await codeFor({ ...own, scope: 'masters' })
    expect((await exchange(code, own)).error).toBe('invalid_client')
    const secret = { ...own, client_secret: client.clientSecret }
    const issued = await exchange(code, secret)
    expect([issued.status, issued.scope]).toEqual([200, 'masters'])
    const refresh = { grant_type: 'refresh_token', refresh_token: issued.refresh_token, ...secret }
    for (let round = 0; round < 2; round++) {
      const again = await token(refresh)
      expect([again.status, again.scope, again.refresh_token]).toEqual([200, 'masters', undefined])
    }
    const revoked = await service.call({
      ...{ method: 'POST', path: '/oauth2/revoke', token: null },
      body: { ...secret, token: issued.refresh_token },
    })
    expect([revoked.statusCode, await works(issued.access_token)]).toEqual([200, 401])
  })

  it('with a loopback address of any port (RFC 8252 §7.3), a private scheme, or a query', async () => {
    for (const redirect_uri of [
      ...['http://127.0.0.1:51004/cb', 'http://127.0.0.1/cb', 'http://[::1]:51004/cb', 'com.example.program:/cb'],
      `${CALLBACK}?a=1`,
    ]) {
      const back = await authorize({ redirect_uri })
      if (redirect_uri.includes('?')) expect(back.get('a')).toBe('1')
      expect((await exchange(back.get('code') as string, { redirect_uri })).status).toBe(200)
    }
  })

  it('on a page without scripts, inline styles and frames, whose form may redirect only to the program', async () => {
    const page = await browser().send(url({ ...usual(), scope: 'sales grn' }))
    expect(page.statusCode).toBe(200)
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none';style-src 'self';img-src 'self';form-action 'self' https://program.example;base-uri 'none';frame-ancestors 'none'",
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
    })
    expect(page.body).not.toMatch(/<script|<style|style=|\son\w+=/)
    expect(page.body).toMatch(/<strong>A program<\/strong> asks/)
    expect([...page.body.matchAll(/<li>([^<]+)/g)].map(([, words]) => words)).toEqual([
      'Goods receipts',
      'Sales and margins',
    ])
    for (const name of ['username', 'password']) {
      expect(page.body).toContain(`<label for="${name}">`)
      expect(page.body).toMatch(new RegExp(`<input id="${name}" [^>]*autocomplete="(username|current-password)"`))
    }
    const [, href = ''] = /rel="stylesheet" href="([^"]+)"/.exec(page.body) ?? []
    const style = await browser().send(href)
    expect([style.statusCode, style.headers['content-type']]).toEqual([200, 'text/css; charset=utf-8'])
  })

  it('and cancels', async () => {
    const page = await browser().send(url(usual()))
    const [, href = ''] = /class="cancel"><a href="([^"]+)"/.exec(page.body) ?? []
    const { searchParams } = new URL(href.replaceAll('&amp;', '&'))
    expect([searchParams.get('error'), searchParams.get('state')]).toEqual(['access_denied', 'a state'])
  })

  it('by JSON from a script of the same origin', async () => {
    const own = browser()
    const page = await own.send(url(usual()))
    const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(page.body) ?? []
    const headers = { accept: 'application/json' }
    const post = (json: object) => own.post('/oauth2/authorize', { json, headers })
    const done = await post({ ...usual(), ...typed(person), form_token })
    expect([done.statusCode, Object.keys(done.json())]).toEqual([200, ['redirect_to']])
    const code = new URL(done.json().redirect_to).searchParams.get('code') as string
    expect((await exchange(code)).status).toBe(200)
    const wrong: [object, number, string][] = [
      [{ ...usual(), ...typed(person), password: 'wrong', form_token }, 401, 'sign-in-failed'],
      [{ ...usual(), ...typed(person) }, 403, 'forbidden'],
      [{ ...usual(), ...typed(person), form_token, scope: 'everything' }, 400, 'malformed-request'],
      [{ ...usual(), ...typed(person), form_token, redirect_uri: 'https://evil.example/' }, 400, 'malformed-request'],
      [{ ...usual(), ...typed(person), form_token, username: { $ne: '' } }, 401, 'sign-in-failed'],
      [{ ...usual(), ...typed(person), form_token, username: 'a\0b' }, 401, 'sign-in-failed'],
    ]
    for (const [body, status, problem] of wrong) {
      const response = await post(body)
      expect([response.statusCode, response.json().type]).toEqual([status, `urn:millbook:problem:${problem}`])
      expect(response.headers['content-type']).toMatch(/^application\/problem\+json/)
    }
  })
})

describe('never a redirect, but a page', () => {
  const evil: [string, string][] = [
    ['another host', 'https://evil.example/callback'],
    ['a suffix', `${CALLBACK}/more`],
    ['a query', `${CALLBACK}?next=https://evil.example`],
    ['a fragment', `${CALLBACK}#x`],
    ['another case', 'https://program.example/Callback'],
    ['another case of the host', 'https://PROGRAM.example/callback'],
    ['a host that begins with the one registered', 'https://program.example.evil.example/callback'],
    ['a user name', 'https://program.example@evil.example/callback'],
    ['a path that leads there', 'https://program.example/x/../callback'],
    ['an encoded path', 'https://program.example/%63allback'],
    ['another scheme', 'http://program.example/callback'],
    ['another port of a host', 'https://program.example:444/callback'],
    ['a name for the machine itself', 'http://localhost:51004/cb'],
    ['another loopback address', 'http://127.0.0.2:51004/cb'],
    ['another loopback path', 'http://127.0.0.1:51004/cb2'],
    ['a loopback host with a user name', 'http://127.0.0.1:1@evil.example/cb'],
    ['script', 'javascript:alert(1)'],
    ['a path of this service', '/session/callback'],
    ['another program', 'http://millbook.example/session/callback'],
    ['spaces', ` ${CALLBACK}`],
    ['a line break', `${CALLBACK}\r\nset-cookie: a=b`],
    ['nothing', ''],
  ]
  it.each(evil)('for a redirect URI with %s', async (_name, redirect_uri) => {
    const own = browser()
    const shown = await own.send(url({ ...usual(), redirect_uri }))
    const posted = await own.submit(await own.send(url(usual())), { ...typed(person), redirect_uri })
    for (const response of [shown, posted]) {
      expect([response.statusCode, response.headers.location]).toEqual([400, undefined])
      expect(response.headers['content-type']).toMatch(/^text\/html/)
      expect(response.body).toMatch(/role="alert">(The redirect_uri is not registered|redirect_uri is missing)/)
    }
  })

  it('for an unknown or disabled client, and for a repeated client_id or redirect_uri', async () => {
    const other = await service.db.begin((tx) => createPublicClient(tx, { name: 'Closed', redirectUris: [CALLBACK] }))
    await service.db.begin((tx) => disableClient(tx, other.clientId))
    const addresses = [
      ...['nobody', 'a\0b', '', other.clientId].map((client_id) => url({ ...usual(), client_id })),
      `${url(usual())}&client_id=${clientId}`,
      `${url(usual())}&redirect_uri=${encodeURIComponent(CALLBACK)}`,
      '/oauth2/authorize',
    ]
    for (const address of addresses) {
      const response = await browser().send(address)
      expect([response.statusCode, response.headers.location]).toEqual([400, undefined])
    }
  })

  it('and nothing of the request becomes HTML', async () => {
    const { clientId: client_id } = await service.db.begin((tx) =>
      createPublicClient(tx, { name: HTML_NAME, redirectUris: [CALLBACK] }),
    )
    const own = browser()
    const state = '"><img src=x onerror=alert(1)>'
    const page = await own.send(url({ ...usual(), client_id, state }))
    expect(page.body).toContain('A &lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;B&#39;')
    const again = await own.submit(page, { username: `"><script>`, password: 'wrong' })
    const refused = await own.send(url({ ...usual(), client_id, redirect_uri: 'https://evil.example' }))
    for (const { body } of [page, again, refused]) expect(body).not.toMatch(/<script|<img src=x/)
    expect(again.body).toContain('value="&quot;&gt;&lt;script&gt;"')
  })
})

describe('the redirect tells the program (RFC 6749 §4.1.2.1)', () => {
  const wrong: [string, Record<string, string>, string][] = [
    ['no response_type', { response_type: '' }, 'invalid_request'],
    ['response_type token', { response_type: 'token' }, 'unsupported_response_type'],
    ['no PKCE', { code_challenge: '', code_challenge_method: '' }, 'invalid_request'],
    ['PKCE without its method', { code_challenge_method: '' }, 'invalid_request'],
    ['PKCE with the method plain', { code_challenge_method: 'plain', code_challenge: verifier }, 'invalid_request'],
    ['a challenge that is none', { code_challenge: 'short' }, 'invalid_request'],
    ['an unknown group', { scope: 'sales everything' }, 'invalid_scope'],
    ['a state that cannot be sent back', { state: 'a\u0007' }, 'invalid_request'],
  ]
  it.each(wrong)('%s', async (_name, change, error) => {
    const own = browser()
    const shown = await own.send(url({ ...usual(), ...change }))
    const posted = await own.submit(await own.send(url(usual())), { ...typed(person), ...change })
    for (const response of [shown, posted]) {
      expect(response.statusCode).toBe(303)
      const { searchParams, origin } = new URL(response.headers.location as string)
      expect([origin, searchParams.get('error'), searchParams.get('iss'), searchParams.get('code')]).toEqual([
        ...['https://program.example', error, 'http://millbook.example', null],
      ])
      expect(searchParams.get('state')).toBe(change['state'] === undefined ? 'a state' : null)
      expect(searchParams.get('error_description')).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]{20,}$/)
    }
  })

  it('a repeated parameter, and a client without the grant', async () => {
    const twice = await browser().send(`${url(usual())}&scope=sales&scope=grn`)
    expect(new URL(twice.headers.location as string).searchParams.get('error')).toBe('invalid_request')
    const { clientId: client_id } = await service.db.begin((tx) =>
      createClient(tx, { name: 'Once', redirectUris: [CALLBACK] }),
    )
    await service.db.begin((tx) => updateClient(tx, client_id, { grants: ['password'] }))
    const page = await browser().send(url({ ...usual(), client_id }))
    expect([page.statusCode, page.headers.location]).toEqual([400, undefined]) // removing the grant removed its redirect URI
  })
})

describe('the form', () => {
  it('is refused if a page of another site sends it, or one without the cookie of this browser', async () => {
    const own = browser()
    const page = await own.send(url(usual()))
    const attacks: [string, Record<string, string>, Record<string, string>][] = [
      ['Sec-Fetch-Site', { 'sec-fetch-site': 'cross-site' }, {}],
      ['same site, another origin', { 'sec-fetch-site': 'same-site' }, {}],
      ['Origin', { origin: 'https://evil.example' }, {}],
      ['Origin: null', { origin: 'null' }, {}],
      ['without a form token', {}, { form_token: '' }],
      ['with a wrong form token', {}, { form_token: newSecret() }],
    ]
    for (const [name, headers, fields] of attacks) {
      const response = await own.submit(page, { ...typed(person), ...fields }, headers)
      expect([name, response.statusCode, response.headers.location]).toEqual([name, 403, undefined])
      expect(response.body).toMatch(/role="alert"/)
    }
    const elsewhere = await browser().submit(page, typed(person))
    expect([elsewhere.statusCode, elsewhere.headers.location]).toEqual([403, undefined])
    expect((await own.submit(page, typed(person), { 'sec-fetch-site': 'same-origin' })).statusCode).toBe(303)
  })

  it('comes again with a wrong password (401), and says how long to wait after several (429)', async () => {
    const [own, who] = [browser('192.0.2.77'), await service.newCaller()]
    let page = await own.send(url(usual()))
    for (let i = 0; i < 5; i++) {
      page = await own.submit(page, { username: who.username, password: 'wrong' })
      expect(page.statusCode).toBe(401)
      expect(page.body).toMatch(/role="alert" id="alert">The username is unknown, the password is wrong/)
      expect(page.body).toContain(`value="${who.username}"`)
      expect(page.body).not.toContain('value="wrong"')
    }
    await service.db`update sign_in set failures = failures + 6 where failures = 5`
    const locked = await own.submit(page, typed(who))
    expect([locked.statusCode, Number(locked.headers['retry-after'])]).toEqual([429, expect.any(Number)])
    expect(locked.body).toMatch(/role="alert" id="alert">Too many sign-in attempts failed; try again in \d+ seconds/)
    const byPassword = await service.app.inject({
      ...{ method: 'POST', url: '/oauth2/token', remoteAddress: '192.0.2.77' },
      payload: { grant_type: 'password', ...who },
    })
    expect(byPassword.statusCode, 'the limits count for both ways of signing in').toBe(429)
    const json = await own.post('/oauth2/authorize', {
      json: { ...usual(), ...typed(who), form_token: [...own.cookies.values()][0] },
      headers: { accept: 'application/json' },
    })
    expect([json.statusCode, json.json().type, Number(json.headers['retry-after']) > 1]).toEqual([
      ...[429, 'urn:millbook:problem:too-many-requests', true],
    ])
  })

  it('failures at the token endpoint count here too', async () => {
    const [own, who] = [browser('192.0.2.78'), await service.newCaller()]
    for (let i = 0; i < 5; i++)
      await service.app.inject({
        ...{ method: 'POST', url: '/oauth2/token', remoteAddress: '192.0.2.78' },
        payload: { grant_type: 'password', ...who, password: 'wrong' },
      })
    await service.db`update sign_in set failures = failures + 6 where failures = 5`
    expect((await own.submit(await own.send(url(usual())), typed(who))).statusCode).toBe(429)
  })
})

describe('a code', () => {
  it('works once; a second use ends the tokens of the first use, refreshed ones too (RFC 6749 §4.1.2)', async () => {
    const code = await codeFor()
    const first = await exchange(code)
    const refreshed = await token({
      ...{ grant_type: 'refresh_token', client_id: clientId, refresh_token: first.refresh_token },
    })
    expect(refreshed.status).toBe(200)
    for (const own of [first, refreshed]) expect(await works(own.access_token)).toBe(200)
    const second = await exchange(code)
    expect([second.status, second.error]).toEqual([400, 'invalid_grant'])
    for (const own of [first, refreshed]) await ends(own.access_token)
    const third = await token({
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: refreshed.refresh_token,
    })
    expect(third.error).toBe('invalid_grant')
    const trail = await service.db`
      select detail->>'reason' as reason from audit_entry where act = 'token.revoke' and client = 'A program'`
    expect(trail.map(({ reason }) => reason)).toContain('authorization code used twice')
  })

  it('sent twice at once gives at most one token, which is revoked', async () => {
    const code = await codeFor()
    const answers = await Promise.all([exchange(code), exchange(code), exchange(code)])
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
    for (const { access_token } of answers) if (access_token) await ends(access_token)
  })

  it('is stored as a hash only', async () => {
    const code = await codeFor()
    const rows = await service.db.unsafe<{ row: string }[]>('select t::text as row from authorization_code t')
    expect(rows.length).toBeGreaterThan(0)
    for (const secret of [code, verifier])
      expect(rows.some(({ row }) => row.includes(secret) || row.includes(Buffer.from(secret).toString('hex')))).toBe(
        false,
      )
  })

  const wrong: [string, Record<string, string>, string][] = [
    ['without a verifier', { code_verifier: '' }, 'invalid_grant'],
    ['with a wrong verifier', { code_verifier: newSecret() }, 'invalid_grant'],
    ['with the challenge as verifier', { code_verifier: challengeOf(verifier) }, 'invalid_grant'],
    ['with another redirect URI', { redirect_uri: 'http://127.0.0.1/cb' }, 'invalid_grant'],
    ['without its redirect URI', { redirect_uri: '' }, 'invalid_request'],
  ]
  it.each(wrong)('gives nothing %s, and cannot be tried again', async (_name, change, error) => {
    const code = await codeFor()
    const answer = await exchange(code, change)
    expect([answer.status, answer.error, answer.access_token]).toEqual([400, error, undefined])
    expect(answer.error_description).toMatch(/; (the authorization code grant needs|let the person|send the same)/)
    expect((await exchange(code)).error).toBe('invalid_grant')
  })

  it('of another client gives nothing', async () => {
    const other = await service.db.begin((tx) => createPublicClient(tx, { name: 'Other', redirectUris: [CALLBACK] }))
    const code = await codeFor()
    expect((await exchange(code, { client_id: other.clientId })).error).toBe('invalid_grant')
    expect((await exchange(code)).status, 'and stays with its own').toBe(200)
  })

  it('expires after a minute, and is deleted later', async () => {
    const code = await codeFor()
    const later = (seconds: number) =>
      service.db`update authorization_code set expires_at = expires_at - make_interval(secs => ${seconds}) where used_at is null`
    await later(61)
    const answer = await exchange(code)
    expect([answer.error, answer.error_description]).toEqual(['invalid_grant', expect.stringMatching(/60 seconds/)])
    await later(3600)
    await sweep(service.db)
    expect(
      await service.db`select from authorization_code where used_at is null and expires_at < now() - interval '1 hour'`,
    ).toEqual([])
    const [kept] = await service.db`select count(*)::int as n from authorization_code where used_at is not null`
    expect(kept?.['n'], 'codes of valid tokens stay').toBeGreaterThan(0)
  })

  it.each([
    ['the password changes', (who: Caller) => service.db.begin((tx) => changePassword(tx, who.username, newSecret()))],
    ['the user is disabled', (who: Caller) => service.db.begin((tx) => disableUser(tx, who.username))],
  ])('ends when %s', async (_name, change) => {
    const who = await service.newCaller()
    const code = await codeFor({}, who)
    await change(who)
    expect((await exchange(code)).error).toBe('invalid_grant')
  })
})

describe('a public client', () => {
  const refresh = (refresh_token: string, more = {}) =>
    token({ grant_type: 'refresh_token', client_id: clientId, refresh_token, ...more })

  it('gets a new refresh token at every use; reuse of an old one ends the family (RFC 9700 §4.14.2)', async () => {
    const first = await exchange(await codeFor())
    const second = await refresh(first.refresh_token)
    expect(second.refresh_token).not.toBe(first.refresh_token)
    expect(await works(first.access_token), 'access tokens stay').toBe(200)
    const third = await refresh(second.refresh_token, { scope: 'sales' })
    expect(third.scope).toBe('sales')
    expect((await refresh(third.refresh_token)).scope, 'of the grant, not of the last token').toBeNull()
    const reused = await refresh(first.refresh_token)
    expect([reused.status, reused.error]).toEqual([400, 'invalid_grant'])
    for (const { access_token } of [first, second, third]) await ends(access_token)
    expect(
      await service.db`select from spent_token s join authorization_code a using (code_hash)
                             where a.used_at is null`,
    ).toEqual([])
  })

  it('that sends the same refresh token twice at once loses its tokens', async () => {
    const { refresh_token } = await exchange(await codeFor())
    const answers = await Promise.all([refresh(refresh_token), refresh(refresh_token)])
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
    for (const { access_token } of answers) if (access_token) await ends(access_token)
  })

  it('may use no other grant, and no secret', async () => {
    const { username, password } = person
    const byPassword = await token({ grant_type: 'password', client_id: clientId, username, password })
    expect(byPassword.error).toBe('invalid_client')
    expect((await token({ grant_type: 'client_credentials', client_id: clientId })).error).toBe('invalid_client')
    for (const client_secret of ['x', 'null'])
      expect((await exchange(await codeFor(), { client_secret })).error).toBe('invalid_client')
    const confidential = await token({
      ...{ grant_type: 'refresh_token', client_id: person.client_id, refresh_token: person.refreshToken },
    })
    expect(confidential.error, 'a client with a secret needs it').toBe('invalid_client')
  })

  it('revokes its tokens: the refresh token ends all tokens of the same code', async () => {
    const first = await exchange(await codeFor())
    const second = await refresh(first.refresh_token)
    const revoke = async (own: string, client_id = clientId) =>
      (await service.call({ method: 'POST', path: '/oauth2/revoke', body: { client_id, token: own }, token: null }))
        .statusCode
    expect(await revoke(first.access_token)).toBe(200)
    expect([await works(first.access_token), await works(second.access_token)]).toEqual([401, 200])
    expect(await revoke(person.token)).toBe(400)
    expect(await revoke(second.refresh_token, person.client_id)).toBe(401)
    expect(await revoke(second.refresh_token)).toBe(200)
    expect(await works(second.access_token)).toBe(401)
    expect((await refresh(second.refresh_token)).error).toBe('invalid_grant')
  })

  it('of the console cannot exchange a code: its tokens come as sessions only', async () => {
    const redirect_uri = 'http://millbook.example/session/callback'
    const code = await codeFor({ client_id: 'console', redirect_uri })
    const answer = await exchange(code, { client_id: 'console', redirect_uri })
    expect([answer.status, answer.error, answer.error_description]).toEqual([
      ...[401, 'invalid_client', expect.stringMatching(/its sessions begin at \/session\/begin/)],
    ])
  })
})

describe("a user's rights", () => {
  it('limit every token to the groups of client, user and scope, and change with the user', async () => {
    const who = await service.newCaller({ groups: ['masters', 'sales', 'grn'] })
    const limit = (some: string[] | null) =>
      service.db.begin((tx) => updateUser(tx, who.username, { groups: some, hideContacts: some !== null }))
    expect(await works(who.token)).toBe(200)
    await limit(['sales', 'partner'])
    await expect.poll(() => works(who.token)).toBe(403)
    const own = { grant_type: 'password', client_id: who.client_id, client_secret: who.client_secret, ...typed(who) }
    expect((await token(own)).scope).toBe('sales')
    expect((await token({ ...own, scope: 'grn' })).error).toBe('invalid_scope')
    expect((await token({ ...own, grant_type: 'refresh_token', refresh_token: who.refreshToken })).scope).toBe('sales')
    const code = await codeFor({ scope: 'sales grn' }, who)
    expect((await exchange(code)).scope).toBe('sales')
    await limit(['partner'])
    expect((await token(own)).error_description).toMatch(/no group in common/)
    const denied = await authorize({ scope: 'sales' }, who)
    expect([denied.get('error'), denied.get('code')]).toEqual(['access_denied', null])
    await limit(null)
    expect((await token(own)).scope).toBe('masters grn sales')
  })

  it('hide contacts if the client or the user says so', async () => {
    const [who, hidden] = [await service.newCaller(), await service.newCaller({ hideContacts: true })]
    const found = async ({ token: own }: Caller) => {
      const { caller } = (await findToken(service.db, 'access', own)) ?? {}
      return [caller?.hideContacts, caller?.role]
    }
    expect([await found(who), await found(hidden)]).toEqual([
      [false, 'reader'],
      [true, 'reader'],
    ])
    await service.db.begin((tx) => updateUser(tx, who.username, { hideContacts: true, role: 'operator' }))
    expect(await found(who)).toEqual([true, 'operator'])
  })
})
