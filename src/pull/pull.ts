/** One pull: loads all rows of a source, and removes stored rows that the source no longer has. */
import type { Database, Queryable } from '../db/connect.js'
import { inWords, MillbookError } from '../errors.js'
import { type LoadOptions, type LoadResult, load } from '../import/pipeline/load.js'
import { problemLine } from '../import/pipeline/problems.js'
import type { Chunk, Part, Source } from '../import/source.js'
import { type Failure, notePull } from '../store/pulls.js'
import type { Origin } from './origin.js'
import type { Account } from './sheets/account.js'
import { SourceError } from './source.js'

interface ReadOptions {
  /** Read tables that have not changed since the last pull, too. */
  readonly readAll?: boolean
}

export interface PullOptions
  extends Pick<LoadOptions, 'dryRun' | 'onProgress' | 'reject' | 'refuseClosed'>,
    ReadOptions {
  /** Cancels the pull; it then stores nothing. */
  readonly signal?: AbortSignal
  /** Entities whose stored rows the pull may remove if the source has no rows for them. */
  readonly allowEmpty?: readonly string[]
}

export interface PullResult extends LoadResult {
  /** The rows of spreadsheets that were read, used and left out. */
  account?: Account
}

/** The source has no rows of an entity that has stored rows: more often a mistake than a fact. */
class EmptyError extends MillbookError {}

/** The caller holds `lockLoads`. Notes the result of the pull, unless it is a dry run. */
export async function pull(database: Database, origin: Origin, options: PullOptions = {}): Promise<PullResult> {
  const note = async (failed?: { failure: Failure; error: string }, rejected = 0) => {
    if (options.dryRun || options.signal?.aborted) return
    const about = { connector: origin.name, source: origin.description, rejected, ...(failed && { failed }) }
    await notePull(database.db, about)
  }
  let result: PullResult
  try {
    result = await loadAll(database, origin, options)
  } catch (error) {
    const failure = error instanceof SourceError ? 'source' : error instanceof EmptyError ? 'rows' : 'load'
    await note({ failure, error: inWords(error).split('\n')[0] as string }).catch(() => {}) // the first error says more
    throw error
  }
  const { count, first } = result.errors
  const errors = `${count} ${count === 1 ? 'error' : 'errors'}, the first: ${first[0] && problemLine(first[0])}`
  if (count > 0) await note({ failure: 'rows', error: errors })
  else await note(undefined, result.rejected?.count)
  return result
}

async function loadAll(
  database: Database,
  origin: Origin,
  { signal, allowEmpty = [], readAll = false, ...options }: PullOptions,
): Promise<PullResult> {
  const { rows, close, account, complete = true } = await origin.open(signal, database)
  try {
    const [stored] = await database.db<{ version: number }[]>`select version::int as version from data_version`
    // An empty database has nothing to remove, and a load that removes nothing is faster.
    const replace = stored?.version === 0 || !complete ? [] : rows.parts.map(({ entity }) => entity.name)
    const source = complete ? await withoutLoss(database.db, rows, allowEmpty) : rows
    const result = await load(database, source, { ...options, replace, incremental: !readAll })
    return account === undefined ? result : { ...result, account: account() }
  } finally {
    await close().catch(() => {})
  }
}

/** The same rows; fails at the end of an entity that has stored rows but none in the source. */
async function withoutLoss(db: Queryable, rows: Source, allowEmpty: readonly string[]): Promise<Source> {
  const filled = new Set<Part>()
  for (const part of rows.parts) {
    if (allowEmpty.includes(part.entity.name)) continue
    const found = await db.unsafe(`select from ${part.entity.table} limit 1`)
    if (found.length > 0) filled.add(part)
  }
  async function* chunks(of?: readonly Part[]): AsyncGenerator<Chunk> {
    for await (const chunk of rows.chunks(of)) {
      if (chunk.rows.length > 0) filled.delete(chunk.part)
      if (chunk.last && filled.has(chunk.part)) {
        const { name } = chunk.part.entity
        throw new EmptyError(
          `the source has no rows of ${name}, but there are stored ones; nothing was changed. To remove the stored rows, pull with --allow-empty ${name}`,
        )
      }
      yield chunk
    }
  }
  return { ...rows, chunks }
}
