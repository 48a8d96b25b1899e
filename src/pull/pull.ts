/** One pull: all rows of a source into the loader, and rows that the source no longer has out of the database. */
import type { Database } from '../db/connect.js'
import { inWords } from '../errors.js'
import { type LoadOptions, type LoadResult, load } from '../import/pipeline/load.js'
import { problemLine } from '../import/pipeline/problems.js'
import { type Failure, notePull } from '../store/pulls.js'
import type { Origin } from './origin.js'
import { SourceError } from './source.js'

export interface PullOptions extends Pick<LoadOptions, 'dryRun' | 'onProgress'> {
  /** Ends the pull; nothing is stored then. */
  readonly signal?: AbortSignal
}

/** The caller holds `lockLoads`. What became of the pull is noted, unless it is a dry run. */
export async function pull(database: Database, origin: Origin, options: PullOptions = {}): Promise<LoadResult> {
  const note = async (failed?: { failure: Failure; error: string }) => {
    if (options.dryRun || options.signal?.aborted) return
    const about = { connector: origin.name, source: origin.description, ...(failed && { failed }) }
    await notePull(database.db, about)
  }
  let result: LoadResult
  try {
    result = await loadAll(database, origin, options)
  } catch (error) {
    const failure = error instanceof SourceError ? 'source' : 'load'
    await note({ failure, error: inWords(error).split('\n')[0] as string }).catch(() => {}) // the first error says more
    throw error
  }
  const { count, first } = result.errors
  const errors = `${count} ${count === 1 ? 'error' : 'errors'}, the first: ${first[0] && problemLine(first[0])}`
  await note(count > 0 ? { failure: 'rows', error: errors } : undefined)
  return result
}

async function loadAll(database: Database, origin: Origin, { signal, ...options }: PullOptions): Promise<LoadResult> {
  const { rows, close } = await origin.open(signal)
  try {
    const [stored] = await database.db<{ version: number }[]>`select version::int as version from data_version`
    // Into an empty database there is nothing to remove, and a load that removes nothing is faster.
    const replace = stored?.version === 0 ? [] : rows.parts.map(({ entity }) => entity.name)
    return await load(database, rows, { ...options, replace })
  } finally {
    await close().catch(() => {})
  }
}
