/** Conditions on records: filters such as `Closing_qty<0`, and the words of a search. They compare the values that callers see. */
import { isCalendarDate } from '../../calendar.js'
import { identifier, join, literal, raw, type Sql, sql } from '../../db/sql.js'
import type { RecordValue } from './columns.js'
import { mostDigits, textOf, type ValueType } from './fields.js'
import type { View } from './rights.js'

/** SQL over the columns of `shown`, for a caller who may see contact data or must not. */
export type Condition = (view: View) => Sql

const FILTER = /^([^=!<>~]+)(!=|!~|<=|>=|=|<|>|~)(.*)$/s
const COMPARISONS: Readonly<Record<string, Sql>> = {
  '=': raw('='),
  '<': raw('<'),
  '<=': raw('<='),
  '>': raw('>'),
  '>=': raw('>='),
}
/** The types of the values that a column is compared with; text for any other. */
const CASTS: { readonly [K in ValueType['kind']]?: Sql } = {
  decimal: raw('numeric'),
  number: raw('numeric'),
  integer: raw('numeric'),
  date: raw('date'),
  timestamp: raw('timestamp'),
  flag: raw('boolean'),
}
const SEARCHED: readonly ValueType['kind'][] = ['text', 'word', 'date', 'timestamp', 'time']

/** Reads a filter, or returns an error message without its subject. */
export function readFilter(text: string, find: (name: string) => RecordValue | string): Condition | string {
  const [, name = '', operator = '', rest = ''] = FILTER.exec(text) ?? []
  if (name === '')
    return `must be a field, one of = != < <= > >= ~ !~, and a value, such as "warehouse=Pune", not ${quoted(text)}`
  const value = find(name)
  if (typeof value === 'string') return value
  const given = valuesOf(rest)
  const { type, absent } = value.field
  const refuse = (expected: string, one: string) => `must compare ${name} with ${expected}, not ${quoted(one)}`
  const isBlank = (one: string) => one === '' || one === absent
  if (operator.endsWith('~')) {
    if (given.includes('')) return refuse('some text', '')
    const pattern = given.map(ignoringCase).join('|')
    return negatedBy(operator, (view) => sql`${textIn(value, view)} collate "C" ~ ${pattern}`)
  }
  const isEquality = operator === '=' || operator === '!='
  const comparison = COMPARISONS[isEquality ? '=' : operator] as Sql
  const cast = CASTS[type.kind]
  if (cast !== undefined && rest.startsWith('@')) {
    const other = find(rest.slice(1))
    if (typeof other === 'string') return other
    if (CASTS[other.field.type.kind] !== cast) return refuse('a field of the same kind', rest)
    return negatedBy(operator, (view) => sql`(${comparable(value, view)} ${comparison} ${comparable(other, view)})`)
  }
  if (!isEquality && type.kind === 'flag') return `must compare ${name} by = or !=, not ${operator}`
  if (!isEquality && given.length > 1) return `must compare ${name} by ${operator} with one value, not with several`
  for (const one of given) {
    const expected = isEquality && isBlank(one) ? undefined : expectedOf(type, one)
    if (expected !== undefined) return refuse(expected, one)
  }
  const isText = cast === undefined
  const compared = isText ? given : given.filter((one) => !isBlank(one))
  return negatedBy(operator, (view) => {
    const shown = comparable(value, view)
    const absence = isEquality && given.some(isBlank) ? [sql`${shown} is null`] : []
    return sql`(${join([...absence, ...comparisons(type, shown, comparison, compared)], ' or ')})`
  })
}

/** A record must have each of the words, in any of its texts, words, dates and times. */
export function searchFor(words: readonly string[], values: readonly RecordValue[]): Condition {
  const searched = values.filter(({ field }) => SEARCHED.includes(field.type.kind))
  const patterns = words.map(ignoringCase)
  // No word spans two values, since there is a space between them and none in a word.
  return (view) => {
    const texts = join(
      searched.map((value) => textIn(value, view)),
      ', ',
    )
    return sql`array_to_string(array[${texts}]::text[], ' ') collate "C" ~ all(${patterns}::text[])`
  }
}

/** A value as the record shows it, with a type that can be compared; null where there is none. Texts compare by code point. */
export function comparable(value: RecordValue, view: View): Sql {
  const { type, absent } = value.field
  const column = columnOf(value, view)
  switch (type.kind) {
    case 'decimal':
    case 'number':
      return sql`round(${column}, ${raw(String(mostDigits(type)))})`
    case 'integer':
      return sql`${textOf(type, column)}::numeric`
    case 'date':
      return column
    case 'timestamp':
      return sql`date_trunc('second', ${column})`
    case 'flag':
      return sql`${column}::boolean`
    default: {
      const text = textOf(type, column)
      return sql`(${typeof absent === 'string' ? sql`nullif(${text}, ${literal(absent)})` : text} collate "C")`
    }
  }
}

