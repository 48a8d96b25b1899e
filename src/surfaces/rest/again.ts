/** Sends a response from memory again: checks what may have changed since, and waits for nothing. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LEAST_COST } from '../../http/admit.js'
import type { Slots } from '../../http/concurrency.js'
import { encodingFor } from '../../http/encoding.js'
import type { SendAgain } from '../../http/repeats.js'
import type { Report } from '../../kernel/report/report.js'
import type { Services } from '../surface.js'
import type { Reading } from './read.js'
import { ofEachResponse, recallReady, versionOf } from './write.js'

/** For a request that was answered from memory; undefined if its response depends on more than is checked here. */
export function againFor(
  report: Report,
  reading: Reading,
  request: FastifyRequest,
  reply: FastifyReply,
  { tokens, kernel, rate }: Services,
  slots: Slots,
): SendAgain | undefined {
  const { authorization, origin, 'if-none-match': tags, 'accept-encoding': accepted } = request.headers
  if (authorization === undefined || tags !== undefined || origin !== undefined || reply.hasHeader('vary'))
    return undefined
  if (request.method !== report.method || reading.since !== undefined) return undefined
  const { protocol } = request
  const encoding = encodingFor(accepted)
  return (repeat, response) => {
    const { trace } = repeat
    const caller = tokens.known(authorization)
    if (caller === undefined || !slots.isFree(caller.clientId)) return false
    const answer = kernel.recall(caller, reading)
    const ready = answer && recallReady(answer, reading, encoding)
    if (answer === undefined || ready === undefined) return false
    const allowance = rate.takeNow(caller, LEAST_COST)
    if (allowance === undefined) return false
    const { edition, records, source } = answer
    const now = performance.now()
    trace.admittedAt = now
    trace.answeredAt = now
    trace.shared = ready.shared
    repeat.caller = caller
    trace.report = report.id
    trace.version = versionOf(edition)
    trace.source = source
    trace.rows = records.count
    trace.bytes = ready.bytes.length
    const headers = ready.headers.concat(ofEachResponse({ id: repeat.id, trace, allowance, protocol, now }))
    response.writeHead(200, headers).end(ready.bytes)
    // Most leave at once; one that waits for its caller to read, or for an earlier response, counts as in progress.
    if (response.socket?.writableLength !== 0) slots.take(caller.clientId, response)
    return true
  }
}
