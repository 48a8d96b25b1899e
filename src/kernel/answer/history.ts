/** Finds the earlier version of the data that a caller means, and lets a transaction see it (docs/decisions/0049). */
import type { Database, Queryable } from '../../db/connect.js'
import { raw, sql } from '../../db/sql.js'
import { Problem } from '../../errors.js'
import { isKept, showVersion } from '../../store/history.js'
import type { AsKnown } from '../report/as-known.js'
import type { Report } from '../report/report.js'

/** An earlier version, with the day that is today in its answers. */
export interface Known {
  readonly version: number
  readonly id: string
  readonly day: string
}

interface Found {
  readonly present: number
  readonly oldest: number
  readonly today: string
  readonly future: boolean
  readonly version: number | null
  readonly kept: boolean
  readonly id: string
  readonly day: string
}

export class History {
  readonly #quick: Queryable
  readonly #isKept: boolean

  constructor({ quick, engine }: Pick<Database, 'quick' | 'engine'>) {
    this.#quick = quick
    this.#isKept = engine.keepsHistory
  }

  /** Throws a problem if the report is about the history, and there is none. */
  check({ group }: Pick<Report, 'group'>): void {
    if (group === 'history' && !this.#isKept)
      throw new Problem('invalid-parameters', { detail: 'A cluster keeps no history (docs/scaling.md).' })
  }

  /**
   * The version that is meant, and whether the report is then what it is now. Throws a problem with the name of the parameter if there is
   * no such version, or if it is not kept.
   */
  async find(
    asked: AsKnown,
    field: string,
    { dependsOnToday }: Pick<Report, 'dependsOnToday'>,
  ): Promise<Known & { isPresent: boolean }> {
    const refused = (message: string) => new Problem('invalid-parameters', { errors: [{ field, message }] })
    if (!this.#isKept) throw refused('must be left out: a cluster keeps no history (docs/scaling.md)')
    const { present, oldest, today, future, version, kept, id, day } = await this.#lookUp(asked)
    if (future) {
      if ('version' in asked)
        throw refused(
          `must be a version that was loaded; the present one is ${present}, and ${asked.version} is to come`,
        )
      throw refused(`must not be in the future, as ${'day' in asked ? asked.day : asked.moment} is; today is ${today}`)
    }
    if (version === null || !kept) throw notKept(oldest, present)
    return { version, id, day, isPresent: version === present && (day === today || !dependsOnToday) }
  }

  async #lookUp(asked: AsKnown): Promise<Found> {
    const [is, future, day] =
      'version' in asked
        ? [sql`version = ${asked.version}::int`, sql`${asked.version}::int > d.version`, sql`null::date`]
        : 'day' in asked
          ? [
              sql`committed_at < (${asked.day}::date + 1)::timestamp at time zone a.time_zone`,
              sql`${asked.day}::date > t.day`,
              sql`${asked.day}::date`,
            ]
          : [
              sql`committed_at <= ${asked.moment}::timestamptz`,
              sql`${asked.moment}::timestamptz > now()`,
              sql`(${asked.moment}::timestamptz at time zone a.time_zone)::date`,
            ]
    const [found] = await this.#quick<Found[]>`
      select d.version::float8 as present, greatest(h.oldest, 1)::float8 as oldest, t.day::text as today, ${future} as future,
             k.version::float8 as version, ${isKept(raw('k.version'))} as kept,
             case when k.version = d.version then d.id else k.id end as id,
             coalesce(${day}, (k.committed_at at time zone a.time_zone)::date)::text as day
        from data_version d cross join history h cross join account a cross join today t
        left join lateral (select * from known_version where ${is} order by version desc limit 1) k on true`
    if (found === undefined) throw new Error('the database has no history')
    return found
  }
}

/** Lets the rest of the transaction read the rows of a version; throws a problem if they are no longer kept. */
export async function seeVersion(tx: Queryable, { version, day }: Known): Promise<void> {
  const { kept, oldest, present } = await showVersion(tx, version, day)
  if (!kept) throw notKept(oldest, present)
}

const notKept = (oldest: number, present: number) =>
  new Problem('gone', {
    detail:
      present === 0
        ? 'Nothing has been loaded yet, so there is no earlier version.'
        : `What was known then is not kept; the oldest version that is kept is ${oldest}. Ask for that version, for a later one, or for one with which a period is closed.`,
  })
