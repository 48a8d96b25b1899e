/** Paths of OData: the table that a path names, as a set, as a function or to be counted, and the values in its parentheses. */
import type { Caller } from '../../access/tokens.js'
import type { Queryable } from '../../db/connect.js'
import { Problem } from '../../errors.js'
import { type Params, readParams, type Values } from '../../kernel/report/params.js'
import type { Report } from '../../kernel/report/report.js'
import { nearest } from '../../nearest.js'
import type { Calendar } from '../../views/definition.js'
import { edmTypeOfParam } from './edm.js'
import type { Argument } from './filter.js'
import { decoded } from './options.js'
import { functionOf, missingFor, type Table, tablesFor, tablesOfReports, tablesOfViews } from './tables.js'
import { unsupported, wrong } from './tokens.js'

export const ODATA_PATH = '/odata'

/** The table that a path names, and how. */
export interface Resource {
  readonly table: Table
  /** The name in the path. */
  readonly name: string
  readonly isFunction: boolean
  /** The text between its parentheses. */
  readonly given: string | undefined
  readonly isCount: boolean
}

/** The tables of this service: of reports, which are always the same, and of views, which each caller sees others of. */
export function resources(db: Queryable, reports: readonly Report[]) {
  const ofReports = tablesOfReports(reports)

  const tablesOf = async (caller: Caller, calendar: Calendar): Promise<Table[]> => {
    const { tables } = await tablesOfViews(db, caller, reports, calendar)
    return tablesFor(caller, [...tables, ...ofReports], calendar.today)
  }

  /** Finds the table that a path names. */
  async function resourceOf(
    first: string,
    more: readonly string[],
    caller: Caller,
    calendar: Calendar,
  ): Promise<Resource> {
    if (first.startsWith('$')) throw unsupported(first.slice(0, 60))
    const [, name = '', given] = /^([^()]+)(?:\((.*)\))?$/s.exec(first) ?? []
    if (name === '') throw wrong(`The path has ${JSON.stringify(first.slice(0, 60))}, which is not the name of a set.`)
    const found = await find(name, caller, calendar)
    const [next, ...rest] = more
    if (rest.length > 0 || (next !== undefined && next !== '$count')) {
      const isKnown = next?.startsWith('$') === true || Object.hasOwn(found.table.flat.record, next ?? '')
      if (isKnown) throw unsupported('paths to single properties, references and values')
      throw noSuch(`${first}/${more.join('/')}`, [])
    }
    return { ...found, name, given, isCount: next !== undefined }
  }

  async function find(
    name: string,
    caller: Caller,
    calendar: Calendar,
  ): Promise<Pick<Resource, 'table' | 'isFunction'>> {
    const table = ofReports.find((one) => one.name === name)
    if (table !== undefined) return { table, isFunction: false }
    const called = ofReports.find((one) => one.params !== undefined && functionOf(one) === name)
    if (called !== undefined) return { table: called, isFunction: true }
    const { tables, broken } = await tablesOfViews(db, caller, reports, calendar)
    const view = tables.find((one) => one.name === name || one.alias === name)
    if (view !== undefined) return { table: view, isFunction: false }
    const problem = broken.get(name)
    if (problem !== undefined) throw problem
    throw noSuch(
      name,
      tablesFor(caller, [...tables, ...ofReports], calendar.today).map((one) => one.name),
    )
  }

  return { tablesOf, resourceOf }
}

/** The parts of a path, decoded. A slash inside quotes is no separator: invoice numbers have some, and not every program encodes them. */
export function segmentsOf(path: string): string[] {
  const parts = ['']
  let isQuoted = false
  for (const [part] of path.slice(ODATA_PATH.length + 1).matchAll(/'|%27|\/|(?:(?!%27)[^'/])+/g)) {
    if (part === '/' && !isQuoted) {
      parts.push('')
      continue
    }
    if (part === "'" || part === '%27') isQuoted = !isQuoted
    parts.push(parts.pop() + part)
  }
  if (parts.length > 1 && parts.at(-1) === '') parts.pop()
  return parts.map((part) => decoded(part.replaceAll('+', '%2B')))
}

/** The parameters that a path gives; 400 with all of the wrong ones. */
export function valuesOf({ report, shape, params = {} }: Table, args: readonly Argument[]): Values<Params> {
  const given: Record<string, unknown> = {}
  for (const { name, value } of args) {
    const param = name === undefined ? undefined : params[name]
    const names = Object.keys(params)
    if (name === undefined || param === undefined)
      throw wrong(
        `${name?.slice(0, 60) ?? 'A value without a name'} is not a parameter of this function${nearest(name ?? '', names)}; there are ${names.join(', ') || 'none'}.`,
      )
    if (name in given) throw wrong(`${name} is given twice.`)
    if (value.type === 'null') continue
    const { name: type, compares } = edmTypeOfParam(param.type)
    if (value.type !== compares)
      throw wrong(
        `${name} is ${type}; write ${compares === 'string' ? "a text in quotes: 'FG'" : compares === 'date' ? 'a date without quotes: 2026-06-30' : 'a number'}.`,
      )
    given[name] = value.text
  }
  if (report.shapedBy !== undefined) given[report.shapedBy] = shape
  const read = readParams(report.request, given)
  if ('errors' in read) throw new Problem('invalid-parameters', { errors: read.errors })
  return read.values
}

export function requireAccess(caller: Caller, table: Table, values: Values<Params>): void {
  const missing = missingFor(caller, table, values)
  if (missing === undefined)
    throw new Problem('forbidden', {
      detail: 'This app password is limited to other reports and views; make one that may read this.',
    })
  if (missing.length > 0)
    throw new Problem('forbidden', {
      detail: `These records need the ${missing.length > 1 ? 'groups' : 'group'} ${missing.join(' and ')}; ask the operator for access.`,
    })
}

export const noSuch = (name: string, known: readonly string[], more = ''): Problem =>
  new Problem('does-not-exist', {
    detail: `There is no ${name.slice(0, 100)} here${known.length > 1 ? nearest(name.slice(0, 100), known) : ''}.${more || ' GET /odata/ lists the sets.'}`,
  })
