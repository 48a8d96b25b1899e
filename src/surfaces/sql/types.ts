/** The SQL types of a report's fields and parameters, and the columns of its tables. */
import { identifier, raw, type Sql, sql } from '../../db/sql.js'
import { mostDigits, type Scalar, type ValueType } from '../../kernel/report/fields.js'
import type { ParamType } from '../../kernel/report/params.js'
import { quoted } from './text.js'

export function typeOf(type: ValueType): string {
  switch (type.kind) {
    case 'decimal':
    case 'number':
      return 'numeric'
    case 'integer':
      return type.wire === 'number' ? 'bigint' : 'numeric'
    case 'date':
      return 'date'
    case 'timestamp':
      return 'timestamp'
    case 'time':
      return 'time'
    case 'flag':
      return 'boolean'
    case 'list':
      return 'text[]'
    case 'object':
      return 'jsonb'
    default:
      return 'text'
  }
}

/**
 * The value of a field with its type: null in place of a marker. `isStored`: a column of a table, in which times have whole seconds; it stays as
 * it is, so that an index finds rows by it.
 */
export function columnOf({ type, absent }: Scalar<unknown>, column: string, isStored: boolean): Sql {
  const value = sql`shown.${identifier(column)}`
  switch (type.kind) {
    case 'decimal':
    case 'number':
      return sql`round(${value}, ${raw(String(mostDigits(type)))})::numeric`
    case 'integer':
      return type.wire === 'number' ? sql`${value}::bigint` : sql`trunc(${value})::numeric`
    case 'timestamp':
      if (isStored) return sql`${value}::timestamp`
      return sql`date_trunc('second', ${value}::timestamp)`
    case 'time':
      return sql`date_trunc('second', ${value}::interval)::time`
    case 'text':
    case 'word':
      return typeof absent === 'string' ? sql`nullif(${value}::text, ${raw(quoted(absent))})` : sql`${value}::text`
    default:
      return sql`${value}::${raw(typeOf(type))}`
  }
}

export function typeOfParam({ kind }: ParamType): string {
  switch (kind) {
    case 'date':
      return 'date'
    case 'zero-or-one':
    case 'whole-number':
      return 'integer'
    case 'texts':
      return 'text[]'
    default:
      return 'text'
  }
}
