/** Sends a response from memory again. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../access/tokens.js'
import { encodingFor } from '../../http/encoding.js'
import type { SendAgain } from '../../http/repeats.js'
import type { Kernel } from '../../kernel/answer/ask.js'
import type { Report } from '../../kernel/report/report.js'
import type { Reading } from './read.js'
import { ofEachResponse, recallReady, versionOf } from './write.js'

/** Repeats a response from memory; undefined if the response depends on more than the caller and the data. */
export function againFor(
  report: Report,
  reading: Reading,
  request: FastifyRequest,
  reply: FastifyReply,
  kernel: Kernel,
): SendAgain | undefined {
  const { authorization, origin, 'if-none-match': tags, 'accept-encoding': accepted } = request.headers
  if (authorization === undefined || tags !== undefined || origin !== undefined || reply.hasHeader('vary'))
    return undefined
  if (request.method === 'HEAD' || reading.since !== undefined) return undefined
  const encoding = encodingFor(accepted)
  return (repeat, response) => {
    const answer = kernel.recall(repeat.caller as Caller, reading)
    const ready = answer && recallReady(answer, reading, encoding)
    if (answer === undefined || ready === undefined) return false
    const { trace } = repeat
    const now = performance.now()
    trace.admittedAt = now
    trace.answeredAt = now
    trace.shared = ready.shared
    trace.report = report.id
    trace.version = versionOf(answer.edition)
    trace.source = answer.source
    trace.rows = answer.records.count
    trace.bytes = ready.bytes.length
    response.writeHead(200, ready.headers.concat(ofEachResponse(repeat, now))).end(ready.bytes)
    return true
  }
}