export const columnOf = ({ column, field }: RecordValue, view: View): Sql =>
  field.contact && view.hideContacts ? literal('') : sql`shown.${identifier(column)}`

/** A value as the text that the record shows; empty for null. */
const textIn = (value: RecordValue, view: View): Sql =>
  sql`coalesce(${textOf(value.field.type, columnOf(value, view))}, ${literal(value.field.absent ?? '')})`

/** A comparison with null selects no record, and its negation every such record. Without `coalesce` an index can find a document by its number. */
const negatedBy =
  (operator: string, condition: Condition): Condition =>
  (view) =>
    operator.startsWith('!') ? sql`not coalesce(${condition(view)}, false)` : condition(view)

/** A filter that compares a time with a day means the whole day. */
function comparisons(type: ValueType, shown: Sql, comparison: Sql, given: readonly string[]): Sql[] {
  const compare = (shown: Sql, cast: Sql, given: readonly string[]) =>
    given.length === 0 ? [] : [sql`${shown} ${comparison} any(${given}::${cast}[])`]
  if (type.kind !== 'timestamp') return compare(shown, CASTS[type.kind] ?? raw('text'), given)
  return [
    ...compare(sql`${shown}::date`, raw('date'), given.filter(isCalendarDate)),
    ...compare(
      shown,
      raw('timestamp'),
      given.filter((one) => !isCalendarDate(one)),
    ),
  ]
}

/** `a|b` are two values. `\|` is a bar in a value, `\\` a backslash; any other backslash is literal. */
function valuesOf(text: string): string[] {
  const values = ['']
  for (const [part] of text.matchAll(/\\[|\\]|[\s\S]/gu))
    if (part === '|') values.push('')
    else values.push(values.pop() + (/^\\[|\\]$/.test(part) ? part.slice(1) : part))
  return values
}

/** The expected form of a value that does not have it; undefined for a valid value. */
function expectedOf(type: ValueType, text: string): string | undefined {
  switch (type.kind) {
    case 'word':
      return type.words.includes(text) ? undefined : `one of ${type.words.join(', ')}`
    case 'decimal':
    case 'number':
    case 'integer':
      return /^-?\d{1,40}(\.\d{1,20})?$/.test(text) ? undefined : 'a number such as -12.5'
    case 'date':
      return isCalendarDate(text) ? undefined : 'a calendar date as YYYY-MM-DD'
    case 'timestamp':
      return isCalendarDate(text) || isMoment(text, type.clock)
        ? undefined
        : `a day as YYYY-MM-DD, or a time as YYYY-MM-DD HH:MM:SS${type.clock === 12 ? 'AM' : ''}`
    case 'time':
      return TIME[24].test(text) ? undefined : 'a time as HH:MM:SS'
    case 'flag':
      return text === 'true' || text === 'false' ? undefined : 'true or false'
    default:
      return undefined
  }
}

const TIME = { 12: /^(0[1-9]|1[0-2]):[0-5]\d:[0-5]\d[AP]M$/, 24: /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/ }
const isMoment = (text: string, clock: 12 | 24) =>
  isCalendarDate(text.slice(0, 10)) && text[10] === ' ' && TIME[clock].test(text.slice(11))

const quoted = (text: string) => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)

/** The letter, and its other case if that is a single letter too. */
export const casesOf = (char: string): string[] =>
  [...new Set([char, char.toLowerCase(), char.toUpperCase()])].filter((one) => [...one].length === 1)

/**
 * A regular expression for texts that contain this one in any case. It lists both cases of each letter, because the database's
 * own case folding depends on the locale of its server.
 */
const ignoringCase = (text: string): string =>
  [...text]
    .map((char) => {
      const cases = casesOf(char)
      return cases.length > 1 ? `[${cases.join('')}]` : char.replace(/[!-/:-@[-^`{-~]/, '\\$&')
    })
    .join('')

/** The condition of a statement over the records `shown`. */
export const where = (conditions: readonly Condition[], view: View): Sql =>
  conditions.length === 0
    ? raw('')
    : sql`where ${join(
        conditions.map((condition) => condition(view)),
        ' and ',
      )}`
