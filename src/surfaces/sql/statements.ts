/**
 * The statement of a report as text, with the parameters of a function in place of the values that it binds. TypeScript makes a report's
 * SQL from values, so the report is asked twice, with two different values for each parameter: what differs between both is the
 * parameter. Parameters that change the text of the SQL, such as words, have choices, and the text has pieces that a choice decides.
 */
import { Computed, type Sql } from '../../db/sql.js'
import type { FlatTable } from '../../kernel/report/flat.js'
import { type Param, type Params, readParams, type Values } from '../../kernel/report/params.js'
import { type View, WHOLE } from '../../kernel/report/rights.js'
import { inDatabase } from './computed.js'
import { type Piece, piecesOf, type Varied } from './pieces.js'
import { constant } from './text.js'

/** The values of a parameter that share one text of the SQL. */
interface Choice {
  /** As the function writes it (functions.ts). */
  readonly name: string
  /** Two values that differ, as a request gives them, or undefined for a parameter that is left out. */
  readonly samples: readonly [unknown, unknown]
}

/** The text of the SQL that stands for a parameter. */
export type Written = (param: string) => string

/** The text for each choice of all parameters. */
export interface Statement {
  /** Parameters whose choices together select the pieces; the names of the choices are joined by `/`. */
  readonly outer: readonly string[]
  readonly pieces: ReadonlyMap<string, readonly Piece[]>
}

export const LEFT_OUT = '-'
export const EMPTY = `''`
export const GIVEN = '+'

/** Whether an empty text is a value that the report may treat in another way. */
export const mayBeEmpty = ({ type, blankIsAbsent, read }: Param<unknown>): boolean =>
  type.kind === 'text' && !blankIsAbsent && read('') !== undefined

/** Whether it is a day that is today unless it is given. */
export const isToday = ({ type, byDefault }: Param<unknown>): boolean => type.kind === 'date' && byDefault === 'today'

/** Whether it has a value in any case. */
export const hasValue = (param: Param<unknown>): boolean =>
  param.required || isToday(param) || (param.byDefault !== undefined && param.read(param.byDefault) !== undefined)

/** Whether it is a list of numbers in one text, of which each length has its own SQL. */
export const isList = ({ read, example }: Param<unknown>): boolean => Array.isArray(read(example))

const LONGEST_LIST = 100

/** `nth` tells parameters apart: no two of them have the same sample. */
function choicesOf(param: Param<unknown>, nth: number): Choice[] {
  const { type } = param
  const absent: Choice[] = hasValue(param) ? [] : [{ name: LEFT_OUT, samples: [undefined, undefined] }]
  const given = (...samples: Choice['samples']): Choice => ({ name: GIVEN, samples })
  switch (type.kind) {
    case 'word':
      return [...absent, ...type.words.map((word) => ({ name: word, samples: [word, word] as const }))]
    case 'zero-or-one':
      return [...absent, ...[0, 1].map((flag) => ({ name: String(flag), samples: [flag, flag] as const }))]
    case 'date':
      return [...absent, given(`2001-02-${10 + nth}`, `2101-03-${10 + nth}`)]
    case 'whole-number':
      return [...absent, given(type.smallest + 3 + nth, Math.min(3101, type.largest) - nth)]
    default: {
      if (isList(param)) return [...absent, ...listsOf(param, nth)]
      const [one, other] = ['a', 'b'].map((letter) =>
        [`${letter} ${nth}`, `${letter}${nth}=1`].find((text) => param.read(text) !== undefined),
      )
      if (one === undefined || other === undefined) throw new Error(`there is no sample of a value: ${type.kind}`)
      const empty = mayBeEmpty(param) ? [{ name: EMPTY, samples: ['', ''] as const }] : []
      return [...absent, ...empty, given(one, other)]
    }
  }
}

function listsOf({ read }: Param<unknown>, nth: number): Choice[] {
  const lists = Array.from({ length: LONGEST_LIST }, (_, i) => {
    const from = (first: number) => Array.from({ length: i + 1 }, (_, at) => first + at).join()
    return { name: String(i + 1), samples: [from(11 + nth), from(5001 + nth)] as const }
  })
  return lists.filter(({ samples }) => samples.every((sample) => read(sample) !== undefined))
}

type Sampled = ReadonlyMap<string, readonly [unknown, unknown]>

