/** Explains one figure of one record: the movements or documents behind it, whose sum is the figure; also against an earlier version. */
import { type Column, columnsOf, type RecordValue, type ValueColumn, valuesIn } from '../../../kernel/report/columns.js'
import type { Behind, Source as From } from '../../../kernel/report/fields.js'
import { reportNamed } from '../../../kernel/report/names.js'
import { readParams } from '../../../kernel/report/params.js'
import type { JsonObject } from '../../../kernel/report/record-reader.js'
import type { Report } from '../../../kernel/report/report.js'
import { nearest } from '../../../nearest.js'
import { type Room, roomFor, rowsThatFit } from '../answer.js'
import { exampleOf, exampleRun, type Meant, meantBy, pastIn, periodOf, usualFields } from '../asked.js'
import { consoleLink } from '../console-link.js'
import { asRefusal, Refusal } from '../refusal.js'
import type { Source, Wanted } from '../source.js'
import type { Given, Tool } from '../tool.js'

const NAME = 'explain_figure'
/** A request takes at most this number of conditions. */
const MOST_CONDITIONS = 20

export const explainFigure: Tool = {
  name: NAME,
  title: 'Explain a figure',
  about: 'The movements or documents behind a field marked explained; sum equals the figure.',
  takes: {
    report: { kind: 'text', required: true },
    values: { kind: 'object', about: 'As in run_report' },
    record: { kind: 'object', required: true, about: 'A row of run_report, or fields that only it has' },
    field: { kind: 'text', required: true },
    limit: { kind: 'count' },
    as_known: { kind: 'text' },
    against: { kind: 'text', about: 'Also the figure then, and what changed' },
  },
  gives: {
    figure: { type: 'object' },
    behind: { type: 'object' },
    total: { type: 'integer' },
    shown: { type: 'integer' },
    rows: { type: 'array', items: { type: 'object' } },
    sum: { type: 'string' },
    equal: { type: 'boolean' },
    against: { type: 'object' },
    note: { type: 'string' },
    console: { type: 'string' },
  },
  optional: ['sum', 'equal', 'against', 'note', 'console'],
  // Its rows have the record.
  example: (source, given) =>
    exampleRun({ ...source, reports: source.reports.filter((one) => explainedIn(one).length > 0) }, given),
  async run(given, source, signal) {
    const {
      field: _field,
      record,
      limit,
      as_known: _known,
      against: _then,
      ...call
    } = given as Given & { record: JsonObject }
    const { asKnown, against } = pastIn(NAME, given)
    const meant = await meantBy(NAME, call, source, signal)
    const column = explainedColumn(meant, given)
    const room = roomFor(limit)
    const one = { meant, column, given, source, signal, room }
    const now = await explained(one, record, asKnown)
    if (now === undefined) throw noSuchRecord(given, meant)
    const then = against === undefined ? undefined : await changedSince(one, now, against, asKnown)
    const { wanted, found, version, figure, sum } = now
    const rest = {
      ...{ version, period: periodOf(meant), figure },
      behind: { report: wanted.report.id, values: wanted.params },
      ...{ total: found.total, shown: found.records.length },
      ...(sum !== undefined && { sum, equal: sameNumber(sum, String(figure.value)) }),
      ...(then !== undefined && { against: then }),
      ...consoleLink(source.console, wanted),
    }
    const rows = rowsThatFit(found.records, rest, room)
    const short =
      rows.length < found.total
        ? `rows has the first ${rows.length} of ${found.total}${sum === undefined ? '' : ', sum covers all'}; run_report with behind narrows, groups or sorts them.`
        : undefined
    return { ...rest, shown: rows.length, rows, ...(short !== undefined && { note: short }) }
  },
}

type Explained = ValueColumn & { readonly behind: Behind }

const isExplained = (column: Column): column is Explained => 'behind' in column && column.behind !== undefined

/** In any shape of the report. */
const explainedIn = (report: Report): Explained[] =>
  [...report.shapes.values()].flatMap((shape) => columnsOf(shape).filter(isExplained))

