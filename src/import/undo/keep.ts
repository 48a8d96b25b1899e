/** Keeps what a load replaces and adds, so that it can be taken back until the next load (docs/decisions/0039). */
import type { Queryable } from '../../db/connect.js'
import { query } from '../../db/query.js'
import { literal, raw, sql } from '../../db/sql.js'
import type { Entity } from '../entity.js'
import { mergeStatements } from '../pipeline/merge.js'

/** A load that replaces and adds more rows than this cannot be taken back. */
export const MOST_KEPT = 1_000_000

/** To be called before anything is merged. `version` is the one that the load will make. */
export const beginKeeping = (tx: Queryable, version: number) =>
  tx`select set_config('millbook.undo_version', ${String(version)}, true)`

/** Notes the keys of staged rows that are not stored; a trigger notes changed and removed rows. */
export async function keepAdded(tx: Queryable, entity: Entity, version: number): Promise<void> {
  const { added } = mergeStatements(entity, { inFileOrder: false })
  await query(
    tx,
    sql`insert into undo_row (version, table_name, added, content)
        select ${raw(String(version))}, ${literal(entity.table)}, true, n.key from (${added}) n`,
  )
}

/** To be called with the version of every load that changed data: an earlier load can no longer be taken back. */
export async function endKeeping(tx: Queryable, version: number, name: string | undefined): Promise<void> {
  await tx`select set_config('millbook.undo_version', '', true)`
  await tx`delete from undo_load`
  await tx`delete from undo_row where version < ${version}`
  if (name === undefined) return
  const [kept] = await tx<{ rows: number }[]>`select count(*)::float8 as rows from undo_row`
  if ((kept?.rows ?? 0) > MOST_KEPT) await tx`delete from undo_row`
  else await tx`insert into undo_load (version, name) values (${version}, ${name})`
}

/** Whether this database can keep prior rows: distributed tables have no triggers. */
export async function keepsPriorRows(db: Queryable): Promise<boolean> {
  const [row] = await db<{ kept: boolean }[]>`
    select exists (select from pg_trigger where tgrelid = 'item'::regclass and tgname = 'keep_prior_row') as kept`
  return row?.kept ?? false
}
