/** Loads the rows of a source: all of them or none, in one transaction, which commits after every cell has been read. */
import type { Database, Queryable } from '../../db/connect.js'
import { derivedTables } from '../../ledger/closings.js'
import { type Counts, deriveFromLedger } from '../../ledger/write.js'
import { beginVersion, commitVersion } from '../../store/commit.js'
import { entities } from '../entities.js'
import { noteReading, planReading } from '../known/reading.js'
import { noteLoad } from '../load-log.js'
import { checkReplaced } from '../replaced.js'
import type { Part, Source } from '../source.js'
import { closedWarnings, refuseClosed, watchClosed } from './closed-periods.js'
import { findContradictions } from './contradictions.js'
import { convertAll } from './convert.js'
import { countKept, findDeciding } from './kept-rows.js'
import { type Merging, mergeAll, plannedBy } from './merge-all.js'
import { type ImportProblem, Problems, SHOWN } from './problems.js'
import { hasPartOfDocument, rejectDocuments } from './rejected-documents.js'
import { type RejectOptions, Rejects } from './rejects.js'
import { relevantRows } from './relevant.js'
import { emptyStaging } from './stage.js'
import { stageAll } from './stage-all.js'
import { nameRows } from './staged-cells.js'
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
  /** Leave out wrong rows to which no other row refers, and load the rest. */
  reject?: RejectOptions | undefined
  /** Refuse the load if it changes a figure of a closed period; it warns otherwise. */
  refuseClosed?: boolean
  /** Looks at the merged rows before they are committed or, in a dry run, rolled back. */
  onMerged?: (tx: Queryable) => Promise<void>
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
  /** With `reject`: the rows that were left out, or would have been if the load had not been refused. */
  rejected?: Rejected
}

export interface Rejected {
  count: number
  /** The most rows that may be rejected. */
  most: number
  /** There are more, so the load was refused. */
  tooMany: boolean
  /** By entity. */
  entities: Readonly<Record<string, number>>
  /** Stored rows that stay as they are, because their new versions were rejected. */
  kept: number
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

/** Ends the transaction of a merge, with the errors that it found. */
class Rollback extends Error {
  readonly problems: Problems | undefined
  /** Rejecting the rows of these errors would not help. */
  readonly isFinal: boolean

