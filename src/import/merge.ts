/** Checks staged rows against everything else and merges them into their tables, in SQL made from the entity. */
import type { Database, Queryable } from '../db/connect.js'
import { query } from '../db/query.js'
import { identifier, join, raw, type Sql, sql } from '../db/sql.js'
import type { Column, Lookup } from './columns.js'
import { withoutForeignKeys, withoutIndexes } from './embedded-bulk.js'
import { type Entity, type Rule, storedName } from './entity.js'
import { type Problems, SHOWN } from './problems.js'
import { type Staged, stagingTable } from './stage.js'

export interface Counts {
  new: number
  changed: number
  same: number
  removed: number
}

export const staged = (entity: Entity) => raw(stagingTable(entity))
export const s = (name: string) => sql`s.${identifier(name)}`

/** The rows that a master's code can mean: an item by its code, a warehouse by its key or its location. */
const masters: Record<Lookup['table'], Sql> = {
  item: sql`(select id, sku as ref from item)`,
  warehouse: sql`(select id, key as ref from warehouse union all select id, location from warehouse)`,
}

/** A join for each code of a master, and the table's columns with the values for them. */
export function projection(entity: Entity) {
  const joins: Sql[] = []
  const columns: { stored: Sql; value: Sql }[] = []
  Object.entries(entity.columns).forEach(([name, column], i) => {
    const alias = raw(`r${i}`)
    if (column.lookup) joins.push(sql`left join ${masters[column.lookup.table]} ${alias} on ${alias}.ref = ${s(name)}`)
    const value = column.lookup ? sql`${alias}.id` : s(name)
    columns.push({ stored: identifier(storedName(name, column)), value })
  })
  return { joins: join(joins, ' '), columns }
}

/** A value as a person writes it. */
const shown = ({ columns }: Entity, name: string): Sql =>
  columns[name]?.sqlType === 'numeric' ? sql`trim_scale(${s(name)})::text` : sql`${s(name)}::text`

/** Everything that can be wrong with staged rows beside the cells themselves. */
export async function checkStaged(
  tx: Queryable,
  entity: Entity,
  file: string,
  { ascending }: Staged,
  broken: ReadonlySet<string>,
  problems: Problems,
): Promise<void> {
  const { joins, columns } = projection(entity)
  const names = Object.keys(entity.columns)
  const resolved = (name: string) => columns[names.indexOf(name)]?.value as Sql
  const find = async (column: string, wrong: Sql, message: string) => {
    const rows = await query<{ line: string; value: string | null; total: string }>(
      tx,
      sql`select s.line, ${column === '' ? raw('null') : shown(entity, column)} as value, count(*) over () as total
            from ${staged(entity)} s ${joins} where ${wrong} order by s.line limit ${SHOWN}::int`,
    )
    for (const { line, value } of rows) problems.add({ file, line: Number(line), column, value, message })
    problems.count += Math.max(0, Number(rows[0]?.total ?? 0) - rows.length)
  }

  if (entity.key.length === 0) {
    await find('', sql`s.line > (select min(line) from ${staged(entity)})`, 'there is only one row of this')
  } else if (!ascending) {
    const twice = repeated(entity)
    const same = entity.key.map((name) => sql`e.${identifier(name)} = ${s(name)}`)
    const [any] = await query(tx, sql`${twice} limit 1`)
    if (any !== undefined)
      await find(
        entity.key[0] as string,
        sql`exists (select from (${twice}) e where ${join(same, ' and ')} and e.line < s.line)`,
        `there is an earlier row with the same ${entity.key.join(', ')}`,
      )
  }

  // One look at all rules together, and at each only where one of them is broken.
  const rules = entity.rules ?? []
  const [any] =
    rules.length === 0
      ? []
      : await query(tx, sql`select 1 from ${staged(entity)} s where not (${allHold(entity.rules)}) limit 1`)
  if (any !== undefined)
    for (const { column, holds, expects } of rules) await find(column, sql`not (${holds})`, `expected ${expects}`)

  for (const [name, { lookup }] of Object.entries(entity.columns)) {
    if (lookup === undefined || broken.has(lookup.table)) continue
    await find(
      name,
      sql`${s(name)} is not null and ${resolved(name)} is null`,
      `there is no such row in ${lookup.entity}`,
    )
  }
  for (const { columns: by, table, to, entity: target } of entity.references ?? []) {
    if ([table, ...by.map((name) => entity.columns[name]?.lookup?.table ?? '')].some((name) => broken.has(name)))
      continue
    const given = by.map((name) => sql`${resolved(name)} is not null`)
    const matches = by.map((name, i) => sql`t.${identifier(to[i] as string)} = ${resolved(name)}`)
    await find(
      by[0] as string,
      sql`${join(given, ' and ')} and not exists (select from ${identifier(table)} t where ${join(matches, ' and ')})`,
      `there is no such row in ${target}${by.length > 1 ? ` (by ${by.join(', ')})` : ''}`,
    )
  }
}

