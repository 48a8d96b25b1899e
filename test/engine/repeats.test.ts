/** Requests that repeat an earlier one: their responses come from memory without Fastify, and are those that Fastify sends. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createAppPassword, revokeAppPassword } from '../../src/access/app-passwords.js'
import { revokeToken } from '../../src/access/tokens.js'
import { Repeats } from '../../src/http/repeats.js'
import { requests as counted } from '../../src/metrics/metrics.js'
import { openSample } from '../setup/database.js'
import { head, open } from '../setup/edge.js'
import { untilMinuteHasTime } from '../setup/minute.js'
import { eventually } from '../setup/patience.js'
import { type Caller, type Service, startService } from '../setup/service.js'
import { runs } from '../setup/tier.js'

const INVOICES = '/v1/sales/invoices'
const WAREHOUSES = '/v1/warehouse/warehouse-list'
const june = JSON.stringify({ from_date: '2026-06-01', to_date: '2026-06-30' })

let service: Service
let port: number
let byFastify = 0
const lines: string[] = []
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
beforeAll(async () => {
  const { before } = Repeats.prototype
  vi.spyOn(Repeats.prototype, 'before').mockImplementation(function (this: Repeats, fastify) {
    return before.call(this, (request, response) => {
      byFastify++
      fastify(request, response)
    })
  })
  const logTo = { write: (text: string) => void lines.push(...text.trimEnd().split('\n')) }
  service = await startService(
    { leaseMs: 800, logLevel: 'info', logTo, maxRequestsPerClient: 8, rate: 1_000_000 },
    await openSample({ today: '2026-06-30', scale: 0.1, months: 2 }),
  )
  await service.app.listen({ port: 0, host: '127.0.0.1' })
  port = (service.app.server.address() as { port: number }).port
})
afterAll(async () => {
  agent.destroy()
  vi.restoreAllMocks()
  await service.close()
})

interface Sent {
  path?: string
  method?: string
  body?: string | undefined
  headers?: Record<string, string>
  caller?: Caller
}
interface Got {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  /** Whether Fastify saw the request. */
  fastify: boolean
}

async function send({ path = INVOICES, method, body, headers = {}, caller = service.caller }: Sent): Promise<Got> {
  const before = byFastify
  const text = path.startsWith(INVOICES) ? (body ?? june) : body
  const response = await new Promise<Got>((resolve, reject) => {
    const asked = request(
      {
        ...{ port, path, agent, method: method ?? (path.startsWith(INVOICES) ? 'POST' : 'GET') },
        headers: {
          authorization: `Bearer ${caller.token}`,
          ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
          ...headers,
        },
      },
      (got) =>
        buffer(got).then(
          (all) => resolve({ status: got.statusCode as number, headers: got.headers, body: all, fastify: true }),
          reject,
        ),
    )
    asked.on('error', reject)
    asked.end(text)
  })
  return { ...response, fastify: byFastify > before }
}

/** Sends until the response comes without Fastify: the first computes it, the second remembers the request. */
const sendAgain = (sent: Sent): Promise<Got> =>
  eventually(async () => {
    const got = await send(sent)
    expect(got.fastify).toBe(false)
    return got
  })

const OWN = ['date', 'x-request-id', 'server-timing', 'ratelimit']
const shared = ({ status, headers, body }: Got) => ({
  status,
  body,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN.includes(name))),
  names: Object.keys(headers).sort(),
})

it('any repeated request gets the response that Fastify sends', async () => {
  const page = fc.constantFrom('', '?page=1&per-page=3', '?page=2&per-page=2', '?format=csv', '?sort=-invoice_no')
  const asked = fc.record({
    path: fc.oneof(
      page.map((query) => `${INVOICES}${query}`),
      fc.constantFrom('', '?page=1&per-page=1', '?format=csv').map((query) => `${WAREHOUSES}${query}`),
    ),
    encoding: fc.constantFrom(undefined, 'gzip', 'br', 'identity', 'gzip;q=0, br;q=0.5'),
    accept: fc.constantFrom(undefined, 'application/json', 'text/csv'),
    browser: fc.boolean(),
  })
  let other = 0
  await fc.assert(
    fc.asyncProperty(asked, async ({ path, encoding, accept, browser }) => {
      const headers = {
        ...(encoding && { 'accept-encoding': encoding }),
        ...(accept && { accept }),
        ...(browser && { 'sec-fetch-mode': 'cors' }),
      }
      const again = await sendAgain({ path, headers })
      const first = await send({ path, headers: { ...headers, 'x-other': String(++other) } })
      expect(first.fastify).toBe(true)
      expect(again.status).toBe(200)
      expect(shared(again)).toEqual(shared(first))
    }),
    { numRuns: runs(25, 200) },
  )
})

