/** Filters in the syntax of the service: `field OP value`. */
import type { Flat, ValueColumn } from '../catalogue.js'
import { labelOf } from '../labels.js'

const OPERATORS = ['!=', '<=', '>=', '!~', '=', '<', '>', '~'] as const
export type Operator = (typeof OPERATORS)[number]

export interface Filter {
  readonly field: string
  readonly operator: Operator
  /** As in the filter: several values are joined by `|`. */
  readonly value: string
}

export function parseFilter(text: string): Filter | undefined {
  const found = /^([\w.]+)(!=|<=|>=|!~|=|<|>|~)([\s\S]*)$/.exec(text)
  return found === null
    ? undefined
    : { field: found[1] as string, operator: found[2] as Operator, value: found[3] as string }
}

export const filterText = ({ field, operator, value }: Filter): string => `${field}${operator}${value}`

/** Escapes a value, so that `|` and backslashes are literal. */
export const literal = (value: string): string => value.replace(/[\\|]/g, '\\$&')

const WORDS: Readonly<Record<Operator, string>> = {
  '=': 'is',
  '!=': 'is not',
  '<': 'under',
  '<=': 'at most',
  '>': 'over',
  '>=': 'at least',
  '~': 'contains',
  '!~': 'does not contain',
}

const DATE_WORDS: Partial<Record<Operator, string>> = { '<': 'before', '<=': 'until', '>': 'after', '>=': 'from' }

export const operatorWord = (operator: Operator, kind: string): string =>
  (kind === 'date' || kind === 'timestamp' ? DATE_WORDS[operator] : undefined) ?? WORDS[operator]

/** The operators that make sense for a column, the usual one first. */
export function operatorsFor({ kind }: Pick<ValueColumn, 'kind'>): readonly Operator[] {
  switch (kind) {
    case 'decimal':
    case 'integer':
    case 'number':
      return ['>', '<', '=', '!=', '>=', '<=']
    case 'date':
    case 'timestamp':
    case 'time':
      return ['>=', '<=', '=', '>', '<', '!=']
    case 'word':
    case 'flag':
      return ['=', '!=']
    default:
      return ['~', '=', '!=', '!~']
  }
}

/** `Pune|Mumbai` as "Pune or Mumbai". */
export const valueInWords = (value: string): string =>
  value === ''
    ? 'empty'
    : value
        .split(/(?<!\\)\|/)
        .map((one) => one.replace(/\\(.)/g, '$1'))
        .join(' or ')

/** "Order status is CREATED"; a filter that cannot be read stays as it is. */
export function filterInWords(text: string, columns: readonly Flat[]): string {
  const filter = parseFilter(text)
  if (filter === undefined) return text
  const kind = columns.find(({ name }) => name === filter.field)?.column.kind ?? 'text'
  const other = /^@([\w.]+)$/.exec(filter.value)?.[1]
  const value = other === undefined ? valueInWords(filter.value) : labelOf(other).toLowerCase()
  return `${labelOf(filter.field)} ${operatorWord(filter.operator, kind)} ${value}`
}
