/** The rows of a table as hashes of their keys and contents: a load compares them with the rows of a file to skip stored ones. */
import { hash } from 'node:crypto'

/** Two words of the key's hash and two of the row's. */
const WORDS = 4
export const BYTES = WORDS * 4

/** The number of parts that the hashes are stored in, by the first bits of the key's hash. */
const PARTS = 64

/** The most hashes that are kept. If a table has more rows, a load stages all rows of a changed file. */
const MOST = 2_000_000

/** How a row of the file compares with the stored rows and with earlier rows of the file. */
export type Seen = 'stored' | 'changed' | 'new' | 'repeated'

/** An open hash table in typed arrays: about 30 bytes a row. */
export class RowHashes {
  #words: Uint32Array
  /** By row: whether the file being read has its key. */
  #seen: Uint8Array
  /** By the key's hash: the number of the row, from 1. */
  #slots: Int32Array
  #count = 0
  #seenCount = 0
  #repeated = false
  #tooMany = false
  readonly #changedParts = new Set<number>()

  /** `stored` holds parts as `changedParts` returned them. */
  constructor(stored: readonly Buffer[] = []) {
    const rows = stored.reduce((sum, part) => sum + part.length, 0) / BYTES
    const room = Math.max(64, 2 ** Math.ceil(Math.log2(rows + 1)))
    this.#words = new Uint32Array(room * WORDS)
    this.#seen = new Uint8Array(room)
    this.#slots = new Int32Array(room * 2)
    for (const part of stored)
      for (let at = 0; at < part.length; at += BYTES) {
        const word = (i: number) => part.readUInt32LE(at + i * 4)
        this.#add(this.#slotOf(word(0), word(1)), word(0), word(1), word(2), word(3))
      }
    this.#changedParts.clear()
  }

  get count(): number {
    return this.#count
  }

  /** How many of the rows the file being read does not have. */
  get unseen(): number {
    return this.#count - this.#seenCount
  }

  /** Whether the file being read has a key twice. */
  get repeated(): boolean {
    return this.#repeated
  }

  /** Whether there are more rows than the `MOST` hashes that are kept. */
  get tooMany(): boolean {
    return this.#tooMany
  }

  /** Notes a row of the file being read; from then on, it counts as stored. */
  see(key: string, row: string): Seen {
    if (this.#tooMany) return 'new'
    if (this.#count === MOST) {
      this.#giveUp()
      return 'new'
    }
    const ofKey = hash('sha256', key, 'binary')
    const ofRow = hash('sha256', row, 'binary')
    const [k0, k1, r0, r1] = [word(ofKey, 0), word(ofKey, 1), word(ofRow, 0), word(ofRow, 1)]
    const slot = this.#slotOf(k0, k1)
    const number = this.#slots[slot] as number
    if (number === 0) {
      this.#seen[this.#add(slot, k0, k1, r0, r1)] = 1
      this.#seenCount++
      return 'new'
    }
    if (this.#seen[number - 1] === 1) {
      this.#repeated = true
      return 'repeated'
    }
    this.#seen[number - 1] = 1
    this.#seenCount++
    const at = (number - 1) * WORDS
    if (this.#words[at + 2] === r0 && this.#words[at + 3] === r1) return 'stored'
    this.#words[at + 2] = r0
    this.#words[at + 3] = r1
    this.#changedParts.add(k0 % PARTS)
    return 'changed'
  }

  /** To be called before the same file is read again. */
  rewind(): void {
    this.#seen.fill(0)
    this.#seenCount = 0
    this.#repeated = false
  }

  /** Only the hashes of the file that was read. */
  seenOnly(): RowHashes {
    const bytes: Buffer[] = []
    for (let row = 0; row < this.#count; row++) if (this.#seen[row] === 1) bytes.push(this.#bytesOf(row))
    const kept = new RowHashes(bytes)
    for (let part = 0; part < PARTS; part++) kept.#changedParts.add(part)
    return kept
  }

  /** The parts that changed since they were stored, by number; an empty one has no rows any more. */
  changedParts(): Map<number, Buffer> {
    const rows = new Map<number, Buffer[]>([...this.#changedParts].map((part) => [part, []]))
    for (let row = 0; row < this.#count; row++)
      rows.get((this.#words[row * WORDS] as number) % PARTS)?.push(this.#bytesOf(row))
    return new Map([...rows].map(([part, list]) => [part, Buffer.concat(list)]))
  }

  #giveUp(): void {
    this.#tooMany = true
    this.#count = 0
    this.#seenCount = 0
    this.#words = new Uint32Array()
    this.#seen = new Uint8Array()
    this.#slots = new Int32Array()
    for (let part = 0; part < PARTS; part++) this.#changedParts.add(part)
  }

  #bytesOf(row: number): Buffer {
    const bytes = Buffer.allocUnsafe(BYTES)
    for (let i = 0; i < WORDS; i++) bytes.writeUInt32LE(this.#words[row * WORDS + i] as number, i * 4)
    return bytes
  }

  /** Where the key stands in the table, or where there is room for it. */
  #slotOf(k0: number, k1: number): number {
    const mask = this.#slots.length - 1
    for (let slot = k1 & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot] as number
      if (number === 0) return slot
      const at = (number - 1) * WORDS
      if (this.#words[at] === k0 && this.#words[at + 1] === k1) return slot
    }
  }

  /** Returns the place of the row. */
  #add(slot: number, k0: number, k1: number, r0: number, r1: number): number {
    const row = this.#count++
    this.#words.set([k0, k1, r0, r1], row * WORDS)
    this.#slots[slot] = row + 1
    this.#changedParts.add(k0 % PARTS)
    if (this.#count === this.#seen.length) this.#grow()
    return row
  }

  #grow(): void {
    const room = this.#seen.length * 2
    const grown = <A extends Uint32Array | Uint8Array>(to: A, from: A): A => {
      to.set(from)
      return to
    }
    this.#words = grown(new Uint32Array(room * WORDS), this.#words)
    this.#seen = grown(new Uint8Array(room), this.#seen)
    this.#slots = new Int32Array(room * 2)
    for (let row = 0; row < this.#count; row++) {
      const at = row * WORDS
      this.#slots[this.#slotOf(this.#words[at] as number, this.#words[at + 1] as number)] = row + 1
    }
  }
}

/** The little-endian word of a hash, which is a text with a character per byte: Node makes such a text in a third of a buffer's time. */
const word = (hashed: string, i: number): number => {
  const byte = (at: number) => hashed.charCodeAt(i * 4 + at)
  return (byte(0) | (byte(1) << 8) | (byte(2) << 16) | (byte(3) << 24)) >>> 0
}
