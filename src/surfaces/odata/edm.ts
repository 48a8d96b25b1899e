/** The types of OData, and the JSON of their values, which the database writes (JSON Format 4.0, section 7). */
import { identifier, literal, raw, type Sql, sql } from '../../db/sql.js'
import { mostDigits, type Scalar, textOf, type ValueType } from '../../kernel/report/fields.js'
import type { ParamType } from '../../kernel/report/params.js'
import type { LiteralKind } from './tokens.js'

export interface EdmType {
  readonly name: string
  /** Facets of the type, as attributes of CSDL. */
  readonly facets: Readonly<Record<string, string | number>>
  /** The values in a URL that it can be compared with. */
  readonly compares: LiteralKind
}

/** The digits that a decimal of .NET holds, which is what Excel and Power BI read numbers into. */
const PRECISION = 28

const decimal = (digits: number): EdmType => ({
  name: 'Edm.Decimal',
  facets: { Precision: PRECISION, Scale: digits },
  compares: 'number',
})
const plain = (name: string, compares: LiteralKind): EdmType => ({ name, facets: {}, compares })

export function edmTypeOf(type: ValueType): EdmType {
  switch (type.kind) {
    case 'decimal':
    case 'number':
      return decimal(mostDigits(type))
    case 'integer':
      return type.wire === 'number' ? plain('Edm.Int64', 'number') : decimal(0)
    case 'date':
      return plain('Edm.Date', 'date')
    case 'timestamp':
      return { name: 'Edm.DateTimeOffset', facets: { Precision: 0 }, compares: 'moment' }
    case 'time':
      return { name: 'Edm.TimeOfDay', facets: { Precision: 0 }, compares: 'time' }
    case 'flag':
      return plain('Edm.Boolean', 'boolean')
    default:
      return plain('Edm.String', 'string')
  }
}

export function edmTypeOfParam({ kind }: ParamType): EdmType {
  switch (kind) {
    case 'date':
      return plain('Edm.Date', 'date')
    case 'zero-or-one':
      return plain('Edm.Int32', 'number')
    case 'whole-number':
      return plain('Edm.Int64', 'number')
    default:
      return plain('Edm.String', 'string')
  }
}

/** The field as a property: null in place of a marker. With `exact`, numbers are strings (IEEE754Compatible). */
export function property(field: Scalar<unknown>, exact: boolean): Scalar<unknown> {
  const { betweenQuotes: _, ...kept } = field
  return { ...kept, toJson: (column) => sql`coalesce(${jsonOf(field, column, exact)}, 'null')` }
}

function jsonOf({ type, absent }: Scalar<unknown>, column: Sql, exact: boolean): Sql {
  switch (type.kind) {
    case 'decimal':
    case 'number':
    case 'integer':
      return exact ? quoted(textOf(type, column)) : textOf(type, column)
    case 'flag':
      return textOf(type, column)
    case 'date':
    case 'time':
      return quoted(textOf(type, column))
    case 'timestamp':
      return quoted(withOffset(column))
    case 'list':
      return sql`to_json(${joined(column)})::text`
    default: {
      const text = textOf(type, column)
      return sql`to_json(${typeof absent === 'string' ? sql`nullif(${text}, ${literal(absent)})` : text})::text`
    }
  }
}

const quoted = (text: Sql): Sql => sql`'"' || ${text} || '"'`

/** The texts of a list, as in one cell of a file. */
export const joined = (column: Sql): Sql => sql`array_to_string(${column}::text[], ', ')`

/** A local time of the account, with the offset that its time zone had then. */
const withOffset = (column: Sql): Sql => sql`(
  select to_char(at.local, 'YYYY-MM-DD"T"HH24:MI:SS') || case when at.ahead < 0 then '-' else '+' end
         || to_char(abs(at.ahead) / 60, 'FM00') || ':' || to_char(abs(at.ahead) % 60, 'FM00')
    from (select t.local, (extract(epoch from t.local - (t.local at time zone a.time_zone at time zone 'UTC')) / 60)::integer as ahead
            from (select date_trunc('second', ${column}::timestamp) as local) t cross join account a) at)`

/** The time zone of the account, for values that are compared with local times. */
export const ACCOUNT_ZONE = raw('(select time_zone from account)')

/** A column of the records `shown`. */
export const shown = (column: string): Sql => sql`shown.${identifier(column)}`
