/** The columns of the answer to a view: of the records, of their groups, or of either beside an earlier period. */

import type { View } from '../ask.js'
import {
  type CatalogueReport,
  type Flat,
  flatten,
  isNumeric,
  type Row,
  shapeOf,
  type ValueColumn,
  type Values,
} from '../catalogue.js'
import { labelOf } from '../labels.js'
import { parseFilter } from './filters.js'
import { PERIODS, type Period, periodWord } from './periods.js'

/** The functions of a figure, with their words. */
export const FUNCTIONS = {
  sum: 'Sum',
  avg: 'Average',
  min: 'Smallest',
  max: 'Largest',
  count: 'Count',
  distinct: 'Different values',
} as const
export type FunctionName = keyof typeof FUNCTIONS

/** A column by which the records are grouped. */
export interface Key {
  /** As in the URL: `month(invoice_date)`. */
  readonly text: string
  readonly source: Flat
  readonly period?: Period
  readonly flat: Flat
  /** The unit of a figure, which the service adds. */
  readonly isUnit?: true
}

export interface Measure {
  /** As in the URL: `sum(total_amt)`. */
  readonly text: string
  readonly source: Flat
  readonly function: FunctionName
  readonly flat: Flat
}

export interface Answer {
  readonly columns: readonly Flat[]
  readonly keys: readonly Key[]
  readonly measures: readonly Measure[]
  /** The groups and figures that the report does not have. */
  readonly wrong: readonly { readonly field: 'group' | 'measures'; readonly text: string }[]
}

export const ROWS = 'rows'
const CANCELLED = '_cancelled'
export const BEFORE = '__before'
export const CHANGE = '__change'

export const listOf = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)

/** Every field of the report, the ones that people see first before the others. */
export function columnsFor(report: CatalogueReport, values: Values): Flat[] {
  const { columns = [], people = [] } = shapeOf(report, values) ?? {}
  return flatten(columns, people)
}

export function answerOf(report: CatalogueReport, values: Values, view: View): Answer {
  const shape = shapeOf(report, values)
  const fields = columnsFor(report, values)
  const better = shape?.better ?? {}
  if (!view.group) {
    const keyed = new Set(shape?.key.map(({ column }) => column))
    const columns = view.compare
      ? compared(fields.filter(isSingle), (flat) => keyed.has(columnOf(flat)), better)
      : fields
    return { columns, keys: [], measures: [], wrong: [] }
  }
  const declared = flatten(shape?.columns ?? []) // in the order of the record, as the service has them
  const wrong: { field: 'group' | 'measures'; text: string }[] = []
  const asked = listOf(view.group).flatMap((text) => {
    const key = readKey(text, declared)
    if (key === undefined) wrong.push({ field: 'group', text })
    return key ?? []
  })
  const measures =
    view.measures === undefined
      ? declared
          .filter((flat) => isAdditive(flat) && !asked.some((key) => columnOf(key.flat) === columnOf(flat)))
          .map((flat) => measureOf('sum', flat))
      : listOf(view.measures).flatMap((text) => {
          if (text === ROWS) return []
          const measure = readMeasure(text, declared)
          if (measure === undefined) wrong.push({ field: 'measures', text })
          return measure ?? []
        })
  const keys = [...asked, ...unitsOf(measures, asked, declared)]
  // The figures come before the number of rows, whose comparison is seen first only if there is no other figure.
  const plain = [
    ...keys.map(({ flat }) => flat),
    ...measures.map(({ flat }) => flat),
    ROWS_COLUMN,
    ...(shape?.cancelled
      ? [{ ...CANCELLED_COLUMN, isFirst: cancelledLeftOut(report, values, view, keys) !== undefined }]
      : []),
  ]
  const known = new Set(keys.map(({ flat }) => flat.name))
  const betterOf = Object.fromEntries(
    measures.flatMap(({ flat, source, function: name }) => {
      const is = better[source.name]
      return is === undefined || name === 'count' || name === 'distinct' ? [] : [[flat.name, is] as const]
    }),
  )
  const columns = view.compare ? compared(plain, ({ name }) => known.has(name), betterOf) : plain
  const behind = [CANCELLED, ...(measures.length === 0 ? [] : [ROWS])].flatMap((name) => [name + BEFORE, name + CHANGE])
  const isFirst = ({ name }: Flat) => !behind.includes(name)
  return { columns: columns.map((flat) => (isFirst(flat) ? flat : { ...flat, isFirst: false })), keys, measures, wrong }
}

