/** The log of loads: an entry for each load that changed the data, written in the load's transaction. */
import type { Queryable } from '../db/connect.js'
import type { Counts } from '../ledger/write.js'
import { systemUser } from '../system-user.js'
import type { WarningKind } from './checks.js'
import type { Warnings } from './pipeline/warnings.js'
import type { Source } from './source.js'

/** A load that is ready to commit. */
interface DoneLoad {
  version: number
  seconds: number
  actor: string | undefined
  source: Pick<Source, 'name' | 'parts'>
  rows: number
  entities: Readonly<Record<string, Counts>>
  warnings: Warnings
  /** Rows that were left out because they were wrong. */
  rejected: number
}

export async function noteLoad(tx: Queryable, load: DoneLoad): Promise<void> {
  const { version, seconds, actor = systemUser(), source, rows, entities, warnings, rejected } = load
  const names = source.name === undefined ? source.parts.map(({ name }) => name) : [source.name]
  await tx`
    insert into load_log (version, seconds, actor, source, row_count, entities, warnings, first_warnings, warning_kinds,
                          rejected)
    values (${version}, ${seconds}, ${actor}, ${names}, ${rows}, ${JSON.stringify(entities)}::text::jsonb,
            ${warnings.count}, ${JSON.stringify(warnings.first)}::text::jsonb,
            ${JSON.stringify(warnings.kinds)}::text::jsonb, ${rejected})`
}

export interface PastLoad {
  /** The version of the data after the load. */
  version: number
  committedAt: Date
  seconds: number
  actor: string
  /** The names of the files, or of another source of the rows. */
  source: string[]
  rows: number
  entities: Record<string, Counts>
  warnings: number
  /** Rows that were left out because they were wrong. */
  rejected: number
}

/** The newest loads before a version, newest first, and whether there are older ones. */
export async function readLoads(
  db: Queryable,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<{ loads: PastLoad[]; more: boolean }> {
  const newest = await db<PastLoad[]>`
    select version::float8 as version, committed_at as "committedAt", seconds, actor, to_json(source) as source,
           row_count::float8 as rows, entities, warnings,
           rejected::float8 as rejected
      from load_log where ${before ?? null}::bigint is null or version < ${before ?? null}
     order by version desc limit ${limit + 1}`
  return { loads: newest.slice(0, limit), more: newest.length > limit }
}

interface WarnedLoad extends PastLoad {
  firstWarnings: string[]
  warningKinds: WarningKind[]
}

/** One load with its first warnings. */
export async function findLoad(db: Queryable, version: number): Promise<WarnedLoad | undefined> {
  const [load] = await db<WarnedLoad[]>`
    select version::float8 as version, committed_at as "committedAt", seconds, actor, to_json(source) as source,
           row_count::float8 as rows, entities, warnings, rejected::float8 as rejected, first_warnings as "firstWarnings",
           warning_kinds as "warningKinds"
      from load_log where version = ${version}`
  return load
}

/** A load in the JSON of the command line and of the API. */
export const loadJson = ({ committedAt, ...load }: PastLoad) => ({
  version: load.version,
  committed_at: committedAt,
  seconds: load.seconds,
  actor: load.actor,
  source: load.source,
  rows: load.rows,
  entities: load.entities,
  warnings: load.warnings,
  rejected: load.rejected,
})
