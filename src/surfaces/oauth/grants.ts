/** The token endpoint's grants (RFC 6749 §4.3, §4.4 and §6), on @node-oauth/oauth2-server, and revocation (RFC 7009). */
import OAuth2Server, { OAuthError, Request, Response } from '@node-oauth/oauth2-server'
import { audit } from '../../access/audit.js'
import { GRANTS, type Grant } from '../../access/clients.js'
import { newSecret } from '../../access/secrets.js'
import { type Guard, type SigningClient, signInGuard } from '../../access/sign-in.js'
import {
  ACCESS_TOKEN_SECONDS,
  allowed,
  findToken,
  revokeToken,
  saveToken,
  stillValid,
  type TokenCache,
} from '../../access/tokens.js'
import type { Db, Queryable } from '../../db/connect.js'
import { retryDeadlocks } from '../../db/retry.js'
import { Problem } from '../../errors.js'
import { groups as allGroups } from '../../groups.js'

const REFRESH_TOKEN_SECONDS = 30 * 86_400

export interface OAuthRequest {
  body: Readonly<Record<string, unknown>>
  authorization: string | undefined
  /** Where it comes from. */
  address: string
}

export interface OAuthAnswer {
  status: number
  headers: Record<string, string>
  body: Record<string, unknown>
}

export interface OAuthEndpoints {
  token(request: OAuthRequest): Promise<OAuthAnswer>
  revoke(request: OAuthRequest): Promise<OAuthAnswer>
}

export function oauthEndpoints(db: Db, cache: TokenCache, workers: number): OAuthEndpoints {
  const guard = signInGuard(db, workers)
  return {
    async token(given) {
      // RFC 6749 §3.2: what has no value counts as left out.
      const sent = Object.entries(given.body).filter(([, value]) => value !== '' && value !== null)
      const request = { ...given, body: Object.fromEntries(sent) }
      const wrong = unreadable(request)
      if (wrong !== undefined) return wrong
      const { grant_type } = request.body
      // The library knows one grant more than there is here.
      if (grant_type !== undefined && !(GRANTS as readonly unknown[]).includes(grant_type))
        return failure(400, 'unsupported_grant_type', `grant_type must be ${GRANTS.join(', or ')}`)
      return await answering(async () => {
        const token = await server(db, guard, request).token(asForm(request), new Response({}))
        return success({
          access_token: token.accessToken,
          expires_in: ACCESS_TOKEN_SECONDS,
          token_type: 'Bearer',
          scope: token.scope === undefined ? null : token.scope.join(' '),
          ...(token.refreshToken !== undefined && { refresh_token: token.refreshToken }),
        })
      })
    },

    /** RFC 7009 §2.2: an unknown token is no error, since what the client wants is so already. */
    async revoke(request) {
      const wrong = unreadable(request)
      if (wrong !== undefined) return wrong
      return await answering(async () => {
        const client = await authenticated(db, guard, request)
        const { token } = request.body
        if (typeof token !== 'string' || token === '') return failure(400, 'invalid_request', 'token is missing')
        const ending = async (tx: Queryable) => {
          const ended = await revokeToken(tx, token, client.clientId)
          if (ended?.clientId === client.clientId)
            await audit(tx, {
              ...{ act: 'token.revoke', actor: client.name, client: client.name, address: request.address },
              ...(ended.username !== null && { username: ended.username }),
              detail: { kind: ended.kind },
            })
          return ended
        }
        const found = await retryDeadlocks(() => db.begin(ending))
        cache.forget()
        return found === undefined || found.clientId === client.clientId
          ? success({})
          : failure(400, 'invalid_grant', 'the token was issued to another client')
      })
    },
  }
}

/** RFC 6749 §5.1: answers with tokens or about them are not stored by anyone on the way. */
const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' }

const success = (body: Record<string, unknown>): OAuthAnswer => ({ status: 200, headers: noStore, body })

