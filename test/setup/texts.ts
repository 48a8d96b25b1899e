/** Converts records' texts between strings and the form that the program uses. */
import type { Texts } from '../../src/db/texts.js'
import { split } from '../../src/store/records.js'

/** All texts of a stream. */
export async function stringsOf(pieces: AsyncIterable<Texts> | Iterable<Texts>): Promise<string[]> {
  const all: Texts[] = []
  for await (const piece of pieces) all.push(piece)
  const bytes = Buffer.concat(all.map((piece) => piece.bytes))
  return split({ bytes, starts: Float64Array.from(all.flatMap(({ starts }) => [...starts])) }).map(String)
}

/** A stream of texts, in pieces of this number of bytes. */
export function piecesOf(texts: readonly string[], pieceBytes: number): Texts[] {
  const joined = Buffer.from(texts.join())
  let next = 0
  const starts = texts.map((text) => {
    const start = next
    next += Buffer.byteLength(text) + 1
    return start
  })
  const count = Math.max(1, Math.ceil(joined.length / pieceBytes))
  return Array.from({ length: count }, (_, i) => {
    const [from, to] = [i * pieceBytes, (i + 1) * pieceBytes]
    return {
      bytes: joined.subarray(from, to),
      starts: Float64Array.from(starts.filter((start) => start >= from && (start < to || i === count - 1))),
    }
  })
}
