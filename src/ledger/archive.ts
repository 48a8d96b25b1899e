/**
 * `millbook archive`: takes past years out of a partitioned ledger. Their tables leave the ledger as they are. What the rest of the
 * ledger needs of them stays in it, so that every figure from the next year on is what it was (docs/decisions/0033):
 *
 * - the movements of open batches, and what was consumed for them, as they are;
 * - of everything else, one row for all that came in by item, warehouse and batch, one for all that went out, and the like.
 */
import type { Database, Queryable, Tx } from '../db/connect.js'
import { lockSchema } from '../db/migrate.js'
import { isPartitioned, partitionIn, yearsOf } from '../db/partition.js'
import { query } from '../db/query.js'
import { literal, raw, type Sql, sql } from '../db/sql.js'
import { MillbookError } from '../errors.js'
import { derivedTables, rebuildClosings } from './closings.js'
import { flows, signed } from './figures.js'
import { ARCHIVED, ledgerBegins, standsForArchived } from './first-day.js'

/** Where the tables of archived years are. */
export const ARCHIVE = 'millbook_archive'

export interface Archived {
  /** Whether it did anything. */
  readonly archived: boolean
  /** The first day of the ledger; null if no year is archived. */
  readonly begins: string | null
  /** The tables that left the ledger, with their schema. */
  readonly tables: readonly string[]
  /** How many movements they have. */
  readonly movements: number
  /** How many of them stay in the ledger too. */
  readonly kept: number
  /** How many rows stand for the others. */
  readonly openings: number
}

export interface ArchiveOptions {
  /** Do everything but commit. */
  readonly dryRun?: boolean
  /** Called before each step. */
  readonly onStep?: (step: string) => void
}

type Server = Pick<Database, 'db' | 'engine' | 'distributed'>

/** Archives all years up to this one, in one transaction. The caller holds `lockLoads`. */
export const archive = (database: Server, year: number, options: ArchiveOptions = {}): Promise<Archived> =>
  inTransaction(database, options, (tx, onStep) => archiveIn(tx, year, onStep))

/** Takes all archived years back, in one transaction. The caller holds `lockLoads`. */
export const takeBack = (database: Server, options: ArchiveOptions = {}): Promise<{ years: readonly number[] }> =>
  inTransaction(database, options, takeBackIn)

class DryRun extends Error {}

async function inTransaction<T>(
  { db, engine, distributed }: Server,
  { dryRun = false, onStep = () => {} }: ArchiveOptions,
  work: (tx: Tx, onStep: (step: string) => void) => Promise<T>,
): Promise<T> {
  if (engine === 'embedded')
    throw new MillbookError(
      'only years of a ledger on a PostgreSQL server can be archived: name its database with --database URL',
    )
  if (distributed)
    throw new MillbookError('the ledger is distributed over the nodes of a cluster, and its years cannot be archived')
  let result: T | undefined
  try {
    await db.begin(async (tx) => {
      await tx.unsafe(`set local statement_timeout = 0; set local lock_timeout = 0; set local work_mem = '128MB'`)
      await lockSchema(tx)
      result = await work(tx, onStep)
      if (dryRun) throw new DryRun()
    })
  } catch (error) {
    if (!(error instanceof DryRun)) throw error
  }
  return result as T
}

async function archiveIn(tx: Tx, year: number, onStep: (step: string) => void): Promise<Archived> {
  if (!(await isPartitioned(tx)))
    throw new MillbookError(
      'the ledger is one table: give each year a table of its own first, with millbook migrate --partition',
    )
  const begins = await ledgerBegins(tx)
  const first = firstOf(year + 1)
  const past = (await yearsOf(tx)).filter((one) => one <= year)
  if (past.length === 0 || (begins !== undefined && begins >= first))
    return { archived: false, begins: begins ?? null, tables: [], movements: 0, kept: 0, openings: 0 }
  const condensed = begins === undefined ? undefined : lastYear(begins)
  await refuse(tx, year, first, past, condensed)

  onStep('finding what the ledger needs of these years')
  await query(tx, openBatches(first))
  await tx.unsafe('create index on open_batch (item_id, batch_no); analyze open_batch')
  await createRest(tx)
  const kept = (await query(tx, keepOpen(first))).count
  const openings = (await query(tx, condense(year, first))).count

  onStep('taking their tables out of the ledger')
  await tx.unsafe(`create schema if not exists ${ARCHIVE}`)
  const left: Record<string, number> = {}
  for (const one of past) {
    const table = `stock_movement_${one}`
    await tx.unsafe(`alter table stock_movement detach partition ${table}`)
    // What stands for years that were archived before now stands in the new rows.
    if (one === condensed) await tx.unsafe(`drop table ${table}`)
    else {
      left[one] = await rowsOf(tx, table)
      await tx.unsafe(`alter table ${table} set schema ${ARCHIVE}`)
    }
  }
  await attachRest(tx, first)
  await beginLedger(tx, first, left, onStep)
  const movements = Object.values(left).reduce((sum, rows) => sum + rows, 0)
  return { archived: true, begins: first, tables: Object.keys(left).map(archivedTable), movements, kept, openings }
}