/** An error as RFC 6749 §5.2 has it. */
export const failure = (
  status: number,
  error: string,
  description: string,
  headers: Record<string, string> = {},
): OAuthAnswer => ({
  status,
  headers: { ...noStore, ...headers },
  // No other characters may stand there.
  body: { error, error_description: description.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?') },
})

/** An error of the service's own as an answer of these endpoints; RFC 6749 has no code for having to wait. */
export function failureFrom(problem: Problem): OAuthAnswer {
  const waiting = problem.status === 429 || problem.status === 503
  const code = waiting ? 'temporarily_unavailable' : 'invalid_request'
  return failure(problem.status, code, problem.detail ?? problem.message, problem.headers)
}

function unreadable({ body, authorization }: OAuthRequest): OAuthAnswer | undefined {
  const wrong = Object.keys(body).find((name) => typeof body[name] !== 'string')
  if (wrong !== undefined) return failure(400, 'invalid_request', `${wrong.slice(0, 60)} must be a string`)
  // RFC 6749 §2.3: one way of authentication in a request.
  if (authorization !== undefined && body['client_secret'] !== undefined)
    return failure(400, 'invalid_request', 'send the client_secret in the body or by HTTP Basic, not in both')
  if (Object.values(body).some((value) => (value as string).includes('\0')))
    return failure(400, 'invalid_request', 'a value holds a NUL character')
  return undefined
}

async function answering(work: () => Promise<OAuthAnswer>): Promise<OAuthAnswer> {
  try {
    return await work()
  } catch (error) {
    const problem = error instanceof OAuthError ? (error as { inner?: unknown }).inner : error
    if (problem instanceof Problem) return failureFrom(problem)
    if (!(error instanceof OAuthError) || error.name === 'server_error') throw error
    // RFC 6749 §5.2: 401 with a challenge where it is the client that could not be authenticated.
    return error.name === 'invalid_client'
      ? failure(401, error.name, inWords(error.message), { 'www-authenticate': 'Basic realm="millbook"' })
      : failure(error.code, error.name, inWords(error.message))
  }
}

/** What to do about the library's errors. */
const sentences: Readonly<Record<string, string>> = {
  'Invalid client: client is invalid':
    'The client_id is unknown, the client_secret is wrong, or the client is disabled; check both, or ask the operator for a new secret.',
  'Invalid client: cannot retrieve client credentials':
    'Send client_id and client_secret in the body, or as HTTP Basic credentials.',
  'Invalid grant: user credentials are invalid':
    'The username is unknown, the password is wrong, or the user is disabled; check both, or ask the operator for a new password.',
  'Invalid grant: refresh token is invalid':
    'The refresh token is unknown, expired or revoked; get a new one by the password grant.',
  'Invalid scope: Requested scope is invalid':
    'scope holds groups of reports, separated by spaces, and this client may not use all of those; leave scope out for all that it may use.',
  'Invalid scope: Unable to add extra scopes':
    'scope may only narrow what the refresh token was issued for; leave it out to keep that.',
}
const inWords = (message: string): string => sentences[message] ?? message

/** The library reads forms alone; what came as JSON is handed to it as one. */
const asForm = ({ body, authorization }: OAuthRequest) =>
  new Request({
    method: 'POST',
    query: {},
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': '1',
      ...(authorization !== undefined && { authorization }),
    },
    body,
  })

async function refused(
  db: Db,
  client: string | undefined,
  username: string | undefined,
  address: string,
  detail: Record<string, unknown>,
): Promise<void> {
  await audit(db, {
    ...{ act: 'token.refuse', actor: client ?? 'unknown', address, detail },
    ...(client !== undefined && { client }),
    ...(username !== undefined && { username }),
  })
}

/** Only a client that exists is named. */
async function refusedClient(db: Db, clientId: string, address: string, grant: string): Promise<void> {
  const [there] = await db`select name from api_client where client_id = ${clientId}`
  await refused(db, there?.['name'], undefined, address, { grant })
}

/** Client authentication as at the token endpoint (RFC 7009 §2.1). */
async function authenticated(db: Db, guard: Guard, request: OAuthRequest): Promise<SigningClient> {
  const { clientId, clientSecret } = credentials(request)
  const client = await guard.client(clientId, clientSecret, request.address)
  if (client !== undefined) return client
  await refusedClient(db, clientId, request.address, 'revoke')
  throw new OAuth2Server.InvalidClientError('Invalid client: client is invalid')
}

function credentials({ body, authorization }: OAuthRequest): { clientId: string; clientSecret: string } {
  const basic = /^basic +([a-z\d+/=_-]+) *$/i.exec(authorization ?? '')?.[1]
  const [, clientId, clientSecret] =
    basic === undefined
      ? ['', body['client_id'], body['client_secret']]
      : (/^([^:]*):(.*)$/s.exec(Buffer.from(basic, 'base64').toString()) ?? [])
  if (typeof clientId !== 'string' || typeof clientSecret !== 'string')
    throw new OAuth2Server.InvalidClientError('Invalid client: cannot retrieve client credentials')
  return { clientId, clientSecret }
}

type LibraryClient = OAuth2Server.Client & { client: SigningClient }
/** The library asks for a user even where there is none. */
type LibraryUser = { username: string | null; proof?: string | undefined }

