/** Answers of a bounded size: rows are counted, never cut in silence. */
import type { JsonObject } from '../../kernel/report/record-reader.js'
import { tokensOf } from './tokens.js'

/** The most tokens of an answer, and of an answer to a call with a limit. */
export const MOST_TOKENS = 8000
export const MOST_TOKENS_WITH_LIMIT = 24_000
export const USUAL_ROWS = 50
export const MOST_ROWS = 1000

/** Room for what stands around the rows: totals, notes and links count themselves. */
const AROUND = 200

export interface Room {
  /** The rows to ask for. */
  readonly rows: number
  readonly tokens: number
}

export const roomFor = (limit: unknown): Room =>
  limit === undefined
    ? { rows: USUAL_ROWS, tokens: MOST_TOKENS }
    : { rows: Math.min(limit as number, MOST_ROWS), tokens: MOST_TOKENS_WITH_LIMIT }

/** The first rows that fit beside the rest of the answer. */
export function rowsThatFit<T extends JsonObject>(rows: readonly T[], rest: unknown, { tokens }: Room): readonly T[] {
  let left = tokens - AROUND - tokensOf(JSON.stringify(rest))
  const end = rows.findIndex((row) => {
    left -= tokensOf(JSON.stringify(row)) + 1
    return left < 0
  })
  return end < 0 ? rows : rows.slice(0, end)
}