/** The choices of each parameter of a table, in their order. */
type Choices = ReadonlyMap<string, readonly Choice[]>

const known = new WeakMap<FlatTable, Choices>()

export function choicesFor(table: FlatTable): Choices {
  const { params } = table
  const found = known.get(table)
  if (found !== undefined) return found
  const all: Choices = new Map(Object.entries(params).map(([name, param], nth) => [name, choicesOf(param, nth)]))
  const made = new Map([...all].map(([name, each]) => [name, isBound(table, name, all) ? asValue(each) : each]))
  known.set(table, made)
  return made
}

/**
 * Whether the SQL of a table binds a word as it binds other values, so that all words have one text. Looked at where all other parameters are
 * given: a word that changes the text of another choice stops the composition.
 */
function isBound(table: FlatTable, name: string, all: Choices): boolean {
  if (table.params[name]?.type.kind !== 'word') return false
  const words = (all.get(name) ?? []).filter((choice) => choice.name !== LEFT_OUT)
  const names = [...all.keys()]
  const given = names.map((of) => all.get(of)?.at(-1) as Choice)
  const texts = words.map((word, i) => {
    const samples = [word.samples[0], words[(i + 1) % words.length]?.samples[0]] as const
    const chosen = given.map((choice, at) => (names[at] === name ? { name: GIVEN, samples } : choice))
    const asked = askedOf(table, names, chosen)
    try {
      return asked && statementText(table, WHOLE, asked, (param) => `{${param}}`)
    } catch {
      return undefined // it binds something that TypeScript looked up by the word
    }
  })
  return texts.every((text) => text !== undefined && text === texts[0])
}

/** The words of a parameter as one choice, of which the first two are samples. */
function asValue(each: readonly Choice[]): Choice[] {
  const absent = each.filter(({ name }) => name === LEFT_OUT)
  const [one, other] = each.filter(({ name }) => name !== LEFT_OUT)
  return [...absent, { name: GIVEN, samples: [one?.samples[0], other?.samples[0]] }]
}

type Asked = readonly [Values<Params>, Values<Params>]

/** The values of two requests with these choices; undefined if no request makes them together. */
function askedOf({ report, shape }: FlatTable, names: readonly string[], chosen: readonly Choice[]): Asked | undefined {
  const [one, other] = ([0, 1] as const).map((sample) => {
    const given = Object.fromEntries(names.map((name, i) => [name, chosen[i]?.samples[sample]]))
    const read = readParams(report.request, {
      ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
      ...(report.shapedBy !== undefined && { [report.shapedBy]: shape }),
    })
    return 'values' in read ? read.values : undefined
  })
  return one && other && [one, other]
}

/** The statement of a table. */
export function statementOf(table: FlatTable, view: View, write: Written): Statement {
  const choices = choicesFor(table)
  const several = [...choices.keys()].filter((name) => (choices.get(name) as Choice[]).length > 1)
  // Choices of these depend on each other: of alternatives one is given, and each length of a list has its own SQL.
  const outer = new Set(several.filter((name) => isAlone(table.params[name] as Params[string])))
  while (true) {
    const made = compose(table, view, write, choices, outer, several)
    if (made instanceof Map) return { outer: several.filter((name) => outer.has(name)), pieces: made }
    for (const name of made) outer.add(name)
  }
}

const isAlone = (param: Param<unknown>): boolean => param.insteadOf !== undefined || isList(param)

/** The pieces by the choices of `outer`; or the parameters that change the same place of the text. */
function compose(
  table: FlatTable,
  view: View,
  write: Written,
  choices: Choices,
  outer: ReadonlySet<string>,
  several: readonly string[],
): Map<string, readonly Piece[]> | readonly string[] {
  const names = [...choices.keys()]
  const textFor = (chosen: ReadonlyMap<string, Choice>): string | undefined => {
    const asked = askedOf(
      table,
      names,
      names.map((name) => chosen.get(name) as Choice),
    )
    return asked && textOfAll(table, view, asked, write)
  }
  const made = new Map<string, readonly Piece[]>()
  for (const row of combinations(names.map((name) => (outer.has(name) ? (choices.get(name) ?? []) : [undefined])))) {
    const chosen = new Map(names.map((name, i) => [name, row[i] ?? (choices.get(name)?.[0] as Choice)]))
    const base = textFor(chosen)
    if (base === undefined) continue
    const varied = several.flatMap((name): Varied[] => {
      if (outer.has(name)) return []
      const texts = (choices.get(name) as Choice[]).map((choice) => {
        const text = textFor(new Map(chosen).set(name, choice))
        return [choice.name, text ?? fail(`${table.name}: the choices of ${name} depend on others`)] as const
      })
      return [{ param: name, texts: new Map(texts) }]
    })
    const found = piecesOf(base, varied)
    if ('conflict' in found) return found.conflict
    made.set(row.flatMap((choice) => (choice === undefined ? [] : [choice.name])).join('/'), found.pieces)
  }
  return made
}

