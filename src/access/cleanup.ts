/** Removes what has expired: tokens, attempts to sign in that no longer count, and old issues of tokens in the audit trail. */
import type { Db } from '../db/connect.js'
import { FORGOTTEN_AFTER, KNOWN_FOR } from './sign-in.js'

/** Any number that no other program takes as its lock on the same database. */
const LOCK = 7_461_203_120

export async function sweep(db: Db): Promise<void> {
  await db.begin(async (tx) => {
    const [alone] = await tx`select pg_try_advisory_xact_lock(${LOCK}) as alone`
    if (!alone?.['alone']) return // another process is at it
    // A refresh token takes along the access tokens that came from it: it stays until these have expired too.
    await tx`
      delete from api_token where expires_at < now() - case kind when 'refresh' then interval '1 day' else '0' end`
    await tx`
      delete from sign_in where greatest(failed_at, succeeded_at) < now() - ${KNOWN_FOR}::text::interval
         or (succeeded_at is null and failed_at < now() - ${FORGOTTEN_AFTER}::text::interval)`
    await tx`delete from audit_entry where act like 'token.%' and at < now() - interval '400 days'`
  })
}
