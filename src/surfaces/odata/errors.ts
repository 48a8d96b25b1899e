/** Errors as OData clients read them (JSON Format 4.0, section 19). */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Problem } from '../../errors.js'
import { refusals } from '../../metrics/metrics.js'

export const VERSION = { 'odata-version': '4.0' }

export function sendError(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { code, status, message, errors = [], headers } = problem
  refusals.add({ reason: code })
  const details = errors.map(({ field, message }) => ({ code, target: field, message: `${field} ${message}` }))
  const whole =
    problem.detail === undefined && details.length > 0 ? details.map(({ message }) => message).join('; ') : message
  return reply
    .code(status === 422 ? 400 : status) // the protocol has 400 for wrong values too
    .headers({ ...request.allowance, ...headers, ...VERSION, 'cache-control': 'no-store' })
    .type('application/json;odata.metadata=minimal')
    .send(JSON.stringify({ error: { code, message: whole, ...(details.length > 0 && { details }) } }))
}
