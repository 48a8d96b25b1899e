/** Saves a report to a file that appears whole or not at all. */
import { createHash } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Fetched } from './answers.js'

export interface Saved {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
}

/** How far a report has arrived. */
export type OnBytes = (bytes: number, of: number | undefined) => void

/** Begins again as often as `tries` says if the connection is lost in the middle. */
export async function save(
  fetch: () => Promise<Fetched>,
  pathFor: (fetched: Fetched) => string,
  { onBytes = () => {}, tries = 3 }: { onBytes?: OnBytes; tries?: number } = {},
): Promise<Saved & { readonly fetched: Fetched }> {
  for (let attempt = 1; ; attempt++) {
    const fetched = await fetch()
    const path = pathFor(fetched)
    try {
      return { ...(await writeWhole(fetched, path, onBytes)), fetched }
    } catch (error) {
      // An error of the file system has a system call; what is left is the connection.
      if ((error as NodeJS.ErrnoException).syscall !== undefined || attempt >= tries) throw error
    }
  }
}

async function writeWhole({ bytes, length }: Fetched, path: string, onBytes: OnBytes): Promise<Saved> {
  const part = join(dirname(path), `.${basename(path)}.${process.pid}.part`)
  const file = await open(part, 'w', 0o666)
  const hash = createHash('sha256')
  let size = 0
  try {
    for await (const piece of bytes) {
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