function explainedColumn({ report, values }: Meant, given: Given): Explained {
  const field = given['field'] as string
  const columns = columnsOf(report.shapeFor(values)).filter(isExplained)
  const found = columns.find(({ name }) => name === field)
  if (found !== undefined) return found
  const names = columns.map(({ name }) => name)
  const [, near] = /did you mean ([^ ?]+)/.exec(nearest(field.slice(0, 60), names)) ?? []
  const example = near ?? names[0]
  throw new Refusal(
    `field ${JSON.stringify(field.slice(0, 60))} has nothing behind it${nearest(field.slice(0, 60), names)}; ${
      names.length === 0 ? `no field of ${report.id} has` : `these fields of ${report.id} have: ${names.join(', ')}`
    }`,
    example === undefined
      ? { name: 'run_report', arguments: { ...given, record: undefined, field: undefined } }
      : { name: NAME, arguments: { ...given, field: example } },
  )
}

interface One {
  readonly meant: Meant
  readonly column: Explained
  readonly given: Given
  readonly source: Source
  readonly signal: AbortSignal
  readonly room: Room
}

interface Figure {
  readonly [name: string]: unknown
  readonly value: unknown
}

/** The figure of a record with what is behind it; undefined if there is no such record. */
async function explained(one: One, record: JsonObject, asKnown: string | undefined) {
  const { meant, column, given, source, signal, room } = one
  const { report, values, params } = meant
  const filter = conditionsOn(record, one)
  const asked: Wanted = { report, values, params, view: { fields: 'all', filter }, first: 2, asKnown }
  const refuse = (error: unknown): never => {
    throw asRefusal(error, { name: 'run_report', arguments: exampleOf(report, params) })
  }
  const { version, total, records } = await source.ask(asked, signal).catch(refuse)
  const [row] = records
  if (row === undefined) return undefined
  if (total > 1)
    throw new Refusal(
      `record fits ${total} rows of ${report.id}; give also ${keyOf(meant).join(', ')}, or the whole row from run_report`,
      { name: 'run_report', arguments: { ...exampleOf(report, params), filter, fields: usualFields(meant) } },
    )
  const value = row[column.name]
  const figure: Figure = {
    ...{ report: report.id, field: column.name, value },
    ...(column.unit !== undefined && { unit: row[column.unit] }),
  }
  const wanted = wantedBehind(one, row, asKnown)
  if (wanted === undefined)
    throw new Refusal(`nothing is behind ${column.name} of this row: its value is ${JSON.stringify(value)}`, {
      name: 'run_report',
      arguments: { report: given['report'], values: given['values'] ?? {}, filter },
    })
  const found = await source.ask({ ...wanted, first: room.rows }, signal).catch(refuse)
  const sum = await sumOf(one, wanted)
  return { version, figure, wanted, found, sum, row }
}

/** The exact sum over all rows behind the figure. */
async function sumOf({ column: { behind }, source, signal }: One, wanted: Wanted): Promise<string | undefined> {
  if (behind.sum === undefined) return undefined
  const { records } = await source.ask({ ...wanted, view: { totals: 'yes' } }, signal)
  return String(records[0]?.[behind.sum])
}

/** The figure at an earlier version, and the rows behind it that have changed since. */
async function changedSince(
  one: One,
  now: { readonly row: JsonObject; readonly wanted: Wanted },
  against: string,
  asKnown: string | undefined,
) {
  const { source, signal, room, meant } = one
  const key = Object.fromEntries(keyOf(meant).map((name) => [name, at(now.row, name.split('.'))]))
  const before = await explained(one, key, against)
  const wanted = { ...now.wanted, asKnown, against, view: {}, first: room.rows }
  const changes = await source.ask(wanted, signal)
  const rows = rowsThatFit(changes.records, {}, { ...room, tokens: room.tokens / 2 })
  return {
    ...{ since: against, version: before?.version ?? null, value: before?.figure.value ?? null },
    ...(before?.sum !== undefined && { sum: before.sum }),
    ...{ total: changes.total, shown: rows.length, changes: rows },
  }
}

