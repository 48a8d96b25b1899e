/** Stages the parts of a source that are read, while the caller may already merge complete parts. */
import type { Db } from '../../db/connect.js'
import { stagedRows } from '../checks.js'
import type { ReadPart } from '../known/reading.js'
import type { Part, Source } from '../source.js'
import type { Problems } from './problems.js'
import type { Rejects } from './rejects.js'
import { prepareStaging, type Staged, type Stager, stagerFor } from './stage.js'

export interface Staging {
  /** Resolves when all rows of a part are in its staging table. */
  staged(part: Part): Promise<Staged>
  /** Resolves when the source has been read to its end. */
  readonly read: Promise<void>
  /** Reads no further. */
  stop(): Promise<void>
}

/**
 * Adds errors in single cells to `problems`, or to `rejects`. `onRows` gets the part, its new rows and how much is done, from 0 to 1. A
 * `replaced` part that lacks stored rows and a part with a repeated key are staged with all their rows.
 */
export async function stageAll(
  db: Db,
  source: Source,
  read: readonly ReadPart[],
  replaced: ReadonlySet<string>,
  problems: Problems,
  onRows: (part: Part, rows: number, done: number) => void,
  rejects?: Rejects,
): Promise<Staging> {
  const parts = read.map(({ part }) => part)
  await prepareStaging(
    db,
    parts.map(({ entity }) => entity),
  )
  const stagers = new Map(
    read.map(({ part, hashes, compare }) => [
      part,
      stagerFor(db, part, problems, (key, row) => hashes.see(key, row) === 'stored' && compare, rejects),
    ]),
  )
  const stagerOf = (part: Part) => stagers.get(part) as Stager
  const ends = new Map(parts.map((part) => [part, pending<Staged>()]))
  let stopped = false

  /** Stages every row of a part, after some were skipped. */
  const stageAgain = async ({ part, hashes }: ReadPart): Promise<Staged> => {
    await db.unsafe(`truncate ${stagedRows(part.entity.name).text}`)
    hashes.rewind()
    const seen = (key: string, row: string) => {
      hashes.see(key, row)
      return false
    }
    const stager = stagerFor(db, part, problems, seen, rejects)
    for await (const { header, rows } of source.chunks([part])) {
      if (header !== undefined) stager.header(header)
      await stager.add(rows)
    }
    return await stager.end()
  }
  const end = async (part: Part) => {
    const about = read.find((one) => one.part === part) as ReadPart
    const { hashes, compare } = about
    const staged = await stagerOf(part).end()
    const needsAll =
      compare && (hashes.repeated || hashes.tooMany || (replaced.has(part.entity.name) && hashes.unseen > 0))
    ends.get(part)?.resolve(needsAll && problems.count === 0 ? await stageAgain(about) : staged)
  }
  const readAll = async () => {
    const open = new Set(parts)
    for await (const { part, header, rows, last, done } of source.chunks(parts)) {
      if (stopped) return
      if (header !== undefined) stagerOf(part).header(header)
      await stagerOf(part).add(rows)
      if (last) {
        open.delete(part)
        await end(part)
      }
      onRows(part, rows.length, done)
    }
    for (const part of open) await end(part)
  }
  const reading = readAll()
  reading.catch(() => {}) // the load awaits it too, and reports the error
  const staged = async (part: Part) => await (ends.get(part)?.promise as Promise<Staged>)
  return {
    read: reading,
    staged: (part) => Promise.race([staged(part), reading.then(() => staged(part))]),
    stop: async () => {
      stopped = true
      await reading.catch(() => {})
    },
  }
}

function pending<T>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((resolved) => {
    resolve = resolved
  })
  return { promise, resolve: (value) => resolve(value) }
}
