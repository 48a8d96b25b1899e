/** Closes periods and reopens them (docs/decisions/0051). */
import { audit, type By } from '../access/audit.js'
import { isCalendarDate } from '../calendar.js'
import type { Database, Tx } from '../db/connect.js'
import { query } from '../db/query.js'
import { join, raw, type Sql, sql } from '../db/sql.js'
import { MillbookError } from '../errors.js'
import { PERIOD_FIGURES, type PeriodFigure, touchedSince, withFigures } from '../ledger/period-figures.js'
import { lockClosings, showVersion } from '../store/history.js'
import { systemUser } from '../system-user.js'

export { PERIOD_FIGURES }

export interface Period {
  /** A month as `2026-10`, any other range as `2026-04-01..2026-09-30`. */
  readonly name: string
  readonly first: string
  readonly last: string
}

/** Reads a month or a range of days. */
export function readPeriod(text: string): Period {
  const month = lastOf(text)
  if (month !== undefined) return { name: text, first: `${text}-01`, last: month }
  const [first = '', last = '', more] = text.split('..')
  if (more !== undefined || !isCalendarDate(first) || !isCalendarDate(last) || first > last)
    throw new MillbookError(
      `a period is a month such as 2026-10 or a range of days such as 2026-04-01..2026-09-30, not ${JSON.stringify(text)}`,
    )
  const isMonth = first.endsWith('-01') && last === lastOf(first.slice(0, 7))
  return { name: isMonth ? first.slice(0, 7) : text, first, last }
}

/** The last day of a month; undefined if it is none. */
function lastOf(month: string): string | undefined {
  if (!isCalendarDate(`${month}-01`)) return undefined
  return ['31', '30', '29', '28'].map((day) => `${month}-${day}`).find(isCalendarDate)
}

export interface Closing {
  readonly period: string
  /** The version of the data with which the period was reported. */
  readonly version: number
  readonly closedAt: Date
  readonly closedBy: string
  readonly reason: string
  readonly figures: Readonly<Record<PeriodFigure, string>>
}

/** In the JSON of the command line and of the API. */
export const closingJson = ({ period, version, closedAt, closedBy, reason, figures }: Closing) => ({
  ...{ period, version, closed_at: closedAt, closed_by: closedBy, reason },
  ...figures,
})

type Store = Pick<Database, 'db' | 'engine'>
/** Runs work in a transaction. */
type Change = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>

/** Closes a period with an earlier version or with the present one. */
export async function closePeriod(
  database: Store,
  change: Change,
  given: { readonly period: string; readonly reason: string; readonly asKnown?: number | undefined },
  by: By,
): Promise<Closing> {
  const period = readPeriod(given.period)
  const reason = readReason(given.reason)
  const closedBy = by.actor ?? systemUser()
  for (let tries = 1; ; tries++) {
    const { present, version, figures, now } = await figuresOf(database, period, given.asKnown)
    const closedAt = await change(async (tx) => {
      await lockClosings(tx, 'closing')
      const [still] = await tx`select from data_version where version = ${present}`
      if (still === undefined) return undefined // a load has changed what was computed
      const [closed] = await tx<{ id: number; closedAt: Date }[]>`
        insert into closed_period (period, first_day, last_day, version, closed_by, reason, ${names})
        values (${period.name}, ${period.first}, ${period.last}, ${version}, ${closedBy}, ${reason}, ${valuesOf(figures)})
        on conflict (period) where reopened_in is null do nothing
        returning id, closed_at as "closedAt"`
      if (closed === undefined)
        throw new MillbookError(`${period.name} is closed already; reopen it first`, { kind: 'conflict' })
      // The insert waits for a statement that forgets versions.
      const [{ kept } = { kept: false }] = await tx<{ kept: boolean }[]>`
        select exists (select from history where oldest <= ${version})
               or exists (select from closed_period where version = ${version} and reopened_in is null and id <> ${closed.id})
               as kept`
      if (!kept) throw notKept(version)
      await tx`insert into closed_figure (closing, version, ${names}) values (${closed.id}, ${present}, ${valuesOf(now)})`
      await audit(tx, { ...by, act: 'period.close', detail: { period: period.name, version, reason } })
      return closed.closedAt
    })
    if (closedAt !== undefined) return { period: period.name, version, closedAt, closedBy, reason, figures }
    if (tries === TRIES)
      throw new MillbookError('the data changes faster than the figures can be computed; try again', {
        kind: 'conflict',
      })
  }
}

