/** Loads the rows of a source: all of them or none, in one transaction, which commits after every cell has been read. */
import type { Database } from '../../db/connect.js'
import { MillbookError } from '../../errors.js'
import { derivedTables } from '../../ledger/closings.js'
import type { Counts } from '../../ledger/write.js'
import { nearest } from '../../nearest.js'
import { commitVersion } from '../../store/commit.js'
import { entities } from '../entities.js'
import { noteReading, planReading } from '../known/reading.js'
import { noteLoad } from '../load-log.js'
import type { Part, Source } from '../source.js'
import { findContradictions } from './contradictions.js'
import { convertAll } from './convert.js'
import { mergeAll, plannedBy } from './merge-all.js'
import { type ImportProblem, Problems, SHOWN } from './problems.js'
import { relevantRows } from './relevant.js'
import { emptyStaging } from './stage.js'
import { stageAll } from './stage-all.js'
import { findWarnings, noWarnings, type Warnings } from './warnings.js'

export interface LoadOptions {
  /** Entities whose stored rows are removed if their file does not have them. */
  replace?: readonly string[]
  /** Do everything but commit. */
  dryRun?: boolean
  /** The user who loads, for the log; the operating system's user by default. */
  actor?: string
  /** Skip files that did not change since they were loaded, and rows that are stored. */
  incremental?: boolean
  /** How many errors are kept. */
  errorsShown?: number
  onProgress?: (progress: Progress) => void
}

export interface Progress {
  phase: 'reading' | 'merging'
  /** The file that is read, or the entity that is merged. */
  what: string
  /** How much of the phase is done, from 0 to 1. */
  done: number
  /** How many rows have been read. */
  rows: number
}

export interface LoadResult {
  /** Whether the rows are stored: not after an error or a dry run. */
  committed: boolean
  dryRun: boolean
  /** The version of the data after the load. */
  dataVersion: number
  rows: number
  /** The names of files that were not read, because all of their rows are stored. */
  unread: readonly string[]
  entities: Record<string, Counts>
  errors: { count: number; first: readonly ImportProblem[] }
  warnings: Warnings
}

/** The caller holds `lockLoads`. */
export async function load(database: Database, source: Source, options: LoadOptions = {}): Promise<LoadResult> {
  const replaced = new Set(options.replace ?? [])
  checkReplaced(replaced, source)
  try {
    return await loadAll(database, source, replaced, options)
  } finally {
    await emptyStaging(database.db).catch(() => {}) // the next load tries again; report the first error, not this one
  }
}

/** Throws if a name is not an entity, or if the source has no part for it. */
export function checkReplaced(replaced: Iterable<string>, source: Source): void {
  const names = entities.map((entity) => entity.name)
  for (const name of replaced) {
    if (!names.includes(name))
      throw new MillbookError(`there is no entity ${name}${nearest(name, names)}; there are ${names.join(', ')}`)
    if (!source.parts.some(({ entity }) => entity.name === name))
      throw new MillbookError(`--replace ${name} needs a file for ${name}`)
  }
}

class Rollback extends Error {}

