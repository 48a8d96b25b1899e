/** Authorization codes (RFC 6749 §4.1.2): each works once, and all tokens that came from a code end together. */
import type { Db, Queryable, Tx } from '../db/connect.js'
import { retryDeadlocks } from '../db/retry.js'
import { sql } from '../db/sql.js'
import { audit } from './audit.js'
import { endTokens } from './end-tokens.js'
import type { Resource } from './resources.js'
import { hashToken, newSecret } from './secrets.js'

const CODE_SECONDS = 60

export interface NewCode {
  clientId: string
  username: string
  redirectUri: string
  /** The S256 hash of the verifier (RFC 7636). */
  challenge: string
  /** The groups in `scope`; null for all groups that the client and the user may use. */
  groups: readonly string[] | null
  /** The resource that its tokens open. */
  resource: Resource
}

/** Returns the code; the database stores only its hash. */
export async function saveCode(
  tx: Queryable,
  { clientId, username, redirectUri, challenge, groups, resource }: NewCode,
): Promise<string> {
  const code = newSecret()
  await tx`
    insert into authorization_code (code_hash, client_id, username, redirect_uri, challenge, groups, resource, expires_at)
    values (${hashToken(code)}, ${clientId}, ${username}, ${redirectUri}, ${challenge}, ${groups}, ${resource},
            now() + make_interval(secs => ${CODE_SECONDS}))`
  return code
}

export interface FoundCode extends NewCode {
  codeHash: Buffer
  groups: string[] | null
  /** The groups that the user may use; null for all. */
  userGroups: string[] | null
}

/** Finds a code that has not expired and whose user is not disabled. A code that was used before is ended with its tokens. */
export async function findCode(db: Db, code: string, address: string): Promise<FoundCode | undefined> {
  const [row] = await db<(FoundCode & { used: boolean; valid: boolean })[]>`
    select a.code_hash as "codeHash", a.client_id as "clientId", a.username, a.redirect_uri as "redirectUri", a.challenge, a.resource,
           to_json(a.groups) as groups, to_json(u.groups) as "userGroups", a.used_at is not null as used,
           a.expires_at > now() and u.disabled_at is null as valid
      from authorization_code a join api_user u on u.username = a.username
     where a.code_hash = ${hashToken(code)}`
  if (row === undefined) return undefined
  const { used, valid, ...found } = row
  if (used) await endReused(db, found.codeHash, 'authorization code used twice', address)
  return used || !valid ? undefined : found
}

/** Marks a code as used; returns false, and ends its tokens, if another request did so first. */
export async function spendCode(db: Db, codeHash: Buffer, address: string): Promise<boolean> {
  const spent = await db`
    update authorization_code set used_at = now() where code_hash = ${codeHash} and used_at is null returning 1`
  if (spent.length === 0) await endReused(db, codeHash, 'authorization code used twice', address)
  return spent.length === 1
}

/** Replaces a refresh token (RFC 9700 §4.14.2); returns false if another request did so first. */
export async function spendRefreshToken(tx: Queryable, token: string, codeHash: Buffer): Promise<boolean> {
  const hash = hashToken(token)
  const spent = await tx`delete from api_token where token_hash = ${hash} returning 1`
  if (spent.length === 0) return false
  await tx`insert into spent_token (token_hash, code_hash) values (${hash}, ${codeHash})`
  return true
}

/** If this refresh token was replaced before, one of its two holders stole it: ends all tokens of the grant. */
export async function endIfSpent(db: Db, token: string, address: string): Promise<void> {
  const [spent] = await db<{ codeHash: Buffer }[]>`
    select code_hash as "codeHash" from spent_token where token_hash = ${hashToken(token)}`
  if (spent !== undefined) await endReused(db, spent.codeHash, 'refresh token used twice', address)
}

const endReused = (db: Db, codeHash: Buffer, reason: string, address: string): Promise<void> =>
  retryDeadlocks(() =>
    db.begin(async (tx) => {
      const [owner] = await tx<{ client: string; username: string }[]>`
        select c.name as client, a.username from authorization_code a join api_client c using (client_id)
         where a.code_hash = ${codeHash}`
      if (owner === undefined) return // another request has ended it
      const ended = await endFamily(tx, codeHash)
      const detail = { reason, tokens_ended: ended }
      await audit(tx, { act: 'token.revoke', actor: owner.client, ...owner, address, detail })
    }),
  )

/**
 * Ends all tokens that came from a code, and returns how many. Ends them before it deletes the code, as endTokens() requires; a
 * token that is being issued meanwhile is deleted with the row of the code, or cannot be written without that row.
 */
export async function endFamily(tx: Tx, codeHash: Buffer): Promise<number> {
  const ended = await endTokens(tx, sql`code_hash = ${codeHash}`)
  await tx`delete from authorization_code where code_hash = ${codeHash}`
  return ended
}
