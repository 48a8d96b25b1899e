/** The errors of a load: all are counted, the first are kept and shown. */
import type { Source } from '../source.js'

export interface ImportProblem {
  file: string
  line: number
  column: string
  value: string | null
  /** The error, or the expected value. */
  message: string
}

/** How many are kept, unless a load asks for another number. */
export const SHOWN = 100

export class Problems {
  count = 0
  /** How many are kept at most. */
  readonly most: number
  #kept: ImportProblem[] = []
  readonly #place: Source['place']

  constructor(most = SHOWN, place?: Source['place']) {
    this.most = most
    this.#place = place
  }

  add(problem: ImportProblem): void {
    this.count++
    if (this.#kept.length >= this.most) return
    const place = this.#place?.(problem.file, problem.line)
    this.#kept.push({ ...problem, ...place, value: problem.value && shorten(problem.value) })
  }

  get first(): readonly ImportProblem[] {
    return this.#kept
  }
}

const shorten = (text: string) => (text.length > 100 ? `${text.slice(0, 100)}…` : text)

/** A problem in one line. */
export const problemLine = ({ file, line, column, value, message }: ImportProblem): string =>
  `${file}:${line}: ${column === '' ? '' : `${column}${value === null ? '' : ` = ${JSON.stringify(value)}`}: `}${message}`
