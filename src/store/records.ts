/**
 * Files of records. A file holds the records' JSON texts joined by commas, then the offset of each record, then a footer of
 * three numbers: the bytes of the texts, the records in this file, and the records of the whole report. A page is one
 * contiguous slice.
 */
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

const NUMBER_BYTES = 8
const FOOTER_BYTES = 3 * NUMBER_BYTES
const COMMA = Buffer.from(',')
const CHUNK_BYTES = 1 << 18
const RUN_RECORDS = 2000

/** Writes records as they arrive; keeps only eight bytes of each in memory. */
export async function writeRecords(
  file: FileHandle,
  runs: AsyncIterable<readonly Buffer[]> | Iterable<readonly Buffer[]>,
  totalOf: (count: number) => number = (count) => count,
): Promise<void> {
  const offsets: Buffer[] = []
  let count = 0
  let at = 0
  for await (const records of runs) {
    if (records.length === 0) continue
    const starts = Buffer.allocUnsafe(records.length * NUMBER_BYTES)
    const pieces: Buffer[] = []
    for (const [i, record] of records.entries()) {
      if (at > 0) {
        pieces.push(COMMA)
        at += COMMA.length
      }
      starts.writeDoubleLE(at, i * NUMBER_BYTES)
      at += record.length
      pieces.push(record)
    }
    offsets.push(starts)
    count += records.length
    await writeAll(file, Buffer.concat(pieces))
  }
  const footer = Buffer.alloc(FOOTER_BYTES)
  for (const [i, number] of [at, count, totalOf(count)].entries()) footer.writeDoubleLE(number, i * NUMBER_BYTES)
  await writeAll(file, Buffer.concat([...offsets, footer]))
}

export async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; ) done += (await file.write(bytes, done)).bytesWritten
}

/** Some records of a file. */
export interface Slice {
  /** Records of the whole report. */
  readonly total: number
  /** Bytes of the texts, joined by commas. */
  readonly size: number
  /** Undefined if they are larger than the caller takes. */
  readonly texts: Texts | undefined
}

/** Records' texts joined by commas, and where each begins. */
export interface Texts {
  readonly bytes: Buffer
  readonly starts: readonly number[]
}

/** The texts of records in memory, as they would be read from a file. */
export function joinTexts(records: readonly Buffer[]): { readonly size: number; readonly texts: Texts } {
  const starts: number[] = []
  let at = 0
  const pieces = records.flatMap((record, i) => {
    if (i > 0) at += COMMA.length
    starts.push(at)
    at += record.length
    return i > 0 ? [COMMA, record] : [record]
  })
  const bytes = Buffer.concat(pieces)
  return { size: bytes.length, texts: { bytes, starts } }
}

/** The text of each record. */
export const split = ({ bytes, starts }: Texts): Buffer[] =>
  starts.map((start, i) => bytes.subarray(start, (starts[i + 1] ?? bytes.length + COMMA.length) - COMMA.length))

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
      return { total: footer.total, size: footer.textBytes, texts: undefined }
    const texts = await readTexts(file, footer, first, count)
    return { total: footer.total, size: texts.bytes.length, texts }
  } finally {
    await file.close()
  }
}

/** All records of a file that has some, joined by commas. */
export async function* streamJoined(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, 'r')
  const { textBytes } = await readFooter(file)
  yield* createReadStream('', { fd: file, start: 0, end: textBytes - 1, highWaterMark: CHUNK_BYTES }) // closes the file
}

/** The text of each record of a file, in runs of bounded length. */
export async function* streamRecords(path: string): AsyncGenerator<Buffer[]> {
  const file = await open(path, 'r')
  try {
    const footer = await readFooter(file)
    for (let first = 0; first < footer.count; first += RUN_RECORDS)
      yield split(await readTexts(file, footer, first, RUN_RECORDS))
  } finally {
    await file.close()
  }
}

async function readTexts(file: FileHandle, footer: Footer, first: number, count: number): Promise<Texts> {
  const some = Math.max(0, Math.min(count, footer.count - first))
  if (some === 0) return { bytes: Buffer.alloc(0), starts: [] }
  const isLast = first + some === footer.count
  const offsets = await readAt(file, footer.textBytes + first * NUMBER_BYTES, (isLast ? some : some + 1) * NUMBER_BYTES)
  const offset = (i: number) => offsets.readDoubleLE(i * NUMBER_BYTES)
  const from = offset(0)
  const to = isLast ? footer.textBytes : offset(some) - COMMA.length
  return {
    bytes: await readAt(file, from, to - from),
    starts: Array.from({ length: some }, (_, i) => offset(i) - from),
  }
}

const openIfThere = (path: string): Promise<FileHandle | undefined> =>
  open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(bytes, done, length - done, at + done)
    if (bytesRead === 0) throw new Error('a snapshot file is truncated')
    done += bytesRead
  }
  return bytes
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
  const footer = await readAt(file, size - FOOTER_BYTES, FOOTER_BYTES)
  const [textBytes, count, total] = [0, 1, 2].map((i) => footer.readDoubleLE(i * NUMBER_BYTES)) as [
    number,
    number,
    number,
  ]
  return { textBytes, count, total }
}
