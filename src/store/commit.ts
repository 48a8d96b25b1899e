/** Steps the version of the data, which makes every answer stale that was read from a table written in the transaction. */
import type { Engine, Queryable } from '../db/connect.js'

/** Figures of the load that makes the version, for metrics. */
export interface LastLoad {
  readonly rows: number
  readonly seconds: number
  readonly warnings: number
}

/** Call this first in a transaction that writes many rows of business data: each row then has the version without a query. */
export const beginVersion = async (tx: Queryable): Promise<void> =>
  void (await tx`select set_config('millbook.version', version_to_come()::text, true)`)

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
