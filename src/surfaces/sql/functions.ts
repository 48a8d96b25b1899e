/** The signature and the body of a function: it checks its parameters as a request is checked, and runs the statement of their choices. */
import { identifier } from '../../db/sql.js'
import type { FlatTable } from '../../kernel/report/flat.js'
import type { Param, Params } from '../../kernel/report/params.js'
import type { Piece } from './pieces.js'
import {
  choicesFor,
  EMPTY,
  GIVEN,
  hasValue,
  isList,
  isToday,
  LEFT_OUT,
  mayBeEmpty,
  type Statement,
} from './statements.js'
import { constant, quoted } from './text.js'
import { typeOfParam } from './types.js'

/**
 * Settings of each call, as connections of the service have them. Other settings of a session change no record; these also keep a caller's own
 * tables and functions from being found in place of Millbook's.
 */
const SETTINGS = [`datestyle = 'ISO, YMD'`, `timezone = 'UTC'`, 'jit = off', 'random_page_cost = 1.1']

/** In PostgreSQL, parameters with a default value come last. */
const inOrder = (params: Params): [string, Param<unknown>][] =>
  Object.entries(params).sort(([, a], [, b]) => Number(b.required) - Number(a.required))

export const parametersOf = (params: Params): string =>
  inOrder(params)
    .map(([name, param]) => {
      const { required, byDefault, type } = param
      const usual = required ? '' : ` default ${constant(hasValue(param) && !isToday(param) ? byDefault : null)}`
      return `${identifier(name).text} ${typeOfParam(type)}${usual}`
    })
    .join(', ')

/** The value of each parameter in the body of the function: null if it is left out. */
function valuesOf(params: Params): Map<string, string> {
  const places = new Map(inOrder(params).map(([name], i) => [name, `$${i + 1}`]))
  return new Map(
    Object.entries(params).map(([name, param]) => {
      const { type, blankIsAbsent, byDefault, required } = param
      const isText = typeOfParam(type) === 'text'
      const place = places.get(name) as string
      const given = isText && blankIsAbsent ? `nullif(${place}, '')` : place
      if (isToday(param)) return [name, `coalesce(${given}, (select t.day from today t))`]
      return [name, !required && hasValue(param) ? `coalesce(${given}, ${constant(byDefault)})` : given]
    }),
  )
}

const listOf = (value: string): string => `string_to_array(${value}, ',')::integer[]`

/** The name of the choice that a value is (statements.ts). */
function choiceOf(param: Param<unknown>, value: string, choices: readonly { readonly name: string }[]): string {
  const { type } = param
  if (type.kind === 'word' && choices.every(({ name }) => name !== GIVEN))
    return `coalesce(${value}, ${quoted(LEFT_OUT)})`
  if (type.kind === 'zero-or-one') return `coalesce(${value}::text, ${quoted(LEFT_OUT)})`
  if (isList(param)) return `coalesce(cardinality(${listOf(value)})::text, ${quoted(LEFT_OUT)})`
  const empty = mayBeEmpty(param) ? ` when ${value} = '' then ${quoted(EMPTY)}` : ''
  return `case when ${value} is null then ${quoted(LEFT_OUT)}${empty} else ${quoted(GIVEN)} end`
}

/** Raises an error where a condition holds: the message begins with the name of the parameter. */
const refuse = (condition: string, message: string): string =>
  `  if ${condition} then
    raise exception using errcode = 'invalid_parameter_value', message = ${message};
  end if;`

