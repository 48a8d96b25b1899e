/** Headers of every answer; most keep browsers from doing more with it than was meant. */
import type { FastifyRequest } from 'fastify'

/** Of data, which no page is made of. */
export const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

/** Of pages, which load and call nothing but this service. */
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

/** RFC 6797. Other services on hosts below this one are not ours to speak for. */
export const HSTS = 'max-age=31536000'

/** Of an answer to this request, unless it has others of these names. */
export function everyHeader({ id, protocol }: FastifyRequest): Record<string, string> {
  return protocol === 'https'
    ? { ...SECURITY_HEADERS, 'x-request-id': id, 'strict-transport-security': HSTS }
    : { ...SECURITY_HEADERS, 'x-request-id': id }
}
