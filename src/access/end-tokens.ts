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

/** Ends all tokens of a user, at every client, and the links that would sign the user in. */
export async function endTokensOfUser(tx: Tx, username: string): Promise<number> {
  const ended = await endTokens(tx, sql`username = ${username}`)
  await tx`delete from authorization_code where username = ${username}`
  await tx`delete from sign_in_link where username = ${username}`
  return ended
}
