/** One statement that checks staged rows while it inserts them, in place of one pass per check. */
import { identifier, join, raw, type Sql, sql } from '../../db/sql.js'
import { type Joined, stagedRows } from '../checks.js'
import type { Column } from '../columns.js'
import { type Entity, storedName } from '../entity.js'
import { allHold } from './check.js'
import { leftJoins } from './contradictions.js'
import { projection, s } from './projection.js'

/**
 * Inserts the staged rows that pass every rule, lookup and reference and are in no contradiction. It inserts all rows if
 * nothing is wrong with any; otherwise it does not say what is wrong, and the checks have to.
 */
export function insertCheckedStatement(entity: Entity): Sql {
  const { joins, columns } = projection(entity)
  const list = (of: (column: (typeof columns)[number]) => Sql) => join(columns.map(of), ', ')
  const found = Object.entries(entity.columns).flatMap(([name, { lookup }], i) =>
    lookup === undefined ? [] : sql`(${s(name)} is null or ${columns[i]?.value as Sql} is not null)`,
  )
  // The table checks its own constraints.
  const rules = entity.rules?.filter(({ inTable }) => inTable !== true)
  const resolved = sql`
    select ${list(({ stored, value }) => sql`${value} as ${stored}`)}, ${join([allHold(rules), ...found], ' and ')} as holds
      from ${stagedRows(entity.name)} s ${joins}`
  const references = referencesOf(entity)
  const wrong = (entity.contradictions ?? []).flatMap(({ column, wrong }) =>
    column === undefined ? [] : sql`(${wrong})`,
  )
  // One expression (coalesce) after all joins: the planner would expect each of its parts to pass few rows.
  return sql`
    insert into ${identifier(entity.table)} (${list(({ stored }) => stored)})
    select ${list(({ stored }) => sql`m.${stored}`)} from (${resolved}) m ${leftJoins(references.joins)}
     where coalesce(m.holds and ${join([raw('true'), ...references.exist], ' and ')}
                    and (${join([raw('false'), ...wrong], ' or ')}) is not true, false)`
}

/** The conditions that what a row `m` refers to exists, with the joins for them, which contradictions mostly need as well. */
function referencesOf(entity: Entity): { joins: Readonly<Record<string, Joined>>; exist: Sql[] } {
  const joins: Record<string, Joined> = { ...entity.joins }
  const exist = (entity.references ?? []).map(({ columns, table, to, seldom }, i) => {
    const own = columns.map((name) => `m.${storedName(name, entity.columns[name] as Column)}`)
    const absent = own.map((column) => `${column} is null`).join(' or ')
    if (seldom) {
      const equal = to.map((column, j) => `x.${column} = ${own[j]}`).join(' and ')
      return raw(`(${absent} or exists (select from ${table} x where ${equal}))`)
    }
    const by = Object.fromEntries(to.map((column, j) => [column, own[j] as string]))
    const alias = Object.keys(joins).find((name) => isSame(joins[name] as Joined, { table, by })) ?? `x${i}`
    joins[alias] ??= { table, by }
    return raw(`(${absent} or ${alias}.${to[0]} is not null)`)
  })
  return { joins, exist }
}

const isSame = (a: Joined, b: Joined) =>
  a.table === b.table &&
  Object.keys(a.by).length === Object.keys(b.by).length &&
  Object.entries(a.by).every(([column, equal]) => b.by[column] === equal)