/** The field and its value of the records that groups leave out: cancelled documents, unless a group or a filter names their state. */
export function cancelledLeftOut(
  report: CatalogueReport,
  values: Values,
  view: View,
  keys: readonly Key[],
): { readonly field: string; readonly is: string } | undefined {
  const cancelled = shapeOf(report, values)?.cancelled
  if (cancelled === undefined || keys.some(({ source }) => source.name === cancelled.field)) return undefined
  return view.filter?.some((text) => parseFilter(text)?.field === cancelled.field) ? undefined : cancelled
}

/** Such as `without 3 cancelled`: the documents that the figures of totals or groups leave out; undefined if there are none. */
export function withoutCancelled(rows: readonly Row[]): string | undefined {
  const cancelled = rows.reduce((sum, row) => sum + Number(row[CANCELLED] ?? 0), 0)
  return cancelled === 0 ? undefined : `without ${cancelled} cancelled`
}

/** The column of the service's statement. */
const columnOf = ({ path }: Flat): string => path.join('_')
const isSingle = ({ column }: Flat): boolean => column.kind !== 'lines'
export const isAdditive = ({ column }: Flat): boolean => 'additive' in column && column.additive
export const unitOf = ({ column }: Flat): string | undefined => ('unit' in column ? column.unit : undefined)

const CALL = /^([a-z]+)\s*\(\s*([^()]*?)\s*\)$/

const named = (fields: readonly Flat[], name: string): Flat | undefined =>
  fields.find((flat) => flat.name === name && isSingle(flat) && !['list', 'object'].includes(flat.column.kind))

export const isDated = ({ column }: Flat): boolean => column.kind === 'date' || column.kind === 'timestamp'

function readKey(text: string, fields: readonly Flat[]): Key | undefined {
  const [, call, inside = ''] = CALL.exec(text) ?? []
  const source = named(fields, call === undefined ? text : inside)
  if (source === undefined) return undefined
  if (call === undefined) return { text, source, flat: { ...source, isFirst: true } }
  if (!(call in PERIODS) || !isDated(source)) return undefined
  const column: ValueColumn = {
    ...ABOUT,
    kind: 'text',
    absent: null,
    description: `${PERIODS[call as Period]} of the date`,
  }
  const period = call as Period
  const label = `${source.label ?? source.column.heading ?? labelOf(source.name)} by ${periodWord(period)}`
  return { text, source, period, flat: { ...suffixed(source, `_${call}`, column), period, label } }
}

function readMeasure(text: string, fields: readonly Flat[]): Measure | undefined {
  const [, call = '', inside = ''] = CALL.exec(text) ?? []
  const source = named(fields, inside)
  if (source === undefined || !functionsFor(source).includes(call as FunctionName)) return undefined
  return measureOf(call as FunctionName, source)
}

/** The functions that fit a field. */
export function functionsFor(flat: Flat): readonly FunctionName[] {
  const { kind } = flat.column
  return (Object.keys(FUNCTIONS) as FunctionName[]).filter((name) => {
    if (name === 'sum') return isAdditive(flat)
    if (name === 'avg') return isNumeric({ kind })
    return kind !== 'flag' || (name !== 'min' && name !== 'max')
  })
}

const ABOUT = { name: '', contact: false, additive: false } as const

const ROWS_COLUMN: Flat = {
  ...{ name: ROWS, path: [ROWS], isFirst: true },
  column: { ...ABOUT, name: ROWS, kind: 'integer', wire: 'number', description: 'Number of records in the group.' },
}

const CANCELLED_COLUMN: Flat = {
  ...{ name: CANCELLED, path: [CANCELLED], isFirst: true, label: 'Cancelled' },
  column: {
    ...{ ...ABOUT, name: CANCELLED, kind: 'integer', wire: 'number' },
    description: 'Number of cancelled documents in the group, which no figure has.',
  },
}

const mostDigits = (column: ValueColumn): number =>
  column.kind === 'decimal' ? (column.upTo ?? column.digits) : column.kind === 'number' ? column.digits : 0

function measureOf(name: FunctionName, source: Flat): Measure {
  const text = `${name}(${source.name})`
  const { behind: _, absent: __, ...column } = source.column as ValueColumn
  const { upTo: ___, ...plain } = { upTo: 0, ...column }
  const number = { ...plain, kind: 'decimal' as const, digits: 'digits' in column ? column.digits : 0 }
  switch (name) {
    case 'sum':
      return { text, source, function: name, flat: { ...source, isFirst: true, column: { ...number, additive: true } } }
    case 'avg':
      return made({ ...number, additive: false, absent: null, digits: Math.max(2, mostDigits(column)) })
    case 'min':
    case 'max':
      return made({ ...column, additive: false, absent: null } as ValueColumn)
    default:
      return made({ ...ABOUT, kind: 'integer', wire: 'number', description: column.description })
  }
  function made(column: ValueColumn): Measure {
    return { text, source, function: name, flat: suffixed(source, `_${name}`, column) }
  }
}

