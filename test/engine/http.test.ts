/** HTTP behaviour: errors, parameters, content negotiation, links, headers, health and the log. */
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { sql } from '../../src/db/sql.js'
import { Integer } from '../../src/kernel/report/fields.js'
import { Optional, WholeNumber, ZeroOrOne } from '../../src/kernel/report/params.js'
import { defineReport, type Report } from '../../src/kernel/report/report.js'
import { reports } from '../../src/reports/index.js'
import { buildApp } from '../../src/runtime/app.js'
import { openSample } from '../setup/database.js'
import { head, open } from '../setup/edge.js'
import { eventually } from '../setup/patience.js'
import { type Service, startService } from '../setup/service.js'
import { only } from '../setup/tier.js'

const onEmbedded = only('embedded', 'a server has a session for each connection')

const FG = '/v1/inventory/fg-stock-status'
const PO = '/v1/purchase-orders/list'
const WH = '/v1/warehouse/warehouse-list'
const fgRequest = { type: 'FG', tax: 0, from_date: '2026-06-01', to_date: '2026-06-30' }

let service: Service
const lines: string[] = []
beforeAll(async () => {
  const logTo = { write: (text: string) => void lines.push(...text.trimEnd().split('\n')) }
  service = await startService(
    { logLevel: 'trace', logTo, trustedProxies: ['10.0.0.0/8'] },
    await openSample({ today: '2026-06-30', scale: 0.1, months: 2 }),
  )
})
afterAll(() => service.close())

const json = { 'content-type': 'application/json' }

it('an unknown path is a page for a browser, and problem+json for a program', async () => {
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  for (const path of ['/nowhere', '/v1/<script>', '/items', '/batches/one', '/reports/a/b']) {
    const page = await service.call({ path, headers: { accept: browser }, token: null })
    expect([path, page.statusCode, page.headers['content-type'], page.headers['vary']]).toEqual([
      ...[path, 404, 'text/html; charset=utf-8', 'Accept'],
    ])
    expect(page.body).toMatch(/Page not found[\s\S]*href="\/"/)
    expect(page.body).not.toContain('<script>')
    for (const accept of ['*/*', 'application/json', undefined]) {
      const { statusCode, headers } = await service.call({ path, headers: accept ? { accept } : {}, token: null })
      expect([path, accept, statusCode, headers['content-type']]).toEqual([
        ...[path, accept, 404, 'application/problem+json; charset=utf-8'],
      ])
    }
  }
  const posted = await service.call({ path: '/nowhere', method: 'POST', headers: { accept: browser }, token: null })
  expect(posted.headers['content-type']).toBe('application/problem+json; charset=utf-8')
})

