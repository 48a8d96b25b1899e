/** The past of the data: shows one version of it, and forgets what loads changed and removed long ago (docs/decisions/0049). */
import type { Db, Queryable } from '../db/connect.js'
import { query } from '../db/query.js'
import { identifier, join, type Sql, sql } from '../db/sql.js'

/** How long the past is kept by default. */
export const HISTORY_DAYS = 400

/** Rows that one statement removes: it blocks nobody for long. */
const AT_A_TIME = 10_000

/** Whether this login may forget what is past. On a cluster there is no past, and the loader may not forget any. */
export async function mayForget(db: Db): Promise<boolean> {
  const [may] = await db<{ forget: boolean }[]>`
    select to_regnamespace('millbook_as_known') is not null
           and has_function_privilege('forget_history(timestamptz, integer)', 'execute') as forget`
  return may?.forget === true
}

/**
 * Forgets the versions that were replaced before this number of days, and the rows that only they had. Resolves to the number of rows.
 * To be called if `mayForget`.
 */
export async function forgetHistory(db: Db, days: number): Promise<number> {
  let forgotten = 0
  while (true) {
    const [{ rows } = { rows: 0 }] = await db<{ rows: number }[]>`
      select forget_history(now() - make_interval(days => ${days}::int), ${AT_A_TIME}::int) as rows`
    if (rows === 0) return forgotten
    forgotten += rows
  }
}

/** Whether the rows of a version can be read: of a late one, or of one with which a period is closed. */
export const isKept = (version: Sql): Sql => sql`(
  ${version} >= (select greatest(oldest, 1) from history)
  or exists (select from closed_period c where c.version = ${version} and c.reopened_in is null))`

export interface Shown {
  /** If it is false, the transaction reads the wrong rows. */
  readonly kept: boolean
  readonly oldest: number
  readonly present: number
}

/** Lets the rest of the transaction read the rows of a version, until `showPresent`. `day` is today in reports that depend on it. */
export async function showVersion(tx: Queryable, version: number, day?: string): Promise<Shown> {
  const [shown] = await tx<Shown[]>`
    select ${isKept(sql`${version}::bigint`)} as kept, greatest(h.oldest, 1)::float8 as oldest, d.version::float8 as present,
           set_config('millbook.as_known', ${String(version)}, true),
           set_config('millbook.today', coalesce(${day ?? null}, current_setting('millbook.today', true), ''), true),
           set_config('search_path', ${SCHEMA} || current_setting('search_path'), true)
      from history h cross join data_version d`
  if (shown === undefined) throw new Error('the database has no history')
  return shown
}

export const showPresent = async (tx: Queryable): Promise<void> =>
  void (await tx`select set_config('search_path', replace(current_setting('search_path'), ${SCHEMA}, ''), true)`)

const SCHEMA = 'millbook_as_known, '

/** Any number that no other program uses for a lock on the same database. */
const CLOSINGS = 7_461_203_122

/**
 * Until the transaction ends, no period is closed while a load, which takes the shared lock, finds and commits what it changes; and no load
 * commits while one is closed.
 */
export const lockClosings = async (tx: Queryable, by: 'load' | 'closing'): Promise<void> =>
  void (by === 'load'
    ? await tx`select pg_advisory_xact_lock_shared(${CLOSINGS})`
    : await tx`select pg_advisory_xact_lock(${CLOSINGS})`)

export interface KeptHistory {
  /** The oldest version that reports can be asked of; undefined before the first load. */
  readonly oldest: number | undefined
  /** When it was loaded, if that is known. */
  readonly since: Date | undefined
  /** The bytes that the rows of the past take with their indexes. */
  readonly bytes: number
  /** The bytes of the present rows of the same tables. */
  readonly presentBytes: number
}

export async function readHistory(db: Queryable): Promise<KeptHistory> {
  type Found = Pick<KeptHistory, 'bytes' | 'presentBytes'> & {
    oldest: number
    present: number
    since: Date | null
  }
  const [found] = await db<Found[]>`
    select greatest(h.oldest, 1)::float8 as oldest, d.version::float8 as present, k.committed_at as since,
           past.bytes, past."presentBytes"
      from history h cross join data_version d
      left join known_version k on k.version = greatest(h.oldest, 1)
     cross join (select coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8 as bytes,
                        coalesce(sum(pg_total_relation_size(b.oid)), 0)::float8 as "presentBytes"
                   from pg_trigger t join pg_class b on b.oid = t.tgrelid
                   join pg_class c on c.relname = 'past_' || b.relname and c.relnamespace = b.relnamespace
                  where t.tgname = 'keep_removed') past`
  const { oldest = 1, present = 0, since = null, bytes = 0, presentBytes = 0 } = found ?? {}
  return { oldest: present === 0 ? undefined : oldest, since: since ?? undefined, bytes, presentBytes }
}

/** The number of rows that loads changed or removed, as far as they are kept. Reads all of them. */
export async function countPast(db: Queryable): Promise<number> {
  const tables = await db<{ name: string }[]>`
    select 'past_' || c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid where t.tgname = 'keep_removed'`
  const counts = tables.map(({ name }) => sql`select count(*) as rows from ${identifier(name)}`)
  const [row] = await query<{ rows: number }>(
    db,
    sql`select sum(rows)::float8 as rows from (${join(counts, ' union all ')}) counted`,
  )
  return row?.rows ?? 0
}
