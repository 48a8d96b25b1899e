/** Bounds the work in hand: so many requests in all, so many of one client; those past it are told to come back. */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { Problem } from '../errors.js'
import { network } from '../oauth/sign-in.js'
import { addressOf } from './origin.js'
import { whenOver } from './over.js'

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
  const ofClient = new Map<string, number>()
  let inAll = 0
  scope.decorateRequest('place', null)

  /** Before anything is asked of the database, the caller's token included. */
  function enter(request: FastifyRequest, reply: FastifyReply, done: () => void) {
    if (inAll >= maxRequests) refuse(`${maxRequests} requests are in work already.`)
    inAll++
    const place = new Place(() => inAll--)
    request.place = place
    whenOver(reply.raw, place.hold())
    done()
  }

  /** Once it is known who asks; before that is known, as for a token, an address stands for it. */
  function enterAsClient(request: FastifyRequest, _reply: FastifyReply, done: () => void) {
    const { place } = request
    const client = request.caller?.clientId ?? network(addressOf(request))
    const count = ofClient.get(client) ?? 0
    if (count >= maxRequestsPerClient) refuse(`${maxRequestsPerClient} requests of this client are in work already.`)
    if (place === null || place.left) refuse(GONE)
    ofClient.set(client, count + 1)
    place.afterwards(() => {
      const rest = (ofClient.get(client) ?? 0) - 1
      if (rest > 0) ofClient.set(client, rest)
      else ofClient.delete(client)
    })
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
      // What is answered at once is over with its answer.
      return result instanceof Promise ? result.finally(place.hold()) : result
    }
  })
}

/** The answer to someone who hung up: no one reads it, but it ends the request. */
const GONE = 'The connection was closed.'

function refuse(detail: string): never {
  throw new Problem('unavailable', { detail, headers: { 'retry-after': RETRY_AFTER_SECONDS } })
}

/**
 * Taken until the answer is over and the work for it has ended as well: a query runs on when its caller hangs up, and who
 * hangs up and asks again must not get to run more of them than others.
 */
class Place {
  private holders = 0
  private readonly whenLeft: (() => void)[] = []
  left = false

  constructor(whenLeft: () => void) {
    this.whenLeft.push(whenLeft)
  }

  afterwards(action: () => void): void {
    this.whenLeft.push(action)
  }

  /** Returns what lets go of it; letting go twice counts once. */
  hold(): () => void {
    let held = true
    this.holders++
    return () => {
      if (!held) return
      held = false
      if (--this.holders > 0) return
      this.left = true
      for (const action of this.whenLeft) action()
    }
  }
}
