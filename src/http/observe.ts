/** Observes each request from its headers to the end of its response, for one line of the log, the metrics and a trace. */
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { inSeconds, requestSeconds, requests, responseBytes, stageSeconds } from '../metrics/metrics.js'
import type { Observations, Value } from '../metrics/registry.js'
import type { Span, SpanContext, Traces } from '../metrics/traces.js'
import { pathOf } from './errors.js'
import { whenOver } from './response-end.js'

declare module 'fastify' {
  interface FastifyRequest {
    trace: Trace
  }
  interface FastifyContextConfig {
    /** Names the route in metrics, in place of its path. */
    endpoint?: string
  }
}

/** The report, the answer and the stages of a request. Times are of `performance.now()`; 0 for a stage not reached. */
export class Trace {
  readonly startedAt = performance.now()
  /** The token was found, the rate allows it, and it is the request's turn. */
  admittedAt = 0
  /** The answer was found. */
  answeredAt = 0
  report: string | undefined
  /** Where the answer came from. */
  source: string | undefined
  /** Of the data. */
  version: string | undefined
  rows: number | undefined
  /** Of the response's body. */
  bytes = 0
  /** Caches the constant part of the log line of a response that is sent repeatedly. */
  shared: { line?: string } | undefined
  /** For OpenTelemetry; undefined if the request is not traced. */
  context: SpanContext | undefined
}

const INFO = 30

interface Observers {
  /** Takes a line in the logger's format when the response ends. */
  write?: ((line: string) => void) | undefined
  traces?: Traces | undefined
}

/** The observed properties of a request. */
export interface Observed {
  readonly id: string
  readonly method: string
  readonly url: string
  readonly caller: { readonly name: string } | null
  readonly trace: Trace
  readonly routeOptions: Pick<FastifyRequest['routeOptions'], 'url' | 'config'>
  readonly headers?: { readonly [name: string]: string | string[] | undefined }
}

/** Returns a function to be called when a request has arrived; `reply` if Fastify responds to it. */
export function observeRequests(base: object, { write, traces }: Observers) {
  const rest = asciiJson(base).slice(1, -1)
  return (request: Observed, response: ServerResponse, reply?: FastifyReply): void => {
    const { trace } = request
    if (traces !== undefined) trace.context = traces.begin(request.headers?.['traceparent'])
    // Cheaper than Fastify's onResponse.
    whenOver(response, () => {
      const endedAt = performance.now()
      if (trace.bytes === 0) trace.bytes = Number(reply?.getHeader('content-length') ?? 0)
      measure(request, response, endedAt)
      if (trace.context !== undefined) traces?.add(trace.context, spanOf(request, response, endedAt))
      write?.(lineOf(request, response, endedAt, rest))
    })
  }
}

/** The metrics of one endpoint. */
interface Measured {
  readonly seconds: Observations
  readonly bytes: Value
  /** Responses by status and source. */
  readonly responses: Map<string, Value>
}
const measured = new Map<string, Measured>()
const stages = {
  admit: stageSeconds.with({ stage: 'admit' }),
  query: stageSeconds.with({ stage: 'query' }),
  encode: stageSeconds.with({ stage: 'encode' }),
}

/** One name for all unknown paths: callers could invent any number of them. */
function endpointOf({ routeOptions: { config, url = 'unknown' } }: Observed): string {
  return config.endpoint ?? url
}

function measure(request: Observed, response: ServerResponse, endedAt: number): void {
  const { trace } = request
  const endpoint = trace.report ?? endpointOf(request)
  let about = measured.get(endpoint)
  if (about === undefined) {
    const [seconds, bytes] = [requestSeconds.with({ endpoint }), responseBytes.with({ endpoint })]
    about = { seconds, bytes, responses: new Map() }
    measured.set(endpoint, about)
  }
  // 499, as proxies write it: the caller has gone.
  const status = response.writableFinished ? response.statusCode : 499
  const source = trace.source ?? 'none'
  const key = `${status}${source}`
  let responses = about.responses.get(key)
  if (responses === undefined) {
    responses = requests.with({ endpoint, status: String(status), source })
    about.responses.set(key, responses)
  }
  responses.add()
  about.seconds.observe(inSeconds(endedAt - trace.startedAt))
  about.bytes.add(trace.bytes)
  const { startedAt, admittedAt, answeredAt } = trace
  if (admittedAt > 0) stages.admit.observe(inSeconds(admittedAt - startedAt))
  if (answeredAt > 0) {
    stages.query.observe(inSeconds(answeredAt - admittedAt))
    stages.encode.observe(inSeconds(endedAt - answeredAt))
  }
}

