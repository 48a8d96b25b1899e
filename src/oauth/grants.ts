/** The token endpoint's grants, password and refresh (RFC 6749 §4.3 and §6), on @node-oauth/oauth2-server. */
import OAuth2Server, { OAuthError, Request, Response } from '@node-oauth/oauth2-server'
import type { Db } from '../db/connect.js'
import { authenticateClient, authenticateUser, type Client, findToken, saveToken } from './access.js'
import { newSecret } from './secrets.js'

export const ACCESS_TOKEN_SECONDS = 86_400
const REFRESH_TOKEN_SECONDS = 30 * 86_400

export interface TokenAnswer {
  status: number
  headers: Record<string, string>
  body: Record<string, unknown>
}

export type TokenEndpoint = (
  body: Readonly<Record<string, unknown>>,
  authorization: string | undefined,
) => Promise<TokenAnswer>

export function tokenEndpoint(db: Db): TokenEndpoint {
  const server = new OAuth2Server({
    model: model(db),
    accessTokenLifetime: ACCESS_TOKEN_SECONDS,
    refreshTokenLifetime: REFRESH_TOKEN_SECONDS,
    // The refresh grant returns no new refresh token: the one at hand goes on working until it expires.
    alwaysIssueNewRefreshToken: false,
  })
  return async (body, authorization) => {
    const wrong = Object.keys(body).find((name) => typeof body[name] !== 'string')
    if (wrong !== undefined) return failure(400, 'invalid_request', `${wrong.slice(0, 60)} must be a string`)
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': '1',
      ...(authorization !== undefined && { authorization }),
    }
    try {
      const token = await server.token(new Request({ method: 'POST', query: {}, headers, body }), new Response({}))
      const { groups } = token.client as unknown as Client
      return {
        status: 200,
        headers: noStore,
        body: {
          access_token: token.accessToken,
          expires_in: ACCESS_TOKEN_SECONDS,
          token_type: 'Bearer',
          scope: groups === null ? null : groups.join(' '),
          ...(token.refreshToken !== undefined && { refresh_token: token.refreshToken }),
        },
      }
    } catch (error) {
      if (!(error instanceof OAuthError) || error.name === 'server_error') throw error
      // RFC 6749 §5.2: 401 with a challenge where it is the client that could not be authenticated.
      return error.name === 'invalid_client'
        ? failure(401, error.name, error.message, { 'www-authenticate': 'Basic realm="millbook"' })
        : failure(error.code, error.name, error.message)
    }
  }
}

/** RFC 6749 §5.1: answers with tokens or about them are not stored by anyone on the way. */
const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' }

/** An error as RFC 6749 §5.2 has it. */
export const failure = (
  status: number,
  error: string,
  description: string,
  headers: Record<string, string> = {},
): TokenAnswer => ({
  status,
  headers: { ...noStore, ...headers },
  body: { error, error_description: description },
})

type Model = OAuth2Server.PasswordModel & OAuth2Server.RefreshTokenModel

function model(db: Db): Model {
  return {
    generateAccessToken: async () => newSecret(),
    generateRefreshToken: async () => newSecret(),
    async getClient(clientId, clientSecret) {
      const client = await authenticateClient(db, clientId, clientSecret ?? '')
      return client && { id: client.clientId, grants: ['password', 'refresh_token'], ...client }
    },
    async getUser(username, password) {
      return (await authenticateUser(db, username, password)) && { username }
    },
    async saveToken(token, client, user) {
      const owner = { clientId: client.id, username: user.username }
      await db.begin(async (tx) => {
        await saveToken(tx, 'access', token.accessToken, owner, token.accessTokenExpiresAt as Date)
        if (token.refreshToken !== undefined)
          await saveToken(tx, 'refresh', token.refreshToken, owner, token.refreshTokenExpiresAt as Date)
      })
      return { ...token, client, user }
    },
    async getRefreshToken(refreshToken) {
      const found = await findToken(db, 'refresh', refreshToken)
      return (
        found && {
          refreshToken,
          refreshTokenExpiresAt: found.expiresAt,
          client: { id: found.clientId, grants: ['refresh_token'] },
          user: { username: found.username },
        }
      )
    },
    getAccessToken: async () => undefined, // data endpoints check tokens themselves: src/http/bearer.ts
    revokeToken: async () => true,
    verifyScope: async () => true,
  }
}
