/** Turns the definition of a pin, on a day, into requests to the service and links to the report's page. */
import { rangeBefore } from '../../../src/kernel/report/ranges.js'
import { periodOf, withDays } from '../../../src/period-words.js'
import type { Pin, PinnedView, Start } from '../../../src/views/pins.js'
import {
  type CatalogueReport,
  type Flat,
  flatten,
  type Row,
  reportOf,
  shapeOf,
  type ValueColumn,
  type Values,
  valueIn,
} from '../catalogue.js'
import { daysFrom, monthOf, monthsFrom, type Range, rangeInWords, today, yearBegins } from '../dates.js'
import { labelOf } from '../labels.js'
import { inWordsOf, isAccountMoney, nameOf } from '../people.js'
import { literal } from '../report/filters.js'

export type { Pin, PinnedView, Start }
export type Kind = Pin['kind']

/** A definition on a day. */
export interface Asked {
  readonly report: CatalogueReport
  readonly values: Values
  /** The words for its days. */
  readonly period: string | undefined
  /** Undefined for a report that is not about days. */
  readonly range: Range | undefined
  /** The columns of the report's own records. */
  readonly columns: readonly Flat[]
  readonly fields: readonly string[]
  readonly filter: readonly string[]
  readonly having: readonly string[]
  readonly group: readonly string[]
  readonly measures: readonly string[]
  readonly sort: string | undefined
  readonly search: string | undefined
  readonly compare: Comparison | undefined
}

export type Comparison = Parameters<typeof rangeBefore>[1]

type Texts = string | readonly string[] | undefined
const listOf = (given: Texts): readonly string[] =>
  (typeof given === 'string' ? splitNames(given) : (given ?? [])).filter((one) => one !== '')
/** Names with commas between them; `month(a)` has none. */
const splitNames = (text: string): string[] => text.split(',').map((one) => one.trim())
const conditions = (given: Texts, now: string): string[] =>
  (typeof given === 'string' ? [given] : (given ?? [])).map((one) => withDays(one, now))

/** Undefined if the reader may not see the report. */
export function asked(definition: PinnedView, now = today()): Asked | undefined {
  const report = reportOf(definition.report)
  if (report === undefined) return undefined
  const given = Object.entries(definition.values ?? {}).map(([name, value]) => [name, String(value)] as const)
  const period = definition.period === undefined ? undefined : periodOf(definition.period, now, yearBegins.value)
  const days = { from_date: period?.first, to_date: period?.last, date: period?.last }
  const values: Values = Object.fromEntries([
    ...given,
    ...Object.entries(days).flatMap(([name, day]) =>
      day !== undefined && report.params.some((param) => param.name === name) ? [[name, day] as const] : [],
    ),
  ])
  const { from_date: from, to_date: to } = values
  return {
    ...{ report, values, columns: flatten(shapeOf(report, values)?.columns ?? []) },
    period: definition.period,
    range: from !== undefined && to !== undefined ? { from, to } : undefined,
    fields: listOf(definition.fields),
    filter: conditions(definition.filter, now),
    having: conditions(definition.having, now),
    group: listOf(definition.group),
    measures: listOf(definition.measures),
    sort: listOf(definition.sort).join() || undefined,
    search: definition.search || undefined,
    compare: definition.compare as Comparison | undefined,
  }
}

/** The parameters of the query string, in one order, so that equal questions have equal URLs. */
function parametersOf(of: Asked): [string, string][] {
  const { values, fields, group, measures, compare, sort, filter, having, search } = of
  const single = { fields: fields.join(), group: group.join(), measures: measures.join(), compare, sort, search }
  return [
    ...Object.entries(values),
    ...Object.entries(single).flatMap(([name, text]): [string, string][] => (text ? [[name, text]] : [])),
    ...filter.map((one): [string, string] => ['filter', one]),
    ...having.map((one): [string, string] => ['having', one]),
  ]
}

const urlOf = (path: string, parameters: readonly (readonly [string, string])[]): string => {
  const text = new URLSearchParams(parameters.map(([name, value]) => [name, value])).toString()
  return text === '' ? path : `${path}?${text}`
}

/** The request for its first records. Groups also have the number of cancelled documents that they leave out. */
export function pathOfRows(of: Asked, most: number): string {
  const leavesOut =
    of.group.length > 0 && of.fields.length > 0 && shapeOf(of.report, of.values)?.cancelled !== undefined
  const fields = leavesOut ? [...new Set([...of.fields, '_cancelled'])] : of.fields
  return urlOf(of.report.path, [...parametersOf({ ...of, fields }), ['page', '1'], ['per-page', String(most)]])
}

/** The request for the totals of its records. */
export const pathOfTotals = (of: Asked): string =>
  urlOf(of.report.path, [
    ...parametersOf({ ...of, fields: [], sort: undefined, group: [], measures: [], having: [] }),
    ['totals', 'yes'],
  ])

/** The page of the report that shows this. `show` is how: a table by default. */
export const pageOf = (of: Asked, show?: string): string =>
  urlOf(`/reports/${of.report.id}`, [...parametersOf(of), ...(show === undefined ? [] : [['show', show] as const])])