function spanOf(
  { id, method, caller, trace, routeOptions }: Observed,
  { writableFinished, statusCode }: ServerResponse,
  endedAt: number,
): Span {
  const { startedAt, admittedAt, answeredAt, report, version, source, rows, bytes } = trace
  const route = routeOptions.url // undefined for an unknown path, which callers could invent
  return {
    ...{ name: route === undefined ? method : `${method} ${route}`, kind: 'server', startedAt, endedAt },
    failed: !writableFinished || statusCode >= 500,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': writableFinished ? statusCode : undefined,
      'http.response.body.size': bytes,
      'millbook.request_id': id,
      'millbook.client': caller?.name,
      'millbook.report': report,
      'millbook.version': version,
      'millbook.source': source,
      'millbook.rows': rows,
    },
    parts:
      answeredAt === 0
        ? []
        : [
            { name: 'admit', startedAt, endedAt: admittedAt },
            { name: 'query', startedAt: admittedAt, endedAt: answeredAt },
            { name: 'encode', startedAt: answeredAt, endedAt },
          ],
  }
}

/** The logger itself would redact every line, which took three times as long as a warm response; these fields hold no secrets. */
function lineOf(request: Observed, response: ServerResponse, endedAt: number, rest: string): string {
  const { id, caller, trace } = request
  const { startedAt, admittedAt, answeredAt } = trace
  let line = `{"level":${INFO},"time":${Date.now()},${rest},"reqId":"${id}"${aboutIn(request)},"ms":${tenths(endedAt - startedAt)}`
  if (caller) line += clientIn(caller)
  if (trace.context) line += `,"traceId":"${trace.context.traceId}"`
  if (answeredAt > 0)
    line += `,"stages":{"admit":${tenths(admittedAt - startedAt)},"query":${tenths(answeredAt - admittedAt)},"encode":${tenths(endedAt - answeredAt)}}`
  return response.writableFinished
    ? `${line},"status":${response.statusCode},"msg":"response sent"}\n`
    : `${line},"msg":"connection closed before the response was complete"}\n`
}

/** The part of the line that is the same in all responses with the same bytes. */
function aboutIn(request: Observed): string {
  const { method, trace } = request
  if (trace.shared?.line !== undefined) return trace.shared.line
  const { report, version, source, rows, bytes, answeredAt } = trace
  let line = `,"method":"${method}","path":${pathIn(request)}`
  if (answeredAt > 0)
    line += `,"report":"${report}","version":"${version}","source":"${source}","rows":${rows ?? null},"bytes":${bytes}`
  if (trace.shared !== undefined) trace.shared.line = line
  return line
}

/** Any other character is escaped: the lines of the log are ASCII. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

const clients = new WeakMap<object, string>()

/** The caller of a token is the same object until its rights change. */
function clientIn(caller: { readonly name: string }): string {
  let text = clients.get(caller)
  if (text === undefined) {
    text = `,"client":${asciiJson(caller.name)}`
    clients.set(caller, text)
  }
  return text
}

/** By route of a report: JSON of its path. */
const paths = new Map<string, string>()

/** JSON of the path, without the query string, which may hold a secret. */
function pathIn(request: Observed): string {
  const { url } = request.routeOptions
  // A route with parameters has many paths.
  const route = request.trace.report === undefined || url === undefined || /[:*]/.test(url) ? undefined : url
  const known = route === undefined ? undefined : paths.get(route)
  if (known !== undefined) return known
  const path = asciiJson(pathOf(request))
  if (route !== undefined) paths.set(route, path)
  return path
}

/** Milliseconds with one decimal, written without a division of floating-point numbers into digits. */
export function tenths(ms: number): string {
  const all = Math.round(ms * 10)
  return `${Math.trunc(all / 10)}.${all % 10}`
}
