/**
 * Limits the requests in progress, in total and per client. Requests past the total get 503 with Retry-After; requests past
 * their client's limit wait for their turn first.
 */
import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { Problem } from '../errors.js'
import { inProgress, inQueue } from '../metrics/metrics.js'
import { network } from '../network.js'
import { Turns } from '../turns.js'
import { addressOf } from './origin.js'
import { disconnected, whenOver } from './response-end.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Taken by admission, or when the body of an unauthenticated request has arrived. */
    slot: Slot | null
  }
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
/** Queue length per client, as a multiple of its limit. */
const MAX_WAITING = 4
const RETRY_AFTER_SECONDS = '1'

/** The requests in progress. */
export class Slots {
  readonly #maxRequests: number
  readonly #maxRequestsPerClient: number
  readonly #maxWaitMs: number
  /** Requests that wait for their client's limit are not in it: requests of other clients go on. */
  total = 0
  readonly #clients = new Map<string, Turns>()

  constructor({
    maxRequests = MAX_REQUESTS,
    maxRequestsPerClient = MAX_REQUESTS_PER_CLIENT,
    maxWaitSeconds = 0,
  }: ConcurrencyOptions) {
    this.#maxRequests = maxRequests
    this.#maxRequestsPerClient = maxRequestsPerClient
    this.#maxWaitMs = maxWaitSeconds * 1000
  }

  /** A slot until the response is over. Taken before the token lookup, so that refused requests cost no database query. */
  take(response: ServerResponse): Slot {
    if (this.total >= this.#maxRequests)
      throw unavailable(`The service is already processing ${this.#maxRequests} requests; try again in a second.`)
    const slot = new Slot(this)
    whenOver(response, () => slot.release())
    return slot
  }

  /** Counts a request for its client: immediately, or by a promise when it is its turn. */
  count(slot: Slot, client: string, response: ServerResponse): undefined | Promise<void> {
    if (slot.isFree) throw disconnected()
    let turns = this.#clients.get(client)
    if (turns === undefined) {
      turns = new Turns(this.#maxRequestsPerClient)
      this.#clients.set(client, turns)
    }
    slot.client = client
    if (turns.take()) {
      slot.turns = turns
      return undefined
    }
    if (this.#maxWaitMs === 0 || turns.waiting >= MAX_WAITING * this.#maxRequestsPerClient) throw this.#tooMany()
    return this.#wait(slot, turns, response)
  }

  /** If the caller disconnects, the promise stays pending: no more work is done for it. */
  #wait(slot: Slot, turns: Turns, response: ServerResponse): Promise<void> {
    this.total--
    return new Promise((resolve, reject) => {
      const leave = turns.wait(() => {
        clearTimeout(late)
        this.total++
        slot.turns = turns
        resolve()
      })
      const late = setTimeout(() => {
        if (leave()) this.total++ // until the response is over
        reject(this.#tooMany())
      }, this.#maxWaitMs)
      whenOver(response, () => {
        clearTimeout(late)
        if (leave()) this.total++ // the slot was released before, like any other
      })
    })
  }

  end({ turns, client }: Slot): void {
    this.total--
    if (turns === undefined || client === undefined) return
    turns.end()
    // Clients come back, so an idle one is forgotten only if there are many.
    if (turns.isIdle && this.#clients.size > this.#maxRequests) this.#clients.delete(client)
  }

  get waiting(): number {
    let sum = 0
    for (const turns of this.#clients.values()) sum += turns.waiting
    return sum
  }

  #tooMany(): Problem {
    return unavailable(
      `The service is already processing ${this.#maxRequestsPerClient} requests of this client; wait for one of them to end.`,
    )
  }
}

/**
 * Held until the response has ended and its handler has returned: a query keeps running when its caller disconnects, and a
 * caller that disconnects and retries must not exceed its limit.
 */
export class Slot {
  readonly #slots: Slots
  /** Of the client, while the request counts for it. */
  turns: Turns | undefined
  client: string | undefined
  #holders = 1

  constructor(slots: Slots) {
    this.#slots = slots
    slots.total++
  }

  hold(): void {
    this.#holders++
  }

  release(): void {
    if (--this.#holders === 0) this.#slots.end(this)
  }

  get isFree(): boolean {
    return this.#holders === 0
  }
}

/** Limits every route added to this scope afterwards. Admission takes the slots of routes with an onRequest hook. */
export function limitConcurrency(scope: FastifyInstance, slots: Slots): void {
  const ends = [
    inProgress.onRead((gauge) => gauge.set(slots.total)),
    inQueue.onRead((gauge) => gauge.set(slots.waiting)),
  ]
  scope.addHook('onClose', async () => {
    for (const end of ends) end()
  })
  scope.decorateRequest('slot', null)

  /** A token request has no client yet, so its network counts as one. */
  function countForNetwork(request: FastifyRequest, { raw }: FastifyReply, done: (error?: Error) => void) {
    request.slot = slots.take(raw)
    const waits = slots.count(request.slot, network(addressOf(request)), raw)
    if (waits === undefined) done()
    else waits.then(() => done(), done)
  }

  scope.addHook('onRoute', (route) => {
    const { handler, onRequest } = route
    // Unauthenticated requests are counted after their body has arrived: slow bodies could otherwise take every slot.
    if (onRequest === undefined) route.preHandler = [countForNetwork] as NonNullable<RouteOptions['preHandler']>
    route.handler = function (request, reply) {
      const { slot } = request
      if (slot === null || slot.isFree) throw disconnected()
      const result: unknown = handler.call(this, request, reply)
      if (!(result instanceof Promise)) return result // the work is done
      slot.hold()
      return result.finally(() => slot.release())
    }
  })
}

const unavailable = (detail: string) =>
  new Problem('unavailable', { detail, headers: { 'retry-after': RETRY_AFTER_SECONDS } })
