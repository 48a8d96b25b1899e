/** The errors of a load: all are counted, the first are kept and shown. */
import type { Source } from '../source.js'

/** The cells of a row that identify it, by column; null for an empty one. */
export type RowKey = Readonly<Record<string, string | null>>

export interface ImportProblem {
  file: string
  /** 0 for an error that no line has. */
  line: number
  /** The cell of a sheet, such as C5. */
  cell?: string
  /** The key of the row; absent if the error is not about a row of the file. */
  key?: RowKey
  column: string
  value: string | null
  /** The error, or the expected value. */
  message: string
}

/** The row that a cell refers to, which does not exist. */
export interface Missing {
  readonly entity: string
  /** The referring columns, and the columns of the entity that they must match. */
  readonly by: readonly string[]
  /** Empty for the code of a master: any of its codes. */
  readonly to: readonly string[]
}

/** An error as the loader finds it. */
export interface FoundProblem extends Omit<ImportProblem, 'cell'> {
  /** The error is not about the row in this line: the header is wrong, or stored rows cannot be removed. */
  readonly noRow?: true
  readonly missing?: Missing
  /** An earlier row has the same key. */
  readonly repeated?: true
}

/** How many are kept, unless a load asks for another number. */
export const SHOWN = 100

export class Problems {
  count = 0
  /** How many are kept at most. */
  readonly most: number
  #kept: FoundProblem[] = []
  readonly #place: Source['place']

  constructor(most = SHOWN, place?: Source['place']) {
    this.most = most
    this.#place = place
  }

  add(problem: FoundProblem): void {
    this.count++
    if (this.#kept.length < this.most) this.#kept.push(problem)
  }

  /** The kept errors, as they were found. */
  get found(): readonly FoundProblem[] {
    return this.#kept
  }

  /** Adds the keys of rows to the kept errors of a file. */
  nameRows(file: string, keyOf: (line: number) => RowKey | undefined): void {
    this.#kept = this.#kept.map((problem) => {
      if (problem.file !== file || problem.key !== undefined || problem.noRow) return problem
      const key = keyOf(problem.line)
      return key === undefined ? problem : { ...problem, key }
    })
  }

  get first(): readonly ImportProblem[] {
    return this.#kept.map(({ noRow, missing, repeated, ...problem }) => placed(problem, this.#place))
  }
}

/** The error with the file and cell that people see. */
export function placed(problem: ImportProblem, place: Source['place']): ImportProblem {
  const { file, line, column, value, key } = problem
  return {
    ...{ ...problem, ...place?.(file, line, column), value: value && shorten(value) },
    ...(key && { key: Object.fromEntries(Object.entries(key).map(([name, cell]) => [name, cell && shorten(cell)])) }),
  }
}

const shorten = (text: string) => (text.length > 100 ? `${text.slice(0, 100)}…` : text)

/** A problem in one line. */
export const problemLine = ({ file, line, cell, key = {}, column, value, message }: ImportProblem): string =>
  `${file}${line === 0 ? '' : `:${cell ?? line}`}${keyText(key, column)}: ${column === '' ? '' : `${column}${value === null ? '' : ` = ${JSON.stringify(value)}`}: `}${message}`

/** The key in brackets, unless the column that the message shows is the whole key. */
function keyText(key: RowKey, shown: string): string {
  const names = Object.keys(key)
  if (names.length === 0 || (names.length === 1 && names[0] === shown)) return ''
  return ` (${names.map((name) => `${name} ${cellText(key[name] ?? null)}`).join(', ')})`
}

/** In quotes if it could be misread. */
const cellText = (cell: string | null) =>
  cell === null
    ? 'empty'
    : /^[^\s,"()](.*[^\s,"()])?$/.test(cell) && !/[\p{Cc}]/u.test(cell)
      ? cell
      : JSON.stringify(cell)
