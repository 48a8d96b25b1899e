/**
 * Sends spans to an OpenTelemetry collector: OTLP over HTTP, as JSON. Written here because OpenTelemetry's own SDK needs Node 22;
 * a span is made afterwards from times that are measured anyway, so the rest is one JSON document.
 */
import { randomBytes } from 'node:crypto'
import { spans } from './metrics.js'

/** Where a span belongs: its trace, and the span that caused it. */
export interface SpanContext {
  readonly traceId: string
  readonly parentId?: string
}

/** Times come from `performance.now()`. */
export interface Span {
  readonly name: string
  readonly kind: 'server' | 'internal'
  readonly startedAt: number
  readonly endedAt: number
  readonly attributes: Readonly<Record<string, string | number | undefined>>
  readonly failed?: boolean
  /** Stages, one after another. */
  readonly parts?: readonly Pick<Span, 'name' | 'startedAt' | 'endedAt'>[]
}

export interface TraceOptions {
  /** The URL of the collector, without /v1/traces. */
  to: string
  /** Percentage of the traces that begin here that are sent. */
  percent: number
  version: string
  onError(error: unknown): void
}

const KINDS = { internal: 1, server: 2 }
const FAILED = 2
const SEND_AFTER_MS = 1000
const SEND_LIMIT_MS = 5000
/** The log reports an unreachable collector at most once in this time. */
const TELL_EVERY_MS = 60_000
/** Limit of waiting spans; further spans are dropped. */
const MOST_WAITING = 5000

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/

const newId = (bytes: number) => randomBytes(bytes).toString('hex')

export class Traces {
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #resource: object
  readonly #options: TraceOptions
  #waiting: object[] = []
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined
  #toldAt = Number.NEGATIVE_INFINITY

  constructor(options: TraceOptions) {
    this.#options = options
    this.#url = `${options.to.replace(/\/+$/, '')}/v1/traces`
    this.#headers = { ...readHeaders(process.env['OTEL_EXPORTER_OTLP_HEADERS']), 'content-type': 'application/json' }
    this.#resource = {
      attributes: attributes({
        'service.name': process.env['OTEL_SERVICE_NAME'] || 'millbook',
        'service.version': options.version,
        'process.pid': process.pid,
      }),
    }
  }

  /** The context of a request, from its `traceparent` if there is one; undefined if its trace must not be sent. */
  begin(traceparent: string | string[] | undefined): SpanContext | undefined {
    const [, traceId, parentId, flags = ''] =
      typeof traceparent === 'string' ? (TRACEPARENT.exec(traceparent) ?? []) : []
    if (traceId !== undefined && parentId !== undefined)
      return Number.parseInt(flags, 16) & 1 ? { traceId, parentId } : undefined
    return Math.random() * 100 < this.#options.percent ? { traceId: newId(16) } : undefined
  }

  /** Call this soon after the span has ended. */
  add({ traceId, parentId }: SpanContext, span: Span): void {
    const { parts = [] } = span
    if (this.#waiting.length + parts.length >= MOST_WAITING) {
      spans.add({ result: 'dropped' }, 1 + parts.length)
      return
    }
    const spanId = newId(8)
    // The clock may have been set since the process started.
    const origin = Date.now() - performance.now()
    const nanoseconds = (at: number) => String(BigInt(Math.round((origin + at) * 1e3)) * 1000n)
    const times = ({ startedAt, endedAt }: Pick<Span, 'startedAt' | 'endedAt'>) => ({
      startTimeUnixNano: nanoseconds(startedAt),
      endTimeUnixNano: nanoseconds(endedAt),
    })
    this.#waiting.push({
      ...{ traceId, spanId, name: span.name, kind: KINDS[span.kind], ...times(span) },
      ...(parentId !== undefined && { parentSpanId: parentId }),
      attributes: attributes(span.attributes),
      ...(span.failed && { status: { code: FAILED } }),
    })
    for (const part of parts)
      this.#waiting.push({
        ...{ traceId, spanId: newId(8), parentSpanId: spanId, name: part.name, kind: KINDS.internal, ...times(part) },
      })
    this.#sendLater()
  }

  /** One batch at a time: while the collector is slow, spans wait, up to their limit. */
  #sendLater(): void {
    if (this.#waiting.length === 0 || this.#sending !== undefined) return
    this.#timer ??= setTimeout(() => void this.#send(), SEND_AFTER_MS).unref()
  }

  #send(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const batch = this.#waiting
    this.#waiting = []
    this.#sending = this.#post(batch).finally(() => {
      this.#sending = undefined
      this.#sendLater()
    })
    return this.#sending
  }

  async #post(batch: readonly object[]): Promise<void> {
    const body = JSON.stringify({
      resourceSpans: [{ resource: this.#resource, scopeSpans: [{ scope: { name: 'millbook' }, spans: batch }] }],
    })
    try {
      const response = await fetch(this.#url, {
        ...{ method: 'POST', headers: this.#headers, body, signal: AbortSignal.timeout(SEND_LIMIT_MS) },
      })
      await response.body?.cancel() // the body may have any length
      if (!response.ok) throw new Error(`the collector answered ${response.status}`)
      spans.add({ result: 'sent' }, batch.length)
    } catch (error) {
      spans.add({ result: 'dropped' }, batch.length)
      const now = performance.now()
      if (now - this.#toldAt < TELL_EVERY_MS) return
      this.#toldAt = now
      this.#options.onError(error)
    }
  }

  /** Sends the waiting spans. */
  async close(): Promise<void> {
    await this.#sending
    if (this.#waiting.length > 0) await this.#send()
  }
}

/** Attributes in OpenTelemetry's form, without undefined ones. */
function attributes(values: Span['attributes']): object[] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({
      key,
      value:
        typeof value === 'string'
          ? { stringValue: value }
          : Number.isInteger(value)
            ? { intValue: String(value) }
            : { doubleValue: value },
    }))
}

/** `name=value,name=value`, percent-encoded, as OpenTelemetry defines the variable. */
function readHeaders(text = ''): Record<string, string> {
  return Object.fromEntries(
    text
      .split(',')
      .filter((entry) => entry.includes('='))
      .map((entry) => {
        const at = entry.indexOf('=')
        return [entry.slice(0, at).trim().toLowerCase(), decoded(entry.slice(at + 1).trim())]
      }),
  )
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // a literal percent sign
  }
}