  constructor(problems?: Problems, isFinal = false) {
    super()
    this.problems = problems
    this.isFinal = isFinal
  }
}

async function loadAll(
  { db, engine }: Database,
  source: Source,
  replaced: Set<string>,
  options: LoadOptions,
): Promise<LoadResult> {
  const { dryRun = false, incremental = false, actor, errorsShown = SHOWN, onProgress = () => {}, onMerged } = options
  const started = performance.now()
  const { place } = source
  const inCells = new Problems(errorsShown, place)
  const rejects = options.reject && new Rejects(options.reject, place)
  const [before] = await db<{ version: number }[]>`select version::int as version from data_version`
  const result: LoadResult = {
    ...{ committed: false, dryRun, dataVersion: before?.version ?? 0, rows: 0, unread: [], entities: {} },
    ...{ errors: { count: 0, first: [] }, warnings: noWarnings() },
  }
  const reading = await planReading(db, source, { readAll: !incremental, replaced })
  const parts = reading.read.map(({ part }) => part)
  for (const { entity } of reading.unread.keys()) replaced.delete(entity.name)
  result.unread = [...reading.unread.keys()].map(({ name }) => name)
  const first = (await db`select from stock_movement limit 1`).length === 0
  let isReading = true
  let merging: Pick<Progress, 'what' | 'done'> | undefined
  const showMerging = () => {
    if (!isReading && merging) onProgress({ phase: 'merging', ...merging, rows: result.rows })
  }
  const rowsOf = new Map<Part, number>()
  const onRows = (part: Part, rows: number, done: number) => {
    result.rows += rows
    rowsOf.set(part, (rowsOf.get(part) ?? 0) + rows)
    onProgress({ phase: 'reading', what: part.name, done, rows: result.rows })
  }
  const staging = await stageAll(db, source, reading.read, replaced, inCells, onRows, rejects)
  staging.read.then(
    () => {
      isReading = false
      showMerging()
    },
    () => {},
  )
  /** Rows are skipped only in parts that have every stored row: there is nothing to remove. */
  const stagedFor = (loading: Merging) => async (part: Part) => {
    const one = await staging.staged(part)
    if (one.skipped > 0) for (const set of [replaced, loading.replaced]) set.delete(part.entity.name)
    if (inCells.count > 0 || rejects?.isOver(Number.MAX_SAFE_INTEGER)) throw new Rollback()
    return { ...one, rows: one.rows - (rejects?.taken(part) ?? 0) }
  }
  const onMerge = (what: string, done: number) => {
    merging = { what, done }
    showMerging()
  }
  const rejectedOf = (kept: number): Rejected | undefined =>
    rejects && {
      ...{ count: rejects.count, most: rejects.limit(result.rows), tooMany: rejects.isOver(result.rows) },
      ...{ entities: rejects.entities, kept },
    }

  /** Merges all staged rows and commits. Resolves to the tables that it wrote; throws a Rollback with the errors that it found. */
  const mergeOnce = async () => {
    const loaded = new Set(parts.map(({ entity }) => entity.name))
    const loading: Merging = {
      ...{ loaded, replaced: new Set(replaced), checked: new Set(), kept: new Map() },
      ...{ first, empty: before?.version === 0 },
    }
    const inRows = new Problems(rejects?.mostErrors ?? errorsShown, place)
    const staged = stagedFor(loading)
    for (const part of engine.mergesWhileReading ? parts.slice(0, 1) : parts) await staged(part)
    return await db.begin(async (tx) => {
      await tx`set local work_mem = '128MB'` // large sets are joined and sorted
      await tx`set local idle_in_transaction_session_timeout = 0` // it may wait for a large file to be read
      await tx`set local millbook.loading = 'on'` // the load notes its changes itself
      await beginVersion(tx)
      const closedChanges = await watchClosed(tx, engine)
      const rejectedParts = parts.map((part) => ({
        entity: part.entity,
        rows: rejects?.of(part).map(({ readable }) => readable) ?? [],
      }))
      const work = await engine.openWork(tx, relevantRows(loading, rejectedParts))
      result.entities = await mergeAll(tx, engine, parts, staged, loading, inRows, rejects, onMerge)
      const converted = inRows.count === 0 ? await convertAll(tx, loading, inRows) : 0
      if (inRows.count === 0) await findContradictions(tx, parts, loading, inRows)
      if (inRows.count > 0 || (rejects && (await hasPartOfDocument(tx, parts, rejects)))) throw new Rollback(inRows)
      let kept = 0
      for (const part of rejects ? parts : []) {
        await findDeciding(tx, part, loading, rejects as Rejects, inRows)
        kept += await countKept(tx, part.entity, loading)
      }
      if (inRows.count > 0 || rejects?.isOver(result.rows)) throw new Rollback(inRows, true)
      if (converted > 0) loaded.add('stock_movements') // warnings compare documents with these movements
      if (loaded.has('stock_movements'))
        await deriveFromLedger(tx, engine, first, result.entities['stock_movements'] ?? none, converted)
      const closed = await closedChanges()
      if (options.refuseClosed) refuseClosed(closed, inRows)
      if (inRows.count > 0) throw new Rollback(inRows, true)
      result.warnings = await findWarnings(tx, loading, closedWarnings(closed))
      await onMerged?.(tx)
      const rejected = rejectedOf(kept)
      if (rejected) result.rejected = rejected
      if (rejects) await options.reject?.write(rejects.all)
      if (dryRun) throw new Rollback()
      const changed = await work.store()
      const keepsRows = (part: Part) => loading.kept.has(part.entity.name)
      const rowCount = (part: Part) => rowsOf.get(part) ?? 0
      await noteReading(tx, reading, rowCount, result.entities, loading.replaced, keepsRows)
      if (changed?.length === 0) return changed
      const seconds = (performance.now() - started) / 1000
      const lastLoad = { rows: result.rows, seconds, warnings: result.warnings.count }
      result.dataVersion = await commitVersion(tx, engine, changed, lastLoad)
      const about = { version: result.dataVersion, seconds, actor, source, rejected: rejects?.count ?? 0 }
      await noteLoad(tx, { ...result, ...about })
      return changed
    })
  }
  /** The errors that refuse the load; undefined if there are none, 'again' if the wrong rows were rejected. */
  const refusalOf = async ({ problems, isFinal }: Rollback): Promise<LoadResult['errors'] | 'again' | undefined> => {
    let found = inCells.count > 0 ? inCells : problems
    if (rejects && inCells.count === 0) {
      const again = !isFinal && !rejects.isOver(result.rows) && (await rejectDocuments(db, parts, rejects))
      if (again && !rejects.isOver(result.rows)) return 'again'
      const hasErrors = found !== undefined && found.count > 0
      if (hasErrors && !isFinal && !rejects.isOver(result.rows)) {
        found = await rejects.take(db, parts, found as Problems)
        if (found === undefined && !rejects.isOver(result.rows)) return 'again'
      }
      if (rejects.isOver(result.rows)) return { count: rejects.count, first: rejects.problems(errorsShown) }
    }
    if (found === undefined) return undefined
    await nameRows(db, parts, found)
    return { count: found.count, first: found.first.slice(0, errorsShown) }
  }

  try {
    if (!engine.mergesWhileReading) await staging.read
    while (true) {
      try {
        const written = await mergeOnce()
        result.committed = true
        await engine.analyzeAfterLoad(db, planned(written))
        break
      } catch (error) {
        if (!(error instanceof Rollback)) throw error
        await staging.read // to find all wrong cells
        const refused = await refusalOf(error)
        if (refused === 'again') continue
        if (refused !== undefined) {
          result.errors = refused
          const rejected = rejectedOf(0)
          if (rejected) result.rejected = rejected
          if (rejects) await options.reject?.write(rejects.all)
        }
        break
      }
    }
  } finally {
    await staging.stop()
  }
  for (const [{ entity }, same] of reading.unread)
    result.entities[entity.name] = { new: 0, changed: 0, same, removed: 0 }
  result.entities = inOrder(result.entities)
  return result
}
const none: Counts = { new: 0, changed: 0, same: 0, removed: 0 }

const inOrder = (counts: Record<string, Counts>): Record<string, Counts> =>
  Object.fromEntries(entities.flatMap(({ name }) => (counts[name] === undefined ? [] : [[name, counts[name]]])))

/** The tables that were written, with the columns that plans depend on. */
const planned = (written: readonly string[] | null): (readonly [string, readonly string[]])[] =>
  [
    ...entities.map((entity) => [entity.table, plannedBy(entity)] as const),
    ...Object.entries(derivedTables).map(([table, columns]) => [table, columns] as const),
  ].filter(([table]) => written === null || written.includes(table))
