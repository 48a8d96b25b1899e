/**
 * A ZIP archive as a stream, so that no part has to fit into memory: fflate writes the container, and Node's zlib compresses, because
 * fflate takes three times as long (docs/decisions/0033).
 */
import { Readable } from 'node:stream'
import { crc32, createDeflateRaw } from 'node:zlib'
import { Zip, type ZipInputFile } from 'fflate'

export interface Part {
  readonly name: string
  readonly bytes: AsyncIterable<Buffer> | Iterable<Buffer>
}

const DEFLATE = 8
/** A fixed date, so that the same parts give the same bytes. */
const MODIFIED = new Date(1980, 0, 1)
/** fflate writes sizes as 32 bits and does not check for larger ones. */
const LARGEST = 0xffffffff

export async function* zip(parts: Iterable<Part>, level = 4): AsyncGenerator<Buffer> {
  const written: Buffer[] = []
  let size = 0
  const archive = new Zip((error, piece) => {
    if (error) throw error
    size += piece.length
    written.push(Buffer.from(piece.buffer, piece.byteOffset, piece.length))
  })
  for (const { name, bytes } of parts) {
    const part: ZipInputFile = { filename: name, compression: DEFLATE, mtime: MODIFIED, crc: 0, size: 0 }
    archive.add(part)
    const counted = async function* () {
      for await (const piece of bytes) {
        part.crc = crc32(piece, part.crc)
        part.size += piece.length
        yield piece
      }
    }
    for await (const piece of Readable.from(counted(), { objectMode: false }).compose(
      createDeflateRaw({ level, chunkSize: 1 << 16 }),
    ) as AsyncIterable<Buffer>) {
      part.ondata?.(null, piece as Uint8Array<ArrayBuffer>, false)
      yield* written.splice(0)
    }
    if (Math.max(part.size, size) > LARGEST) throw new Error('a part of the archive is larger than 4 GiB')
    part.ondata?.(null, new Uint8Array(), true)
  }
  archive.end()
  yield* written
}
