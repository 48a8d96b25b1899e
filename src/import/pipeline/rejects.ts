/** The rows that a load with `--reject` leaves out: which they are, and which errors refuse the whole load nevertheless. */
import type { Db } from '../../db/connect.js'
import { query } from '../../db/query.js'
import { sql } from '../../db/sql.js'
import { stagedRows } from '../checks.js'
import type { Column } from '../columns.js'
import { storedName } from '../entity.js'
import type { Part, Source } from '../source.js'
import { type FoundProblem, type ImportProblem, type Missing, Problems, placed, type RowKey } from './problems.js'
import { keyOf, stagedCells } from './staged-cells.js'

export interface RejectOptions {
  /** The most rows that may be rejected; without it 1 % of the rows that were read, at least 10, at most 1,000. */
  readonly most?: number | undefined
  /** Gets the rejected rows before the load commits; if it fails, so does the load. Gets them after a refused load, too. */
  write(rows: readonly RejectedRow[]): Promise<void>
}

/** An error of a row. */
export interface Reason {
  readonly column: string
  readonly value: string | null
  readonly message: string
}

export interface RejectedRow {
  readonly entity: string
  readonly file: string
  readonly line: number
  /** The cell of a sheet with the first error, such as C5. */
  readonly cell?: string
  readonly key: RowKey
  readonly reasons: readonly Reason[]
  /** Its cells by column; cells that the loader could read are as it read them. */
  readonly row: RowKey
}

export type Wrong = Pick<RejectedRow, 'line' | 'key' | 'reasons' | 'row'>

interface Rejected extends Wrong {
  /** The cells that can be read. */
  readonly readable: RowKey
}

const LEAST = 10
const DEFAULT_MOST = 1000
const DEFAULT_SHARE = 0.01
const ERRORS_A_ROW = 5

export class Rejects {
  readonly #most: number | undefined
  readonly #place: Source['place']
  readonly #rows = new Map<Part, Map<number, Rejected>>()
  /** How many rows were taken out of their staging table. */
  readonly #taken = new Map<Part, number>()
  #count = 0
  #tooMany = false

  constructor({ most }: RejectOptions, place?: Source['place']) {
    this.#most = most
    this.#place = place
  }

  /** Everything refers to the account, so its row cannot be left out. */
  rejects({ entity }: Part): boolean {
    return entity.key.length > 0
  }

  get count(): number {
    return this.#count
  }

