/** /mcp over HTTP: who may call it, with which tokens, from where; both revisions of the protocol; and what an assistant is shown as. */
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ASSISTANTS } from '../../src/access/assistants.js'
import { createPublicClient, disableClient } from '../../src/access/clients.js'
import { newSecret } from '../../src/access/secrets.js'
import { challengeOf } from '../../src/access/sessions.js'
import { sql } from '../../src/db/sql.js'
import { Integer } from '../../src/kernel/report/fields.js'
import { defineReport } from '../../src/kernel/report/report.js'
import { reports } from '../../src/reports/index.js'
import { callsBy, MODERN } from '../setup/assistant.js'
import { Browser } from '../setup/browser.js'
import { type Caller, type Service, startService } from '../setup/service.js'

const DOCUMENT = 'https://assistant.example/oauth/client.json'
const PRETENDER = 'https://assistant.example/other.json'
const CALLBACK = 'https://assistant.example/callback'
const documents: Record<string, object> = {
  [DOCUMENT]: { client_id: DOCUMENT, client_name: 'Helper <b>', redirect_uris: [CALLBACK, 'http://localhost:1/cb'] },
  [PRETENDER]: { client_id: DOCUMENT, client_name: 'Pretender', redirect_uris: [CALLBACK] },
}

/** Computes until somebody cancels it. */
const slow = defineReport({
  id: 'sales.slow',
  method: 'GET',
  path: '/v1/sales/slow',
  summary: 'A report that takes long',
  description: 'For the test of a lost connection.',
  request: {},
  record: { n: Integer('A number.') },
  orderBy: ['n'],
  query: () => sql`select n, pg_sleep(600)::text as waited from generate_series(1, 2) n`,
})

let service: Service
let person: Caller
let clientId: string
beforeAll(async () => {
  service = await startService({
    reports: [...reports, slow],
    clientDocuments: ['assistant.example'],
    fetchDocument: async ({ href }) => JSON.stringify(documents[href] ?? {}),
  })
  person = await service.newCaller()
  const made = await service.db.begin((tx) =>
    createPublicClient(tx, { name: 'Claude', redirectUris: [...ASSISTANTS.claude, CALLBACK] }),
  )
  clientId = made.clientId
  await service.db.unsafe(`
    insert into customer (code, name, billing_phone) values ('C1', 'Anand Stores', '98765')`)
})
afterAll(() => service.close())

const ORIGIN = 'http://millbook.example'
const RESOURCE = `${ORIGIN}/mcp`
const verifier = newSecret()
const usual = () => ({
  ...{ response_type: 'code', client_id: clientId, redirect_uri: CALLBACK, state: 's', resource: RESOURCE },
  ...{ code_challenge: challengeOf(verifier), code_challenge_method: 'S256' },
})
const token = async (body: Record<string, string>) => {
  const headers = { host: 'millbook.example' }
  const response = await service.call({ method: 'POST', path: '/oauth2/token', body, token: null, headers })
  return { status: response.statusCode, ...response.json() }
}

/** Signs a person in, and returns the page and the parameters of the redirect. */
async function authorize(change: Record<string, string> = {}) {
  const browser = new Browser(service.app)
  const page = await browser.send(`/oauth2/authorize?${new URLSearchParams({ ...usual(), ...change })}`)
  const { username, password } = person
  const response = await browser.submit(page, { username, password })
  return { page: page.body, to: new URL(response.headers.location as string).searchParams }
}

async function tokenFor(change: Record<string, string> = {}, exchange: Record<string, string> = {}) {
  const { to } = await authorize(change)
  const client_id = change['client_id'] ?? clientId
  const code = { grant_type: 'authorization_code', client_id, code: to.get('code') as string }
  return await token({ ...code, redirect_uri: CALLBACK, code_verifier: verifier, ...exchange })
}

const ofPassword = ({ client_id, client_secret, username, password }: Caller, more: Record<string, string>) =>
  token({ grant_type: 'password', client_id, client_secret, username, password, ...more })

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
const post = (access: string | null, headers: Record<string, string> = {}, body: object = LIST) =>
  service.call({
    ...{ method: 'POST', path: '/mcp', body, token: access },
    headers: { host: 'millbook.example', accept: 'application/json, text/event-stream', ...headers },
  })

