/** The administration API: its callers, the effect of each operation, and its entry in the audit trail. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONSOLE, createClient } from '../../src/access/clients.js'
import { hashToken, newSecret } from '../../src/access/secrets.js'
import { updateUser } from '../../src/access/users.js'
import { operations } from '../../src/surfaces/admin/operations/index.js'
import { newOperator, type Operator } from '../setup/operator.js'
import { type Caller, type Service, startService } from '../setup/service.js'

const WAREHOUSES = '/v1/warehouse/warehouse-list'
const HOSTILE = `<img src=x onerror="alert('1')">/../%00;--`

let service: Service
let operator: Operator
beforeAll(async () => {
  service = await startService()
  operator = await newOperator(service.app, service.db)
})
afterAll(() => service.close())

const problem = (response: { json(): { type: string } }) => response.json().type.replace('urn:millbook:problem:', '')

interface Entry {
  act: string
  actor: string
  client: string | null
  username: string | null
  address: string | null
  detail: object
}

/** The entries of the trail since the last call, without their times. */
let seen = '0'
async function newEntries() {
  const rows = await service.db<({ id: string } & Entry)[]>`
    select id::text, act, actor, client, username, address, detail from audit_entry where id > ${seen}::bigint order by audit_entry.id`
  seen = rows.at(-1)?.id ?? seen
  return rows.map(({ id: _, ...entry }) => entry)
}

const by = () => ({ actor: operator.username, address: '127.0.0.1' })

const tokenFor = (caller: Pick<Caller, 'client_id' | 'client_secret' | 'username' | 'password'>) => {
  const { client_id, client_secret, username, password } = caller
  const payload = { grant_type: 'password', client_id, client_secret, username, password }
  return service.app.inject({ method: 'POST', url: '/oauth2/token', payload })
}
const reads = async (token: string) => (await service.call({ path: WAREHOUSES, token })).statusCode

describe('who may', () => {
  const sent = operations.map(({ method, path }) => [method, `/v1/admin${path.replace(/:\w+/g, 'x')}`] as const)

  it.each(sent)('%s %s: only for an operator in a console session, from a page of the service', async (method, url) => {
    const reader = await newOperator(service.app, service.db, 'reader')
    const cookies = [...operator.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const send = async (headers: Record<string, string>) => {
      const response = await service.app.inject({ method, url, headers: { host: 'millbook.example', ...headers } })
      return [response.statusCode, problem(response)]
    }
    const csrf = { 'x-csrf-token': operator.csrf }
    expect(await send({})).toEqual([401, 'unauthorized'])
    expect(await send({ authorization: `Bearer ${service.caller.token}` }), 'a token of another client').toEqual([
      403,
      'forbidden',
    ])
    const own = operator.browser.cookies.get('millbook-session') as string
    expect(await send({ authorization: `Bearer ${own}`, ...csrf }), 'the token of the session').toEqual([
      403,
      'forbidden',
    ])
    expect(await send({ cookie: cookies })).toEqual([403, 'csrf-token-required'])
    expect(await send({ cookie: cookies, 'x-csrf-token': reader.csrf })).toEqual([403, 'csrf-token-required'])
    for (const site of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'same-site' }] as Record<
      string,
      string
    >[])
      expect(await send({ cookie: cookies, ...csrf, ...site })).toEqual([403, 'forbidden'])
    const asReader = await reader.browser.send(url, { method, headers: { 'x-csrf-token': reader.csrf } })
    expect([asReader.statusCode, problem(asReader)]).toEqual([403, 'forbidden'])
    expect(asReader.json().detail).toMatch(/^Only (loaders and )?operators/)
  })

  it('a user who is no longer an operator is refused at once', async () => {
    const other = await newOperator(service.app, service.db)
    expect((await other.ask('GET', '/clients')).statusCode).toBe(200)
    await service.db.begin((tx) => updateUser(tx, other.username, { role: 'reader' }))
    expect((await other.ask('GET', '/clients')).statusCode).toBe(403)
  })

  it('GET /v1/admin lists the operations', async () => {
    const response = await operator.ask('GET', '')
    expect(response.json()).toMatchObject({
      may: { administer: true, load: true },
      endings: {
        workbooks: expect.arrayContaining(['.xlsx', '.xlsm', '.csv']),
        imports: ['.csv', '.jsonl', '.parquet'],
      },
      limits: { file_bytes: 67_108_864, all_bytes: 268_435_456, idle_seconds: 3600 },
    })
    expect(response.headers['cache-control']).toBe('no-store')
  })
})

