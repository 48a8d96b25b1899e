/**
 * Deletes expired tokens, codes and links, sign-in attempts and units of a rate that no longer count, audit entries about tokens older
 * than 400 days, and of the log of loads the entries that are older than 400 days and not among the newest 1,000.
 */
import type { Db } from '../db/connect.js'
import { FORGOTTEN_AFTER, KNOWN_FOR } from './sign-in.js'

/** Advisory lock: an arbitrary number that no other program uses on the same database. */
const LOCK = 7_461_203_120

export async function sweep(db: Db): Promise<void> {
  await db.begin(async (tx) => {
    const [lock] = await tx`select pg_try_advisory_xact_lock(${LOCK}) as taken`
    if (!lock?.['taken']) return // another process is cleaning up
    // Deleting a refresh token deletes its access tokens, so it stays until these have expired too.
    await tx`
      delete from api_token where expires_at < now() - case kind when 'refresh' then interval '1 day' else '0' end`
    await tx`
      delete from authorization_code c where expires_at < now() - interval '1 hour'
         and not exists (select from api_token t where t.code_hash = c.code_hash)`
    await tx`delete from sign_in_link where expires_at < now()`
    await tx`delete from rate_use where minute < now() - interval '1 day'`
    await tx`
      delete from sign_in where greatest(failed_at, succeeded_at) < now() - ${KNOWN_FOR}::text::interval
         or (succeeded_at is null and failed_at < now() - ${FORGOTTEN_AFTER}::text::interval)`
    const [may] = await tx`select has_table_privilege('load_log', 'delete') as forget` // not until the owner runs millbook migrate
    if (may?.['forget'])
      await tx`
      delete from load_log where committed_at < now() - interval '400 days'
         and version < (select min(version) from (select version from load_log order by version desc limit 1000) newest)`
    await tx`delete from audit_entry where act like 'token.%' and at < now() - interval '400 days'`
  })
}
