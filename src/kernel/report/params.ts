/** The types of a request's parameters: the accepted values, the error message for others, and the value for the query. */
import { isCalendarDate } from '../../calendar.js'
import type { FieldError } from '../../errors.js'
import { nearest } from '../../nearest.js'
import type { InWords } from './fields.js'

/** The JSON type in which the contract sends a number. Requests may use either. */
export type Wire = 'number' | 'string'

/** The values of a parameter, for forms and documents. */
export type ParamType =
  | { readonly kind: 'date' }
  /** `inWords` has what people read in place of a word. */
  | { readonly kind: 'word'; readonly words: readonly string[]; readonly inWords?: InWords }
  | { readonly kind: 'zero-or-one'; readonly wire: Wire; readonly inWords?: InWords }
  | { readonly kind: 'whole-number'; readonly wire: Wire; readonly smallest: number; readonly largest: number }
  /** Of this pattern, a regular expression, if it has one. */
  | { readonly kind: 'text'; readonly longest: number; readonly pattern?: string }
  /** May be sent several times. */
  | { readonly kind: 'texts'; readonly longest: number; readonly most: number }

export interface Param<T> {
  readonly type: ParamType
  readonly description: string
  /** The end of a sentence that begins with "must be". */
  readonly expects: string
  /** The value for the query; undefined if the request's value is invalid. */
  readonly read: (value: unknown) => T | undefined
  readonly required: boolean
  /** Of the parameters with the same word here, a request gives exactly one. */
  readonly insteadOf?: string
  /** An empty string counts as not given: many programs send it for an unused filter. */
  readonly blankIsAbsent?: true
  /** What a request means that leaves it out, as a caller would send it; `today` of a day. */
  readonly byDefault?: string | number
  /** What people read where a request leaves it out and `byDefault` cannot say it; `all` without it. */
  readonly leftOut?: string
  /** A value that exists in the sample company; left out if only the service can issue a value. */
  readonly example?: unknown
}

// biome-ignore lint/suspicious/noExplicitAny: a parameter of any value
export type Params = { readonly [name: string]: Param<any> }
export type Values<P extends Params> = { [K in keyof P]: P[K] extends Param<infer T> ? T : never }

const LONGEST_TEXT = 200

const param = <T>(options: Omit<Param<T>, 'required'>): Param<T> => ({ ...options, required: true })

/** A calendar date. */
export const Day = (description: string, example: string): Param<string> =>
  param({
    type: { kind: 'date' },
    description,
    expects: 'a calendar date as YYYY-MM-DD',
    read: (value) => (typeof value === 'string' && isCalendarDate(value) ? value : undefined),
    example,
  })

/** The range that most reports take, both days inclusive. */
export const dateRange = {
  from_date: Day('First day of the range, inclusive, `YYYY-MM-DD`.', '2026-06-01'),
  to_date: Day('Last day of the range, inclusive, `YYYY-MM-DD`.', '2026-06-30'),
}

/** One of a few words; people read the words of `inWords` in their place. */
export const OneOf = <const W extends string>(words: readonly W[], description: string, inWords?: InWords): Param<W> =>
  param({
    type: { kind: 'word', words, ...(inWords && { inWords }) },
    description,
    expects: `one of ${words.join(', ')}`,
    read: (value) => words.find((word) => word === value),
    example: words[0],
  })

/** 0 or 1, as a number or as a string; people read the words of `inWords` in their place. */
export const ZeroOrOne = (wire: Wire, description: string, inWords?: InWords): Param<boolean> =>
  param({
    type: { kind: 'zero-or-one', wire, ...(inWords && { inWords }) },
    description,
    expects: '0 or 1',
    read: (value) => (value === 0 || value === '0' ? false : value === 1 || value === '1' ? true : undefined),
    example: wire === 'string' ? '0' : 0,
  })

/** A whole number, also as a string of digits. */
export const WholeNumber = (wire: Wire, largest: number, description: string, example: number): Param<number> =>
  param({
    type: { kind: 'whole-number', wire, smallest: 1, largest },
    description,
    expects: `a whole number from 1 to ${largest}`,
    read: (value) => {
      const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value
      return typeof number === 'number' && Number.isInteger(number) && number >= 1 && number <= largest
        ? number
        : undefined
    },
    example: wire === 'string' ? String(example) : example,
  })

