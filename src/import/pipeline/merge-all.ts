/** Checks and merges the staged rows of all entities in load order, then removes rows as `--replace` asks. */
import { analyze } from '../../db/analyze.js'
import type { Engine } from '../../db/connect.js'
import { identifier, sql } from '../../db/sql.js'
import { type Counts, type Transaction, writeMovements } from '../../ledger/write.js'
import { isRefusedRow } from '../../sqlstate.js'
import { type KeptBy, type Loading, stagedRows } from '../checks.js'
import { type Entity, storedName } from '../entity.js'
import type { Part } from '../source.js'
import { noteChanges } from './changes.js'
import { checkStaged } from './check.js'
import { insertChecked } from './insert-checked.js'
import { isKept, stageRejected, stageRejectedDocuments } from './kept-rows.js'
import { findDangling } from './loose-references.js'
import { mergeStaged, mergeStatements } from './merge.js'
import type { Problems } from './problems.js'
import type { Rejects } from './rejects.js'
import { removeOthers } from './remove-others.js'
import type { Staged } from './stage.js'

/** The extent of a load, which the merge completes. */
export interface Merging extends Loading {
  readonly loaded: Set<string>
  readonly replaced: Set<string>
  readonly checked: Set<string>
  readonly kept: Map<string, readonly KeptBy[]>
}

/** Resolves to the changes per entity, incomplete if it has added a problem; waits for each part to be staged. */
export async function mergeAll(
  tx: Transaction,
  engine: Engine,
  parts: readonly Part[],
  staged: (part: Part) => Promise<Staged>,
  loading: Merging,
  problems: Problems,
  rejects: Rejects | undefined,
  onProgress: (entity: string, done: number) => void,
): Promise<Record<string, Counts>> {
  const counts: Record<string, Counts> = {}
  /** Tables that lack rows because of a problem: references to them are not checked. */
  const broken = new Set<string>()
  for (const [i, part] of parts.entries()) {
    const { entity } = part
    const own = await staged(part)
    const merge = { tx, engine, part, staged: own, loading, broken, problems }
    onProgress(entity.name, i / parts.length)
    if (rejects?.has(part)) {
      const kept = await stageRejected(tx, part, rejects)
      loading.kept.set(entity.name, kept)
      // Any stored row may be an earlier version of a row without a readable key. If all rows are wrong, the source is.
      if (kept.some(({ columns }) => columns.length === 0) || own.rows + own.skipped === 0)
        loading.replaced.delete(entity.name)
    }
    if (own.rows === 0 && own.skipped > 0 && !loading.replaced.has(entity.name)) {
      loading.loaded.delete(entity.name)
      counts[entity.name] = { new: 0, changed: 0, same: own.skipped, removed: 0 }
      continue
    }
    await noteChanges(tx, entity, loading)
    const count = await (entity.ledger ? mergeLedger : mergeRows)(merge)
    if (count === undefined) broken.add(entity.table)
    else counts[entity.name] = { ...count, same: count.same + own.skipped }
  }
  if (broken.size > 0) return counts
  if (rejects) await stageRejectedDocuments(tx, parts, rejects, loading.kept)
  // Lines before their documents. The ledger has removed its movements already.
  for (const part of parts.toReversed())
    if (loading.replaced.has(part.entity.name) && !part.entity.ledger)
      (counts[part.entity.name] as Counts).removed = await removeOthers(
        tx,
        part,
        problems,
        keptIn(part.entity, loading),
      )
  const removed = new Set(Object.keys(counts).filter((name) => (counts[name]?.removed ?? 0) > 0))
  await findDangling(tx, parts, removed, problems)
  return counts
}

const keptIn = (entity: Entity, { kept }: Loading) => isKept(entity, kept?.get(entity.name) ?? [])

interface Merge {
  readonly tx: Transaction
  readonly engine: Engine
  readonly part: Part
  readonly staged: Staged
  readonly loading: Loading & { readonly checked: Set<string> }
  readonly broken: ReadonlySet<string>
  readonly problems: Problems
}

/** Resolves to undefined after it has added a problem, like `mergeLedger`. */
async function mergeRows(merge: Merge): Promise<Counts | undefined> {
  const { tx, engine, part, staged, broken } = merge
  const { entity } = part
  const checked = broken.size === 0 && (await insertChecked(tx, engine, entity, staged))
  if (!checked && !(await check(merge))) return undefined
  const count = checked
    ? { new: staged.rows, changed: 0, same: 0, removed: 0 }
    : await tx
        .savepoint((inner) => mergeStaged(inner, engine, entity, staged.rows))
        .catch((error) => refused(merge, error))
  if (count !== undefined && count.new + count.changed > 0) await analyze(tx, entity.table, plannedBy(entity))
  return count
}

async function mergeLedger(merge: Merge): Promise<Counts | undefined> {
  const { tx, engine, part, staged, loading, broken } = merge
  const { entity } = part
  const { isOther, ...statements } = mergeStatements(entity, {
    inFileOrder: false,
    isKept: keptIn(entity, loading),
  })
  const isFinal = broken.size === 0 && loading.replaced.size === 0
  const written = await writeMovements(tx, engine, {
    ...statements,
    table: stagedRows(entity.name),
    rows: staged.rows,
    first: loading.first,
    insertChecked: async () => isFinal && (await insertChecked(tx, engine, entity, staged)),
    removeOthers: loading.replaced.has(entity.name)
      ? sql`delete from ${identifier(entity.table)} t where ${isOther}`
      : undefined,
    planned: plannedBy(entity),
    check: () => check(merge),
    refused: (error) => refused(merge, error),
  })
  if (written?.checked) loading.checked.add(entity.name)
  return written?.counts
}

/** Whether the staged rows pass every check, and the tables that they refer to are complete. */
async function check({ tx, part: { entity, name }, staged, broken, problems }: Merge): Promise<boolean> {
  const before = problems.count
  await checkStaged(tx, entity, name, staged, broken, problems)
  const needed = [
    ...(entity.references ?? []).map((reference) => reference.table),
    ...Object.values(entity.columns).flatMap((column) => column.lookup?.table ?? []),
  ]
  return problems.count === before && !needed.some((table) => broken.has(table))
}

/** Constraints refuse rows that no check has found, such as rows with equal keys. */
function refused({ part, problems }: Merge, error: unknown): undefined {
  if (!isRefusedRow(error)) throw error
  const { detail, message } = error as { detail?: string; message: string }
  problems.add({ file: part.name, line: 1, column: '', value: null, message: detail ?? message, noRow: true })
}

/** Columns that statements look up, join or group by. Amounts are only added up, and need no statistics. */
export const plannedBy = (entity: Entity) =>
  Object.entries(entity.columns).flatMap(([name, column]) =>
    column.sqlType === 'numeric' ? [] : storedName(name, column),
  )
