/**
 * Checks the access token of a request (RFC 6750), of its session, or its app password, also by HTTP Basic (RFC 7617), and that its
 * caller may use a route.
 */
import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import { isAppPassword } from '../access/app-password-use.js'
import { CONSOLE } from '../access/clients.js'
import type { Readable } from '../access/readable.js'
import { MCP_PATH, type Resource } from '../access/resources.js'
import type { Credential, TokenCache } from '../access/token-cache.js'
import { type Caller, invalidToken } from '../access/tokens.js'
import { Problem } from '../errors.js'
import { type Group, mayUse } from '../groups.js'
import type { Presented } from './cookies.js'
import { addressOf, originOf } from './origin.js'
import { CSRF_HEADER, requireCsrf, sessionToken } from './session-cookie.js'

/** The requirements of a route. Without a group, any valid token is enough; without `readable`, it refuses app passwords. */
export interface Route {
  readonly group?: Group | undefined
  readonly readable?: Readable | undefined
  /** What a token must have been issued for: the API by default. Sessions and app passwords open the API only. */
  readonly resource?: Resource | undefined
}

/** The parts of a request that admission reads. */
export type Sent = Presented & Pick<FastifyRequest, 'ip' | 'socket' | 'params'>

/** Without a promise if the token is cached. */
export function authorize(tokens: TokenCache, request: Sent, route: Route): Caller | Promise<Caller> {
  const { authorization } = request.headers
  if (route.resource === 'mcp' && authorization === undefined) throw forAssistants(request)
  if (authorization === undefined || (route.resource !== 'mcp' && usesSession(request)))
    return ofSession(tokens, request, route)
  const found = tokens.find(authorization, request, route.readable === undefined ? tokenIn : credentialIn)
  return found instanceof Promise ? found.then((caller) => check(caller, request, route)) : check(found, request, route)
}

/**
 * Whether a request takes its caller from the session's cookie: it has no Authorization header, or it is the console's, to which a
 * browser adds by itself the Basic credential that someone typed for a link.
 */
export function usesSession(request: Presented): boolean {
  const { authorization, [CSRF_HEADER]: csrf } = request.headers
  if (authorization === undefined) return true
  return csrf !== undefined && isBasic(authorization) && sessionToken(request) !== undefined
}

/** The console sends its token in a cookie, which no script can read; other callers send theirs in the header. */
async function ofSession(tokens: TokenCache, request: Sent, route: Route): Promise<Caller> {
  const token = request.headers.cookie === undefined ? undefined : sessionToken(request)
  if (token === undefined) throw noCredential(request, route)
  requireCsrf(request, token)
  const caller = await tokens.find(`Bearer ${token}`, request, tokenIn)
  if (caller?.clientId !== CONSOLE)
    throw new Problem('unauthorized', {
      detail: 'The session has ended; sign in again.',
      headers: { 'www-authenticate': 'Bearer realm="millbook", error="invalid_token"' },
    })
  return check(caller, request, route)
}

function check(caller: Caller | undefined, request: Sent, { group, readable, resource = null }: Route): Caller {
  if (caller === undefined) throw resource === 'mcp' ? forAssistants(request, UNKNOWN) : invalidCredential(request)
  const { readLimits } = caller
  if (resource === 'mcp' && (caller.resource !== 'mcp' || readLimits !== undefined))
    throw forAssistants(request, OF_THE_API)
  if (resource === null && caller.resource === 'mcp')
    throw new Problem('unauthorized', {
      detail: `This access token is for assistants and opens ${MCP_PATH} only; get one without resource for the API.`,
      headers: { 'www-authenticate': 'Bearer realm="millbook", error="invalid_token"' },
    })
  if (readLimits !== undefined) {
    if (readable === undefined) throw notReadable(request)
    if (!readable(readLimits, request))
      throw new Problem('forbidden', {
        detail: 'This app password is limited to other reports and views; make one that may read this.',
      })
  }
  if (group !== undefined && !mayUse(caller, group))
    throw new Problem('forbidden', {
      detail: `This ${readLimits === undefined ? 'token' : 'app password'} is good for ${caller.groups?.join(', ') || 'no group'}, not ${group}; ask the operator for access to ${group}.`,
      headers: { 'www-authenticate': `Bearer realm="millbook", error="insufficient_scope", scope="${group}"` },
    })
  return caller
}

const BEARER = 'Bearer realm="millbook"'
/** Two header lines: some clients read only the first challenge of a line. */
const BOTH = [BEARER, 'Basic realm="millbook", charset="UTF-8"']

