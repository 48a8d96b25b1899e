/** Staged rows as rows of their table: the value of each stored column, with the codes of masters turned into ids. */
import { identifier, join, raw, type Sql, sql } from '../../db/sql.js'
import { type Entity, storedName } from '../entity.js'

export interface Projection {
  /** One for each lookup. */
  readonly joins: Sql
  /** In the order of the entity's columns; `value` is an expression over the staged row `s` and the joins. */
  readonly columns: readonly { readonly stored: Sql; readonly value: Sql }[]
}

/** A column of the staged row. */
export const s = (name: string) => sql`s.${identifier(name)}`

export function projection(entity: Entity): Projection {
  const joins: Sql[] = []
  const columns = Object.entries(entity.columns).map(([name, column], i) => {
    const alias = raw(`r${i}`)
    if (column.lookup) joins.push(sql`left join (${column.lookup.ids}) ${alias} on ${alias}.ref = ${s(name)}`)
    return { stored: identifier(storedName(name, column)), value: column.lookup ? sql`${alias}.id` : s(name) }
  })
  return { joins: join(joins, ' '), columns }
}
