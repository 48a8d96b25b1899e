/** Whether a client, a user or a token is what it claims to be. */
import type { Queryable } from '../db/connect.js'
import { checkSecret, hashToken } from './secrets.js'

export interface Client {
  clientId: string
  name: string
  /** The groups of reports it may use; null for all. */
  groups: string[] | null
  hideContacts: boolean
}

/** Who a request comes from. */
export interface Caller extends Client {
  username: string
}

/** The client with this id, if the secret is right and it is not disabled. */
export async function authenticateClient(db: Queryable, clientId: string, secret: string): Promise<Client | undefined> {
  const [row] = await db<(Client & { hash: string })[]>`
    select client_id as "clientId", name, to_json(groups) as groups, hide_contacts as "hideContacts", secret_hash as hash
      from api_client where client_id = ${clientId} and disabled_at is null`
  const ok = await checkSecret(row?.hash, secret)
  if (row === undefined || !ok) return undefined
  const { hash: _, ...client } = row
  return client
}

export async function authenticateUser(db: Queryable, username: string, password: string): Promise<boolean> {
  const [row] = await db`
    select password_hash as hash from api_user where username = ${username} and disabled_at is null`
  return await checkSecret(row?.hash, password)
}

type TokenKind = 'access' | 'refresh'

export async function saveToken(
  db: Queryable,
  kind: TokenKind,
  token: string,
  owner: { clientId: string; username: string },
  expiresAt: Date,
): Promise<void> {
  await db`
    insert into api_token (token_hash, kind, client_id, username, expires_at)
    values (${hashToken(token)}, ${kind}, ${owner.clientId}, ${owner.username}, ${expiresAt})`
}

/** Whose token this is, if it is valid now. */
export async function findToken(
  db: Queryable,
  kind: TokenKind,
  token: string,
): Promise<(Caller & { expiresAt: Date }) | undefined> {
  const [row] = await db<(Caller & { expiresAt: Date })[]>`
    select c.client_id as "clientId", c.name, to_json(c.groups) as groups, c.hide_contacts as "hideContacts",
           u.username, t.expires_at as "expiresAt"
      from api_token t
      join api_client c on c.client_id = t.client_id and c.disabled_at is null
      join api_user u on u.username = t.username and u.disabled_at is null
     where t.token_hash = ${hashToken(token)} and t.kind = ${kind} and t.expires_at > now()`
  return row
}
