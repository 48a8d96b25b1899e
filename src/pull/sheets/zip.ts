/** Reads the entries of a ZIP file, each as a stream of text. */
import { crc32 } from 'node:zlib'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { OverLimit } from './limits.js'

export interface Zip {
  has(name: string): boolean
  /** The text of an entry in pieces; nothing if there is no such entry. */
  text(name: string): AsyncGenerator<string>
  close(): void
}

const MOST_ENTRIES = 10_000
const MB = 2 ** 20
/** Sheets shrink to a tenth; a thousandth is possible only for text that repeats itself without end. */
const LARGE = 100 * MB
const MOST_TIMES = 250
const LARGEST = 4096 * MB

/** `kind` names the expected kind of file in messages. */
export async function openZip(file: string, kind: string): Promise<Zip> {
  const zip = await openPromise(file, { lazyEntries: true, autoClose: false }).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === undefined ? new Error(`it is not an ${kind} file`, { cause }) : cause
  })
  try {
    if (zip.entryCount > MOST_ENTRIES) throw new OverLimit(`it has ${zip.entryCount} parts`)
    const entries = new Map<string, Entry>()
    for await (const entry of zip.eachEntry()) {
      if (entries.has(entry.fileName)) throw new Error(`the file is damaged: it has the part ${entry.fileName} twice`)
      entries.set(entry.fileName, entry)
    }
    return {
      has: (name) => entries.has(name),
      text: (name) => textOf(zip, entries.get(name)),
      close: () => zip.close(),
    }
  } catch (error) {
    zip.close()
    throw error
  }
}

/** yauzl compares the sizes, but not the checksum. */
async function* textOf(zip: ZipFile, entry: Entry | undefined): AsyncGenerator<string> {
  if (entry === undefined) return
  const { fileName, uncompressedSize: size, compressedSize } = entry
  if (size > LARGEST || (size > LARGE && size > MOST_TIMES * compressedSize))
    throw new OverLimit(
      `its ${fileName} unpacks from ${Math.ceil(compressedSize / MB)} MB to ${Math.ceil(size / MB)} MB`,
    )
  if (entry.isEncrypted())
    throw new Error('it is protected by a password: open it in a spreadsheet program, and save it without one')
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let crc = 0
  for await (const piece of await zip.openReadStreamPromise(entry)) {
    crc = crc32(piece, crc)
    yield decode(piece)
  }
  if (crc !== entry.crc32) throw new Error(`the file is damaged: ${fileName} does not match its checksum`)
  yield decode()

  function decode(piece?: Buffer): string {
    try {
      return decoder.decode(piece, { stream: piece !== undefined })
    } catch {
      throw new Error(`the file is damaged: ${fileName} is not UTF-8`)
    }
  }
}
