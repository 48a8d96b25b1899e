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
}

export const readPulls = (db: Queryable): Promise<PullState[]> => db<PullState[]>`
  select connector, source, pulled_at as "pulledAt", succeeded_at as "succeededAt", failure, error
    from pull order by connector`

/** Without a failure, the pull succeeded. */
export async function notePull(
  db: Queryable,
  { connector, source, failed }: { connector: string; source: string; failed?: { failure: Failure; error: string } },
): Promise<void> {
  const { failure = null, error = null } = failed ?? {}
  await db`
    insert into pull (connector, source, pulled_at, succeeded_at, failure, error)
    values (${connector}, ${source}, now(), case when ${failure}::text is null then now() end, ${failure}, ${error})
    on conflict (connector) do update
       set source = excluded.source, pulled_at = excluded.pulled_at, failure = excluded.failure, error = excluded.error,
           succeeded_at = coalesce(excluded.succeeded_at, pull.succeeded_at)`
}
