/** The outline of a listing: how many records it has, and keys with the number of records before them, at which pages begin. */
import type { FileHandle } from 'node:fs/promises'
import type { Queryable } from '../../db/connect.js'
import type { Texts } from '../../db/texts.js'
import { readRecords, writeRecords } from '../../store/records.js'
import type { Question } from './editions.js'
import { runCount, runCounts, runKeys, type Start } from './statement.js'

/** Records from one key to the next. Usual page sizes are multiples of it, so their pages begin at a known key. */
const STEP = 20
/** The most records that a page may skip from its key on, in a listing that counts its records by the first column of the order. */
const MOST_SKIPPED = 2000
/** How the name of an outline's file ends. */
export const OUTLINE = 'outline'

export async function outlineOf(tx: Queryable, question: Question, signal?: AbortSignal): Promise<Outline> {
  const { report, values, view } = question
  const counts = await runCounts(tx, report, values, view, signal)
  const counted = counts && (await outlineFrom(tx, question, counts))
  return counted !== undefined && counted.mostSkipped <= MOST_SKIPPED
    ? counted
    : await outlineFrom(tx, question, await runKeys(tx, report, values, view, STEP, signal))
}

async function outlineFrom(tx: Queryable, { report, values, view }: Question, keys: Texts): Promise<Outline> {
  const last = entryAt(keys, keys.starts.length - 1)
  const total = last === undefined ? 0 : last.before + (await runCount(tx, report, values, view, last.key))
  return new Outline(total, keys)
}

/** Makes the file of an outline: the keys as records, and the number of all records. */
export async function writeOutline(
  file: FileHandle,
  tx: Queryable,
  question: Question,
  signal?: AbortSignal,
): Promise<void> {
  const { total, keys } = await outlineOf(tx, question, signal)
  await writeRecords(file, [keys], { total })
}

export async function readOutline(path: string): Promise<Outline | undefined> {
  const slice = await readRecords(path, 0, Number.POSITIVE_INFINITY)
  return slice?.texts && new Outline(slice.total, slice.texts)
}

export class Outline {
  readonly total: number
  readonly keys: Texts

  constructor(total: number, keys: Texts) {
    this.total = total
    this.keys = keys
  }

  get bytes(): number {
    return this.keys.bytes.length + this.keys.starts.byteLength
  }

  /** The most records between two keys. */
  get mostSkipped(): number {
    const numbers = Array.from(this.keys.starts, (_, at) => entryAt(this.keys, at)?.before ?? 0)
    return numbers.reduce((most, before, at) => Math.max(most, (numbers[at + 1] ?? this.total) - before), 0)
  }

  /** The start of a page that has `before` records before it. */
  start(before: number): Start {
    let [low, high] = [0, this.keys.starts.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((entryAt(this.keys, middle)?.before ?? 0) <= before) low = middle
      else high = middle - 1
    }
    const entry = entryAt(this.keys, low)
    if (entry === undefined) throw new Error(`the listing has no record after ${before}`)
    return { key: entry.key, skip: before - entry.before }
  }
}

interface Entry {
  readonly before: number
  readonly key: string[]
}

function entryAt({ bytes, starts }: Texts, at: number): Entry | undefined {
  const from = starts[at]
  if (from === undefined) return undefined
  const to = at + 1 < starts.length ? (starts[at + 1] as number) - 1 : bytes.length // without the comma
  const [before, ...key] = JSON.parse(bytes.toString('utf8', from, to)) as unknown[]
  return { before: Number(before), key: key.map(String) }
}