describe('errors are problem+json', () => {
  const cases: [string, Parameters<Service['call']>[0], number, RegExp][] = [
    ['an unknown path', { path: '/v1/nope' }, 404, /nothing at \/v1\/nope/],
    ['a wrong method', { path: '/v1/purchase-orders/list', method: 'POST' }, 405, /Use GET, HEAD, not POST/],
    ['truncated JSON', { path: FG, body: '{"a"', headers: json }, 400, /not valid JSON/],
    ['an array', { path: FG, body: '[1]', headers: json }, 400, /must be a JSON object/],
    ['a number', { path: FG, body: '7', headers: json }, 400, /must be a JSON object/],
    ['bytes that are not UTF-8', { path: FG, body: Buffer.from([0x7b, 0xff, 0x7d]), headers: json }, 400, /UTF-8/],
    ['a body of 70 KiB', { path: FG, body: `{"type":"${'x'.repeat(70 * 1024)}"}`, headers: json }, 413, /64 KiB/],
    [
      'XML',
      { path: FG, body: '<a/>', headers: { 'content-type': 'application/xml' } },
      415,
      /Content-Type: application\/json/,
    ],
    [
      'a form',
      { path: FG, body: 'type=FG', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      415,
      /json/,
    ],
  ]
  it.each(cases)('%s', async (_name, request, status, detail) => {
    const response = await service.call(request)
    expect(response.statusCode).toBe(status)
    expect(response.headers['content-type']).toContain('application/problem+json')
    const body = response.json()
    expect(body).toMatchObject({
      status,
      type: expect.stringMatching(/^urn:millbook:problem:/),
      title: expect.any(String),
    })
    expect(body.detail).toMatch(detail)
    expect(body.request_id).toBe(response.headers['x-request-id'])
  })

  it('a body over 64 KiB on every route, with or without Content-Length', async () => {
    const body = (size: number) => JSON.stringify({ x: 'y'.repeat(size - '{"x":""}'.length) })
    for (const path of [...reports.map((report) => report.path), '/oauth2/token', '/healthz']) {
      const method = path === '/oauth2/token' ? { method: 'POST' as const } : {}
      const status = async (sent: unknown) =>
        (await service.call({ path, ...method, body: sent, headers: json })).statusCode
      expect([path, await status(body(65_537)), await status(Readable.from([body(65_537)]))]).toEqual([path, 413, 413])
      expect(await status(body(65_536))).not.toBe(413)
      expect(await status(Readable.from([body(65_536)]))).not.toBe(413)
    }
  })

  it('a malformed URL, and bytes that are not HTTP', async () => {
    const url = await service.call({ path: '/v1/%' })
    expect([url.statusCode, url.headers['content-type']]).toEqual([
      400,
      expect.stringContaining('application/problem+json'),
    ])
    const { port } = new URL(await service.app.listen({ port: 0, host: '127.0.0.1' }))
    for (const [bytes, status] of [
      ['NONSENSE\r\n\r\n', '400 Bad Request'],
      [`GET / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, '431 Request Header Fields Too Large'],
    ] as const) {
      const socket = connect(Number(port), '127.0.0.1')
      socket.write(bytes)
      const [head, body = ''] = (await text(socket)).split('\r\n\r\n')
      expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status}\r\n[^]*application/problem\\+json`))
      expect(JSON.parse(body).status).toBe(Number(status.slice(0, 3)))
    }
  })

  it.each(['', 'a b', 'foo:99999', '[', '::1', '%', 'a/b', 'a?b', 'a@b'])('a Host header %j', async (host) => {
    const response = await service.call({ path: WH, headers: { host } })
    expect([200, 400]).toContain(response.statusCode)
    if (response.statusCode === 200) expect(new URL(response.json()._links.self.href).pathname).toBe(WH)
  })

  it('405 lists the allowed methods', async () => {
    for (const [path, allow] of [
      [FG, 'GET, HEAD, POST'],
      [PO, 'GET, HEAD'],
      [WH, 'GET, HEAD'],
      ['/oauth2/token', 'POST'],
      ['/healthz', 'GET, HEAD'],
    ] as const)
      expect((await service.app.inject({ method: 'DELETE', url: path })).headers['allow']).toBe(allow)
  })

  it('a failure of the service is 500 and reveals no internals', async () => {
    const wrong = defineReport({
      ...{ id: 'masters.wrong', method: 'POST', path: '/v1/wrong', summary: '', description: '', request: {} },
      ...{
        record: { n: Integer('') },
        orderBy: ['n'],
        query: () => sql`select 1 / (count(*) * 0) as n from stock_movement`,
      },
    }) as unknown as Report
    const broken = await startService({ reports: [...reports, wrong] })
    const failed = await broken.call({ method: 'POST', path: wrong.path, body: {} })
    await broken.db.unsafe('drop table stock_movement cascade')
    const refused = await broken.call({ path: FG, body: fgRequest })
    await broken.close()
    expect([failed.statusCode, refused.statusCode]).toEqual([500, 503])
    for (const { body } of [failed, refused]) expect(body).not.toMatch(/stock_movement|select|relation|zero|at /i)
  })
})

describe('422 says what to send instead', () => {
  const cases: [unknown, Record<string, string>][] = [
    [{ ...fgRequest, type: 'fg' }, { type: 'must be one of FG, SFG, ALL, not "fg"' }],
    [{ ...fgRequest, tax: 2 }, { tax: 'must be 0 or 1, not 2' }],
    [{ ...fgRequest, tax: true }, { tax: 'must be 0 or 1, not true' }],
    [
      { ...fgRequest, from_date: '2026-02-29' },
      { from_date: 'must be a calendar date as YYYY-MM-DD, not "2026-02-29"' },
    ],
    [
      { ...fgRequest, from_date: '01-06-2026' },
      { from_date: 'must be a calendar date as YYYY-MM-DD, not "01-06-2026"' },
    ],
    [{ ...fgRequest, from_date: null }, { from_date: 'must be a calendar date as YYYY-MM-DD, not null' }],
    [
      { ...fgRequest, from_date: '2026-07-01' },
      { to_date: 'must not be before from_date (2026-07-01), but is 2026-06-30' },
    ],
    [
      { ...fgRequest, form_date: '2026-06-01' },
      { form_date: 'is not a parameter here (did you mean from_date?); there are type, tax, from_date, to_date' },
    ],
    [{ ...fgRequest, type: ['FG'] }, { type: 'must be one of FG, SFG, ALL, not an array' }],
    ['{"type":"FG","tax":0,"from_date":"2026-06-01","to_date":"2026-06-30","__proto__":{"a":1}}', { __proto__: '' }],
  ]
  it.each(cases)('%j', async (body, expected) => {
    const response = await service.call({ path: FG, body, headers: json })
    expect(response.statusCode).toBe(422)
    const errors = response.json().errors
    if (typeof body === 'string') expect(errors[0].field).toBe('__proto__')
    else
      expect(Object.fromEntries(errors.map((e: { field: string; message: string }) => [e.field, e.message]))).toEqual(
        expected,
      )
  })

  it.each(['0', '-1', '1.5', 'abc', '', '5001', '1e2', '99999999999999999999'])('per-page=%s', async (size) => {
    const response = await service.call({ path: WH, query: { 'per-page': size } })
    expect(response.statusCode).toBe(422)
  })

  it('deeply nested JSON, huge numbers, and parameters with dangerous names', async () => {
    const deep = `{"type":${'['.repeat(30_000)}${']'.repeat(30_000)}}`
    expect((await service.call({ path: FG, body: deep, headers: json })).statusCode).toBe(422)
    const huge = await service.call({ path: FG, body: '{"tax":1e999}', headers: json })
    expect(JSON.stringify(huge.json().errors)).toContain('must be 0 or 1, not Infinity')
    const url = `${PO}?__proto__=1&constructor=2`
    const response = await service.app.inject({ url, headers: { authorization: `Bearer ${service.caller.token}` } })
    expect(
      response
        .json()
        .errors.map((e: { field: string }) => e.field)
        .sort(),
    ).toEqual(['__proto__', 'constructor'])
    const nul = await service.call({ path: PO, body: { vendor_code: 'V\0' } })
    expect(nul.statusCode).toBe(422)
  })

  it('a parameter of a POST report in the query string, and a repeated parameter', async () => {
    const misplaced = await service.call({ path: FG, body: fgRequest, query: { type: 'FG' } })
    expect(misplaced.json().errors).toEqual([
      { field: 'type', message: 'belongs in the JSON body of a POST; send a GET to have it in the query string' },
    ])
    const response = await service.app.inject({
      url: `${PO}?vendor_code=V001&vendor_code=V002`,
      headers: { authorization: `Bearer ${service.caller.token}` },
    })
    expect(response.json().errors[0].message).toMatch(/must be text of at most 200 characters/)
  })
})

describe('the Accept header', () => {
  it.each([
    'application/json',
    '*/*',
    'application/*',
    'text/csv;q=0.1, application/json;q=0.9',
    'text/html, */*;q=0.8',
  ])('%s gets JSON', async (accept) => {
    const response = await service.call({ path: WH, headers: { accept } })
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    expect(response.headers['vary']).toContain('Accept,')
  })

  it.each(['text/html', 'application/json;q=0', 'application/json;q=0, image/*', 'application/json ; q = 0'])(
    '%s gets 406',
    async (accept) => {
      const response = await service.call({ path: WH, headers: { accept } })
      expect([response.statusCode, response.json().detail]).toEqual([406, expect.stringContaining('application/json')])
    },
  )

  it('is overridden by ?format=, whose error lists the formats', async () => {
    const response = await service.call({ path: WH, query: { format: 'json' }, headers: { accept: 'text/html' } })
    expect([response.statusCode, response.json()._links.self.href]).toEqual([
      200,
      expect.stringContaining('format=json'),
    ])
    const wrong = await service.call({ path: WH, query: { format: 'pdf' } })
    expect([wrong.statusCode, wrong.json().errors[0]]).toEqual([
      422,
      { field: 'format', message: expect.stringMatching(/^must be one of json\b.*not "pdf"$/) },
    ])
  })
})

describe('the error says how to correct', () => {
  const detailOf = async (request: Parameters<Service['call']>[0]) => {
    const response = await service.call(request)
    return [response.statusCode, response.json().detail ?? response.json().errors]
  }

  it('a page in the body', async () => {
    expect(await detailOf({ path: FG, body: { ...fgRequest, page: 2 } })).toEqual([
      422,
      [{ field: 'page', message: 'belongs in the query string, not in the body' }],
    ])
  })

  it.each([
    ['in the query string', FG, { per_page: 5 }, fgRequest, 'per_page', 'per-page'],
    ['in the query string of a GET', WH, { per_page: 5 }, undefined, 'per_page', 'per-page'],
    ['in the query string', FG, { filters: 'a=1' }, fgRequest, 'filters', 'filter'],
    ['in the body', FG, {}, { ...fgRequest, per_page: 5 }, 'per_page', 'per-page'],
    ['in the body', FG, {}, { ...fgRequest, fromdate: '2026-06-01' }, 'fromdate', 'from_date'],
  ])('a misspelt parameter %s of %s: %j, %j', async (_where, path, query, body, field, meant) => {
    const response = await service.call({ path, query, ...(body && { body }) })
    expect([response.statusCode, response.json().errors]).toEqual([
      422,
      [{ field, message: expect.stringContaining(`(did you mean ${meant}?); there are `) }],
    ])
  })

  it('a trailing slash, and a misspelt path', async () => {
    expect(await detailOf({ path: `${WH}/` })).toEqual([
      404,
      expect.stringContaining(`leave out the slash at the end: ${WH}`),
    ])
    expect(await detailOf({ path: '/v1/inventory/fg-stock-statu' })).toEqual([
      404,
      expect.stringContaining(`did you mean ${FG} or /v1/inventory/mat-stock-status?`),
    ])
  })

  it('a scheme other than Bearer, and a bare token', async () => {
    for (const [authorization, named] of [
      ['Digest username="a"', 'the scheme Digest'],
      [service.caller.token, 'without the word Bearer'],
    ] as const)
      expect(await detailOf({ path: WH, token: null, headers: { authorization } })).toEqual([
        401,
        expect.stringMatching(`Authorization: Bearer <access_token>, not .*${named}`),
      ])
  })

  it.each([{ 'content-encoding': 'gzip' }, {}])('a compressed body with the headers %j', async (headers) => {
    const body = gzipSync(JSON.stringify(fgRequest))
    const response = await service.call({ path: FG, body, headers: { ...json, ...headers } })
    expect([response.statusCode, response.headers['accept-encoding']]).toEqual([415, 'identity'])
    expect(response.json().detail).toMatch(/gzip; send it uncompressed/)
  })

  it('a charset other than UTF-8', async () => {
    const send = (type: string) =>
      service.call({ path: FG, body: JSON.stringify(fgRequest), headers: { 'content-type': type } })
    const response = await send('application/json; charset=utf-16')
    expect([response.statusCode, response.json().detail]).toEqual([
      415,
      'The Content-Type names the charset utf-16; send the body as UTF-8, without a charset.',
    ])
    for (const charset of ['utf-8', '"UTF8"', 'US-ASCII'])
      expect((await send(`application/json; charset=${charset}`)).statusCode).toBe(200)
  })

  it('a duplicate JSON key, on reports and on the token endpoint', async () => {
    const body = '{"type":"FG","tax":0,"from_date":"2026-06-01","to_date":"2026-06-30","ty\\u0070e":"SFG"}'
    expect(await detailOf({ path: FG, body, headers: json })).toEqual([
      400,
      expect.stringContaining('key "type" twice'),
    ])
    const nested = '{"type":{"a":1,"a":2},"tax":"}","tax ":"\\"tax\\":"}'
    expect((await service.call({ path: FG, body: nested, headers: json })).statusCode).toBe(422)
    const token = '{"grant_type":"password","grant_type":"password"}'
    const response = await service.call({ method: 'POST', path: '/oauth2/token', body: token, headers: json })
    expect([response.statusCode, response.json().error_description]).toEqual([400, expect.stringContaining('twice')])
  })

  it('a wrong secret, a wrong password, and a grant that the client may not use', async () => {
    const { client_id, client_secret, username, password } = service.caller
    const sent = async (body: object) => {
      const response = await service.call({ method: 'POST', path: '/oauth2/token', body, token: null })
      return [response.statusCode, response.json().error, response.json().error_description]
    }
    const right = { grant_type: 'password', client_id, client_secret, username, password }
    expect(await sent({ ...right, client_secret: 'x' })).toEqual([
      401,
      'invalid_client',
      expect.stringMatching(/client_secret is wrong.*ask the operator/),
    ])
    expect(await sent({ ...right, password: 'x' })).toEqual([
      400,
      'invalid_grant',
      expect.stringMatching(/password is wrong.*ask the operator/),
    ])
    expect(await sent({ ...right, grant_type: 'client_credentials' })).toEqual([
      400,
      'unauthorized_client',
      expect.stringMatching(/may not use grant_type client_credentials; it may use password, refresh_token/),
    ])
  })

  it('an unusual method, as problem+json', async () => {
    const other = await startService()
    onTestFinished(() => other.close())
    const { port } = new URL(await other.app.listen({ port: 0, host: '127.0.0.1' }))
    for (const method of ['PROPFIND', 'QUERY', 'PURGE']) {
      const socket = connect(Number(port), '127.0.0.1')
      socket.write(`${method} ${FG} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      const response = await text(socket)
      // Node 20 does not know QUERY and rejects it before it becomes a request.
      expect(response).toMatch(method === 'QUERY' ? /^HTTP\/1.1 40[05] / : /^HTTP\/1.1 405 /)
      expect(response).toContain('application/problem+json')
    }
  })
})

describe('the GET reports', () => {
  const filters = { status: 'RECEIVED', from_date: '2026-05-01', to_date: '2026-06-15', vendor_code: 'V0002' }

  it('accept parameters in a JSON body or in the query string', async () => {
    const byBody = await service.call({ path: PO, body: filters })
    const byQuery = await service.call({ path: PO, query: filters })
    const all = await service.call({ path: PO })
    expect(byBody.json()).toEqual(byQuery.json())
    expect(byBody.json().data.length).toBeGreaterThan(0)
    expect(byBody.json().data.length).toBeLessThan(all.json().data.length)
  })

  it('accept a parameter in both if the values are equal, and refuse it if they differ', async () => {
    const same = await service.call({ path: PO, body: { status: 'CREATED' }, query: { status: 'CREATED' } })
    expect(same.json()).toEqual((await service.call({ path: PO, query: { status: 'CREATED' } })).json())
    const response = await service.call({ path: PO, body: { status: 'CREATED' }, query: { status: 'CLOSED' } })
    expect([response.statusCode, response.json().errors]).toEqual([
      422,
      [{ field: 'status', message: expect.stringContaining('given twice') }],
    ])
  })

  it('respond to HEAD with the headers of GET and no body', async () => {
    const [get, head] = await Promise.all(
      (['GET', 'HEAD'] as const).map((method) =>
        service.app.inject({ method, url: WH, headers: { authorization: `Bearer ${service.caller.token}` } }),
      ),
    )
    const { date: _, 'x-request-id': __, 'server-timing': ___, ...expected } = get?.headers ?? {}
    expect([head?.statusCode, head?.body]).toEqual([200, ''])
    const headers = { authorization: `Bearer ${service.caller.token}` }
    const wrong = { nonsense: '1' }
    const inBody = await service.app.inject({ method: 'HEAD', url: WH, headers, payload: wrong })
    const inQuery = await service.app.inject({ method: 'HEAD', url: WH, headers, query: wrong })
    expect([inBody.statusCode, inQuery.statusCode], 'it has no body').toEqual([200, 422])
    expect(head?.headers).toMatchObject(expected)
  })

  it('suggest the query string if a proxy may have dropped the body', async () => {
    const response = await service.call({ path: '/v1/sales-orders' })
    expect([response.statusCode, response.json().detail]).toEqual([422, expect.stringMatching(/query string/)])
    const misspelt = await service.call({ path: '/v1/sales-orders', body: { from: '2026-06-01' } })
    expect(misspelt.json().detail).toBeUndefined()
  })

  it('return all records for an empty body labelled as JSON, and for empty filters', async () => {
    const all = (await service.call({ path: PO })).json()
    expect((await service.call({ path: PO, headers: json })).json()).toEqual(all)
    expect((await service.call({ path: PO, body: { status: '', vendor_code: '' } })).json()).toEqual(all)
  })

  it('keep the parameters in links to pages', async () => {
    const { vendor_code: _, ...some } = filters
    const first = (await service.call({ path: PO, body: some, query: { 'per-page': 1 } })).json()
    const next = new URL(first._links.next.href)
    const second = await service.app.inject({
      url: `${next.pathname}${next.search}`,
      headers: { authorization: `Bearer ${service.caller.token}` },
    })
    const whole = (await service.call({ path: PO, body: some })).json()
    expect([...first.data, ...second.json().data]).toEqual(whole.data.slice(0, 2))
  })

  it('repeat parameters in links as the caller sent them, not as the SQL gets them', async () => {
    const made = defineReport({
      ...{ id: 'masters.made', method: 'GET', path: '/v1/made', summary: '', description: '' },
      request: { tax: ZeroOrOne('number', ''), limit: Optional(WholeNumber('string', 10, '', 1)) },
      ...{ record: { id: Integer('') }, orderBy: ['id'], query: () => sql`select 1 as id` },
    }) as unknown as Report
    const app = await buildApp({ database: service.database, reports: [made], logLevel: 'silent', leaseMs: 0 })
    onTestFinished(() => app.close())
    const headers = { authorization: `Bearer ${service.caller.token}` }
    const first = await app.inject({ url: '/v1/made?page=1', headers, payload: { tax: 1, limit: '' } })
    const { href } = first.json()._links.self
    expect(new URL(href).search).toBe('?tax=1&page=1')
    expect((await app.inject({ url: href, headers })).json()).toEqual(first.json())
  })

  it('keep parameters without effect in links too', async () => {
    for (const method of ['month', 'week', undefined]) {
      const query = { ...(method && { method }), from_date: '2026-01-01', to_date: '2026-01-31', page: 1 }
      const { _links } = (await service.call({ path: '/v1/sales-orders', query })).json()
      expect(new URL(_links.self.href).searchParams.get('method')).toBe(method ?? null)
    }
  })
})

it('a response that bypasses Fastify has the same headers as a response of Fastify', async () => {
  const get = async (more: Record<string, string> = {}) => {
    const { authorization, ...rest } = { authorization: `Bearer ${service.caller.token}`, ...more }
    const headers = { authorization, host: 'books.example', 'x-forwarded-proto': 'https', ...rest }
    const response = await service.app.inject({ url: WH, headers, remoteAddress: '10.1.2.3' })
    expect(response.statusCode).toBe(200)
    const { date: _, 'x-request-id': id, 'server-timing': __, ...found } = response.headers
    return { ...found, id: typeof id }
  }
  const direct = await get()
  expect(await get({ origin: 'https://elsewhere.example' }), 'with an Origin, as browsers send it').toEqual(direct)
  expect(
    await get({ authorization: `bearer   ${service.caller.token}` }),
    'with an unusual spelling of the scheme',
  ).toEqual(direct)
  expect(direct).toMatchObject({ 'strict-transport-security': expect.any(String), id: 'string' })
})

describe('links', () => {
  const self = async (headers: Record<string, string>, remoteAddress: string) =>
    (
      await service.app.inject({
        url: WH,
        headers: { authorization: `Bearer ${service.caller.token}`, host: 'books.example:8443', ...headers },
        remoteAddress,
      })
    ).json()._links.self.href
  const forwarded = { 'x-forwarded-host': 'api.example', 'x-forwarded-proto': 'https' }

  it("have the caller's host", async () => {
    expect(await self({}, '203.0.113.9')).toBe(`http://books.example:8443${WH}?page=1`)
  })
  it('follow X-Forwarded-* from a trusted proxy', async () => {
    expect(await self(forwarded, '10.1.2.3')).toBe(`https://api.example${WH}?page=1`)
  })
  it('ignore X-Forwarded-* from any other address, and without configured proxies', async () => {
    const strict = await startService()
    const response = await strict.call({ path: WH, headers: { host: 'books.example', ...forwarded } })
    expect(response.json()._links.self.href).toBe(`http://books.example${WH}?page=1`)
    await strict.close()
    expect(await self(forwarded, '203.0.113.9')).toBe(`http://books.example:8443${WH}?page=1`)
  })
})

it('requests above the concurrency limits get 503 with Retry-After; health checks and docs are still served', async () => {
  const busy = await startService({ maxRequests: 2, maxRequestsPerClient: 1 })
  onTestFinished(() => busy.close())
  const other = await busy.newCaller()
  await busy.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = busy.app.server.address() as { port: number }
  const ask = async (path: string, token = busy.caller.token) => await busy.call({ path, token })
  const status = async (...args: Parameters<typeof ask>) => (await ask(...args)).statusCode
  /** Starts a request that stays in progress until its body or its connection ends; retries if a probe took its slot. */
  const occupy = async (token: string, done: () => Promise<boolean>) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Content-Length': 2 }
    for (;;) {
      const { socket } = open(port, head(`POST ${FG}`, headers))
      let refused = false
      socket.once('data', () => {
        refused = true
      })
      while (!refused) {
        await sleep(50)
        if (await done()) return socket
      }
    }
  }

  const first = await occupy(busy.caller.token, async () => (await status(WH)) === 503)
  const own = await ask(WH)
  expect([own.headers['retry-after'], own.json().detail]).toEqual(['1', expect.stringContaining('of this client')])
  expect(await status(WH, other.token)).toBe(200)

  const second = await occupy(other.token, async () => (await status(WH, 'wrong')) === 503)
  expect((await ask(WH, 'wrong')).json().detail).toBe(
    'The service is already processing 2 requests; try again in a second.',
  )
  const token = await busy.call({ path: '/oauth2/token', method: 'POST', body: {} })
  expect([token.statusCode, token.headers['retry-after'], token.headers['content-type']]).toEqual([
    503,
    '1',
    expect.stringContaining('application/json'),
  ])
  for (const path of ['/healthz', '/readyz', '/openapi.json']) expect(await status(path)).toBe(200)

  second.destroy()
  await eventually(async () => expect(await status(WH, other.token)).toBe(200))
  first.write('{}')
  await eventually(async () => expect(await status(WH)).toBe(200))
})

it('pages have the X-Pagination headers', async () => {
  const { headers } = await service.call({ path: WH, query: { page: 2, 'per-page': 4 } })
  expect(headers).toMatchObject({
    'x-pagination-total-count': '6',
    'x-pagination-page-count': '2',
    'x-pagination-current-page': '2',
    'x-pagination-per-page': '4',
  })
})

it("the caller's request id is used if it is safe; otherwise the service creates one", async () => {
  const id = async (given?: string) =>
    (await service.call({ path: '/healthz', ...(given && { headers: { 'x-request-id': given } }) })).headers[
      'x-request-id'
    ]
  expect(await id()).toMatch(/^[\w-]{12}-\d+$/)
  expect(await id('nightly-42')).toBe('nightly-42')
  expect(await id('<script>')).toMatch(/^[\w-]{12}-\d+$/)
})

it('a client that must not see contact data gets empty strings for it', async () => {
  const limited = await service.newCaller({ hideContacts: true })
  const [shown] = (await service.call({ path: PO })).json().data
  const [hidden] = (await service.call({ path: PO, token: limited.token })).json().data
  for (const part of ['billing', 'shipping', 'vendor']) {
    expect(shown[part].phone).not.toBe('')
    expect(hidden[part]).toEqual({ ...shown[part], phone: '', email: '' })
  }
})

describe('health', () => {
  it('/healthz and /readyz need no token', async () => {
    expect((await service.call({ path: '/healthz', token: null })).json()).toEqual({ status: 'ok' })
    expect((await service.call({ path: '/readyz', token: null })).json()).toEqual({ status: 'ready' })
  })

  it('/readyz is 503 with the reason if the schema has another version or the database does not respond', async () => {
    const other = await startService()
    await other.db`insert into schema_migration (number, name, checksum) values (999, 'future', '')`
    const newer = await other.call({ path: '/readyz' })
    expect([newer.statusCode, newer.json().reason]).toEqual([503, expect.stringContaining('newer than this program')])
    await other.db`delete from schema_migration where number in (2, 999)`
    await sleep(600) // a result is kept for half a second
    const older = await other.call({ path: '/readyz' })
    expect([older.statusCode, older.json().reason]).toEqual([503, expect.stringContaining('run millbook migrate')])
    await other.database.close()
    await sleep(600)
    const gone = await other.call({ path: '/readyz' })
    expect([gone.statusCode, gone.json().reason]).toEqual([503, 'the database does not respond'])
    const report = await other.call({ path: WH })
    expect([report.statusCode, report.headers['retry-after']]).toEqual([503, '5'])
    await other.close()
  })
})

onEmbedded.it('a long statement does not block the process; /readyz reports a long transaction', async () => {
  const outlasts = async (seconds: number) => {
    let over = false
    const long = service.db`select pg_sleep(${seconds}::float8)`.then(() => {
      over = true
    })
    expect((await service.call({ path: '/healthz' })).statusCode).toBe(200)
    const outlasted = !over
    await long
    return outlasted
  }
  // On a busy machine, a short statement may end before the response.
  expect((await outlasts(0.5)) || (await outlasts(20)), 'the engine runs in a separate thread').toBe(true)
  await service.db.begin(async (tx) => {
    await tx`select 1`
    const { statusCode, body } = await service.call({ path: '/readyz' })
    expect([statusCode, JSON.parse(body).reason]).toEqual([503, 'the database does not respond'])
  })
  await expect.poll(async () => (await service.call({ path: '/readyz' })).statusCode).toBe(200)
})

it('responses have the security headers for browsers', async () => {
  const { headers } = await service.call({ path: '/docs' })
  expect(headers['content-security-policy']).toContain("script-src 'self'")
  expect(headers['x-content-type-options']).toBe('nosniff')
  for (const token of [undefined, null]) {
    const data = await service.call({ path: WH, ...(token === null && { token }) })
    expect([data.statusCode, data.headers['content-security-policy'], data.headers['x-content-type-options']]).toEqual([
      token === null ? 401 : 200,
      "default-src 'none';frame-ancestors 'none'",
      'nosniff',
    ])
  }
})

it('the log has a line per request and no secret, at any level', async () => {
  const caller = await service.newCaller()
  await service.call({ path: WH, token: caller.token })
  await service.call({ path: '/oauth2/token', method: 'POST', body: { ...caller, grant_type: 'password' } })
  await service.call({
    path: '/oauth2/token',
    method: 'POST',
    body: { ...caller, client_secret: `${caller.client_secret}x` },
  })
  await service.call({ path: `${WH}?access_token=${caller.token}`, token: caller.token })
  service.app.log.info({ headers: { authorization: `Bearer ${caller.token}` }, body: caller }, 'logged by mistake')
  const log = lines.join('')
  expect(log).toContain(`"path":"${WH}"`)
  expect(log).toContain(`"client":"${caller.username}"`)
  for (const secret of [caller.token, caller.refreshToken, caller.password, caller.client_secret])
    expect(log).not.toContain(secret)
})
