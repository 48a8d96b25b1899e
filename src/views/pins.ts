/** Pins: views on a user's overview, each as a figure, a list or a chart. Reads them from JSON. */
import { type FieldError, Problem } from '../errors.js'
import { notAField } from '../kernel/report/choose.js'
import { valuesIn } from '../kernel/report/columns.js'
import { unknownParam } from '../kernel/report/params.js'
import { type Report, shapeNameFor } from '../kernel/report/report.js'
import { ROWS } from '../kernel/report/totals.js'
import { type Calendar, type Definition, readDefinition } from './definition.js'

/** The arrangements that an overview may start from; the console has their pins. */
export const STARTS = ['owner', 'stores', 'sales', 'purchase', 'production', 'accounts'] as const
export type Start = (typeof STARTS)[number]

export const KINDS = ['figure', 'list', 'chart'] as const
export const SIZES = ['small', 'medium', 'large'] as const
/** `ages`: records by the days since a date, from a view that is grouped by day. */
export const STYLES = ['columns', 'lines', 'bars', 'ages'] as const

export type PinnedView = Omit<Definition, 'name' | 'shared'>

export interface Pin {
  readonly title: string
  readonly kind: (typeof KINDS)[number]
  readonly size?: (typeof SIZES)[number]
  /** The id of a saved view; else `definition` says what is pinned. */
  readonly view?: string
  readonly definition?: PinnedView
  /** Of a figure: the field whose sum it is, or `rows`. */
  readonly field?: string
  /** Of a figure: it is `field` as a percentage of this field. */
  readonly of?: string
  /** Of a figure: whether more or less of it is good; neither by default. */
  readonly good?: 'more' | 'less'
  /** Of a figure: the view, and its field, that the line under it draws. */
  readonly trend?: { readonly definition: PinnedView; readonly field: string }
  /** Of a chart. */
  readonly style?: (typeof STYLES)[number]
  /** Of a list: a word after the amount of each line, such as `short`. */
  readonly note?: string
}

export interface Overview {
  readonly start: Start | null
  /** Null: the pins of the arrangement that it starts from. */
  readonly pins: readonly Pin[] | null
}

export const MOST_PINS = 60
export const LONGEST_TITLE = 100
export const LONGEST_NOTE = 40
const LONGEST_NAME = 200

const OF_ALL = ['title', 'kind', 'size', 'view', 'definition']
const OF_KIND = { figure: ['field', 'of', 'good', 'trend'], list: ['note'], chart: ['style'] } as const

interface Known {
  readonly reports: readonly Report[]
  readonly calendar: Calendar
  /** Ids of the saved views that the user sees. */
  readonly views: readonly string[]
  /** Pins that are kept already: their view or report may be gone, and they stay until the user removes them. */
  readonly kept: readonly Pin[]
}

/** Reads an overview; throws a problem that lists all errors. */
export function readOverview(given: Readonly<Record<string, unknown>>, known: Known): Overview {
  const errors: FieldError[] = []
  for (const name of Object.keys(given))
    if (name !== 'start' && name !== 'pins') errors.push(unknownParam(name, ['start', 'pins'], 'of an overview'))
  const { start = null, pins = null } = given
  if (start !== null && !isOneOf(STARTS, start))
    errors.push({ field: 'start', message: `must be null or one of ${STARTS.join(', ')}` })
  const kept = new Set(known.kept.map((pin) => JSON.stringify(pin)))
  if (pins !== null && (!Array.isArray(pins) || pins.length > MOST_PINS))
    errors.push({ field: 'pins', message: `must be null or a list of at most ${MOST_PINS} pins` })
  else if (pins !== null)
    for (const [at, pin] of (pins as unknown[]).entries())
      if (!kept.has(JSON.stringify(pin)))
        checkPin(pin, known, (field, message) => errors.push({ field: `pins[${at}]${field}`, message }))
  if (errors.length > 0) throw new Problem('invalid-parameters', { errors })
  return { start: start as Start | null, pins: pins as readonly Pin[] | null }
}