describe('clients', () => {
  it('are created with a secret that is shown once, and listed', async () => {
    await newEntries()
    const sent = { name: HOSTILE, groups: ['sales', 'masters'], hide_contacts: true, rate: 60 }
    const made = await operator.ask('POST', '/clients', { ...sent, grants: ['client_credentials'] })
    const { client, client_secret } = made.json()
    expect(client).toEqual({
      ...{ ...sent, groups: ['masters', 'sales'], client_id: expect.stringMatching(/^[\w-]{22}$/), public: false },
      ...{ grants: ['client_credentials'], redirect_uris: [], created_at: expect.any(String), disabled_at: null },
      ...{ old_secret_until: null, tokens: 0, last_token_at: null },
    })
    const payload = { grant_type: 'client_credentials', client_id: client.client_id, client_secret }
    expect((await service.app.inject({ method: 'POST', url: '/oauth2/token', payload })).statusCode).toBe(200)
    const [created] = await newEntries()
    expect(created).toMatchObject({ act: 'client.create', client: HOSTILE, ...by(), detail: { rate: 60 } })
    const { clients } = (await operator.ask('GET', '/clients')).json()
    expect(clients.map((one: { name: string }) => one.name)).toEqual(expect.arrayContaining([HOSTILE, CONSOLE]))
    expect(JSON.stringify(clients)).not.toContain(client_secret)
    expect(clients.find((one: { name: string }) => one.name === HOSTILE).tokens).toBe(1)
  })

  it('are created without a secret for people who sign in', async () => {
    const redirect_uris = ['https://program.example/callback']
    const made = await operator.ask('POST', '/clients', { name: 'Postman', public: true, redirect_uris })
    expect(made.json()).toEqual({ client: expect.objectContaining({ public: true, redirect_uris }) })
    const none = await operator.ask('POST', '/clients', { name: 'Another', public: true })
    expect([none.statusCode, none.json().detail]).toEqual([422, expect.stringContaining('needs redirect_uris')])
  })

  it.each([
    [{}, ['name is required and must be text of 1 to 100 characters, without NUL']],
    [{ name: 'a\0b' }, ['name must be text of 1 to 100 characters, without NUL']],
    [{ name: 'a', groups: ['nothing'], rate: 0, hide_contacts: 'yes' }, [/^groups must be null, or/, /^hide/, /^rate/]],
    [{ name: 'a', secret: 'x' }, [/^secret is not a field here/]],
    [{ name: 'a', groups: [] }, [/^groups/]],
  ])('refuses %j', async (body, messages) => {
    const response = await operator.ask('POST', '/clients', body)
    expect(response.statusCode).toBe(422)
    const found = response.json().errors.map(({ field, message }: Record<string, string>) => `${field} ${message}`)
    expect(found).toEqual(
      messages.map((message) => (typeof message === 'string' ? message : expect.stringMatching(message))),
    )
  })

  it.each(['', '.', '..', ' a', 'a\u0007b', 'x'.repeat(101)])('refuses the name %j', async (name) => {
    expect((await operator.ask('POST', '/clients', { name })).statusCode).toBe(422)
    expect((await operator.ask('POST', '/users', { username: name })).statusCode).toBe(422)
  })

  it('refuses a name that is taken, and names the grant that lacks a redirect URI', async () => {
    await operator.ask('POST', '/clients', { name: 'taken' })
    const again = await operator.ask('POST', '/clients', { name: 'taken' })
    expect([again.statusCode, again.json().detail]).toEqual([
      409,
      'There is already a client named taken; choose another name.',
    ])
    const code = await operator.ask('POST', '/clients', { name: 'code', grants: ['authorization_code'] })
    expect([code.statusCode, code.json().detail]).toEqual([422, expect.stringContaining('needs a redirect URI')])
  })

  it('change, and lose the tokens of a grant that they lose', async () => {
    const caller = await service.newCaller()
    await newEntries()
    const path = `/clients/${caller.client_id}`
    const response = await operator.ask('PATCH', path, { groups: ['sales'], rate: null, grants: ['password'] })
    expect(response.json()).toMatchObject({
      changed: ['groups', 'grants'],
      tokens_ended: 1,
      client: { groups: ['sales'] },
    })
    expect(await newEntries()).toEqual([
      {
        ...{ act: 'client.update', client: caller.username, username: null, ...by() },
        detail: {
          groups: { from: 'all', to: ['sales'] },
          grants: { from: ['password', 'refresh_token'], to: ['password'] },
          tokens_ended: 1,
        },
      },
    ])
    const { access_token } = (await tokenFor(caller)).json()
    expect(await reads(access_token), 'of another group').toBe(403)
    const back = await operator.ask('PATCH', path, { groups: null })
    expect([back.json().changed, await reads(access_token)]).toEqual([['groups'], 200])
    expect((await operator.ask('PATCH', '/clients/nobody', {})).statusCode).toBe(404)
  })

  it('get a new secret; the old one works until its grace ends', async () => {
    const caller = await service.newCaller()
    await newEntries()
    const path = `/clients/${caller.client_id}`
    const rotated = (await operator.ask('POST', `${path}/rotate-secret`, { overlap_seconds: 3600 })).json()
    expect(rotated).toMatchObject({ client_secret: expect.stringMatching(/^[\w-]{43}$/), ended_early: null })
    expect(Date.parse(rotated.client.old_secret_until)).toBeGreaterThan(Date.now() + 3_500_000)
    const status = async (client_secret: string) => (await tokenFor({ ...caller, client_secret })).statusCode
    expect([await status(caller.client_secret), await status(rotated.client_secret)]).toEqual([200, 200])
    expect((await operator.ask('POST', `${path}/end-old-secret`)).json().client.old_secret_until).toBeNull()
    expect([await status(caller.client_secret), await status(rotated.client_secret)]).toEqual([401, 200])
    const entries = await newEntries()
    const acts = entries.filter(({ act }) => !act.startsWith('token.'))
    expect(acts.map(({ act, actor }) => [act, actor])).toEqual([
      ['client.rotate-secret', operator.username],
      ['client.end-old-secret', operator.username],
    ])
    expect(JSON.stringify(entries)).not.toContain(rotated.client_secret)
    const usual = (await operator.ask('POST', `${path}/rotate-secret`)).json()
    expect(Date.parse(usual.client.old_secret_until)).toBeGreaterThan(Date.now() + 86_000_000)
    expect((await operator.ask('POST', `${path}/rotate-secret`, { overlap_seconds: -1 })).statusCode).toBe(422)
    expect((await operator.ask('POST', `/clients/${CONSOLE}/rotate-secret`)).statusCode).toBe(409)
  })

  it('are disabled and enabled, lose their tokens, and are deleted', async () => {
    const caller = await service.newCaller()
    const path = `/clients/${caller.client_id}`
    await newEntries()
    expect((await operator.ask('POST', `${path}/disable`)).json()).toMatchObject({ tokens_ended: 2 })
    expect(await reads(caller.token)).toBe(401)
    expect((await tokenFor(caller)).statusCode).toBe(401)
    expect((await operator.ask('POST', `${path}/enable`)).json().client.disabled_at).toBeNull()
    expect(await reads(caller.token)).toBe(401)
    const { access_token } = (await tokenFor(caller)).json()
    expect(await reads(access_token)).toBe(200)
    expect((await operator.ask('POST', `${path}/revoke-tokens`)).json().tokens_ended).toBe(2)
    expect(await reads(access_token)).toBe(401)
    const gone = await operator.ask('DELETE', path)
    expect(gone.json()).toEqual({ client_id: caller.client_id, name: caller.username, tokens_ended: 0 })
    expect((await operator.ask('DELETE', path)).statusCode).toBe(404)
    const acts = (await newEntries()).filter(({ actor }) => actor === operator.username)
    expect(acts.map(({ act, client, address }) => [act, client, address])).toEqual(
      ['disable', 'enable', 'revoke-tokens', 'delete'].map((act) => [`client.${act}`, caller.username, '127.0.0.1']),
    )
  })

  it('of the console cannot be disabled, deleted or given grants; its other settings can change', async () => {
    for (const [method, path] of [
      ['POST', '/disable'],
      ['DELETE', ''],
    ] as const) {
      const response = await operator.ask(method, `/clients/${CONSOLE}${path}`)
      expect([response.statusCode, response.json().detail]).toEqual([409, expect.stringContaining('is built in')])
    }
    expect((await operator.ask('PATCH', `/clients/${CONSOLE}`, { grants: ['password'] })).statusCode).toBe(409)
    expect((await operator.ask('PATCH', `/clients/${CONSOLE}`, { rate: 9000 })).json().client.rate).toBe(9000)
    await operator.ask('PATCH', `/clients/${CONSOLE}`, { rate: null })
  })

  it("are found by id only: one client's name may be another's id", async () => {
    const [{ name } = { name: '' }] = await service.db<{ name: string }[]>`
      select name from api_client where client_id = ${CONSOLE}`
    await service.db`update api_client set name = 'built in' where client_id = ${CONSOLE}`
    await service.db`
      insert into api_client (client_id, name, secret_hash) values (${newSecret().slice(0, 22)}, ${CONSOLE}, 'x')`
    const changed = await operator.ask('PATCH', `/clients/${CONSOLE}`, { rate: 9001 })
    expect(changed.json().client).toMatchObject({ client_id: CONSOLE, name: 'built in', rate: 9001 })
    await service.db`delete from api_client where name = ${CONSOLE}`
    await service.db`update api_client set name = ${name}, rate = null where client_id = ${CONSOLE}`
  })
})

