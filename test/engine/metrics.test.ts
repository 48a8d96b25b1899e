/** The metrics and log lines of requests. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../src/access/clients.js'
import { readSamples } from '../../src/metrics/registry.js'
import { reports } from '../../src/reports/index.js'
import { buildApp } from '../../src/runtime/app.js'
import { type Service, startService } from '../setup/service.js'

const ITEMS = '/v1/partner/fg-item-master'

let service: Service
let url: string
beforeAll(async () => {
  service = await startService()
  url = await service.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => service.close())

/** Sends a request over a connection, because only there a response has an end that is counted. */
async function ask(path: string, headers: Record<string, string> = {}, base = url) {
  const response = await fetch(base + path, {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${service.caller.token}`, 'content-type': 'application/json' },
      ...{ 'accept-encoding': 'identity', ...headers },
    },
    body: '{}',
  })
  return { headers: response.headers, body: Buffer.from(await response.arrayBuffer()) }
}

const valueAt = (name: string, labels: string) =>
  readSamples().find((sample) => sample.name === name && sample.labels === labels)?.value ?? 0

/** Expects samples to grow by the numbers that the work returns. Polls, because a response may arrive before it is counted. */
async function expectGrowth(samples: [name: string, labels: string][], work: () => Promise<number[]>): Promise<void> {
  const before = samples.map((sample) => valueAt(...sample))
  const expected = await work()
  await expect.poll(() => samples.map((sample, i) => valueAt(...sample) - (before[i] as number))).toEqual(expected)
}

const asked = (status: number, source: string): [string, string] => [
  'millbook_requests_total',
  `endpoint="partner.fg-item-master",status="${status}",source="${source}"`,
]

it('counts requests by report, status and source, with their time, stages and bytes', async () => {
  await expectGrowth(
    [
      asked(200, 'database'),
      asked(200, 'memory'),
      asked(304, 'memory'),
      asked(422, 'none'),
      ['millbook_request_seconds_count', 'endpoint="partner.fg-item-master"'],
      ['millbook_stage_seconds_count', 'stage="query"'],
      ['millbook_refusals_total', 'reason="invalid-parameters"'],
      ['millbook_refusals_total', 'reason="unauthorized"'],
    ],
    async () => {
      const first = await ask(ITEMS)
      await ask(ITEMS)
      await ask(ITEMS, { 'if-none-match': String(first.headers.get('etag')) })
      await ask(`${ITEMS}?page=x`)
      await ask(ITEMS, { authorization: '' })
      return [1, 1, 1, 1, 5, 3, 1, 1]
    },
  )
  await expectGrowth([['millbook_response_bytes_total', 'endpoint="partner.fg-item-master"']], async () => {
    const sent = (await ask(ITEMS)).body.length
    expect(sent).toBeGreaterThan(0)
    return [sent]
  })
})

it('computing a report takes a part of the time of its request', async () => {
  const seconds = () => valueAt('millbook_build_seconds_sum', 'report="partner.fg-item-master"')
  const [before, from] = [seconds(), performance.now()]
  await ask(`${ITEMS}?sort=product_sku`)
  const taken = seconds() - before
  expect(taken).toBeGreaterThan(0)
  expect(taken).toBeLessThanOrEqual((performance.now() - from) / 1000)
})

it('all unknown paths count as one endpoint', async () => {
  await expectGrowth([['millbook_requests_total', 'endpoint="unknown",status="404",source="none"']], async () => {
    for (const path of ['/a', '/b', '/c']) await ask(path)
    return [3]
  })
})

it('counts tokens by grant, and refused sign-ins', async () => {
  await expectGrowth(
    [
      ['millbook_tokens_issued_total', 'grant="password"'],
      ['millbook_refusals_total', 'reason="invalid_client"'],
    ],
    async () => {
      await service.newCaller()
      const payload = { grant_type: 'client_credentials', client_id: 'nobody', client_secret: 'wrong' }
      await service.app.inject({ method: 'POST', url: '/oauth2/token', payload })
      return [1, 1]
    },
  )
})

it('one log line has the client, worker, time, report, version, rows, bytes and stages of a request', async () => {
  const lines: string[] = []
  const app = await buildApp({
    ...{ database: service.database, reports, leaseMs: 0, worker: 3 },
    logTo: { write: (text) => void lines.push(...text.trimEnd().split('\n')) },
  })
  const base = await app.listen({ port: 0, host: '127.0.0.1' })
  const { headers, body } = await ask(`${ITEMS}?page=1`, { 'x-request-id': 'mine' }, base)
  await app.close()
  const line = lines.map((text) => JSON.parse(text)).find(({ reqId }) => reqId === 'mine')
  expect(line).toMatchObject({
    ...{ method: 'POST', path: ITEMS, status: 200, report: 'partner.fg-item-master', source: 'database' },
    ...{ version: headers.get('x-data-version'), rows: 0, bytes: body.length },
    ...{ client: service.caller.username, worker: 3, ms: expect.any(Number) },
    stages: { admit: expect.any(Number), query: expect.any(Number), encode: expect.any(Number) },
  })
})

it('a name in any script is logged unchanged, and the line is valid in any encoding', async () => {
  const name = `Größe 粉 😀 ${Date.now()}`
  const { clientId, clientSecret } = await service.db.begin((tx) =>
    createClient(tx, { name, grants: ['client_credentials'] }),
  )
  const written: Buffer[] = []
  const app = await buildApp({
    ...{ database: service.database, reports, leaseMs: 0 },
    logTo: { write: (text, encoding) => void written.push(Buffer.from(text, encoding ?? 'utf8')) },
  })
  const payload = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  const token = (await app.inject({ method: 'POST', url: '/oauth2/token', payload })).json().access_token
  const headers = { authorization: `Bearer ${token}` }
  await app.inject({ method: 'POST', url: ITEMS, headers, payload: {} })
  await app.close()
  const lines = Buffer.concat(written).toString('utf8').trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line)).find(({ path }) => path === ITEMS)).toMatchObject({ client: name })
})
