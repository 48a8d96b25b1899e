/** Saves a report to a file that appears whole or not at all. */
import { createHash } from 'node:crypto'
import { realpath, stat } from 'node:fs/promises'
import { writeWhole } from '../client/save.js'
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
      return { ...(await write(fetched, await writable(path), onBytes, signal)), fetched }
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

async function write(
  { bytes, length }: Fetched,
  path: string,
  onBytes: OnBytes,
  signal: AbortSignal | undefined,
): Promise<Saved> {
  const hash = createHash('sha256')
  let size = 0
  await writeWhole(path, untilAborted(bytes, signal), length, (piece) => {
    hash.update(piece)
    size += piece.length
    onBytes(size, length)
  })
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
