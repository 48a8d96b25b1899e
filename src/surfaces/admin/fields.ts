/** The fields of a request: the accepted values, the error message for others, and the schema for the document. */
import { isCalendarDate } from '../../calendar.js'
import { type FieldError, Problem } from '../../errors.js'
import type { JsonSchema } from '../../kernel/report/json-schema.js'

export interface Field<T> {
  readonly schema: JsonSchema
  /** The end of a sentence that begins with "must be". */
  readonly expects: string
  /** Undefined if the value is invalid. */
  readonly read: (value: unknown) => T | undefined
  readonly required: boolean
  readonly example: unknown
}

// biome-ignore lint/suspicious/noExplicitAny: a field of any value
export type Fields = { readonly [name: string]: Field<any> }
export type Values<F extends Fields> = { [K in keyof F]: F[K] extends Field<infer T> ? T : never }

const described = (schema: JsonSchema, description: string): JsonSchema => ({ ...schema, description })

/** Text that PostgreSQL can store. */
export const Text = (longest: number, description: string, example: string): Field<string> => ({
  schema: described({ type: 'string', maxLength: longest }, description),
  expects: `text of 1 to ${longest} characters, without NUL`,
  read: (value) =>
    typeof value === 'string' && value !== '' && [...value].length <= longest && !value.includes('\0')
      ? value
      : undefined,
  required: true,
  example,
})

export const Flag = (description: string): Field<boolean> => ({
  schema: described({ type: 'boolean' }, description),
  expects: 'true or false',
  read: (value) => (typeof value === 'boolean' ? value : undefined),
  required: true,
  example: false,
})

/** A number; in a URL, digits. */
export const Whole = (least: number, most: number, description: string, example: number): Field<number> => ({
  schema: described({ type: 'integer', minimum: least, maximum: most }, description),
  expects: `a whole number from ${least} to ${most}`,
  read: (value) => {
    const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
    return typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most
      ? number
      : undefined
  },
  required: true,
  example,
})

export const Word = <const W extends string>(words: readonly W[], description: string): Field<W> => ({
  schema: described({ type: 'string', enum: words }, description),
  expects: `one of ${words.join(', ')}`,
  read: (value) => words.find((word) => word === value),
  required: true,
  example: words[0],
})

/** One or more of these words, in the order of `words`. */
export const Words = <const W extends string>(words: readonly W[], description: string, example: W[]): Field<W[]> => ({
  schema: described({ type: 'array', items: { type: 'string', enum: words }, minItems: 1 }, description),
  expects: `a list of one or more of ${words.join(', ')}`,
  read: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((one) => words.includes(one))
      ? words.filter((word) => value.includes(word))
      : undefined,
  required: true,
  example,
})

export const Texts = (most: number, longest: number, description: string, example: string[]): Field<string[]> => ({
  schema: described({ type: 'array', items: { type: 'string', maxLength: longest }, maxItems: most }, description),
  expects: `a list of at most ${most} texts of 1 to ${longest} characters`,
  read: (value) => {
    const one = Text(longest, '', '')
    return Array.isArray(value) && value.length <= most && value.every((text) => one.read(text) !== undefined)
      ? (value as string[])
      : undefined
  },
  required: true,
  example,
})

/** A time, or a day in UTC, which means its start, or its end if `end` is true. */
export const Moment = (description: string, end: boolean): Field<Date> => ({
  schema: described({ type: 'string' }, description),
  expects: 'a day such as 2026-01-31, or a time such as 2026-01-31T08:00:00Z',
  read: (value) => {
    if (typeof value !== 'string') return undefined
    if (isCalendarDate(value)) return new Date(Date.parse(value) + (end ? 86_400_000 : 0))
    const isTime = /^.{10}T\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)$/.test(value)
    const time = isTime && isCalendarDate(value.slice(0, 10)) ? Date.parse(value) : Number.NaN
    return Number.isNaN(time) ? undefined : new Date(time)
  },
  required: true,
  example: '2026-01-31',
})

/** An object that another part of the program checks. */
export const Free = (longest: number, description: string, example: object): Field<object> => ({
  schema: described({ type: 'object', additionalProperties: true }, description),
  expects: `an object of at most ${longest} characters as JSON`,
  read: (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && JSON.stringify(value).length <= longest
      ? value
      : undefined,
  required: true,
  example,
})

export const Optional = <T>(inner: Field<T>): Field<T | undefined> => ({ ...inner, required: false })

/** Accepts null too. */
export const OrNull = <T>(inner: Field<T>): Field<T | null> => ({
  ...inner,
  schema: { ...inner.schema, type: [inner.schema['type'], 'null'] },
  expects: `null, or ${inner.expects}`,
  read: (value) => (value === null ? null : inner.read(value)),
})

/** Reads a request; the error lists all invalid and unknown fields, without their values, which may be secrets. */
export function readFields<F extends Fields>(fields: F, given: Readonly<Record<string, unknown>>): Values<F> {
  const errors: FieldError[] = []
  const values: Record<string, unknown> = {}
  for (const [name, { read, expects, required }] of Object.entries(fields)) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (value === undefined) {
      if (required) errors.push({ field: name, message: `is required and must be ${expects}` })
      continue
    }
    values[name] = read(value)
    if (values[name] === undefined) errors.push({ field: name, message: `must be ${expects}` })
  }
  const names = Object.keys(fields)
  for (const name of Object.keys(given))
    if (!Object.hasOwn(fields, name))
      errors.push({
        field: name.slice(0, 60),
        message: `is not a field here; there ${names.length === 0 ? 'are none' : `are ${names.join(', ')}`}`,
      })
  if (errors.length > 0) throw new Problem('invalid-parameters', { errors })
  return values as Values<F>
}
