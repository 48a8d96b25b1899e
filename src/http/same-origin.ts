/** Tells requests of this service's own pages from requests that pages of other sites make a browser send. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { newSecret } from '../access/secrets.js'
import { Problem } from '../errors.js'
import { cookieOf, setCookie } from './cookies.js'
import { originOf } from './origin.js'
import { sameText } from './session-cookie.js'

/** No script can set these headers. Browsers send Sec-Fetch-Site over https and to the machine itself, and Origin with every POST. */
export function requireSameOrigin(request: FastifyRequest): void {
  const { origin, 'sec-fetch-site': site } = request.headers
  const own = originOf(request)
  if (site !== undefined ? site === 'same-origin' || site === 'none' : origin === undefined || origin === own) return
  throw new Problem('forbidden', {
    detail: `The request comes from a page of ${origin ?? 'another site'}, and only pages of ${own} may send it; open the page of this service and try again. If this is its page, the service has to trust its proxy: millbook serve --trusted-proxies.`,
  })
}

const FORM_COOKIE = 'millbook-form'
const FORM_SECONDS = 3600

/** A value for a hidden field, which only a page that got the cookie can send back. Pages in several tabs share it. */
export function formToken(request: FastifyRequest, reply: FastifyReply): string {
  const known = cookieOf(request, FORM_COOKIE)
  const token = known !== undefined && /^[\w-]{43}$/.test(known) ? known : newSecret()
  setCookie(request, reply, FORM_COOKIE, token, FORM_SECONDS)
  return token
}

export function hasFormToken(request: FastifyRequest, sent: unknown): boolean {
  const expected = cookieOf(request, FORM_COOKIE)
  return typeof sent === 'string' && expected !== undefined && expected.length === 43 && sameText(sent, expected)
}
