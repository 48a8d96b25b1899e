/** Tokens in the database, and those in use in the memory of this process. */
import type { Db, Queryable } from '../db/connect.js'
import { groups as allGroups } from '../groups.js'
import { hashToken } from './secrets.js'

/** Who a request comes from. */
export interface Caller {
  clientId: string
  /** The client's. */
  name: string
  /** The groups of reports that the token is good for; null for all. */
  groups: string[] | null
  hideContacts: boolean
  /** Units a minute; null for what the service gives by default. */
  rate: number | null
  /** Null for a machine that calls in nobody's name. */
  username: string | null
}

export const ACCESS_TOKEN_SECONDS = 86_400

export type TokenKind = 'access' | 'refresh'

export interface NewToken {
  kind: TokenKind
  token: string
  clientId: string
  /** Null for a machine's token, which is in nobody's name. */
  username: string | null
  /** What was asked for; null for whatever its client may use. */
  groups: readonly string[] | null
  expiresAt: Date
  /** The refresh token that it came with or from: it is revoked with it. */
  refreshToken?: string | undefined
}

export async function saveToken(tx: Queryable, token: NewToken): Promise<void> {
  const { kind, clientId, username, groups, expiresAt, refreshToken } = token
  await tx`
    insert into api_token (token_hash, kind, client_id, username, groups, expires_at, refresh_hash)
    values (${hashToken(token.token)}, ${kind}, ${clientId}, ${username},
            string_to_array(${groups === null ? null : groups.join(',')}, ','), ${expiresAt},
            ${refreshToken === undefined ? null : hashToken(refreshToken)})`
}

export interface FoundToken {
  caller: Caller
  /** What was asked for; null for whatever its client may use. */
  groups: string[] | null
  expiresAt: Date
}

/** Whose token this is, if it is valid now: not expired, and its client and user not disabled. */
export async function findToken(db: Queryable, kind: TokenKind, token: string): Promise<FoundToken | undefined> {
  const [row] = await db<(Caller & { asked: string[] | null; expiresAt: Date })[]>`
    select c.client_id as "clientId", c.name, to_json(c.groups) as groups, c.hide_contacts as "hideContacts", c.rate,
           t.username, to_json(t.groups) as asked, t.expires_at as "expiresAt"
      from api_token t
      join api_client c on c.client_id = t.client_id and c.disabled_at is null
      left join api_user u on u.username = t.username
     where t.token_hash = ${hashToken(token)} and t.kind = ${kind} and t.expires_at > now()
       and u.disabled_at is null`
  if (row === undefined) return undefined
  const { asked, expiresAt, ...client } = row
  return { caller: { ...client, groups: allowed(client, asked) }, groups: asked, expiresAt }
}

/** The groups that a client may use among those asked for; null for all there are. */
export function allowed({ groups }: { groups: string[] | null }, asked: readonly string[] | null): string[] | null {
  if (asked === null) return groups
  return asked.filter((group) => (groups ?? (allGroups as readonly string[])).includes(group))
}

/**
 * Whether a client and a user are still as they proved to be. To be asked in the transaction of their tokens, after these
 * were written: by then whoever disables them or changes a secret waits for us, and ends our tokens too, or has ended all
 * there were and is seen here.
 */
export async function stillValid(
  tx: Queryable,
  client: { clientId: string; proof: string },
  user: { username: string | null; proof?: string | undefined },
  grant: string,
): Promise<boolean> {
  const found = await tx`
    select from api_client c left join api_user u on u.username = ${user.username}
     where c.client_id = ${client.clientId} and c.disabled_at is null and ${grant} = any (c.grants)
       and (c.secret_hash = ${client.proof} or c.old_secret_hash = ${client.proof})
       and (${user.username}::text is null or (u.username is not null and u.disabled_at is null
            and u.password_hash = coalesce(${user.proof ?? null}, u.password_hash)))`
  return found.length === 1
}

/**
 * Ends a token; with a refresh token go the access tokens that came from it (RFC 7009 §2.1), by the foreign key. Says
 * whose it was; nothing is ended where it is another client's.
 */
export async function revokeToken(
  tx: Queryable,
  token: string,
  clientId: string,
): Promise<{ clientId: string; kind: TokenKind; username: string | null } | undefined> {
  const hash = hashToken(token)
  const [found] = await tx<{ clientId: string; kind: TokenKind; username: string | null }[]>`
    select client_id as "clientId", kind, username from api_token where token_hash = ${hash}`
  if (found?.clientId === clientId) await tx`delete from api_token where token_hash = ${hash}`
  return found
}

const KEPT = 10_000

export interface TokenCache {
  /** Whose access token this is, if it is valid: immediately where that is known. `read` finds the token in what was given. */
  find(given: string, read: (given: string) => string): Caller | undefined | Promise<Caller | undefined>
  /** Call this when this process has ended a token: it is refused from then on. */
  forget(): void
}

/** Tells when anything about access changes: an ended token, a changed client or user. */
export interface AccessVersions {
  current(): { readonly access: string } | Promise<{ readonly access: string }>
  forget(): void
}

/**
 * Remembers the access tokens that were seen, until anything about access changes: triggers then raise `access_version` in the
 * same transaction, and every process follows that number.
 */
export function tokenCache(db: Db, versions: AccessVersions): TokenCache {
  const known = new Map<string, { caller: Caller; expiresAt: number }>()
  let version: string | undefined

  function findAt(access: string, given: string, read: (given: string) => string) {
    if (access !== version) known.clear()
    version = access
    return findNow(given, read)
  }

  function findNow(given: string, read: (given: string) => string): Caller | undefined | Promise<Caller | undefined> {
    const kept = known.get(given)
    if (kept === undefined) {
      const token = read(given)
      const usual = `Bearer ${token}` // the header can be spelled in several ways; one of them is remembered
      return given === usual ? ask(usual, token) : findNow(usual, read)
    }
    if (kept.expiresAt > Date.now()) return kept.caller
    known.delete(given)
    return undefined
  }

  async function ask(given: string, token: string): Promise<Caller | undefined> {
    const before = version
    const found = await findToken(db, 'access', token)
    // A token that was found before the latest change may have been ended by it.
    if (found !== undefined && version === before) {
      if (known.size >= KEPT) known.delete(known.keys().next().value as string)
      known.set(given, { caller: found.caller, expiresAt: found.expiresAt.getTime() })
    }
    return found?.caller
  }

  return {
    find(given, read) {
      const state = versions.current()
      return state instanceof Promise
        ? state.then(({ access }) => findAt(access, given, read))
        : findAt(state.access, given, read)
    },
    forget: () => versions.forget(),
  }
}
