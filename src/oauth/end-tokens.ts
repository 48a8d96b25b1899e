/** Ends tokens. Every process learns of it within a second, by a trigger on the table. */
import type { Fragment } from 'postgres'
import type { Tx } from '../db/connect.js'

/** Returns how many of them were still valid. */
export async function endTokens(tx: Tx, which: Fragment): Promise<number> {
  const [row] = await tx`
    with ended as (delete from api_token where ${which} returning expires_at)
    select count(*) filter (where expires_at > now())::int as valid from ended`
  return row?.valid
}
