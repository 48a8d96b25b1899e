/** Bounds the work in hand: so many requests in all, so many of one client; those past it are told to come back. */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { Problem } from '../errors.js'
import { network } from '../network.js'
import { addressOf } from './origin.js'
import { whenOver } from './response-end.js'

declare module 'fastify' {
  interface FastifyRequest {
    place: Place | null
  }
}

export interface LoadOptions {
  maxRequests?: number
  maxRequestsPerClient?: number
}

export const MAX_REQUESTS = 256
export const MAX_REQUESTS_PER_CLIENT = 32
const RETRY_AFTER_SECONDS = '1'

/** Counts the requests to every route that is added to this scope from now on. */
export function limitLoad(scope: FastifyInstance, options: LoadOptions): void {
  const { maxRequests = MAX_REQUESTS, maxRequestsPerClient = MAX_REQUESTS_PER_CLIENT } = options
  const places = new Places()
  scope.decorateRequest('place', null)

  /** Before anything is asked of the database, the caller's token included. */
  function enter(request: FastifyRequest, reply: FastifyReply, done: () => void) {
    if (places.inAll >= maxRequests) refuse(`${maxRequests} requests are in work already.`)
    const place = new Place(places)
    request.place = place
    whenOver(reply.raw, () => place.release())
    done()
  }

  /** Once it is known who asks; before that is known, as for a token, an address stands for it. */
  function enterAsClient(request: FastifyRequest, _reply: FastifyReply, done: () => void) {
    const { place } = request
    const client = request.caller?.clientId ?? network(addressOf(request))
    if (places.of(client) >= maxRequestsPerClient)
      refuse(`${maxRequestsPerClient} requests of this client are in work already.`)
    if (place === null || place.left) refuse(GONE)
    place.takeFor(client)
    done()
  }

  scope.addHook('onRoute', (route) => {
    const { handler, onRequest } = route
    type Hooks = NonNullable<RouteOptions['onRequest']>
    // Who need not say who it is counts once its body is there: else whoever sends bodies slowly could take every place.
    if (onRequest === undefined) route.preHandler = [enter, enterAsClient] as NonNullable<RouteOptions['preHandler']>
    else route.onRequest = [enter, ...[onRequest].flat(), enterAsClient] as Hooks
    route.handler = function (request, reply) {
      const { place } = request
      if (place === null || place.left) refuse(GONE)
      const result: unknown = handler.call(this, request, reply)
      if (!(result instanceof Promise)) return result // what is answered at once is over with its answer
      place.hold()
      return result.finally(() => place.release())
    }
  })
}

/** The answer to someone who hung up: no one reads it, but it ends the request. */
const GONE = 'The connection was closed.'

function refuse(detail: string): never {
  throw new Problem('unavailable', { detail, headers: { 'retry-after': RETRY_AFTER_SECONDS } })
}

/** How many are taken. */
class Places {
  inAll = 0
  readonly #ofClient = new Map<string, number>()

  of(client: string): number {
    return this.#ofClient.get(client) ?? 0
  }

  count(client: string, more: 1 | -1): void {
    const now = this.of(client) + more
    if (now > 0) this.#ofClient.set(client, now)
    else this.#ofClient.delete(client)
  }
}

/**
 * Taken until the answer is over and the work for it has ended as well: a query runs on when its caller hangs up, and who
 * hangs up and asks again must not get to run more of them than others.
 */
class Place {
  readonly #places: Places
  #client: string | undefined
  #holders = 1

  constructor(places: Places) {
    this.#places = places
    places.inAll++
  }

  takeFor(client: string): void {
    this.#client = client
    this.#places.count(client, 1)
  }

  hold(): void {
    this.#holders++
  }

  release(): void {
    if (--this.#holders > 0) return
    this.#places.inAll--
    if (this.#client !== undefined) this.#places.count(this.#client, -1)
  }

  get left(): boolean {
    return this.#holders === 0
  }
}
