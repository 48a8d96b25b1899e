/**
 * The types of a record's fields. Each carries its wire format once: the JSON Schema that callers are shown and the
 * SQL that turns a column of the report's query into exactly that.
 */
import { raw, type Sql, sql } from '../db/sql.js'

export type JsonSchema = { readonly [key: string]: unknown }

/** A value of TypeScript type `T`, made from one column. */
export interface Scalar<T> {
  readonly kind: 'scalar'
  /** Only for the compiler. */
  readonly type?: T
  readonly schema: JsonSchema
  /** The column as the JSON value to send. */
  readonly toWire: (column: Sql) => Sql
  /** Personal contact data: an empty string for a client that must not see it. */
  readonly contact?: true
}

/** An object inside the record. Its member `city` inside `billing` is made from the column `billing_city`. */
export interface Nested<F extends Fields> {
  readonly kind: 'nested'
  readonly fields: F
  readonly description: string
}

/** An array of objects inside the record, from a query of its own that refers to the record's columns as `parent`. */
export interface Lines<F extends Fields> {
  readonly kind: 'lines'
  readonly fields: F
  readonly description: string
  readonly query: Sql
  readonly orderBy: readonly string[]
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

const scalar = <T>(schema: JsonSchema, toWire: (column: Sql) => Sql): Scalar<T> => ({ kind: 'scalar', schema, toWire })
const formatted = (format: string) => (column: Sql) => sql`to_char(${column}, ${raw(`'${format}'`)})`

/** Any text. */
export const Text = (description: string, example = 'text'): Scalar<string> =>
  scalar({ type: 'string', description, examples: [example] }, (column) => sql`${column}::text`)

/** One of a few words. */
export const Word = <const W extends string>(words: readonly W[], description: string): Scalar<W> =>
  scalar({ type: 'string', enum: words, description }, (column) => sql`${column}::text`)

/** A decimal as a string with a fixed number of fraction digits, rounded half away from zero. */
export const Decimal = (digits: number, description: string): Scalar<string> =>
  scalar(
    { type: 'string', pattern: `^-?\\d+\\.\\d{${digits}}$`, description, examples: [`12.${'5'.padEnd(digits, '0')}`] },
    (column) => sql`round(${column}, ${raw(String(digits))})::text`,
  )

/** A JSON integer. */
export const Integer = (description: string): Scalar<number> =>
  scalar({ type: 'integer', description, examples: [1] }, (column) => sql`${column}::bigint`)

/** A calendar date `YYYY-MM-DD`. */
export const IsoDate = (description: string): Scalar<string> =>
  scalar({ type: 'string', format: 'date', description, examples: ['2026-04-01'] }, formatted('YYYY-MM-DD'))

/** A time of the account's own clock, `YYYY-MM-DD HH:MM:SSAM`. */
export const ClockTime12 = (description: string): Scalar<string> =>
  scalar(
    {
      type: 'string',
      pattern: '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d(AM|PM)$',
      description,
      examples: ['2026-04-01 02:30:00PM'],
    },
    formatted('YYYY-MM-DD HH12:MI:SSAM'),
  )

/** A time of the account's own clock, `YYYY-MM-DD HH:MM:SS`. */
export const ClockTime24 = (description: string): Scalar<string> =>
  scalar(
    {
      type: 'string',
      pattern: '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$',
      description,
      examples: ['2026-04-01 14:30:00'],
    },
    formatted('YYYY-MM-DD HH24:MI:SS'),
  )

/** A time of day, `HH:MM:SS`. */
export const TimeOfDay = (description: string): Scalar<string> =>
  scalar(
    { type: 'string', pattern: '^\\d\\d:\\d\\d:\\d\\d$', description, examples: ['14:30:00'] },
    formatted('HH24:MI:SS'),
  )

/** A whole number as a string. */
export const WholeText = (description: string): Scalar<string> =>
  scalar(
    { type: 'string', pattern: '^-?\\d+$', description, examples: ['12'] },
    (column) => sql`trunc(${column})::text`,
  )

/** An amount as a JSON number; the only one that the contract shows so. */
export const NumberAmount = (description: string): Scalar<number> =>
  scalar({ type: 'number', description, examples: [1180] }, (column) => sql`round(${column}, 2)`)

/** `true` or `false` as a string. */
export const TextFlag = (description: string): Scalar<'true' | 'false'> =>
  scalar({ type: 'string', enum: ['true', 'false'], description }, (column) => sql`${column}::boolean::text`)

/** An array of strings. */
export const TextList = (description: string): Scalar<string[]> =>
  scalar(
    { type: 'array', items: { type: 'string' }, description, examples: [['Asha Rao']] },
    (column) => sql`to_json(${column}::text[])`,
  )

/** A phone number or an email address. */
export const Contact = (description: string, example: string): Scalar<string> => ({
  ...Text(`${description} An empty string for a client that must not see contact data.`, example),
  contact: true,
})

/** The same, or null. */
export const OrNull = <T>(field: Scalar<T>): Scalar<T | null> => {
  const { description, ...schema } = field.schema
  return { ...field, schema: { description, anyOf: [schema, { type: 'null' }] } } as Scalar<T | null>
}

/** The same, or a marker in place of null. */
export const OrMarker = <T, M extends string>(field: Scalar<T>, marker: M): Scalar<T | M> => {
  const { description, ...schema } = field.schema
  return {
    ...field,
    schema: { description, anyOf: [{ const: marker }, schema] },
    toWire: (column) => sql`coalesce(${field.toWire(column)}, ${raw(`'${marker.replaceAll("'", "''")}'`)})`,
  } as Scalar<T | M>
}

export const Nested = <F extends Fields>(description: string, fields: F): Nested<F> => ({
  kind: 'nested',
  fields,
  description,
})

export const Lines = <F extends Fields>(
  description: string,
  { fields, query, orderBy }: { fields: F; query: Sql; orderBy: readonly string[] },
): Lines<F> => ({ kind: 'lines', fields, description, query, orderBy })

/** The JSON Schema of a record. */
export function schemaOf(fields: Fields, description?: string): JsonSchema {
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)])),
    required: Object.keys(fields),
    additionalProperties: false,
  }
}

function fieldSchema(field: Field): JsonSchema {
  if (field.kind === 'scalar') return field.schema
  if (field.kind === 'nested') return schemaOf(field.fields, field.description)
  return { type: 'array', description: field.description, items: schemaOf(field.fields) }
}

/** A record that shows the form, made from the fields' own examples. */
export function exampleOf(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldExample(field)]))
}

function fieldExample(field: Field): unknown {
  if (field.kind === 'nested') return exampleOf(field.fields)
  if (field.kind === 'lines') return [exampleOf(field.fields)]
  return schemaExample(field.schema)
}

function schemaExample({ examples, enum: words, anyOf }: JsonSchema): unknown {
  if (Array.isArray(examples)) return examples[0]
  if (Array.isArray(words)) return words[0]
  return Array.isArray(anyOf) ? schemaExample(anyOf.find((one) => !('const' in one)) ?? {}) : undefined
}
