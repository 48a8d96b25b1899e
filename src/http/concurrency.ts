/** Limits the requests in progress, in total and per client; requests past a limit get 503 with Retry-After. */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { Problem } from '../errors.js'
import { network } from '../network.js'
import { addressOf } from './origin.js'
import { whenOver } from './response-end.js'

declare module 'fastify' {
  interface FastifyRequest {
    slot: Slot | null
  }
}

export interface ConcurrencyOptions {
  maxRequests?: number
  maxRequestsPerClient?: number
}

export const MAX_REQUESTS = 256
export const MAX_REQUESTS_PER_CLIENT = 32
const RETRY_AFTER_SECONDS = '1'

/** Applies to every route added to this scope afterwards. */
export function limitConcurrency(scope: FastifyInstance, options: ConcurrencyOptions): void {
  const { maxRequests = MAX_REQUESTS, maxRequestsPerClient = MAX_REQUESTS_PER_CLIENT } = options
  const counter = new Counter()
  scope.decorateRequest('slot', null)

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
  function countForClient(request: FastifyRequest, _reply: FastifyReply, done: () => void) {
    const { slot } = request
    const client = request.caller?.clientId ?? network(addressOf(request))
    if (counter.ofClient(client) >= maxRequestsPerClient)
      refuse(
        `The service is already processing ${maxRequestsPerClient} requests of this client; wait for one of them to end.`,
      )
    if (slot === null || slot.free) refuse(DISCONNECTED)
    slot.countFor(client)
    done()
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
  throw new Problem('unavailable', { detail, headers: { 'retry-after': RETRY_AFTER_SECONDS } })
}

/** Requests in progress. */
class Counter {
  total = 0
  readonly #ofClient = new Map<string, number>()

  ofClient(client: string): number {
    return this.#ofClient.get(client) ?? 0
  }

  add(client: string, change: 1 | -1): void {
    const now = this.ofClient(client) + change
    if (now > 0) this.#ofClient.set(client, now)
    else this.#ofClient.delete(client)
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
    this.#counter.add(client, 1)
  }

  hold(): void {
    this.#holders++
  }

  release(): void {
    if (--this.#holders > 0) return
    this.#counter.total--
    if (this.#client !== undefined) this.#counter.add(this.#client, -1)
  }

  get free(): boolean {
    return this.#holders === 0
  }
}