describe('users', () => {
  it('are created with a given or a generated password, and with any printable name', async () => {
    await newEntries()
    const made = await operator.ask('POST', '/users', { username: HOSTILE, groups: ['sales'], hide_contacts: true })
    expect(made.json()).toEqual({
      password: expect.stringMatching(/^[\w-]{24}$/),
      user: {
        ...{ username: HOSTILE, role: 'reader', groups: ['sales'], hide_contacts: true, tokens: 0 },
        ...{ created_at: expect.any(String), disabled_at: null, last_token_at: null },
      },
    })
    const { client_id, client_secret } = service.caller
    const signIn = async (username: string, password: string) =>
      (await tokenFor({ client_id, client_secret, username, password })).statusCode
    expect(await signIn(HOSTILE, made.json().password)).toBe(200)
    const entries = await newEntries()
    expect(entries[0]).toMatchObject({ act: 'user.create', username: HOSTILE, ...by() })
    expect(JSON.stringify(entries)).not.toContain(made.json().password)
    const chosen = await operator.ask('POST', '/users', { username: 'vikram', password: 'correct horse' })
    expect(chosen.json()).toEqual({ user: expect.objectContaining({ username: 'vikram' }) })
    expect(await signIn('vikram', 'correct horse')).toBe(200)
    const short = await operator.ask('POST', '/users', { username: 'short', password: 'hunter2' })
    expect([short.statusCode, short.json().detail]).toEqual([422, 'A password must have at least 8 characters.'])
    expect(short.body).not.toContain('hunter2')
    expect((await operator.ask('POST', '/users', { username: 'vikram' })).statusCode).toBe(409)
  })

  it('change, get a new password, are disabled and enabled, lose their tokens, and are deleted', async () => {
    const caller = await service.newCaller()
    const username = `${HOSTILE} ${'मि'.repeat(25)}`
    const made = (await operator.ask('POST', '/users', { username, password: 'correct horse' })).json()
    expect(made.user.username).toBe(username)
    const path = `/users/${encodeURIComponent(username)}`
    const signedIn = { ...caller, username, password: 'correct horse' }
    const { access_token: token } = (await tokenFor(signedIn)).json()
    await newEntries()
    const changed = (await operator.ask('PATCH', path, { role: 'operator', groups: ['sales'] })).json()
    expect(changed).toMatchObject({ changed: ['role', 'groups'], user: { role: 'operator', groups: ['sales'] } })
    expect(await reads(token), 'of another group').toBe(403)
    await operator.ask('PATCH', path, { role: 'reader', groups: null })
    expect(await reads(token)).toBe(200)
    const fresh = (await operator.ask('POST', `${path}/password`)).json()
    expect([fresh.tokens_ended, await reads(token)]).toEqual([2, 401])
    expect((await tokenFor(signedIn)).statusCode).toBe(400)
    const again = { ...signedIn, password: fresh.password }
    expect((await tokenFor(again)).statusCode).toBe(200)
    expect((await operator.ask('POST', `${path}/password`, { password: 'battery staple' })).json()).toEqual({
      user: expect.objectContaining({ username }),
      ...{ tokens_ended: 2, app_passwords_ended: 0 },
    })
    const last = { ...signedIn, password: 'battery staple' }
    expect((await tokenFor(last)).statusCode).toBe(200)
    expect((await operator.ask('POST', `${path}/revoke-tokens`)).json().tokens_ended).toBe(2)
    expect((await operator.ask('POST', `${path}/disable`)).json().user.disabled_at).toEqual(expect.any(String))
    expect((await tokenFor(last)).statusCode).toBe(400)
    expect((await operator.ask('POST', `${path}/enable`)).json().user.disabled_at).toBeNull()
    expect((await tokenFor(last)).statusCode).toBe(200)
    expect((await operator.ask('DELETE', path)).json()).toEqual({ username, tokens_ended: 2, app_passwords_ended: 0 })
    expect((await operator.ask('DELETE', path)).statusCode).toBe(404)
    const entries = (await newEntries()).filter(({ actor }) => actor === operator.username)
    expect(entries.map(({ act, username: about }) => [act, about])).toEqual(
      ['update', 'update', 'passwd', 'passwd', 'revoke-tokens', 'disable', 'enable', 'delete'].map((act) => [
        `user.${act}`,
        username,
      ]),
    )
    for (const secret of [fresh.password, 'battery staple']) expect(JSON.stringify(entries)).not.toContain(secret)
  })

  it('with NUL or nobody’s name are not found', async () => {
    for (const name of ['%00', 'a%00b', 'nobody', encodeURIComponent("' or 1=1 --")])
      for (const [method, rest] of [
        ['PATCH', ''],
        ['POST', '/enable'],
        ['POST', '/password'],
        ['DELETE', ''],
      ] as const) {
        const response = await operator.ask(method, `/users/${name}${rest}`)
        expect([name, response.statusCode, problem(response)]).toEqual([name, 404, 'does-not-exist'])
      }
  })

  it('an operator cannot disable, delete or demote themself', async () => {
    const path = `/users/${operator.username}`
    for (const [method, rest, body] of [
      ['POST', '/disable', undefined],
      ['DELETE', '', undefined],
      ['PATCH', '', { role: 'reader' }],
    ] as const) {
      const response = await operator.ask(method, `${path}${rest}`, body)
      expect([response.statusCode, response.json().detail]).toEqual([
        409,
        expect.stringMatching(/^You cannot .* yourself;/),
      ])
    }
    expect((await operator.ask('GET', '/users')).statusCode).toBe(200)
  })

  it('of two operators who demote each other at the same time, one stays', async () => {
    for (let round = 0; round < 3; round++) {
      const [one, other] = [await newOperator(service.app, service.db), await newOperator(service.app, service.db)]
      const answers = await Promise.all([
        one.ask('PATCH', `/users/${other.username}`, { role: 'reader' }),
        other.ask('PATCH', `/users/${one.username}`, { role: 'reader' }),
      ])
      expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 403])
    }
  })
})

