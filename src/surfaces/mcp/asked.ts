/** Reads which report, or which saved view, a call means, with its values and its view; a refusal has the call in a form that works. */
import { Problem } from '../../errors.js'
import { againstParam, asKnownParam } from '../../kernel/report/as-known.js'
import { valuesIn } from '../../kernel/report/columns.js'
import { nearestReports, reportNamed } from '../../kernel/report/names.js'
import { leastParams, readParams } from '../../kernel/report/params.js'
import type { Report } from '../../kernel/report/report.js'
import { type Definition, type Resolved, readDefinition } from '../../views/definition.js'
import { type Call, Refusal, wordsOf } from './refusal.js'
import type { NamedView, Source, State } from './source.js'
import type { Given } from './tool.js'

/** A saved view is named by this and its id. */
export const VIEW = 'view:'

/** The members of a call that belong to the report and its view. */
const MEMBERS = ['fields', 'filter', 'search', 'group', 'measures', 'having', 'compare', 'sort'] as const

export interface Meant extends Resolved {
  /** Undefined for a report itself. */
  readonly saved: NamedView | undefined
  readonly state: State
}

/** The days of an answer, for a person. */
export type Period = Readonly<Record<string, unknown>>

export async function meantBy(tool: string, given: Given, source: Source, signal: AbortSignal): Promise<Meant> {
  const state = await source.state(signal)
  const name = given['report'] as string
  const report = reportNamed(name, source.reports)
  const saved = report === undefined ? await viewNamed(name, source, signal) : undefined
  if (report === undefined && saved === undefined) throw notFound(tool, given, source)
  const definition = merged(report?.id ?? name, saved, given)
  try {
    return { ...readDefinition(definition, source.reports, state).resolved, saved, state }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new Refusal(wordsOf(error), repaired(tool, given, definition, error, source, state))
  }
}

const pastParams = { as_known: asKnownParam, against: againstParam }

/** The earlier versions that a call names. */
export function pastIn(tool: string, { as_known, against, ...rest }: Given) {
  const read = readParams(pastParams, { as_known, against })
  if (!('errors' in read)) return { asKnown: read.values.as_known, against: read.values.against }
  const words = read.errors.map(({ field, message }) => `${field} ${message}`).join('; ')
  throw new Refusal(words, { name: tool, arguments: rest })
}

async function viewNamed(name: string, source: Source, signal: AbortSignal): Promise<NamedView | undefined> {
  const id = name.startsWith(VIEW) ? name.slice(VIEW.length) : name
  const views = await source.views(signal)
  return views.find((view) => view.id === id) ?? views.find(({ definition }) => definition.name === id)
}

function notFound(tool: string, given: Given, source: Source): Refusal {
  const name = String(given['report'])
  const near = nearestReports(name, source.reports)
  const [, nearestId] = /did you mean ([\w.-]+)/.exec(near) ?? []
  const report = reportNamed(nearestId ?? '', source.reports) ?? source.reports[0]
  return new Refusal(
    `there is no report or view ${JSON.stringify(name.slice(0, 60))}${near}; find_reports finds one by a question`,
    report &&
      (tool === 'describe_report'
        ? { name: tool, arguments: { report: report.id } }
        : { name: 'run_report', arguments: exampleOf(report) }),
  )
}

/** A saved view with the changes of the call. */
function merged(
  report: string,
  saved: NamedView | undefined,
  given: Given,
): Definition & Readonly<Record<string, unknown>> {
  const { period, ...values } = (given['values'] ?? {}) as Record<string, unknown>
  const changes = Object.fromEntries(
    MEMBERS.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]),
  )
  const days = ['from_date', 'to_date', 'date'].some((name) => name in values)
  if (saved === undefined)
    return { name: 'call', report, values, ...(period !== undefined && { period: period as string }), ...changes }
  const { show, figure, shared, period: own, values: usual, ...definition } = saved.definition
  const kept = days ? undefined : own
  const all = { ...usual, ...values }
  const chosen = period ?? kept
  return {
    ...definition,
    values: chosen === undefined ? all : Object.fromEntries(Object.entries(all).filter(([name]) => !DAYS.has(name))),
    ...(chosen !== undefined && { period: chosen as string }),
    ...changes,
  }
}

