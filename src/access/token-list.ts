/** The valid tokens as an operator sees them: each has an id that reveals nothing about the token itself. */
import type { Queryable, Tx } from '../db/connect.js'
import { MillbookError } from '../errors.js'
import { audit, type By } from './audit.js'
import { endWithDescendants, type TokenKind } from './tokens.js'

export interface ListedToken {
  id: string
  kind: TokenKind
  clientId: string
  /** Name of the client. */
  client: string
  /** Null if the client acts for no user. */
  username: string | null
  /** The groups in `scope`; null for all groups that the client and the user may use. */
  groups: string[] | null
  createdAt: Date
  expiresAt: Date
  /** The address that the token was issued to; null if it is not known. */
  address: string | null
  /** Whether this is the token that asks. */
  current: boolean
}

export interface TokenFilter {
  clientId?: string
  username?: string
  /** The hash of the token that asks. */
  asking: Buffer
  limit: number
}

/** The newest valid tokens, newest first, and whether there are older ones. */
export async function listTokens(
  db: Queryable,
  { clientId, username, asking, limit }: TokenFilter,
): Promise<{ tokens: ListedToken[]; more: boolean }> {
  const newest = await db<ListedToken[]>`
    select t.id::text as id, t.kind, t.client_id as "clientId", c.name as client, t.username, to_json(t.groups) as groups,
           t.created_at as "createdAt", t.expires_at as "expiresAt", t.address, t.token_hash = ${asking} as current
      from api_token t join api_client c on c.client_id = t.client_id
     where t.expires_at > now()
       and (${clientId ?? null}::text is null or t.client_id = ${clientId ?? null})
       and (${username ?? null}::text is null or t.username = ${username ?? null})
     order by t.created_at desc, t.id limit ${limit + 1}`
  return { tokens: newest.slice(0, limit), more: newest.length > limit }
}

/** Ends one token; with a refresh token, all tokens that came from the same grant. */
export async function endTokenById(tx: Tx, id: string, by: By = {}): Promise<void> {
  const [row] = await tx<
    { hash: Buffer; kind: TokenKind; codeHash: Buffer | null; client: string; username: string | null }[]
  >`
    select t.token_hash as hash, t.kind, t.code_hash as "codeHash", c.name as client, t.username
      from api_token t join api_client c on c.client_id = t.client_id
     where t.id::text = ${id} and t.expires_at > now()`
  if (row === undefined) throw new MillbookError('this session does not exist; it may have ended', { kind: 'unknown' })
  const { hash, kind, codeHash, client, username } = row
  await endWithDescendants(tx, hash, kind, codeHash)
  await audit(tx, { ...by, act: 'token.revoke', client, ...(username !== null && { username }), detail: { kind } })
}
