/** Reads the entries of a ZIP file (APPNOTE 6.3.10, without ZIP64 and encryption), each as a stream of text. */
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { createInflateRaw } from 'node:zlib'

export interface Zip {
  readonly names: readonly string[]
  /** The text of an entry in pieces; nothing if there is no such entry. */
  text(name: string): AsyncGenerator<string>
}

interface Entry {
  readonly offset: number
  readonly packed: number
  readonly method: number
}

const END = 0x06054b50
const ENTRY = 0x02014b50
/** The end record is followed by a comment of at most 64 KB. */
const LONGEST_END = 22 + 65_535

export async function openZip(file: string): Promise<Zip> {
  const handle = await open(file)
  try {
    const entries = await readEntries(handle)
    return { names: [...entries.keys()], text: (name) => textOf(file, entries.get(name)) }
  } finally {
    await handle.close()
  }
}

async function readEntries(handle: FileHandle): Promise<Map<string, Entry>> {
  const { size } = await handle.stat()
  const tail = await read(handle, Math.max(0, size - LONGEST_END), Math.min(size, LONGEST_END))
  let end = tail.length - 22
  while (end >= 0 && tail.readUInt32LE(end) !== END) end--
  if (end < 0) throw new Error('it is no XLSX file')
  const directory = await read(handle, tail.readUInt32LE(end + 16), tail.readUInt32LE(end + 12))
  const entries = new Map<string, Entry>()
  for (let at = 0; at + 46 <= directory.length && directory.readUInt32LE(at) === ENTRY; ) {
    const [name, extra, comment] = [28, 30, 32].map((place) => directory.readUInt16LE(at + place)) as [
      number,
      number,
      number,
    ]
    const [packed, local] = [directory.readUInt32LE(at + 20), directory.readUInt32LE(at + 42)]
    const header = await read(handle, local, 30)
    const offset = local + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
    const method = directory.readUInt16LE(at + 10)
    entries.set(directory.toString('utf8', at + 46, at + 46 + name), { offset, packed, method })
    at += 46 + name + extra + comment
  }
  return entries
}

async function read(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await handle.read(buffer, 0, length, position)
  if (bytesRead < length) throw new Error('the file is cut off')
  return buffer
}

async function* textOf(file: string, entry: Entry | undefined): AsyncGenerator<string> {
  if (entry === undefined || entry.packed === 0) return
  const { offset, packed, method } = entry
  if (method !== 0 && method !== 8) throw new Error(`it is compressed by a method that is not supported (${method})`)
  const bytes = createReadStream(file, { start: offset, end: offset + packed - 1 })
  const inflate = createInflateRaw()
  bytes.once('error', (error) => inflate.destroy(error))
  const decoder = new TextDecoder()
  for await (const chunk of method === 0 ? bytes : bytes.pipe(inflate)) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}
