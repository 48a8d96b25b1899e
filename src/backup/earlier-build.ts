/**
 * Backups of format 1, which development builds made before migrations were renumbered. They are restored into today's tables, and
 * into tables and columns of archived years, which are then dropped. Delete this file with the first release.
 */
import type { Tx } from '../db/connect.js'
import { dropArchivedYears, EARLIER_SCHEMA, hasArchivedYears, SAME_SCHEMA } from '../db/earlier-build.js'
import { MillbookError } from '../errors.js'
import type { Header } from './write.js'

const archived = () =>
  new MillbookError(
    'the ledger in this backup has archived years: with the build that made it, run millbook archive --undo, and back up again',
  )

/** The header with the number that its schema has today; throws if this program cannot restore the backup, and says how to restore it. */
export function fromFormat1(header: Header & { ledger?: unknown }): Header {
  if (header.schema !== EARLIER_SCHEMA)
    throw new MillbookError(
      `the backup has schema ${header.schema} of an earlier development build: restore it with the last build with schema ${EARLIER_SCHEMA}, run millbook migrate there, and back up again`,
    )
  if (header.ledger !== undefined) throw archived()
  return { ...header, schema: SAME_SCHEMA }
}

export const addArchivedYears = async (tx: Tx): Promise<void> =>
  void (await tx.unsafe(`
    alter table data_version
      add column ledger_begins date, add column archived_years jsonb, add column archived_sums jsonb;
    create table archived_batch (item_id integer, batch_no code);
    create table archived_use (for_item_id integer, for_batch_no code);
    create table archived_number (part integer, hashes bigint[])`))

export async function removeArchivedYears(tx: Tx): Promise<void> {
  if (await hasArchivedYears(tx)) throw archived()
  await dropArchivedYears(tx)
}
