/** The ledger's part of a load: writes its movements, and then updates all tables that are derived from the ledger. */
import { analyze, analyzeRoughly } from '../db/analyze.js'
import type { Engine, Queryable } from '../db/connect.js'
import { query } from '../db/query.js'
import { raw, type Sql, sql } from '../db/sql.js'
import { derivedTables, rebuildClosings, updateClosings } from './closings.js'
import { monthOf } from './periods.js'

/** A transaction that can undo a part of itself. */
export type Transaction = Queryable & { savepoint<T>(work: (tx: Queryable) => Promise<T>): Promise<T> }

/** The rows of a file, by their effect on the stored rows. */
export interface Counts {
  new: number
  changed: number
  same: number
  removed: number
}

/** The movements that a load has staged, with the loader's statements and checks for them. */
export interface StagedMovements {
  /** The table of staged movements, with at least movement_no, movement_date and sku. */
  readonly table: Sql
  readonly rows: number
  /** Whether the ledger was empty before the load. */
  readonly first: boolean
  /** Updates stored movements that a staged one changes. */
  readonly updateChanged: Sql
  /** Inserts staged movements that are not stored. */
  readonly insertNew: Sql
  /** Removes stored movements that are not staged; undefined unless the load replaces the ledger. */
  readonly removeOthers: Sql | undefined
  /** The columns of the ledger that plans depend on. */
  readonly planned: readonly string[]
  /** Inserts all movements if all are new and pass every check; resolves to whether it did. */
  insertChecked(): Promise<boolean>
  /** Runs the checks on the staged movements one by one and reports problems; resolves to whether there are none. */
  check(): Promise<boolean>
  /** Reports a constraint that refused a movement; throws any other error. */
  refused(error: unknown): undefined
}

export interface WrittenMovements {
  readonly counts: Counts
  /** Whether every movement was checked, for contradictions too, while it was inserted. */
  readonly checked: boolean
}

/** Every item and month that gains, loses or changes a movement in a load that is not the first. */
export const touchedMonths = raw('millbook_staging.touched')

/** For a load without movements that changes stored ones. */
export const createTouchedMonths = async (tx: Queryable): Promise<void> =>
  void (await query(tx, sql`create unlogged table ${touchedMonths} (item_id integer, month date)`))

/**
 * Writes staged movements in one of two ways. To be called after everything that movements refer to was merged.
 *
 * - **Checked while inserted**: one statement inserts the movements that pass every check. Tried if no staged movement is
 *   stored or staged twice and the load removes nothing; kept if the statement inserted all of them. It adds new movements in
 *   one pass where the single checks take seventeen.
 * - **Merged**: otherwise. `check` reports problems of the movements; if there are none, stored movements are updated and new
 *   ones inserted.
 *
 * Resolves to undefined if a movement is wrong: the transaction must then be rolled back.
 */
export async function writeMovements(
  tx: Transaction,
  engine: Engine,
  staged: StagedMovements,
): Promise<WrittenMovements | undefined> {
  if (!staged.first) await noteTouchedMonths(tx, staged.table)
  const checked = await staged.insertChecked()
  if (!checked && !(await staged.check())) return undefined
  const counts = checked
    ? { new: staged.rows, changed: 0, same: 0, removed: 0 }
    : await tx.savepoint((inner) => merge(inner, engine, staged)).catch(staged.refused)
  if (counts === undefined) return undefined
  if (counts.new + counts.changed > 0) await analyze(tx, 'stock_movement', staged.planned)
  if (staged.removeOthers !== undefined) counts.removed = (await query(tx, staged.removeOthers)).count
  return { counts, checked }
}

/** To be called before any movement is written. A first load does not need it: it touches everything. */
async function noteTouchedMonths(tx: Queryable, staged: Sql): Promise<void> {
  await query(
    tx,
    sql`create unlogged table ${touchedMonths} as
        select distinct item_id, ${monthOf('movement_date')} as month
          from (select i.id as item_id, s.movement_date from ${staged} s join item i on i.sku = s.sku
                union all
                select m.item_id, m.movement_date from stock_movement m
                  join ${staged} s on s.movement_no = m.movement_no) t`,
  )
  await tx.unsafe(analyzeRoughly(touchedMonths.text))
}

async function merge(
  tx: Queryable,
  engine: Engine,
  { table, rows, updateChanged, insertNew }: StagedMovements,
): Promise<Counts> {
  // The item is part of the ledger's key: a movement that now names another item is a new row, and the old row is deleted.
  const moved = await query(
    tx,
    sql`delete from stock_movement m using ${table} s join item i on i.sku = s.sku
         where m.movement_no = s.movement_no and m.item_id <> i.id`,
  )
  const changed = await query(tx, updateChanged)
  const inserted = await engine.insertMany(tx, rows, () => query(tx, insertNew), 'stock_movement')
  return {
    new: inserted.count - moved.count,
    changed: changed.count + moved.count,
    same: rows - inserted.count - changed.count,
    removed: 0,
  }
}

/**
 * Closings and the other derived tables, rebuilt after a first load or a removal, and updated otherwise. To be called after the
 * movements were converted; `converted` is the number of stored movements that this changed.
 */
export async function deriveFromLedger(
  tx: Queryable,
  engine: Engine,
  first: boolean,
  counts: Counts,
  converted: number,
): Promise<void> {
  await engine.derive(tx, Object.keys(derivedTables), counts.new, async () => {
    if (first || counts.removed > 0) await rebuildClosings(tx)
    else if (counts.new + counts.changed + converted > 0) await updateClosings(tx, touchedMonths)
  })
  for (const [table, columns] of Object.entries(derivedTables)) await analyze(tx, table, columns)
}
