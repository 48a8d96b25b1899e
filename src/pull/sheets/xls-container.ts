/** Takes the stream of the workbook out of a compound file (MS-CFB). A truncated or twisted file is refused. */

const END = 0xff_ff_ff_fe
const ENTRY = 128

export const damaged = (what: string): Error => new Error(`the file is damaged: ${what}`)

/** `file` itself, if it is the stream without a container. */
export function workbookStream(file: Buffer): Buffer {
  if (file.readUInt32BE(0) !== 0xd0_cf_11_e0) return file
  if (file.length < 512) throw damaged('it ends in its header')
  const container = new Container(file)
  const names = container.rootEntries()
  if (names.has('ENCRYPTEDPACKAGE') || names.has('ENCRYPTION'))
    throw new Error('it is protected by a password: open it in a spreadsheet program, and save it without one')
  const found = names.get('WORKBOOK') ?? names.get('BOOK')
  if (found === undefined) throw new Error('it is not an .xls file: it has no workbook')
  return container.stream(found)
}

interface StreamEntry {
  readonly start: number
  readonly size: number
}

class Container {
  readonly #file: Buffer
  readonly #sector: number
  readonly #count: number
  readonly #fat: number[] = []
  readonly #directory: Buffer

  constructor(file: Buffer) {
    this.#file = file
    const shift = file.readUInt16LE(30)
    if (shift !== 9 && shift !== 12) throw damaged('its header is wrong')
    this.#sector = 2 ** shift
    this.#count = Math.ceil(file.length / this.#sector) - 1
    this.#readFat()
    this.#directory = this.#chain(file.readUInt32LE(48), this.#fat)
  }

  #at(sector: number): Buffer {
    if (sector >= this.#count) throw damaged('it is not complete')
    return this.#file.subarray((sector + 1) * this.#sector, (sector + 2) * this.#sector)
  }

  #readFat(): void {
    const sectors: number[] = []
    for (let i = 0; i < 109; i++) sectors.push(this.#file.readUInt32LE(76 + 4 * i))
    let next = this.#file.readUInt32LE(68)
    for (let i = 0; next < END && i <= this.#count; i++) {
      const more = this.#at(next)
      const last = more.length - 4
      for (let at = 0; at < last; at += 4) sectors.push(more.readUInt32LE(at))
      next = more.readUInt32LE(last)
    }
    const used = sectors.slice(0, this.#file.readUInt32LE(44))
    if (used.length * (this.#sector / 4) > 2 * this.#count + this.#sector)
      throw damaged('its table of sectors is wrong')
    for (const sector of used) {
      const table = this.#at(sector)
      for (let at = 0; at + 4 <= table.length; at += 4) this.#fat.push(table.readUInt32LE(at))
    }
  }

  #chain(start: number, next: readonly number[]): Buffer {
    const pieces: Buffer[] = []
    for (let sector = start; sector < END; sector = next[sector] ?? END) {
      if (pieces.length > this.#count) throw damaged('its sectors run in a circle')
      pieces.push(this.#at(sector))
    }
    return Buffer.concat(pieces)
  }

  /** The streams beside the root, by name in capital letters. */
  rootEntries(): Map<string, StreamEntry> {
    const directory = this.#directory
    const found = new Map<string, StreamEntry>()
    const seen = new Set<number>()
    const waiting = [directory.length < ENTRY ? END : directory.readUInt32LE(76)]
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const at = id * ENTRY
      if (seen.has(id) || at + ENTRY > directory.length) continue
      seen.add(id)
      const length = Math.min(64, directory.readUInt16LE(at + 64))
      const name = directory.toString('utf16le', at, at + Math.max(0, length - 2)).toUpperCase()
      found.set(name, { start: directory.readUInt32LE(at + 116), size: directory.readUInt32LE(at + 120) })
      waiting.push(directory.readUInt32LE(at + 68), directory.readUInt32LE(at + 72))
    }
    return found
  }

  stream({ start, size }: StreamEntry): Buffer {
    const bytes = size < 4096 ? this.#small(start, size) : this.#chain(start, this.#fat)
    if (bytes.length < size) throw damaged('it is not complete')
    return bytes.subarray(0, size)
  }

  /** Streams below 4 KB share sectors of 64 bytes inside the root's stream. */
  #small(start: number, size: number): Buffer {
    const all = this.#chain(this.#directory.readUInt32LE(116), this.#fat)
    const table = this.#chain(this.#file.readUInt32LE(60), this.#fat)
    const pieces: Buffer[] = []
    for (let sector = start; sector < END && pieces.length * 64 < size; ) {
      pieces.push(all.subarray(sector * 64, sector * 64 + 64))
      sector = 4 * sector + 4 <= table.length ? table.readUInt32LE(4 * sector) : END
    }
    return Buffer.concat(pieces)
  }
}
