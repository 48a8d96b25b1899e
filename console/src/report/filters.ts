/** Filters in the syntax of the service: `field OP value`. */
import { type Flat, isNumeric, type LinesColumn, type ValueColumn } from '../catalogue.js'
import { inWords, rangeInWords } from '../dates.js'
import { labelOf } from '../labels.js'
import { inWordsOf, isolated, nameOf } from '../people.js'

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

/** The values of a filter: `Pune|Mumbai` has two. Reads it as the service does (src/kernel/report/filter.ts). */
export function valuesOf(text: string): string[] {
  const values = ['']
  for (const [part] of text.matchAll(/\\[|\\]|[\s\S]/gu))
    if (part === '|') values.push('')
    else values.push(values.pop() + (/^\\[|\\]$/.test(part) ? part.slice(1) : part))
  return values
}

function valueInWords(value: string, column: ValueColumn | LinesColumn | undefined): string {
  const isDate = column?.kind === 'date' || column?.kind === 'timestamp'
  const words = valuesOf(value).map((one) => {
    if (one === '') return 'empty'
    if (isDate) return inWords(one)
    return isolated(column === undefined || column.kind === 'lines' ? one : inWordsOf(one, column))
  })
  return words.length > MOST_VALUES
    ? `${words.slice(0, MOST_VALUES - 1).join(', ')} or ${words.length - MOST_VALUES + 1} others`
    : words.join(' or ')
}

/** Values that a chip lists. */
const MOST_VALUES = 4

/** "Order status is Created"; a filter that cannot be read stays as it is. */
export function filterInWords(text: string, columns: readonly Flat[]): string {
  const filter = parseFilter(text)
  if (filter === undefined) return text
  const flat = columns.find(({ name }) => name === filter.field)
  const name = flat === undefined ? labelOf(filter.field) : nameOf(flat)
  const other = /^@([\w.]+)$/.exec(filter.value)?.[1]
  const value = other === undefined ? valueInWords(filter.value, flat?.column) : labelOf(other).toLowerCase()
  return `${name} ${operatorWord(filter.operator, flat?.column.kind ?? 'text')} ${value}`
}

/** Filters that a chip shows together. */
export interface Chip {
  readonly words: string
  readonly field: string | undefined
  readonly filters: readonly string[]
}

/** A chip for each filter; the two ends of a range share one. */
export function chipsOf(filters: readonly string[], columns: readonly Flat[]): Chip[] {
  const left = [...filters]
  const chips: Chip[] = []
  for (let text = left.shift(); text !== undefined; text = left.shift()) {
    const words = filterInWords(text, columns)
    const from = parseFilter(text)
    const at = left.findIndex((other) => {
      const to = parseFilter(other)
      return from?.operator === '>=' && to?.operator === '<=' && to.field === from.field && !to.value.startsWith('@')
    })
    if (at < 0 || from === undefined) {
      chips.push({ words, field: from?.field, filters: [text] })
      continue
    }
    const [other = ''] = left.splice(at, 1)
    const flat = columns.find(({ name }) => name === from.field)
    const to = parseFilter(other)?.value ?? ''
    const isDate = flat?.column.kind === 'date'
    const range = isDate ? rangeInWords({ from: from.value, to }) : `${from.value} to ${to}`
    chips.push({
      words: `${flat === undefined ? labelOf(from.field) : nameOf(flat)} ${range}`,
      field: from.field,
      filters: [text, other],
    })
  }
  return chips
}

/** How the form asks for the values of a column. */
export type Asked = 'values' | 'numbers' | 'dates'

export const askedOf = ({ kind }: Pick<ValueColumn, 'kind'>): Asked =>
  kind === 'date' || kind === 'timestamp' ? 'dates' : isNumeric({ kind }) ? 'numbers' : 'values'
