/** Loads files: all of them or nothing, in one transaction after everything has been looked at. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Db, Queryable } from '../db/connect.js'
import { raw } from '../db/sql.js'
import { MillbookError } from '../errors.js'
import { rebuildClosings, updateClosings } from '../ledger/closings.js'
import { nearest } from '../nearest.js'
import { announceCommit, NEWS_MS } from '../store/versions.js'
import { type Loading, noteChanges } from './changes.js'
import { findContradictions } from './contradictions.js'
import { withoutIndexes } from './embedded-bulk.js'
import { entities } from './entities/index.js'
import { type Entity, storedName } from './entity.js'
import { insertSound } from './insert-checked.js'
import { type Counts, checkStaged, mergeStaged, removeOthers } from './merge.js'
import { type ImportProblem, Problems, SHOWN } from './problems.js'
import { ledgerReferences } from './references.js'
import type { Part, Source } from './source.js'
import {
  analyzeRoughly,
  emptyStaging,
  prepareStaging,
  type Staged,
  type Stager,
  stagerFor,
  stagingTable,
} from './stage.js'
import { findWarnings, type Warnings } from './warnings.js'

export interface LoadOptions {
  /** Entities whose file is the whole truth: rows that it does not have are removed. */
  replace?: readonly string[]
  /** Everything but the commit. */
  dryRun?: boolean
  onProgress?: (progress: Progress) => void
}

export interface Progress {
  phase: 'reading' | 'merging'
  /** What is read, or the entity that is merged. */
  what: string
  /** How much of the phase is done, from 0 to 1. */
  done: number
  /** How many rows have been read. */
  rows: number
}

export interface LoadResult {
  /** Whether the rows are stored: not where there is an error, nor in a dry run. */
  committed: boolean
  dryRun: boolean
  /** The version of the data now. */
  dataVersion: number
  rows: number
  entities: Record<string, Counts>
  errors: { count: number; first: readonly ImportProblem[] }
  warnings: Warnings
}

const NOTHING: Warnings = { count: 0, first: [] }

/** The caller holds `lockLoads`. */
export async function load(database: Database, source: Source, options: LoadOptions = {}): Promise<LoadResult> {
  const replaced = new Set(options.replace ?? [])
  for (const name of replaced) {
    const names: string[] = entities.map((entity) => entity.name)
    if (!names.includes(name)) throw new MillbookError(`there is no entity ${name}${nearest(name, names)} to replace`)
    if (!source.parts.some(({ entity }) => entity.name === name))
      throw new MillbookError(`there is no file for ${name}, so it cannot be the whole truth for it`)
  }
  try {
    return await loadAll(database, source, replaced, options.dryRun ?? false, options.onProgress ?? (() => {}))
  } finally {
    await emptyStaging(database.db).catch(() => {}) // the next load removes it; what went wrong is told, not this
  }
}

class Undo extends Error {}

async function loadAll(
  { db, engine }: Database,
  source: Source,
  replaced: ReadonlySet<string>,
  dryRun: boolean,
  onProgress: (progress: Progress) => void,
): Promise<LoadResult> {
  const problems = new Problems()
  const [before] = await db`select version::int as version from data_version`
  const result: LoadResult = {
    ...{ committed: false, dryRun, dataVersion: before?.version ?? 0, rows: 0, entities: {} },
    ...{ errors: { count: 0, first: [] }, warnings: NOTHING },
  }
  const staged = await stageAll(db, source, problems, onProgress)
  result.rows = [...staged.values()].reduce((sum, { rows }) => sum + rows, 0)

  const loaded = new Set<string>(source.parts.map(({ entity }) => entity.name))
  const first = (await db`select from stock_movement limit 1`).length === 0
  const loading = { loaded, replaced, sound: new Set<string>(), first }
  if (problems.count === 0)
    await db
      .begin(async (tx) => {
        await tx`set local work_mem = '128MB'` // large sets are compared and sorted
        await noteChanges(tx, loading)
        result.entities = await mergeAll(tx, engine, source.parts, staged, loading, problems, onProgress, result.rows)
        if (problems.count === 0) await findContradictions(tx, source.parts, loading, problems)
        if (problems.count > 0) throw new Undo()
        result.warnings = await findWarnings(tx, loading)
        const moved = Object.values(result.entities).some((c) => c.new + c.changed + c.removed > 0)
        if (moved) {
          const [after] = await tx`
            update data_version set version = version + 1, committed_at = now() returning version::int as version`
          if (!dryRun) {
            result.dataVersion = after?.version
            await announceCommit({ db, engine })
          }
        }
        if (dryRun) throw new Undo()
        result.committed = true
      })
      .catch((error) => {
        if (!(error instanceof Undo)) throw error
      })
  if (result.committed) await sleep(NEWS_MS) // who is told of the load, and asks a service, finds it there
  result.errors = { count: problems.count, first: problems.first }
  return result
}

