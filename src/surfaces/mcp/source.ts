/** Where the tools get their answers from: the kernel of this process, or a service (src/cli/mcp-service.ts). */
import type { Database } from '../../db/connect.js'
import { readTexts } from '../../db/texts.js'
import { mayUse } from '../../groups.js'
import type { Kernel, Reader } from '../../kernel/answer/ask.js'
import { reportNamed } from '../../kernel/report/names.js'
import type { Params, Values } from '../../kernel/report/params.js'
import type { JsonObject } from '../../kernel/report/record-reader.js'
import type { Report, ViewSpec } from '../../kernel/report/report.js'
import { viewed } from '../../kernel/report/view.js'
import { searchStatement } from '../../search/statement.js'
import { numberOf } from '../../store/versions.js'
import type { Calendar, Definition } from '../../views/definition.js'
import { listViews } from '../../views/saved.js'
import { exactly } from './exact.js'

/** The version of the data, and today. */
export interface State extends Calendar {
  readonly version: string
}

/** A report to ask, or a view of it. */
export interface Wanted {
  /** As declared. */
  readonly report: Report
  readonly values: Values<Params>
  /** The same values as a caller sends them. */
  readonly params: Readonly<Record<string, unknown>>
  readonly view: ViewSpec
  /** Only this number of records, from the first on. */
  readonly first: number
  readonly asKnown?: string | undefined
  readonly against?: string | undefined
}

export interface Found {
  readonly version: string
  /** Records of the whole report. */
  readonly total: number
  /** The first records; every number is a string with its digits. */
  readonly records: readonly JsonObject[]
}

export interface NamedView {
  readonly id: string
  readonly owner: string
  readonly definition: Definition
}

/** A hit of the search. */
export interface Hit {
  readonly kind: string
  readonly id: string
  readonly label: string
  readonly detail: string
  readonly codes: readonly string[]
  readonly behind?: { readonly report: string; readonly params: Readonly<Record<string, string>> }
}

export interface Source {
  /** The reports that the reader may use. */
  readonly reports: readonly Report[]
  /** The address of the console; undefined without a service. */
  readonly console: string | undefined
  state(signal: AbortSignal): Promise<State>
  ask(wanted: Wanted, signal: AbortSignal): Promise<Found>
  /** The saved views that the reader sees. */
  views(signal: AbortSignal): Promise<readonly NamedView[]>
  search(text: string, signal: AbortSignal): Promise<readonly Hit[]>
}

export interface KernelSourceOptions {
  readonly kernel: Kernel
  readonly database: Pick<Database, 'db' | 'quick'>
  readonly reports: readonly Report[]
  readonly reader: Reader & { readonly username: string | null }
  readonly console: string | undefined
  /** Called before the database computes a report. */
  readonly charge?: (report: Report) => void | Promise<void>
  /** Finds the saved views; by default those that the reader sees. */
  readonly views?: () => Promise<readonly NamedView[]>
}

export function kernelSource({ kernel, database, reader, console, charge, ...options }: KernelSourceOptions): Source {
  const reports = options.reports.filter(({ group }) => mayUse(reader, group))
  const views = options.views ?? (() => listViews(database.quick, reader))
  return {
    reports,
    console,
    async state() {
      const [row] = await database.quick<(Calendar & { version: string })[]>`
        select version::text, (now() at time zone time_zone)::date::text as today, year_begins as "yearBegins"
          from data_version cross join account`
      if (row === undefined) throw new Error('the database has no account')
      return row
    },
    async ask({ report: declared, values, view, first, asKnown, against }, signal) {
      const report = viewed(declared, values, view)
      const page = report.view?.totals === undefined ? { number: 1, size: first } : undefined
      const answer = await kernel.ask(
        reader,
        { report, values, page, pin: undefined, since: undefined, asKnown, against },
        { charge: () => charge?.(declared), gone: () => signal },
      )
      if (answer.unchanged) throw new Error('an answer without conditions is never unchanged')
      const records: JsonObject[] = []
      for await (const run of answer.records.texts()) for (const text of run) records.push(exactly(text))
      return { version: String(numberOf(answer.edition.pin)), total: answer.records.total, records }
    },
    async views() {
      const mine = await views()
      return mine.filter(({ definition }) => reportNamed(definition.report, reports) !== undefined)
    },
    async search(text, signal) {
      const statement = searchStatement(reader, text)
      const found = statement && (await readTexts(database.db, statement, signal))
      return JSON.parse(`[${found?.bytes ?? ''}]`) as Hit[]
    },
  }
}