const archivedTable = (year: number | string): string => `${ARCHIVE}.stock_movement_${year}`

const rowsOf = async (tx: Tx, table: string): Promise<number> => {
  const [row] = await tx.unsafe<{ rows: number }[]>(`select count(*)::float8 as rows from ${table}`)
  return row?.rows ?? 0
}

/** Notes where the ledger begins and what has left it, as a new version of the data, and derives everything from it again. */
async function beginLedger(
  tx: Tx,
  first: string | null,
  left: Readonly<Record<string, number>> | null,
  onStep: (step: string) => void,
): Promise<void> {
  await tx`update data_version
              set version = version + 1, committed_at = now(), ledger_begins = ${first},
                  archived_years = case when ${left !== null} then coalesce(archived_years, '{}') || ${JSON.stringify(left)}::text::jsonb end,
                  changed = ${['stock_movement', ...Object.keys(derivedTables)]}`
  // The next load compares each row of a file with the ledger as it is now.
  await tx`delete from loaded_file where entity = 'stock_movements'`
  await tx`delete from loaded_rows where entity = 'stock_movements'`
  onStep('computing the closings again')
  await rebuildClosings(tx)
  await tx.unsafe(`analyze stock_movement, ${Object.keys(derivedTables).join(', ')}`)
}

/** What was loaded since is later than the archived years: their tables are all that the ledger lacks. */
async function takeBackIn(tx: Tx, onStep: (step: string) => void): Promise<{ years: readonly number[] }> {
  const begins = await ledgerBegins(tx)
  if (begins === undefined) return { years: [] }
  const [known] = await tx<{ years: Record<string, number>; schema: string }[]>`
    select archived_years as years, quote_ident(current_schema()) as schema from data_version`
  const archived = Object.entries(known?.years ?? {})
  for (const [year, rows] of archived) {
    const table = archivedTable(year)
    const [there] = await tx<{ there: boolean }[]>`select to_regclass(${table}) is not null as there`
    if (!there?.there) throw new MillbookError(`the table ${table} is not there: restore it from its dump first`)
    const found = await rowsOf(tx, table)
    if (found !== rows)
      throw new MillbookError(
        `the table ${table} has ${found} movements and had ${rows}: restore it from its dump first`,
      )
  }
  onStep('putting the tables of archived years back')
  await tx.unsafe(`drop table stock_movement_${lastYear(begins)}`)
  for (const [year] of archived) {
    await tx.unsafe(`alter table ${archivedTable(year)} set schema ${known?.schema}`)
    const range = [Number(year), Number(year) + 1].map((one) => `'${firstOf(one)}'`)
    await tx.unsafe(
      `alter table stock_movement attach partition stock_movement_${year} for values from (${range[0]}) to (${range[1]})`,
    )
  }
  await beginLedger(tx, null, null, onStep)
  return { years: archived.map(([year]) => Number(year)) }
}

/** The table for what stays in the ledger of archived years. */
const createRest = (tx: Queryable) =>
  tx.unsafe('create table stock_movement_rest (like stock_movement including defaults including constraints)')

/** Makes it the part of the ledger up to its first day, under the name of the last archived year. */
async function attachRest(tx: Queryable, first: string): Promise<void> {
  const table = `stock_movement_${lastYear(first)}`
  await tx.unsafe(`alter table stock_movement_rest rename to ${table}`)
  await tx.unsafe(`alter table stock_movement attach partition ${table} for values from (minvalue) to ('${first}')`)
}

const firstOf = (year: number): string => `${String(year).padStart(4, '0')}-01-01`
const lastYear = (first: string): number => Number(first.slice(0, 4)) - 1

