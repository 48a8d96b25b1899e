/** CORS: lets pages of the configured origins call the service from a browser. */
import type { FastifyInstance } from 'fastify'
import { methodsAt, pathOf } from './errors.js'

const ALLOWED = 'Authorization, Content-Type, X-Request-Id, If-None-Match'
const EXPOSED = [
  'X-Request-Id',
  'X-Pagination-Total-Count',
  'X-Pagination-Page-Count',
  'X-Pagination-Current-Page',
  'X-Pagination-Per-Page',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'ETag',
  'X-Data-Version',
  'X-Record-Count',
  'X-Complete',
  'Content-Disposition',
  'Link',
  'Server-Timing',
].join(', ')
/** The longest that any browser caches a preflight. */
const PREFLIGHT_SECONDS = '7200'

/**
 * Credentials are never allowed: pages of other origins cannot use the cookie of a session. Even with `*`, a page must
 * send its own token in the Authorization header.
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return
  const any = origins.includes('*')
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers
    if (!any) reply.header('vary', 'Origin')
    if (origin === undefined || !(any || origins.includes(origin))) return
    reply.header('access-control-allow-origin', any ? '*' : origin)
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) {
      reply.header('access-control-expose-headers', EXPOSED)
      return
    }
    const methods = methodsAt(app, pathOf(request))
    if (methods.length === 0) return // the not-found handler responds
    return reply
      .code(204)
      .headers({
        'access-control-allow-methods': methods.join(', '),
        'access-control-allow-headers': ALLOWED,
        'access-control-max-age': PREFLIGHT_SECONDS,
      })
      .send()
  })
}