/** The official client, over requests that are injected into the service. */
async function connect(access: string, options: ClientOptions) {
  const fetch = async (input: URL | string, init: RequestInit = {}) => {
    const { statusCode, headers, rawPayload } = await service.app.inject({
      ...{ method: (init.method ?? 'GET') as 'GET', url: new URL(String(input)).pathname },
      headers: {
        ...Object.fromEntries(new Headers(init.headers)),
        host: 'millbook.example',
        authorization: `Bearer ${access}`,
      },
      ...(typeof init.body === 'string' && { payload: init.body }),
    })
    const empty = [202, 204, 304].includes(statusCode)
    return new Response(empty ? null : new Uint8Array(rawPayload), {
      status: statusCode,
      headers: headers as Record<string, string>,
    })
  }
  const client = new Client({ name: 'test', version: '1' }, options)
  await client.connect(
    new StreamableHTTPClientTransport(new URL(RESOURCE), { fetch: fetch as typeof globalThis.fetch }),
  )
  onTestFinished(() => client.close())
  return callsBy(client)
}

describe('the tools over HTTP', () => {
  it.each([
    ['2026-07-28, which has no sessions', MODERN],
    ['2025-11-25, by its fallback', {}],
  ] as const)('answer clients of the revision %s', async (_, options) => {
    const { access_token } = await tokenFor()
    const assistant = await connect(access_token, options)
    expect((await assistant.client.listTools()).tools).toHaveLength(5)
    const found = await assistant.call('run_report', { report: 'sales.customers' })
    expect(found).toMatchObject({ total: 1, shown: 1, rows: [{ name: 'Anand Stores', billing: { phone: '98765' } }] })
    expect(found.console).toBe(
      `${ORIGIN}/reports/sales.customers?fields=${encodeURIComponent(new URL(found.console).searchParams.get('fields') ?? '')}`,
    )
    const { error, example } = await assistant.fail('run_report', { report: 'sales.customer' })
    expect(error).toContain('sales.customers')
    await assistant.call(example?.name ?? '', example?.arguments ?? {})
  })

  it('take their units of the rate, and have the groups of the user and the token', async () => {
    const { access_token, scope } = await tokenFor({ scope: 'sales' })
    expect(scope).toBe('sales')
    const assistant = await connect(access_token, MODERN)
    const { rows } = await assistant.call('find_reports', { question: 'stock of finished goods' })
    for (const { report } of rows) expect(report).toMatch(/^sales\./)
    expect((await assistant.fail('run_report', { report: 'masters.items' })).error).toMatch(/there is no report/)
  })

  it('answer what is no message of the protocol with an error of it, and GET with 405', async () => {
    const { access_token } = await tokenFor()
    const { statusCode } = await service.call({
      path: '/mcp',
      token: access_token,
      headers: { host: 'millbook.example' },
    })
    expect(statusCode).toBe(405)
    expect((await post(access_token, {}, { no: 'message' })).statusCode).toBe(400)
  })
})

describe('saved views', () => {
  it('are found, described and run as the reader sees them', async () => {
    const definition = { name: 'Shops that buy', report: 'sales.customers', fields: ['name', 'code'] }
    const made = await service.call({ method: 'POST', path: '/v1/views', body: definition })
    expect(made.statusCode, made.body).toBe(201)
    const report = `view:${made.json().id}`
    const { access_token } = await tokenFor()
    const mine = (await ofPassword(service.caller, { resource: RESOURCE })).access_token
    const owner = await connect(mine, MODERN)
    const { rows } = await owner.call('find_reports', { question: 'the shops that buy' })
    expect(rows).toContainEqual(expect.objectContaining({ report, title: 'Shops that buy', call: { report } }))
    expect(await owner.call('describe_report', { report })).toMatchObject({ view: definition, call: { report } })
    expect((await owner.call('run_report', { report })).rows).toEqual([{ name: 'Anand Stores', code: 'C1' }])
    expect((await owner.call('run_report', { report, fields: 'code' })).rows).toEqual([{ code: 'C1' }])
    const other = await connect(access_token, MODERN)
    expect((await other.fail('run_report', { report })).error).toContain('there is no report or view')
  })
})

describe('the rate of a client', () => {
  it('counts calls', async () => {
    const few = await service.newCaller({ rate: 2 })
    const { access_token } = await ofPassword(few, { resource: RESOURCE })
    expect((await post(access_token)).statusCode).toBe(200)
    expect((await post(access_token)).statusCode).toBe(200)
    const refused = await post(access_token)
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, expect.any(String)])
  })
})

let listening: Promise<number> | undefined
/** The port of the service, which listens from the first call on. */
const portOf = (): Promise<number> => {
  listening ??= service.app
    .listen({ port: 0, host: '127.0.0.1' })
    .then(() => (service.app.server.address() as AddressInfo).port)
  return listening
}

