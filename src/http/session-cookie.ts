/** The cookie of a session, and the CSRF token that requests with it need. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { SESSION_SECONDS } from '../access/sessions.js'
import { Problem } from '../errors.js'
import { clearCookie, cookieOf, type Presented, setCookie } from './cookies.js'

/** Over https with the prefix `__Host-`. */
export const SESSION_COOKIE = 'millbook-session'
export const CSRF_HEADER = 'x-csrf-token'

export const sessionToken = (request: Presented): string | undefined => cookieOf(request, SESSION_COOKIE) || undefined

export const setSession = (request: FastifyRequest, reply: FastifyReply, token: string): void =>
  setCookie(request, reply, SESSION_COOKIE, token, SESSION_SECONDS)

export const clearSession = (request: FastifyRequest, reply: FastifyReply): void =>
  clearCookie(request, reply, SESSION_COOKIE)

/** Follows from the token, so it need not be stored; the token does not follow from it. */
export const csrfOf = (token: string): string => createHmac('sha256', token).update('csrf').digest('base64url')

/** Throws 403 unless the request shows that it comes from a page of this service. */
export function requireCsrf(request: Presented, token: string): void {
  const sent = request.headers[CSRF_HEADER]
  if (typeof sent === 'string' && sameText(sent, csrfOf(token))) return
  throw new Problem('csrf-token-required', {
    detail: `A request with the cookie of a session needs the header X-CSRF-Token${sent === undefined ? '' : ', and the one sent is not that of this session'}; GET /session returns it as csrf.`,
  })
}

/** Compares in a time that does not tell where the texts differ. */
export function sameText(sent: string, expected: string): boolean {
  const [one, other] = [Buffer.from(sent), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
