/** A view computed in memory from the records of the whole report that the caller sees. */
import { format, parse, sum } from './decimal.js'
import { byText } from './order.js'

export type Row = Readonly<Record<string, unknown>>

/** A single field of a record with its declaration. */
export interface Leaf {
  readonly path: readonly string[]
  readonly kind: string
  readonly digits?: number
  /** The most digits of a value that shows more than `digits` if it has them. */
  readonly upTo?: number
  /** Of an integer. */
  readonly wire?: string
  readonly words?: readonly string[]
  readonly absent?: null | string
  readonly additive: boolean
  /** The field that has the unit of a quantity. */
  readonly unit?: string
  readonly contact?: boolean
}

/** The documents that totals leave out. */
export interface Cancelled {
  readonly field: string
  readonly is: string
}

export interface Sorted {
  readonly leaf: Leaf
  readonly descending: boolean
}

export interface Filter {
  readonly leaf: Leaf
  readonly operator: string
  readonly values: readonly string[]
}

export interface View {
  readonly sort: readonly Sorted[]
  readonly filters: readonly Filter[]
  readonly words: readonly string[]
}

/** More digits than any value or filter has. */
const DIGITS = 20
const NUMBERS = ['decimal', 'number', 'integer']
const SEARCHED = ['text', 'word', 'date', 'timestamp', 'time']

const at = (row: Row, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (value as Row)[name], row)

/** The text of the value in the response. */
export function textOf(row: Row, { path, kind, digits = 0 }: Leaf): string {
  const value = at(row, path)
  if (value === null) return ''
  return kind === 'number' ? (value as number).toFixed(digits) : String(value)
}

const isAbsent = (row: Row, { path, absent }: Leaf): boolean => {
  const value = at(row, path)
  return value === null || (absent !== undefined && value === absent)
}

const compare = ({ kind }: Leaf, a: string, b: string): number => {
  if (!NUMBERS.includes(kind)) return byText(a, b)
  const [left, right] = [parse(a, DIGITS), parse(b, DIGITS)]
  return left < right ? -1 : left > right ? 1 : 0
}

export const bySort =
  (sort: readonly Sorted[]) =>
  (a: Row, b: Row): number => {
    for (const { leaf, descending } of sort) {
      const [none, other] = [isAbsent(a, leaf), isAbsent(b, leaf)]
      const order = none || other ? 0 : compare(leaf, textOf(a, leaf), textOf(b, leaf))
      if (none !== other) return none ? 1 : -1
      if (order !== 0) return descending ? -order : order
    }
    return 0
  }

export function holds(row: Row, { leaf, operator, values }: Filter): boolean {
  const text = textOf(row, leaf)
  const none = isAbsent(row, leaf)
  if (operator.startsWith('!')) return !holds(row, { leaf, operator: operator.slice(1), values })
  if (operator === '~') return values.some((value) => contains(text, value))
  return values.some((value) => {
    if (operator === '=' && (value === '' || value === leaf.absent)) return none || text === ''
    if (none) return false
    const isDay = leaf.kind === 'timestamp' && value.length === 10
    const order = compare(leaf, isDay ? text.slice(0, 10) : text, value)
    return { '=': order === 0, '<': order < 0, '<=': order <= 0, '>': order > 0, '>=': order >= 0 }[operator] as boolean
  })
}

/** Ignoring case, letter by letter. */
function contains(text: string, part: string): boolean {
  const [letters, wanted] = [[...text], [...part]]
  return letters.some((_letter, from) =>
    wanted.every((letter, i) =>
      [letter, letter.toLowerCase(), letter.toUpperCase()].includes(letters[from + i] as string),
    ),
  )
}

export const view = (rows: readonly Row[], leaves: readonly Leaf[], { sort, filters, words }: View): Row[] => {
  const searched = leaves.filter(({ kind }) => SEARCHED.includes(kind))
  return rows
    .filter((row) => filters.every((filter) => holds(row, filter)))
    .filter((row) => words.every((word) => searched.some((leaf) => contains(textOf(row, leaf), word))))
    .sort(bySort(sort))
}

/** The number of records, and the sum of each field that can be added up; cancelled documents count if a filter names their state. */
export function totals(
  all: readonly Row[],
  leaves: readonly Leaf[],
  { cancelled, filtered = [] }: { cancelled?: Cancelled | undefined; filtered?: readonly string[] } = {},
): Row {
  const leavesOut = cancelled !== undefined && !filtered.includes(cancelled.field)
  const rows = leavesOut ? all.filter((row) => row[cancelled.field] !== cancelled.is) : all
  const record: Record<string, unknown> = { rows: rows.length }
  const added = leaves.filter(({ additive }) => additive)
  const sumIn = (rows: readonly Row[], leaf: Leaf): string => {
    const values = rows.filter((row) => !isAbsent(row, leaf)).map((row) => parse(textOf(row, leaf), leaf.digits ?? 0))
    return format(sum(values), leaf.digits ?? 0)
  }
  for (const leaf of added) {
    const { path, unit } = leaf
    let inside = record
    for (const name of path.slice(0, -1)) {
      inside[name] ??= {}
      inside = inside[name] as Record<string, unknown>
    }
    const units = new Set(rows.filter((row) => !isAbsent(row, leaf)).map((row) => unit && (row[unit] ?? '')))
    inside[path.at(-1) as string] = unit !== undefined && units.size > 1 ? null : sumIn(rows, leaf)
  }
  if (cancelled !== undefined) record['_cancelled'] = all.length - rows.length
  const quantities = added.filter(({ unit }) => unit !== undefined)
  if (quantities.length > 0) record['_by_unit'] = byUnit(rows, quantities, sumIn)
  return record
}

function byUnit(
  rows: readonly Row[],
  quantities: readonly Leaf[],
  sumIn: (rows: readonly Row[], leaf: Leaf) => string,
) {
  const units = new Set(
    quantities.flatMap((leaf) => rows.filter((row) => !isAbsent(row, leaf)).map((row) => row[leaf.unit as string])),
  )
  return [...units]
    .sort((a, b) => (a === null ? 1 : b === null ? -1 : byText(String(a), String(b))))
    .map((of) => ({
      unit: of,
      ...Object.fromEntries(
        quantities.map((leaf) => {
          const some = rows.filter((row) => !isAbsent(row, leaf) && row[leaf.unit as string] === of)
          return [leaf.path.join('_'), some.length === 0 ? null : sumIn(some, leaf)]
        }),
      ),
    }))
}
