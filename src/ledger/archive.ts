/**
 * `millbook archive`: moves past years from a partitioned ledger to tables of their own. What the rest of the ledger needs of them stays in
 * it, so that every figure from the next year on is what it was (docs/decisions/0033):
 *
 * - the movements of open batches, and what was consumed for them, as they are;
 * - of everything else, sums by item, warehouse and batch, as movements on the last day before.
 *
 * Rows are moved by insert and delete. Readers go on meanwhile, each with the rows of its snapshot: detached tables would be gone for all.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Tx } from '../db/connect.js'
import { lockSchema } from '../db/migrate.js'
import { isPartitioned, prepareYears, yearsOf } from '../db/partition.js'
import { query } from '../db/query.js'
import { literal, raw, type Sql, sql } from '../db/sql.js'
import { MillbookError } from '../errors.js'
import { derivedTables, rebuildClosings } from './closings.js'
import { flows, signed } from './figures.js'
import { firstDay, hashOf, ledgerBegins, partOf } from './first-day.js'

/** The schema of the tables of archived years. */
export const ARCHIVE = 'millbook_archive'

/** The numbers of movements that are sums begin with this, the year, and a slash. */
const PREFIX = 'ARCHIVED/'

/** Whether the movement `m` is a sum of archived ones. */
const isSum = sql`(m.movement_date < ${firstDay} and m.movement_no like ${raw(`'${PREFIX}%'`)})`

export interface Archived {
  /** Whether it did anything. */
  readonly archived: boolean
  /** The first day of the ledger; null if no year is archived. */
  readonly begins: string | null
  /** The tables that have the movements now, with their schema. */
  readonly tables: readonly string[]
  /** How many movements they have. */
  readonly movements: number
  /** How many of them stay in the ledger too. */
  readonly kept: number
  /** How many rows of the ledger are sums of the others. */
  readonly sums: number
}

export interface TakenBack {
  readonly years: readonly number[]
  /** How many movements came back. */
  readonly movements: number
}

export interface ArchiveOptions {
  /** Do everything but commit. */
  readonly dryRun?: boolean
  /** Called before each step. */
  readonly onStep?: (step: string) => void
  /** Called at the end, in the transaction, with the version of the data and with how many rows the ledger gained and lost. */
  readonly onDone?: (tx: Tx, done: Done) => Promise<void>
}

interface Done {
  readonly version: number
  readonly seconds: number
  readonly added: number
  readonly removed: number
}

type Server = Pick<Database, 'db' | 'engine' | 'distributed'>

/** Archives all years up to this one, in one transaction. The caller holds `lockLoads`. */
export const archive = (database: Server, year: number, options: ArchiveOptions = {}): Promise<Archived> =>
  inTransaction(
    database,
    options,
    (tx, onStep) => archiveIn(tx, year, onStep),
    ({ sums }) => sums,
  )

/** Takes all archived years back, in one transaction. The caller holds `lockLoads`. */
export const takeBack = (database: Server, options: ArchiveOptions = {}): Promise<TakenBack> =>
  inTransaction(database, options, takeBackIn, ({ movements }) => movements)

/** How long each try waits for reports that read a table; new reports wait as long. */
const LOCK = '1s'

/**
 * Makes the space of moved movements usable again. To give it back to the disk too, `shrink` writes the tables of archived years anew, for which
 * reports wait. To be called after the commit; throws if reports read them all the time.
 */
export async function vacuumArchived({ db }: Server, shrink: boolean, tries = 20): Promise<void> {
  const begins = await ledgerBegins(db)
  const { client, release } = await db.lease() // one session
  try {
    await client.run(`set statement_timeout = 0; set lock_timeout = '${LOCK}'`)
    for (const year of await yearsOf(db)) {
      if (begins === undefined || firstOf(year) >= begins) continue
      const table = `stock_movement_${year}`
      for (let left = tries; ; left--)
        try {
          await client.run(`vacuum (${shrink ? 'full, ' : ''}analyze) ${table}`)
          break
        } catch (error) {
          if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error
          if (left === 1) throw new MillbookError(`reports read the table ${table} all the time`)
          await sleep(500)
        }
    }
  } finally {
    await client.run('reset statement_timeout; reset lock_timeout').catch(() => {})
    release()
  }
}

// PostgreSQL's codes.
const LOCK_NOT_AVAILABLE = '55P03'
const DEPENDENT_OBJECTS = '2BP01'

class DryRun extends Error {}

