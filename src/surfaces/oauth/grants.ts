/** The token endpoint's grants (RFC 6749 §4.1.3, §4.3, §4.4 and §6), on @node-oauth/oauth2-server, and revocation (RFC 7009). */
import OAuth2Server, { Request, Response } from '@node-oauth/oauth2-server'
import { audit } from '../../access/audit.js'
import { GRANTS, type Grant } from '../../access/clients.js'
import { endIfSpent, findCode, spendCode, spendRefreshToken } from '../../access/codes.js'
import { notAResource, type Resource, resourceAt } from '../../access/resources.js'
import { newSecret } from '../../access/secrets.js'
import type { Guard, SigningClient } from '../../access/sign-in.js'
import type { TokenCache } from '../../access/token-cache.js'
import { ACCESS_TOKEN_SECONDS, findToken, revokeToken, saveToken, stillValid } from '../../access/tokens.js'
import type { Db, Tx } from '../../db/connect.js'
import { retryDeadlocks } from '../../db/retry.js'
import { groups as allGroups, commonGroups } from '../../groups.js'
import { tokensIssued } from '../../metrics/metrics.js'
import { hasState } from '../../sqlstate.js'
import {
  auditRefusal,
  auditRefusedClient,
  authenticateClient,
  basicOf,
  isWithoutSecret,
  type OAuthRequest,
  publicClient,
} from './client-authentication.js'
import { failure, type OAuthResponse, success, unauthenticated, withOAuthErrors } from './responses.js'

const REFRESH_TOKEN_SECONDS = 30 * 86_400

export interface OAuthEndpoints {
  token(request: OAuthRequest): Promise<OAuthResponse>
  revoke(request: OAuthRequest): Promise<OAuthResponse>
}

