/** The outline of a listing: how many records it has, and the keys at which pages begin. */
import type { FileHandle } from 'node:fs/promises'
import type { Queryable } from '../../db/connect.js'
import type { Texts } from '../../db/texts.js'
import { readRecords, writeRecords } from '../../store/records.js'
import type { Question } from './editions.js'
import { runCount, runKeys, type Start } from './statement.js'

/** Records from one key to the next. Usual page sizes are multiples of it, so their pages begin at a known key. */
const STEP = 20
/** How the name of an outline's file ends. */
export const OUTLINE = `outline-${STEP}`

export async function outlineOf(
  tx: Queryable,
  { report, values, view }: Question,
  signal?: AbortSignal,
): Promise<Outline> {
  const keys = await runKeys(tx, report, values, view, STEP, signal)
  const { length } = keys.starts
  const last = keyAt(keys, length - 1)
  const total = last === undefined ? 0 : (length - 1) * STEP + (await runCount(tx, report, values, view, last))
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

  /** The start of a page that has `before` records before it. */
  start(before: number): Start {
    const key = keyAt(this.keys, Math.floor(before / STEP))
    if (key === undefined) throw new Error(`the listing has no record after ${before}`)
    return { key, skip: before % STEP }
  }
}

function keyAt({ bytes, starts }: Texts, at: number): string[] | undefined {
  const from = starts[at]
  if (from === undefined) return undefined
  const to = at + 1 < starts.length ? (starts[at + 1] as number) - 1 : bytes.length // without the comma
  return (JSON.parse(bytes.toString('utf8', from, to)) as unknown[]).map(String)
}
