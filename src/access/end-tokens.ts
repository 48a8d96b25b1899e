/** Ends tokens; a trigger on the table notifies every process within a second. */
import type { Tx } from '../db/connect.js'
import { type Sql, sql } from '../db/sql.js'

/**
 * Returns how many of the tokens were still valid. Call this before changing the client or the user: every transaction must lock
 * tokens before `access_version`, or two transactions could deadlock.
 */
export async function endTokens(tx: Tx, which: Sql): Promise<number> {
  const [row] = await tx<{ valid: number }[]>`
    with ended as (delete from api_token where ${which} returning expires_at)
    select count(*) filter (where expires_at > now())::int as valid from ended`
  return row?.valid ?? 0
}

/** Ends all tokens of a client, and the codes that it has not exchanged yet. */
export async function endTokensOfClient(tx: Tx, clientId: string): Promise<number> {
  const ended = await endTokens(tx, sql`client_id = ${clientId}`)
  await tx`delete from authorization_code where client_id = ${clientId}`
  return ended
}

/** The numbers of a user's valid tokens and of app passwords that ended, as in the JSON of commands and in the audit trail. */
export interface Ended {
  readonly tokens_ended: number
  readonly app_passwords_ended: number
}

export const NONE_ENDED: Ended = { tokens_ended: 0, app_passwords_ended: 0 }

/** Ends all tokens of a user, at every client, the links that would sign the user in, and the app passwords. */
export async function endTokensOfUser(tx: Tx, username: string): Promise<Ended> {
  // Locked before `access_version`, as in the transaction that ends one of them.
  await tx`select from app_password where username = ${username} for update`
  const ended = await endTokens(tx, sql`username = ${username}`)
  await tx`delete from authorization_code where username = ${username}`
  await tx`delete from sign_in_link where username = ${username}`
  const { count } = await tx`delete from app_password where username = ${username}`
  return { tokens_ended: ended, app_passwords_ended: count }
}
