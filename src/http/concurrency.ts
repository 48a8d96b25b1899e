/**
 * Limits the requests in progress, in total and per client. Requests past the total get 503 with Retry-After; those past a
 * client's limit wait for their turn first.
 */
import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { Problem } from '../errors.js'
import { inProgress, inQueue } from '../metrics/metrics.js'
import { network } from '../network.js'
import { addressOf } from './origin.js'
import { whenOver } from './response-end.js'

declare module 'fastify' {
  interface FastifyRequest {
    slot: Slot | null
  }
  interface FastifyInstance {
    /** Of the routes of this scope. */
    slots: Slots
  }
}

/** For a request that Fastify does not see. */
export interface Slots {
  /** Whether neither limit is reached. */
  isFree(client: string): boolean
  /** Takes a slot until the response is over. */
  take(client: string, response: ServerResponse): void
}

export interface ConcurrencyOptions {
  maxRequests?: number
  maxRequestsPerClient?: number
  /** How long a request past its client's limit waits; 0, the default here, refuses it at once. */
  maxWaitSeconds?: number
}

export const MAX_REQUESTS = 256
export const MAX_REQUESTS_PER_CLIENT = 32
export const MAX_WAIT_SECONDS = 30
/** A client may have so many times its limit waiting: a program that sends still more does not wait for answers. */
const MAX_WAITING = 4
const RETRY_AFTER_SECONDS = '1'

/** Applies to every route added to this scope afterwards. */
export function limitConcurrency(scope: FastifyInstance, options: ConcurrencyOptions): void {
  const { maxRequests = MAX_REQUESTS, maxRequestsPerClient = MAX_REQUESTS_PER_CLIENT, maxWaitSeconds = 0 } = options
  const counter = new Counter()
  const ends = [
    inProgress.onRead((gauge) => gauge.set(counter.total)),
    inQueue.onRead((gauge) => gauge.set(counter.waiting)),
  ]
  scope.addHook('onClose', async () => {
    for (const end of ends) end()
  })
  scope.decorateRequest('slot', null)
  scope.decorate('slots', {
    isFree: (client) => counter.total < maxRequests && counter.ofClient(client) < maxRequestsPerClient,
    take(client, response) {
      const slot = new Slot(counter)
      slot.countFor(client)
      whenOver(response, () => slot.release())
    },
  } satisfies Slots)

  /** Runs before the token lookup, so that refused requests cost no database query. */
  function takeSlot(request: FastifyRequest, reply: FastifyReply, done: () => void) {
    if (counter.total >= maxRequests)
      refuse(`The service is already processing ${maxRequests} requests; try again in a second.`)
    const slot = new Slot(counter)
    request.slot = slot
    whenOver(reply.raw, () => slot.release())
    done()
  }

  /** Runs after authentication; a token request has no client yet, so its network counts as one. */
  function countForClient(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) {
    const { slot } = request
    if (slot === null || slot.free) refuse(DISCONNECTED)
    const client = request.caller?.clientId ?? network(addressOf(request))
    if (counter.ofClient(client) < maxRequestsPerClient) {
      slot.countFor(client)
      done()
    } else if (counter.waitingOf(client) >= MAX_WAITING * maxRequestsPerClient || maxWaitSeconds === 0) refuse(TOO_MANY)
    else wait(client, slot, reply, done)
  }

  const TOO_MANY = `The service is already processing ${maxRequestsPerClient} requests of this client; wait for one of them to end.`

  /** A waiting request does not count: other clients' requests go on. */
  function wait(client: string, slot: Slot, reply: FastifyReply, done: (error?: Error) => void) {
    const leave = counter.wait(client, () => {
      clearTimeout(late)
      slot.countFor(client)
      done()
    })
    const late = setTimeout(() => {
      leave()
      done(unavailable(TOO_MANY))
    }, maxWaitSeconds * 1000)
    whenOver(reply.raw, () => {
      clearTimeout(late)
      leave()
    })
  }

  scope.addHook('onRoute', (route) => {
    const { handler, onRequest } = route
    type Hooks = NonNullable<RouteOptions['onRequest']>
    // Unauthenticated requests are counted after their body has arrived: slow bodies could otherwise take every slot.
    if (onRequest === undefined)
      route.preHandler = [takeSlot, countForClient] as NonNullable<RouteOptions['preHandler']>
    else route.onRequest = [takeSlot, ...[onRequest].flat(), countForClient] as Hooks
    route.handler = function (request, reply) {
      const { slot } = request
      if (slot === null || slot.free) refuse(DISCONNECTED)
      const result: unknown = handler.call(this, request, reply)
      if (!(result instanceof Promise)) return result // the work is done
      slot.hold()
      return result.finally(() => slot.release())
    }
  })
}

/** Ends the request of a caller that has disconnected; the text is never received. */
const DISCONNECTED = 'The connection was closed.'

function refuse(detail: string): never {
  throw unavailable(detail)
}

const unavailable = (detail: string) =>
  new Problem('unavailable', { detail, headers: { 'retry-after': RETRY_AFTER_SECONDS } })

/** Requests in progress, and those that wait for their turn. */
class Counter {
  total = 0
  readonly #ofClient = new Map<string, number>()
  readonly #waiting = new Map<string, Set<() => void>>()

  ofClient(client: string): number {
    return this.#ofClient.get(client) ?? 0
  }

  add(client: string): void {
    this.#ofClient.set(client, this.ofClient(client) + 1)
  }

  /** Lets the client's next waiting request go, which then counts. */
  remove(client: string): void {
    const now = this.ofClient(client) - 1
    if (now > 0) this.#ofClient.set(client, now)
    else this.#ofClient.delete(client)
    const [next] = this.#waiting.get(client) ?? []
    if (next === undefined) return
    this.#leave(client, next)
    next()
  }

  get waiting(): number {
    return [...this.#waiting.values()].reduce((sum, { size }) => sum + size, 0)
  }

  waitingOf(client: string): number {
    return this.#waiting.get(client)?.size ?? 0
  }

  /** Calls `go` when it is this request's turn; the returned function leaves the queue. */
  wait(client: string, go: () => void): () => void {
    const turn = () => {
      this.total++
      go()
    }
    this.total--
    this.#waiting.set(client, (this.#waiting.get(client) ?? new Set()).add(turn))
    return () => {
      if (this.#leave(client, turn)) this.total++ // its slot is released like any other
    }
  }

  #leave(client: string, turn: () => void): boolean {
    const waiting = this.#waiting.get(client)
    const was = waiting?.delete(turn) ?? false
    if (waiting?.size === 0) this.#waiting.delete(client)
    return was
  }
}

/**
 * Held until the response has ended and its handler has returned: a query keeps running when its caller disconnects, and a
 * caller that disconnects and retries must not exceed its limit.
 */
class Slot {
  readonly #counter: Counter
  #client: string | undefined
  #holders = 1

  constructor(counter: Counter) {
    this.#counter = counter
    counter.total++
  }

  countFor(client: string): void {
    this.#client = client
    this.#counter.add(client)
  }

  hold(): void {
    this.#holders++
  }

  release(): void {
    if (--this.#holders > 0) return
    this.#counter.total--
    if (this.#client !== undefined) this.#counter.remove(this.#client)
  }

  get free(): boolean {
    return this.#holders === 0
  }
}
