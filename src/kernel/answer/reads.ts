/** Finds out which tables a statement reads, from the database itself. */
import { statementsOf } from '../../db/computed.js'
import type { Db } from '../../db/connect.js'
import { type Sql, sql } from '../../db/sql.js'
import { streamTexts } from '../../db/texts.js'
import type { Report } from '../report/report.js'
import { exampleStatements } from './statement.js'

/**
 * The names of the tables, views resolved to their tables; undefined if the statement may read any table. Its computed values
 * are computed from these tables too.
 *
 * Planning locks every table that the statement names, directly, through views or through functions that the planner inlines,
 * and the transaction lists its locks. A function that is called at run time hides the tables that it reads, unless it is
 * immutable: such a statement may read any table. One that reads the version of the data has another answer after every load. Planning waits
 * for locks; aborting ends the wait.
 */
export const tablesRead = (db: Db, statement: Sql, signal?: AbortSignal): Promise<readonly string[] | undefined> =>
  db.begin('read only', async (tx) => {
    let calls = ''
    for (const each of statementsOf(statement))
      for await (const { bytes } of streamTexts(tx, sql`explain (verbose, costs off) ${each}`, signal))
        calls += bytes.toString()
    const [found] = await tx<{ tables: string[]; opaque: boolean }[]>`
      select to_json(array(select distinct c.relname::text from pg_locks l join pg_class c on c.oid = l.relation
                    where l.pid = pg_backend_pid() and l.locktype = 'relation' and c.relkind in ('r', 'p', 'f', 'm')
                      and c.relnamespace <> 'pg_catalog'::regnamespace order by 1)) as tables,
             exists (select from pg_proc p
                      where p.provolatile <> 'i' and p.pronamespace <> 'pg_catalog'::regnamespace
                        and position(quote_ident(p.proname) || '(' in ${calls}) > 0) as opaque`
    return found === undefined || found.opaque || found.tables.includes('data_version') ? undefined : found.tables
  })

/** The tables that a report reads in any of its shapes; undefined if it may read any table. */
export async function tablesOfReport(db: Db, report: Report): Promise<ReadonlySet<string> | undefined> {
  const tables = new Set<string>()
  for (const { statement } of exampleStatements(report)) {
    const found = await tablesRead(db, statement)
    if (found === undefined) return undefined
    for (const table of found) tables.add(table)
  }
  return tables
}