/** The request behind a value; undefined if nothing is behind it. */
function wantedBehind(
  { meant, column, source }: One,
  row: JsonObject,
  asKnown: string | undefined,
): Wanted | undefined {
  const { name, absent, behind } = column
  const { params, state } = meant
  if (row[name] === null || row[name] === absent || row[name] === '') return undefined
  if (behind.unless !== undefined && row[behind.unless.field] === behind.unless.is) return undefined
  const read = (from: From): unknown => {
    if ('field' in from) return at(row, from.field.split('.'))
    if ('param' in from) return params[from.param]
    return 'value' in from ? from.value : state.today
  }
  const given = Object.entries(behind.params).map(([name, from]) => [name, read(from)] as const)
  const sent = Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== null))
  const report = reportNamed(behind.report, source.reports)
  if (report === undefined)
    throw new Refusal(`${name} is explained by ${behind.report}, which you may not use; ask the operator for access`)
  const values = readParams(report.request, sent)
  if ('errors' in values) throw new Error(`${behind.report}: ${JSON.stringify(values.errors)}`)
  const view = { fields: usualFields({ report, values: values.values }).join(',') }
  return { report, values: values.values, params: sent, view, first: 1, asKnown }
}

/** The fields of the key that a record shows. */
function keyOf({ report, values }: Meant): string[] {
  const shape = report.shapeFor(values)
  const paths = valuesIn(shape.record)
  return shape.orderBy.flatMap(({ column }) =>
    paths.filter((one) => one.column === column).map(({ path }) => path.join('.')),
  )
}

/** The conditions that a row meets: on its key, if the row has it; else on all that is given. */
function conditionsOn(record: JsonObject, { meant, given }: One): string[] {
  const { report, values } = meant
  const shape = report.shapeFor(values)
  const known = valuesIn(shape.record)
  const all = flat(record)
  const names = known.map(({ path }) => path.join('.'))
  const unknown = Object.keys(all).filter((name) => !names.includes(name))
  if (unknown.length > 0) {
    const near = unknown.map((name) => `${JSON.stringify(name.slice(0, 60))}${nearest(name.slice(0, 60), names)}`)
    const rest = Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)))
    throw new Refusal(
      `record has ${near.join(', ')}, which ${report.id} does not have as a field of one row; rows of groups are explained by run_report with their values as filter`,
      { name: NAME, arguments: { ...given, record: rest } },
    )
  }
  const key = keyOf(meant)
  const isWhole = key.length > 0 && key.every((name) => name in all) && key.length === shape.orderBy.length
  const chosen = (isWhole ? key : Object.keys(all)).slice(0, MOST_CONDITIONS)
  return chosen.map((name) => conditionOn(known[names.indexOf(name)] as RecordValue, name, all[name]))
}

function conditionOn({ field }: RecordValue, name: string, value: unknown): string {
  if (value === null || value === '' || value === field.absent) return `${name}=`
  const text = String(value).replace(/[|\\]/g, '\\$&')
  return `${name}=${text}`
}

/** Without lists, which no condition compares. */
function flat(record: JsonObject, around = ''): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]): [string, unknown][] => {
      if (Array.isArray(value)) return []
      if (typeof value === 'object' && value !== null)
        return Object.entries(flat(value as JsonObject, `${around}${name}.`))
      return [[around + name, value]]
    }),
  )
}

function noSuchRecord(given: Given, meant: Meant): Refusal {
  const { report, params } = meant
  return new Refusal(`no row of ${report.id} fits record; take one from run_report with the same values`, {
    name: 'run_report',
    arguments: { ...exampleOf(report, params), ...('as_known' in given && { as_known: given['as_known'] }) },
  })
}

const at = (record: JsonObject, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (value as JsonObject | undefined)?.[name], record)

/** Whether two decimals are the same number, whatever their digits. */
function sameNumber(a: string, b: string): boolean {
  const clean = (text: string) => (text.includes('.') ? text.replace(/\.?0+$/, '') : text).replace(/^-0$/, '0')
  return clean(a) === clean(b)
}
