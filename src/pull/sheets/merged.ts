/** Cells that are merged over several rows: only the first of them has the value. */
import { OverLimit } from './limits.js'

export interface MergedRange {
  /** The first and the last row, from 1. */
  readonly first: number
  readonly last: number
  /** The place of the first column. */
  readonly place: number
}

const MOST_MERGED = 1_000_000

export class Merged {
  /** Not begun, the next one last. */
  readonly #waiting: MergedRange[]
  #active: MergedRange[] = []
  #places: ReadonlySet<number> | undefined

  constructor(ranges: readonly MergedRange[] = []) {
    if (ranges.length > MOST_MERGED) throw new OverLimit('it has too many merged cells')
    this.#waiting = ranges.filter(({ first, last }) => last > first).sort((a, b) => b.first - a.first)
  }

  /** Of a file that names merged cells row by row. */
  add(range: MergedRange): void {
    if (range.last > range.first) this.#waiting.push(range)
  }

  /** The columns whose cell is merged with the one above; to be asked row by row. */
  at(line: number): ReadonlySet<number> | undefined {
    const before = this.#active.length
    this.#active = before === 0 ? this.#active : this.#active.filter(({ last }) => last >= line)
    let isSame = this.#active.length === before
    for (let next = this.#waiting.at(-1); next !== undefined && next.first < line; next = this.#waiting.at(-1)) {
      this.#waiting.pop()
      if (next.last < line) continue
      this.#active.push(next)
      isSame = false
    }
    if (!isSame) this.#places = new Set(this.#active.map(({ place }) => place))
    return this.#active.length === 0 ? undefined : this.#places
  }
}

const RANGE = /<(?:\w+:)?mergeCell\s[^>]*?\bref\s*=\s*["']\$?([A-Z]{1,3})\$?(\d{1,7}):\$?[A-Z]{1,3}\$?(\d{1,7})["']/g
const LONGEST_ELEMENT = 1000

/** The merged cells of a sheet of XLSX, which stand behind its rows. Only this reads ahead: parsing takes much longer. */
export async function mergedInXlsx(pieces: AsyncIterable<string>): Promise<MergedRange[]> {
  const ranges: MergedRange[] = []
  let [text, isBehind] = ['', false]
  for await (const piece of pieces) {
    text += piece
    const end = isBehind ? 0 : text.search(/<\/(?:\w+:)?sheetData\s*>|<(?:\w+:)?sheetData\s*\/>/)
    if (end >= 0) {
      isBehind = true
      let taken = end
      for (const found of text.slice(end).matchAll(RANGE)) {
        const [all, letters = '', first, last] = found
        taken = end + found.index + all.length
        ranges.push({ first: Number(first), last: Number(last), place: placeOf(letters) })
      }
      if (ranges.length > MOST_MERGED) throw new OverLimit('it has too many merged cells')
      text = text.slice(taken)
    }
    text = text.slice(-LONGEST_ELEMENT)
  }
  return ranges
}

const placeOf = (letters: string): number =>
  [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
