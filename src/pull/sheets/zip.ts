/** Reads the entries of a ZIP file, each as a stream of text. */
import { crc32 } from 'node:zlib'
import { type Entry, openPromise, type ZipFile } from 'yauzl'

export interface Zip {
  has(name: string): boolean
  /** The text of an entry in pieces; nothing if there is no such entry. */
  text(name: string): AsyncGenerator<string>
  close(): void
}

export async function openZip(file: string): Promise<Zip> {
  const zip = await openPromise(file, { lazyEntries: true, autoClose: false }).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === undefined ? new Error('it is not an XLSX file', { cause }) : cause
  })
  try {
    const entries = new Map<string, Entry>()
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry)
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
  const decoder = new TextDecoder()
  let crc = 0
  for await (const piece of await zip.openReadStreamPromise(entry)) {
    crc = crc32(piece, crc)
    yield decoder.decode(piece, { stream: true })
  }
  if (crc !== entry.crc32) throw new Error(`the file is damaged: ${entry.fileName} does not match its checksum`)
  yield decoder.decode()
}
