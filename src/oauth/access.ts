/** Clients, users and tokens in the database. */
import type { Queryable } from '../db/connect.js'
import { MillbookError } from '../errors.js'
import { checkSecret, hashSecret, hashToken, newSecret } from './secrets.js'

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

export interface NewClient extends Client {
  /** Known only now. */
  clientSecret: string
}

/** A name that can be typed and shown: no control characters, no space at its ends. */
const NAME = /^(?! )[^\p{Cc}]{1,100}(?<! )$/u

export async function createClient(
  db: Queryable,
  { name, groups, hideContacts }: Omit<Client, 'clientId'>,
): Promise<NewClient> {
  if (!NAME.test(name)) throw new MillbookError('the name of a client is 1 to 100 printable characters')
  const clientId = newSecret().slice(0, 22)
  const clientSecret = newSecret()
  const made = await db`
    insert into api_client (client_id, name, secret_hash, groups, hide_contacts)
    values (${clientId}, ${name}, ${await hashSecret(clientSecret)},
            string_to_array(${groups === null ? null : groups.join(',')}, ','), ${hideContacts})
    on conflict (name) do nothing returning 1`
  if (made.length === 0) throw new MillbookError(`there is a client named ${name} already`)
  return { clientId, clientSecret, name, groups, hideContacts }
}

export async function createUser(db: Queryable, username: string, password: string): Promise<void> {
  if (!NAME.test(username)) throw new MillbookError('the name of a user is 1 to 100 printable characters')
  if (password.length < 8) throw new MillbookError('a password has at least 8 characters')
  const made = await db`
    insert into api_user (username, password_hash) values (${username}, ${await hashSecret(password)})
    on conflict do nothing returning 1`
  if (made.length === 0) throw new MillbookError(`there is a user named ${username} already`)
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
