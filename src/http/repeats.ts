/**
 * Requests that repeat an earlier one byte for byte. What such a request means is known, and where its response is in memory it
 * is sent without Fastify, whose own work takes longer than finding the response (docs/decisions/0014).
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../access/tokens.js'
import { type Observed, Trace } from './observe.js'

/** How many requests are remembered, of one URL (they differ in the token or the body) and in all; and the longest, in characters. */
const OF_ONE_URL = 8
const REMEMBERED = 5000
const LONGEST = 4000

/** A request that repeats an earlier one. */
export class Repeat implements Observed {
  readonly id: string
  readonly method: string
  readonly url: string
  readonly routeOptions: Observed['routeOptions']
  readonly trace = new Trace()
  caller: Caller | null = null

  constructor(id: string, { method = '', url = '' }: IncomingMessage, { routeOptions }: Earlier) {
    this.id = id
    this.method = method
    this.url = url
    this.routeOptions = routeOptions
  }
}

/** Sends the response if it can do so now; false leaves the request to Fastify, and then nothing may have changed. */
export type SendAgain = (repeat: Repeat, response: ServerResponse) => boolean

interface Earlier {
  readonly method: string
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  /** Undefined where it does not matter. */
  readonly address: string | undefined
  readonly routeOptions: Observed['routeOptions']
  readonly send: SendAgain
}

interface RepeatsOptions {
  newRequestId(): string
  observe(repeat: Repeat, response: ServerResponse): void
  /** Whether the meaning of headers depends on the address that they come from. */
  byAddress: boolean
}

const NO_BODY = Buffer.alloc(0)

export class Repeats {
  readonly #options: RepeatsOptions
  readonly #earlier = new Map<string, Earlier[]>()
  #count = 0

  constructor(options: RepeatsOptions) {
    this.#options = options
  }

  /** Listens for requests in place of Fastify, to which it passes all that do not repeat an earlier one. */
  before(fastify: RequestListener): RequestListener {
    const choose = (request: IncomingMessage, response: ServerResponse, known: readonly Earlier[]) => {
      if (!this.#sendAgain(request, response, known)) fastify(request, response)
    }
    return (request, response) => {
      const known = this.#earlier.get(request.url as string)
      if (known === undefined) fastify(request, response)
      else setImmediate(choose, request, response, known) // by then the parser has passed on what has arrived of the body
    }
  }

  /** Remembers a request that was answered. An id or a trace of the caller's own is for one request only. */
  remember(request: FastifyRequest, send: SendAgain): void {
    const { url, headers, raw } = request
    const text = (request.body as string | undefined) ?? ''
    if (headers['x-request-id'] !== undefined || headers['traceparent'] !== undefined) return
    if (raw.rawHeaders.reduce((sum, { length }) => sum + length, url.length + text.length) > LONGEST) return
    const body = Buffer.from(text)
    const known = this.#earlier.get(url) ?? []
    if (known.some((one) => this.#isSame(one, raw, body))) return
    if (this.#count++ >= REMEMBERED) {
      this.#earlier.clear()
      this.#count = 1
    }
    const { method = '', rawHeaders } = raw
    const address = this.#options.byAddress ? raw.socket.remoteAddress : undefined
    const { routeOptions } = request
    this.#earlier.set(url, [...known.slice(1 - OF_ONE_URL), { method, rawHeaders, body, address, routeOptions, send }])
  }

  #sendAgain(request: IncomingMessage, response: ServerResponse, known: readonly Earlier[]): boolean {
    if (!request.complete || request.destroyed) return false
    // Reading where there is nothing would end the request, before Fastify listens for its end.
    const body: Buffer = request.readableLength > 0 ? request.read() : NO_BODY
    const earlier = known.find((one) => this.#isSame(one, request, body))
    if (earlier !== undefined) {
      const repeat = new Repeat(this.#options.newRequestId(), request, earlier)
      if (earlier.send(repeat, response)) {
        this.#options.observe(repeat, response)
        return true
      }
    }
    if (body.length > 0) request.unshift(body)
    return false
  }

  #isSame({ method, rawHeaders, body, address }: Earlier, request: IncomingMessage, sent: Buffer): boolean {
    if (method !== request.method || rawHeaders.length !== request.rawHeaders.length) return false
    for (let i = 0; i < rawHeaders.length; i++) if (rawHeaders[i] !== request.rawHeaders[i]) return false
    return body.equals(sent) && (!this.#options.byAddress || address === request.socket.remoteAddress)
  }
}