describe('closing the response', () => {
  it('cancels the statement', async () => {
    const { access_token } = await ofListening()
    const port = await portOf()
    const sleeping = async () => {
      const [{ n } = { n: 0 }] = await service.db<{ n: number }[]>`
        select count(*)::int as n from pg_stat_activity
         where datname = current_database() and state = 'active' and query like '%pg_sleep(600)%' and pid <> pg_backend_pid()`
      return n
    }
    const sent = request({
      ...{ port, host: '127.0.0.1', path: '/mcp', method: 'POST' },
      headers: {
        ...{ authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
        accept: 'application/json, text/event-stream',
      },
    })
    sent.on('error', () => {})
    sent.end(
      JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'run_report', arguments: { report: 'sales.slow' } },
      }),
    )
    await expect.poll(sleeping).toBe(1)
    sent.destroy()
    await expect.poll(sleeping).toBe(0)
  })
})

describe('a token', () => {
  it('is asked for by a challenge that names the metadata, which name the resource and the issuer', async () => {
    const refused = await post(null)
    expect(refused.statusCode).toBe(401)
    const metadata = `${ORIGIN}/.well-known/oauth-protected-resource/mcp`
    expect(refused.headers['www-authenticate']).toBe(`Bearer realm="millbook", resource_metadata="${metadata}"`)
    const response = await service.call({
      path: new URL(metadata).pathname,
      token: null,
      headers: { host: 'millbook.example' },
    })
    expect(response.json()).toMatchObject({ resource: RESOURCE, authorization_servers: [ORIGIN] })
  })

  it('of the API does not open /mcp, and one for /mcp does not open the API', async () => {
    const api = await post(person.token)
    expect([api.statusCode, api.headers['www-authenticate']]).toEqual([
      401,
      expect.stringMatching(/error="invalid_token", resource_metadata=/),
    ])
    const { access_token } = await tokenFor()
    expect((await post(access_token)).statusCode).toBe(200)
    for (const path of ['/v1/warehouse/warehouse-list', '/v1/search', '/v1/reports', '/v1/views', '/v1/app-passwords'])
      expect([path, (await service.call({ path, query: { q: 'ab' }, token: access_token })).statusCode]).toEqual([
        path,
        401,
      ])
  })

  it('is for /mcp if the code, the password or the client asks for it; a refreshed one keeps it', async () => {
    const { access_token, refresh_token } = await tokenFor({}, { resource: RESOURCE })
    expect((await post(access_token)).statusCode).toBe(200)
    const next = await token({ grant_type: 'refresh_token', client_id: clientId, refresh_token })
    expect((await post(next.access_token)).statusCode).toBe(200)
    const byPassword = await ofPassword(person, { resource: RESOURCE })
    expect((await post(byPassword.access_token)).statusCode).toBe(200)
    const ofApi = await tokenFor({ resource: ORIGIN })
    expect((await post(ofApi.access_token)).statusCode).toBe(401)
    expect((await service.call({ path: '/v1/reports', token: ofApi.access_token })).statusCode).toBe(200)
  })

  it('for another resource is refused as invalid_target', async () => {
    const foreign = 'https://evil.example/mcp'
    const { to } = await authorizeError({ resource: foreign })
    expect(to.get('error')).toBe('invalid_target')
    expect(await ofPassword(person, { resource: foreign })).toMatchObject({ status: 400, error: 'invalid_target' })
    // Neither may a code or a refresh token change what it was issued for.
    expect(await tokenFor({}, { resource: ORIGIN })).toMatchObject({ status: 400, error: 'invalid_target' })
    const { refresh_token } = await tokenFor()
    const changed = { grant_type: 'refresh_token', client_id: clientId, refresh_token, resource: ORIGIN }
    expect(await token(changed)).toMatchObject({ status: 400, error: 'invalid_target' })
  })

  it('is no session, and no app password is one for /mcp', async () => {
    const made = await service.call({
      ...{ method: 'POST', path: '/v1/app-passwords', body: { name: 'Excel' } },
    })
    expect(made.statusCode, made.body).toBe(201)
    expect((await post(made.json().app_password)).statusCode).toBe(401)
    const basic = Buffer.from(`${person.username}:${made.json().app_password}`).toString('base64')
    expect((await post(null, { authorization: `Basic ${basic}` })).statusCode).toBe(401)
  })

  it('for /mcp is named in the audit trail', async () => {
    await tokenFor()
    const [entry] = await service.db<{ detail: object }[]>`
      select detail from audit_entry where act = 'token.issue' order by id desc limit 1`
    expect(entry?.detail).toMatchObject({ grant: 'authorization_code', resource: 'mcp' })
  })
})

