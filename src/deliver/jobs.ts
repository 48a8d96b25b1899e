/** Reads the file of jobs: the report of each, its days, its format, its schedule and its targets. */
import { createHash } from 'node:crypto'
import { parse } from 'yaml'
import { MillbookError } from '../errors.js'
import type { Options } from '../formats/format.js'
import { fileByDefault, formats, optionParams } from '../formats/index.js'
import { nearestReports, reportNamed } from '../kernel/report/names.js'
import type { Params } from '../kernel/report/params.js'
import { readParams } from '../kernel/report/params.js'
import type { Report } from '../kernel/report/report.js'
import { notADay, periodOf } from '../period-words.js'
import { type Every, everyNamed, timeOfDay, WHEN } from './clock.js'
import * as kinds from './list.js'
import { flag, number, object, optional, readSettings, text, withEnvironment } from './settings.js'
import type { Target, TargetKind } from './target.js'

interface Delivery {
  readonly name: string
  readonly format: string
  readonly options: Options
  /** The name of the delivered file; undefined for the report's default name. */
  readonly file: string | undefined
  readonly every: Every
  /** Minutes after midnight, or after the hour. */
  readonly at: number
  /** Whether only changes are delivered, after the first run. */
  readonly since: boolean
  /** Whether each missed due time is delivered; else one run covers all of them. */
  readonly eachMissed: boolean
  /** The number of retries per target before the run counts as failed. */
  readonly retries: number
  readonly to: readonly Place[]
}

interface ReportOfJob {
  readonly report: Report
  /** The parameters as the file has them; days may be words. */
  readonly parameters: Readonly<Record<string, unknown>>
}

interface ViewOfJob {
  /** Its name or its id. */
  readonly view: string
  /** Only for a database: the user with whose views and rights the job reads. */
  readonly user: string | undefined
}

/** Delivers a report with its parameters, or a saved view. */
export type Job = Delivery & (ReportOfJob | ViewOfJob)

type ReportJob = Delivery & ReportOfJob

export const PLACEHOLDERS = ['date', 'time', 'version', 'job', 'format'] as const

/** The mistake in a file name: it must stay in its folder, and use known placeholders only. */
function wrongName(file: string): string | undefined {
  if (/[/\\\0]/.test(file) || /^\.*$/.test(file)) return 'must be a name without slashes'
  const unknown = [...file.matchAll(/\{(.*?)\}/g)].find(([, name]) => !PLACEHOLDERS.some((one) => one === name))
  return unknown && `has the placeholder ${unknown[0]}; there are ${PLACEHOLDERS.map((name) => `{${name}}`).join(', ')}`
}

export interface Place {
  readonly kind: string
  /** A hash of its settings, so that changed settings make another place. */
  readonly key: string
  readonly target: Target
}

const RETRIES = 4
const kindNames = Object.values(kinds).map(({ name }) => name)