describe('sessions', () => {
  interface Session {
    id: string
    current: boolean
  }

  it('list the valid tokens without any part of their secrets', async () => {
    const caller = await service.newCaller()
    const response = await operator.ask('GET', `/sessions?user=${caller.username}`)
    const expected = { client_id: caller.client_id, client: caller.username, username: caller.username, current: false }
    const common = { ...expected, groups: null, address: '127.0.0.1', created_at: expect.any(String) }
    const [one, other] = response.json().sessions
    expect([one, other].sort((a, b) => (a.kind < b.kind ? -1 : 1))).toEqual(
      ['access', 'refresh'].map((kind) => ({
        ...common,
        kind,
        id: expect.any(String),
        expires_at: expect.any(String),
      })),
    )
    expect(response.json().more).toBe(false)
    for (const token of [caller.token, caller.refreshToken])
      for (const secret of [token, hashToken(token).toString('hex'), hashToken(token).toString('base64url')])
        expect(response.body).not.toContain(secret)
    const own = (await operator.ask('GET', `/sessions?client_id=${CONSOLE}&user=${operator.username}`)).json().sessions
    expect(own.map(({ current }: Session) => current)).toEqual([true])
    const bounded = (await operator.ask('GET', '/sessions?limit=1')).json()
    expect([bounded.sessions.length, bounded.more]).toEqual([1, true])
  })

  it('end one by one; a refresh token ends with its access tokens', async () => {
    const caller = await service.newCaller()
    const { access_token } = (await tokenFor(caller)).json()
    const list = async () =>
      (await operator.ask('GET', `/sessions?user=${caller.username}`)).json().sessions as (Session & { kind: string })[]
    await newEntries()
    const access = (await list()).filter(({ kind }) => kind === 'access')
    expect(access).toHaveLength(2)
    for (const { id } of access.slice(0, 1)) {
      expect((await operator.ask('DELETE', `/sessions/${id}`)).json()).toEqual({ id })
      expect((await operator.ask('DELETE', `/sessions/${id}`)).statusCode).toBe(404)
    }
    expect(await newEntries()).toEqual([
      {
        ...{ act: 'token.revoke', client: caller.username, username: caller.username, ...by() },
        detail: { kind: 'access' },
      },
    ])
    expect([await reads(caller.token), await reads(access_token)].sort()).toEqual([200, 401])
    for (const { id, kind } of await list()) if (kind === 'refresh') await operator.ask('DELETE', `/sessions/${id}`)
    expect([await reads(caller.token), await reads(access_token)]).toEqual([401, 401])
    expect(await list()).toEqual([])
    for (const id of ['x', '%00', '00000000-0000-4000-8000-000000000000'])
      expect((await operator.ask('DELETE', `/sessions/${id}`)).statusCode).toBe(404)
  })

  it('a person whose session is ended is signed out', async () => {
    const other = await newOperator(service.app, service.db)
    const { sessions } = (await operator.ask('GET', `/sessions?user=${other.username}`)).json()
    expect((await operator.ask('DELETE', `/sessions/${sessions[0].id}`)).statusCode).toBe(200)
    expect((await other.ask('GET', '/users')).statusCode).toBe(401)
  })
})

