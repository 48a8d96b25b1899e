/** The loads whose version of the data is still kept, for the console's choice of an earlier version. */
import type { Queryable } from '../../db/connect.js'
import { type FieldError, Problem } from '../../errors.js'

/** The most loads of one response. */
const MOST = 100
const USUAL = 20
const NUMBER = /^\d{1,9}$/

interface Load {
  readonly version: number
  /** When it was committed. */
  readonly loaded_at: Date
  /** Who loaded it, and the names of its files; null for readers of some groups only, and if nothing notes them. */
  readonly actor: string | null
  readonly source: readonly string[] | null
  /** The periods that were closed with it; none for readers of some groups only. */
  readonly periods: readonly string[]
}

export interface KeptLoads {
  /** Newest first. */
  readonly loads: readonly Load[]
  /** Whether older ones are kept. */
  readonly more: boolean
}

/** `query` may have `before`, a version, and `limit`. */
export async function keptLoads(db: Queryable, query: URLSearchParams, mayUseAll: boolean): Promise<KeptLoads> {
  const errors: FieldError[] = []
  const number = (field: string, usual: number | null): number | null => {
    const given = query.get(field)
    if (given === null) return usual
    if (!NUMBER.test(given)) errors.push({ field, message: 'must be a whole number' })
    return Number(given)
  }
  const [before, limit] = [number('before', null), number('limit', USUAL)]
  if (errors.length > 0) throw new Problem('invalid-parameters', { errors })
  const most = Math.min(MOST, limit ?? USUAL)
  const found = await db<Load[]>`
    select k.version::float8 as version, k.committed_at as loaded_at,
           case when ${mayUseAll} then l.actor end as actor, case when ${mayUseAll} then to_json(l.source) end as source,
           case when ${mayUseAll} then c.periods else '[]' end as periods
      from known_version k cross join history h left join load_log l on l.version = k.version
     cross join lateral (select coalesce(json_agg(period order by last_day desc, period), '[]') as periods
                           from closed_period where version = k.version and reopened_in is null) c
     where (k.version >= greatest(h.oldest, 1) or json_array_length(c.periods) > 0) and (${before}::bigint is null or k.version < ${before})
     order by k.version desc limit ${most + 1}`
  return { loads: found.slice(0, most), more: found.length > most }
}
