/** The token endpoint and the bearer check. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, type Service, startService } from '../setup/service.js'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const token = (body: unknown, headers: Record<string, string> = {}) =>
  service.call({ method: 'POST', path: '/oauth2/token', body, headers, token: null })
const password = ({ client_id, client_secret, username, password }: Caller) => ({
  ...{ grant_type: 'password', client_id, client_secret, username, password },
})
const refresh = ({ client_id, client_secret, refreshToken }: Caller) => ({
  ...{ grant_type: 'refresh_token', client_id, client_secret, refresh_token: refreshToken },
})
const warehouses = (withToken: string) => service.call({ path: '/v1/warehouse/warehouse-list', token: withToken })

describe('the password grant', () => {
  it('answers with exactly the fields of the contract', async () => {
    const answer = await token(password(service.caller))
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.json()).toEqual({
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      expires_in: 86400,
      token_type: 'Bearer',
      scope: null,
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect((await warehouses(answer.json().access_token)).statusCode).toBe(200)
  })

  it('names the groups of a limited client as its scope', async () => {
    const limited = await service.newCaller({ groups: ['masters', 'partner'] })
    expect((await token(password(limited))).json().scope).toBe('masters partner')
  })

  it('takes a form, and the client by HTTP Basic', async () => {
    const { client_id, client_secret, ...user } = password(service.caller)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const inBody = await token(new URLSearchParams(password(service.caller)).toString(), form)
    expect(inBody.statusCode).toBe(200)
    const authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`
    const byBasic = await token(new URLSearchParams(user).toString(), { ...form, authorization })
    expect(byBasic.statusCode).toBe(200)
  })
})

describe('the refresh grant', () => {
  it('answers without a refresh token, and the old one goes on working', async () => {
    const caller = await service.newCaller()
    for (let round = 0; round < 3; round++) {
      const answer = await token(refresh(caller))
      expect(Object.keys(answer.json())).toEqual(['access_token', 'expires_in', 'token_type', 'scope'])
      expect((await warehouses(answer.json().access_token)).statusCode).toBe(200)
    }
  })

  it('is bound to the client that it was issued to', async () => {
    const [one, other] = [await service.newCaller(), await service.newCaller()]
    const answer = await token({ ...refresh(one), client_id: other.client_id, client_secret: other.client_secret })
    expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_grant'])
  })
})

describe('errors are as RFC 6749 §5.2 has them', () => {
  const wrong: [string, (caller: Caller) => unknown, number, string][] = [
    ['a wrong client secret', (c) => ({ ...password(c), client_secret: 'wrong' }), 401, 'invalid_client'],
    ['an unknown client', (c) => ({ ...password(c), client_id: 'nobody' }), 401, 'invalid_client'],
    ['a wrong password', (c) => ({ ...password(c), password: 'wrong' }), 400, 'invalid_grant'],
    ['an unknown user', (c) => ({ ...password(c), username: 'nobody' }), 400, 'invalid_grant'],
    ['a missing password', ({ password: _, ...c }) => password(c as Caller), 400, 'invalid_request'],
    ['an unknown grant', (c) => ({ ...password(c), grant_type: 'telepathy' }), 400, 'unsupported_grant_type'],
    ['an access token as refresh token', (c) => ({ ...refresh(c), refresh_token: c.token }), 400, 'invalid_grant'],
    ['a value that is no string', (c) => ({ ...password(c), password: { $ne: '' } }), 400, 'invalid_request'],
    ['an empty body', () => undefined, 401, 'invalid_client'],
    ['a body that is no object', () => [1], 400, 'invalid_request'],
  ]
  it.each(wrong)('%s', async (_name, body, status, error) => {
    const answer = await token(body(service.caller))
    expect([answer.statusCode, answer.json().error]).toEqual([status, error])
    if (status === 401) expect(answer.headers['www-authenticate']).toMatch(/^Basic /)
    expect(answer.json().error_description).toEqual(expect.any(String))
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  it('a body that is not JSON', async () => {
    const answer = await token('{"grant_type"', { 'content-type': 'application/json' })
    expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_request'])
  })

  it('a form that names a field twice', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await token('grant_type=password&grant_type=password', form)
    expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_request'])
  })
})

describe('a token stops working', () => {
  it('when it has expired', async () => {
    const caller = await service.newCaller()
    await service.db`update api_token set expires_at = now() - interval '1 second' where username = ${caller.username}`
    const answer = await warehouses(caller.token)
    expect(answer.statusCode).toBe(401)
    expect(answer.headers['www-authenticate']).toContain('error="invalid_token"')
    expect((await token(refresh(caller))).json().error).toBe('invalid_grant')
  })

  it.each(['api_client', 'api_user'])('when its owner in %s is disabled', async (table) => {
    const caller = await service.newCaller()
    await service.db.unsafe(
      `update ${table} set disabled_at = now() where $1 in (${table === 'api_user' ? 'username' : 'name'})`,
      [caller.username],
    )
    expect((await warehouses(caller.token)).statusCode).toBe(401)
    expect((await token(password(caller))).statusCode).toBeGreaterThanOrEqual(400)
    expect((await token(refresh(caller))).statusCode).toBeGreaterThanOrEqual(400)
  })
})

it('an access token lives a day, a refresh token thirty', async () => {
  const { username } = await service.newCaller()
  const rows = await service.db`
    select kind, round(extract(epoch from expires_at - created_at))::int as seconds from api_token
     where username = ${username} order by kind`
  expect(
    rows.map(({ kind, seconds }) => [kind, Math.abs(seconds - (kind === 'access' ? 86_400 : 2_592_000)) <= 1]),
  ).toEqual([
    ['access', true],
    ['refresh', true],
  ])
})

it('the database holds no secret in the clear', async () => {
  const caller = await service.newCaller()
  const secrets = [caller.client_secret, caller.password, caller.token, caller.refreshToken]
  for (const table of ['api_client', 'api_user', 'api_token']) {
    const rows = await service.db.unsafe(`select t::text as row from ${table} t`)
    expect(rows.length).toBeGreaterThan(0)
    for (const secret of secrets) {
      const hex = Buffer.from(secret).toString('hex')
      expect(rows.some(({ row }) => row.includes(secret) || row.includes(hex))).toBe(false)
    }
  }
})
