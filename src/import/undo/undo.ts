/** Takes back the last load: removes the rows that it added, and restores the rows that it changed or removed. */
import { analyze, analyzeRoughly } from '../../db/analyze.js'
import type { Database, Queryable } from '../../db/connect.js'
import { query } from '../../db/query.js'
import { identifier, join, raw, type Sql, sql } from '../../db/sql.js'
import { tablesOf } from '../../db/tables.js'
import { MillbookError } from '../../errors.js'
import { derivedTables, updateClosings } from '../../ledger/closings.js'
import { monthOf } from '../../ledger/periods.js'
import { type Counts, createTouchedMonths, touchedMonths } from '../../ledger/write.js'
import { beginVersion, commitVersion } from '../../store/commit.js'
import { entities } from '../entities.js'
import type { Entity } from '../entity.js'
import { forgetLoaded } from '../known/records.js'
import { noteLoad } from '../load-log.js'
import { closedLine, closedWarnings, watchClosed } from '../pipeline/closed-periods.js'
import { plannedBy } from '../pipeline/merge-all.js'
import { allRows } from '../pipeline/relevant.js'
import { emptyStaging } from '../pipeline/stage.js'
import { gathered, type Warnings } from '../pipeline/warnings.js'
import { keyColumns, sameKey } from '../same-key.js'

export interface Undoable {
  /** The version of the data that the load made. */
  version: number
  /** Its source. */
  name: string
}

/** The load that can be taken back: undefined if something changed the data since, or if its history is gone. */
export async function findUndoable(db: Queryable): Promise<Undoable | undefined> {
  const [found] = await db<Undoable[]>`
    select l.version::float8 as version,
           l.source[1] || case when cardinality(l.source) > 1 then ' and ' || cardinality(l.source) - 1 || ' more' else '' end as name
      from load_log l join data_version d on d.version = l.version join history h on h.oldest < l.version`
  return found
}

export interface UndoOptions {
  actor?: string
  /** Do everything but commit. */
  dryRun?: boolean
  /** Refuse to change a figure of a closed period; an undo that does so warns otherwise. */
  refuseClosed?: boolean
  onProgress?: (table: string, done: number) => void
  /** Looks at the restored rows before they are committed. */
  onRestored?: (tx: Queryable) => Promise<void>
}

export interface Undone {
  /** The version of the data after it. */
  version: number
  rows: number
  entities: Record<string, Counts>
  warnings: Warnings
}

/** Rolls a dry run back. */
class Tried extends Error {
  readonly undone: Undone

  constructor(undone: Undone) {
    super()
    this.undone = undone
  }
}

/** The caller holds `lockLoads`. All or nothing, in one transaction. */
export async function undoLoad(database: Database, version: number, options: UndoOptions = {}): Promise<Undone> {
  try {
    return await undo(database, version, options)
  } catch (error) {
    if (error instanceof Tried) return error.undone
    throw error
  } finally {
    await emptyStaging(database.db).catch(() => {}) // the next load tries again; report the first error, not this one
  }
}

async function undo(
  { db, engine }: Database,
  version: number,
  { actor, dryRun = false, refuseClosed = false, onProgress = () => {}, onRestored }: UndoOptions,
): Promise<Undone> {
  const started = performance.now()
  await emptyStaging(db)
  return await db.begin(async (tx) => {
    const load = await requireUndoable(tx, version)
    await tx`set local work_mem = '128MB'`
    await tx`set local idle_in_transaction_session_timeout = 0`
    await beginVersion(tx)
    const closedChanges = await watchClosed(tx, engine)
    const work = await engine.openWork(tx, allRows)
    const kept = await keptTables(tx, version)
    const counts: Record<string, Counts> = {}
    for (const { entity } of kept) counts[entity.name] = { new: 0, changed: 0, same: 0, removed: 0 }
    const of = ({ name }: Entity) => counts[name] as Counts
    const steps = 3 * kept.length + 1
    let step = 0
    const next = (what: string) => onProgress(what, step++ / steps)
    // Movements refer to everything else, and a movement that changed its item has a new row with the same number.
    for (const one of kept.filter(({ entity }) => entity.ledger)) {
      await noteTouchedMonths(tx, one)
      of(one.entity).removed = await removeAdded(tx, one)
    }
    for (const one of kept) {
      next(one.entity.name)
      of(one.entity).new = await insertRemoved(tx, one)
    }
    for (const one of kept) {
      next(one.entity.name)
      of(one.entity).changed = await restoreChanged(tx, one)
    }
    if (kept.some(({ entity }) => entity.ledger)) {
      next('stock_movements')
      await engine.derive(tx, Object.keys(derivedTables), 0, () => updateClosings(tx, touchedMonths))
      for (const [table, columns] of Object.entries(derivedTables)) await analyze(tx, table, columns)
    }
    for (const one of kept.toReversed()) {
      next(one.entity.name)
      if (!one.entity.ledger) of(one.entity).removed = await removeAdded(tx, one)
    }
    for (const { entity } of kept) await analyze(tx, entity.table, plannedBy(entity))
    const closed = await closedChanges()
    if (refuseClosed && closed.length > 0)
      throw new MillbookError(
        `taking the load back changes closed periods, so nothing was changed:\n${closed.map(closedLine).join('\n')}`,
        { kind: 'conflict' },
      )
    const warnings = gathered(closedWarnings(closed))
    await onRestored?.(tx)
    const rows = Object.values(counts).reduce((sum, one) => sum + one.new + one.changed + one.removed, 0)
    if (dryRun) throw new Tried({ version, rows, entities: counts, warnings })
    const seconds = (performance.now() - started) / 1000
    const after = await commitVersion(tx, engine, await work.store(), { rows, seconds, warnings: warnings.count })
    await noteLoad(tx, {
      ...{ version: after, seconds, actor, rows, rejected: 0, entities: counts, warnings },
      source: { name: `undo of version ${version}, ${load.name}`, parts: [] },
    })
    // Notes of loaded files are about rows that are gone: the next load reads its files whole.
    await forgetLoaded(
      tx,
      entities.map(({ name }) => name),
    )
    return { version: after, rows, entities: counts, warnings }
  })
}

