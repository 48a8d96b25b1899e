/** Heads of documents from a list of lines: one row per key, with sums over the lines. */
import type { Entity } from '../../import/entity.js'
import { add, isDecimal, round } from './decimal.js'
import type { SheetMapping } from './mapping.js'
import type { CellFault } from './value.js'

export interface Head {
  readonly line: number
  readonly cells: (string | null)[]
}

export class Heads {
  readonly #entity: Entity
  readonly #header: readonly string[]
  readonly #heads = new Map<string, Head>()
  /** Heads with sums wait for their last line. */
  readonly #waiting = new Map<string, { head: Head; round: ReadonlyMap<string, number | undefined> }>()

  constructor(entity: Entity, header: readonly string[]) {
    this.#entity = entity
    this.#header = header
  }

  /** The number of different keys. */
  get size(): number {
    return this.#heads.size
  }

  /** The row itself if it is the first of its key and complete; adds a fault if it contradicts the first. */
  take(
    row: { line: number; header: readonly string[]; cells: (string | null)[] },
    { columns, first }: SheetMapping,
    faults: CellFault[],
  ): typeof row | undefined {
    const key = JSON.stringify(this.#entity.key.map((name) => row.cells[this.#header.indexOf(name)]))
    const sums = new Map([...columns].flatMap(([name, from]) => ('sum' in from ? [[name, from.round] as const] : [])))
    const head = this.#heads.get(key)
    if (head === undefined) {
      this.#heads.set(key, row)
      if (sums.size === 0) return row
      this.#waiting.set(key, { head: row, round: sums })
      return undefined
    }
    for (const [i, name] of this.#header.entries()) {
      const [before, now] = [head.cells[i] ?? null, row.cells[i] ?? null]
      if (sums.has(name)) {
        if (before !== null && now !== null && isDecimal(before) && isDecimal(now)) head.cells[i] = add(before, now)
        else if (before === null) head.cells[i] = now
      } else if (now !== null && now !== before && first === 'same')
        faults.push({
          column: name,
          value: now,
          message: `another row of ${this.#keyWords(row.cells)} has ${before === null ? 'nothing' : JSON.stringify(before)} here. If the numbers begin anew each year, make the key of number and year: ${this.#entity.key[0]}: {text: "{Number}/{Date|year}"}; if the first is right, set first: any`,
        })
    }
    return undefined
  }

  #keyWords(cells: readonly (string | null)[]): string {
    return this.#entity.key.map((name) => `${name} ${cells[this.#header.indexOf(name)]}`).join(', ')
  }

  /** The heads that have waited for their last line. */
  rest(): Head[] {
    return [...this.#waiting.values()].map(({ head, round: digits }) => ({
      line: head.line,
      cells: head.cells.map((cell, i) => {
        const name = this.#header[i] as string
        const places = digits.get(name)
        return cell === null || places === undefined ? cell : round(cell, places)
      }),
    }))
  }
}