/** A browser would ask for a password in a dialog, and send it with every later request. */
const challenges = ({ headers }: Sent): string | string[] =>
  headers[CSRF_HEADER] !== undefined || headers['sec-fetch-site'] !== undefined ? BEARER : BOTH

/** RFC 6750 §3: without any authentication, the challenge carries no error code. */
const noCredential = (request: Sent, { readable }: Route): Problem =>
  new Problem('unauthorized', {
    detail: `Send the header Authorization: Bearer <access_token>; POST /oauth2/token gives a token.${
      readable === undefined ? '' : ' Programs that take a user name and a password need an app password.'
    }`,
    headers: { 'www-authenticate': readable === undefined ? BEARER : challenges(request) },
  })

function invalidCredential(request: Sent): Problem {
  const { authorization = '' } = request.headers
  const basic = isBasic(authorization)
  if (!basic && !isAppPassword(bearerIn(authorization) ?? '')) return invalidToken()
  return new Problem('unauthorized', {
    detail: `The app password is unknown or has ended${basic ? ', or belongs to another user' : ''}; make a new one in the console or with POST /v1/app-passwords.`,
    headers: { 'www-authenticate': basic ? challenges(request) : `${BEARER}, error="invalid_token"` },
  })
}

const UNKNOWN = 'The access token is malformed, unknown, expired or revoked'
const OF_THE_API = 'This credential is for the API and does not open the tools of assistants'

/** RFC 9728 §5.1: an assistant finds by the metadata where people sign in. */
function forAssistants(request: Sent, reason?: string): Problem {
  const metadata = `${originOf(request as FastifyRequest)}/.well-known/oauth-protected-resource${MCP_PATH}`
  const error = reason === undefined ? '' : ', error="invalid_token"'
  return new Problem('unauthorized', {
    detail: `${reason ?? 'Send the header Authorization: Bearer <access_token>'}; POST /oauth2/token with resource=…${MCP_PATH} gives a token.`,
    headers: { 'www-authenticate': `Bearer realm="millbook"${error}, resource_metadata="${metadata}"` },
  })
}

/** An app password at a route that it cannot be used for: by Basic, the route does not know the scheme. */
function notReadable({ headers: { authorization = '' } }: Sent): Problem {
  if (isBasic(authorization)) return unknownScheme(authorization)
  return new Problem('forbidden', {
    detail: 'An app password only reads reports, saved views, the catalogue and the search; use an access token here.',
  })
}

const isBasic = (authorization: string): boolean => /^basic /i.test(authorization)

const bearerIn = (authorization: string): string | undefined =>
  /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization)?.[1]

function tokenIn(authorization: string, request: Sent): Credential {
  const token = bearerIn(authorization)
  if (token === undefined) throw /^bearer\b/i.test(authorization) ? invalidToken() : unknownScheme(authorization)
  return { token, usual: `Bearer ${token}`, username: null, address: addressOf(request) }
}

function unknownScheme(authorization: string): Problem {
  const [, scheme] = /^([A-Za-z][\w-]*) /.exec(authorization) ?? []
  return new Problem('unauthorized', {
    detail: `Reports take the header Authorization: Bearer <access_token>, not ${
      scheme === undefined ? 'a token without the word Bearer' : `the scheme ${scheme.slice(0, 20)}`
    }; POST /oauth2/token gives a token.`,
    headers: { 'www-authenticate': 'Bearer realm="millbook", error="invalid_token"' },
  })
}

/** At a route that takes app passwords. */
function credentialIn(authorization: string, request: Sent): Credential {
  if (!isBasic(authorization)) return tokenIn(authorization, request)
  const [, encoded = ''] = /^basic +([a-z\d+/_-]+=*) *$/i.exec(authorization) ?? []
  // A username may contain a colon, an app password does not.
  const [, username, token] = /^([^\0]*):([^:\0]*)$/s.exec(decoded(encoded)) ?? []
  // Any other password is refused unseen: nobody can try out a user's own password here.
  if (username === undefined || token === undefined || !isAppPassword(token))
    throw new Problem('unauthorized', {
      detail:
        'Basic takes your username with an app password, not with your own password; make an app password in the console or with POST /v1/app-passwords, and enter it in place of the password.',
      headers: { 'www-authenticate': challenges(request) },
    })
  const usual = `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`
  return { token, usual, username, address: addressOf(request) }
}

/** UTF-8, or Latin-1 from programs that ignore the `charset` of the challenge. */
function decoded(encoded: string): string {
  const bytes = Buffer.from(encoded, 'base64')
  return isUtf8(bytes) ? bytes.toString() : bytes.toString('latin1')
}
