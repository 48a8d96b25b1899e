/** The parameter of a search. */
import type { Param } from '../kernel/report/params.js'

const [SHORTEST, LONGEST] = [2, 80]

const SearchText: Param<string> = {
  type: { kind: 'text', longest: LONGEST },
  description: `A part of a number or a name, in any case: ${SHORTEST} to ${LONGEST} characters without white space around them.`,
  expects: `text of ${SHORTEST} to ${LONGEST} characters`,
  read: (value) => {
    if (typeof value !== 'string' || value.includes('\0')) return undefined
    const text = value.trim()
    const { length } = [...text]
    return length >= SHORTEST && length <= LONGEST ? text : undefined
  },
  required: true,
  example: 'bhujia',
}

export const searchParams = { q: SearchText }