/** For a restore: partitions an empty ledger as one with archived years is. */
export async function partitionArchived(
  tx: Queryable,
  { begins, years }: { begins: string; years: readonly number[] },
): Promise<void> {
  await partitionIn(tx)
  await createRest(tx)
  await attachRest(tx, begins)
  await tx`select prepare_ledger(${years.filter((year) => year > lastYear(begins))})`
}

async function refuse(tx: Tx, year: number, first: string, past: readonly number[], condensed: number | undefined) {
  const [today] = await tx<{ day: string }[]>`
    select (now() at time zone time_zone)::date::text as day from account`
  if (first > (today?.day ?? ''))
    throw new MillbookError(`${year} is not over: archive years that nobody books movements in any more`)
  const own = await query<{ no: string }>(
    tx,
    sql`select movement_no as no from stock_movement m
         where m.movement_no like ${raw(`'${ARCHIVED}%'`)} and not ${standsForArchived} limit 1`,
  )
  if (own[0] !== undefined)
    throw new MillbookError(
      `the company's own movement ${own[0].no} has a number of the kind that stands for archived movements: give it another first`,
    )
  for (const one of past) {
    const name = archivedTable(one)
    const [there] = await tx<{ there: boolean }[]>`select to_regclass(${name}) is not null as there`
    if (there?.there && one !== condensed)
      throw new MillbookError(`there is a table ${name} already: dump it and drop it first`)
  }
}

/** Batches whose story is not over: of a later day, in stock, not in the ledger yet, or with a later movement. */
const openBatches = (first: string): Sql => {
  const day = sql`${literal(first)}::date`
  return sql`
    create temporary table open_batch on commit drop as
    select b.item_id, b.batch_no
      from batch b
      left join (select m.item_id, m.batch_no, bool_or(m.movement_date >= ${day}) as moves_later,
                        sum(${signed('stock', 'qty')}) as stock, sum(${signed('held', 'qty')}) as held,
                        bool_or(${standsForArchived}) as is_condensed
                   from stock_movement m where m.batch_no is not null group by 1, 2) own
        on own.item_id = b.item_id and own.batch_no = b.batch_no
      left join (select distinct m.for_item_id as item_id, m.for_batch_no as batch_no from stock_movement m
                  where m.for_batch_no is not null and m.movement_date >= ${day}) used
        on used.item_id = b.item_id and used.batch_no = b.batch_no
     where own.is_condensed is not true
       and (b.batch_date >= ${day} or own.item_id is null or own.moves_later or own.stock <> 0 or own.held <> 0
            or used.item_id is not null)`
}

/** Movements of open batches, and what was consumed for them. */
const keepOpen = (first: string): Sql => sql`
  insert into stock_movement_rest
  select m.* from stock_movement m
   where m.movement_date < ${literal(first)}::date and ${isOpen}`

const isOpen = sql`
  (exists (select from open_batch o where o.item_id = m.item_id and o.batch_no = m.batch_no)
   or exists (select from open_batch o where o.item_id = m.for_item_id and o.batch_no = m.for_batch_no))`

/**
 * All other movements, as few rows on the last day before: by item, warehouse and batch, what was produced, what came in otherwise,
 * what went out, and what was held and released. What was produced is apart because batches tell how much of them came into stock.
 */
const condense = (year: number, first: string): Sql => sql`
  insert into stock_movement_rest (item_id, movement_no, movement_date, kind, warehouse_id, batch_no, qty, val, val_tax, note)
  select item_id, ${literal(`${ARCHIVED}${year}/`)} || row_number() over (), ${literal(first)}::date - 1,
         (case when qty > 0 then kind when kind = 'other_receipt' then 'value_increase' else 'value_decrease' end)::movement_kind,
         warehouse_id, batch_no, qty, val, val_tax, ${literal(`movements up to the end of ${year}`)}
    from (select m.item_id, m.warehouse_id, m.batch_no,
                 case when m.kind in ('production_receipt', 'hold', 'release') then m.kind::text
                      when ${flows('in')} then 'other_receipt' else 'internal_issue' end as kind,
                 sum(m.qty) as qty, sum(m.val) as val, sum(m.val_tax) as val_tax
            from stock_movement m
           where m.movement_date < ${literal(first)}::date and not ${isOpen}
           group by 1, 2, 3, 4
           order by 1, 2, 3, 4) m`
