/** Tokens in the database, and the callers that they stand for. */
import type { Queryable, Tx } from '../db/connect.js'
import { Problem } from '../errors.js'
import { commonGroups } from '../groups.js'
import { endFamily } from './codes.js'
import type { ReadLimits } from './readable.js'
import type { Resource } from './resources.js'
import { hashToken } from './secrets.js'
import type { Role } from './users.js'

/** The sender of a request: a client, maybe for a user. */
export interface Caller {
  clientId: string
  /** Name of the client. */
  name: string
  /** Groups of reports that client, user and token all allow; null for all. */
  groups: string[] | null
  /** Whether the client or the user may not see contacts. */
  hideContacts: boolean
  /** Units a minute; null for the service's default. */
  rate: number | null
  /** Null if the client acts for no user. */
  username: string | null
  /** The user's role; null without a user. */
  role: Role | null
  /** The limits of an app password; absent with a token, which may do more than read. */
  readLimits?: ReadLimits
  /** The resource that its token opens; absent with an app password, which opens the API. */
  resource?: Resource
}

/** Names the caller for its rate and its limit on concurrent requests: a client, or the app passwords of one user. */
export const countedAs = ({ clientId, username, readLimits }: Caller): string =>
  readLimits === undefined ? clientId : `${clientId} ${username}`

export const ACCESS_TOKEN_SECONDS = 86_400

export type TokenKind = 'access' | 'refresh'

export interface NewToken {
  kind: TokenKind
  token: string
  clientId: string
  /** Null if the client acts for no user. */
  username: string | null
  /** The groups in `scope`; null for all groups that the client and the user may use. */
  groups: readonly string[] | null
  expiresAt: Date
  /** The refresh token that was issued with this token or used to get it; revoking the refresh token revokes this token. */
  refreshToken?: string | undefined
  /** The hash of the authorization code that the token came from, directly or by refreshing. */
  codeHash?: Buffer | null
  /** What the token opens: the API by default. */
  resource?: Resource
  /** The address that the token is issued to. */
  address: string
}

export async function saveToken(tx: Queryable, token: NewToken): Promise<void> {
  const { kind, clientId, username, groups, expiresAt, refreshToken, codeHash = null, address, resource = null } = token
  await tx`
    insert into api_token (token_hash, kind, client_id, username, groups, expires_at, refresh_hash, code_hash, address, resource)
    values (${hashToken(token.token)}, ${kind}, ${clientId}, ${username}, ${groups}, ${expiresAt},
            ${refreshToken === undefined ? null : hashToken(refreshToken)}, ${codeHash}, ${address}, ${resource})`
}

export interface FoundToken {
  caller: Caller
  /** The groups in `scope`; null for all groups that the client and the user may use. */
  groups: string[] | null
  expiresAt: Date
  codeHash: Buffer | null
}

/** Finds a token that has not expired and whose client and user are not disabled. */
export async function findToken(db: Queryable, kind: TokenKind, token: string): Promise<FoundToken | undefined> {
  const [row] = await db<
    (Caller & Omit<FoundToken, 'caller' | 'groups'> & Record<'ofUser' | 'requested', string[] | null>)[]
  >`
    select c.client_id as "clientId", c.name, to_json(c.groups) as groups, to_json(u.groups) as "ofUser",
           c.hide_contacts or coalesce(u.hide_contacts, false) as "hideContacts", c.rate, t.username, u.role,
           t.resource, to_json(t.groups) as requested, t.expires_at as "expiresAt", t.code_hash as "codeHash"
      from api_token t
      join api_client c on c.client_id = t.client_id and c.disabled_at is null
      left join api_user u on u.username = t.username
     where t.token_hash = ${hashToken(token)} and t.kind = ${kind} and t.expires_at > now()
       and u.disabled_at is null`
  if (row === undefined) return undefined
  const { requested, ofUser, expiresAt, codeHash, ...caller } = row
  const groups = commonGroups(caller.groups, ofUser, requested)
  return { caller: { ...caller, groups }, groups: requested, expiresAt, codeHash }
}

export const invalidToken = (): Problem =>
  new Problem('unauthorized', {
    detail: 'The access token is malformed, unknown, expired or revoked; get a new one from POST /oauth2/token.',
    headers: { 'www-authenticate': 'Bearer realm="millbook", error="invalid_token"' },
  })

/**
 * Whether the client and the user are still enabled and their secrets unchanged; a public client has no secret. Call this after
 * writing their tokens or code, in the same transaction: a concurrent change then either waits and ends the new tokens too, or
 * is visible here.
 */
export async function stillValid(
  tx: Queryable,
  client: { clientId: string; proof?: string | null | undefined },
  user: { username: string | null; proof?: string | undefined },
  grant: string,
): Promise<boolean> {
  const found = await tx`
    select from api_client c left join api_user u on u.username = ${user.username}
     where c.client_id = ${client.clientId} and c.disabled_at is null and ${grant} = any (c.grants)
       and (${client.proof === undefined} or c.secret_hash is not distinct from ${client.proof ?? null}
            or c.old_secret_hash = ${client.proof ?? null})
       and (${user.username}::text is null or (u.username is not null and u.disabled_at is null
            and u.password_hash = coalesce(${user.proof ?? null}, u.password_hash)))`
  return found.length === 1
}

interface OwnedToken {
  clientId: string
  kind: TokenKind
  username: string | null
}

/**
 * Revokes a token of this client, and with a refresh token all access tokens that came from the same grant (RFC 7009 §2.1).
 * Returns the token's owner; a token of another client stays valid.
 */
export async function revokeToken(tx: Tx, token: string, clientId: string): Promise<OwnedToken | undefined> {
  const hash = hashToken(token)
  const [row] = await tx<(OwnedToken & { codeHash: Buffer | null })[]>`
    select client_id as "clientId", kind, username, code_hash as "codeHash" from api_token where token_hash = ${hash}`
  if (row === undefined) return undefined
  const { codeHash, ...owned } = row
  if (owned.clientId !== clientId) return owned
  await endWithDescendants(tx, hash, owned.kind, codeHash)
  return owned
}

/** Ends a token; with a refresh token, all tokens that came from the same grant. */
export async function endWithDescendants(
  tx: Tx,
  hash: Buffer,
  kind: TokenKind,
  codeHash: Buffer | null,
): Promise<void> {
  if (kind === 'refresh' && codeHash !== null) await endFamily(tx, codeHash)
  else await tx`delete from api_token where token_hash = ${hash}` // the foreign key deletes the tokens that came from it
}