/** The records themselves, without groups and comparison. */
export const ungrouped = (of: Asked): Asked => ({
  ...{ ...of, group: [], measures: [], having: [], compare: undefined },
  ...(of.group.length > 0 && { fields: [], sort: undefined }),
})

export const narrowed = (of: Asked, filter: readonly string[]): Asked => ({ ...of, filter: [...of.filter, ...filter] })

/** A group such as `month(invoice_date)`. */
export interface GroupKey {
  readonly field: string
  readonly period?: string
  /** The column of the answer. */
  readonly name: string
}

export function groupKey(text: string): GroupKey {
  const [, period, field = ''] = /^([a-z]+)\((.*)\)$/.exec(text) ?? []
  return period === undefined ? { field: text, name: text } : { field, period, name: `${field}_${period}` }
}

export const columnNamed = ({ columns }: Asked, name: string): Flat | undefined =>
  columns.find((flat) => flat.name === name)

/** The field with the unit of a quantity. */
export const unitOf = (flat: Flat | undefined): string | undefined =>
  flat !== undefined && 'unit' in flat.column ? flat.column.unit : undefined

export const isAdditive = ({ column }: Flat): boolean => 'additive' in column && column.additive

/** Whether a field has amounts in the account's currency. */
export const isMoney = (flat: Flat | undefined): boolean => flat !== undefined && isAccountMoney(flat)

/** The heading of a column. */
export const wordsFor = (of: Asked, name: string): string => {
  const flat = columnNamed(of, name)
  return flat === undefined ? labelOf(name) : nameOf(flat)
}

/** A value as people read it. */
export function shownAt(of: Asked, row: Row, name: string): string {
  const text = textAt(row, name)
  const flat = columnNamed(of, name)
  return flat === undefined ? text : inWordsOf(text, valueColumn(flat))
}

export const isDated = ({ column: { kind } }: Flat): boolean => kind === 'date' || kind === 'timestamp'
export const isText = ({ column: { kind } }: Flat): boolean => kind === 'text' || kind === 'word'
export const valueColumn = (flat: Flat): ValueColumn => flat.column as ValueColumn
export const at = (row: Row, name: string): unknown => valueIn(row, name.split('.'))
export const textAt = (row: Row, name: string): string => String(at(row, name) ?? '')

/** A condition that a field has this value. */
export const equals = (field: string, value: unknown): string =>
  `${field}=${value === null || value === undefined ? '' : literal(String(value))}`

/** Conditions that a date is in a month such as `2026-04`. */
export function inMonth(field: string, month: string): string[] {
  const { from } = monthOf(`${month}-01`)
  return [`${field}>=${from}`, `${field}<${monthsFrom(from, 1)}`]
}

/** Conditions for the records of a group of an answer. */
export function behindGroup(keys: readonly GroupKey[], row: Row): string[] {
  return keys.flatMap(({ field, period, name }) => {
    const value = at(row, name)
    if (period === undefined || value === null || value === undefined) return [equals(field, value)]
    const found = periodOf(String(value), today())
    if (period === 'month') return inMonth(field, String(value))
    return found === undefined ? [] : [`${field}>=${found.first}`, `${field}<${daysFrom(found.last, 1)}`]
  })
}

/** The months of a range, as the service names them. */
export function monthsIn({ from, to }: Range): string[] {
  const months: string[] = []
  for (let day = monthOf(from).from; day <= to; day = monthsFrom(day, 1)) months.push(day.slice(0, 7))
  return months
}

/** Whether a period has only begun: its last day is today or still to come. */
export const isUnfinished = ({ to }: Range, now = today()): boolean => to >= now && monthOf(to).to > now

/** `1–19 Nov so far`, `last 12 months`. */
export function periodInWords({ range, period, values }: Asked, now = today()): string | undefined {
  if (range === undefined)
    return values['date'] === undefined ? undefined : shortRange({ from: values['date'], to: values['date'] }, now)
  if (period !== undefined && /^last-\d+-/.test(period)) return period.replaceAll('-', ' ')
  return `${shortRange(range, now)}${range.from !== range.to && isUnfinished(range, now) ? ' so far' : ''}`
}

/** `1–19 Nov`: without the year, if it is this one. */
function shortRange(range: Range, now: string): string {
  const words = rangeInWords(range)
  const year = now.slice(0, 4)
  const isThisYear = range.from.startsWith(year) && range.to.startsWith(year)
  return (isThisYear ? words.replaceAll(` ${year}`, '') : words).replace(/^(\d+) – (\d+ [A-Z])/, '$1–$2')
}

/** `1–19 Oct`: the period that it is compared with. */
export function beforeInWords({ range, compare }: Asked, now = today()): string | undefined {
  if (range === undefined || compare === undefined) return undefined
  const before = rangeBefore({ from_date: range.from, to_date: range.to }, compare)
  return before && shortRange({ from: before.from_date, to: before.to_date }, now)
}
