/** Traces of requests, as an OpenTelemetry collector receives them. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { readSamples } from '../../src/metrics/registry.js'
import { Traces } from '../../src/metrics/traces.js'
import { reports } from '../../src/reports/index.js'
import { buildApp } from '../../src/runtime/app.js'
import { type Service, startService } from '../setup/service.js'

const ITEMS = '/v1/partner/fg-item-master'
const THEIRS = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' }

interface Sent {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes?: { key: string; value: Record<string, unknown> }[]
  status?: { code: number }
}

let service: Service
const received: { path: string | undefined; headers: Record<string, unknown>; spans: Sent[]; resource: object }[] = []
let status = 200
const collector = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const [{ resource, scopeSpans }] = JSON.parse(Buffer.concat(chunks).toString()).resourceSpans
  received.push({ path: request.url, headers: request.headers, spans: scopeSpans[0].spans, resource })
  response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
})

beforeAll(async () => {
  service = await startService()
  await new Promise<void>((done) => collector.listen(0, '127.0.0.1', done))
})
afterAll(async () => {
  collector.close()
  await service.close()
})

/** Sends a request to an app with tracing; returns the spans that the collector received, and the log. */
async function traced(headers: Record<string, string>, options: object = {}, token = service.caller.token) {
  received.length = 0
  const log: string[] = []
  const app = await buildApp({
    ...{ database: service.database, reports, leaseMs: 0, logTo: { write: (line) => void log.push(line) } },
    ...{ tracesTo: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/`, ...options },
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const authorization = `Bearer ${token}`
  const response = await fetch(`${url}${ITEMS}?per-page=1`, {
    ...{ method: 'POST', headers: { authorization, 'content-type': 'application/json', ...headers }, body: '{}' },
  })
  await response.arrayBuffer()
  await app.close() // sends pending spans
  const lines = log.flatMap((text) => text.trim().split('\n')).map((line) => JSON.parse(line))
  return { spans: received.flatMap(({ spans }) => spans), response, lines }
}

const countOf = (result: string) =>
  readSamples().find(({ name, labels }) => name === 'millbook_spans_total' && labels === `result="${result}"`)?.value ??
  0

const attribute = (span: Sent | undefined, key: string) =>
  Object.values(span?.attributes?.find((one) => one.key === key)?.value ?? {})[0]

it("a request's span continues the caller's trace, with its stages and the fields of the log line", async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'X-Key=a%20b,other=2')
  const { spans, lines, response } = await traced({ traceparent: `00-${THEIRS.trace}-${THEIRS.span}-01` })
  vi.unstubAllEnvs()
  expect(received[0]).toMatchObject({ path: '/v1/traces', headers: { 'x-key': 'a b', other: '2' } })
  expect(JSON.stringify(received[0]?.resource)).toContain('{"key":"service.name","value":{"stringValue":"millbook"}}')
  const [request, ...parts] = spans
  expect(request).toMatchObject({ traceId: THEIRS.trace, parentSpanId: THEIRS.span, name: `POST ${ITEMS}`, kind: 2 })
  expect(parts.map(({ name }) => name)).toEqual(['admit', 'query', 'encode'])
  for (const part of parts)
    expect([part.traceId, part.parentSpanId, part.kind]).toEqual([THEIRS.trace, request?.spanId, 1])
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(4)
  // The stages follow each other within the request, and the times are absolute.
  const times = [request?.startTimeUnixNano, ...parts.map((part) => part.endTimeUnixNano)].map(Number)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(parts.at(-1)?.endTimeUnixNano).toBe(request?.endTimeUnixNano)
  expect(Math.abs((times[0] as number) / 1e6 - Date.now())).toBeLessThan(60_000)
  const line = lines.find(({ msg }) => msg === 'response sent')
  expect(line).toMatchObject({ traceId: THEIRS.trace, report: 'partner.fg-item-master' })
  expect(attribute(request, 'http.response.status_code')).toBe('200')
  expect(attribute(request, 'millbook.request_id')).toBe(response.headers.get('x-request-id'))
  for (const name of ['report', 'version', 'source', 'client'])
    expect(attribute(request, `millbook.${name}`)).toBe(line[name])
  expect(JSON.stringify(spans)).not.toContain(service.caller.token)
})

it("the sampled flag of a caller's traceparent decides; without it, --traces-percent does", async () => {
  expect((await traced({ traceparent: `00-${THEIRS.trace}-${THEIRS.span}-00` })).spans).toEqual([])
  const always = await traced({ traceparent: `00-${THEIRS.trace}-${THEIRS.span}-01` }, { tracesPercent: 0 })
  expect(always.spans).toHaveLength(4)
  expect((await traced({}, { tracesPercent: 0 })).spans).toEqual([])
  const { spans } = await traced({ traceparent: 'nonsense' })
  expect(spans[0]?.traceId).toMatch(/^[0-9a-f]{32}$/)
  expect(spans[0]?.parentSpanId).toBeUndefined()
})

it('a refused request is a span without stages', async () => {
  const { spans } = await traced({}, {}, 'wrong')
  expect([spans.length, attribute(spans[0], 'http.response.status_code'), spans[0]?.status]).toEqual([
    1,
    '401',
    undefined,
  ])
})

it('while a collector hangs, spans wait up to a limit, and one request at a time is sent', async () => {
  let asked = 0
  const hanging = createServer(() => void asked++)
  await new Promise<void>((done) => hanging.listen(0, '127.0.0.1', done))
  const traces = new Traces({
    ...{
      to: `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`,
      percent: 100,
      version: '0',
      onError: () => {},
    },
  })
  const before = countOf('dropped')
  const span = { name: 'x', kind: 'internal', startedAt: 0, endedAt: 1, attributes: {} } as const
  const context = { traceId: THEIRS.trace }
  traces.add(context, span)
  await expect.poll(() => asked).toBe(1)
  for (let i = 0; i < 6000; i++) traces.add(context, span)
  expect(countOf('dropped') - before).toBe(1000)
  await sleep(1500) // longer than a batch waits
  expect(asked).toBe(1)
  hanging.closeAllConnections()
  hanging.close()
  await traces.close()
})

it('a failing collector loses spans and disturbs no answer', async () => {
  status = 500
  const before = countOf('dropped')
  const failing = await traced({})
  status = 200
  expect(failing.response.status).toBe(200)
  expect(failing.lines.map(({ msg }) => msg)).toContain('sending traces failed; they are lost')
  expect((await traced({}, { tracesTo: 'http://127.0.0.1:9' })).response.status).toBe(200)
  expect(countOf('dropped') - before).toBe(8)
})
