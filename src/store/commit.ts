/** Steps the version of the data, which makes every answer stale that was read from a table written in the transaction. */
import type { Engine, Queryable } from '../db/connect.js'

/** Figures of the load that makes the version, for metrics. */
export interface LastLoad {
  readonly rows: number
  readonly seconds: number
  readonly warnings: number
}

/**
 * Call this last in a transaction that writes business data. `changed` is the result of `Work.store`; null means every table.
 * Resolves to the number of the new version.
 */
export async function commitVersion(
  tx: Queryable,
  engine: Engine,
  changed: readonly string[] | null,
  lastLoad?: LastLoad,
): Promise<number> {
  const [after] = await tx<{ version: number }[]>`
    update data_version set version = version + 1, committed_at = now(), changed = ${changed},
           last_load = coalesce(${lastLoad === undefined ? null : JSON.stringify(lastLoad)}::text::jsonb, last_load)
    returning version::int as version`
  await engine.guardCommit(tx)
  return after?.version ?? 0
}
