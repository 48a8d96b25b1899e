/** A mapping while people correct it: its settings and a list of rules, each with the tables that it reads. */
import type { Doubt, FoundColumn, From, Given, MappingObject, Proposal, RowRule, Table } from './model.js'

export interface Rule {
  readonly entity: string
  readonly given: Given
  readonly doubts: readonly Doubt[]
  /** Ids of the tables that it reads; none if these files have no such sheet. */
  readonly tables: readonly string[]
}

export interface Draft {
  /** Everything of the mapping but its rules. */
  readonly settings: Readonly<Record<string, unknown>>
  readonly rules: readonly Rule[]
}

const several = <T>(value: T | readonly T[] | undefined): readonly T[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value as T]

export function draftOf({ mapping, tables }: Pick<Proposal, 'mapping' | 'tables'>): Draft {
  const { entities, ...settings } = mapping
  const rules = Object.entries(entities).flatMap(([entity, given]) =>
    several<Given>(given).map((one): Rule => {
      const text = JSON.stringify(one)
      const found = tables.flatMap(({ id, rules }) =>
        rules.flatMap((rule) =>
          rule.entity === entity && JSON.stringify(rule.given) === text ? { id, doubts: rule.doubts } : [],
        ),
      )
      return { entity, given: one, doubts: found[0]?.doubts ?? [], tables: found.map(({ id }) => id) }
    }),
  )
  return { settings, rules }
}

export function mappingOf({ settings, rules }: Draft): MappingObject {
  const entities: Record<string, Given[]> = {}
  for (const { entity, given } of rules) entities[entity] = [...(entities[entity] ?? []), given]
  return { ...settings, entities }
}

/** The rules that read a table, with their place in the draft. */
export const rulesOf = ({ rules }: Draft, { id }: Table): { at: number; rule: Rule }[] =>
  rules.flatMap((rule, at) => (rule.tables.includes(id) ? { at, rule } : []))

/** Doubts about a column of the import are settled once a person has changed it. */
export const changeRule = (draft: Draft, at: number, change: (given: Given) => Given): Draft => ({
  ...draft,
  rules: draft.rules.map((rule, i) => {
    if (i !== at) return rule
    const given = change(rule.given)
    const takenFrom = ({ columns, constants }: Given, name: string) =>
      JSON.stringify([columns?.[name] ?? null, constants?.[name] ?? null])
    const isOpen = ({ column }: Doubt) =>
      column === undefined || takenFrom(given, column) === takenFrom(rule.given, column)
    return { ...rule, given, doubts: rule.doubts.filter(isOpen) }
  }),
})

export const removeRule = (draft: Draft, at: number): Draft => ({
  ...draft,
  rules: draft.rules.filter((_, i) => i !== at),
})

/** A rule for one more entity in a table; it names the files, sheets and header as the table's first rule does. */
export function addRule(draft: Draft, table: Table, entity: string): Draft {
  const [like] = rulesOf(draft, table)
  const { file, sheet, header, dates, decimal, separator, encoding } = like?.rule.given ?? patternsOf(table)
  const given = Object.fromEntries(
    Object.entries({ file, sheet, header, dates, decimal, separator, encoding }).filter(([, one]) => one !== undefined),
  )
  return {
    ...draft,
    rules: [...draft.rules, { entity, given: { ...given, columns: {} }, doubts: [], tables: [table.id] }],
  }
}

const plural = (names: readonly string[]): string | readonly string[] =>
  names.length === 1 ? (names[0] as string) : names

function patternsOf({ sheets, header: { first, last } }: Table): Given {
  const files = [...new Set(sheets.map(({ file }) => file))]
  const names = [...new Set(sheets.map(({ sheet }) => sheet).filter((name) => name !== ''))]
  return {
    file: plural(files),
    ...(names.length > 0 && { sheet: plural(names) }),
    header: first === last ? String(last) : `${first}-${last}`,
  }
}

/** The column that a value is read from; undefined for texts and numbers made of several columns. */
export const columnIn = (from: From): string | undefined =>
  typeof from === 'string' ? from : (from.column ?? from.code ?? (isTemplate(from.sum) ? undefined : from.sum))

const isTemplate = (text: string | undefined): boolean => text?.includes('{') ?? false

/** Whether the mapping's name of a column means this one. */
const means = (name: string, { name: own, letter, heading }: FoundColumn): boolean =>
  name === own || name === `[${letter}]` || name === heading || (heading !== '' && name === heading.split(' / ').at(-1))

const inTemplate = (template: string, column: FoundColumn): boolean =>
  [...template.matchAll(/\{([^{}|]+)(?:\|[^{}]*)?\}/g)].some(([, name]) => means(name as string, column))

export interface Use {
  /** The import's column. */
  readonly name: string
  readonly from: From
  /** Only a part of a text made of several columns, or counted. */
  readonly part: boolean
}

/** How a rule reads a column of the sheet. */
export function usesOf({ columns = {} }: Given, column: FoundColumn): Use[] {
  return Object.entries(columns).flatMap(([name, from]): Use[] => {
    const direct = columnIn(from)
    if (direct !== undefined) return means(direct, column) ? [{ name, from, part: false }] : []
    const { text, count, calc, sum } = from as Exclude<From, string>
    const isIn =
      [text, calc, sum].some((template) => template !== undefined && inTemplate(template, column)) ||
      (count !== undefined && (count.includes('{') ? inTemplate(count, column) : means(count, column)))
    return isIn ? [{ name, from, part: true }] : []
  })
}