function server(db: Db, guard: Guard, { body, address }: OAuthRequest): OAuth2Server {
  const grant = body['grant_type'] as Grant
  /** What the refresh token that is used was issued for. */
  let inherited: string[] | null = null
  const mayUse = (client: SigningClient): readonly string[] => client.groups ?? allGroups
  const model: OAuth2Server.PasswordModel & OAuth2Server.RefreshTokenModel & OAuth2Server.ClientCredentialsModel = {
    generateAccessToken: async () => newSecret(),
    generateRefreshToken: async () => newSecret(),

    async getClient(clientId, clientSecret) {
      const client = await guard.client(clientId, clientSecret ?? '', address)
      if (client === undefined) {
        await refusedClient(db, clientId, address, grant)
        return undefined
      }
      if (body['grant_type'] !== undefined && !client.grants.includes(grant))
        throw new OAuth2Server.UnauthorizedClientError(
          `This client may not use grant_type ${grant}; it may use ${client.grants.join(', ')}. The operator can allow it.`,
        )
      return { id: client.clientId, grants: client.grants, client } satisfies LibraryClient
    },

    async getUser(username, password, client) {
      const proof = await guard.user(username, password, address)
      if (proof !== undefined) return { username, proof } satisfies LibraryUser
      // Only names that exist: what is typed as a name may be a password.
      const [there] = await db`select from api_user where username = ${username}`
      await refused(db, (client as LibraryClient).client.name, there && username, address, { grant })
      return undefined
    },

    getUserFromClient: async () => ({ username: null }) satisfies LibraryUser,

    async validateScope(_user, client, asked) {
      const may = mayUse((client as LibraryClient).client)
      if (asked === undefined) return [...may]
      return asked.every((group) => may.includes(group)) && [...new Set(asked)]
    },

    async getRefreshToken(refreshToken) {
      const found = await findToken(db, 'refresh', refreshToken)
      if (found === undefined) return undefined
      const { caller, groups, expiresAt } = found
      if (caller.groups?.length === 0)
        throw new OAuth2Server.InvalidScopeError('Invalid scope: the client may not use any of the groups any more')
      inherited = groups
      return {
        refreshToken,
        refreshTokenExpiresAt: expiresAt,
        scope: [...(caller.groups ?? allGroups)],
        client: { id: caller.clientId, grants: ['refresh_token'] },
        user: { username: caller.username } satisfies LibraryUser,
      }
    },

    async saveToken(token, { client }, user: LibraryUser) {
      const { clientId, name } = client as SigningClient
      const { username } = user
      // What was not asked for follows the client; what was, or a refresh token was issued for, is kept as it is.
      const groups = body['scope'] === undefined ? inherited : (token.scope ?? null)
      const refreshToken =
        token.refreshToken ?? (grant === 'refresh_token' ? (body['refresh_token'] as string) : undefined)
      const common = { clientId, username, groups }
      const saved = db.begin(async (tx) => {
        const { accessToken, accessTokenExpiresAt, refreshTokenExpiresAt } = token
        if (token.refreshToken !== undefined) {
          const refresh = { ...common, kind: 'refresh' as const, token: token.refreshToken }
          await saveToken(tx, { ...refresh, expiresAt: refreshTokenExpiresAt as Date })
        }
        const access = { ...common, kind: 'access' as const, token: accessToken, refreshToken }
        await saveToken(tx, { ...access, expiresAt: accessTokenExpiresAt as Date })
        if (!(await stillValid(tx, client, user, grant)))
          throw new OAuth2Server.InvalidGrantError('Invalid grant: the client or the user was changed just now')
        await audit(tx, {
          ...{ act: 'token.issue', actor: name, client: name, address },
          ...(username !== null && { username }),
          detail: { grant, ...(groups !== null && { groups }) },
        })
      })
      await saved.catch((error) => {
        // The refresh token, the client or the user has just gone.
        if ((error as { code?: string }).code !== '23503') throw error
        throw new OAuth2Server.InvalidGrantError('Invalid grant: it was ended just now')
      })
      const { scope: _, ...rest } = token
      const effective = allowed(client, groups)
      return { ...rest, ...(effective !== null && { scope: effective }), client, user: { username } }
    },

    getAccessToken: async () => undefined, // data endpoints check tokens themselves: src/surfaces/rest/bearer.ts
    revokeToken: async () => true, // never asked for: the refresh token at hand goes on working
    verifyScope: async () => true,
  }
  return new OAuth2Server({
    model,
    accessTokenLifetime: ACCESS_TOKEN_SECONDS,
    refreshTokenLifetime: REFRESH_TOKEN_SECONDS,
    // The refresh grant returns no new refresh token: the one at hand goes on working until it expires or is revoked.
    alwaysIssueNewRefreshToken: false,
  })
}
