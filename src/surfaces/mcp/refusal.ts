/** A call that a tool refuses: what is wrong, and a call that works in its place. */
import { Problem } from '../../errors.js'

export interface Call {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

export class Refusal extends Error {
  readonly example: Call | undefined

  constructor(message: string, example?: Call) {
    super(message)
    this.example = example
  }
}

/** A problem as one sentence per error. */
export function wordsOf({ message, detail, errors = [] }: Problem): string {
  const named = errors.map(({ field, message }) => `${field} ${message}`)
  return named.length === 0 ? message : [...named, ...(detail === undefined ? [] : [detail])].join('; ')
}

/** Failures that the caller did not cause are thrown on. */
export function asRefusal(error: unknown, example: Call | undefined): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof Problem && error.status < 500) return new Refusal(wordsOf(error), example)
  if (error instanceof Problem && error.status !== 500)
    return new Refusal(`${wordsOf(error)}; the service may answer the same call later`)
  throw error
}
