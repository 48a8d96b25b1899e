/** `millbook migrate --partition`: a table of its own for each year of the ledger. */
import { readFileSync } from 'node:fs'
import { MillbookError } from '../errors.js'
import type { Database, Queryable } from './connect.js'
import { lockSchema } from './migrate.js'
import { query } from './query.js'
import { type Sql, sql } from './sql.js'

// The same from src/ and from dist/.
const read = (name: string) => readFileSync(new URL(`../../src/db/${name}`, import.meta.url), 'utf8')
const PARTITION = read('partition.sql')
/** Also of a cluster. */
export const MOVEMENT_COPIES = read('movement-copies.sql')

/** The code with which `prepare_ledger` refuses a year. */
const DETACHED = 'MB001'

/** The copies of movements beside a partitioned ledger, each with its rows. */
const copies = {
  order_movement: `
    select order_no, order_line_no, item_id, movement_date, movement_no, kind, batch_no, qty, val, val_tax, warehouse_id
      from stock_movement where order_no is not null`,
  invoice_movement: `
    select invoice_no, invoice_line_no, item_id, movement_date, movement_no, kind, val, val_tax
      from stock_movement where invoice_no is not null`,
  work_order_movement: `
    select work_order_no, item_id, movement_date, movement_no, kind, qty, val
      from stock_movement where work_order_no is not null`,
  receipt_movement: `
    select po_no, grn_no, item_id, movement_date, movement_no, kind, batch_no, qty, warehouse_id
      from stock_movement where grn_no is not null`,
}

export const COPY_NAMES: readonly string[] = Object.keys(copies)

/** The names of the copies; none if the ledger is not partitioned. */
export const movementCopies = async (db: Queryable): Promise<readonly string[]> =>
  (await isPartitioned(db)) ? COPY_NAMES : []

export async function isPartitioned(db: Queryable): Promise<boolean> {
  const [ledger] = await db<{ partitioned: boolean }[]>`
    select relkind = 'p' as partitioned from pg_class where oid = 'stock_movement'::regclass`
  return ledger?.partitioned === true
}

/**
 * Before movements of these years are written; `years` selects them. Resolves to the tables of these years, and to none if the
 * ledger is not partitioned.
 */
export async function prepareYears(tx: Queryable, years: Sql): Promise<readonly string[]> {
  if (!(await isPartitioned(tx))) return []
  await tx`select prepare_ledger(array(${years}))`.catch((error: { code?: string; message: string }) => {
    throw error.code === DETACHED ? new MillbookError(error.message) : error
  })
  const tables = await query<{ name: string }>(
    tx,
    sql`select 'stock_movement_' || y.year as name from (${years}) y(year)`,
  )
  return tables.map(({ name }) => name)
}

/** Of a load with a smaller part of the ledger, only the years that it has written to need new statistics. */
const LARGE_PART = 0.1

/**
 * The tables whose statistics a load of so many movements has made old, each with the columns that plans depend on. `years` are
 * the tables that it wrote to. Statistics of a whole partitioned ledger would take those of all years with them.
 */
export async function writtenTables(
  tx: Queryable,
  years: readonly string[],
  columns: readonly string[],
  rows: number,
): Promise<readonly [string, readonly string[]][]> {
  const ledger: [string, readonly string[]] = ['stock_movement', columns]
  if (years.length === 0) return [ledger]
  const [stored] = await tx<{ rows: number }[]>`
    select coalesce(sum(greatest(c.reltuples, 0)), 0)::float8 as rows
      from pg_inherits h join pg_class c on c.oid = h.inhrelid where h.inhparent = 'stock_movement'::regclass`
  if (rows <= LARGE_PART * (stored?.rows ?? 0)) return years.map((year) => [year, columns])
  return [ledger, ...COPY_NAMES.map((copy): [string, string[]] => [copy, ['item_id', 'movement_date', 'kind']])]
}

/** Resolves to the years of the ledger, and to whether it did anything. The schema must be this program's. */
export async function partition({ db, engine, distributed }: Pick<Database, 'db' | 'engine' | 'distributed'>): Promise<{
  years: number[]
  partitioned: boolean
}> {
  if (engine === 'embedded')
    throw new MillbookError(
      'only the ledger of a PostgreSQL server can be partitioned: name its database with --database URL',
    )
  if (distributed)
    throw new MillbookError('the ledger is distributed over the nodes of a cluster, and cannot be partitioned by year')
  return await db.begin(async (tx) => {
    await tx.unsafe('set local statement_timeout = 0; set local lock_timeout = 0')
    await lockSchema(tx)
    const partitioned = !(await isPartitioned(tx))
    if (partitioned) await partitionIn(tx)
    return { years: await yearsOf(tx), partitioned }
  })
}

/** Partitions a ledger that is one table. */
export async function partitionIn(tx: Queryable): Promise<void> {
  const [issued] = await tx<{ text: string }[]>`select pg_get_viewdef('sales_order_line_issued'::regclass) as text`
  await tx.unsafe(MOVEMENT_COPIES)
  await tx.unsafe(PARTITION)
  await tx.unsafe(`create view sales_order_line_issued as ${issued?.text}`)
  await rewriteCopies(tx)
  await tx.unsafe(`analyze stock_movement, ${COPY_NAMES.join(', ')}`)
}

/** The years of a partitioned ledger. */
export const yearsOf = async (tx: Queryable): Promise<number[]> =>
  (
    await tx<{ year: number }[]>`
      select substring(c.relname from '\\d+$')::int as year
        from pg_inherits h join pg_class c on c.oid = h.inhrelid where h.inhparent = 'stock_movement'::regclass order by 1`
  ).map(({ year }) => year)

/** Of archived movements, the copies are all that is left. */
const IN_LEDGER = `movement_date >= coalesce((select ledger_begins from data_version), '-infinity')`

/** Makes the copies again from the ledger. */
export async function rewriteCopies(tx: Queryable): Promise<void> {
  for (const [table, rows] of Object.entries(copies)) {
    await tx.unsafe(`delete from ${table} where ${IN_LEDGER}`)
    await tx.unsafe(`insert into ${table} ${rows} and ${IN_LEDGER}`)
  }
}

/** How many rows of each copy differ from the ledger. */
export async function differingCopies(db: Queryable): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const [table, rows] of Object.entries(copies)) {
    const [row] = await db.unsafe<{ n: number }[]>(`
      select count(*)::int as n from (
        (select * from ${table} where ${IN_LEDGER} except all ${rows} and ${IN_LEDGER}) union all
        (${rows} and ${IN_LEDGER} except all select * from ${table} where ${IN_LEDGER})) d`)
    found[table] = row?.n ?? 0
  }
  return found
}
