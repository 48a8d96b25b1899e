/** Reads a file as UTF-8 text, a piece at a time. */
import { createReadStream } from 'node:fs'
import { MillbookError } from '../../errors.js'

/** In characters: far more than any row needs, and little enough to keep in memory. */
export const LONGEST_ROW = 1 << 20

export interface TextFile {
  file: string
  /** Its name in messages. */
  name: string
  /** The encoding to save it in, for the message if it is not UTF-8. */
  saveAs: string
  /** The current line, for messages. */
  line(): number
  onBytes(bytes: number): void
  bytesAtATime: number | undefined
}

export async function* readText({ file, name, saveAs, line, onBytes, bytesAtATime }: TextFile): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let first: number | undefined
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: bytesAtATime ?? 1 << 15 })) {
      first ??= chunk[0]
      onBytes(chunk.length)
      yield decoder.decode(chunk, { stream: true })
    }
    yield decoder.decode()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error
    // The byte order mark of UTF-16; UTF-8 never begins with these bytes.
    const is = first === 0xff || first === 0xfe ? 'the file is UTF-16' : `after line ${line()}: the file is not UTF-8`
    throw new MillbookError(`${name}: ${is}; save it as ${saveAs}`)
  }
}
