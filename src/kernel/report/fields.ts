/**
 * The types of a record's fields. A field carries its type as data; the SQL that formats a column for the wire is
 * derived from it here, the JSON Schema in json-schema.ts, and a surface's view of the record in columns.ts.
 */

import { literal, raw, type Sql, sql } from '../../db/sql.js'
import { type OrderColumn, readOrder } from './order.js'

/** The type of a value, with its form on the wire: a string unless said otherwise. */
export type ValueType =
  | { readonly kind: 'text' }
  | { readonly kind: 'word'; readonly words: readonly string[] }
  /** Has `digits` fraction digits, rounded half away from zero; with `upTo`, a value that has more shows up to that number. */
  | { readonly kind: 'decimal'; readonly digits: number; readonly upTo?: number }
  | { readonly kind: 'integer'; readonly wire: 'number' | 'string' }
  /** A JSON number with at most `digits` fraction digits. */
  | { readonly kind: 'number'; readonly digits: number }
  /** `YYYY-MM-DD` */
  | { readonly kind: 'date' }
  /** Local time of the account: `YYYY-MM-DD HH:MM:SS`, followed by `AM` or `PM` on the 12-hour clock. */
  | { readonly kind: 'timestamp'; readonly clock: 12 | 24 }
  /** `HH:MM:SS` */
  | { readonly kind: 'time' }
  /** `true` or `false` */
  | { readonly kind: 'flag' }
  /** A JSON array of strings. */
  | { readonly kind: 'list' }
  /** A JSON object, which the column has as text: a key, or fields with their values before and after. */
  | { readonly kind: 'object'; readonly of: 'values' | 'differences' }

/** Where a parameter gets its value: a field of the same record, a parameter of the same request, a fixed value or today. */
export type Source =
  | { readonly field: string }
  | { readonly param: string }
  | { readonly value: string | number }
  /** In the time zone of the account. */
  | { readonly today: true }

/**
 * The request that explains a value, as plain data. A parameter whose source has no value is left out. No request explains a
 * value that is null or the field's marker.
 */
export interface Behind {
  /** The id of the report to ask. */
  readonly report: string
  readonly params: Readonly<Record<string, Source>>
  /** The field of the response whose sum over all records is the value; without it, the response gives details of the value. */
  readonly sum?: string
  /** No request explains the value in a record whose `field` has the value `is`. */
  readonly unless?: { readonly field: string; readonly is: string }
}

/** The things that have a page in the console. */
export const thingKinds = [
  ...(['item', 'batch', 'customer', 'vendor'] as const),
  ...(['order', 'purchase-order', 'invoice', 'work-order'] as const),
]
export type ThingKind = (typeof thingKinds)[number]

/** A thing that a value names by its name or its code, as plain data. A value names nothing where a code is empty or absent. */
export interface Thing {
  readonly kind: ThingKind
  /** The fields of the same record, or of the same line, that have its codes: for a batch the code of its item, then its number. */
  readonly by: readonly string[]
  /** The value names it only in a record whose `field` has the value `is`. */
  readonly when?: { readonly field: string; readonly is: string }
  /** The value names nothing in a record whose `field` has the value `is`. */
  readonly unless?: { readonly field: string; readonly is: string }
  /** Stands between the codes of several things. */
  readonly separator?: string
}

/** The currency of an amount: the account's, or the one that a field of the record names. */
export type Currency = 'account' | { readonly field: string }

/** Words for people, by the value that they stand for. */
export type InWords = Readonly<Record<string, string>>

interface About {
  readonly description: string
  /** Beyond the contract's record: a response in JSON has it only if the caller asks for it (choose.ts). */
  readonly extra?: true
}

/** A value of TypeScript type `T`, made from one column. */
export interface Scalar<T> extends About {
  readonly kind: 'scalar'
  /** Only for the compiler. */
  readonly wire?: T
  readonly type: ValueType
  /** Sent where there is no value: null or a marker. A field without `absent` always has a value. */
  readonly absent?: null | string
  /** Personal contact data: an empty string for a client that must not see it. */
  readonly contact?: true
  /** Whether adding up the values of several records makes sense: an amount or a quantity, not a price or a rate. */
  readonly additive?: true
  /** The field of the same record that has the unit of a quantity; quantities of different units are not added up. */
  readonly unit?: string
  /** Only of money: the account's currency, or the currency that this field of the whole record has. */
  readonly currency?: Currency
  /** The words that people read in place of a value. Answers have the value itself. */
  readonly inWords?: InWords
  readonly behind?: Behind
  /** The thing that a value names: the first of these that it can name. */
  readonly things?: readonly Thing[]
  /** The column as the JSON text to send. */
  readonly toJson: (column: Sql) => Sql
  /** The column as the text between the quotes of a JSON string; only if nothing needs escaping and no value is absent. */
  readonly betweenQuotes?: (column: Sql) => Sql
}

