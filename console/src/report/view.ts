/** A view of a report: its URL, with the defaults of the declaration. */

import { isCalendarDate } from '../../../src/calendar.js'
import type { Source } from '../../../src/kernel/report/fields.js'
import { type View, viewParams } from '../ask.js'
import {
  type CatalogueParam,
  type CatalogueReport,
  type Flat,
  isAbsent,
  type Row,
  type Values,
  valueIn,
} from '../catalogue.js'
import { monthOf, type Range, today } from '../dates.js'
import { loadOf } from '../loads.js'
import { versionIn } from './known-words.js'

export interface ReportView {
  readonly values: Values
  readonly view: View
  /** The key of the record whose panel is open. */
  readonly row: string | undefined
  /** Position of that record in the table, from 0. */
  readonly at: number | undefined
  readonly show: Show
  /** The column of the figure that a pivot or a chart shows; undefined for the first one. */
  readonly figure: string | undefined
}

/** The words of `show` in the URL. A chart is above the table, a pivot in its place; `chart` chooses the kind of chart that fits. */
const SHOWS = ['table', 'pivot', 'chart', 'bars', 'lines', 'stacked'] as const
export type Show = (typeof SHOWS)[number]

export const hasRange = ({ params }: CatalogueReport): boolean =>
  ['from_date', 'to_date'].every((name) => params.some((param) => param.name === name))

/** The range of a view; undefined if it is optional and not set. */
export const rangeOf = ({ from_date: from, to_date: to }: Values): Range | undefined =>
  from === undefined && to === undefined ? undefined : { from: from ?? '2000-01-01', to: to ?? today() }

/** Without parameters for the page size, which mean nothing in a table that scrolls. */
export const shownParams = (report: CatalogueReport): readonly CatalogueParam[] =>
  report.params.filter(({ name }) => name !== report.per_page_from && name !== 'limit')

function initial({ name, type, required }: CatalogueParam, now: string): string | undefined {
  if (name === 'from_date') return monthOf(now).from
  if (name === 'to_date') return now
  if (!required) return undefined
  switch (type.kind) {
    case 'word':
      return type.words[0]
    case 'zero-or-one':
      return '0'
    case 'date':
      return now
    default:
      return undefined
  }
}

export function readView(report: CatalogueReport, query: URLSearchParams): ReportView {
  const now = today()
  const params = shownParams(report)
  // Optional parameters have defaults only if the URL has no parameter.
  const isBare = !params.some(({ name }) => query.has(name))
  const given = params.flatMap((param) => {
    const value = query.get(param.name) ?? (param.required || isBare ? initial(param, now) : undefined)
    // For some parameters an empty text is a value: stock that is not kept by batch.
    return value === undefined || (value === '' && param.type.kind !== 'text') ? [] : [[param.name, value] as const]
  })
  return {
    values: Object.fromEntries(given),
    view: {
      fields: query.get('fields') || undefined,
      sort: query.get('sort') || undefined,
      filter: query.getAll('filter'),
      search: query.get('search') || undefined,
      group: query.get('group') || undefined,
      measures: query.get('measures') || undefined,
      having: query.getAll('having'),
      compare: query.get('compare') || undefined,
      as_known: query.get('as_known') || undefined,
      against: query.get('against') || undefined,
    },
    row: query.get('row') ?? undefined,
    at: /^[1-9]\d{0,8}$/.test(query.get('at') ?? '') ? Number(query.get('at')) - 1 : undefined,
    show: SHOWS.find((one) => one === query.get('show')) ?? 'table',
    figure: query.get('figure') || undefined,
  }
}

/** Required parameters that have no value yet, each with the ones that may be given in its place: the report waits for them. */
export function missing(report: CatalogueReport, values: Values): readonly (readonly string[])[] {
  const sets = new Map<string, string[]>()
  for (const { name, required, instead_of } of shownParams(report))
    if (required || instead_of !== undefined) {
      const set = instead_of === undefined ? `required ${name}` : `one ${instead_of}`
      sets.set(set, [...(sets.get(set) ?? []), name])
    }
  return [...sets.values()].filter((names) => names.every((name) => values[name] === undefined))
}

/** The URL of a report's view. */
export function reportUrl(id: string, values: Values = {}, view: View = {}): string {
  const query = new URLSearchParams([...Object.entries(values), ...viewParams(view)])
  const text = query.toString()
  return text === '' ? `/reports/${id}` : `/reports/${id}?${text}`
}

/** All of a view as changes of the URL: undefined for what it does not have. */
export const inUrl = ({ values, view, show, figure }: Pick<ReportView, 'values' | 'view' | 'show' | 'figure'>) => ({
  ...values,
  ...{ fields: view.fields, group: view.group, measures: view.measures, compare: view.compare, sort: view.sort },
  ...{ filter: view.filter, having: view.having, search: view.search },
  ...{ show: show === 'table' ? undefined : show, figure },
})

/** The day that is today in a report as it was known earlier. */
function todayOf(asKnown: string | undefined): string {
  if (asKnown === undefined) return today()
  if (isCalendarDate(asKnown)) return asKnown
  const version = versionIn(asKnown)
  const moment = new Date(version === undefined ? asKnown : (loadOf(version)?.loaded_at ?? ''))
  return Number.isNaN(moment.getTime()) ? today() : today(moment)
}

/** The parameters of the report that explains a value, from the record and the view; undefined if none explains it. */
export function behindOf(
  { column, path }: Flat,
  row: Row,
  values: Values,
  { as_known }: Pick<View, 'as_known'> = {},
): Values | undefined {
  if (!('behind' in column) || column.behind === undefined) return undefined
  const { params, unless } = column.behind
  const value = valueIn(row, path)
  if (value === '' || isAbsent(value, column)) return undefined
  if (unless !== undefined && valueIn(row, unless.field.split('.')) === unless.is) return undefined
  return Object.fromEntries(
    Object.entries(params).flatMap(([name, source]) => {
      const given = sourceValue(source, row, values, as_known)
      return given === undefined || given === null ? [] : [[name, String(given)]]
    }),
  )
}

function sourceValue(source: Source, row: Row, values: Values, asKnown: string | undefined): unknown {
  if ('value' in source) return source.value
  if ('field' in source) return valueIn(row, source.field.split('.'))
  return 'param' in source ? values[source.param] : todayOf(asKnown)
}

/** Differences have the order of the report and a table of their own, and compare no periods. */
export const asDifferences = (read: ReportView): ReportView =>
  read.view.against === undefined
    ? read
    : {
        ...read,
        view: { ...read.view, fields: undefined, sort: undefined, compare: undefined },
        show: 'table',
        figure: undefined,
      }