/** Free text. */
export const TextParam = (description: string, example: string): Param<string> =>
  param({
    type: { kind: 'text', longest: LONGEST_TEXT },
    description,
    expects: `text of at most ${LONGEST_TEXT} characters`,
    read: (value) =>
      typeof value === 'string' && value.length <= LONGEST_TEXT && !value.includes('\0') ? value : undefined,
    example,
  })

/** May be left out. */
export const Optional = <T>(inner: Param<T>): Param<T | undefined> => ({
  ...inner,
  required: false,
  blankIsAbsent: true,
})

/** One of several parameters, of which a request gives exactly one; they have the same `word`. */
export const Alternative = <T>(word: string, inner: Param<T>): Param<T | undefined> => ({
  ...Optional(inner),
  insteadOf: word,
})

/** May be left out, and has this value then: the query always gets one. */
export const Defaulting = <T>(inner: Param<T>, byDefault: string | number): Param<T> => ({
  ...inner,
  required: false,
  blankIsAbsent: true,
  byDefault,
})

/** May be left out and means today then: the query gets undefined, and reads the clock, so that each day has its own answer. */
export const DayOrToday = (description: string, example: string): Param<string | undefined> => ({
  ...Optional(Day(description, example)),
  byDefault: 'today',
})

/** May be left out; an empty string is a value, unlike with `Optional`. */
export const OptionalOrEmpty = <T>(inner: Param<T>): Param<T | undefined> => ({ ...inner, required: false })

/** Reads a request; the error lists all invalid and unknown parameters, and may suggest one of `others` too. */
export function readParams<P extends Params>(
  params: P,
  given: Readonly<Record<string, unknown>>,
  others: readonly string[] = [],
): { values: Values<P> } | { errors: FieldError[] } {
  const errors: FieldError[] = []
  const values: Record<string, unknown> = {}
  for (const name in params) {
    const { required, read, expects, blankIsAbsent, byDefault } = params[name] as Params[string]
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (!required && (value === undefined || value === null || (blankIsAbsent && value === ''))) {
      const meant = byDefault === undefined ? undefined : read(byDefault)
      if (meant !== undefined) values[name] = meant
      continue
    }
    if (value === undefined) {
      errors.push({ field: name, message: `is required and must be ${expects}` })
      continue
    }
    values[name] = read(value)
    if (values[name] === undefined) errors.push({ field: name, message: `must be ${expects}, not ${shown(value)}` })
  }
  for (const names of alternativesIn(params)) {
    if (errors.some(({ field }) => names.includes(field))) continue
    const [first, ...more] = names.filter((name) => values[name] !== undefined)
    if (first === undefined)
      errors.push({ field: names[0] as string, message: `is missing: give exactly one of ${names.join(', ')}` })
    for (const name of more)
      errors.push({ field: name, message: `cannot stand beside ${first}: give exactly one of ${names.join(', ')}` })
  }
  for (const name in given)
    if (!Object.hasOwn(params, name)) errors.push(unknownParam(name, Object.keys(params), 'here', others))
  const { from_date, to_date } = values
  if (typeof from_date === 'string' && typeof to_date === 'string' && from_date > to_date)
    errors.push({ field: 'to_date', message: `must not be before from_date (${from_date}), but is ${to_date}` })
  return errors.length > 0 ? { errors } : { values: values as Values<P> }
}

/** The names of the parameters of which a request gives exactly one, set by set. */
export function alternativesIn(params: Params): string[][] {
  const sets = new Map<string, string[]>()
  for (const [name, { insteadOf }] of Object.entries(params))
    if (insteadOf !== undefined) sets.set(insteadOf, [...(sets.get(insteadOf) ?? []), name])
  return [...sets.values()]
}

/** The names of the parameters of a shortest request: the required ones, and the first of each set of alternatives. */
export const leastParams = (params: Params): string[] => [
  ...Object.keys(params).filter((name) => params[name]?.required),
  ...alternativesIn(params).map(([first]) => first as string),
]

/** The error for an unknown parameter; it may suggest one of `others` too. */
export const unknownParam = (
  name: string,
  names: readonly string[],
  where: string,
  others: readonly string[] = [],
): FieldError => ({
  field: cut(name),
  message: `is not a parameter ${where}${nearest(name.slice(0, 60), [...names, ...others])}; there ${listed(names)}`,
})

const listed = (names: readonly string[]) => (names.length === 0 ? 'are none' : `are ${names.join(', ')}`)
const cut = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text)
const shown = (value: unknown) => {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object'
  return typeof value === 'string' ? cut(JSON.stringify(value.slice(0, 100))) : String(value)
}
