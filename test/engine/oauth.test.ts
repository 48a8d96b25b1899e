/** The OAuth 2 endpoints and the bearer check, section by section of their standards. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { sweep } from '../../src/access/cleanup.js'
import { deleteClient, disableClient, revokeTokens, rotateSecret, updateClient } from '../../src/access/clients.js'
import { revokeToken } from '../../src/access/tokens.js'
import { changePassword, disableUser } from '../../src/access/users.js'
import type { Queryable, Tx } from '../../src/db/connect.js'
import { reports } from '../../src/reports/index.js'
import { buildApp } from '../../src/runtime/app.js'
import { engine } from '../setup/database.js'
import { type Caller, type Service, startService } from '../setup/service.js'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const WAREHOUSES = '/v1/warehouse/warehouse-list'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

const post =
  (path: string) =>
  (body: unknown, headers: Record<string, string> = {}) =>
    service.call({ method: 'POST', path, body, headers, token: null })
const token = post('/oauth2/token')
const revoke = post('/oauth2/revoke')
const client = ({ client_id, client_secret }: Caller) => ({ client_id, client_secret })
const password = (caller: Caller) => ({
  ...{ grant_type: 'password', ...client(caller), username: caller.username, password: caller.password },
})
const refresh = (caller: Caller) => ({
  ...{ grant_type: 'refresh_token', ...client(caller), refresh_token: caller.refreshToken },
})
const machine = (caller: Caller) => ({ grant_type: 'client_credentials', ...client(caller) })
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})
const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString()
const status = async (withToken: string, path = WAREHOUSES) =>
  (await service.call({ path, token: withToken })).statusCode
const allow = (caller: Caller, grants: string[]) =>
  service.db`update api_client set grants = string_to_array(${grants.join(',')}, ',') where client_id = ${caller.client_id}`

describe('RFC 6749 §2.3.1 client authentication', () => {
  it('works in a JSON body, in a form body and by HTTP Basic', async () => {
    const { client_id, client_secret, ...user } = password(service.caller)
    const responses = [
      await token(password(service.caller)),
      await token(form(password(service.caller)), FORM),
      await token(form(user), { ...FORM, ...basic(client_id, client_secret) }),
      await token(user, basic(client_id, client_secret)),
    ]
    expect(responses.map((response) => response.statusCode)).toEqual([200, 200, 200, 200])
  })

  it('§2.3 two methods in one request are an error', async () => {
    const { client_id, client_secret } = service.caller
    const response = await token(password(service.caller), basic(client_id, client_secret))
    expect([response.statusCode, response.json().error]).toEqual([400, 'invalid_request'])
  })
})

it('RFC 6749 §3.2 the token endpoint supports POST only', async () => {
  const response = await service.call({ method: 'GET', path: '/oauth2/token', token: null })
  expect([response.statusCode, response.headers['allow']]).toEqual([405, 'POST'])
})

it('RFC 6749 §3.2 parameters without a value count as omitted, and a repeated one is an error', async () => {
  const empty = await token(form({ ...password(service.caller), scope: '' }), FORM)
  expect([empty.statusCode, empty.json().scope]).toEqual([200, null])
  const twice = await token(`${form(password(service.caller))}&grant_type=password`, FORM)
  expect([twice.statusCode, twice.json().error]).toEqual([400, 'invalid_request'])
  const unknown = await token({ ...password(service.caller), flavour: 'x' })
  expect(unknown.statusCode, 'unknown parameters are ignored').toBe(200)
})

describe('RFC 6749 §3.3 scope: the groups of reports', () => {
  it('is null for a client that may use all groups, and lists the groups of any other', async () => {
    expect((await token(password(service.caller))).json().scope).toBeNull()
    const limited = await service.newCaller({ groups: ['masters', 'partner'] })
    expect((await token(password(limited))).json().scope).toBe('masters partner')
  })

  it('narrows a token to the requested groups', async () => {
    const response = await token({ ...password(service.caller), scope: 'masters grn masters' })
    expect(response.json().scope).toBe('masters grn')
    expect(await status(response.json().access_token)).toBe(200)
    expect(await status(response.json().access_token, '/v1/inventory/fg-stock-status')).toBe(403)
  })

  it.each(['sales', 'masters nonsense', 'ALL'])('that the client may not use (%s) is invalid_scope', async (scope) => {
    const limited = await service.newCaller({ groups: ['masters'] })
    const response = await token({ ...password(limited), scope })
    expect([response.statusCode, response.json().error]).toEqual([400, 'invalid_scope'])
  })

  it('a narrowed token stays narrow when its client may use more, also after a refresh', async () => {
    const caller = await service.newCaller()
    const { refresh_token } = (await token({ ...password(caller), scope: 'masters' })).json()
    const groups = (some: string[] | null) =>
      service.db.begin((tx) => updateClient(tx, caller.client_id, { groups: some }))
    await groups(['masters'])
    const refreshed = (await token({ ...refresh(caller), refresh_token })).json()
    expect(refreshed.scope).toBe('masters')
    await groups(null)
    await expect.poll(() => status(refreshed.access_token)).toBe(200)
    expect(await status(refreshed.access_token, '/v1/grn/list')).toBe(403)
    await groups(['sales'])
    const nothing = await token({ ...refresh(caller), refresh_token })
    expect([nothing.statusCode, nothing.json().error]).toEqual([400, 'invalid_scope'])
  })

  it('a token loses the groups that its client loses', async () => {
    const caller = await service.newCaller()
    await service.db`update api_client set groups = array['sales'] where client_id = ${caller.client_id}`
    await expect.poll(() => status(caller.token)).toBe(403)
  })
})

describe('RFC 6749 §4.3 password grant', () => {
  it('§5.1 the response has exactly the fields of the contract and must not be cached', async () => {
    const response = await token(password(service.caller))
    expect(response.statusCode).toBe(200)
    expect([response.headers['cache-control'], response.headers['pragma']]).toEqual(['no-store', 'no-cache'])
    expect(response.headers['content-type']).toMatch(/^application\/json/)
    expect(response.json()).toEqual({
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      expires_in: 86400,
      token_type: 'Bearer',
      scope: null,
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(await status(response.json().access_token)).toBe(200)
  })
})

describe('RFC 6749 §4.4 client credentials grant', () => {
  it('issues a token without a user and, §4.4.3, without a refresh token', async () => {
    const caller = await service.newCaller({ groups: ['masters'] })
    await allow(caller, ['client_credentials'])
    const response = await token(machine(caller))
    expect(Object.keys(response.json())).toEqual(['access_token', 'expires_in', 'token_type', 'scope'])
    expect(response.json().scope).toBe('masters')
    expect(await status(response.json().access_token)).toBe(200)
    const narrowed = await token({ ...machine(caller), scope: 'masters' })
    expect(narrowed.json().scope).toBe('masters')
  })

  it('§5.2 a grant that the client is not allowed is unauthorized_client', async () => {
    const caller = await service.newCaller()
    const response = await token(machine(caller))
    expect([response.statusCode, response.json().error]).toEqual([400, 'unauthorized_client'])
    await allow(caller, ['client_credentials'])
    for (const body of [password(caller), refresh(caller)])
      expect((await token(body)).json().error).toBe('unauthorized_client')
  })
})

describe('RFC 6749 §6 refresh grant', () => {
  it('issues no new refresh token, and the current one keeps working', async () => {
    const caller = await service.newCaller()
    for (let round = 0; round < 3; round++) {
      const response = await token(refresh(caller))
      expect(Object.keys(response.json())).toEqual(['access_token', 'expires_in', 'token_type', 'scope'])
      expect(await status(response.json().access_token)).toBe(200)
    }
  })

  it('works only for the client of the refresh token', async () => {
    const [one, other] = [await service.newCaller(), await service.newCaller()]
    const response = await token({ ...refresh(one), ...client(other) })
    expect([response.statusCode, response.json().error]).toEqual([400, 'invalid_grant'])
  })

  it('keeps the scope, and may narrow it but not widen it', async () => {
    const caller = await service.newCaller()
    const { refresh_token } = (await token({ ...password(caller), scope: 'masters sales' })).json()
    const again = (scope?: string) => token({ ...refresh(caller), refresh_token, ...(scope && { scope }) })
    expect((await again()).json().scope).toBe('masters sales')
    expect((await again('sales')).json().scope).toBe('sales')
    expect((await again()).json().scope).toBe('masters sales')
    expect((await again('sales grn')).json().error).toBe('invalid_scope')
  })
})

describe('RFC 6749 §5.2 errors', () => {
  const wrong: [string, (caller: Caller) => unknown, number, string][] = [
    ['a wrong client secret', (c) => ({ ...password(c), client_secret: 'wrong' }), 401, 'invalid_client'],
    ['an unknown client', (c) => ({ ...password(c), client_id: 'nobody' }), 401, 'invalid_client'],
    ['no client', ({ username, password }) => ({ grant_type: 'password', username, password }), 401, 'invalid_client'],
    ['a wrong password', (c) => ({ ...password(c), password: 'wrong' }), 400, 'invalid_grant'],
    ['an unknown user', (c) => ({ ...password(c), username: 'nobody' }), 400, 'invalid_grant'],
    ['a missing password', ({ password: _, ...c }) => password(c as Caller), 400, 'invalid_request'],
    ['no grant', (c) => client(c), 400, 'invalid_request'],
    ['an unknown grant', (c) => ({ ...password(c), grant_type: 'telepathy' }), 400, 'unsupported_grant_type'],
    [
      'a grant that the client may not use',
      (c) => ({ ...client(c), grant_type: 'authorization_code', code: 'x' }),
      ...([400, 'unauthorized_client'] as const),
    ],
    ['an access token as refresh token', (c) => ({ ...refresh(c), refresh_token: c.token }), 400, 'invalid_grant'],
    ['a value that is not a string', (c) => ({ ...password(c), password: { $ne: '' } }), 400, 'invalid_request'],
    ['NUL in a value', (c) => ({ ...password(c), username: 'a\0b' }), 400, 'invalid_request'],
    ['an empty body', () => undefined, 401, 'invalid_client'],
    ['a body that is not an object', () => [1], 400, 'invalid_request'],
  ]
  it.each(wrong)('%s', async (_name, body, status, error) => {
    const response = await token(body(service.caller))
    expect([response.statusCode, response.json().error]).toEqual([status, error])
    if (status === 401) expect(response.headers['www-authenticate']).toMatch(/^Basic realm=/)
    expect(Object.keys(response.json())).toEqual(['error', 'error_description'])
    // §5.2 allows only these characters in the description
    expect(response.json().error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
    expect([response.headers['cache-control'], response.headers['pragma']]).toEqual(['no-store', 'no-cache'])
  })

  it('say what to send', async () => {
    const { client_id, client_secret } = service.caller
    const said = async (body: unknown, headers?: Record<string, string>) => {
      const response = await token(body, headers)
      return [response.statusCode, response.json().error_description]
    }
    const bearer = { authorization: `Bearer ${service.caller.token}` }
    expect(await said(password(service.caller), bearer)).toEqual([401, expect.stringMatching(/HTTP Basic; leave out/)])
    expect(await said({ grant_type: 'client_credentials' }, { authorization: 'Basic OnNlY3JldA==' })).toEqual([
      400,
      expect.stringMatching(/^Send client_id and client_secret in the body/),
    ])
    const named = { client_id, client_secret }
    for (const [body, sentence] of [
      [named, 'grant_type is missing; send password or refresh_token or client_credentials.'],
      [{ ...named, grant_type: 'password', username: 'a' }, /^password is missing; the password grant needs/],
      [{ ...named, grant_type: 'password', password: 'a' }, /^username is missing; the password grant needs/],
      [{ ...named, grant_type: 'refresh_token' }, /^refresh_token is missing; send the one from/],
      [{ ...password(service.caller), client_id: 'é' }, /^client_id contains a character that is not allowed/],
    ] as const)
      expect(await said(body)).toEqual([400, expect.stringMatching(sentence)])
    const twice = '{"grant_type":"password","grant_type":"password"}'
    expect(await said(twice, { 'content-type': 'application/json' })).toEqual([
      400,
      "The body has the key 'grant_type' twice; send each key once.",
    ])
  })

  it('a body that is not JSON, or too long, or of another type', async () => {
    const responses = [
      await token('{"grant_type"', { 'content-type': 'application/json' }),
      await token({ ...password(service.caller), password: 'x'.repeat(70_000) }),
      await token('<a/>', { 'content-type': 'application/xml' }),
    ]
    expect(responses.map((response) => [response.statusCode, response.json().error])).toEqual([
      [400, 'invalid_request'],
      [413, 'invalid_request'],
      [415, 'invalid_request'],
    ])
  })

  it('error texts never quote a possible secret', async () => {
    const response = await token(`{"grant_type":"password","password":'hunter2secret'}`, {
      'content-type': 'application/json',
    })
    expect([response.statusCode, response.body.includes('hunter')]).toEqual([400, false])
    const odd = await token({ 'a"\\é': 1 })
    expect(odd.json().error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
  })

  it('an unknown user and a wrong password get the same response', async () => {
    const unknown = await token({ ...password(service.caller), username: 'nobody' })
    const wrong = await token({ ...password(service.caller), password: 'wrong' })
    expect(unknown.body).toBe(wrong.body)
  })
})

describe('RFC 6750 §3 the challenge of data endpoints', () => {
  const challenge = async (headers: Record<string, string>) => {
    const response = await service.call({ path: WAREHOUSES, token: null, headers })
    return [response.statusCode, response.headers['www-authenticate']]
  }
  it('§3.1 has no error code without authentication', async () => {
    const both = [401, ['Bearer realm="millbook"', 'Basic realm="millbook", charset="UTF-8"']]
    expect(await challenge({})).toEqual(both)
    const { client_id, client_secret } = service.caller
    expect(await challenge(basic(client_id, client_secret)), 'Basic is for app passwords').toEqual(both)
  })
  it('§2.1 the scheme is case-insensitive and may be followed by several spaces', async () => {
    for (const scheme of ['Bearer ', 'bearer ', 'BEARER   '])
      expect((await challenge({ authorization: `${scheme}${service.caller.token}` }))[0]).toBe(200)
  })
  it('§2.3 a token in the query string is ignored', async () => {
    const response = await service.call({
      path: WAREHOUSES,
      token: null,
      query: { access_token: service.caller.token },
    })
    expect(response.statusCode).toBe(401)
  })
  it('§3.1 is invalid_token for every invalid token', async () => {
    const { token, refreshToken } = service.caller
    for (const authorization of [
      ...['Bearer', 'Bearer ', `Bearer ${token} x`, `Bearer ${token}x`, `Bearer ${refreshToken}`, `Token ${token}`],
      ...['Bearer ünïcode', `Bearer ${'x'.repeat(8000)}`],
    ]) {
      const [code, header] = await challenge({ authorization })
      expect([authorization.slice(0, 20), code, header]).toEqual([
        authorization.slice(0, 20),
        401,
        expect.stringContaining('error="invalid_token"'),
      ])
    }
  })
  it('§3.1 is insufficient_scope with the required scope', async () => {
    const limited = await service.newCaller({ groups: ['masters'] })
    const response = await service.call({ path: '/v1/grn/list', token: limited.token })
    expect([response.statusCode, response.headers['www-authenticate']]).toEqual([
      403,
      'Bearer realm="millbook", error="insufficient_scope", scope="grn"',
    ])
  })
})

describe('RFC 7009 revocation', () => {
  it('§2.1 revoking an access token leaves its refresh token valid', async () => {
    const caller = await service.newCaller()
    expect(await status(caller.token)).toBe(200)
    const response = await revoke({ ...client(caller), token: caller.token })
    expect([response.statusCode, response.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(await status(caller.token)).toBe(401)
    expect((await token(refresh(caller))).statusCode).toBe(200)
  })

  it('§2.1 revoking a refresh token revokes its access tokens, and no others', async () => {
    const caller = await service.newCaller()
    const refreshed = (await token(refresh(caller))).json().access_token
    const other = (await token(password(caller))).json().access_token
    const body = form({ ...client(caller), token: caller.refreshToken, token_type_hint: 'refresh_token' })
    expect((await revoke(body, FORM)).statusCode).toBe(200)
    expect([await status(caller.token), await status(refreshed), await status(other)]).toEqual([401, 401, 200])
    expect((await token(refresh(caller))).json().error).toBe('invalid_grant')
  })

  it('§2.1 a wrong token_type_hint is ignored', async () => {
    const caller = await service.newCaller()
    await revoke({ ...client(caller), token: caller.token, token_type_hint: 'refresh_token' })
    expect(await status(caller.token)).toBe(401)
  })

  it('a NUL in HTTP Basic credentials gets 401', async () => {
    for (const credentials of ['a\0b:c', 'a:b\0', '\0:\0']) {
      const headers = { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
      for (const url of ['/oauth2/revoke', '/oauth2/token']) {
        const payload = { grant_type: 'client_credentials', token: 'x' }
        const response = await service.app.inject({ method: 'POST', url, headers, payload })
        expect([response.statusCode, response.json().error]).toEqual([401, 'invalid_client'])
      }
    }
  })

  it('§2.1 requires client authentication, and revokes tokens of that client only', async () => {
    const [one, other] = [await service.newCaller(), await service.newCaller()]
    const responses = [
      await revoke({ token: one.token }),
      await revoke({ ...client(one), client_secret: 'wrong', token: one.token }),
      await revoke({ ...client(other), token: one.token }),
    ]
    expect(responses.map((response) => [response.statusCode, response.json().error])).toEqual([
      [401, 'invalid_client'],
      [401, 'invalid_client'],
      [400, 'invalid_grant'],
    ])
    expect(await status(one.token)).toBe(200)
    const byBasic = await revoke(form({ token: one.token }), { ...FORM, ...basic(one.client_id, one.client_secret) })
    expect([byBasic.statusCode, await status(one.token)]).toEqual([200, 401])
  })

  it('§2.2 accepts an unknown token; §2.2.1 a missing one is an error', async () => {
    expect((await revoke({ ...client(service.caller), token: 'never-issued' })).statusCode).toBe(200)
    const missing = await revoke(client(service.caller))
    expect([missing.statusCode, missing.json().error]).toEqual([400, 'invalid_request'])
  })
})

it('RFC 7009 §2.1 the audit trail records failed client authentication', async () => {
  const caller = await service.newCaller()
  await revoke({ ...client(caller), client_secret: 'wrong', token: caller.token })
  const rows = await service.db`select from audit_entry where act = 'token.refuse' and client = ${caller.username}`
  expect(rows).toHaveLength(1)
})

it('RFC 8414 §3.2 metadata has the endpoints under the requested host', async () => {
  const path = '/.well-known/oauth-authorization-server'
  const response = await service.call({ path, token: null, headers: { host: 'millbook.example:8443' } })
  expect(response.statusCode).toBe(200)
  expect(response.json()).toMatchObject({
    issuer: 'http://millbook.example:8443',
    token_endpoint: 'http://millbook.example:8443/oauth2/token',
    revocation_endpoint: 'http://millbook.example:8443/oauth2/revoke',
    authorization_endpoint: 'http://millbook.example:8443/oauth2/authorize',
    grant_types_supported: ['password', 'refresh_token', 'client_credentials', 'authorization_code'],
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  })
})

it('RFC 9728 §3.2 the resource names itself and its authorization server', async () => {
  const path = '/.well-known/oauth-protected-resource'
  const response = await service.call({ path, token: null, headers: { host: 'millbook.example:8443' } })
  expect(response.json()).toMatchObject({
    resource: 'http://millbook.example:8443',
    authorization_servers: ['http://millbook.example:8443'],
    bearer_methods_supported: ['header'],
  })
})

it('with a public URL, metadata, the OpenAPI document and links do not follow the Host header', async () => {
  const pinned = await startService({ publicUrl: 'https://reports.example' })
  const body = { from_date: '2024-01-01', to_date: '2024-12-31' }
  const ask = async (path: string, more: object = {}) =>
    (await pinned.call({ path, headers: { host: 'evil.example' }, ...more })).body
  for (const text of [
    ...[await ask('/.well-known/oauth-authorization-server'), await ask('/.well-known/oauth-protected-resource')],
    ...[await ask('/openapi.json'), await ask('/v1/sales/invoices', { body, query: { page: 2 } })],
  ]) {
    expect(text).toContain('https://reports.example')
    expect(text).not.toContain('evil.example')
  }
  await pinned.close()
})

describe('a token stops working', () => {
  it('when it has expired', async () => {
    const caller = await service.newCaller()
    await service.db`update api_token set expires_at = now() - interval '1 second' where username = ${caller.username}`
    await expect.poll(() => status(caller.token)).toBe(401)
    expect((await token(refresh(caller))).json().error).toBe('invalid_grant')
  })

  it.each(['api_client', 'api_user'])('when its owner in %s is disabled', async (table) => {
    const caller = await service.newCaller()
    expect(await status(caller.token)).toBe(200)
    await service.db.unsafe(
      `update ${table} set disabled_at = now() where $1 in (${table === 'api_user' ? 'username' : 'name'})`,
      [caller.username],
    )
    await expect.poll(() => status(caller.token)).toBe(401)
    expect((await token(password(caller))).statusCode).toBeGreaterThanOrEqual(400)
    expect((await token(refresh(caller))).statusCode).toBeGreaterThanOrEqual(400)
  })

  it('at once in the process that revoked it and within a second in every other, even if notifications are lost', async () => {
    const { database } = service
    // The embedded engine relies on notifications and loses none.
    const deaf: typeof database.listen = (channel, _heard, lost) => database.listen(channel, () => {}, lost)
    const listen = engine === 'server' ? deaf : database.listen
    const start = () => buildApp({ database: { ...database, listen }, reports, logLevel: 'silent' }) // with the usual lease
    const [here, there] = [await start(), await start()]
    onTestFinished(async () => {
      await Promise.all([here.close(), there.close()])
    })
    const ask = async (app: typeof here, { token: own }: Caller) =>
      (await app.inject({ url: WAREHOUSES, headers: { authorization: `Bearer ${own}` } })).statusCode
    const [revoked, disabled, ofDisabled] = [
      await service.newCaller(),
      await service.newCaller(),
      await service.newCaller(),
    ]
    const all = [revoked, disabled, ofDisabled]
    for (const app of [here, there]) for (const caller of all) expect(await ask(app, caller)).toBe(200)
    const asking = setInterval(() => void all.map((caller) => ask(there, caller)), 20) // requests must not extend the time
    onTestFinished(() => clearInterval(asking)) // runs before the closing above
    await service.db.begin(async (tx) => {
      await disableClient(tx, disabled.client_id)
      await disableUser(tx, ofDisabled.username)
    })
    expect(await ask(here, revoked)).toBe(200)
    await here.inject({ method: 'POST', url: '/oauth2/revoke', payload: { ...client(revoked), token: revoked.token } })
    expect(await ask(here, revoked)).toBe(401)
    await sleep(1000)
    clearInterval(asking)
    for (const app of [here, there]) for (const caller of all) expect(await ask(app, caller)).toBe(401)
  })
})

it('the old secret works during the overlap of a rotation, and not after it', async () => {
  const caller = await service.newCaller()
  const { clientSecret } = await service.db.begin((tx) => rotateSecret(tx, caller.client_id, 3600))
  const withBoth = async () => [
    (await token(password(caller))).statusCode,
    (await token(password({ ...caller, client_secret: clientSecret }))).statusCode,
  ]
  expect(await withBoth()).toEqual([200, 200])
  await service.db`update api_client set old_secret_until = now() where client_id = ${caller.client_id}`
  expect(await withBoth()).toEqual([401, 200])
})

it('a token is not issued if its client, user or refresh token is changed during the request', async () => {
  const changes: [(caller: Caller) => unknown, (tx: Queryable, caller: Caller) => Promise<unknown>][] = [
    [refresh, (tx, caller) => revokeToken(tx as Tx, caller.refreshToken, caller.client_id)],
    [password, (tx, caller) => changePassword(tx as Tx, caller.username, 'another password')],
    [password, (tx, caller) => disableUser(tx as Tx, caller.username)],
    [refresh, (tx, caller) => disableClient(tx as Tx, caller.client_id)],
    [password, (tx, caller) => deleteClient(tx as Tx, caller.client_id)],
    [password, (tx, caller) => updateClient(tx as Tx, caller.client_id, { grants: ['client_credentials'] })],
    [
      password,
      async (tx, caller) => {
        await rotateSecret(tx as Tx, caller.client_id, 0)
        await revokeTokens(tx as Tx, caller.client_id)
      },
    ],
  ]
  for (const [body, change] of changes) {
    const caller = await service.newCaller()
    let pending: ReturnType<typeof token> | undefined
    await service.db.begin(async (tx) => {
      await change(tx, caller)
      pending = token(body(caller))
      await new Promise((resolve) => setTimeout(resolve, 300)) // gives the request time to wait for this transaction's lock
    })
    const response = await pending
    expect([400, 401]).toContain(response?.statusCode)
    expect(await service.db`select from api_token where client_id = ${caller.client_id}`).toEqual([])
  }
})

it('a cached token costs no query', async () => {
  const texts: string[] = []
  const counting = new Proxy(service.database.quick, {
    apply: (target, self, args: [TemplateStringsArray]) => {
      texts.push(args[0].join('?'))
      return Reflect.apply(target, self, args)
    },
  })
  const app = await buildApp({ database: { ...service.database, quick: counting }, reports, logLevel: 'silent' })
  const headers = { authorization: `Bearer ${service.caller.token}` }
  for (let i = 0; i < 50; i++) await app.inject({ method: 'GET', url: WAREHOUSES, headers })
  await app.close()
  expect(texts.filter((text) => text.includes('from api_token')).length).toBe(1)
  expect(texts.filter((text) => text.includes('access_version')).length).toBeLessThan(25)
})

it('an access token is valid for a day, a refresh token for thirty', async () => {
  const { username } = await service.newCaller()
  const rows = await service.db<{ kind: string; seconds: number }[]>`
    select kind, round(extract(epoch from expires_at - created_at))::int as seconds from api_token
     where username = ${username} order by kind`
  expect(
    rows.map(({ kind, seconds }) => [kind, Math.abs(seconds - (kind === 'access' ? 86_400 : 2_592_000)) <= 1]),
  ).toEqual([
    ['access', true],
    ['refresh', true],
  ])
})

it('the cleanup deletes expired tokens, sign-ins of long ago and old token entries of the audit trail, and nothing else', async () => {
  const [old, young] = [await service.newCaller(), await service.newCaller()]
  await service.db`update api_token set expires_at = now() - interval '1 day 1 second' where username = ${old.username}`
  await service.db`
    insert into audit_entry (at, act, actor) values (now() - interval '401 days', 'token.issue', 'old'),
           (now() - interval '401 days', 'client.create', 'old'), (now() - interval '399 days', 'token.issue', 'old')`
  const signIns = {
    forgotten: ['25 hours', null],
    failed: ['23 hours', null],
    unknown: [null, '31 days'],
    known: [null, '29 days'],
  }
  for (const [address, [failed = null, succeeded = null]] of Object.entries(signIns))
    await service.db`
      insert into sign_in (subject, address, failures, failed_at, succeeded_at)
      values (sha256('cleanup'), ${address}, 1, now() - ${failed}::text::interval, now() - ${succeeded}::text::interval)`
  await sweep(service.db)
  const kept = await service.db`select address from sign_in where subject = sha256('cleanup') order by address`
  expect(kept.map((row) => row['address'])).toEqual(['failed', 'known'])
  const left =
    await service.db`select distinct username from api_token where username in (${old.username}, ${young.username})`
  expect(left.map((row) => row['username'])).toEqual([young.username])
  const entries = await service.db`select act from audit_entry where actor = 'old' order by act`
  expect(entries.map((row) => row['act'])).toEqual(['client.create', 'token.issue'])
})

it('the audit trail records every token issued, refused and revoked', async () => {
  const caller = await service.newCaller()
  await token(refresh(caller))
  await token({ ...password(caller), password: 'wrong' })
  await token({ ...password(caller), username: 'hunter2' })
  await token({ ...password(caller), client_secret: 'wrong' })
  await revoke({ ...client(caller), token: caller.token })
  const rows = await service.db`
    select act, client, username, address, detail->>'grant' as grant from audit_entry
     where client = ${caller.username} and act like 'token.%' order by id`
  expect(rows.map((row) => [row['act'], row['username'], row['grant']])).toEqual([
    ['token.issue', caller.username, 'password'],
    ['token.issue', caller.username, 'refresh_token'],
    ['token.refuse', caller.username, 'password'],
    ['token.refuse', null, 'password'], // an unknown name is not recorded: it may be a password
    ['token.refuse', null, 'password'],
    ['token.revoke', caller.username, null],
  ])
  expect(rows.every((row) => row['address'] === '127.0.0.1')).toBe(true)
})

it('a token whose audit entry cannot be written is not issued', async () => {
  const caller = await service.newCaller()
  const tokens = async () => (await service.db`select from api_token where client_id = ${caller.client_id}`).length
  const before = await tokens()
  await service.db`alter table audit_entry add constraint no_trail check (act not like 'token.%') not valid`
  onTestFinished(async () => {
    await service.db`alter table audit_entry drop constraint no_trail`
  })
  expect((await token(password(caller))).statusCode).toBe(500)
  expect((await revoke({ ...client(caller), token: caller.token })).statusCode).toBe(500)
  expect([await tokens(), await status(caller.token)]).toEqual([before, 200])
})

it('secrets are 256 random bits, stored as argon2id hashes; tokens are stored as SHA-256 hashes', async () => {
  const { client_id, client_secret, username, token: own } = await service.newCaller({}, 'real')
  const [row = {}] = await service.db`
    select secret_hash, password_hash from api_client, api_user where client_id = ${client_id} and username = ${username}`
  for (const hash of Object.values(row)) expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  const stored = await service.db`select from api_token where token_hash = sha256(${own}::text::bytea)`
  expect([Object.keys(row).length, stored.length]).toEqual([2, 1])
  for (const secret of [client_secret, own]) expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
})

it('the database holds no secret in plain text', async () => {
  const caller = await service.newCaller()
  await token({ ...password(caller), password: 'a-wrong-password' })
  await token({ ...password(caller), username: 'a-password-typed-as-name' })
  const secrets = [caller.client_secret, caller.password, caller.token, caller.refreshToken, 'a-wrong-password']
  for (const table of ['api_client', 'api_user', 'api_token', 'sign_in', 'audit_entry']) {
    const rows = await service.db.unsafe<{ row: string }[]>(`select t::text as row from ${table} t`)
    expect(rows.length).toBeGreaterThan(0)
    for (const secret of [...secrets, 'a-password-typed-as-name']) {
      const hex = Buffer.from(secret).toString('hex')
      expect(rows.some(({ row }) => row.includes(secret) || row.includes(hex))).toBe(false)
    }
  }
})
