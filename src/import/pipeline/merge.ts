/** Merges staged rows into their table, with SQL made from the entity. */
import type { Engine, Queryable } from '../../db/connect.js'
import { query } from '../../db/query.js'
import { identifier, join, raw, type Sql, sql } from '../../db/sql.js'
import type { Counts } from '../../ledger/write.js'
import { stagedRows } from '../checks.js'
import type { Entity } from '../entity.js'
import { keyColumns } from '../same-key.js'
import { type Projection, projection, s } from './projection.js'

/** The statements of a merge; they do not touch stored rows that equal the file's. */
export interface MergeStatements {
  /** Selects staged rows that are stored already. */
  readonly stored: Sql
  readonly updateChanged: Sql
  readonly insertNew: Sql
  /** Whether the file does not have the stored row `t`, and it is not kept. */
  readonly isOther: Sql
}

/**
 * Without ON CONFLICT, which looks into the index for every row: only one load runs at a time, and joining whole sets is
 * faster (docs/decisions/0008). `inFileOrder` matters to tables that number their rows.
 */
export function mergeStatements(
  entity: Entity,
  { inFileOrder, isKept = raw('false') }: { inFileOrder: boolean; isKept?: Sql | undefined },
): MergeStatements {
  const { joins, columns } = projection(entity)
  const table = identifier(entity.table)
  const staged = stagedRows(entity.name)
  type Of = (column: Projection['columns'][number]) => Sql
  const list = (of: Of) => join(columns.map(of), ', ')
  // Match by the table's key: a receipt of another order is another row, and the old one is removed.
  const keyNames = keyColumns(entity)
  const key = columns.filter(({ stored }) => keyNames.some((name) => identifier(name).text === stored.text))
  /** Matches the stored row `t` by the key of a staged row; the account has no key and exactly one row. */
  const sameKey = (of: Of) =>
    key.length === 0
      ? raw('true')
      : join(
          key.map((column) => sql`t.${column.stored} = ${of(column)}`),
          ' and ',
        )
  const all = list(({ stored }) => stored)
  const values = list(({ stored }) => sql`n.${stored}`)
  // Converted values are compared as the file gave them.
  const compared = columns.filter(({ same }) => same !== null)
  const was = compared.map(({ stored, same }) => same?.stored ?? sql`t.${stored}`)
  const is = compared.map(({ stored, same }, i) => (same ? raw(`n.given_${i}`) : sql`n.${stored}`))
  const asGiven = join(
    compared.flatMap(({ same }, i) => (same ? sql`, ${same.staged} as ${raw(`given_${i}`)}` : [])),
    '',
  )
  // A movement's number identifies it, even if the item changes.
  const numbered = join(
    entity.key.map((name) => sql`t.${identifier(name)} = ${s(name)}`),
    ' and ',
  )
  return {
    stored: sql`
      select from ${staged} s ${joins} join ${table} t on ${entity.ledger ? numbered : sameKey(({ value }) => value)}`,
    updateChanged: sql`
      update ${table} t set (${all}) = row(${values})
        from (select ${list(({ stored, value }) => sql`${value} as ${stored}`)}${asGiven} from ${staged} s ${joins}) n
       where ${sameKey(({ stored }) => sql`n.${stored}`)}
         and (${join(was, ', ')}) is distinct from (${join(is, ', ')})`,
    insertNew: sql`
      insert into ${table} (${all}) select ${list(({ value }) => value)} from ${staged} s ${joins}
       where not exists (select from ${table} t where ${sameKey(({ value }) => value)})
       ${raw(inFileOrder ? 'order by s.line' : '')}`,
    isOther: sql`
      not exists (select from ${staged} s ${joins} where ${sameKey(({ value }) => value)}) and not ${isKept}`,
  }
}

/** Inserts new rows and updates changed ones. */
export async function mergeStaged(tx: Queryable, engine: Engine, entity: Entity, rows: number): Promise<Counts> {
  const { updateChanged, insertNew } = mergeStatements(entity, { inFileOrder: true })
  const changed = await query(tx, updateChanged)
  const inserted = await engine.insertMany(tx, rows, () => query(tx, insertNew))
  return {
    new: inserted.count,
    changed: changed.count,
    same: rows - inserted.count - changed.count,
    removed: 0,
  }
}