async function stageAll(db: Db, source: Source, problems: Problems, onProgress: (progress: Progress) => void) {
  await prepareStaging(
    db,
    source.parts.map(({ entity }) => entity),
  )
  const stagers = new Map(source.parts.map((part) => [part, stagerFor(db, part, problems)]))
  let read = 0
  for await (const { part, header, rows, done } of source.chunks()) {
    const stager = stagers.get(part) as Stager
    if (header !== undefined) stager.header(header)
    await stager.add(rows)
    read += rows.length
    onProgress({ phase: 'reading', what: part.name, done, rows: read })
  }
  const staged = new Map<Entity, Staged>()
  for (const [{ entity }, stager] of stagers) {
    staged.set(entity, await stager.end())
    await db.unsafe(analyzeRoughly(stagingTable(entity)))
  }
  return staged
}

async function mergeAll(
  tx: Queryable & { savepoint<T>(work: (tx: Queryable) => Promise<T>): Promise<T> },
  engine: Database['engine'],
  parts: readonly Part[],
  staged: ReadonlyMap<Entity, Staged>,
  { replaced, sound, first }: Loading & { sound: Set<string> },
  problems: Problems,
  onProgress: (progress: Progress) => void,
  rows: number,
): Promise<Record<string, Counts>> {
  const counts: Record<string, Counts> = {}
  /** Tables that lack rows because of an error: what refers to them is not complained of as well. */
  const broken = new Set<string>()
  let merged = 0
  for (const { entity, name } of parts) {
    onProgress({ phase: 'merging', what: entity.name, done: rows === 0 ? 1 : merged / rows, rows })
    const here = staged.get(entity) as Staged
    merged += here.rows
    const isLedger = entity.table === 'stock_movement'
    if (isLedger && !first) await tx.unsafe(TOUCHED)
    // The ledger comes last: what it is held against changes no more, unless something is to be removed.
    if (isLedger && broken.size === 0 && replaced.size === 0 && (await insertSound(tx, entity, here, engine)))
      sound.add(entity.name)
    else {
      const before = problems.count
      await checkStaged(tx, entity, name, here, broken, problems)
      const needs = [
        ...(entity.references ?? []).map((reference) => reference.table),
        ...Object.values(entity.columns).flatMap((column) => column.lookup?.table ?? []),
      ]
      if (problems.count > before || needs.some((table) => broken.has(table))) {
        broken.add(entity.table)
        continue
      }
    }
    const count = sound.has(entity.name)
      ? { new: here.rows, changed: 0, same: 0, removed: 0 }
      : await mergeOne(tx, engine, entity, name, here.rows, problems)
    if (count === undefined) {
      broken.add(entity.table)
      continue
    }
    counts[entity.name] = count
    if (count.new + count.changed > 0) await analyze(tx, entity.table, plannedBy(entity))
    if (!isLedger) continue
    if (replaced.has(entity.name)) count.removed = await removeOthers(tx, entity)
    const close = async () => {
      if (first || count.removed > 0) await rebuildClosings(tx)
      else if (count.new + count.changed > 0) await updateClosings(tx, raw('millbook_staging.touched'))
    }
    const derived = engine === 'embedded' ? ['stock_month', 'stock_closing', 'batch_flow'] : []
    await derived.reduce((work, table) => () => withoutIndexes(tx, table, count.new, work), close)()
    const cell = ['item_id', 'month', 'warehouse_id', 'batch_no']
    await analyze(tx, 'stock_month', [...cell, 'kind'])
    await analyze(tx, 'stock_closing', cell)
    await analyze(tx, 'stock_start', ['item_id', 'warehouse_id', 'month'])
    await analyze(tx, 'batch_flow', ['item_id', 'batch_no', 'month'])
  }
  if (broken.size > 0) return counts
  for (const { entity, name } of [...parts].reverse()) {
    const count = counts[entity.name]
    if (count === undefined || !replaced.has(entity.name) || entity.table === 'stock_movement') continue
    try {
      count.removed = entity.key.length === 0 ? 0 : await tx.savepoint((inner) => removeOthers(inner, entity))
    } catch (error) {
      const { code, table_name, detail } = error as { code?: string; table_name?: string; detail?: string }
      if (code !== '23503') throw error
      const message = `rows that the file does not have are still used by ${table_name}: ${detail}`
      problems.add({ file: name, line: 1, column: '', value: null, message })
    }
  }
  if (ledgerReferences.some(({ entity }) => (counts[entity]?.removed ?? 0) > 0))
    await checkLedgerReferences(tx, parts, problems)
  return counts
}

