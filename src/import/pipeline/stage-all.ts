/** Stages all parts of a source, while the caller may already merge those that are complete. */
import type { Db } from '../../db/connect.js'
import type { Part, Source } from '../source.js'
import type { Problems } from './problems.js'
import { prepareStaging, type Staged, type Stager, stagerFor } from './stage.js'

export interface Staging {
  /** Resolves when all rows of a part are in its staging table. */
  staged(part: Part): Promise<Staged>
  /** Resolves when the source has been read to its end. */
  readonly read: Promise<void>
  /** Reads no further. */
  stop(): Promise<void>
}

/** Adds what is wrong with single cells to `problems`. `onRows` gets the part, its new rows and how much is done, from 0 to 1. */
export async function stageAll(
  db: Db,
  source: Source,
  problems: Problems,
  onRows: (part: Part, rows: number, done: number) => void,
): Promise<Staging> {
  await prepareStaging(
    db,
    source.parts.map(({ entity }) => entity),
  )
  const stagers = new Map(source.parts.map((part) => [part, stagerFor(db, part, problems)]))
  const stagerOf = (part: Part) => stagers.get(part) as Stager
  let stopped = false
  const readAll = async () => {
    const open = new Set(source.parts)
    const end = async (part: Part) => {
      open.delete(part)
      await stagerOf(part).end()
    }
    for await (const { part, header, rows, last, done } of source.chunks()) {
      if (stopped) return
      if (header !== undefined) stagerOf(part).header(header)
      await stagerOf(part).add(rows)
      if (last) await end(part)
      onRows(part, rows.length, done)
    }
    for (const part of open) await end(part)
  }
  const read = readAll()
  read.catch(() => {}) // the load awaits it too, and reports the error
  return {
    read,
    staged: (part) => Promise.race([stagerOf(part).staged, read.then(() => stagerOf(part).staged)]),
    stop: async () => {
      stopped = true
      await read.catch(() => {})
    },
  }
}