async function loadAll(
  { db, engine }: Database,
  source: Source,
  replaced: Set<string>,
  { dryRun = false, incremental = false, actor, errorsShown = SHOWN, onProgress = () => {} }: LoadOptions,
): Promise<LoadResult> {
  const started = performance.now()
  const inCells = new Problems(errorsShown, source.place)
  /** Problems between rows, reported only if every cell is right. */
  const inRows = new Problems(errorsShown, source.place)
  const [before] = await db<{ version: number }[]>`select version::int as version from data_version`
  const result: LoadResult = {
    ...{ committed: false, dryRun, dataVersion: before?.version ?? 0, rows: 0, unread: [], entities: {} },
    ...{ errors: { count: 0, first: [] }, warnings: noWarnings() },
  }
  const reading = await planReading(db, source, { readAll: !incremental, replaced })
  const parts = reading.read.map(({ part }) => part)
  const loaded = new Set(parts.map(({ entity }) => entity.name))
  for (const { entity } of reading.unread.keys()) replaced.delete(entity.name)
  result.unread = [...reading.unread.keys()].map(({ name }) => name)
  const first = (await db`select from stock_movement limit 1`).length === 0
  const loading = { loaded, replaced, checked: new Set<string>(), first, empty: before?.version === 0 }
  let isReading = true
  let merging: Pick<Progress, 'what' | 'done'> | undefined
  const showMerging = () => {
    if (!isReading && merging) onProgress({ phase: 'merging', ...merging, rows: result.rows })
  }
  const rowsOf = new Map<Part, number>()
  const staging = await stageAll(db, source, reading.read, replaced, inCells, (part, rows, done) => {
    result.rows += rows
    rowsOf.set(part, (rowsOf.get(part) ?? 0) + rows)
    onProgress({ phase: 'reading', what: part.name, done, rows: result.rows })
  })
  staging.read.then(
    () => {
      isReading = false
      showMerging()
    },
    () => {},
  )
  const staged = async (part: Part) => {
    const one = await staging.staged(part)
    // Rows are skipped only in parts that have every stored row: there is nothing to remove.
    if (one.skipped > 0) replaced.delete(part.entity.name)
    if (inCells.count > 0) throw new Rollback()
    return one
  }
  const onMerge = (what: string, done: number) => {
    merging = { what, done }
    showMerging()
  }
  try {
    if (!engine.mergesWhileReading) await staging.read
    for (const part of engine.mergesWhileReading ? parts.slice(0, 1) : parts) await staged(part)
    const written = await db.begin(async (tx) => {
      await tx`set local work_mem = '128MB'` // large sets are joined and sorted
      await tx`set local idle_in_transaction_session_timeout = 0` // it may wait for a large file to be read
      await tx`set local millbook.loading = 'on'` // the load notes its changes itself
      const work = await engine.openWork(tx, relevantRows(loading))
      result.entities = await mergeAll(tx, engine, parts, staged, loading, inRows, onMerge)
      if (inRows.count === 0) await convertAll(tx, loading, inRows)
      if (inRows.count === 0) await findContradictions(tx, parts, loading, inRows)
      if (inRows.count > 0) throw new Rollback()
      result.warnings = await findWarnings(tx, loading)
      if (dryRun) throw new Rollback()
      const changed = await work.store()
      await noteReading(tx, reading, (part) => rowsOf.get(part) ?? 0, result.entities, replaced)
      if (changed?.length === 0) return changed
      const seconds = (performance.now() - started) / 1000
      const lastLoad = { rows: result.rows, seconds, warnings: result.warnings.count }
      result.dataVersion = await commitVersion(tx, engine, changed, lastLoad)
      await noteLoad(tx, { ...result, version: result.dataVersion, seconds, actor, source })
      return changed
    })
    result.committed = true
    await engine.analyzeAfterLoad(db, planned(written))
  } catch (error) {
    if (!(error instanceof Rollback)) throw error
    await staging.read // to find all wrong cells
  } finally {
    await staging.stop()
  }
  for (const [{ entity }, same] of reading.unread)
    result.entities[entity.name] = { new: 0, changed: 0, same, removed: 0 }
  result.entities = inOrder(result.entities)
  const { count, first: shown } = inCells.count > 0 ? inCells : inRows
  result.errors = { count, first: shown }
  return result
}

const inOrder = (counts: Record<string, Counts>): Record<string, Counts> =>
  Object.fromEntries(entities.flatMap(({ name }) => (counts[name] === undefined ? [] : [[name, counts[name]]])))

/** The tables that were written, with the columns that plans depend on. */
const planned = (written: readonly string[] | null): (readonly [string, readonly string[]])[] =>
  [
    ...entities.map((entity) => [entity.table, plannedBy(entity)] as const),
    ...Object.entries(derivedTables).map(([table, columns]) => [table, columns] as const),
  ].filter(([table]) => written === null || written.includes(table))