/** The keys that are there more than once: found by grouping, not by looking up every row. */
export const repeated = (entity: Entity): Sql => {
  const key = join(entity.key.map(identifier), ', ')
  return sql`select min(line) as line, ${key} from ${staged(entity)} group by ${key} having count(*) > 1`
}

export const allHold = (rules: readonly Rule[] = []): Sql =>
  join([raw('true'), ...rules.map(({ holds }) => sql`coalesce(${holds}, true)`)], ' and ')

/** The table's columns that name a row. */
const named = (entity: Entity): readonly string[] =>
  entity.conflict ?? entity.key.map((name) => storedName(name, entity.columns[name] as Column))

/** Not worth any preparation. */
const FEW_ROWS = 1000

/**
 * Writes the staged rows: new ones are inserted, changed ones replaced, the rest is left alone. Not by ON CONFLICT, which
 * looks into the index for every row: nobody else writes during a load, and comparing sets is faster.
 */
export async function mergeStaged(
  tx: Queryable,
  entity: Entity,
  rows: number,
  engine: Database['engine'],
): Promise<Counts> {
  const { joins, columns } = projection(entity)
  const table = identifier(entity.table)
  const key = named(entity)
  const keyColumns = columns.filter(({ stored }) => key.some((name) => identifier(name).text === stored.text))
  const list = (of: (column: (typeof columns)[number]) => Sql) => join(columns.map(of), ', ')
  /** The row that is there, `t`; of the one account there is always one. */
  const there = (value: (column: (typeof columns)[number]) => Sql) =>
    key.length === 0
      ? raw('true')
      : join(
          keyColumns.map((column) => sql`t.${column.stored} = ${value(column)}`),
          ' and ',
        )
  const all = list(({ stored }) => stored)
  const news = list(({ stored }) => sql`n.${stored}`)

  const isLedger = entity.table === 'stock_movement'
  const moved = isLedger ? await removeMoved(tx, entity) : 0
  const changed = await query(
    tx,
    sql`update ${table} t set (${all}) = row(${news})
          from (select ${list(({ stored, value }) => sql`${value} as ${stored}`)} from ${staged(entity)} s ${joins}) n
         where ${there(({ stored }) => sql`n.${stored}`)} and (${list(({ stored }) => sql`t.${stored}`)}) is distinct from (${news})`,
  )
  const insert = () =>
    query(
      tx,
      // In the order of the file, where the table numbers its rows.
      sql`insert into ${table} (${all}) select ${list(({ value }) => value)} from ${staged(entity)} s ${joins}
           where not exists (select from ${table} t where ${there(({ value }) => value)})
           ${raw(isLedger ? '' : 'order by s.line')}`,
    )
  const fresh = await insertFast(tx, entity, rows, engine, insert)
  return {
    new: fresh.count - moved,
    changed: changed.count + moved,
    same: rows - fresh.count - changed.count,
    removed: 0,
  }
}

/** As fast as the engine allows. */
export const insertFast = <T>(
  tx: Queryable,
  entity: Entity,
  rows: number,
  engine: Database['engine'],
  insert: () => Promise<T>,
) =>
  engine === 'embedded' && rows > FEW_ROWS
    ? withoutForeignKeys(tx, () =>
        entity.table === 'stock_movement' ? withoutIndexes(tx, entity.table, rows, insert) : insert(),
      )
    : insert()

/** A movement that now names another item: its row has another key in the ledger, so the old one goes. */
async function removeMoved(tx: Queryable, entity: Entity): Promise<number> {
  const gone = await query(
    tx,
    sql`delete from stock_movement m using ${staged(entity)} s join item i on i.sku = s.sku
         where m.movement_no = s.movement_no and m.item_id <> i.id`,
  )
  return gone.count
}

/** Removes every row that the file does not have. */
export async function removeOthers(tx: Queryable, entity: Entity): Promise<number> {
  const { joins, columns } = projection(entity)
  // By what names a row in the table: a receipt that now belongs to another order has a new row, and the old one goes.
  const same = columns
    .filter(({ stored }) => named(entity).some((name) => identifier(name).text === stored.text))
    .map(({ stored, value }) => sql`t.${stored} = ${value}`)
  const gone = await query(
    tx,
    sql`delete from ${identifier(entity.table)} t
         where not exists (select from ${staged(entity)} s ${joins} where ${join(same, ' and ')})`,
  )
  return gone.count
}