/** A column beside another one: `invoice_date_month`, `total_amt__before`. */
function suffixed(
  { path, label, column: { heading } }: Flat,
  suffix: string,
  { heading: _, ...column }: ValueColumn,
): Flat {
  const last = `${path.at(-1)}${suffix}`
  const names = [...path.slice(0, -1), last]
  const short = label ?? heading
  return {
    ...{ name: names.join('.'), path: names, isFirst: true },
    column: { ...column, name: last } as ValueColumn,
    ...(short !== undefined && { label: `${short} ${labelOf(suffix).toLowerCase()}` }),
  }
}

function unitsOf(measures: readonly Measure[], keys: readonly Key[], fields: readonly Flat[]): Key[] {
  const units = new Set(
    measures.flatMap(({ function: name, source }) =>
      name === 'count' || name === 'distinct' ? [] : (unitOf(source) ?? []),
    ),
  )
  return fields
    .filter((flat) => units.has(columnOf(flat)) && !keys.some((key) => columnOf(key.flat) === columnOf(flat)))
    .map((source) => ({ text: source.name, source, flat: { ...source, isFirst: true }, isUnit: true }))
}

/** Each number with its value before and the change. */
function compared(
  fields: readonly Flat[],
  isKey: (flat: Flat) => boolean,
  better: Readonly<Record<string, 'more' | 'less'>>,
): Flat[] {
  return fields.flatMap((flat) => {
    if (!isNumeric(flat.column) || isKey(flat)) return [flat]
    const column = flat.column as ValueColumn
    const { behind: _, ...kept } = column
    const absent = column.absent === undefined ? {} : { absent: null }
    return [
      flat,
      {
        ...suffixed(flat, BEFORE, { ...kept, description: `The same in the period before. ${column.description}` }),
        isFirst: flat.isFirst,
      },
      {
        ...suffixed(flat, CHANGE, { ...kept, ...absent, description: 'The change since the period before.' }),
        ...{ isFirst: flat.isFirst, change: better[flat.name] ?? 'neutral' },
      },
    ]
  })
}

/** A view with other groups or another comparison. An order or a condition on a column that is gone is dropped. */
export function pruned(report: CatalogueReport, values: Values, view: View): View {
  const names = new Set(answerOf(report, values, view).columns.map(({ name }) => name))
  const sort = listOf(view.sort).filter((one) => names.has(one.replace(/^-/, '')))
  const fields = listOf(view.fields).filter((one) => names.has(one) || one === 'all')
  const having =
    view.group || view.compare ? (view.having ?? []).filter((one) => names.has(/^[\w.]+/.exec(one)?.[0] ?? '')) : []
  return {
    ...view,
    sort: sort.join() || undefined,
    fields: fields.join() || undefined,
    having,
    measures: view.group ? view.measures : undefined,
  }
}

/** The view without everything that its report does not have. */
export function fitting(report: CatalogueReport, values: Values, view: View): View {
  const { wrong } = answerOf(report, values, view)
  const names = new Set(
    columnsFor(report, values)
      .filter(isSingle)
      .map(({ name }) => name),
  )
  const left = (field: 'group' | 'measures') =>
    listOf(view[field])
      .filter((text) => !wrong.some((one) => one.field === field && one.text === text))
      .join() || undefined
  const filter = view.filter?.filter((one) => names.has(/^[\w.]+/.exec(one)?.[0] ?? ''))
  return pruned(report, values, { ...view, group: left('group'), measures: left('measures'), filter })
}

/** The figures with which people begin: the sums among the fields that they see first. */
export function firstMeasures(report: CatalogueReport, values: Values): string {
  const sums = columnsFor(report, values).filter((flat) => flat.isFirst && isAdditive(flat))
  return sums.length === 0 ? ROWS : sums.map(({ name }) => `sum(${name})`).join()
}

/** The group of a chart that nobody has chosen yet: the first date by month, else the first text. */
export function firstGroup(report: CatalogueReport, values: Values): string | undefined {
  const fields = columnsFor(report, values).filter(({ isFirst }) => isFirst)
  const date = fields.find(isDated)
  if (date !== undefined) return `month(${date.name})`
  return fields.find(({ column: { kind } }) => kind === 'text' || kind === 'word')?.name
}

/** Fields by which people group: not the figures that are added up, and no lists. */
export const groupable = (fields: readonly Flat[]): Flat[] =>
  fields.filter(
    (flat) =>
      isSingle(flat) &&
      !['list', 'object', 'time'].includes(flat.column.kind) &&
      !isAdditive(flat) &&
      unitOf(flat) === undefined,
  )
