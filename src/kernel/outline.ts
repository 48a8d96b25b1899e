/** The outline of a listing: how many records it has, and the keys at which pages begin. */
import type { FileHandle } from 'node:fs/promises'
import type { Queryable } from '../db/connect.js'
import { readRecords, type Texts, writeRecords } from '../store/records.js'
import type { Question } from './editions.js'
import { runCount, runKeys, type Start } from './statement.js'

/** Records from one key to the next. Usual page sizes divide it or are multiples of it. */
const STEP = 100

/** Makes the file of an outline: the keys as records, and the number of all records. */
export async function writeOutline(file: FileHandle, tx: Queryable, { report, values }: Question): Promise<void> {
  const keys = await runKeys(tx, report, values, STEP)
  const last = keys.at(-1)
  const total = last === undefined ? 0 : (keys.length - 1) * STEP + (await runCount(tx, report, values, keyOf(last)))
  await writeRecords(file, [keys], () => total)
}

export async function readOutline(path: string): Promise<Outline | undefined> {
  const slice = await readRecords(path, 0, Number.POSITIVE_INFINITY)
  return slice?.texts && new Outline(slice.total, slice.texts)
}

export class Outline {
  readonly total: number
  readonly #keys: Texts

  constructor(total: number, keys: Texts) {
    this.total = total
    this.#keys = keys
  }

  get bytes(): number {
    return this.#keys.bytes.length + this.#keys.starts.length * 8
  }

  /** Where a page begins whose first record is the one after so many. */
  start(before: number): Start {
    const at = Math.floor(before / STEP)
    const { bytes, starts } = this.#keys
    const end = at + 1 < starts.length ? (starts[at + 1] as number) - 1 : bytes.length // without the comma
    return { key: keyOf(bytes.subarray(starts[at], end)), skip: before % STEP }
  }
}

const keyOf = (json: Buffer): string[] => (JSON.parse(String(json)) as unknown[]).map(String)
