/** Numbers calculated from several columns of a row: `{Qty} * {Rate}`, `{CGST} + {SGST} - {Discount}`. */
import { MillbookError } from '../../errors.js'
import { add, multiply } from './decimal.js'

/** A sum of products. */
export type Calculation = readonly Term[]

interface Term {
  readonly sign: 1 | -1
  readonly factors: readonly string[]
}

export const oneColumn = (column: string): Calculation => [{ sign: 1, factors: [column] }]

export const isOneColumn = ([first, ...more]: Calculation): boolean =>
  more.length === 0 && first?.sign === 1 && first.factors.length === 1

export function readCalculation(where: string, given: string): Calculation {
  const pieces = given.split(/(\{[^{}]+\})/).map((piece) => piece.trim())
  const terms: { sign: 1 | -1; factors: string[] }[] = []
  for (let at = 1; at < pieces.length; at += 2) {
    const sign = pieces[at - 1] ?? ''
    const column = (pieces[at] as string).slice(1, -1).trim()
    const isFirst = at === 1
    if (sign === '*' && !isFirst) terms.at(-1)?.factors.push(column)
    else if (isFirst ? sign === '' || sign === '-' : sign === '+' || sign === '-')
      terms.push({ sign: sign === '-' ? -1 : 1, factors: [column] })
    else throw wrong(where, given)
  }
  if (terms.length === 0 || pieces.at(-1) !== '') throw wrong(where, given)
  return terms
}

const wrong = (where: string, given: string): MillbookError =>
  new MillbookError(
    `${where}: write ${given} as columns in braces with +, - or * between them, such as "{Qty} * {Rate}"`,
  )

export const columnsOf = (calculation: Calculation): string[] => calculation.flatMap(({ factors }) => factors)

/** A product with an empty factor is empty, and so is a sum of which all terms are. Undefined if a value is no number. */
export function calculate(
  calculation: Calculation,
  value: (column: string) => string | null,
): string | null | undefined {
  let sum: string | null = null
  for (const { sign, factors } of calculation) {
    let product: string | null = sign === 1 ? '1' : '-1'
    for (const column of factors) {
      const factor = value(column)
      if (factor !== null && !/^-?\d+(\.\d+)?$/.test(factor)) return undefined
      product = product === null || factor === null ? null : multiply(product, factor)
    }
    if (product !== null) sum = sum === null ? product : add(sum, product)
  }
  return sum
}
