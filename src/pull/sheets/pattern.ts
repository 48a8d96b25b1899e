/** Patterns for names of files and sheets, and for the texts of cells: `*` stands for any text. */
import { MillbookError } from '../../errors.js'

export interface Pattern {
  test(text: string): boolean
  /** As it was written. */
  readonly words: string
}

/** One pattern, or a list of which one has to fit. Capital and small letters are the same. */
export function asPattern(where: string, given: unknown): Pattern {
  const all = Array.isArray(given) ? given : [given]
  if (all.length === 0 || !all.every((one) => typeof one === 'string'))
    throw new MillbookError(`${where} must be a text, or a list of texts; * stands for any text`)
  const expressions = all.map(
    (one) =>
      new RegExp(
        `^${one
          .trim()
          .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
          .replaceAll('*', '[^]*')}$`,
        'iu',
      ),
  )
  return { test: (text) => expressions.some((one) => one.test(text.trim())), words: all.join(' or ') }
}