/** Throws a MillbookError that names the setting in the file. */
export function readJobs(
  content: string,
  reports: readonly Report[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): Job[] {
  let given: unknown
  try {
    given = parse(content)
  } catch (error) {
    throw new MillbookError(`the file is not YAML: ${(error as Error).message.split('\n')[0]}`)
  }
  const { jobs } = readSettings('the file', given, { jobs: object })
  const found = Object.entries(jobs).map(([name, settings]) => readJob(name, settings, reports, env))
  if (found.length === 0) throw new MillbookError('the file has no jobs; add one under jobs')
  return found
}

function readJob(
  name: string,
  settings: unknown,
  reports: readonly Report[],
  env: Readonly<Record<string, string | undefined>>,
): Job {
  const where = `jobs.${name}`
  if (!/^[A-Za-z0-9][\w .-]{0,79}$/.test(name))
    throw new MillbookError(
      `${where}: a job name must be at most 80 letters, digits, spaces, dots, hyphens or underscores, and begin with a letter or digit`,
    )
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings))
    throw new MillbookError(`${where} must be an object with report or view, and to`)
  const { to, ...given } = settings as { to?: unknown; lines?: unknown }
  // In YAML 1.1, `no` and `yes` are booleans.
  const others = typeof given.lines === 'boolean' ? { ...given, lines: given.lines ? 'yes' : 'no' } : given
  const read = readSettings(where, others, {
    ...{ report: optional(text), parameters: optional(object), period: optional(text), format: optional(text) },
    ...{ view: optional(text), user: optional(text) },
    ...{ file: optional(text), every: optional(text), at: optional(text), since: optional(flag) },
    ...{ lines: optional(text), formulas: optional(text), headings: optional(text) },
    ...{ retries: optional(number), missed: optional(text) },
  })
  const report = read.view === undefined ? reportFor(where, read.report, reports) : undefined
  const format = read.format ?? fileByDefault.name
  const formatNames = formats.map((one) => one.name)
  if (!formatNames.includes(format))
    throw new MillbookError(`${where}.format must be one of ${formatNames.join(', ')}, not ${format}`)
  const every = everyNamed(read.every ?? 'day')
  if (every === undefined) throw new MillbookError(`${where}.every must be ${WHEN}, not ${read.every}`)
  const at = timeOfDay(read.at ?? '00:00')
  if (at === undefined) throw new MillbookError(`${where}.at must be a time as HH:MM, not ${read.at}`)
  const wrong = read.file === undefined ? undefined : wrongName(read.file)
  if (wrong !== undefined) throw new MillbookError(`${where}.file ${wrong}`)
  const { retries = RETRIES, missed } = read
  if (missed !== undefined && missed !== 'each' && missed !== 'together')
    throw new MillbookError(`${where}.missed must be together or each, not ${missed}`)
  if (!Number.isInteger(retries) || retries < 0 || retries > 20)
    throw new MillbookError(`${where}.retries must be a whole number from 0 to 20`)
  const delivery: Delivery = {
    ...{ name, format, every, at, file: read.file, since: read.since ?? false },
    ...{ retries, eachMissed: missed === 'each' },
    options: optionsOf(where, read),
    to: placesOf(where, to, env),
  }
  if (report !== undefined) return reportJob(where, delivery, report, read)
  for (const name of ['report', 'parameters', 'period', 'since'] as const)
    if (read[name] !== undefined)
      throw new MillbookError(
        name === 'since'
          ? `${where}.since follows a whole report: name the report in place of the view`
          : `${where}.${name} must be left out with view, which has a report with its days`,
      )
  if (missed === 'together')
    throw new MillbookError(
      `${where}.missed cannot be together: a view has its own period; set missed to each, or remove it`,
    )
  return { ...delivery, view: read.view as string, user: read.user, eachMissed: true }
}

function reportFor(where: string, name: string | undefined, reports: readonly Report[]): Report {
  if (name === undefined)
    throw new MillbookError(`${where}.report is missing; name a report, or a saved view with view`)
  const report = reportNamed(name, reports)
  if (report !== undefined) return report
  throw new MillbookError(`${where}.report: there is no report ${name}${nearestReports(name, reports)}`)
}

interface ReportSettings {
  readonly user: string | undefined
  readonly parameters: Readonly<Record<string, unknown>> | undefined
  readonly period: string | undefined
  readonly missed: string | undefined
}

