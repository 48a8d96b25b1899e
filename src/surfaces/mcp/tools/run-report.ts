/** Runs a report or a saved view: its first rows, their number, and the exact totals of all of them. */
import type { JsonObject } from '../../../kernel/report/record-reader.js'
import type { ViewSpec } from '../../../kernel/report/report.js'
import { ROWS } from '../../../kernel/report/totals.js'
import { MOST_ROWS, roomFor, rowsThatFit } from '../answer.js'
import { exampleOf, exampleRun, type Meant, meantBy, pastIn, periodOf, usualFields } from '../asked.js'
import { consoleLink } from '../console-link.js'
import { asRefusal } from '../refusal.js'
import type { Found, Source, Wanted } from '../source.js'
import type { Given, Tool } from '../tool.js'

/** Attempts, if the data changes between the rows and their totals. */
const TRIES = 3

export const runReport: Tool = {
  name: 'run_report',
  title: 'Run a report',
  about:
    'Figures of a report or saved view. totals are exact sums over all rows, also those not shown: never add up rows yourself.',
  takes: {
    report: { kind: 'text', required: true, about: 'Id, or view:ID' },
    values: {
      kind: 'object',
      about: 'Parameters. period (last-month, 2026-06, fy2026, last-30-days) instead of from_date and to_date',
    },
    fields: { kind: 'texts', about: 'Columns; all for every one' },
    filter: { kind: 'texts', about: 'field op value; op: = != < <= > >= ~ (contains) !~. city=Pune|Goa, qty<0' },
    search: { kind: 'text', about: 'Words a row must contain' },
    group: {
      kind: 'texts',
      about: 'One row per value: customer_name, month(invoice_date); also quarter, year, fy, week, day',
    },
    measures: { kind: 'texts', about: 'With group: sum(f), avg, min, max, count; default all sums' },
    having: { kind: 'texts', about: 'Conditions on groups or changes: total_amt__change<0' },
    compare: { kind: 'text', about: 'previous, month, quarter or year: each figure also as __before and __change' },
    sort: { kind: 'texts', about: '-total_amt for descending' },
    limit: { kind: 'count', about: 'Rows, default 50' },
    as_known: { kind: 'text', about: 'As known on a day or in a version' },
    against: { kind: 'text', about: 'Only differences since a day or version' },
  },
  gives: {
    report: { type: 'string' },
    total: { type: 'integer' },
    shown: { type: 'integer' },
    rows: { type: 'array', items: { type: 'object' } },
    totals: { type: 'object' },
    note: { type: 'string' },
    console: { type: 'string' },
  },
  optional: ['totals', 'note', 'console'],
  example: exampleRun,
  async run(given, source, signal) {
    const meant = await meantBy('run_report', given, source, signal)
    const room = roomFor(given['limit'])
    const { report, values, params } = meant
    const { asKnown, against } = pastIn('run_report', given)
    const isPlain = meant.view.group === undefined && against === undefined
    const view = isPlain ? { ...meant.view, fields: meant.view.fields ?? usualFields(meant).join(',') } : meant.view
    const wanted: Wanted = { report, values, params, view, first: room.rows, asKnown, against }
    const { found, totals } = await withTotals(source, wanted, signal).catch((error) => {
      throw asRefusal(error, {
        name: 'run_report',
        arguments: exampleOf(report, report.id === given['report'] ? params : {}),
      })
    })
    const rest = {
      ...{ version: found.version, period: periodOf(meant), report: report.id, total: found.total },
      ...(totals !== undefined && { totals: totalsOf(totals, found, wanted) }),
      ...consoleLink(source.console, wanted),
    }
    const rows = rowsThatFit(found.records, rest, room)
    const note = noteOn(meant, given, found, rows.length)
    const { console, totals: sums, ...head } = { totals: undefined, console: undefined, ...rest }
    return {
      ...{ ...head, shown: rows.length, rows },
      ...(sums !== undefined && { totals: sums }),
      ...(note !== undefined && { note }),
      ...(console !== undefined && { console }),
    }
  },
}

/** The rows and their totals at one version of the data. */
async function withTotals(
  source: Source,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<{ found: Found; totals: JsonObject | undefined }> {
  const { filter, search, compare } = wanted.view
  const view: ViewSpec = { filter, search, compare, totals: 'yes' }
  for (let i = 0; ; i++) {
    const found = await source.ask(wanted, signal)
    const totals = await source.ask({ ...wanted, view }, signal)
    if (totals.version === found.version || i === TRIES) return { found, totals: totals.records[0] }
  }
}

/** The number of rows, and the sums of the columns that the rows have; against an earlier version, the sums that differ. */
function totalsOf(totals: JsonObject, { records: [row] }: Found, { view: { fields }, against }: Wanted): JsonObject {
  const shown = new Set(Object.keys(row ?? {}))
  const baseOf = (name: string) => name.split('__')[0] as string
  const isKept = (name: string, of: JsonObject): boolean => {
    if (name === 'unit' || baseOf(name) === ROWS) return true
    if (against !== undefined) return !isZero(of[`${baseOf(name)}__difference`])
    return row === undefined || fields === 'all' || name.startsWith('_') || shown.has(baseOf(name))
  }
  const kept = (of: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(of).flatMap(([name, value]): [string, unknown][] => {
        // The sums of each unit; a unit without any is left out.
        if (Array.isArray(value))
          return [[name, value.map((unit) => kept(unit)).filter((unit) => Object.keys(unit).length > 1)]]
        return isKept(name, of) ? [[name, value]] : []
      }),
    )
  return kept(totals)
}

const isZero = (value: unknown): boolean => value === undefined || value === null || /^-?0(\.0+)?$/.test(String(value))

function noteOn(
  { report, view, saved }: Meant,
  given: Given,
  { total, records }: Found,
  shown: number,
): string | undefined {
  const words: string[] = []
  if (shown < total) {
    const why =
      shown === records.length
        ? shown < MOST_ROWS
          ? `limit shows more, up to ${MOST_ROWS}`
          : 'no call shows more rows'
        : 'more would be too long; choose fewer fields to see more rows'
    words.push(
      `rows has the first ${shown} of ${total}, totals covers all ${total}; ${why}; filter, group or a shorter period narrows it, sort chooses which come first`,
    )
  }
  if (view.having !== undefined && view.having.length > 0) words.push('totals also covers what having leaves out')
  if (view.fields === undefined && view.group === undefined && given['against'] === undefined)
    words.push(`describe_report lists the other fields of ${saved === undefined ? report.id : 'this report'}`)
  return words.length === 0 ? undefined : `${words.join('. ')}.`
}
