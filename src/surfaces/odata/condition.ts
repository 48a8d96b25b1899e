/** Expressions as conditions on records. Like the filters of reports, they compare the values that callers see. */
import { join, raw, type Sql, sql } from '../../db/sql.js'
import type { RecordValue } from '../../kernel/report/columns.js'
import type { Scalar } from '../../kernel/report/fields.js'
import { type Condition, columnOf, comparable } from '../../kernel/report/filter.js'
import type { View } from '../../kernel/report/rights.js'
import { nearest } from '../../nearest.js'
import { ACCOUNT_ZONE, edmTypeOf, joined } from './edm.js'
import type { Comparison, Expression } from './filter.js'
import { type LiteralKind, wrong } from './tokens.js'

/** The properties of a set, by name. */
export type Properties = Readonly<Record<string, Scalar<unknown>>>

/** A value of a record that can be compared and sorted by. */
export interface Comparable {
  readonly type: LiteralKind
  readonly nullable: boolean
  readonly sql: (view: View) => Sql
}

/** Finds a property; `what` names the option that has its name. */
export function propertyNamed(name: string, properties: Properties, what: string): Comparable {
  const field = Object.hasOwn(properties, name) ? properties[name] : undefined
  if (field === undefined)
    throw wrong(
      `${what} names ${name.slice(0, 60)}, which is not a property here${nearest(name.slice(0, 60), Object.keys(properties))}.`,
    )
  const value: RecordValue = { column: name, path: [name], field }
  return {
    type: edmTypeOf(field.type).compares,
    nullable: field.absent !== undefined,
    sql: (view) =>
      field.type.kind === 'list' ? sql`(${joined(columnOf(value, view))} collate "C")` : comparable(value, view),
  }
}

/** The condition that an expression means; throws a problem for a name or a type that does not fit. */
export function conditionOf(expression: Expression, properties: Properties): Condition {
  const found = compile(expression, properties, false)
  if (found.type !== 'boolean') throw wrong(`$filter must be a condition, such as total_amt gt 1000, not a value.`)
  return found.sql
}

interface Compiled {
  readonly type: LiteralKind
  readonly sql: (view: View) => Sql
}

/**
 * `negated`: inside `not`, where a comparison with null is false and not null. Elsewhere the plain comparison selects the same records,
 * and an index can find them.
 */
function compile(expression: Expression, properties: Properties, negated: boolean): Compiled {
  switch (expression.kind) {
    case 'literal':
      return { type: expression.type, sql: () => literalOf(expression.type, expression.text) }
    case 'property':
      return propertyNamed(expression.name, properties, '$filter')
    case 'not': {
      const of = boolean(compile(expression.of, properties, true), 'not')
      return { type: 'boolean', sql: (view) => sql`(not ${of(view)})` }
    }
    case 'and':
    case 'or': {
      const all = expression.all.map((one) => boolean(compile(one, properties, negated), expression.kind))
      const word = ` ${expression.kind} `
      return {
        type: 'boolean',
        sql: (view) =>
          sql`(${join(
            all.map((one) => one(view)),
            word,
          )})`,
      }
    }
    case 'call': {
      const of = text(compile(expression.of, properties, negated), expression.name)
      const part = text(compile(expression.text, properties, negated), expression.name)
      const write = CALLS[expression.name]
      return { type: 'boolean', sql: (view) => write(of(view), part(view)) }
    }
    case 'compare':
      return comparison(expression, properties, negated)
  }
}

const CALLS = {
  contains: (of: Sql, part: Sql) => sql`(strpos(${of}, ${part}) > 0)`,
  startswith: (of: Sql, part: Sql) => sql`starts_with(${of}, ${part})`,
  endswith: (of: Sql, part: Sql) => sql`(right(${of}, length(${part})) = ${part})`,
}

const OPERATORS: Readonly<Record<Comparison, Sql>> = {
  eq: raw('='),
  ne: raw('is distinct from'),
  lt: raw('<'),
  le: raw('<='),
  gt: raw('>'),
  ge: raw('>='),
}

function comparison(
  { by, left, right }: Extract<Expression, { kind: 'compare' }>,
  properties: Properties,
  negated: boolean,
): Compiled {
  const [a, b] = [compile(left, properties, negated), compile(right, properties, negated)]
  const isNull = (one: Compiled) => one.type === 'null'
  if (isNull(a) || isNull(b)) return { type: 'boolean', sql: withNull(by, isNull(a) ? b : a) }
  if (a.type !== b.type)
    throw wrong(
      `$filter compares ${WORDS[a.type]} with ${WORDS[b.type]}: ${by} needs two values of one type${HINTS[`${a.type} ${b.type}`] ?? HINTS[`${b.type} ${a.type}`] ?? ''}.`,
    )
  if (a.type === 'other') throw wrong('$filter compares values of a type that no property of this service has.')
  // Two properties are equal if both are null.
  const isOfProperties = left.kind === 'property' && right.kind === 'property'
  const operator = by === 'eq' && isOfProperties ? raw('is not distinct from') : OPERATORS[by]
  return {
    type: 'boolean',
    sql: (view) => {
      const found = sql`(${a.sql(view)} ${operator} ${b.sql(view)})`
      return negated ? sql`coalesce(${found}, false)` : found
    },
  }
}

const withNull =
  (by: Comparison, other: Compiled) =>
  (view: View): Sql => {
    if (by === 'eq') return sql`(${other.sql(view)} is null)`
    return by === 'ne' ? sql`(${other.sql(view)} is not null)` : raw('false')
  }

const WORDS: Readonly<Record<LiteralKind, string>> = {
  null: 'null',
  boolean: 'a boolean',
  string: 'a text',
  number: 'a number',
  date: 'a date',
  moment: 'a time with its day',
  time: 'a time of the day',
  other: 'a value of another type',
}
const HINTS: Readonly<Record<string, string>> = {
  'date moment': '; write 2026-06-30 for a date, 2026-06-30T00:00:00Z for a time',
  'string date': "; write a date without quotes: 2026-06-30, not '2026-06-30'",
  'string number': "; write a number without quotes: 12.5, not '12.5', and a text in quotes",
}

function boolean({ type, sql: write }: Compiled, word: string): Compiled['sql'] {
  if (type === 'boolean') return write
  if (type === 'null') return () => raw('null::boolean')
  throw wrong(`$filter has ${WORDS[type]} where ${word} needs a condition.`)
}

function text({ type, sql: write }: Compiled, name: string): Compiled['sql'] {
  if (type === 'string') return write
  if (type === 'null') return () => raw('null::text')
  throw wrong(`$filter has ${WORDS[type]} where ${name} needs a text.`)
}

function literalOf(type: LiteralKind, value: string): Sql {
  switch (type) {
    case 'boolean':
      return raw(value === 'true' ? 'true' : 'false')
    case 'number':
      return sql`${value}::numeric`
    case 'date':
      return sql`${value}::date`
    case 'moment':
      return sql`(${value}::timestamptz at time zone ${ACCOUNT_ZONE})`
    case 'null':
    case 'other':
      return raw('null')
    default:
      return sql`${value}::text`
  }
}