/** Choices that a request can make, every `nth` of them, with the text that the report itself makes. */
export function* everyText(
  table: FlatTable,
  view: View,
  write: Written,
  nth = 1,
): Generator<[Map<string, string>, string]> {
  const choices = choicesFor(table)
  const names = [...choices.keys()]
  let at = 0
  for (const chosen of combinations([...choices.values()])) {
    const asked = askedOf(table, names, chosen)
    if (asked === undefined || at++ % nth !== 0) continue
    yield [new Map(names.map((name, i) => [name, chosen[i]?.name ?? ''])), textOfAll(table, view, asked, write)]
  }
}

const textOfAll = (table: FlatTable, view: View, asked: Asked, write: Written): string =>
  statementText(table, view, asked, write) ??
  fail(`${table.name}: the text of its SQL depends on a value that is no choice`)

function* combinations<T>(lists: readonly (readonly T[])[]): Generator<T[]> {
  const [first, ...rest] = lists
  if (first === undefined) yield []
  else for (const one of first) for (const others of combinations(rest)) yield [one, ...others]
}

/** The query of a table for fixed values of some parameters; `write` has the others, of which a view has none. */
export function fixedQuery(
  table: FlatTable,
  view: View,
  fixed: Readonly<Record<string, unknown>>,
  write: Written,
): string {
  const names = Object.keys(table.params)
  const chosen = names.map((name, nth): Choice => {
    if (name in fixed) return { name, samples: [fixed[name], fixed[name]] }
    const param = table.params[name] as Params[string]
    const absent: Choice = { name, samples: [undefined, undefined] }
    return param.required ? (choicesOf(param, nth).at(-1) ?? absent) : absent
  })
  const asked = askedOf(table, names, chosen)
  const text = asked && statementText(table, view, asked, write)
  if (text === undefined) throw new Error(`${table.name} cannot be a view`)
  return text
}

/** The query with parameters in place of their samples; undefined if the samples differ in the text of their SQL. */
function statementText({ name, flat, params }: FlatTable, view: View, [one, other]: Asked, write: Written) {
  const sampled: Sampled = new Map(Object.keys(params).map((param) => [param, [one[param], other[param]] as const]))
  try {
    return textOf(flat.query(one, view), flat.query(other, view), sampled, write)
  } catch (error) {
    throw new Error(`${name} cannot be a function: ${(error as Error).message}`, { cause: error })
  }
}

const json = (value: unknown): string => JSON.stringify(value) ?? 'undefined'
const isSame = (one: unknown, other: unknown): boolean => one === other || json(one) === json(other)

/** The text of two statements that differ in the values of their parameters only; else undefined. */
function textOf(one: Sql, other: Sql, sampled: Sampled, write: Written): string | undefined {
  const { strings, values } = one
  if (strings.length !== other.strings.length || strings.some((text, i) => text !== other.strings[i])) return undefined
  const parts = [strings[0] as string]
  for (const [i, value] of values.entries())
    parts.push(valueText(value, other.values[i], sampled, write), strings[i + 1] as string)
  return parts.join('')
}

function valueText(one: unknown, other: unknown, sampled: Sampled, write: Written): string {
  if (one instanceof Computed && other instanceof Computed)
    return inDatabase(one, other, {
      value: (a, b) => valueText(a, b, sampled, write),
      query: (a, b) => textOf(a, b, sampled, write) ?? fail('its computation reads another text'),
    })
  if (isSame(one, other)) return constant(one)
  for (const [name, [a, b]] of sampled) if (isSame(a, one) && isSame(b, other)) return write(name)
  return fail(`it binds a value that TypeScript computes from its parameters: ${json(one)}`)
}

function fail(message: string): never {
  throw new Error(message)
}
