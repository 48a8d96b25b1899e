/** Records that are computed once for all callers from other records, and kept beside them. */
import type { Texts } from '../../db/texts.js'
import {
  collectRecords,
  cut,
  LARGEST_IN_MEMORY,
  readRecords,
  type Slice,
  sliceOf,
  writeRecords,
} from '../../store/records.js'
import { isDiskFailure } from '../../store/snapshots.js'
import type { Records } from './answer.js'
import { LARGEST_WITHOUT_FILE } from './wholes.js'

const TRIES = 3

/** A slice of them: from a file, or in memory if the disk cannot be written to. */
export async function part(
  of: Records,
  name: string,
  first: number,
  most: number,
  pieces: () => AsyncIterable<Texts>,
): Promise<Slice> {
  for (let i = 0; i < TRIES; i++)
    try {
      const path = await of.file(name, (file) => writeRecords(file, pieces()))
      const slice = await readRecords(path, first, most, LARGEST_IN_MEMORY)
      if (slice !== undefined) return slice // else a cleanup has just removed it
    } catch (error) {
      if (!isDiskFailure(error)) throw error
      break
    }
  const all = await collectRecords(pieces(), LARGEST_WITHOUT_FILE)
  return sliceOf(cut(all, first, most), all.starts.length)
}
