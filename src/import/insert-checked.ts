/** Movements that are new are checked while they are inserted: one pass, where the checks one by one take seventeen. */
import type { Database, Queryable } from '../db/connect.js'
import { query } from '../db/query.js'
import { join, raw, type Sql, sql } from '../db/sql.js'
import type { Column } from './columns.js'
import { joined, ofMovements, type Referred } from './contradictions.js'
import { type Entity, storedName } from './entity.js'
import { allHold, insertFast, projection, repeated, s, staged } from './merge.js'
import type { Staged } from './stage.js'

/**
 * Where none of the staged movements is there yet: inserts those with which nothing is wrong, by everything that `checkStaged`
 * and the contradictions ask. Where that is not all of them, it undoes that, and tells so.
 */
export async function insertSound(
  tx: Queryable & { savepoint<T>(work: (tx: Queryable) => Promise<T>): Promise<T> },
  entity: Entity,
  { rows, ascending }: Staged,
  engine: Database['engine'],
): Promise<boolean> {
  const { joins, columns } = projection(entity)
  const [there] = await query<{ n: number }>(
    tx,
    sql`select count(*)::int as n from ${staged(entity)} s join stock_movement m on m.movement_no = s.movement_no`,
  )
  if (there?.n !== 0 || (!ascending && (await query(tx, sql`${repeated(entity)} limit 1`)).length > 0)) return false

  const list = (of: (column: (typeof columns)[number]) => Sql) => join(columns.map(of), ', ')
  const found = Object.entries(entity.columns).flatMap(([name, { lookup }], i) =>
    lookup === undefined ? [] : sql`(${s(name)} is null or ${columns[i]?.value as Sql} is not null)`,
  )
  // What the table asks as well is asked once; where it refuses a row, the checks find out why.
  const asked = entity.rules?.filter(({ inTable }) => inTable !== true)
  const resolved = sql`
    select ${list(({ stored, value }) => sql`${value} as ${stored}`)}, ${join([allHold(asked), ...found], ' and ')} as holds
      from ${staged(entity)} s ${joins}`
  // What contradictions look at is mostly what must be there: it is joined once. What few rows refer to is not joined.
  const refers: Record<string, Referred> = { ...ofMovements.refers }
  const present = (entity.references ?? []).map(({ columns: by, table, to, seldom }, i) => {
    const own = by.map((name) => `m.${storedName(name, entity.columns[name] as Column)}`)
    const absent = own.map((column) => `${column} is null`).join(' or ')
    if (seldom) {
      const same = to.map((column, j) => `x.${column} = ${own[j]}`).join(' and ')
      return raw(`(${absent} or exists (select from ${table} x where ${same}))`)
    }
    const same = Object.fromEntries(to.map((column, j) => [column, own[j] as string]))
    const alias = Object.keys(refers).find((name) => isSame(refers[name] as Referred, { table, by: same })) ?? `x${i}`
    refers[alias] ??= { table, by: same }
    return raw(`(${absent} or ${alias}.${to[0]} is not null)`)
  })
  // One expression after all joins (coalesce): the planner would take each of its parts for one that few rows pass.
  const insert = sql`
    insert into stock_movement (${list(({ stored }) => stored)})
    select ${list(({ stored }) => sql`m.${stored}`)} from (${resolved}) m ${joined(refers)}
     where coalesce(m.holds and ${join(present, ' and ')} and (${ofMovements.wrong}) is not true, false)`
  try {
    await tx.savepoint((inner) =>
      insertFast(inner, entity, rows, engine, async () => {
        if ((await query(inner, insert)).count !== rows) throw new Unsound()
      }),
    )
    return true
  } catch (error) {
    // What a constraint refuses is found and told by the checks as well.
    if (error instanceof Unsound || /^2[123]/.test((error as { code?: string }).code ?? '')) return false
    throw error
  }
}

class Unsound extends Error {}

const isSame = (a: Referred, b: Referred) =>
  a.table === b.table &&
  Object.keys(a.by).length === Object.keys(b.by).length &&
  Object.entries(a.by).every(([column, equal]) => b.by[column] === equal)
