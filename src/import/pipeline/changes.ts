/** Notes which stored rows a load changes, so that the checks after the merge look at those alone. */
import type { Queryable } from '../../db/connect.js'
import { query } from '../../db/query.js'
import { raw, sql } from '../../db/sql.js'
import { analyzeRoughly } from '../../ledger/bulk.js'
import { changedRows, type Loading } from '../checks.js'
import { entities } from '../entities.js'

/** To be called before the merge. */
export async function noteChanges(tx: Queryable, loading: Loading): Promise<void> {
  for (const { name, changes } of entities) {
    if (changes === undefined || !loading.loaded.has(name)) continue
    const { changed, removed } = changes
    const gone = removed !== undefined && loading.replaced.has(name) ? sql` union all ${removed}` : raw('')
    await query(tx, sql`create unlogged table ${changedRows(name)} as ${changed(loading)}${gone}`)
    await tx.unsafe(analyzeRoughly(changedRows(name).text))
  }
}