/** The last load; throws if it cannot be taken back. */
export async function lastUndoable(db: Queryable): Promise<Undoable> {
  const [now] = await db<{ version: number }[]>`select version::float8 as version from data_version`
  if (!now?.version) throw new MillbookError('nothing has been loaded yet', { kind: 'conflict' })
  return await requireUndoable(db, now.version)
}

/** Throws if that load can no longer be taken back. */
export async function requireUndoable(tx: Queryable, version: number): Promise<Undoable> {
  const found = await findUndoable(tx)
  if (found?.version === version) return found
  const [now] = await tx<{ version: number }[]>`select version::float8 as version from data_version`
  if (version < 1 || version > (now?.version ?? 0))
    throw new MillbookError(`there is no load of version ${version}: \`millbook loads\` lists the loads`, {
      kind: 'conflict',
    })
  throw new MillbookError(
    now?.version === version
      ? `version ${version} was not made by a load, or its history is not kept, so it cannot be taken back: restore a backup instead`
      : `something changed the data after version ${version}, so that load can no longer be taken back: load corrected files, or restore a backup`,
    { kind: 'conflict' },
  )
}

/** A table that the load wrote: staging tables have each changed or removed row as it was, and the keys of added rows. */
interface Kept {
  readonly entity: Entity
  readonly table: Sql
  readonly was: Sql
  readonly added: Sql
  /** The columns of its key; none for the account, which has one row. */
  readonly key: readonly string[]
  /** Its columns, without generated ones, and without the version that wrote the row. */
  readonly columns: readonly string[]
}

const list = (alias: string, columns: readonly string[]): Sql =>
  join(
    columns.map((name) => sql`${raw(alias)}.${identifier(name)}`),
    ', ',
  )

async function keptTables(tx: Queryable, version: number): Promise<Kept[]> {
  const tables = new Map((await tablesOf(tx, [])).map(({ name, columns }) => [name, columns]))
  const kept: Kept[] = []
  for (const entity of entities as readonly Entity[]) {
    const [table, key] = [identifier(entity.table), keyColumns(entity)]
    const columns = (tables.get(entity.table) ?? []).filter((name) => name !== 'known_from')
    const [was, added] = [raw(`millbook_staging.was_${entity.table}`), raw(`millbook_staging.added_${entity.table}`)]
    const replaced = sql`${identifier(`past_${entity.table}`)} p where p.known_until = ${raw(String(version))}`
    await query(tx, sql`create unlogged table ${was} as select ${list('p', columns)} from ${replaced}`)
    await query(
      tx,
      sql`create unlogged table ${added} as
          select ${list('t', key.length === 0 ? columns : key)} from ${table} t
           where t.known_from = ${raw(String(version))} and not exists (select from ${was} w where ${sameKey('t', 'w', key)})`,
    )
    if (await isEmpty(tx, was, added)) continue
    for (const { text } of [was, added]) await tx.unsafe(analyzeRoughly(text))
    kept.push({ entity, table, was, added, key, columns })
  }
  return kept
}

const isEmpty = async (tx: Queryable, ...tables: Sql[]): Promise<boolean> =>
  (
    await query(
      tx,
      join(
        tables.map((table) => sql`(select from ${table} limit 1)`),
        ' union all ',
      ),
    )
  ).length === 0

/** Every item and month with a movement that changes back. To be called before any row is restored. */
async function noteTouchedMonths(tx: Queryable, { table, was, added, key }: Kept): Promise<void> {
  const month = (alias: string) => sql`${raw(alias)}.item_id, ${monthOf(`${alias}.movement_date`)}`
  await createTouchedMonths(tx)
  await query(
    tx,
    sql`insert into ${touchedMonths} (item_id, month)
        select ${month('w')} from ${was} w
        union select ${month('t')} from ${table} t join ${was} w on ${sameKey('t', 'w', key)}
        union select ${month('t')} from ${table} t join ${added} a on ${sameKey('t', 'a', key)}`,
  )
  await tx.unsafe(analyzeRoughly(touchedMonths.text))
}

const removeAdded = async (tx: Queryable, { table, added, key }: Kept): Promise<number> =>
  (await query(tx, sql`delete from ${table} t using ${added} a where ${sameKey('t', 'a', key)}`)).count

const insertRemoved = async (tx: Queryable, { table, was, key, columns }: Kept): Promise<number> =>
  (
    await query(
      tx,
      sql`insert into ${table} (${join(columns.map(identifier), ', ')}) select ${list('w', columns)} from ${was} w
           where not exists (select from ${table} t where ${sameKey('t', 'w', key)})`,
    )
  ).count

/** A row that equals its earlier form is not written. */
const restoreChanged = async (tx: Queryable, { table, was, key, columns }: Kept): Promise<number> =>
  (
    await query(
      tx,
      sql`update ${table} t set (${join(columns.map(identifier), ', ')}) = row(${list('w', columns)}) from ${was} w
           where ${sameKey('t', 'w', key)} and (${list('t', columns)}) is distinct from (${list('w', columns)})`,
    )
  ).count
