/** Finds disagreements between documents and the ledger, as entities declare them: in the documents of a load, or in all. */
import { analyzeRoughly } from '../../db/analyze.js'
import type { Queryable } from '../../db/connect.js'
import { query } from '../../db/query.js'
import { join, raw, type Sql, sql } from '../../db/sql.js'
import { touchedMonths } from '../../ledger/write.js'
import type { Agreement, Loading, WarningCheck } from '../checks.js'
import { entities } from '../entities.js'

const agreements = entities.flatMap((entity) => entity.agreements ?? [])
const ledgers = new Set(entities.filter(({ ledger }) => ledger).map(({ name }) => name))

/** Selects every difference, as one text each. */
const allOf = ({ scope, differing }: Agreement): Sql => differing(sql`(${scope.all})`)

/** For `verify`: each check, with a statement that selects every difference as one text. */
export const allDisagreements: readonly { readonly check: string; readonly wrong: Sql }[] = agreements.map((one) => ({
  check: one.check,
  wrong: allOf(one),
}))

/** To be called after the merge. Resolves to a statement per check that the load needs; it selects differences in touched rows. */
export async function touchedDisagreements(
  tx: Queryable,
  { loaded, replaced, first, empty }: Loading,
): Promise<WarningCheck[]> {
  const statements: WarningCheck[] = []
  const since = first ? undefined : sql`(select min(month) from ${touchedMonths})`
  for (const agreement of agreements) {
    const { check, scope, differing, ofLedger } = agreement
    const touching = Object.keys(scope.touched).filter((entity) => loaded.has(entity))
    if (touching.length === 0) continue
    // --replace may have removed rows of any document.
    if (empty || touching.some((entity) => replaced.has(entity))) {
      statements.push({ check, wrong: allOf(agreement) })
      continue
    }
    const isFirstLedger = first && touching.every((entity) => ledgers.has(entity))
    if (isFirstLedger && ofLedger !== undefined) {
      statements.push({ check, wrong: ofLedger })
      continue
    }
    // A table tells the planner how many documents there are: it looks up a few, and joins many.
    const table = raw(`millbook_staging.${scope.name}`)
    const touched = join(
      touching.map((entity) => scope.touched[entity] as Sql),
      ' union all ',
    )
    const named = isFirstLedger ? scope.named : undefined
    const each = named ?? scope.each?.(touched) ?? sql`select distinct * from (${touched}) x`
    await query(tx, sql`create unlogged table ${table} as ${each}`)
    await tx.unsafe(analyzeRoughly(table.text))
    statements.push({ check, wrong: differing(table, since) })
  }
  return statements
}
