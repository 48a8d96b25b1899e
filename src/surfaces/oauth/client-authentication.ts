/** Client authentication at the OAuth 2 endpoints (RFC 6749 §2.3): by a secret, or by name for a public client. */
import OAuth2Server from '@node-oauth/oauth2-server'
import { audit } from '../../access/audit.js'
import { builtIn, CONSOLE } from '../../access/clients.js'
import { findPublicClient, type Guard, type SigningClient } from '../../access/sign-in.js'
import type { Db } from '../../db/connect.js'

export interface OAuthRequest {
  body: Readonly<Record<string, unknown>>
  authorization: string | undefined
  /** The caller's address. */
  address: string
  /** The identifier of this service. */
  issuer: string
}

export async function auditRefusal(
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

/** Records the name of the client only if it exists. */
export async function auditRefusedClient(db: Db, clientId: string, address: string, grant: string): Promise<void> {
  const [there] = await db<{ name: string }[]>`select name from api_client where client_id = ${clientId}`
  await auditRefusal(db, there?.name, undefined, address, { grant })
}

/** Client authentication as at the token endpoint (RFC 7009 §2.1). */
export async function authenticateClient(db: Db, guard: Guard, request: OAuthRequest): Promise<SigningClient> {
  if (isWithoutSecret(request)) return await publicClient(db, request.body['client_id'] as string)
  const { clientId, clientSecret } = credentials(request)
  const client = await guard.client(clientId, clientSecret, request.address)
  if (client !== undefined) return client
  await auditRefusedClient(db, clientId, request.address, 'revoke')
  throw new OAuth2Server.InvalidClientError('Invalid client: client is invalid')
}

/** Whether the client sends its id without a secret, as a public client does (RFC 6749 §3.2.1). */
export const isWithoutSecret = ({ body, authorization }: OAuthRequest): boolean =>
  authorization === undefined && body['client_secret'] === undefined && typeof body['client_id'] === 'string'

export async function publicClient(db: Db, clientId: string): Promise<SigningClient> {
  if (builtIn(clientId) !== undefined)
    throw new OAuth2Server.InvalidClientError(
      `The client ${clientId} gets no tokens here${clientId === CONSOLE ? ': its sessions begin at /session/begin' : ''}. Create a public client with millbook client create NAME --public --redirect URI.`,
    )
  const client = await findPublicClient(db, clientId)
  if (client === undefined)
    throw new OAuth2Server.InvalidClientError('Invalid client: cannot retrieve client credentials')
  return client
}

function credentials({ body, authorization }: OAuthRequest): { clientId: string; clientSecret: string } {
  const basic = basicOf(authorization)
  const [, clientId, clientSecret] =
    basic === undefined ? ['', body['client_id'], body['client_secret']] : (/^([^:]*):(.*)$/s.exec(basic) ?? [])
  if (typeof clientId !== 'string' || typeof clientSecret !== 'string')
    throw new OAuth2Server.InvalidClientError('Invalid client: cannot retrieve client credentials')
  return { clientId, clientSecret }
}

/** The decoded credentials of HTTP Basic. */
export function basicOf(authorization: string | undefined): string | undefined {
  const encoded = /^basic +([a-z\d+/=_-]+) *$/i.exec(authorization ?? '')?.[1]
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString()
}