describe('webhooks', () => {
  it('are created with a secret that is shown once, listed, rotated, enabled, replayed and deleted', async () => {
    await newEntries()
    const url = 'https://receiver.example/hook?key=1'
    const made = (await operator.ask('POST', '/webhooks', { name: HOSTILE, url, events: ['data.version'] })).json()
    expect(made).toEqual({
      secret: expect.stringMatching(/^whsec_/),
      webhook: {
        ...{ id: expect.stringMatching(/^[\w-]{16}$/), name: HOSTILE, url, events: ['data.version'] },
        ...{ created_at: expect.any(String), old_secret_until: null, failing_since: null },
        ...{ disabled_at: null, disabled_why: null, pending: 0, failed: 0, last_delivered_at: null },
      },
    })
    const { id } = made.webhook
    expect((await operator.ask('GET', '/webhooks')).json()).toEqual({ webhooks: [made.webhook] })
    await service.db`insert into event (id, type, data, dispatched) values ('msg_1', 'data.version', '{"version":1}', true)`
    await service.db`
      insert into delivery (event, webhook, state, attempts)
      values ('msg_1', ${id}, 'failed', '[{"at": "2026-01-01T00:00:00Z", "status": 500, "error": "it answered 500"}]')`
    expect((await operator.ask('GET', `/webhooks/${id}/deliveries?limit=5`)).json()).toEqual({
      deliveries: [
        {
          ...{ id: 'msg_1', type: 'data.version', at: expect.any(String), state: 'failed', data: { version: 1 } },
          ...{
            attempts: [{ at: '2026-01-01T00:00:00Z', status: 500, error: 'it answered 500' }],
            next_attempt_at: null,
          },
        },
      ],
    })
    const rotated = (await operator.ask('POST', `/webhooks/${id}/rotate-secret`, { overlap_seconds: 60 })).json()
    expect(rotated).toMatchObject({
      secret: expect.stringMatching(/^whsec_/),
      webhook: { old_secret_until: expect.any(String) },
    })
    expect(rotated.secret).not.toBe(made.secret)
    await service.db`update webhook set disabled_at = now(), disabled_why = 'x'`
    expect((await operator.ask('POST', `/webhooks/${id}/replay`, {})).statusCode, 'disabled').toBe(409)
    expect((await operator.ask('POST', `/webhooks/${id}/enable`)).json().webhook.disabled_at).toBeNull()
    expect((await operator.ask('POST', `/webhooks/${id}/replay`, {})).json()).toEqual({ messages: 1 })
    expect((await operator.ask('POST', `/webhooks/${id}/replay`, { message: 'msg_2' })).statusCode).toBe(404)
    expect((await operator.ask('DELETE', `/webhooks/${id}`)).json()).toEqual({ id, name: HOSTILE })
    for (const [method, path] of [
      ['DELETE', ''],
      ['POST', '/enable'],
      ['POST', '/rotate-secret'],
      ['GET', '/deliveries'],
    ] as const)
      expect((await operator.ask(method, `/webhooks/${id}${path}`)).statusCode).toBe(404)
    const entries = await newEntries()
    const acts = ['create', 'rotate-secret', 'enable', 'replay', 'delete'].map((act) => `webhook.${act}`)
    expect(entries.map(({ act, actor, address }) => [act, actor, address])).toEqual(
      acts.map((act) => [act, operator.username, '127.0.0.1']),
    )
    expect(JSON.stringify(entries)).not.toMatch(/whsec_|key=1/)
    await service.db`delete from event`
  })

  it('are refused in words', async () => {
    for (const [sent, status] of [
      [{ name: 'a' }, 422],
      [{ name: 'a', url: 'ftp://a.example' }, 422],
      [{ name: ' a', url: 'https://a.example' }, 422],
      [{ name: 'a', url: 'https://a.example', events: ['data.versions'] }, 422],
      [{ name: 'a', url: 'https://a.example' }, 200],
      [{ name: 'a', url: 'https://a.example' }, 409],
    ] as const)
      expect((await operator.ask('POST', '/webhooks', sent)).statusCode, JSON.stringify(sent)).toBe(status)
    await service.db`delete from webhook`
  })
})

