/** What a saved view says: reads it from JSON, and turns it into a report with parameters and a view on a given day. */
import { type FieldError, Problem } from '../errors.js'
import { type Group, groups } from '../groups.js'
import { nearestReports, reportNamed } from '../kernel/report/names.js'
import { type Params, readParams, unknownParam, type Values } from '../kernel/report/params.js'
import type { Report, ViewSpec } from '../kernel/report/report.js'
import { viewed } from '../kernel/report/view.js'
import { viewParams } from '../kernel/report/view-params.js'
import { notADay, periodOf, withDays } from '../period-words.js'

/** The readers who see a view beside its owner: none, all, or those who may use one of these groups. */
export type Shared = 'nobody' | 'everyone' | readonly Group[]

export const SHOWS = ['table', 'pivot', 'bars', 'lines', 'stacked'] as const
export type Show = (typeof SHOWS)[number]

/** A view as its owner sends it. */
export interface Definition {
  readonly name: string
  readonly report: string
  /** The report's parameters, as in a request. */
  readonly values?: Readonly<Record<string, unknown>>
  /** Words for the days, such as `last-month`: every time the view is read, they are counted from that day. */
  readonly period?: string
  readonly fields?: string | readonly string[]
  readonly filter?: string | readonly string[]
  readonly search?: string
  readonly sort?: string | readonly string[]
  readonly group?: string | readonly string[]
  readonly measures?: string | readonly string[]
  readonly having?: string | readonly string[]
  readonly compare?: string
  /** How the console shows it; nothing else reads these two. */
  readonly show?: Show
  /** The column of the figure that a pivot or a chart shows. */
  readonly figure?: string
  readonly shared?: Shared
}

/** The day from which words for days are counted, and the month in which the account's financial year begins. */
export interface Calendar {
  readonly today: string
  readonly yearBegins: number
}

/** A view on one day. */
export interface Resolved {
  readonly report: Report
  readonly values: Values<Params>
  /** The parameters as a caller sends them, with days in place of a period. */
  readonly params: Readonly<Record<string, unknown>>
  readonly view: ViewSpec
}

const LONGEST_NAME = 200
/** Control characters, and halves of a character. */
const UNPRINTABLE = /\p{Cc}|\p{Cs}/u
const MEMBERS = [
  ...['name', 'report', 'values', 'period', 'fields', 'filter', 'search', 'sort'],
  ...['group', 'measures', 'having', 'compare', 'show', 'figure', 'shared'],
]
/** Members that are names with commas between them in a URL, and may be lists here. */
const LISTS = ['fields', 'sort', 'group', 'measures'] as const
const CONDITIONS = ['filter', 'having'] as const

/** Reads a definition, and tries it on this day; throws a problem that lists all errors. */
export function readDefinition(
  given: Readonly<Record<string, unknown>>,
  reports: readonly Report[],
  calendar: Calendar,
): { definition: Definition; resolved: Resolved } {
  const errors: FieldError[] = []
  const refuse = (field: string, message: string) => void errors.push({ field, message })
  for (const name of Object.keys(given))
    if (!MEMBERS.includes(name)) errors.push(unknownParam(name, MEMBERS, 'of a view'))
  const { name, values, period, search, compare, show, figure, shared } = given
  if (typeof name !== 'string' || name.trim() === '' || name.length > LONGEST_NAME || UNPRINTABLE.test(name))
    refuse('name', `must be a text of 1 to ${LONGEST_NAME} printable characters`)
  if (typeof given['report'] !== 'string') refuse('report', 'must be the id of a report, such as "sales.invoices"')
  if (values !== undefined && !isObject(values)) refuse('values', 'must be an object with the parameters of the report')
  for (const [field, value] of Object.entries({ period, search, compare, figure }))
    if (value !== undefined && typeof value !== 'string') refuse(field, 'must be a text')
  for (const field of [...LISTS, ...CONDITIONS])
    if (given[field] !== undefined && !isTexts(given[field])) refuse(field, 'must be a text or a list of texts')
  if (show !== undefined && !SHOWS.some((one) => one === show)) refuse('show', `must be one of ${SHOWS.join(', ')}`)
  if (shared !== undefined && !isShared(shared))
    refuse('shared', `must be "nobody", "everyone" or a list of ${groups.join(', ')}`)
  if (errors.length > 0) throw new Problem('invalid-parameters', { errors })
  const definition = given as unknown as Definition
  return { definition, resolved: resolve(definition, reports, calendar) }
}