function reportJob(
  where: string,
  delivery: Delivery,
  report: Report,
  { user, period, missed, parameters: given }: ReportSettings,
): Job {
  if (user !== undefined)
    throw new MillbookError(`${where}.user must be left out without view: it names the user whose view it is`)
  if (period !== undefined && !('from_date' in report.request))
    throw new MillbookError(`${where}.period: ${report.id} has no range of days; remove period`)
  const parameters = { ...(period !== undefined && { from_date: period, to_date: period }), ...given }
  const job = { ...delivery, report, parameters }
  // Reading the parameters on two days reports mistakes now, and shows whether the days are fixed.
  const [one = {}, other = {}] = ['2000-01-31', '2011-08-17'].map((day) => parametersAt(job, day))
  if (job.since && JSON.stringify(one) !== JSON.stringify(other))
    throw new MillbookError(`${where}.since needs fixed days, such as fy2025: a token belongs to one set of parameters`)
  const single = Object.keys(one).find((param) => !RANGE.includes(param) && one[param] !== other[param])
  if (single !== undefined && missed === 'together')
    throw new MillbookError(
      `${where}.missed cannot be together: ${report.id} is about one day, ${single}; set missed to each, or remove it`,
    )
  return single === undefined ? job : { ...job, eachMissed: true }
}

const RANGE = ['from_date', 'to_date']

function optionsOf(where: string, given: { readonly [name in keyof Options]?: string | undefined }): Options {
  const chosen = Object.entries(optionParams).flatMap(([name, param]) => {
    const value = given[name as keyof Options]
    if (value === undefined) return []
    if (param.read(value) === undefined) throw new MillbookError(`${where}.${name} must be ${param.expects}`)
    return [[name, value]]
  })
  return Object.fromEntries(chosen)
}

function placesOf(where: string, to: unknown, env: Readonly<Record<string, string | undefined>>): Place[] {
  const list = Array.isArray(to) ? to : to === undefined || to === null ? [] : [to]
  if (list.length === 0) throw new MillbookError(`${where}.to is missing; name one or more of ${kindNames.join(', ')}`)
  return list.map((one, i) => {
    const path = `${where}.to[${i}]`
    if (typeof one !== 'object' || one === null)
      throw new MillbookError(`${path} must have one of ${kindNames.join(', ')}, such as { folder: /srv/out }`)
    const [entry, ...more] = Object.entries((one ?? {}) as object)
    const kind = Object.values<TargetKind>(kinds).find(({ name }) => name === entry?.[0])
    if (entry === undefined || kind === undefined || more.length > 0)
      throw new MillbookError(
        `${path} must have one of ${kindNames.join(', ')}${entry === undefined ? '' : `, not ${Object.keys(one as object).join(', ')}`}`,
      )
    const key = createHash('sha256').update(JSON.stringify(one)).digest('hex').slice(0, 12)
    try {
      return { kind: kind.name, key: `${kind.name} ${key}`, target: kind.read(withEnvironment(entry[1], path, env)) }
    } catch (error) {
      if (!(error instanceof MillbookError)) throw error
      throw new MillbookError(error.message.startsWith(path) ? error.message : `${path}: ${error.message}`)
    }
  })
}

/** The parameters of a run that also covers earlier days, from `first` on: its range begins where theirs does. */
export function parametersOver(job: ReportJob, first: string, today: string): Record<string, unknown> {
  const [earlier, present] = [parametersAt(job, first), parametersAt(job, today)]
  const { from_date } = earlier
  return from_date !== undefined && String(from_date) < String(present['from_date'])
    ? { ...present, from_date }
    : present
}

/** The parameters on a day, with words such as last-month replaced by days. */
export function parametersAt({ name, report, parameters }: ReportJob, today: string): Record<string, unknown> {
  const request: Params = report.request
  const resolved = Object.fromEntries(
    Object.entries(parameters).map(([param, value]) => {
      if (request[param]?.type.kind !== 'date') return [param, value]
      const found = periodOf(String(value), today)
      if (found === undefined) throw new MillbookError(`jobs.${name}: ${param} ${notADay(String(value))}`)
      return [param, param === 'from_date' ? found.first : found.last]
    }),
  )
  const read = readParams(request, resolved)
  if ('errors' in read)
    throw new MillbookError(
      `jobs.${name}: ${read.errors.map(({ field, message }) => `${field} ${message}`).join('; ')}`,
    )
  return resolved
}
