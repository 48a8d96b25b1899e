/** Checks staged rows while inserting them, with one statement instead of a pass per check. */
import type { Engine, Queryable } from '../../db/connect.js'
import { query } from '../../db/query.js'
import { identifier, join, raw, type Sql, sql } from '../../db/sql.js'
import type { Transaction } from '../../ledger/write.js'
import { isRefusedRow } from '../../sqlstate.js'
import { type Joined, stagedRows } from '../checks.js'
import type { Column } from '../columns.js'
import { type Entity, storedName } from '../entity.js'
import { allHold, repeatedKeys } from './check.js'
import { leftJoins } from './contradictions.js'
import { mergeStatements } from './merge.js'
import { projection, s } from './projection.js'
import type { Staged } from './stage.js'

class NotAllInserted extends Error {}

/**
 * Inserts all staged rows if none is stored or staged twice and all pass every check; resolves to whether it did. If not, it
 * inserts nothing, and the single checks have to find the problems. To be called when all rows that these refer to were merged
 * without a problem.
 */
export async function insertChecked(
  tx: Transaction,
  engine: Engine,
  entity: Entity,
  { rows, ascending }: Staged,
): Promise<boolean> {
  if (entity.key.length === 0) return false
  if (await anyOf(tx, mergeStatements(entity, { inFileOrder: true }).stored)) return false
  // Where the table's key is the file's key, the table refuses repeated keys.
  if (entity.tableKey !== undefined && !ascending && (await anyOf(tx, repeatedKeys(entity)))) return false
  try {
    await tx.savepoint((inner) => {
      const insert = async () => {
        const { count } = await query(inner, insertCheckedStatement(entity, engine))
        if (count !== rows) throw new NotAllInserted()
      }
      return engine.insertMany(inner, rows, insert, entity.ledger && entity.table)
    })
    return true
  } catch (error) {
    // The single checks find and explain the rows that a constraint refused.
    if (error instanceof NotAllInserted || isRefusedRow(error)) return false
    throw error
  }
}

const anyOf = async (tx: Queryable, statement: Sql) => (await query(tx, sql`${statement} limit 1`)).length > 0

/**
 * Inserts the staged rows that pass every rule, lookup and reference. For the ledger, which is merged last, it also leaves out
 * contradictions; contradictions of other entities can depend on rows that come later.
 */
function insertCheckedStatement(entity: Entity, engine: Engine): Sql {
  const { joins, columns } = projection(entity)
  const list = (of: (column: (typeof columns)[number]) => Sql) => join(columns.map(of), ', ')
  const found = Object.entries(entity.columns).flatMap(([name, { lookup }], i) =>
    lookup === undefined ? [] : sql`(${s(name)} is null or ${columns[i]?.value as Sql} is not null)`,
  )
  // The table checks its own constraints.
  const rules = entity.rules?.filter(({ inTable }) => inTable !== true)
  const resolved = sql`
    select ${list(({ stored, value }) => sql`${value} as ${stored}`)}, s.line,
           ${join([allHold(rules), ...found], ' and ')} as holds
      from ${stagedRows(entity.name)} s ${joins}`
  const references = referencesOf(entity, engine)
  const wrong = (entity.ledger ? (entity.contradictions ?? []) : []).flatMap(({ column, wrong }) =>
    column === undefined ? [] : sql`(${wrong})`,
  )
  // One expression (coalesce) after all joins: the planner would expect each separate condition to pass few rows.
  return sql`
    insert into ${identifier(entity.table)} (${list(({ stored }) => stored)})
    select ${list(({ stored }) => sql`m.${stored}`)} from (${resolved}) m ${leftJoins(references.joins)}
     where coalesce(m.holds and ${join([raw('true'), ...references.exist], ' and ')}
                    and (${join([raw('false'), ...wrong], ' or ')}) is not true, false)
     ${raw(entity.ledger ? '' : 'order by m.line')}`
}

/**
 * The conditions that the referenced rows of a row `m` exist, with their joins, most of which contradictions need too.
 * References that the database checks as foreign keys need no condition.
 */
function referencesOf(entity: Entity, engine: Engine): { joins: Readonly<Record<string, Joined>>; exist: Sql[] } {
  const joins: Record<string, Joined> = { ...entity.joins }
  const exist = (entity.references ?? []).flatMap(({ columns, table, to, seldom, noForeignKey, zeroIsNone }, i) => {
    if (engine.checksForeignKeys && !noForeignKey) return []
    const own = columns.map((name) => `m.${storedName(name, entity.columns[name] as Column)}`)
    const absent = [...own.map((column) => `${column} is null`), ...(zeroIsNone ? [`${own[0]} = 0`] : [])].join(' or ')
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
