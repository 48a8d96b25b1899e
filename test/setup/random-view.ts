/** Random views: numbers choose fields, operators and values of the records. */
import fc from 'fast-check'
import { type Filter, type Leaf, type Row, type Sorted, textOf, type View } from '../oracle/view.js'

const OPERATORS = ['=', '!=', '<', '<=', '>', '>=', '~', '!~']
export const pick = <T>(of: readonly T[], number: number): T => of[number % of.length] as T
export const choice = fc.record({ field: fc.nat(), row: fc.nat(), how: fc.nat(), from: fc.nat(), length: fc.nat(6) })
export type Choice = { field: number; row: number; how: number; from: number; length: number }
export function sortFrom(leaves: readonly Leaf[], given: readonly (readonly [number, boolean])[]): Sorted[] {
  const sorted = new Map(given.map(([field, descending]) => [pick(leaves, field), descending]))
  return [...sorted].map(([leaf, descending]) => ({ leaf, descending }))
}

/** A value of a record, a similar one, or none. */
export function valueFrom(leaf: Leaf, rows: readonly Row[], { row, how }: Choice): string {
  const text = rows.length === 0 ? '' : textOf(pick(rows, row), leaf).slice(0, 100)
  if (how % 8 === 0) return ''
  if (how % 8 === 1) return leaf.absent ?? ''
  if (how % 4 === 2 && leaf.kind === 'timestamp') return text.slice(0, 10)
  if (how % 4 === 2 && leaf.kind === 'decimal') return /^-?\d/.test(text) ? `${text.split('.')[0]}.25` : '0'
  return text
}

/** A part of a text, with upper and lower case swapped. */
export function partOf(text: string, { from, length, how }: Choice): string {
  const letters = [...text]
  const part = letters
    .slice(from % (letters.length || 1))
    .slice(0, length + 1)
    .join('')
  return how % 2 === 0 ? part.toUpperCase() : part.toLowerCase()
}

export function filterFrom(
  leaves: readonly Leaf[],
  rows: readonly Row[],
  one: Choice,
  other: Choice,
): Filter | undefined {
  const leaf = pick(leaves, one.field)
  const operator = pick(OPERATORS, other.field)
  const values = [one, other].map((choice) => valueFrom(leaf, rows, choice))
  if (operator.endsWith('~')) {
    const parts = values.map((value, i) => partOf(value, i === 0 ? one : other)).filter(Boolean)
    return parts.length === 0 ? undefined : { leaf, operator, values: parts }
  }
  if (operator === '=' || operator === '!=') return { leaf, operator, values: values.slice(0, (one.from % 2) + 1) }
  // After < or > a value that begins with = cannot be written: it reads as <= or >=.
  const value = values.find((value) => value !== '' && value !== leaf.absent && !value.startsWith('='))
  return value === undefined || leaf.kind === 'flag' ? undefined : { leaf, operator, values: [value] }
}

const escaped = (value: string) => value.replace(/[|\\]/g, '\\$&')
/** The parameters of a URL. */
export const queryOf = ({ sort, filters, words }: View) => ({
  ...(sort.length > 0 && {
    sort: sort.map(({ leaf, descending }) => `${descending ? '-' : ''}${leaf.path.join('.')}`).join(),
  }),
  ...(filters.length > 0 && {
    filter: filters.map(
      ({ leaf, operator, values }) => `${leaf.path.join('.')}${operator}${values.map(escaped).join('|')}`,
    ),
  }),
  ...(words.length > 0 && { search: words.join(' ') }),
})
