/** Admits a request: finds the caller by its token, checks that it may use the report, and takes the request from its rate. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, TokenCache } from '../../access/tokens.js'
import type { Report } from '../../kernel/report.js'
import { authorize } from './bearer.js'
import type { RateLimit } from './rate.js'

/** What a request costs that is answered without new work: from memory, from a file, by 304 or by an error. */
const LEAST_COST = 1

/** An onRequest hook. Most requests are answered from memory, so nothing here waits for a promise without need. */
export const admit =
  (report: Report, tokens: TokenCache, rate: RateLimit) =>
  (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void => {
    const take = (caller: Caller) => {
      request.caller = caller
      return rate.take(caller, LEAST_COST)
    }
    const go = (allowance: Record<string, string>) => {
      request.allowance = allowance
      done()
    }
    const caller = authorize(tokens, request, report)
    const allowance = caller instanceof Promise ? caller.then(take) : take(caller)
    if (allowance instanceof Promise) allowance.then(go, done)
    else go(allowance)
  }

/** Takes what computing the report costs beyond the request itself; throws 429 if too little is left. */
export async function charge(report: Report, request: FastifyRequest, rate: RateLimit): Promise<void> {
  if (report.cost > LEAST_COST && request.caller !== null)
    request.allowance = await rate.take(request.caller, report.cost, LEAST_COST)
}
