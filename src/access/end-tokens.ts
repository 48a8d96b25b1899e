/** Ends tokens; a trigger on the table notifies every process within a second. */
import type { Tx } from '../db/connect.js'
import type { Sql } from '../db/sql.js'

/**
 * Returns how many of them were still valid. Call this before changing the client or the user: every transaction must lock
 * tokens before `access_version`, or two of them could deadlock.
 */
export async function endTokens(tx: Tx, which: Sql): Promise<number> {
  const [row] = await tx<{ valid: number }[]>`
    with ended as (delete from api_token where ${which} returning expires_at)
    select count(*) filter (where expires_at > now())::int as valid from ended`
  return row?.valid ?? 0
}