it('a request that differs in anything is not taken for a repeated one', async () => {
  const path = `${INVOICES}?page=1&per-page=2`
  await sendAgain({ path })
  const july = JSON.stringify({ from_date: '2026-07-01', to_date: '2026-07-31' })
  const other = await service.newCaller()
  const tag = String((await send({ path })).headers.etag)
  const different: [Sent, number][] = [
    [{ body: july }, 200],
    [{ body: `${june} ` }, 200],
    [{ body: `\ufeff${june}` }, 200],
    [{ body: '{"from_date":1}' }, 422],
    [{ headers: { 'content-type': 'text/plain' } }, 415],
    [{ headers: { 'if-none-match': tag } }, 304],
    [{ headers: { origin: 'https://other.example' } }, 200],
    [{ headers: { authorization: 'Bearer nonsense' } }, 401],
    [{ headers: { 'x-request-id': 'mine' } }, 200],
    [{ caller: other }, 200],
    [{ method: 'PUT' }, 405],
  ]
  for (const [about, status] of different) {
    const got = await send({ path, ...about })
    expect([about, got.fastify, got.status]).toEqual([about, true, status])
  }
  for (let i = 0; i < 3; i++) {
    const long = await send({ path, headers: { 'x-long': 'x'.repeat(5000) } })
    expect([long.fastify, long.status]).toEqual([true, 200]) // too long to be remembered
    const got = await send({ path, headers: { 'x-request-id': 'mine' } })
    expect([got.fastify, got.headers['x-request-id']]).toEqual([true, 'mine'])
    expect((await send({ path, headers: { 'if-none-match': tag } })).status).toBe(304)
  }
})

it('several callers and bodies of one URL are remembered beside each other', async () => {
  const path = `${INVOICES}?page=1&per-page=4`
  const other = await service.newCaller({ hideContacts: true })
  const july = JSON.stringify({ from_date: '2026-06-15', to_date: '2026-06-30' })
  const all = [{ path }, { path, caller: other }, { path, body: july }, { path, body: july, caller: other }]
  const first = await Promise.all(all.map(sendAgain))
  for (const [i, sent] of all.entries()) {
    const got = await send(sent)
    expect(got.fastify).toBe(false)
    expect(shared(got)).toEqual(shared(first[i] as Got))
  }
})

it('a body in pieces, and requests sent together, get their responses in order', async () => {
  const { token } = service.caller
  const about = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Content-Length': june.length }
  const whole = (size: number) => `${head(`POST ${INVOICES}?page=1&per-page=${size}`, about)}${june}`
  const sizes = (text: string) => [...text.matchAll(/x-pagination-per-page: (\d+)/g)].map(([, size]) => Number(size))
  for (let i = 0; i < 3; i++) {
    const { socket, answer } = open(port)
    let seen = ''
    socket.on('data', (piece) => {
      seen += piece
    })
    socket.write(whole(5).slice(0, -10))
    await new Promise((resolve) => setTimeout(resolve, 20))
    socket.write(whole(5).slice(-10) + whole(6) + whole(5) + whole(7) + whole(6))
    await eventually(async () => expect(sizes(seen)).toHaveLength(5))
    socket.end()
    const text = await answer
    expect(sizes(text)).toEqual([5, 6, 5, 7, 6])
    expect(text.match(/HTTP\/1.1 200/g)).toHaveLength(5)
  }
})

it('new data, and another right of the caller, show in the next response', async () => {
  const caller = await service.newCaller()
  const sent = { path: `${INVOICES}?page=1&per-page=3`, caller }
  const before = await sendAgain(sent)
  await service.db.begin(async (tx) => {
    await tx`update invoice set place_of_supply = place_of_supply || '!'`
    await tx`update data_version set version = version + 1, committed_at = clock_timestamp()`
  })
  const after = await eventually(async () => {
    const got = await send(sent)
    expect(got.headers['x-data-version']).not.toBe(before.headers['x-data-version'])
    return got
  })
  expect(after.status).toBe(200)
  expect(after.body.equals(before.body)).toBe(false)
  expect(String(after.body)).toContain('!')
  await sendAgain(sent)

  await service.db`update api_client set groups = '{inventory}' where client_id = ${caller.client_id}`
  await eventually(async () => expect((await send(sent)).status).toBe(403))
  await service.db`update api_client set groups = null where client_id = ${caller.client_id}`
  await eventually(async () => expect((await send(sent)).status).toBe(200))
  await sendAgain(sent)
  await service.db.begin((tx) => revokeToken(tx, caller.token, caller.client_id))
  await eventually(async () => expect((await send(sent)).status).toBe(401))
})

it('requests with an app password by Basic are repeated like others, until it is revoked', async () => {
  const { username } = await service.newCaller()
  const { appPassword } = await service.db.begin((tx) =>
    createAppPassword(tx, username, 'Workbook', { views: null, reports: ['sales.invoices', 'masters.warehouse-list'] }),
  )
  const authorization = `Basic ${Buffer.from(`${username}:${appPassword}`).toString('base64')}`
  for (const path of [`${INVOICES}?page=1&per-page=3`, WAREHOUSES]) {
    const sent = { path, headers: { authorization } }
    const again = await sendAgain(sent)
    expect([again.status, shared(again)]).toEqual([200, shared(await sendAgain({ path }))])
  }
  const sent = { path: WAREHOUSES, headers: { authorization } }
  await service.db.begin((tx) => tx`update app_password set reports = '{sales.invoices}' where username = ${username}`)
  await eventually(async () => expect((await send(sent)).status).toBe(403))
  await service.db.begin((tx) => revokeAppPassword(tx, username, { name: 'Workbook' }))
  await eventually(async () => expect((await send(sent)).status).toBe(401))
})

