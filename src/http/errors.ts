/** Turns whatever went wrong into problem+json, and unknown addresses and methods into 404 and 405. */
import { randomUUID } from 'node:crypto'
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type {
  FastifyBaseLogger,
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HTTPMethods,
} from 'fastify'
import { Problem } from '../errors.js'
import { HSTS, SECURITY_HEADERS } from './headers.js'

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

export function handleErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const problem = toProblem(error)
    // Who hangs up while an answer begins is no fault of ours.
    if (problem.status >= 500 && isFault(problem) && error.code !== 'ERR_STREAM_PREMATURE_CLOSE')
      app.log.error({ reqId: request.id, err: problem.cause ?? error }, problem.message)
    return sendProblem(problem, request, reply)
  })
  app.setNotFoundHandler((request, reply) => {
    const url = pathOf(request)
    const allow = methodsAt(app, url).join(', ')
    const problem =
      allow === ''
        ? new Problem('not-found', { detail: `There is nothing at ${url.slice(0, 200)}; see /docs.` })
        : new Problem('method-not-allowed', { detail: `Use ${allow}, not ${request.method}.`, headers: { allow } })
    return sendProblem(problem, request, reply)
  })
}

/** The address without its query string. */
export const pathOf = (request: FastifyRequest): string => {
  const { url } = request
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}

export const methodsAt = (app: FastifyInstance, url: string): HTTPMethods[] =>
  METHODS.filter((method) => app.hasRoute({ url, method }))

/** Connections that got their last answer, and are closed as soon as the client has had time to read it. */
const ending = new WeakSet<Socket>()
const READ_ANSWER_MS = 1000

/** What is worth an error in the log: not that more is asked than can be done. */
export const isFault = (problem: Problem): boolean => problem.status !== 503 || problem.cause !== undefined

/** What is not HTTP, or too slow or too long for it, never becomes a request: it is answered on the bare connection. */
export function answerBadHttp(
  error: Error & { code?: string },
  socket: Socket & { _httpMessage?: ServerResponse },
  log: Pick<FastifyBaseLogger, 'info'>,
): void {
  if (ending.has(socket)) return // more of the same, which is not read
  const problem = badHttp(error.code ?? '')
  // While another answer is to come, this one would be taken for it.
  const before = socket._httpMessage
  if (problem === undefined || !socket.writable || before?.headersSent || before?.req.complete) {
    socket.destroy()
    return
  }
  ending.add(socket)
  const id = randomUUID()
  const { status } = problem
  const body = JSON.stringify(problem.toBody(id))
  const headers = {
    ...{ Connection: 'close', 'Content-Type': 'application/problem+json', 'Content-Length': Buffer.byteLength(body) },
    ...{
      ...SECURITY_HEADERS,
      'x-request-id': id,
      ...(socket instanceof TLSSocket && { 'strict-transport-security': HSTS }),
    },
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  log.info({ reqId: id, status }, 'answered what is not a request')
  // Closed at once, with bytes unread, it would be reset, and the client might never see the answer.
  setTimeout(() => socket.destroy(), READ_ANSWER_MS).unref()
}

/** Nothing for what is not the doing of HTTP, such as a lost connection or a failed TLS handshake. */
function badHttp(code: string): Problem | undefined {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request-timeout', {
        detail: 'The request did not arrive in time; send it again, and faster.',
      })
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('headers-too-large', { detail: 'The address and the headers have at most 16 KiB together.' })
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Problem('body-too-large', { detail: 'The chunk extensions are too long.' })
  }
  if (code.startsWith('HPE_')) return new Problem('malformed-request', { detail: 'This is not a valid HTTP request.' })
  return undefined
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
  // Fastify gives this status to what fails while it reads a body, and the code is the same as that of a lost database.
  if (error.code === 'ECONNRESET' && error.statusCode === 400)
    return new Problem('malformed-request', { detail: 'The connection was closed before the body was complete.' })
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
const GONE = /^(CONNECTION_|CONNECT_TIMEOUT|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|08|53|57P)/

function databaseIsGone(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, inner, syscall } = error as { code?: unknown; inner?: unknown; syscall?: unknown }
  const gone = (code === 'ENOENT' && syscall === 'connect') || (typeof code === 'string' && GONE.test(code))
  return gone || databaseIsGone(inner) || databaseIsGone(error.cause) // inner: as the OAuth library wraps errors
}