/** The planner has to know of new rows, for the rest of the load and for the reports after it. */
const analyze = (tx: Queryable, table: string, columns: readonly string[]) =>
  tx`select analyze_table(${table}, ${columns.join(',')})`

/** Columns by which rows are looked for, joined or grouped. Amounts are only added up: leaving them out saves a third. */
const plannedBy = (entity: Entity) =>
  Object.entries(entity.columns).flatMap(([name, column]) =>
    column.sqlType === 'numeric' ? [] : storedName(name, column),
  )

/** Constraints see what no rule above has caught: two rows that are one to the database, for one. */
async function mergeOne(
  tx: { savepoint<T>(work: (tx: Queryable) => Promise<T>): Promise<T> },
  engine: Database['engine'],
  entity: Entity,
  file: string,
  rows: number,
  problems: Problems,
): Promise<Counts | undefined> {
  try {
    return await tx.savepoint((inner) => mergeStaged(inner, entity, rows, engine))
  } catch (error) {
    const { code, detail, message } = error as { code?: string; detail?: string; message: string }
    if (code === undefined || !/^2[123]/.test(code)) throw error
    problems.add({ file, line: 1, column: '', value: null, message: detail ?? message })
    return undefined
  }
}

/** Every item and month that gains, loses or changes a movement, before it happens. A first load needs none: it touches all. */
const TOUCHED = `
  create unlogged table millbook_staging.touched as
  select distinct item_id, date_trunc('month', movement_date::timestamp)::date as month
    from (select i.id as item_id, s.movement_date from millbook_staging.stock_movements s join item i on i.sku = s.sku
          union all
          select m.item_id, m.movement_date from stock_movement m
            join millbook_staging.stock_movements s on s.movement_no = m.movement_no) t;
  ${analyzeRoughly('millbook_staging.touched')}`

/** The ledger has no foreign keys to documents: nothing that a movement names may have been removed. */
async function checkLedgerReferences(tx: Queryable, parts: readonly Part[], problems: Problems): Promise<void> {
  for (const { column, entity, dangling } of ledgerReferences) {
    const rows = await tx.unsafe(
      `select d.*, count(*) over () as total from (${dangling}) d order by d.movement_no limit ${SHOWN}`,
    )
    const file = parts.find((part) => part.entity.name === entity)?.name ?? entity
    for (const { movement_no, value } of rows)
      problems.add({
        ...{ file, line: 1, column, value },
        message: `movement ${movement_no} in the ledger names it, so it cannot be removed`,
      })
    problems.count += Math.max(0, Number(rows[0]?.['total'] ?? 0) - rows.length)
  }
}
