/** Checks the access token of a request (RFC 6750), or of its session, and that its caller may use a group of reports. */
import { CONSOLE } from '../access/clients.js'
import { type Caller, invalidToken, type TokenCache } from '../access/tokens.js'
import { Problem } from '../errors.js'
import { type Group, mayUse } from '../groups.js'
import type { Presented } from './cookies.js'
import { requireCsrf, sessionToken } from './session-cookie.js'

/** Without a promise if the token is cached; without a group, any valid token is enough. */
export function authorize(tokens: TokenCache, request: Presented, group?: Group): Caller | Promise<Caller> {
  const { authorization } = request.headers
  if (authorization === undefined) return ofSession(tokens, request, group)
  const found = tokens.find(authorization, tokenIn)
  return found instanceof Promise ? found.then((caller) => check(caller, group)) : check(found, group)
}

/** The console sends its token in a cookie, which no script can read; other callers send theirs in the header. */
async function ofSession(tokens: TokenCache, request: Presented, group: Group | undefined): Promise<Caller> {
  const token = request.headers.cookie === undefined ? undefined : sessionToken(request)
  if (token === undefined)
    // RFC 6750 §3: without any authentication, the challenge carries no error code.
    throw new Problem('unauthorized', {
      detail: 'Send the header Authorization: Bearer <access_token>; POST /oauth2/token gives a token.',
      headers: { 'www-authenticate': 'Bearer realm="millbook"' },
    })
  requireCsrf(request, token)
  const caller = await tokens.find(`Bearer ${token}`, tokenIn)
  if (caller?.clientId !== CONSOLE)
    throw new Problem('unauthorized', {
      detail: 'The session has ended; sign in again.',
      headers: { 'www-authenticate': 'Bearer realm="millbook", error="invalid_token"' },
    })
  return check(caller, group)
}

function check(caller: Caller | undefined, group: Group | undefined): Caller {
  if (caller === undefined) throw invalidToken()
  if (group !== undefined && !mayUse(caller, group))
    throw new Problem('forbidden', {
      detail: `This token is good for ${caller.groups?.join(', ') || 'no group'}, not ${group}; ask the operator for access to ${group}.`,
      headers: { 'www-authenticate': `Bearer realm="millbook", error="insufficient_scope", scope="${group}"` },
    })
  return caller
}

function tokenIn(authorization: string): string {
  const token = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization)?.[1]
  if (token !== undefined) return token
  const [, scheme] = /^([A-Za-z][\w-]*) /.exec(authorization) ?? []
  throw /^bearer\b/i.test(authorization)
    ? invalidToken()
    : new Problem('unauthorized', {
        detail: `Reports take the header Authorization: Bearer <access_token>, not ${
          scheme === undefined ? 'a token without the word Bearer' : `the scheme ${scheme.slice(0, 20)}`
        }; POST /oauth2/token gives a token.`,
        headers: { 'www-authenticate': 'Bearer realm="millbook", error="invalid_token"' },
      })
}
