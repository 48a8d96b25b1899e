/**
 * Files of records. A file holds the records' JSON texts joined by commas, then the offset of each record, then a footer of
 * three numbers: the bytes of the texts, the records in this file, and the records of the whole report. A page is one
 * contiguous slice.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { NO_TEXTS, type Texts } from '../db/texts.js'
import { Problem } from '../errors.js'

const NUMBER_BYTES = Float64Array.BYTES_PER_ELEMENT
const COMMA_BYTES = 1
const COMMA = Buffer.from(',')
const CHUNK_BYTES = 1 << 18
const RUN_RECORDS = 2000
/** An answer up to this size is kept in memory; a larger one is sent from its file. */
export const LARGEST_IN_MEMORY = 1 << 20

/** Writes records as they arrive; keeps only eight bytes of each in memory. */
export async function writeRecords(
  file: FileHandle,
  pieces: AsyncIterable<Texts> | Iterable<Texts>,
  { total, growing }: { total?: number; growing?: Growing } = {},
): Promise<void> {
  await file.truncate(0) // an earlier attempt on another database may have written records
  const offsets: Buffer[] = []
  let count = 0
  let textBytes = 0
  try {
    for await (const { bytes, starts } of pieces) {
      offsets.push(bytesOf(starts))
      count += starts.length
      textBytes += bytes.length
      await writeAll(file, bytes)
      growing?.add(starts)
    }
  } finally {
    growing?.end()
  }
  const footer = Float64Array.of(textBytes, count, total ?? count)
  for (const bytes of [...offsets, bytesOf(footer)]) await writeAll(file, bytes)
}

/** Records in memory; throws if they have more bytes than `most`. */
export async function collectRecords(pieces: AsyncIterable<Texts>, most: number): Promise<Texts> {
  const [texts, starts]: [Buffer[], Float64Array[]] = [[], []]
  let size = 0
  for await (const piece of pieces) {
    size += piece.bytes.length
    if (size > most)
      throw new Problem('unavailable', {
        detail:
          'The disk for computed reports is full, and this report is too large to compute in memory; ask for a shorter period, or tell the operator.',
        headers: { 'retry-after': '60' },
        cause: new Error(`a report has more than ${most} bytes and cannot be written to disk`),
      })
    texts.push(piece.bytes)
    starts.push(piece.starts)
  }
  return { bytes: Buffer.concat(texts), starts: concat(starts) }
}

function concat(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** At most `count` records, from `first` on. */
export function cut({ bytes, starts }: Texts, first: number, count: number): Texts {
  const some = starts.subarray(first, first + count)
  const from = some[0]
  if (from === undefined) return NO_TEXTS
  const next = starts[first + some.length]
  const to = next === undefined ? bytes.length : next - COMMA_BYTES
  return { bytes: bytes.subarray(from, to), starts: some.map((start) => start - from) }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float64Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength)

export async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; ) done += (await file.write(bytes, done)).bytesWritten
}

/** A file that is being written: its records so far can be read. */
export class Growing {
  readonly #file: FileHandle
  /** The offsets of records, in runs, each with the number of records before it. */
  readonly #runs: { readonly before: number; readonly starts: Float64Array }[] = []
  #count = 0
  #ended = false
  /** Readers who wait until the file has grown or ended. */
  readonly #waiting: (() => void)[] = []

  constructor(file: FileHandle) {
    this.#file = file
  }

  /** Adds records that begin in the written bytes; the last one may not be complete yet. */
  add(starts: Float64Array): void {
    if (starts.length > 0) this.#runs.push({ before: this.#count, starts })
    this.#count += starts.length
    this.#wake()
  }

  get hasEnded(): boolean {
    return this.#ended
  }

  /** Call this before the file is closed. */
  end(): void {
    this.#ended = true
    this.#wake()
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake()
  }