/** An object inside the record. Its member `city` inside `billing` is made from the column `billing_city`. */
export interface Nested<F extends Fields> extends About {
  readonly kind: 'nested'
  readonly fields: F
}

/** An array of objects inside the record, from a separate query that refers to the record's columns as `parent`. */
export interface Lines<F extends Fields> extends About {
  readonly kind: 'lines'
  readonly fields: F
  readonly query: Sql
  readonly orderBy: readonly OrderColumn[]
}

// biome-ignore lint/suspicious/noExplicitAny: a field of any value, as in every heterogeneous record
export type Field = Scalar<any> | Nested<any> | Lines<any>
export type Fields = { readonly [name: string]: Field }

/** The TypeScript type of a field on the wire, and of a whole record. */
export type Wire<F> =
  F extends Scalar<infer T>
    ? T
    : F extends Lines<infer L>
      ? WireRecord<L>[]
      : F extends Nested<infer N>
        ? WireRecord<N>
        : never
export type WireRecord<F extends Fields> = { [K in keyof F]: Wire<F[K]> }

/** A value of any type. */
export const scalar = <T>(type: ValueType, description: string): Scalar<T> => ({
  kind: 'scalar',
  type,
  description,
  toJson: (column) => sql`coalesce(${jsonOf(type, column)}, 'null')`,
  ...(isPlain(type) && { betweenQuotes: (column: Sql) => shownOf(type, column) }),
})

/** Whether the value is a string without characters that JSON escapes. */
const isPlain = (type: ValueType): boolean =>
  type.kind === 'integer'
    ? type.wire === 'string'
    : ['decimal', 'date', 'timestamp', 'time', 'flag'].includes(type.kind)

/** `to_json` is slower, so only values that JSON may have to escape pass through it. */
function jsonOf(type: ValueType, column: Sql): Sql {
  const text = textOf(type, column)
  if (type.kind === 'text' || type.kind === 'word') return sql`to_json(${text})::text`
  return isPlain(type) ? quoted(text) : text
}

/** The column as the text that a record shows, without the quotes of JSON. */
export const textOf = (type: ValueType, column: Sql): Sql => sql`${shownOf(type, column)}::text`

/** The column as a value that casts to that text; connections use DateStyle ISO. */
function shownOf(type: ValueType, column: Sql): Sql {
  switch (type.kind) {
    case 'text':
    case 'word':
    case 'object':
      return column
    case 'decimal':
      if (type.upTo !== undefined) {
        const shown = sql`round(${column}, ${raw(String(type.upTo))})`
        return sql`round(${column}, greatest(${raw(String(type.digits))}, min_scale(${shown})))`
      }
      return sql`round(${column}, ${raw(String(type.digits))})`
    case 'number':
      return sql`round(${column}, ${raw(String(type.digits))})`
    case 'integer':
      return type.wire === 'number' ? sql`${column}::bigint` : sql`trunc(${column})`
    case 'date':
      return sql`${column}::date`
    case 'timestamp':
      // A cast to timestamp(0) would round up, to a second that has not come.
      return type.clock === 24
        ? sql`date_trunc('second', ${column}::timestamp)`
        : sql`to_char(${column}, 'YYYY-MM-DD HH12:MI:SSAM')`
    case 'time':
      return sql`to_char(${column}, 'HH24:MI:SS')`
    case 'flag':
      return sql`${column}::boolean::text` // a boolean alone would be t or f
    case 'list':
      return sql`to_json(${column}::text[])`
  }
}

const quoted = (text: Sql): Sql => sql`'"' || ${text} || '"'`

/** Any text. */
export const Text = (description: string): Scalar<string> => scalar({ kind: 'text' }, description)

/** One of a few words. */
export const Word = <const W extends string>(words: readonly W[], description: string): Scalar<W> =>
  scalar({ kind: 'word', words }, description)

/** A decimal as a string with a fixed number of fraction digits. */
export const Decimal = (digits: number, description: string): Scalar<string> => ({
  ...scalar<string>({ kind: 'decimal', digits }, description),
  additive: true,
})

/** An amount of money in the account's currency, as a decimal. */
export const Amount = (digits: number, description: string): Scalar<string> => ({
  ...Decimal(digits, description),
  currency: 'account',
})

/** A quantity as a decimal, in the unit that this field of the same record has. */
export const Quantity = (digits: number, unit: string, description: string): Scalar<string> => ({
  ...Decimal(digits, description),
  unit,
})

/** The same field left out of totals: for a price, a rate, a limit, or a quantity that several records repeat. */
export const NotAdditive = <T>({ additive: _, ...field }: Scalar<T>): Scalar<T> => field

/** The most fraction digits of a price. */
const PRICE_DIGITS = 6

/** The price of one unit with this number of fraction digits, up to 6 if the price has more; in the account's currency. */
export const Price = (digits: number, description: string): Scalar<string> => ({
  ...scalar<string>({ kind: 'decimal', digits, upTo: PRICE_DIGITS }, description),
  currency: 'account',
})