/** The redirect of a request that is refused before the page. */
async function authorizeError(change: Record<string, string>) {
  const response = await new Browser(service.app).send(
    `/oauth2/authorize?${new URLSearchParams({ ...usual(), ...change })}`,
  )
  return { to: new URL(response.headers.location as string).searchParams }
}

describe('the sign-in page', () => {
  it('says which assistant asks for what, and that it is one', async () => {
    const { page } = await authorize({ scope: 'sales inventory' })
    expect(page).toContain('<strong>Claude</strong> asks to read in your name')
    expect(page).toContain('<li>Stock</li><li>Sales and margins</li>')
    expect(page).toContain('It is an assistant')
    expect(page).toContain('You return to assistant.example')
    const { page: plain } = await authorize({ resource: ORIGIN })
    expect(plain).not.toContain('It is an assistant')
  })
})

describe('a client that describes itself by a document', () => {
  const described = { client_id: DOCUMENT }

  it('is shown with its name and its host, and gets a token like any public client', async () => {
    const { page } = await authorize(described)
    expect(page).toContain('<strong>Helper &lt;b&gt;</strong> of assistant.example asks to read')
    const { access_token, refresh_token } = await tokenFor(described)
    expect((await post(access_token)).statusCode).toBe(200)
    const next = await token({ grant_type: 'refresh_token', client_id: DOCUMENT, refresh_token })
    expect((await post(next.access_token)).statusCode).toBe(200)
    await service.db.begin((tx) => disableClient(tx, DOCUMENT))
    const refused = await new Browser(service.app).send(
      `/oauth2/authorize?${new URLSearchParams({ ...usual(), ...described })}`,
    )
    expect([refused.statusCode, refused.body]).toEqual([400, expect.stringContaining('unknown or disabled')])
    await expect.poll(async () => (await post(next.access_token)).statusCode).toBe(401)
  })

  it.each([
    [{ client_id: PRETENDER }, 'has another client_id'],
    [{ client_id: 'https://evil.example/client.json' }, 'Programs of evil.example may not ask'],
    [{ client_id: 'https://assistant.example/missing.json' }, 'has another client_id'],
    [{ client_id: 'https://127.0.0.1/client.json' }, 'unknown or disabled'],
    [{ client_id: DOCUMENT.replace('/oauth', '/x/../oauth') }, 'unknown or disabled'],
  ])('is refused on the page: %j', async (change, reason) => {
    const page = await new Browser(service.app).send(
      `/oauth2/authorize?${new URLSearchParams({ ...usual(), ...change })}`,
    )
    expect([page.statusCode, page.body]).toEqual([400, expect.stringContaining(reason)])
  })

  it('leaves no trace before a person has signed in', async () => {
    const page = await new Browser(service.app).send(
      `/oauth2/authorize?${new URLSearchParams({ ...usual(), client_id: `${DOCUMENT}` })}`,
    )
    void page
    const rows = await service.db`select from api_client where client_id = ${PRETENDER}`
    expect(rows).toEqual([])
  })

  it('is announced in the metadata where it is allowed', async () => {
    const metadata = (await service.call({ path: '/.well-known/oauth-authorization-server', token: null })).json()
    expect(metadata.client_id_metadata_document_supported).toBe(true)
  })
})

/** A token for the address at which the service listens. */
async function ofListening() {
  const origin = `http://127.0.0.1:${await portOf()}`
  const { client_id, client_secret, username, password } = person
  const response = await fetch(`${origin}/oauth2/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ grant_type: 'password', client_id, client_secret, username, password, resource: `${origin}/mcp` },
    }),
  })
  return (await response.json()) as { access_token: string }
}

describe('a request of a page', () => {
  it('under another name than this machine is refused by a service that listens on it alone', async () => {
    const { access_token } = await ofListening()
    const port = await portOf()
    const statusAt = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { host, authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
        const more = { accept: 'application/json, text/event-stream' }
        const sent = request({ port, path: '/mcp', method: 'POST', headers: { ...headers, ...more } }, (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        })
        sent.on('error', reject).end(JSON.stringify(LIST))
      })
    expect(await statusAt('evil.example')).toBe(403)
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`])
      expect([host, await statusAt(host)]).toEqual([host, 200])
  })

  it('of another site is refused, and so is one under a name that is not the service’s', async () => {
    const { access_token } = await tokenFor()
    expect((await post(access_token, { origin: 'https://evil.example' })).statusCode).toBe(403)
    expect((await post(access_token, { origin: ORIGIN })).statusCode).toBe(200)
  })
})
