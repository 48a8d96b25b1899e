/** Clients and users in the database. */
import type { Queryable } from '../db/connect.js'
import { MillbookError } from '../errors.js'
import { hashSecret, newSecret } from './secrets.js'

export interface Client {
  clientId: string
  name: string
  /** The groups of reports it may use; null for all. */
  groups: string[] | null
  hideContacts: boolean
}

/** Who a request comes from. */
export interface Caller extends Client {
  /** Units a minute; null for what the service gives by default. */
  rate: number | null
  /** Null for a machine that calls in nobody's name. */
  username: string | null
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