export function oauthEndpoints(db: Db, cache: TokenCache, guard: Guard): OAuthEndpoints {
  return {
    async token(sent) {
      const request = withoutEmpty(sent)
      const invalid = checkBody(request)
      if (invalid !== undefined) return invalid
      const { grant_type } = request.body
      if (grant_type !== undefined && !(GRANTS as readonly unknown[]).includes(grant_type))
        return failure(400, 'unsupported_grant_type', `grant_type must be ${GRANTS.join(' or ')}; send one of them`)
      if (resourceIn(request) === undefined) return failure(400, 'invalid_target', notAResource(request.issuer))
      return await withOAuthErrors(async () => {
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

    /** RFC 7009 §2.2: an unknown token is no error, because it is already invalid. */
    async revoke(sent) {
      const request = withoutEmpty(sent)
      const invalid = checkBody(request)
      if (invalid !== undefined) return invalid
      return await withOAuthErrors(async () => {
        const client = await authenticateClient(db, guard, request)
        const { token } = request.body
        if (typeof token !== 'string')
          return failure(400, 'invalid_request', 'token is missing; send the token to revoke')
        const revoke = async (tx: Tx) => {
          const revoked = await revokeToken(tx, token, client.clientId)
          if (revoked?.clientId === client.clientId)
            await audit(tx, {
              ...{ act: 'token.revoke', actor: client.name, client: client.name, address: request.address },
              ...(revoked.username !== null && { username: revoked.username }),
              detail: { kind: revoked.kind },
            })
          return revoked
        }
        const found = await retryDeadlocks(() => db.begin(revoke))
        cache.forget()
        return found === undefined || found.clientId === client.clientId
          ? success({})
          : failure(
              400,
              'invalid_grant',
              'the token was issued to another client; revoke it with the credentials of that client',
            )
      })
    },
  }
}

/** What the request asks for (RFC 8707 §2.2): the API if it does not say; undefined for an unknown resource. */
const resourceIn = ({ body: { resource }, issuer }: OAuthRequest): Resource | undefined =>
  resource === undefined ? null : resourceAt(resource as string, issuer)

/** RFC 6749 §3.2: a parameter without a value counts as omitted. */
const withoutEmpty = (sent: OAuthRequest): OAuthRequest => ({
  ...sent,
  body: Object.fromEntries(Object.entries(sent.body).filter(([, value]) => value !== '' && value !== null)),
})

function checkBody({ body, authorization }: OAuthRequest): OAuthResponse | undefined {
  const wrong = Object.keys(body).find((name) => typeof body[name] !== 'string')
  if (wrong !== undefined)
    return failure(400, 'invalid_request', `${wrong.slice(0, 60)} must be a string; send it once, as text`)
  if (authorization !== undefined && !/^basic\b/i.test(authorization))
    return unauthenticated(
      'This endpoint takes client_id and client_secret in the body or by HTTP Basic; leave out an Authorization header of another scheme, such as Bearer.',
    )
  // RFC 6749 §2.3: a request uses one authentication method.
  if (authorization !== undefined && body['client_secret'] !== undefined)
    return failure(400, 'invalid_request', 'send the client_secret in the body or by HTTP Basic, not both')
  if (Object.values(body).some((value) => (value as string).includes('\0')))
    return failure(400, 'invalid_request', 'a value contains a NUL character; remove it')
  if (basicOf(authorization)?.includes('\0'))
    return unauthenticated('The Basic credentials contain a NUL character; send client_id:client_secret in Base64.')
  return undefined
}

/** The library reads forms only; a JSON body becomes one. */
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

type LibraryClient = OAuth2Server.Client & { client: SigningClient }
/** The library needs a user object even for client_credentials. */
type LibraryUser = { username: string | null; groups: string[] | null; proof?: string | undefined }
type Model = OAuth2Server.PasswordModel &
  OAuth2Server.RefreshTokenModel &
  OAuth2Server.ClientCredentialsModel &
  Omit<OAuth2Server.AuthorizationCodeModel, 'saveAuthorizationCode'> // authorize.ts issues codes

/** The library compares this with its clock; the database has already checked that the code has not expired. */
const NOT_EXPIRED = new Date(8.64e15)

function server(db: Db, guard: Guard, request: OAuthRequest): OAuth2Server {
  const { body, address } = request
  const grant = body['grant_type'] as Grant
  /** The grant that the tokens come from: the groups and the resource of its code or refresh token, and the hash of its code. */
  let inherited: { groups: string[] | null; codeHash: Buffer | null; resource: Resource } = {
    ...{ groups: null, codeHash: null, resource: resourceIn(request) ?? null },
  }
  const inherit = (grant: typeof inherited) => {
    if (body['resource'] !== undefined && resourceIn(request) !== grant.resource)
      throw new OAuth2Server.OAuthError(
        'resource is not the one that this code or refresh token was issued for; send that one, or leave it out',
        { code: 400, name: 'invalid_target' },
      )
    inherited = grant
  }
  // RFC 9700 §2.2.2: a public client has no secret, so its refresh token is replaced at every use.
  const rotates = grant === 'refresh_token' && isWithoutSecret(request)
  const usable = (client: SigningClient, user: LibraryUser): string[] => {
    const groups = commonGroups(client.groups, user.groups) ?? [...allGroups]
    if (groups.length > 0) return groups
    throw new OAuth2Server.InvalidScopeError(
      'The client and the user have no group in common; ask the operator for access.',
    )
  }
  const model: Model = {
    generateAccessToken: async () => newSecret(),
    generateRefreshToken: async () => newSecret(),

    async getClient(clientId, clientSecret) {
      const client = isWithoutSecret(request)
        ? await publicClient(db, clientId)
        : await guard.client(clientId, clientSecret ?? '', address)
      if (client === undefined) {
        await auditRefusedClient(db, clientId, address, grant)
        return undefined
      }
      if (body['grant_type'] !== undefined && !client.grants.includes(grant))
        throw new OAuth2Server.UnauthorizedClientError(
          `This client may not use grant_type ${grant}; it may use ${client.grants.join(', ')}. The operator can allow it.`,
        )
      return { id: client.clientId, grants: client.grants, client } satisfies LibraryClient
    },

    async getUser(username, password, client) {
      const found = await guard.user(username, password, address)
      if (found !== undefined) return { username, ...found } satisfies LibraryUser
      // Record existing names only: people type passwords into the username field.
      const [user] = await db`select from api_user where username = ${username}`
      await auditRefusal(db, (client as LibraryClient).client.name, user && username, address, { grant })
      return undefined
    },

    getUserFromClient: async () => ({ username: null, groups: null }) satisfies LibraryUser,

    async getAuthorizationCode(authorizationCode) {
      const found = await findCode(db, authorizationCode, address)
      if (found === undefined) return undefined
      const { codeHash, clientId, username, redirectUri, challenge, groups, userGroups, resource } = found
      inherit({ groups, codeHash, resource })
      return {
        ...{ authorizationCode, codeHash, redirectUri, expiresAt: NOT_EXPIRED },
        ...{ codeChallenge: challenge, codeChallengeMethod: 'S256' },
        ...(groups !== null && { scope: groups }),
        client: { id: clientId, grants: ['authorization_code'] },
        user: { username, groups: userGroups } satisfies LibraryUser,
      }
    },

    revokeAuthorizationCode: ({ codeHash }) => spendCode(db, codeHash as Buffer, address),

    async validateScope(user, client, requested) {
      const groups = usable((client as LibraryClient).client, user as LibraryUser)
      if (requested === undefined) return groups
      // A program that asked for a code did not know yet which groups its user may use.
      if (grant === 'authorization_code') return requested.filter((group) => groups.includes(group))
      return requested.every((group) => groups.includes(group)) && [...new Set(requested)]
    },

    async getRefreshToken(refreshToken) {
      const found = await findToken(db, 'refresh', refreshToken)
      if (found === undefined) {
        await endIfSpent(db, refreshToken, address)
        return undefined
      }
      const { caller, groups, expiresAt, codeHash } = found
      if (caller.groups?.length === 0)
        throw new OAuth2Server.InvalidScopeError(
          'The client or the user may no longer use any group of this refresh token; get a new token.',
        )
      inherit({ groups, codeHash, resource: caller.resource ?? null })
      return {
        refreshToken,
        refreshTokenExpiresAt: expiresAt,
        scope: [...(caller.groups ?? allGroups)],
        client: { id: caller.clientId, grants: ['refresh_token'] },
        user: { username: caller.username, groups: caller.groups } satisfies LibraryUser,
      }
    },

    async saveToken(token, { client }, user: LibraryUser) {
      const { clientId, name } = client as SigningClient
      const { username } = user
      // Without scope, the token has the groups of its code or refresh token, or follows the groups of client and user.
      const asked = grant !== 'authorization_code' && body['scope'] !== undefined
      const groups = asked ? (token.scope ?? null) : inherited.groups
      const { codeHash, resource } = inherited
      const { refreshTokenExpiresAt, accessToken, accessTokenExpiresAt } = token
      const issued =
        grant === 'authorization_code' && !client.grants.includes('refresh_token') ? undefined : token.refreshToken
      const used = grant === 'refresh_token' ? (body['refresh_token'] as string) : undefined
      const common = { clientId, username, codeHash, address, resource }
      const save = async (tx: Tx) => {
        // A refresh token has the groups that were granted, also if the access token asks for fewer (RFC 6749 §6).
        if (issued !== undefined) {
          const refresh = {
            ...common,
            kind: 'refresh' as const,
            token: issued,
            groups: rotates ? inherited.groups : groups,
          }
          await saveToken(tx, { ...refresh, expiresAt: refreshTokenExpiresAt as Date })
        }
        // The access token of a public client refers to the row of its code, because its refresh tokens are replaced.
        const access = { ...common, kind: 'access' as const, token: accessToken, groups }
        const refreshToken = codeHash === null ? (issued ?? used) : undefined
        await saveToken(tx, { ...access, refreshToken, expiresAt: accessTokenExpiresAt as Date })
        // Comes after the inserts, whose foreign keys lock the user: changes of a user lock the user before its tokens, too.
        if (rotates && (codeHash === null || !(await spendRefreshToken(tx, used as string, codeHash))))
          throw new Spent()
        if (!(await stillValid(tx, client, user, grant)))
          throw new OAuth2Server.InvalidGrantError(
            'The client or the user was changed during this request; check the credentials and try again.',
          )
        await audit(tx, {
          ...{ act: 'token.issue', actor: name, client: name, address },
          ...(username !== null && { username }),
          detail: { grant, ...(groups !== null && { groups }), ...(resource !== null && { resource }) },
        })
      }
      await retryDeadlocks(() => db.begin(save)).catch(async (error) => {
        if (error instanceof Spent) {
          await endIfSpent(db, used as string, address) // another request has just replaced it
          throw new OAuth2Server.InvalidGrantError('Invalid grant: refresh token is invalid')
        }
        // Foreign key violation: the refresh token, the code, the client or the user was just deleted.
        if (!hasState(error, 'foreign_key_violation')) throw error
        throw new OAuth2Server.InvalidGrantError(
          'The code, the refresh token, the client or the user was deleted during this request; get a new token.',
        )
      })
      tokensIssued.add({ grant })
      const effective = commonGroups((client as SigningClient).groups, user.groups, groups)
      return {
        ...{ accessToken, client, user: { username } },
        ...(issued !== undefined && { refreshToken: issued }),
        ...(effective !== null && { scope: effective }),
      }
    },

    getAccessToken: async () => undefined, // unused: src/http/bearer.ts checks tokens
    revokeToken: async () => true, // saveToken replaces it, in one transaction
    verifyScope: async () => true,
  }
  return new OAuth2Server({
    model,
    accessTokenLifetime: ACCESS_TOKEN_SECONDS,
    refreshTokenLifetime: REFRESH_TOKEN_SECONDS,
    // The refresh token of a client with a secret works until it expires or is revoked.
    alwaysIssueNewRefreshToken: rotates,
    requireClientAuthentication: { authorization_code: false, refresh_token: false }, // getClient() decides
  })
}

class Spent extends Error {}
