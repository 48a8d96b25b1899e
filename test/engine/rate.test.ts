/** A client's rate: the units that it may use per minute, over all processes. */
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { rateLimit } from '../../src/access/rate.js'
import type { Caller as Known } from '../../src/access/tokens.js'
import type { Problem } from '../../src/errors.js'
import { reports } from '../../src/reports/index.js'
import { buildApp } from '../../src/runtime/app.js'
import { untilMinuteHasTime } from '../setup/minute.js'
import { type Caller, type Service, startService } from '../setup/service.js'

let service: Service
let other: FastifyInstance
beforeAll(async () => {
  service = await startService({ rate: 100 })
  other = await buildApp({ database: service.database, reports, logLevel: 'silent', leaseMs: 0, rate: 100 })
})
afterAll(async () => {
  await other.close()
  await service.close()
})

const LIGHT = '/v1/warehouse/warehouse-list'
const HEAVY = '/v1/sales/invoices'

async function ask({ token }: Caller, app = service.app, url = LIGHT, from_date = '2026-06-01', headers = {}) {
  const heavy = url === HEAVY
  const response = await app.inject({
    ...{ method: heavy ? 'POST' : 'GET', url, headers: { authorization: `Bearer ${token}`, ...headers } },
    ...(heavy && { payload: { from_date, to_date: '2026-06-30' } }),
  })
  const [, left, seconds] = /^"client";r=(\d+);t=(\d+)$/.exec(String(response.headers['ratelimit'])) ?? []
  return { response, status: response.statusCode, left: Number(left), seconds: Number(seconds) }
}

/** A new client, at least 10 seconds before its minute ends. */
async function callerWithTime(rate: number | null): Promise<Caller> {
  await untilMinuteHasTime(service.db)
  const caller = await service.newCaller()
  await service.db`update api_client set rate = ${rate} where client_id = ${caller.client_id}`
  return caller
}

it('every response has the remaining units, computing a heavy report costs 10, and a client without units gets 429', async () => {
  const caller = await callerWithTime(30)
  const first = await ask(caller)
  expect(first.response.headers['ratelimit-policy']).toBe('"client";q=30;w=60')
  expect([first.status, first.left]).toEqual([200, 29])
  expect(first.seconds).toBeGreaterThan(0)
  expect(first.seconds).toBeLessThanOrEqual(60)
  expect((await ask(caller, service.app, HEAVY, '2026-01-01')).left).toBe(19)
  expect((await ask(caller, service.app, HEAVY, '2026-01-02')).left).toBe(9)
  const refused = await ask(caller, service.app, HEAVY, '2026-01-03')
  expect([refused.status, refused.left]).toEqual([429, 8])
  expect(refused.response.headers['retry-after']).toBe(String(refused.seconds))
  expect(refused.response.headers['content-type']).toContain('application/problem+json')
  expect(refused.response.json().detail).toMatch(/used up its 30 units of this minute; try again in \d+ seconds/)
  const rest: number[] = []
  for (let i = 0; i < 10; i++) rest.push((await ask(caller)).status)
  expect(rest).toEqual([...Array(8).fill(200), 429, 429])
  // Simulate the end of the minute.
  await service.db`update rate_use set minute = minute - interval '1 minute' where client_id = ${caller.client_id}`
  expect((await ask(caller, other)).status).toBe(200)
})

it('a response without computing costs 1 for every report', async () => {
  const caller = await callerWithTime(30)
  const first = await ask(caller, service.app, HEAVY, '2026-02-01')
  expect(first.left).toBe(20)
  expect((await ask(caller, service.app, HEAVY, '2026-02-01')).left).toBe(19) // from memory
  const { etag } = first.response.headers
  const same = await ask(caller, service.app, HEAVY, '2026-02-01', { 'if-none-match': String(etag) })
  expect([same.status, same.left]).toEqual([304, 18])
  const wrong = await ask(caller, service.app, HEAVY, 'soon')
  expect([wrong.status, wrong.left]).toEqual([422, 17])
})