async function inTransaction<T>(
  { db, engine, distributed }: Server,
  { dryRun = false, onStep = () => {}, onDone = async () => {} }: ArchiveOptions,
  work: (tx: Tx, onStep: (step: string) => void) => Promise<T>,
  addedBy: (result: T) => number,
): Promise<T> {
  const started = performance.now()
  if (engine === 'embedded')
    throw new MillbookError(
      'only years of a ledger on a PostgreSQL server can be archived: name its database with --database URL',
    )
  if (distributed)
    throw new MillbookError('the ledger is distributed over the nodes of a cluster, and its years cannot be archived')
  let result: T | undefined
  try {
    await db.begin(async (tx) => {
      await tx.unsafe(
        `set local statement_timeout = 0; set local lock_timeout = 0; set local work_mem = '128MB'; set local datestyle = 'ISO'`,
      )
      await lockSchema(tx)
      // Nobody writes movements meanwhile; everybody may read them.
      await tx.unsafe('lock table stock_movement in share row exclusive mode')
      const [before, version] = [await rowsOf(tx, 'stock_movement'), await versionOf(tx)]
      result = await work(tx, onStep)
      const now = await versionOf(tx)
      if (now !== version) {
        const added = addedBy(result)
        const removed = before + added - (await rowsOf(tx, 'stock_movement'))
        await onDone(tx, { version: now, seconds: (performance.now() - started) / 1000, added, removed })
      }
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
  const [any] = await query(tx, sql`select from stock_movement m where ${isPast(first)} and not ${isSum} limit 1`)
  if (any === undefined || (begins !== undefined && begins >= first))
    return { archived: false, begins: begins ?? null, tables: [], movements: 0, kept: 0, sums: 0 }
  await refuse(tx, year)

  onStep('finding the batches whose movements stay')
  await query(tx, openBatches(first))
  await tx.unsafe('create index on open_batch (item_id, batch_no); analyze open_batch')
  await prepareYears(tx, raw(`values (${year})`))

  onStep('adding up all other movements')
  await query(tx, sumUp(year, first))
  await tx.unsafe(`create schema if not exists ${ARCHIVE}`)
  const moved: Record<string, Contents> = {}
  for (const one of (await yearsOf(tx)).filter((one) => one <= year)) {
    onStep(`moving the movements of ${one}`)
    const contents = await move(tx, one, begins)
    if (contents !== undefined) moved[one] = contents
  }
  const sums = (
    await tx.unsafe(`insert into stock_movement_${year} (${SUM_COLUMNS}) select ${SUM_COLUMNS} from summed`)
  ).count
  const [kept] = await query<{ rows: number }>(
    tx,
    sql`select count(*)::float8 as rows from stock_movement m where ${isPast(first)}`,
  )
  await tx`insert into archived_batch
           select distinct item_id, batch_no from summed where batch_no is not null on conflict do nothing`
  await tx.unsafe('analyze archived_batch, archived_use, archived_number')
  await beginLedger(tx, first, moved, onStep)
  return {
    ...{ archived: true, begins: first, tables: Object.keys(moved).map(archivedTable) },
    movements: Object.values(moved).reduce((all, { rows }) => all + rows, 0),
    ...{ kept: (kept?.rows ?? 0) - sums, sums },
  }
}

const firstOf = (year: number): string => `${String(year).padStart(4, '0')}-01-01`
const archivedTable = (year: number | string): string => `${ARCHIVE}.stock_movement_${year}`
const isPast = (first: string): Sql => sql`m.movement_date < ${literal(first)}::date`

async function refuse(tx: Tx, year: number): Promise<void> {
  const [today] = await tx<{ day: string }[]>`
    select (now() at time zone time_zone)::date::text as day from account`
  if (year >= Number(today?.day.slice(0, 4)))
    throw new MillbookError(`${year} is not over: archive years that nobody books movements in any more`)
  const [own] = await query<{ no: string }>(
    tx,
    sql`select movement_no as no from stock_movement m
         where m.movement_no like ${raw(`'${PREFIX}%'`)} and not ${isSum} limit 1`,
  )
  if (own !== undefined)
    throw new MillbookError(
      `the company's own movement ${own.no} has a number of the kind that sums of archived movements have: give it another first`,
    )
}

/** Batches whose story is not over: of a later day, in stock, not in the ledger yet, or with a later movement. */
const openBatches = (first: string): Sql => {
  const day = sql`${literal(first)}::date`
  return sql`
    create temporary table open_batch on commit drop as
    select b.item_id, b.batch_no
      from batch b
      left join (select m.item_id, m.batch_no, bool_or(m.movement_date >= ${day}) as moves_later,
                        sum(${signed('stock', 'qty')}) as stock, sum(${signed('held', 'qty')}) as held
                   from stock_movement m where m.batch_no is not null group by 1, 2) own
        on own.item_id = b.item_id and own.batch_no = b.batch_no
      left join (select distinct m.for_item_id as item_id, m.for_batch_no as batch_no from stock_movement m
                  where m.for_batch_no is not null and m.movement_date >= ${day}) used
        on used.item_id = b.item_id and used.batch_no = b.batch_no
     where not exists (select from archived_batch a where a.item_id = b.item_id and a.batch_no = b.batch_no)
       and (b.batch_date >= ${day} or own.item_id is null or own.moves_later or own.stock <> 0 or own.held <> 0
            or used.item_id is not null)`
}

/** Whether the movement `m` is of an open batch, or was consumed for one. */
const isOpen = sql`
  (exists (select from open_batch o where o.item_id = m.item_id and o.batch_no = m.batch_no)
   or exists (select from open_batch o where o.item_id = m.for_item_id and o.batch_no = m.for_batch_no))`

/**
 * All other movements, as few rows on the last day before: by item, warehouse and batch, what was produced, purchased, came in otherwise,
 * went out, was held and was released. What was produced and purchased is apart because checks compare it with the batch.
 */
const sumUp = (year: number, first: string): Sql => sql`
  create temporary table summed on commit drop as
  select item_id, ${literal(`${PREFIX}${year}/`)} || row_number() over () as movement_no, ${literal(first)}::date - 1 as movement_date,
         (case when qty > 0 then kind when kind = 'other_receipt' then 'value_increase' else 'value_decrease' end)::movement_kind as kind,
         warehouse_id, batch_no, qty, val, val_tax, ${literal(`movements up to the end of ${year}`)} as note
    from (select m.item_id, m.warehouse_id, m.batch_no,
                 case when m.kind in ('production_receipt', 'purchase_receipt', 'hold', 'release') then m.kind::text
                      when ${flows('in')} then 'other_receipt' else 'internal_issue' end as kind,
                 sum(m.qty) as qty, sum(m.val) as val, sum(m.val_tax) as val_tax
            from stock_movement m
           where ${isPast(first)} and not ${isOpen}
           group by 1, 2, 3, 4
           order by 1, 2, 3, 4) m`

const SUM_COLUMNS = 'item_id, movement_no, movement_date, kind, warehouse_id, batch_no, qty, val, val_tax, note'

/**
 * Moves a year to its own table, all of it, and takes what is added up out of the ledger; resolves to what the table has, and to undefined if
 * none was made: the year has no movements, or was archived before.
 */
async function move(tx: Tx, year: number, begins: string | undefined): Promise<Contents | undefined> {
  const table = `stock_movement_${year}`
  const isFirst = (begins === undefined || firstOf(year) >= begins) && (await rowsOf(tx, table)) > 0
  if (isFirst) {
    const there = await tx<{ there: boolean }[]>`select to_regclass(${archivedTable(year)}) is not null as there`
    if (there[0]?.there)
      throw new MillbookError(
        `there is a table ${archivedTable(year)} already: drop it, or give it another name, first`,
      )
    await tx.unsafe(`create table ${archivedTable(year)} as select * from ${table}`)
  }
  await query(
    tx,
    sql`insert into archived_use
        select distinct for_item_id, for_batch_no from ${raw(table)} m
         where for_item_id is not null and not ${isOpen}
           and not exists (select from archived_use u where u.for_item_id = m.for_item_id
                              and u.for_batch_no is not distinct from m.for_batch_no)`,
  )
  await query(
    tx,
    sql`insert into archived_number
        select ${partOf(raw('hash'))}, array_agg(hash)
          from (select ${hashOf(raw('m.movement_no'))} as hash from ${raw(table)} m where not ${isOpen} and not ${isSum}) x
         group by 1
            on conflict (part) do update set hashes = archived_number.hashes || excluded.hashes`,
  )
  // From the table of the year: triggers of the ledger would take the movements of documents away beside it.
  await query(tx, sql`delete from ${raw(table)} m where not ${isOpen}`)
  return isFirst ? await contentsOf(tx, archivedTable(year)) : undefined
}

interface Contents {
  readonly rows: number
  /** Changes with any of the rows, whatever their order. */
  readonly sum: string
}

async function contentsOf(tx: Tx, table: string): Promise<Contents> {
  const [contents] = await query<Contents>(
    tx,
    sql`select count(*)::float8 as rows, coalesce(sum(${hashOf(raw('t::text'))}), 0)::text as sum from ${raw(table)} t`,
  )
  return contents as Contents
}

const versionOf = async (tx: Tx): Promise<number> => {
  const [row] = await tx<{ version: number }[]>`select version::int as version from data_version`
  return row?.version ?? 0
}

const rowsOf = async (tx: Tx, table: string): Promise<number> => {
  const [row] = await tx.unsafe<{ rows: number }[]>(`select count(*)::float8 as rows from ${table}`)
  return row?.rows ?? 0
}

/** Notes where the ledger begins and what has left it, as a new version of the data, and derives everything from it again. */
async function beginLedger(
  tx: Tx,
  first: string | null,
  moved: Readonly<Record<string, Contents>> | null,
  onStep: (step: string) => void,
): Promise<void> {
  const all = (what: keyof Contents) =>
    JSON.stringify(Object.fromEntries(Object.entries(moved ?? {}).map(([year, contents]) => [year, contents[what]])))
  await tx`update data_version
              set version = version + 1, committed_at = now(), ledger_begins = ${first},
                  archived_years = case when ${moved !== null} then coalesce(archived_years, '{}') || ${all('rows')}::text::jsonb end,
                  archived_sums = case when ${moved !== null} then coalesce(archived_sums, '{}') || ${all('sum')}::text::jsonb end,
                  changed = ${['stock_movement', ...Object.keys(derivedTables)]}`
  // The next load compares each row of a file with the ledger as it is now.
  await tx`delete from loaded_file where entity = 'stock_movements'`
  await tx`delete from loaded_rows where entity = 'stock_movements'`
  onStep('computing the closings again')
  await rebuildClosings(tx)
  await tx.unsafe(`analyze stock_movement, ${Object.keys(derivedTables).join(', ')}`)
}

/** Loads since the archive wrote later movements only, so the archived tables hold everything that the ledger lacks. */
async function takeBackIn(tx: Tx, onStep: (step: string) => void): Promise<TakenBack> {
  const begins = await ledgerBegins(tx)
  if (begins === undefined) return { years: [], movements: 0 }
  const [known] = await tx<{ years: Record<string, number>; sums: Record<string, string> | null }[]>`
    select archived_years as years, archived_sums as sums from data_version`
  const archived = Object.entries(known?.years ?? {})
  for (const [year, rows] of archived) {
    const table = archivedTable(year)
    const [there] = await tx<{ there: boolean }[]>`select to_regclass(${table}) is not null as there`
    if (!there?.there) throw new MillbookError(`the table ${table} is not there: restore it from its dump first`)
    const found = await contentsOf(tx, table)
    if (found.rows !== rows)
      throw new MillbookError(
        `the table ${table} has ${found.rows} movements and had ${rows}: restore it from its dump first`,
      )
    if (found.sum !== (known?.sums?.[year] ?? found.sum))
      throw new MillbookError(
        `the movements in the table ${table} are not those of the day on which it was archived: restore it from the dump of that day first`,
      )
  }
  await prepareYears(tx, raw(`values ${archived.map(([year]) => `(${year})`).join(', ')}`))
  for (const year of await yearsOf(tx))
    if (firstOf(year) < begins) await tx.unsafe(`delete from stock_movement_${year}`) // what stayed of it
  for (const [year] of archived) {
    onStep(`moving the movements of ${year} back`)
    const [columns] = await tx<{ names: string }[]>`
      select string_agg(quote_ident(attname), ', ') as names from pg_attribute
       where attrelid = to_regclass(${archivedTable(year)}) and attnum > 0 and not attisdropped`
    await tx.unsafe(
      `insert into stock_movement_${year} (${columns?.names}) select ${columns?.names} from ${archivedTable(year)}`,
    )
    await tx.unsafe(`drop table ${archivedTable(year)}`).catch((error) => {
      const { code, detail } = error as { code?: string; detail?: string }
      throw code === DEPENDENT_OBJECTS
        ? new MillbookError(`the table ${archivedTable(year)} is used elsewhere: drop that first (${detail})`)
        : error
    })
  }
  await tx.unsafe('delete from archived_batch; delete from archived_use; delete from archived_number')
  await beginLedger(tx, null, null, onStep)
  return {
    years: archived.map(([year]) => Number(year)),
    movements: archived.reduce((all, [, rows]) => all + rows, 0),
  }
}