/** The same amount or price, in the currency that the record's field `currency` has. */
export const InOwnCurrency = <T>(field: Scalar<T>): Scalar<T> => ({ ...field, currency: { field: 'currency' } })

/** A rate in percent with 2 fraction digits, up to 4 if the rate has more. */
export const Percent = (description: string): Scalar<string> =>
  scalar<string>({ kind: 'decimal', digits: 2, upTo: 4 }, description)

/** An exchange rate with 4 fraction digits, up to 12 if the rate has more. */
export const Rate = (description: string): Scalar<string> =>
  scalar<string>({ kind: 'decimal', digits: 4, upTo: 12 }, description)

/** The most fraction digits that a value of the type can have. */
export const mostDigits = (type: { readonly digits: number; readonly upTo?: number }): number =>
  type.upTo ?? type.digits

/** A JSON integer. */
export const Integer = (description: string): Scalar<number> => scalar({ kind: 'integer', wire: 'number' }, description)

/** A whole number as a string. */
export const WholeText = (description: string): Scalar<string> =>
  scalar({ kind: 'integer', wire: 'string' }, description)

/** An amount as a JSON number; the contract has one such field. */
export const NumberAmount = (description: string): Scalar<number> => ({
  ...scalar<number>({ kind: 'number', digits: 2 }, description),
  additive: true,
  currency: 'account',
})

/** A calendar date `YYYY-MM-DD`. */
export const IsoDate = (description: string): Scalar<string> => scalar({ kind: 'date' }, description)

/** A local time of the account, `YYYY-MM-DD HH:MM:SSAM`. */
export const ClockTime12 = (description: string): Scalar<string> =>
  scalar({ kind: 'timestamp', clock: 12 }, description)

/** A local time of the account, `YYYY-MM-DD HH:MM:SS`. */
export const ClockTime24 = (description: string): Scalar<string> =>
  scalar({ kind: 'timestamp', clock: 24 }, description)

/** A time of day, `HH:MM:SS`. */
export const TimeOfDay = (description: string): Scalar<string> => scalar({ kind: 'time' }, description)

/** `true` or `false` as a string. */
export const TextFlag = (description: string): Scalar<'true' | 'false'> => scalar({ kind: 'flag' }, description)

/** An array of strings. */
export const TextList = (description: string): Scalar<string[]> => scalar({ kind: 'list' }, description)

/** A value of a JSON object that has the key of a row. */
export type KeyOfRow = Readonly<Record<string, string | number>>

/** The key of a row whose columns differ from record to record. */
export const KeyObject = (description: string): Scalar<KeyOfRow> =>
  scalar({ kind: 'object', of: 'values' }, description)

/** Fields with their values before and after, as texts. */
export const Differences = (
  description: string,
): Scalar<Readonly<Record<string, { before: string | null; after: string | null }>>> =>
  scalar({ kind: 'object', of: 'differences' }, description)

/** A phone number or an email address. */
export const Contact = (description: string): Scalar<string> => ({
  ...Text(`${description} An empty string for a client that must not see phone numbers and email addresses.`),
  contact: true,
})

/** The same, or null. */
export const OrNull = <T>(field: Scalar<T>): Scalar<T | null> => ({ ...(field as Scalar<T | null>), absent: null })

/** The same, or a marker in place of null. */
export const OrMarker = <T extends string, M extends string>(field: Scalar<T>, marker: M): Scalar<T | M> => ({
  ...(field as Scalar<T | M>),
  absent: marker,
  toJson: (column) => sql`coalesce(${jsonOf(field.type, column)}, ${literal(JSON.stringify(marker))})`,
})

/** The same; people read these words in place of its values. */
export const InWords = <T>(field: Scalar<T>, inWords: InWords): Scalar<T> => ({ ...field, inWords })

/** The same, with the request that explains it; if that tells the story of a thing, the value names the thing. */
export const Explained = <T>(field: Scalar<T>, { of, ...behind }: Behind & { readonly of?: Thing }): Scalar<T> => ({
  ...field,
  behind,
  ...(of !== undefined && { things: [of] }),
})

/** The same, with the thing that it names: the first of these that it can name. */
export const Naming = <T>(field: Scalar<T>, ...things: readonly Thing[]): Scalar<T> => ({ ...field, things })

/** The same fields, which the contract's record does not have. */
export const extra = <F extends Fields>(fields: F): F =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, { ...field, extra: true }])) as F

export const Nested = <F extends Fields>(description: string, fields: F): Nested<F> => ({
  kind: 'nested',
  fields,
  description,
})

export const Lines = <F extends Fields>(
  description: string,
  { fields, query, orderBy }: { fields: F; query: Sql; orderBy: readonly string[] },
): Lines<F> => ({ kind: 'lines', fields, description, query, orderBy: readOrder(orderBy) })