it('a client deleted a moment ago gets 401', async () => {
  const caller = await callerWithTime(20)
  await ask(caller)
  await service.db.unsafe('alter table api_client disable trigger access_changed') // as if the notification had not arrived yet
  await service.db.unsafe('alter table api_token disable trigger access_changed')
  await service.db`delete from api_client where client_id = ${caller.client_id}`
  const statuses: number[] = []
  for (let i = 0; i < 5; i++) statuses.push((await ask(caller)).status)
  await service.db.unsafe('alter table api_client enable trigger access_changed')
  await service.db.unsafe('alter table api_token enable trigger access_changed')
  expect(statuses.at(-1)).toBe(401)
  expect(statuses.every((status) => status === 200 || status === 401)).toBe(true)
})

it('two processes together allow no more units than one', async () => {
  const caller = await callerWithTime(60)
  const both = [service.app, other]
  const responses = await Promise.all(Array.from({ length: 100 }, (_, i) => ask(caller, both[i % 2])))
  const allowed = responses.filter(({ status }) => status === 200).length
  expect(allowed).toBeLessThanOrEqual(60)
  expect(allowed, 'a process reserves few units that it does not use').toBeGreaterThanOrEqual(54)
})

it('clients have separate rates, and a client without its own has the default', async () => {
  const [poor, rich] = [await callerWithTime(1), await service.newCaller()]
  expect([(await ask(poor)).status, (await ask(poor)).status]).toEqual([200, 429])
  const own = await ask(rich)
  expect([own.status, own.response.headers['ratelimit-policy']]).toEqual([200, '"client";q=100;w=60'])
})

it('a report that costs more than the whole rate can be computed once a minute', async () => {
  const caller = await callerWithTime(3)
  expect((await ask(caller, service.app, HEAVY, '2026-03-01')).status).toBe(200)
  expect((await ask(caller, service.app, HEAVY, '2026-03-02')).status).toBe(429)
})

it('a changed rate applies within seconds, and a default of 0 means no limit', async () => {
  const caller = await callerWithTime(1)
  await ask(caller)
  expect((await ask(caller)).status).toBe(429)
  await service.db`update api_client set rate = 50 where client_id = ${caller.client_id}`
  await expect.poll(async () => (await ask(caller)).status).toBe(200)
  const unlimited = await buildApp({ database: service.database, reports, logLevel: 'silent', leaseMs: 0, rate: 0 })
  const free = await service.newCaller()
  expect((await ask(free, unlimited)).response.headers['ratelimit']).toBeUndefined()
  await unlimited.close()
})

it('a process that finds all units taken by another refuses until the minute ends; both serve again in the next minute', async () => {
  await untilMinuteHasTime(service.db)
  const { client_id } = await service.newCaller()
  const client = { clientId: client_id, rate: 5 } as Known
  const [one, two, three] = [rateLimit(service.db, 0), rateLimit(service.db, 0), rateLimit(service.db, 0)]
  let now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => clock.mockRestore())
  const secondsIn = (headers: Readonly<Record<string, unknown>> | undefined) =>
    Number(/^"client";r=0;t=(\d+)$/.exec(String(headers?.['ratelimit']))?.[1])
  const most = secondsIn(await one.take(client, 5))
  const refused: number[] = []
  for (const limit of [two, three, one]) {
    const problem: Problem = await (async () => limit.take(client, 1))().catch((error) => error)
    expect(problem.detail).toMatch(/used up its 5 units/)
    refused.push(secondsIn(problem.headers))
  }
  const [row] = await service.db<{ used: number; left: number }[]>`
    select used, 60 - extract(second from now())::float8 as left from rate_use where client_id = ${client_id}`
  expect(row?.used, 'a refused request takes no units').toBe(5)
  for (const seconds of refused) {
    expect(seconds).toBeGreaterThanOrEqual(Math.floor(row?.left ?? 60))
    expect(seconds).toBeLessThanOrEqual(most)
  }
  // A minute passes on both clocks.
  await service.db`update rate_use set minute = minute - interval '1 minute' where client_id = ${client_id}`
  now += 61_000
  await one.take(client, 3)
  await two.take(client, 2)
})
