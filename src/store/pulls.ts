/** The results of the last pull of each connector. */
import type { Queryable } from '../db/connect.js'

/** The failed stage: reading the source, checking its rows, or storing them. */
export const FAILURES = ['source', 'rows', 'load'] as const
export type Failure = (typeof FAILURES)[number]

/** For unauthenticated callers: reveals nothing about the source or its rows. */
export const FAILURE_REASONS: Readonly<Record<Failure, string>> = {
  source: 'the source could not be read',
  rows: 'the rows of the source were refused',
  load: 'the rows could not be stored',
}

export interface PullState {
  readonly connector: string
  readonly source: string
  readonly pulledAt: Date
  readonly succeededAt: Date | null
  readonly failure: Failure | null
  readonly error: string | null
  /** Rows that the last pull left out because they were wrong. */
  readonly rejected: number
}

export const readPulls = (db: Queryable): Promise<PullState[]> => db<PullState[]>`
  select connector, source, pulled_at as "pulledAt", succeeded_at as "succeededAt", failure, error,
         rejected::float8 as rejected
    from pull order by connector`

interface DonePull {
  readonly connector: string
  readonly source: string
  /** Without a failure, the pull succeeded. */
  readonly failed?: { readonly failure: Failure; readonly error: string }
  readonly rejected?: number
}

export async function notePull(db: Queryable, { connector, source, failed, rejected = 0 }: DonePull): Promise<void> {
  const { failure = null, error = null } = failed ?? {}
  await db`
    insert into pull (connector, source, pulled_at, succeeded_at, failure, error, rejected)
    values (${connector}, ${source}, now(), case when ${failure}::text is null then now() end, ${failure}, ${error}, ${rejected})
    on conflict (connector) do update
       set source = excluded.source, pulled_at = excluded.pulled_at, failure = excluded.failure, error = excluded.error, rejected = excluded.rejected,
           succeeded_at = coalesce(excluded.succeeded_at, pull.succeeded_at)`
}
