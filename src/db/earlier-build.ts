/**
 * Databases of development builds with 33 migrations. Today's migrations replace these, without archived years (docs/decisions/0032).
 * Delete this file with the first release.
 */
import { MillbookError } from '../errors.js'
import type { Queryable, Tx } from './db.js'

/** The last schema of these builds, and the schema of today with the same tables. */
export const EARLIER_SCHEMA = 33
export const SAME_SCHEMA = 8

const FIRST_NAME = 'business-data'

export const isOfEarlierBuild = (applied: readonly { number: number; name: string }[]): boolean =>
  applied.some(({ number, name }) => number === 1 && name === FIRST_NAME)

/** For every command but a migration. */
export const refuseEarlier = (at: number): never => {
  throw new MillbookError(
    `${describe(at)}: ${at === EARLIER_SCHEMA ? 'back it up with that build, then run millbook migrate' : BRING_TO_33}`,
  )
}

const describe = (at: number) => `the database has schema ${at} of an earlier development build`
const BRING_TO_33 = `first run millbook migrate with the last build that has schema ${EARLIER_SCHEMA}`

/** Turns the database into one of SAME_SCHEMA, without notes of its migrations; throws with instructions if it cannot. */
export async function adopt(tx: Tx, at: number): Promise<void> {
  if (at !== EARLIER_SCHEMA) throw new MillbookError(`${describe(at)}: ${BRING_TO_33}`)
  const move = 'back the database up with the build that made it, and restore the backup with this one'
  if (await hasArchivedYears(tx))
    throw new MillbookError(
      `years of the ledger are archived: with the build that made the database, run millbook archive --undo; then ${move}`,
    )
  const [ledger] = await tx`select from pg_class where oid = 'stock_movement'::regclass and relkind = 'p'`
  if (ledger !== undefined) throw new MillbookError(`the ledger is partitioned by year: ${move}`)
  await dropArchivedYears(tx)
  await tx.unsafe(`
    drop index invoice_invoice_no_idx; -- the primary key has the same column
    alter index invoice_invoice_no_idx1 rename to invoice_invoice_no_idx;
    alter index past_version_committed_at_idx rename to past_version_replaced_at_idx;
    do $$ begin
      execute replace(pg_get_functiondef('analyze_table(text, text)'::regprocedure), 'in (''r'', ''p'')', '= ''r''');
    end $$;
    delete from schema_migration`)
}

/** Also for backups of these builds. */
export async function hasArchivedYears(tx: Queryable): Promise<boolean> {
  const [found] = await tx<{ archived: boolean }[]>`
    select exists (select from data_version where ledger_begins is not null) or exists (select from archived_batch)
           or exists (select from archived_use) or exists (select from archived_number) as archived`
  return found?.archived === true
}

export const dropArchivedYears = async (tx: Queryable): Promise<void> =>
  void (await tx.unsafe(`
    drop table archived_batch, archived_use, archived_number;
    alter table data_version drop column ledger_begins, drop column archived_years, drop column archived_sums`))