const DAYS = new Set(['from_date', 'to_date', 'date'])

/** A call of a report that works: what it needs, with the last month in place of days. */
export function exampleOf(report: Report, known: Given = {}): Given {
  const { request } = report
  const least = leastParams(request).filter((name) => !DAYS.has(name) || request[name]?.required)
  const values = Object.fromEntries(
    least.filter((name) => !DAYS.has(name) && !(name in known)).map((name) => [name, request[name]?.example ?? 1]),
  )
  const dated = least.some((name) => DAYS.has(name)) && !Object.keys(known).some((name) => DAYS.has(name))
  return { report: report.id, values: { ...(dated && { period: 'last-month' }), ...values, ...known } }
}

/** A call that runs the report that a call names, or any. */
export function exampleRun({ reports }: Source, { report: name }: Given): Call {
  const report = (typeof name === 'string' ? reportNamed(name, reports) : undefined) ?? reports[0]
  return { name: 'run_report', arguments: report === undefined ? {} : exampleOf(report) }
}

const SUGGESTED = /names "([^"]+)".*\(did you mean ([^ ?]+)/

/** The same call with the nearest valid names, or without the members that are wrong; the report's plain example at worst. */
function repaired(
  tool: string,
  given: Given,
  definition: Definition,
  { errors = [] }: Problem,
  source: Source,
  state: State,
): Call | undefined {
  const report = reportNamed(definition.report, source.reports)
  if (report === undefined) return undefined
  const renamed: Record<string, unknown> = { ...given }
  const without: Record<string, unknown> = { ...given }
  const wrongValues = new Set<string>()
  for (const { field, message } of errors) {
    const [, wrong, right] = SUGGESTED.exec(message) ?? []
    if (field.startsWith('values.')) wrongValues.add(field.slice('values.'.length))
    else if (field === 'period') wrongValues.add('period')
    delete without[field]
    if (wrong !== undefined && right !== undefined) renamed[field] = replacedIn(renamed[field], wrong, right)
    else delete renamed[field]
  }
  const values = (given['values'] ?? {}) as Given
  const kept = Object.fromEntries(
    Object.entries(values).filter(([name]) => name in report.request && !wrongValues.has(name)),
  )
  const period = wrongValues.has('period') ? {} : { ...('period' in values && { period: values['period'] }) }
  const mended = { ...(exampleOf(report, kept)['values'] as Given), ...period }
  for (const tried of [{ ...renamed, values: mended }, { ...without, values: mended }, exampleOf(report)]) {
    const call: Given = { ...tried, report: given['report'] }
    const all: Given = { ...call, report: report.id }
    if (works(merged(report.id, undefined, all), source, state))
      return { name: tool, arguments: definition.report === given['report'] ? all : call }
  }
  return { name: tool, arguments: exampleOf(report) }
}

const replacedIn = (value: unknown, wrong: string, right: string): unknown =>
  Array.isArray(value)
    ? value.map((one) => replacedIn(one, wrong, right))
    : typeof value === 'string'
      ? value.split(wrong).join(right)
      : value

function works(definition: Definition & Given, source: Source, state: State): boolean {
  try {
    readDefinition(definition, source.reports, state)
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}

/** The days that an answer is about: those of the request, and today, which `state` reports mean. */
export const periodOf = ({ params, values, state: { today } }: Pick<Meant, 'params' | 'values' | 'state'>): Period => {
  const days = Object.entries({ ...values, ...params }).filter(([name]) => DAYS.has(name))
  return { ...Object.fromEntries(days), today }
}

/** The fields that people see first, without lists of lines, and those that name a record: enough to read it and to explain it. */
export function usualFields({ report, values }: Pick<Meant, 'report' | 'values'>): string[] {
  const shape = report.shapeFor(values)
  const paths = valuesIn(shape.record)
  const names = paths.map(({ path }) => path.join('.'))
  const first = shape.people?.filter((name) => names.includes(name)) ?? names.slice(0, 10)
  const key = shape.orderBy.flatMap(({ column }) => {
    const at = paths.findIndex((one) => one.column === column)
    return at < 0 ? [] : [names[at] as string]
  })
  return [...new Set([...first, ...key])]
}