describe('the audit trail', () => {
  it('comes newest first, in pages that neither repeat nor skip an entry, and can be filtered', async () => {
    const name = newSecret().slice(0, 12)
    await service.db.begin((tx) => createClient(tx, { name }))
    for (let i = 1; i <= 6; i++)
      await service.db`
        insert into audit_entry (at, act, actor, client, username, detail)
        values (${new Date(`2020-01-0${i}T12:00:00Z`)}, ${i % 2 ? 'token.issue' : 'token.refuse'}, 'x', ${name}, ${`u${i}`},
                ${JSON.stringify({ i })}::text::jsonb)`
    const get = async (query: string) => (await operator.ask('GET', `/audit?client=${name}&${query}`)).json()
    const days = ({ entries }: { entries: { at: string; act: string }[] }) => entries.map(({ at }) => at.slice(0, 10))
    const days2020 = ['06', '05', '04', '03', '02', '01'].map((day) => `2020-01-${day}`)
    let page = await get('limit=2&act=token.*')
    const walked = [...days(page)]
    while (page.next !== null) {
      page = await get(`limit=2&act=token.*&before=${page.next}`)
      walked.push(...days(page))
    }
    expect(walked).toEqual(days2020)
    expect(days(await get('act=token.refuse'))).toEqual(days2020.filter((_, i) => i % 2 === 0))
    expect(days(await get('from=2020-01-03&to=2020-01-04'))).toEqual(['2020-01-04', '2020-01-03'])
    expect(days(await get('from=2020-01-03T12:00:00Z&to=2020-01-04T12:00:00Z'))).toEqual(['2020-01-03'])
    expect((await get('user=u3')).entries).toEqual([
      {
        ...{ id: expect.any(String), at: '2020-01-03T12:00:00.000Z', act: 'token.issue', actor: 'x', client: name },
        ...{ user: 'u3', address: null, detail: { i: 3 } },
      },
    ])
    expect(await get('user=nobody')).toEqual({ entries: [], next: null })
    for (const edge of ['0001-01-01', '9999-12-31', '9999-12-31T23:59:59-23:59', '0001-01-01T00:00:00%2B23:59'])
      for (const name of ['from', 'to'])
        expect([200, 422], edge).toContain((await operator.ask('GET', `/audit?${name}=${edge}`)).statusCode)
    for (const wrong of ['from=0000-01-01', 'to=0000-01-01T00:00:00Z', 'from=2026-02-30', 'act=a&act=b', '__proto__=1'])
      expect((await operator.ask('GET', `/audit?${wrong}`)).statusCode, wrong).toBe(422)
    for (const wrong of ['limit=0', 'limit=501', 'from=yesterday', 'before=x', 'who=me', 'user=%00'])
      expect((await operator.ask('GET', `/audit?${wrong}`)).statusCode, wrong).toBe(422)
  })
})
