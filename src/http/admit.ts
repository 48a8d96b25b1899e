/**
 * Admits requests, whichever path answers them: takes a slot, finds the caller by its token, checks that it may use the group,
 * takes the request from the caller's rate, and waits for its client's turn.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RateLimit } from '../access/rate.js'
import type { Readable } from '../access/readable.js'
import type { TokenCache } from '../access/token-cache.js'
import { type Caller, countedAs } from '../access/tokens.js'
import type { Group } from '../groups.js'
import { authorize, type Route, type Sent } from './bearer.js'
import type { Slot, Slots } from './concurrency.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The client and user of the request's token, once it was found. */
    caller: Caller | null
    /** Headers with the remaining units of the caller's rate. */
    allowance: Readonly<Record<string, string>> | null
  }
}

/** A request, and the results of its admission. */
export interface Admissible extends Sent {
  slot: Slot | null
  caller: Caller | null
  allowance: Readonly<Record<string, string>> | null
}

/** The cost of a request that is answered without new work: from memory, from a file, by 304 or by an error. */
const LEAST_COST = 1

export class Admission {
  readonly #tokens: TokenCache
  readonly #rate: RateLimit
  readonly #slots: Slots
  /** Requests that were admitted, or refused, before Fastify saw them. */
  readonly #begun = new WeakMap<IncomingMessage, { readonly early: Admissible; readonly admitted: Promise<void> }>()

  constructor(tokens: TokenCache, rate: RateLimit, slots: Slots) {
    this.#tokens = tokens
    this.#rate = rate
    this.#slots = slots
  }

  /** Admits a request: without a promise if it need not wait, because most requests are answered from memory. */
  admit(request: Admissible, response: ServerResponse, route: Route): undefined | Promise<void> {
    request.slot = this.#slots.take(response)
    const caller = authorize(this.#tokens, request, route)
    if (caller instanceof Promise) return caller.then((caller) => this.#takeUnit(request, response, caller))
    return this.#takeUnit(request, response, caller)
  }

  #takeUnit(request: Admissible, response: ServerResponse, caller: Caller): undefined | Promise<void> {
    request.caller = caller
    const allowance = this.#rate.take(caller, LEAST_COST)
    if (allowance instanceof Promise)
      return allowance.then((allowance) => this.#count(request, response, caller, allowance))
    return this.#count(request, response, caller, allowance)
  }

  #count(
    request: Admissible,
    response: ServerResponse,
    caller: Caller,
    allowance: Record<string, string>,
  ): undefined | Promise<void> {
    request.allowance = allowance
    return this.#slots.count(request.slot as Slot, countedAs(caller), response)
  }

  /**
   * Admits a request before Fastify sees it; false if it is refused or has to wait. If Fastify gets the request after all, it
   * goes on with this admission: no request is admitted twice.
   */
  admitEarly(request: Admissible, raw: IncomingMessage, response: ServerResponse, route: Route): boolean {
    let waits: undefined | Promise<void>
    try {
      waits = this.admit(request, response, route)
    } catch (error) {
      waits = Promise.reject(error)
    }
    if (waits === undefined) return true
    this.leaveToFastify(raw, request, waits)
    return false
  }

  leaveToFastify(raw: IncomingMessage, early: Admissible, admitted = Promise.resolve()): void {
    admitted.catch(() => {}) // Fastify's hook gets the error
    this.#begun.set(raw, { early, admitted })
  }

  /** An onRequest hook; without a group, for every caller. Without `readable`, the route refuses app passwords. */
  hook(group?: Group, readable?: Readable) {
    return this.hookOf({ group, readable })
  }

  /** An onRequest hook of a route with these requirements. */
  hookOf(route: Route) {
    return (request: FastifyRequest, { raw }: FastifyReply, done: (error?: Error) => void): void => {
      const begun = this.#begun.get(request.raw)
      const waits =
        begun === undefined
          ? this.admit(request, raw, route)
          : begun.admitted.finally(() => {
              const { slot, caller, allowance } = begun.early
              Object.assign(request, { slot, caller, allowance })
            })
      if (waits === undefined) done()
      else waits.then(() => done(), done)
    }
  }

  /** Takes the cost of computing a report beyond that of the request; throws 429 if too little is left. */
  async charge(cost: number, request: FastifyRequest): Promise<void> {
    if (cost > LEAST_COST && request.caller !== null)
      request.allowance = await this.#rate.take(request.caller, cost, LEAST_COST)
  }
}