  /**
   * Records from `first` on. Waits for them if the file has grown up to the first one; undefined if it has not, or if writing
   * has ended.
   */
  async read(first: number, count: number): Promise<Texts | undefined> {
    while (!this.#ended && first < this.#count && this.#count <= first + count)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    if (this.#ended || count === 0 || first >= this.#count) return undefined
    const starts = Float64Array.from({ length: count + 1 }, (_, i) => this.#start(first + i))
    const from = starts[0] as number
    const bytes = await readAt(this.#file, from, (starts[count] as number) - COMMA_BYTES - from).catch((error) => {
      if (this.#ended) return undefined // another attempt may have truncated the file
      throw error
    })
    return bytes && { bytes, starts: starts.subarray(0, count).map((start) => start - from) }
  }

  #start(record: number): number {
    let [low, high] = [0, this.#runs.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#runs[middle]?.before ?? 0) <= record) low = middle
      else high = middle - 1
    }
    const run = this.#runs[low]
    return run?.starts[record - run.before] as number
  }
}

/** Some records of a file. */
export interface Slice {
  /** Records of the whole report. */
  readonly total: number
  /** These records. */
  readonly count: number
  /** Bytes of the texts, joined by commas. */
  readonly size: number
  /** Undefined if they are larger than the caller accepts. */
  readonly texts: Texts | undefined
}

export const sliceOf = (texts: Texts, total: number): Slice => ({
  ...{ total, count: texts.starts.length, size: texts.bytes.length, texts },
})

/** Texts of records in runs, as pieces for a file. */
export async function* joinRuns(
  runs: AsyncIterable<readonly Buffer[]> | Iterable<readonly Buffer[]>,
): AsyncGenerator<Texts> {
  let at = 0
  for await (const run of runs) {
    const parts: Buffer[] = []
    const starts = new Float64Array(run.length)
    for (const [i, text] of run.entries()) {
      if (at > 0) parts.push(COMMA)
      starts[i] = at > 0 ? at + COMMA_BYTES : at
      at = (starts[i] as number) + text.length
      parts.push(text)
    }
    if (run.length > 0) yield { bytes: Buffer.concat(parts), starts }
  }
}

/** The text of each record. */
export const split = ({ bytes, starts }: Texts): Buffer[] =>
  Array.from(starts, (start, i) => bytes.subarray(start, (starts[i + 1] ?? bytes.length + COMMA_BYTES) - COMMA_BYTES))

/** Reads records from `first` (from 0) on; undefined if the file is gone. Texts larger than `most` are not read. */
export async function readRecords(
  path: string,
  first: number,
  count: number,
  most = Number.POSITIVE_INFINITY,
): Promise<Slice | undefined> {
  const file = await openIfThere(path)
  if (file === undefined) return undefined
  try {
    const footer = await readFooter(file)
    if (first === 0 && count >= footer.count && footer.textBytes > most)
      return { total: footer.total, count: footer.count, size: footer.textBytes, texts: undefined }
    const texts = await readTexts(file, footer, first, count)
    return { total: footer.total, count: texts.starts.length, size: texts.bytes.length, texts }
  } finally {
    await file.close()
  }
}

/** All records of a file that has some, joined by commas. */
export async function* streamJoined(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, 'r')
  try {
    const { textBytes } = await readFooter(file)
    yield* file.createReadStream({ start: 0, end: textBytes - 1, highWaterMark: CHUNK_BYTES, autoClose: false })
  } finally {
    await file.close()
  }
}

/** The text of each record of a file, or of some from `first` on, in runs of bounded length. */
export async function* streamRecords(
  path: string,
  first = 0,
  count = Number.POSITIVE_INFINITY,
): AsyncGenerator<Buffer[]> {
  const file = await open(path, 'r')
  try {
    const footer = await readFooter(file)
    const end = Math.min(first + count, footer.count)
    for (let at = first; at < end; at += RUN_RECORDS)
      yield split(await readTexts(file, footer, at, Math.min(RUN_RECORDS, end - at)))
  } finally {
    await file.close()
  }
}

async function readTexts(file: FileHandle, footer: Footer, first: number, count: number): Promise<Texts> {
  const some = Math.max(0, Math.min(count, footer.count - first))
  if (some === 0) return NO_TEXTS
  const isLast = first + some === footer.count
  const offsets = await readNumbers(file, footer.textBytes + first * NUMBER_BYTES, isLast ? some : some + 1)
  const from = offsets[0] as number
  const to = isLast ? footer.textBytes : (offsets[some] as number) - COMMA_BYTES
  return {
    bytes: await readAt(file, from, to - from),
    starts: offsets.subarray(0, some).map((offset) => offset - from),
  }
}

const openIfThere = (path: string): Promise<FileHandle | undefined> =>
  open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  await readInto(bytes, file, at)
  return bytes
}

async function readNumbers(file: FileHandle, at: number, count: number): Promise<Float64Array> {
  const numbers = new Float64Array(count)
  await readInto(bytesOf(numbers), file, at)
  return numbers
}

async function readInto(bytes: Buffer, file: FileHandle, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, done, bytes.length - done, at + done)
    if (bytesRead === 0) throw new Error('a snapshot file is truncated')
    done += bytesRead
  }
}

interface Footer {
  readonly textBytes: number
  /** Records in the file. */
  readonly count: number
  /** Records of the whole report. */
  readonly total: number
}

async function readFooter(file: FileHandle): Promise<Footer> {
  const { size } = await file.stat()
  const [textBytes = 0, count = 0, total = 0] = await readNumbers(file, size - 3 * NUMBER_BYTES, 3)
  return { textBytes, count, total }
}
