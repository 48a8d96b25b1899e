/** Staged rows as rows of their table: the value of each stored column, with the codes of masters turned into ids. */
import { identifier, join, literal, raw, type Sql, sql } from '../../db/sql.js'
import { given } from '../conversion.js'
import { type Entity, storedName } from '../entity.js'

export interface Projection {
  /** One for each lookup. */
  readonly joins: Sql
  /**
   * In the order of the entity's columns; `value` is an expression over the staged row `s` and the joins. Where documents are
   * converted, `given` is the last one.
   */
  readonly columns: readonly Projected[]
}

export interface Projected {
  readonly stored: Sql
  readonly value: Sql
  /** To find changed rows: an expression over a stored row `t`, and one over the staged row; null to compare nothing. */
  readonly same?: { readonly stored: Sql; readonly staged: Sql } | null
}

/** A column of the staged row. */
export const s = (name: string) => sql`s.${identifier(name)}`

export function projection(entity: Entity): Projection {
  const joins: Sql[] = []
  const columns = Object.entries(entity.columns).map(([name, column], i): Projected => {
    const alias = raw(`r${i}`)
    if (column.lookup) joins.push(sql`left join (${column.lookup.ids}) ${alias} on ${alias}.ref = ${s(name)}`)
    const stored = storedName(name, column)
    const value = column.lookup ? sql`${alias}.id` : s(name)
    if (entity.conversion === undefined || column.measure === undefined) return { stored: identifier(stored), value }
    return {
      stored: identifier(stored),
      value: column.workedOut ? sql`coalesce(${value}, 0)` : value,
      same: { stored: raw(given('t', stored)), staged: value },
    }
  })
  return { joins: join(joins, ' '), columns: entity.conversion === undefined ? columns : [...columns, givenOf(entity)] }
}

/** The `given` of a row with an empty cell that the loader computes; the conversion fills it in other rows. */
function givenOf({ columns }: Entity): Projected {
  const measured = Object.entries(columns).filter(([, { measure }]) => measure !== undefined)
  const untold = measured.flatMap(([name, { workedOut }]) => (workedOut ? sql`${s(name)} is null` : []))
  const pairs = measured.map(([name, column]) => sql`${literal(storedName(name, column))}, ${s(name)}`)
  const value =
    untold.length === 0
      ? raw('null::jsonb')
      : sql`case when ${join(untold, ' or ')} then jsonb_build_object(${join(pairs, ', ')}) end`
  return { stored: raw('given'), value, same: null }
}