  /** The number of errors of rows to look at: a row may have several. */
  get mostErrors(): number {
    return ERRORS_A_ROW * (this.#most ?? DEFAULT_MOST) + 1
  }

  /** The most rows that may be rejected of this many. */
  limit(rows: number): number {
    return this.#most ?? Math.min(DEFAULT_MOST, Math.max(LEAST, Math.floor(rows * DEFAULT_SHARE)))
  }

  /** Beyond the limit, rows are counted, but not kept. */
  isOver(rows: number): boolean {
    return this.#tooMany || this.#count > this.limit(rows)
  }

  add(part: Part, wrong: Wrong, readable: RowKey): void {
    const rows = this.#rows.get(part) ?? new Map<number, Rejected>()
    this.#rows.set(part, rows)
    if (!rows.has(wrong.line)) this.#count++
    if (this.#count > (this.#most ?? DEFAULT_MOST)) this.#tooMany = true
    else rows.set(wrong.line, { ...wrong, readable })
  }

  /** The rejected rows of a part, except empty ones: an empty row is no damaged version of a stored one. */
  of(part: Part): readonly Rejected[] {
    return [...(this.#rows.get(part)?.values() ?? [])].filter(({ row }) => Object.values(row).some((cell) => cell))
  }

  has(part: Part): boolean {
    return this.#rows.has(part)
  }

  /** The names of the entities with rejected rows, each with their number. */
  get entities(): Record<string, number> {
    return Object.fromEntries([...this.#rows].map(([{ entity }, rows]) => [entity.name, rows.size]))
  }

  taken(part: Part): number {
    return this.#taken.get(part) ?? 0
  }

  get all(): RejectedRow[] {
    return [...this.#rows].flatMap(([part, rows]) =>
      [...rows.values()]
        .toSorted((a, b) => a.line - b.line)
        .map(({ line, key, reasons, row }) => {
          const place = this.#place?.(part.name, line, reasons[0]?.column)
          return { entity: part.entity.name, file: part.name, line, ...place, key, reasons, row }
        }),
    )
  }

  /** The first errors of rejected rows, as a load without `--reject` reports them. */
  problems(most: number): ImportProblem[] {
    const found = [...this.#rows].flatMap(([{ name }, rows]) =>
      [...rows.values()].flatMap(({ line, key, reasons }) =>
        reasons.map((reason) => ({ file: name, line, key, ...reason })),
      ),
    )
    return found.slice(0, most).map((problem) => placed(problem, this.#place))
  }

  /**
   * Rejects the rows of these errors and takes them out of their staging tables, so that the rest can be merged again. Resolves
   * to the errors that refuse the load, and then rejects nothing.
   */
  async take(db: Db, parts: readonly Part[], found: Problems): Promise<Problems | undefined> {
    const ofRow = (part: Part) => found.found.filter(({ file, noRow }) => file === part.name && noRow !== true)
    const wrong = new Map(parts.flatMap((part) => (ofRow(part).length > 0 ? [[part, ofRow(part)]] : [])))
    const known = [...wrong].reduce((sum, [part, of]) => sum + (this.rejects(part) ? of.length : 0), 0)
    if (found.count > found.found.length) this.#tooMany = true
    if (known < found.count) return found
    const refused = new Problems(found.most, this.#place)
    const taken = new Map<Part, ReadonlyMap<number, Wrong>>()
    for (const [part, problems] of wrong) {
      const rows = await wrongRows(db, part, problems)
      if (problems.some(({ line }) => !rows.has(line))) return found
      taken.set(part, rows)
      for (const problem of problems) {
        const { key, row } = rows.get(problem.line) as Wrong
        const cause = problem.missing && this.#causeOf(problem.missing, row)
        if (cause !== undefined)
          refused.add({
            ...{ ...problem, key },
            message: `${problem.message}: ${cause}; correct that row, or remove this one`,
          })
      }
    }
    if (refused.count > 0) return refused
    for (const [part, rows] of taken) await this.takeOut(db, part, rows)
    return undefined
  }

  /** Rejects these staged rows, by line, and takes them out of the staging table. */
  async takeOut(db: Db, part: Part, rows: ReadonlyMap<number, Wrong>): Promise<void> {
    for (const wrong of rows.values()) this.add(part, wrong, wrong.row)
    const { count } = await query(
      db,
      sql`delete from ${stagedRows(part.entity.name)} where line = any(${[...rows.keys()].map(String)}::bigint[])`,
    )
    this.#taken.set(part, this.taken(part) + count)
  }

  /** The rejected row that a row with these cells refers to, in words. A rejected key that cannot be read may be any. */
  #causeOf({ entity: name, by, to }: Missing, cells: RowKey): string | undefined {
    for (const part of this.#rows.keys()) {
      if (part.entity.name !== name) continue
      const { columns, key } = part.entity as { columns: Record<string, Column>; key: readonly string[] }
      const fileColumn = (stored: string) =>
        Object.keys(columns).find((column) => storedName(column, columns[column] as Column) === stored) ?? stored
      const pairs = to.map((stored, i) => [fileColumn(stored), cells[by[i] as string]] as const)
      const codes = name === 'warehouses' ? [...key, 'location'] : key
      const matches = ({ readable }: Rejected) => {
        const isSame = (column: string, value: string | null | undefined) =>
          readable[column] === value || (readable[column] === null && key.includes(column))
        return to.length > 0
          ? pairs.every(([column, value]) => isSame(column, value))
          : codes.some((column) => isSame(column, cells[by[0] as string]))
      }
      const found = this.of(part).find((row) => matches(row))
      if (found === undefined) continue
      const { file, line, cell } = { file: part.name, line: found.line, ...this.#place?.(part.name, found.line) }
      const named = Object.entries(found.key).map(([column, value]) => `${column} ${value ?? 'empty'}`)
      const isSure = codes.every((column) => found.readable[column] != null)
      return `${file}:${cell ?? line} (${named.join(', ')}) is rejected, and this row ${isSure ? 'refers' : 'may refer'} to it`
    }
    return undefined
  }
}

/** The staged rows with these errors, and the other rows with their key if it is repeated. */
async function wrongRows(
  db: Db,
  { entity }: Part,
  problems: readonly FoundProblem[],
): Promise<ReadonlyMap<number, Wrong>> {
  const lines = (of: readonly FoundProblem[]) => of.map(({ line }) => line)
  const repeated = problems.filter((problem) => problem.repeated)
  const rows = await stagedCells(db, entity, lines(problems), lines(repeated))
  const [first = ''] = entity.key
  return new Map(
    [...rows].map(([line, row]) => {
      const own = problems.filter((problem) => problem.line === line)
      const reasons: Reason[] = own.map(({ column, value, message }) => ({ column, value, message }))
      if (reasons.length === 0) {
        const message = `there is a later row with the same ${entity.key.join(', ')}`
        reasons.push({ column: first, value: row[first] ?? null, message })
      }
      return [line, { line, key: keyOf(entity, row), reasons, row }]
    }),
  )
}
