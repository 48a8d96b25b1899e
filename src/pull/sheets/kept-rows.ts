/** Keeps the rows of a sheet that several rules read, because parsing takes ten times as long as reading them back. */
import type { SheetRow } from './sheet.js'

/** Of all sheets of a pull, in bytes: 100,000 rows of 8 columns take 15 MB. */
const MOST = 64 * 2 ** 20
const AT_ONCE = 500

export class KeptRows {
  readonly #most: number
  #bytes = 0
  readonly #kept = new Map<string, Buffer[]>()

  constructor(most = MOST) {
    this.#most = most
  }

  /** The rows of the sheet `id`; parses them if they are not kept. Keeps them if they will be read again. */
  async *read(id: string, parse: () => AsyncIterable<SheetRow>, isLast: boolean): AsyncGenerator<SheetRow> {
    const kept = this.#kept.get(id)
    if (kept !== undefined) {
      for (const bytes of kept) yield* rowsIn(bytes)
      if (isLast) this.#drop(id, kept)
      return
    }
    const pieces: Buffer[] = []
    let isKept = !isLast
    let some: SheetRow[] = []
    const keep = () => {
      const bytes = bytesOf(some)
      this.#bytes += bytes.length
      pieces.push(bytes)
      some = []
      if (this.#bytes <= this.#most) return
      isKept = false
      this.#drop(id, pieces)
    }
    for await (const row of parse()) {
      if (isKept) {
        some.push(row)
        if (some.length >= AT_ONCE) keep()
      }
      yield row
    }
    if (isKept) keep()
    if (isKept) this.#kept.set(id, pieces)
  }

  #drop(id: string, pieces: Buffer[]): void {
    this.#bytes -= pieces.reduce((sum, { length }) => sum + length, 0)
    this.#kept.delete(id)
    pieces.length = 0
  }
}

const bytesOf = (rows: readonly SheetRow[]): Buffer =>
  Buffer.from(JSON.stringify(rows.map(({ merged, ...row }) => (merged ? { ...row, merged: [...merged] } : row))))

const rowsIn = (bytes: Buffer): SheetRow[] =>
  (JSON.parse(bytes.toString()) as (Omit<SheetRow, 'merged'> & { merged?: number[] })[]).map(({ merged, ...row }) =>
    merged === undefined ? row : { ...row, merged: new Set(merged) },
  )