/** The units left of the minute, and the seconds. */
const rateIn = ({ headers }: Got) =>
  /r=(\d+);t=(\d+)/.exec(String(headers.ratelimit))?.slice(1).map(Number) as [number, number]

it('repeated requests are taken from the rate of their client', async () => {
  await untilMinuteHasTime(service.db)
  const caller = await service.newCaller()
  await service.db`update api_client set rate = 100 where client_id = ${caller.client_id}`
  const sent = { path: `${WAREHOUSES}?page=1&per-page=2`, caller }
  const seen: Got[] = []
  let seconds = 60
  do {
    const got = await send(sent)
    const [, left] = rateIn(got)
    if (left > seconds) seen.length = 0 // another minute
    seconds = left
    seen.push(got)
  } while (seen.at(-1)?.status !== 429)
  const refused = seen.pop() as Got
  expect([refused.fastify, rateIn(refused)[0]]).toEqual([true, 0])
  expect(seen.filter(({ fastify }) => !fastify).length).toBeGreaterThan(60)
  const left = seen.map((got) => rateIn(got)[0])
  expect(left).toEqual(left.map((_, i) => (left[0] as number) - i))
})

it('a repeated request that Fastify has to answer is admitted once', async () => {
  const caller = await service.newCaller()
  await service.db`update api_client set rate = 1000 where client_id = ${caller.client_id}`
  const sent = { path: `${WAREHOUSES}?page=1&per-page=3`, caller }
  let last = await sendAgain(sent)
  for (let times = 0; times < 2; ) {
    await service.db`update data_version set version = version + 1, committed_at = clock_timestamp()`
    const next = await send(sent)
    const [[before, secondsBefore], [left, seconds]] = [rateIn(last), rateIn(next)]
    expect(next.status).toBe(200)
    if (seconds <= secondsBefore) expect(left).toBe(before - 1) // else another minute has begun
    if (next.fastify && seconds <= secondsBefore) times++
    last = next
  }
})

it('callers who do not read their repeated responses are counted as in progress', async () => {
  const caller = await service.newCaller()
  const path = `${INVOICES}?page=1&per-page=1000`
  const body = JSON.stringify({ from_date: '2026-01-01', to_date: '2026-06-30' })
  const sent = { path, caller, body, headers: { 'accept-encoding': 'identity' } }
  const got = await sendAgain(sent)
  const about = { Authorization: `Bearer ${caller.token}`, 'Content-Type': 'application/json' }
  const one = `${head(`POST ${path}`, { ...about, 'Content-Length': body.length })}${body}`
  await eventually(async () => {
    const before = byFastify
    const { socket } = open(port, one)
    await eventually(() => expect(socket.bytesRead).toBeGreaterThan(got.body.length))
    expect(byFastify).toBe(before)
  })
  const before = byFastify
  const { socket } = open(port)
  socket.pause().write(one.repeat(30)) // more than fits between the two: a buffer of Linux grows to 4 MB
  expect(got.body.length * 30).toBeGreaterThan(6_000_000)
  await eventually(async () => expect((await send(sent)).status).toBe(503))
  expect(byFastify).toBeLessThan(before + 30)
  socket.destroy()
  await eventually(async () => expect((await send(sent)).status).toBe(200))
})

it('the log and the metrics show a repeated request as they show others', async () => {
  const path = `${WAREHOUSES}?page=1&per-page=7`
  const total = () => [...counted.samples()].filter(({ labels }) => labels.includes('memory')).map(({ value }) => value)
  const sum = () => total().reduce((a, b) => a + b, 0)
  await sendAgain({ path })
  const before = sum()
  const got = await send({ path })
  expect(got.fastify).toBe(false)
  const lineOf = async (id: unknown) =>
    eventually(() => JSON.parse(lines.find((line) => line.includes(`"reqId":"${id}"`)) as string))
  const repeated = await lineOf(got.headers['x-request-id'])
  expect(sum()).toBe(before + 1)
  const first = await lineOf((await send({ path, headers: { 'x-new': 'yes' } })).headers['x-request-id'])
  expect(Object.keys(repeated).sort()).toEqual(Object.keys(first).sort())
  const same = ({ time: _time, reqId: _id, ms: _ms, stages: _stages, ...rest }: Record<string, unknown>) => rest
  expect(same(repeated)).toEqual(same(first))
  expect(repeated).toMatchObject({ method: 'GET', path: WAREHOUSES, status: 200, bytes: got.body.length })
})
