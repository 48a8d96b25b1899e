/** Checks the access token of a request (RFC 6750) and that its client may use the report's group. */
import type { FastifyRequest } from 'fastify'
import type { Caller, TokenCache } from '../../access/tokens.js'
import { Problem } from '../../errors.js'

/** At once where the token is known. */
export function authorize(cache: TokenCache, request: FastifyRequest, group: string): Caller | Promise<Caller> {
  const { authorization } = request.headers
  if (authorization === undefined)
    // RFC 6750 §3: without any authentication, the challenge carries no error code.
    throw new Problem('unauthorized', {
      detail: 'Send the header Authorization: Bearer <access_token>; POST /oauth2/token gives one.',
      headers: { 'www-authenticate': 'Bearer realm="millbook"' },
    })
  const found = cache.find(authorization, tokenIn)
  return found instanceof Promise ? found.then((caller) => check(caller, group)) : check(found, group)
}

function check(caller: Caller | undefined, group: string): Caller {
  if (caller === undefined) throw invalidToken()
  if (caller.groups !== null && !caller.groups.includes(group))
    throw new Problem('forbidden', {
      detail: `This token is good for ${caller.groups.join(', ') || 'nothing'}, not ${group}.`,
      headers: { 'www-authenticate': `Bearer realm="millbook", error="insufficient_scope", scope="${group}"` },
    })
  return caller
}

function tokenIn(authorization: string): string {
  const token = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization)?.[1]
  if (token === undefined) throw invalidToken()
  return token
}

export const invalidToken = (): Problem =>
  new Problem('unauthorized', {
    detail: 'The access token is malformed, unknown or has expired; POST /oauth2/token gives a new one.',
    headers: { 'www-authenticate': 'Bearer realm="millbook", error="invalid_token"' },
  })
