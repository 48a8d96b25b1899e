/** Ends tokens. Every process learns of it within a second, by a trigger on the table. */
import type { Fragment } from 'postgres'
import type { Tx } from '../db/connect.js'

/**
 * Returns how many of them were still valid. To be called before a client or a user is changed: whoever ends a token has its
 * row first and then the number that tells of changes, and two who take these in turn would wait for each other.
 */
export async function endTokens(tx: Tx, which: Fragment): Promise<number> {
  const [row] = await tx`
    with ended as (delete from api_token where ${which} returning expires_at)
    select count(*) filter (where expires_at > now())::int as valid from ended`
  return row?.valid
}
