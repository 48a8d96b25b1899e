/** Notes which stored rows a load changes, so that the checks after the merge look only at them. */
import { analyzeRoughly } from '../../db/analyze.js'
import type { Queryable } from '../../db/connect.js'
import { query } from '../../db/query.js'
import { raw, sql } from '../../db/sql.js'
import { changedRows, type Loading } from '../checks.js'
import type { Entity } from '../entity.js'

/** To be called before the entity's rows are merged, and after everything that they refer to was merged. */
export async function noteChanges(tx: Queryable, { name, changes }: Entity, { replaced }: Loading): Promise<void> {
  if (changes === undefined) return
  const { changed, removed } = changes
  const gone = removed !== undefined && replaced.has(name) ? sql` union all ${removed}` : raw('')
  await query(tx, sql`create unlogged table ${changedRows(name)} as ${changed}${gone}`)
  await tx.unsafe(analyzeRoughly(changedRows(name).text))
}
