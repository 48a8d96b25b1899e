/** A ZIP archive as a stream: each part is compressed while it is written, so that nothing of it has to fit into memory. */
import { Readable } from 'node:stream'
import { crc32, createDeflateRaw } from 'node:zlib'

export interface Part {
  readonly name: string
  readonly bytes: AsyncIterable<Buffer> | Iterable<Buffer>
}

const [LOCAL, DESCRIPTOR, CENTRAL, END] = [0x04034b50, 0x08074b50, 0x02014b50, 0x06054b50] as const
const VERSION = 20
/** Sizes and checksum come after the bytes of a part; names are UTF-8. */
const FLAGS = 0x0808
const DEFLATE = 8
/** 1980-01-01: the same parts give the same bytes. */
const [TIME, DATE] = [0, 0x21] as const
const LARGEST = 0xffffffff

export async function* zip(parts: Iterable<Part>, level = 4): AsyncGenerator<Buffer> {
  let at = 0
  const directory: Buffer[] = []
  for (const { name, bytes } of parts) {
    const [begun, path] = [at, Buffer.from(name)]
    const head = numbers(
      [4, LOCAL],
      [2, VERSION],
      [2, FLAGS],
      [2, DEFLATE],
      [2, TIME],
      [2, DATE],
      [12, 0],
      [2, path.length],
      [2, 0],
    )
    yield head
    yield path
    at += head.length + path.length
    let [crc, size, packed] = [0, 0, 0]
    const counted = async function* () {
      for await (const piece of bytes) {
        crc = crc32(piece, crc)
        size += piece.length
        yield piece
      }
    }
    for await (const piece of Readable.from(counted(), { objectMode: false }).compose(
      createDeflateRaw({ level, chunkSize: 1 << 16 }),
    ) as AsyncIterable<Buffer>) {
      packed += piece.length
      yield piece
    }
    if (size > LARGEST || at + packed > LARGEST) throw new Error('a part of the archive is larger than 4 GiB')
    const sizes = [
      [4, crc],
      [4, packed],
      [4, size],
    ] as const
    const descriptor = numbers([4, DESCRIPTOR], ...sizes)
    yield descriptor
    at += packed + descriptor.length
    const made = numbers([4, CENTRAL], [2, VERSION], [2, VERSION], [2, FLAGS], [2, DEFLATE], [2, TIME], [2, DATE])
    directory.push(made, numbers(...sizes, [2, path.length], [2, 0], [2, 0], [2, 0], [2, 0], [4, 0], [4, begun]), path)
  }
  const central = Buffer.concat(directory)
  const count = directory.length / 3
  yield central
  yield numbers([4, END], [2, 0], [2, 0], [2, count], [2, count], [4, central.length], [4, at], [2, 0])
}

/** Numbers of so many bytes each, the least significant byte first. */
function numbers(...values: readonly (readonly [bytes: number, value: number])[]): Buffer {
  const all = Buffer.alloc(values.reduce((sum, [bytes]) => sum + bytes, 0))
  let at = 0
  for (const [bytes, value] of values) {
    if (bytes <= 4) all.writeUIntLE(value, at, bytes)
    at += bytes
  }
  return all
}
