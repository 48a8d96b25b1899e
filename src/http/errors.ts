/** Turns whatever went wrong into problem+json, and unknown addresses and methods into 404 and 405. */
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { Problem } from '../errors.js'

const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

export function handleErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const problem = toProblem(error)
    if (problem.status >= 500) request.log.error({ err: problem.cause ?? error }, problem.message)
    return sendProblem(problem, request, reply)
  })
  app.setNotFoundHandler((request, reply) => {
    const url = request.url.split('?')[0] as string
    const allow = METHODS.filter((method) => app.hasRoute({ url, method })).join(', ')
    const problem =
      allow === ''
        ? new Problem('not-found', { detail: `There is nothing at ${url.slice(0, 200)}; see /docs.` })
        : new Problem('method-not-allowed', { detail: `Use ${allow}, not ${request.method}.`, headers: { allow } })
    return sendProblem(problem, request, reply)
  })
}

/** What is not HTTP, or too slow or too long for it, never becomes a request: it is answered on the bare connection. */
export function answerBadHttp(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const detail =
    error.code === 'HPE_HEADER_OVERFLOW' ? 'The headers are too long.' : 'This is not a valid HTTP request.'
  const problem = new Problem('malformed-request', { detail })
  const body = JSON.stringify(problem.toBody(randomUUID()))
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application/problem+json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

export function sendProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply
    .code(problem.status)
    .headers(problem.headers)
    .type('application/problem+json')
    .send(JSON.stringify(problem.toBody(request.id)))
}

export function toProblem(error: Error & { code?: string; statusCode?: number }): Problem {
  if (error instanceof Problem) return error
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('body-too-large', { detail: 'A request body has at most 64 KiB.' })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem('unsupported-media-type', { detail: 'Send the header Content-Type: application/json.' })
  }
  if (databaseIsGone(error))
    return new Problem('unavailable', {
      detail: 'The database does not answer; try again shortly.',
      headers: { 'retry-after': '5' },
      cause: error,
    })
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)
    return new Problem('malformed-request', { detail: error.message })
  return new Problem('internal-error', { cause: error })
}

/** Codes of the driver, of the operating system, and of PostgreSQL's classes 08, 53 and 57P. */
const GONE = /^(CONNECTION_|CONNECT_TIMEOUT|ECONN|ENOENT|EPIPE|ETIMEDOUT|ENOTFOUND|08|53|57P)/

function databaseIsGone(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, inner } = error as { code?: unknown; inner?: unknown } // inner: as the OAuth library wraps errors
  return (typeof code === 'string' && GONE.test(code)) || databaseIsGone(inner) || databaseIsGone(error.cause)
}