const TRIES = 5

/** Reopens a closed period; returns its name and the version with which it was closed. */
export async function reopenPeriod(
  change: Change,
  given: { readonly period: string; readonly reason: string },
  by: By,
): Promise<Pick<Closing, 'period' | 'version'>> {
  const { name } = readPeriod(given.period)
  const reason = readReason(given.reason)
  return await change(async (tx) => {
    const [reopened] = await tx<{ version: number }[]>`
      update closed_period set reopened_in = 0 where period = ${name} and reopened_in is null
      returning version::float8 as version`
    if (reopened === undefined) throw new MillbookError(`${name} is not closed`, { kind: 'conflict' })
    const { version } = reopened
    await audit(tx, { ...by, act: 'period.reopen', detail: { period: name, version, reason } })
    return { period: name, version }
  })
}

const names = raw(PERIOD_FIGURES.join(', '))

const valuesOf = (figures: Closing['figures']): Sql =>
  join(
    PERIOD_FIGURES.map((name) => sql`${figures[name]}`),
    ', ',
  )

/** Characters of a reason. */
export const LONGEST_REASON = 500

function readReason(text: string): string {
  const reason = text.trim()
  if (reason === '') throw new MillbookError('the reason must not be empty')
  if (reason.length > LONGEST_REASON)
    throw new MillbookError(`the reason must have at most ${LONGEST_REASON} characters, not ${reason.length}`)
  return reason
}

const notKept = (version: number) =>
  new MillbookError(`what was known at version ${version} is not kept any more`, { kind: 'conflict' })

interface Computed {
  readonly present: number
  /** The version with which the period is closed, and its figures. */
  readonly version: number
  readonly figures: Closing['figures']
  /** The figures as they are. */
  readonly now: Closing['figures']
}

async function figuresOf(
  { db, engine }: Store,
  { name, first, last }: Period,
  asKnown: number | undefined,
): Promise<Computed> {
  if (!engine.keepsHistory)
    throw new MillbookError('a cluster keeps no history, so no period can be closed in it (docs/scaling.md)', {
      kind: 'conflict',
    })
  return await engine.inVersion(db, '', async (tx) => {
    const [state] = await tx<{ present: number; today: string }[]>`
      select version::float8 as present, day::text as today from data_version cross join today`
    const { present, today } = state ?? { present: 0, today: '' }
    if (last >= today)
      throw new MillbookError(
        `${name} ends on ${last}, and today is ${today}: a period can be closed from the day after its last day on`,
        { kind: 'conflict' },
      )
    if (present === 0) throw new MillbookError('nothing has been loaded yet', { kind: 'conflict' })
    const version = asKnown ?? present
    if (version > present)
      throw new MillbookError(`the present version is ${present}, and ${version} is to come`, { kind: 'conflict' })
    const compute = async (figures: readonly PeriodFigure[]) => {
      const period = sql`select ${first}::date as first_day, ${last}::date as last_day`
      const texts = raw(figures.map((figure) => `${figure}::text`).join())
      const [found] = await query<Closing['figures']>(tx, sql`select ${texts} from (${withFigures(period, figures)}) f`)
      return found as Closing['figures']
    }
    const now = await compute(PERIOD_FIGURES)
    if (version === present) return { present, version, figures: now, now }
    // Figures whose rows have not changed since then are computed from the present rows, which is faster.
    const touched = await touchedSince(tx, version, [{ id: 1, first_day: first, last_day: last }])
    const changed = touched.flatMap(([figures, periods]) => (periods.length > 0 ? figures : []))
    if (!(await showVersion(tx, version)).kept) throw notKept(version)
    return { present, version, figures: changed.length === 0 ? now : { ...now, ...(await compute(changed)) }, now }
  })
}
