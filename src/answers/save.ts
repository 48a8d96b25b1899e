/** Saves a report to a file that appears whole or not at all. */
import { createHash } from 'node:crypto'
import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { MillbookError } from '../errors.js'
import type { Fetched } from './answers.js'

export interface Saved {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
}

/** Called with the bytes that have arrived, and the size of the whole if it is known. */
export type OnBytes = (bytes: number, of: number | undefined) => void

/** Fetches again if the connection is lost in the middle, up to `tries` times in all. */
export async function save(
  fetch: () => Promise<Fetched>,
  pathFor: (fetched: Fetched) => string,
  { onBytes = () => {}, tries = 3, signal }: { onBytes?: OnBytes; tries?: number; signal?: AbortSignal } = {},
): Promise<Saved & { readonly fetched: Fetched }> {
  for (let attempt = 1; ; attempt++) {
    const fetched = await fetch()
    const path = pathFor(fetched)
    try {
      return { ...(await writeWhole(fetched, await writable(path), onBytes, signal)), fetched }
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof MillbookError) throw error
      // Errors of the file system name a system call; all others are errors of the connection.
      const { syscall, message } = error as NodeJS.ErrnoException
      if (syscall !== undefined) throw new MillbookError(`${path} cannot be written: ${message}`)
      if (attempt >= tries)
        throw new MillbookError(
          `the connection was lost ${tries} times before the whole report had arrived: ${message}`,
        )
    }
  }
}

/** The file behind a symbolic link. Throws for a device or a folder, which a file must not replace. */
async function writable(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return path
  if (!found.isFile()) throw new MillbookError(`${path} is not a file; leave -o out to write to stdout`)
  return await realpath(path)
}

async function writeWhole(
  { bytes, length }: Fetched,
  path: string,
  onBytes: OnBytes,
  signal: AbortSignal | undefined,
): Promise<Saved> {
  const part = join(dirname(path), `.${basename(path)}.${process.pid}.part`)
  const file = await open(part, 'w', 0o666)
  const hash = createHash('sha256')
  let size = 0
  try {
    for await (const piece of untilAborted(bytes, signal)) {
      hash.update(piece)
      await file.writeFile(piece)
      size += piece.length
      onBytes(size, length)
    }
    if (length !== undefined && size !== length) throw new Error(`${size} of ${length} bytes arrived`)
    await file.sync()
    await file.close()
    await rename(part, path)
  } catch (error) {
    await file.close().catch(() => {})
    await rm(part, { force: true })
    throw error
  }
  return { path, bytes: size, sha256: hash.digest('hex') }
}

/** Throws the signal's reason when it is aborted, also while it waits for a piece. */
async function* untilAborted(
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const aborted = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  aborted.catch(() => {})
  const reading = pieces[Symbol.asyncIterator]()
  while (true) {
    signal?.throwIfAborted()
    const { done, value } = await Promise.race([reading.next(), aborted])
    if (done) return
    yield value
  }
}