const without = (columns: Readonly<Record<string, From>>, names: readonly string[]): Record<string, From> =>
  Object.fromEntries(Object.entries(columns).filter(([name]) => !names.includes(name)))

/** The column is now this column of the import, or is left out; `instead` is the use that it replaces. */
export function useAs(given: Given, column: FoundColumn, name: string | undefined, instead: Use | undefined): Given {
  const { columns = {}, constants = {} } = given
  const gone = instead === undefined ? [] : [instead.name]
  if (name === undefined) return { ...given, columns: without(columns, gone) }
  const { [name]: _, ...others } = constants
  const fill = instead !== undefined && typeof instead.from === 'object' ? instead.from.fill : undefined
  const from: From = fill === undefined ? column.name : { column: column.name, fill }
  // In the place of the old one, so that the text of the mapping keeps its order.
  const place = instead === undefined ? -1 : Object.keys(columns).indexOf(instead.name)
  const entries = Object.entries(without(columns, [...gone, name]))
  entries.splice(place === -1 ? entries.length : Math.min(place, entries.length), 0, [name, from])
  return {
    ...given,
    columns: Object.fromEntries(entries),
    ...(Object.keys(constants).length > 0 && { constants: others }),
  }
}

export type Reading = 'value' | 'unit' | 'code' | 'sum'

export const readingOf = (from: From): Reading =>
  typeof from === 'string'
    ? 'value'
    : from.code !== undefined
      ? 'code'
      : from.sum !== undefined
        ? 'sum'
        : from.take === 'unit'
          ? 'unit'
          : 'value'

export const isFilled = (from: From): boolean => typeof from === 'object' && from.fill !== undefined

/** Reads a column in another way, or fills its empty cells from above. */
export function readAs(given: Given, { name, from }: Use, reading: Reading, fill: boolean): Given {
  const column = columnIn(from) as string
  const { values, round } = typeof from === 'object' ? from : {}
  const down =
    fill && (reading === 'value' || reading === 'code')
      ? { fill: (typeof from === 'object' && from.fill) || 'down' }
      : {}
  const kept = { ...(values !== undefined && { values }), ...(round !== undefined && { round }) }
  const read: From =
    reading === 'code'
      ? { code: column, ...down }
      : reading === 'sum'
        ? { sum: column, ...(round !== undefined && { round }) }
        : reading === 'unit'
          ? { column, take: 'unit', ...(values !== undefined && { values }) }
          : Object.keys({ ...kept, ...down }).length === 0
            ? column
            : { column, ...kept, ...down }
  return { ...given, columns: { ...given.columns, [name]: read } }
}

/** A value that every row has; undefined removes it. */
export function setConstant(given: Given, name: string, value: string | undefined): Given {
  const { [name]: _, ...others } = given.constants ?? {}
  return { ...given, constants: value === undefined ? others : { ...others, [name]: value } }
}

/** The columns that each row needs and that nothing gives. */
export const missing = ({ columns = {}, constants = {} }: Given, required: readonly string[]): string[] =>
  required.filter((name) => !(name in columns) && !(name in constants))

export const leftOut = ({ leave_out: rules }: Given): readonly RowRule[] => several<RowRule>(rules)

export function setLeftOut(given: Given, rules: readonly RowRule[]): Given {
  const { leave_out: _, ...others } = given
  return rules.length === 0 ? others : { ...others, leave_out: rules }
}

/** How the number of a document is made from a column: alone, or with the year of a date, because numbers begin anew each year. */
export const keyWithYear = (number: string, date: string): From => ({ text: `{${number}}/{${date}|year}` })

/** The columns in a key that was made by `keyWithYear`. */
export function partsOfKey(from: From | undefined): { number: string; date: string | undefined } | undefined {
  if (from === undefined) return undefined
  const direct = columnIn(from)
  if (direct !== undefined) return { number: direct, date: undefined }
  const [, number, date] = /^\{([^{}|]+)\}\/\{([^{}|]+)\|year\}$/.exec((from as { text?: string }).text ?? '') ?? []
  return number === undefined ? undefined : { number, date }
}

/** The forms of dates in a mapping, which may have one or a list. */
export const formsOf = (dates: unknown): string[] =>
  [dates ?? []].flat().filter((one): one is string => typeof one === 'string')

/** Forms in which the order of day and month has to be known. */
const NUMBERS = /^(?:DD(.)MM|MM(.)DD)(?=[^M])/

/** DD-MM-YYYY if the day comes first, MM-DD-YYYY if the month does; empty if dates begin with the year or have names of months. */
export const dayOrder = (forms: readonly string[]): string =>
  forms.find((form) => NUMBERS.test(form))?.startsWith('DD') === true
    ? 'DD-MM-YYYY'
    : forms.some((form) => NUMBERS.test(form))
      ? 'MM-DD-YYYY'
      : ''

/** The same forms, with their times, in another order of day and month, and the usual forms of this order. Without an order, the clear ones. */
export function inDayOrder(forms: readonly string[], order: string): string[] {
  const clear = forms.filter((form) => !NUMBERS.test(form))
  if (order === '') return clear
  const [first, second] = [order.slice(0, 2), order.slice(3, 5)]
  const own = forms
    .filter((form) => NUMBERS.test(form))
    .map((form) => form.replace(NUMBERS, (_, a?: string, b?: string) => `${first}${a ?? b}${second}`))
  const usual = ['-', '/', '.'].flatMap((sign) =>
    [order, order.replace('YYYY', 'YY')].map((one) => one.replaceAll('-', sign)),
  )
  return [...new Set([...own, ...usual, ...clear])]
}
