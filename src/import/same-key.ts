/** The columns that identify a row of an entity's table. */
import { identifier, join, raw, type Sql, sql } from '../db/sql.js'
import { type Entity, storedName } from './entity.js'

/** None for the one account. */
export const keyColumns = ({ key, tableKey, columns }: Entity): readonly string[] =>
  tableKey ?? key.map((name) => storedName(name, columns[name] as Entity['columns'][string]))

/** Whether the rows `a` and `b` have equal keys. */
export const sameKey = (a: string, b: string, key: readonly string[]): Sql =>
  join([raw('true'), ...key.map((name) => sql`${raw(a)}.${identifier(name)} = ${raw(b)}.${identifier(name)}`)], ' and ')