/** A saved view on a day; a report or a field that is gone is a conflict with the state of the service. */
export function resolveSaved(definition: Definition, reports: readonly Report[], calendar: Calendar): Resolved {
  try {
    return resolve(definition, reports, calendar)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const why = (error.errors ?? []).map(({ field, message }) => `${field} ${message}`).join('; ')
    throw new Problem('conflict', {
      detail: `The view ${definition.name} no longer fits this version of the service: ${why}. Change the view, or delete it.`,
    })
  }
}

/** The view on a day; throws a problem that lists all errors. */
function resolve(definition: Definition, reports: readonly Report[], calendar: Calendar): Resolved {
  const report = reportNamed(definition.report, reports)
  if (report === undefined)
    throw new Problem('invalid-parameters', {
      errors: [
        {
          field: 'report',
          message: `names ${definition.report.slice(0, 60)}, which is no report${nearestReports(definition.report, reports)}`,
        },
      ],
    })
  const { errors, params } = paramsOn(definition, report, calendar)
  const read = readParams(report.request, params)
  if ('errors' in read) errors.push(...read.errors.map(({ field, message }) => ({ field: `values.${field}`, message })))
  const view = viewOf(definition, calendar.today, errors)
  if (errors.length > 0 || 'errors' in read) throw new Problem('invalid-parameters', { errors })
  viewed(report, read.values, view) // throws for a field that the report does not have
  return { report, values: read.values, params, view }
}

/** The parameters, with the days that the period means on this day. */
function paramsOn({ values = {}, period }: Definition, { request, id }: Report, { today, yearBegins }: Calendar) {
  const errors: FieldError[] = []
  const params: Record<string, unknown> = { ...values }
  if (period === undefined) return { errors, params }
  const found = periodOf(period, today, yearBegins)
  const given = Object.entries({ from_date: found?.first, to_date: found?.last, date: found?.last }).filter(
    ([name]) => name in request,
  )
  if (found === undefined) errors.push({ field: 'period', message: notADay(period) })
  else if (given.length === 0) errors.push({ field: 'period', message: `must be left out: ${id} is not about days` })
  for (const [name, day] of given) {
    if (name in values)
      errors.push({ field: `values.${name}`, message: 'must be left out with period, which gives the days' })
    params[name] = day
  }
  return { errors, params }
}

/** The view as in a URL, with days in place of their words. */
function viewOf(definition: Definition, today: string, errors: FieldError[]): ViewSpec {
  const given = Object.fromEntries([
    ...LISTS.map((name) => [name, joined(definition[name])]),
    ...CONDITIONS.map((name) => [name, inDays(definition[name], today)]),
    ...(['search', 'compare'] as const).map((name) => [name, definition[name]]),
  ])
  const read = readParams(viewParams, given)
  if (!('errors' in read)) return read.values as ViewSpec
  errors.push(...read.errors)
  return {}
}

const inDays = (value: string | readonly string[] | undefined, today: string) =>
  typeof value === 'object' ? value.map((one) => withDays(one, today)) : value && withDays(value, today)
const joined = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'object' ? value.join(',') : value
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isTexts = (value: unknown): boolean =>
  typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string'))
const isShared = (value: unknown): value is Shared =>
  value === 'nobody' ||
  value === 'everyone' ||
  (Array.isArray(value) && value.length > 0 && value.every((one) => groups.some((group) => group === one)))