function checksOf(params: Params, values: ReadonlyMap<string, string>): string[] {
  const checks: string[] = []
  const alternatives = new Map<string, string[]>()
  for (const [name, param] of Object.entries(params)) {
    const { type, required, insteadOf } = param
    const value = values.get(name) as string
    const wrong = (condition: string) =>
      checks.push(
        refuse(condition, `${quoted(`${name} must be ${param.expects}, not `)} || left(to_json(${value})::text, 60)`),
      )
    if (required) checks.push(refuse(`${value} is null`, quoted(`${name} is required and must be ${param.expects}`)))
    if (insteadOf !== undefined) alternatives.set(insteadOf, [...(alternatives.get(insteadOf) ?? []), name])
    if (type.kind === 'date') wrong(`${value} not between date '0001-01-01' and date '9999-12-31'`)
    else if (type.kind === 'word') wrong(`${value} not in (${type.words.map(quoted).join(', ')})`)
    else if (type.kind === 'zero-or-one') wrong(`${value} not in (0, 1)`)
    else if (type.kind === 'whole-number') wrong(`${value} not between ${type.smallest} and ${type.largest}`)
    else {
      wrong(`char_length(${value}) > ${type.longest}`)
      if (!isList(param)) continue
      if (type.kind === 'text' && type.pattern !== undefined) wrong(`${value} !~ ${quoted(type.pattern)}`)
      wrong(`exists (select from unnest(${listOf(value)}) with ordinality a(n, i), unnest(${listOf(value)}) with ordinality b(n, i)
               where b.i = a.i + 1 and b.n <= a.n)`)
    }
  }
  for (const names of alternatives.values()) {
    const all = names.map((name) => values.get(name)).join(', ')
    checks.push(refuse(`num_nonnulls(${all}) <> 1`, quoted(`give exactly one of ${names.join(', ')}`)))
  }
  const [from, to] = ['from_date', 'to_date'].map((name) => values.get(name))
  if (from !== undefined && to !== undefined)
    checks.push(
      refuse(`${from} > ${to}`, `format('to_date must not be before from_date (%s), but is %s', ${from}, ${to})`),
    )
  return checks
}

/** The text of the statement as an expression. `around` stands before and after the query of the report. */
function expressionOf(
  { outer, pieces }: Statement,
  [before, after]: readonly [string, string],
  choiceOf: (name: string) => string,
) {
  const written = (all: readonly Piece[]): string =>
    all
      .map((piece) => {
        if (typeof piece === 'string') return quoted(piece)
        const whens = [...piece.texts].map(([choice, text]) => `when ${quoted(choice)} then ${quoted(text)}`)
        return `case ${choiceOf(piece.param)} ${whens.join(' ')} end`
      })
      .join('\n      || ')
  const whens = [...pieces].map(([choice, all]) => `when ${quoted(choice)} then\n      ${written(all)}`)
  const query =
    outer.length === 0
      ? written([...pieces.values()][0] ?? [])
      : `case concat_ws('/', ${outer.map(choiceOf).join(', ')})\n    ${whens.join('\n    ')}\n    end`
  return `${quoted(before)} || ${query} || ${quoted(after)}`
}

/** `around` stands before and after the query of the report; `here` is Millbook's schema. */
export function bodyOf(
  table: FlatTable,
  statement: Statement,
  around: readonly [string, string],
  here: string,
): string {
  const { params } = table
  const values = valuesOf(params)
  const choices = choicesFor(table)
  const choice = (name: string) =>
    choiceOf(params[name] as Params[string], values.get(name) as string, choices.get(name) ?? [])
  const used = Object.entries(params).map(([name, param]) =>
    isList(param) ? listOf(values.get(name) as string) : values.get(name),
  )
  const settings = [`search_path = ${identifier(here).text}, pg_temp`, ...SETTINGS].map((one) => `set ${one}`).join(' ')
  return `language plpgsql stable security definer ${settings} as $function$
declare
  statement text;
begin
${checksOf(params, values).join('\n')}
  statement := ${expressionOf(statement, around, choice)};
  if statement is null then
    raise exception using errcode = 'invalid_parameter_value', message = 'these parameters do not go together: see the comment of the function';
  end if;
  return query execute statement${used.length > 0 ? ` using ${used.join(', ')}` : ''};
end $function$`
}
