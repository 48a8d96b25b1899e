/**
 * Requests that repeat an earlier one byte for byte. The meaning of such a request is known, and if its response is in memory it
 * is sent without Fastify, whose own work takes longer than finding the response (docs/decisions/0014).
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Admissible, Admission } from './admit.js'
import type { Route } from './bearer.js'
import { type Observed, Trace } from './observe.js'

/** The most requests that are remembered of one URL (they differ in the token or the body) and in all; and the longest, in characters. */
const OF_ONE_URL = 8
const REMEMBERED = 5000
const LONGEST = 4000

/** A request that repeats an earlier one. */
export class Repeat implements Observed, Admissible {
  readonly id: string
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly protocol: FastifyRequest['protocol']
  readonly routeOptions: Observed['routeOptions']
  readonly socket: IncomingMessage['socket']
  readonly trace = new Trace()
  slot: Admissible['slot'] = null
  caller: Admissible['caller'] = null
  allowance: Admissible['allowance'] = null
  readonly #earlier: Earlier

  constructor(id: string, { method = '', url = '', headers, socket }: IncomingMessage, earlier: Earlier) {
    this.id = id
    this.method = method
    this.url = url
    this.headers = headers
    this.socket = socket
    this.protocol = earlier.protocol
    this.routeOptions = earlier.routeOptions
    this.#earlier = earlier
  }

  /** If a trusted proxy forwards addresses, the same one that it forwarded with the same headers. */
  get ip(): string {
    return this.#earlier.forwardedFor ?? this.socket.remoteAddress ?? ''
  }

  /** Parts of the URL, which is the same. */
  get params(): unknown {
    return this.#earlier.params
  }
}

/** Sends the response to an admitted request if it is in memory; false leaves the request to Fastify. */
export type SendAgain = (repeat: Repeat, response: ServerResponse) => boolean

interface Earlier {
  readonly method: string
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  /** Both undefined if no trusted proxy makes them matter. */
  readonly address: string | undefined
  readonly forwardedFor: string | undefined
  readonly params: unknown
  readonly protocol: FastifyRequest['protocol']
  readonly routeOptions: Observed['routeOptions']
  readonly route: Route
  readonly send: SendAgain
}

interface RepeatsOptions {
  newRequestId(): string
  observe(repeat: Repeat, response: ServerResponse): void
  /** Whether the meaning of headers depends on the address that they come from. */
  byAddress: boolean
  admission: Pick<Admission, 'admitEarly' | 'leaveToFastify'>
}

const NO_BODY = Buffer.alloc(0)

export class Repeats {
  readonly #options: RepeatsOptions
  readonly #earlier = new LRUCache<string, readonly Earlier[]>({
    maxSize: REMEMBERED,
    sizeCalculation: ({ length }) => length,
  })

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
      else setImmediate(choose, request, response, known) // by then the parser has passed on the body, as far as it has arrived
    }
  }

  /** Remembers a request that was answered. A request with its own id or trace is not remembered: those are for one request only. */
  remember(request: FastifyRequest, route: Route, send: SendAgain): void {
    const { url, headers, raw, protocol, routeOptions, params } = request
    const text = (request.body as string | undefined) ?? ''
    if (headers['x-request-id'] !== undefined || headers['traceparent'] !== undefined) return
    if (raw.rawHeaders.reduce((sum, { length }) => sum + length, url.length + text.length) > LONGEST) return
    const body = Buffer.from(text)
    const known = this.#earlier.get(url) ?? []
    if (known.some((one) => this.#isSame(one, raw, body))) return
    const { method = '', rawHeaders } = raw
    const { byAddress } = this.#options
    const [address, forwardedFor] = byAddress ? [raw.socket.remoteAddress, request.ip] : []
    const earlier = { method, rawHeaders, body, address, forwardedFor, params, protocol, routeOptions, route, send }
    this.#earlier.set(url, [...known.slice(1 - OF_ONE_URL), earlier])
  }

  #sendAgain(request: IncomingMessage, response: ServerResponse, known: readonly Earlier[]): boolean {
    if (!request.complete || request.destroyed) return false
    // Reading an empty stream would end the request before Fastify listens for its end.
    const body: Buffer = request.readableLength > 0 ? request.read() : NO_BODY
    const earlier = known.find((one) => this.#isSame(one, request, body))
    if (earlier !== undefined) {
      const { newRequestId, observe, admission } = this.#options
      const repeat = new Repeat(newRequestId(), request, earlier)
      if (admission.admitEarly(repeat, request, response, earlier.route)) {
        if (earlier.send(repeat, response)) {
          observe(repeat, response)
          return true
        }
        admission.leaveToFastify(request, repeat)
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
