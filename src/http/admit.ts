/** Admits a request: finds the caller by its token, checks that it may use the group, and takes the request from its rate. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RateLimit } from '../access/rate.js'
import type { Caller, TokenCache } from '../access/tokens.js'
import type { Group } from '../groups.js'
import { authorize } from './bearer.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The client and user of the request's token, once it was found. */
    caller: Caller | null
    /** Headers that tell the caller what is left of its rate. */
    allowance: Readonly<Record<string, string>> | null
  }
}

/** The cost of a request that is answered without new work: from memory, from a file, by 304 or by an error. */
export const LEAST_COST = 1

/** An onRequest hook; without a group, for every caller. Most requests are answered from memory, so nothing here waits for a promise without need. */
export const admit =
  (group: Group | undefined, tokens: TokenCache, rate: RateLimit) =>
  (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void => {
    const take = (caller: Caller) => {
      request.caller = caller
      return rate.take(caller, LEAST_COST)
    }
    const go = (allowance: Record<string, string>) => {
      request.allowance = allowance
      done()
    }
    const caller = authorize(tokens, request, group)
    const allowance = caller instanceof Promise ? caller.then(take) : take(caller)
    if (allowance instanceof Promise) allowance.then(go, done)
    else go(allowance)
  }

/** Takes the cost of computing a report beyond that of the request; throws 429 if too little is left. */
export async function charge(cost: number, request: FastifyRequest, rate: RateLimit): Promise<void> {
  if (cost > LEAST_COST && request.caller !== null)
    request.allowance = await rate.take(request.caller, cost, LEAST_COST)
}