/** `refuse` gets the path of a member inside the pin, such as `.definition.report`. */
function checkPin(given: unknown, known: Known, refuse: (path: string, message: string) => void): void {
  if (!isObject(given)) {
    refuse('', 'must be an object')
    return
  }
  const { title, kind, size, view, definition, field, of, good, trend, style, note } = given
  if (!isOneOf(KINDS, kind)) {
    refuse('.kind', `must be one of ${KINDS.join(', ')}`)
    return
  }
  const members = [...OF_ALL, ...OF_KIND[kind]]
  for (const name of Object.keys(given))
    if (!members.includes(name)) {
      const { field, message } = unknownParam(name, members, `of a ${kind}`)
      refuse(`.${field}`, message)
    }
  if (!isText(title, LONGEST_TITLE)) refuse('.title', `must be a text of 1 to ${LONGEST_TITLE} characters`)
  if (size !== undefined && !isOneOf(SIZES, size)) refuse('.size', `must be one of ${SIZES.join(', ')}`)
  if (style !== undefined && !isOneOf(STYLES, style)) refuse('.style', `must be one of ${STYLES.join(', ')}`)
  if (note !== undefined && !isText(note, LONGEST_NOTE))
    refuse('.note', `must be a text of 1 to ${LONGEST_NOTE} characters`)
  if (good !== undefined && good !== 'more' && good !== 'less') refuse('.good', 'must be more or less')
  if (kind === 'figure' && !isText(field, LONGEST_NAME))
    refuse('.field', `must be the field that the figure adds up, or ${ROWS}`)
  if (of !== undefined && !isText(of, LONGEST_NAME)) refuse('.of', 'must be a field')
  if ((view === undefined) === (definition === undefined)) {
    refuse('', 'must have either view, the id of a saved view, or definition')
    return
  }
  if (view !== undefined && !known.views.some((id) => id === view))
    refuse('.view', 'names no saved view that you see; GET /v1/views lists them')
  if (definition !== undefined) {
    const report = checkDefinition(definition, known, (path, message) => refuse(`.definition${path}`, message))
    if (kind === 'figure' && report !== undefined)
      for (const [name, value] of Object.entries({ field, of }))
        if (typeof value === 'string') {
          const message = notSummed(report, definition as PinnedView, value)
          if (message !== undefined) refuse(`.${name}`, message)
        }
  }
  if (trend === undefined) return
  if (!isObject(trend) || !isText(trend['field'], LONGEST_NAME)) refuse('.trend', 'must have a definition and a field')
  else checkDefinition(trend['definition'], known, (path, message) => refuse(`.trend.definition${path}`, message))
}

/** The report of a definition; undefined after an error. */
function checkDefinition(
  given: unknown,
  { reports, calendar }: Known,
  refuse: (path: string, message: string) => void,
): Report | undefined {
  if (!isObject(given)) {
    refuse('', 'must be an object with a report, as in a saved view')
    return undefined
  }
  for (const name of ['name', 'shared'])
    if (name in given) refuse(`.${name}`, 'must be left out of a pin, which has a title and is seen by you only')
  const { name: _, shared: __, ...rest } = given
  try {
    return readDefinition({ name: 'Pin', ...rest }, reports, calendar).resolved.report
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    for (const { field, message } of error.errors ?? []) refuse(`.${field}`, message)
    return undefined
  }
}

/** The error message of a field that a figure cannot add up, without its subject: it adds up a field of the records themselves. */
function notSummed(report: Report, { values = {} }: PinnedView, name: string): string | undefined {
  if (name === ROWS) return undefined
  const shape = report.shapes.get(shapeNameFor(report, values))
  const all = valuesIn(shape?.record ?? {})
  const names = all.map(({ path }) => path.join('.'))
  const found = all[names.indexOf(name)]
  if (found === undefined) return notAField(name, names)
  return found.field.additive ? undefined : `names ${JSON.stringify(name)}, whose sum means nothing`
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown, longest: number): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= longest && !value.includes('\0')
const isOneOf = <T>(all: readonly T[], value: unknown): value is T => all.some((one) => one === value)
