/** Headers of every response; most restrict browsers. */
import type { FastifyRequest } from 'fastify'

/** For data: a browser must not run or embed it. */
export const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

/** For pages: they may load from and call this service only. */
export const PAGE_HEADERS = {
  'content-security-policy': [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join(';'),
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY', // for browsers that do not know frame-ancestors
}

/** RFC 6797, without includeSubDomains: subdomains may belong to other services. */
export const HSTS = 'max-age=31536000'

/** Defaults for the response to this request; its handler may set others. */
export function defaultHeaders({ id, protocol }: FastifyRequest): Record<string, string> {
  return protocol === 'https'
    ? { ...SECURITY_HEADERS, 'x-request-id': id, 'strict-transport-security': HSTS }
    : { ...SECURITY_HEADERS, 'x-request-id': id }
}
