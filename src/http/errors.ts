/** Turns errors into problem+json (RFC 9457), and unknown paths and methods into 404 and 405. */
import { randomUUID } from 'node:crypto'
import { METHODS as httpMethods, type ServerResponse, STATUS_CODES } from 'node:http'
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
import { refusals } from '../metrics/metrics.js'
import { nearest } from '../nearest.js'
import { refusalOf, stateOf } from '../sqlstate.js'
import { HSTS, SECURITY_HEADERS } from './headers.js'
import { html, sendPage } from './page.js'

export function handleErrors(app: FastifyInstance): void {
  // Fastify would reject an unknown method with another kind of body.
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  const paths = new Set<string>()
  app.addHook('onRoute', ({ url }) => void paths.add(url))
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const problem = toProblem(error)
    // A caller that disconnects while its response begins is no error of the service.
    if (problem.status >= 500 && isFault(problem) && error.code !== 'ERR_STREAM_PREMATURE_CLOSE')
      app.log.error({ reqId: request.id, err: problem.cause ?? error }, problem.message)
    return sendProblem(problem, request, reply)
  })
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request)
    const allow = methodsAt(app, path).join(', ')
    const problem =
      allow === ''
        ? new Problem('not-found', { detail: `There is nothing at ${path.slice(0, 200)}${hint(path, [...paths])}` })
        : new Problem('method-not-allowed', { detail: `Use ${allow}, not ${request.method}.`, headers: { allow } })
    if (allow !== '' || !wantsPage(request)) return sendProblem(problem, request, reply)
    refusals.add({ reason: problem.code })
    return sendPage(
      reply.header('vary', 'Accept'),
      problem.status,
      'Page not found',
      html`<h1>Page not found</h1>
<p>There is no page at <code>${path.slice(0, 200)}</code>. Check the address, or look for the page in the console.</p>
<p><a class="button" href="/">Open the console</a></p>`,
    )
  })
}

/** Browsers ask for pages, programs do not. */
const wantsPage = ({ method, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && headers.accept?.includes('text/html') === true

/** Suggests the endpoints that the caller may have meant. */
function hint(path: string, known: readonly string[]): string {
  const bare = path.replace(/\/+$/, '')
  if (bare !== path && known.includes(bare)) return `; leave out the slash at the end: ${bare}`
  const near = path.length <= LONGEST_PATH ? nearest(path, known, 2) : ''
  return `${near || ''}; /docs lists every endpoint.`
}

const METHODS = httpMethods.filter((method) => method !== 'CONNECT') // Node never passes CONNECT on as a request
const LONGEST_PATH = 100

/** The URL without its query string. */
export const pathOf = (request: { readonly url: string }): string => {
  const { url } = request
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}

export const methodsAt = (app: FastifyInstance, url: string): string[] =>
  METHODS.filter((method) => app.hasRoute({ url, method: method as HTTPMethods }))

/** Connections that were sent their last response and wait for the client to read it. */
const closing = new WeakSet<Socket>()
const READ_RESPONSE_MS = 1000

/** Whether a problem belongs in the log as an error: overload does not. */
export const isFault = (problem: Problem): boolean => problem.status !== 503 || problem.cause !== undefined

/** Rejects malformed, slow or oversized HTTP on the bare socket, before it becomes a request. */
export function rejectBadHttp(
  error: Error & { code?: string },
  socket: Socket & { _httpMessage?: ServerResponse },
  log: Pick<FastifyBaseLogger, 'info'>,
): void {
  if (closing.has(socket)) return // ignore the rest of its bytes
  const problem = badHttp(error.code ?? '')
  // While an earlier response is outstanding, the client would take this one for it.
  const earlier = socket._httpMessage
  if (problem === undefined || !socket.writable || earlier?.headersSent || earlier?.req.complete) {
    socket.destroy()
    return
  }
  closing.add(socket)
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
  log.info({ reqId: id, status }, 'rejected malformed HTTP')
  // Closing with unread bytes resets the connection, and the client might never see the response.
  setTimeout(() => socket.destroy(), READ_RESPONSE_MS).unref()
}

/** Undefined for errors that are not about HTTP, such as a lost connection or a failed TLS handshake. */
function badHttp(code: string): Problem | undefined {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request-timeout', {
        detail: 'The request timed out; send it again.',
      })
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('headers-too-large', {
        detail: 'The URL and the headers together may have at most 16 KiB; shorten them.',
      })
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Problem('body-too-large', { detail: 'The chunk extensions are too long; send the body without them.' })
  }
  if (code.startsWith('HPE_'))
    return new Problem('malformed-request', { detail: 'This is not a valid HTTP request; send HTTP/1.1.' })
  return undefined
}

export function sendProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  refusals.add({ reason: problem.code })
  return reply
    .code(problem.status)
    .headers({ ...request.allowance, ...problem.headers })
    .type('application/problem+json')
    .send(JSON.stringify(problem.toBody(request.id)))
}

export function toProblem(error: Error & { code?: string; statusCode?: number }): Problem {
  if (error instanceof Problem) return error
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('body-too-large', { detail: 'A request body may have at most 64 KiB; send a shorter one.' })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem('unsupported-media-type', { detail: 'Send the header Content-Type: application/json.' })
  }
  // Fastify sets status 400 on failures while reading a body; a lost database connection has the same code without it.
  if (error.code === 'ECONNRESET' && error.statusCode === 400)
    return new Problem('malformed-request', { detail: 'The connection closed before the body was complete.' })
  const refused = byDatabase(error)
  if (refused !== undefined) return refused
  if (isConnectionLoss(error)) return refusedFor('the database does not respond', error)
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)
    return new Problem('malformed-request', { detail: error.message })
  return new Problem('internal-error', { cause: error })
}

/** `reason` begins with a small letter, as in the response of /readyz. */
const refusedFor = (reason: string, cause: Error): Problem =>
  new Problem('unavailable', {
    detail: `${reason.replace(/^[a-z]/, (first) => first.toUpperCase())}; try again in 5 seconds.`,
    headers: { 'retry-after': '5' },
    cause,
  })

/** The problem for an exceeded time limit (of a statement, of a lock, of waiting for a connection), or for a refusal by the database. */
function byDatabase(error: Error & { code?: string; inner?: unknown }): Problem | undefined {
  if (error.code === 'CONNECTIONS_LEASED')
    return new Problem('unavailable', {
      detail: 'All connections to the database are busy with other reports; try again in 5 seconds.',
      headers: { 'retry-after': '5' },
    })
  switch (stateOf(error)) {
    case 'lock_not_available':
      return new Problem('unavailable', {
        detail: 'The data is locked, probably by maintenance; try again in 30 seconds.',
        headers: { 'retry-after': '30' },
        cause: error,
      })
    case 'query_canceled':
      return new Problem('timeout', {
        detail:
          'The report took longer than it may, so it was cancelled; ask for a shorter period, or try again in 30 seconds.',
        headers: { 'retry-after': '30' },
        cause: error,
      })
  }
  const refusal = refusalOf(error)
  if (refusal !== undefined) return refusedFor(refusal, error)
  const inner = error.inner ?? error.cause // inner: the OAuth library wraps errors
  return inner instanceof Error ? byDatabase(inner) : undefined
}

/** Codes of the driver and the operating system. */
const LOST = /^(CONNECTION_|ECONN|EPIPE|ETIMEDOUT)/

function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, inner } = error as { code?: unknown; inner?: unknown }
  return (typeof code === 'string' && LOST.test(code)) || isConnectionLoss(inner) || isConnectionLoss(error.cause)
}
