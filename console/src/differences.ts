/** The differences between two versions of a report (`against`). Each is a row of the report's table, and knows its values before. */
import { type CatalogueReport, type Flat, type KeyPart, type Row, valueIn } from './catalogue.js'
import { add, negated } from './numbers.js'
import { literal } from './report/filters.js'

export type Change = 'new' | 'gone' | 'changed'

/** As the service sends it; names have the names of the objects around them, such as `billing.city`. */
export interface SentDifference {
  readonly change: Change
  readonly key: Row
  readonly fields: Readonly<Record<string, { readonly before: unknown; readonly after: unknown }>>
}

export interface Difference extends SentDifference {
  /** The record before; the row itself is the record after, or before if it is gone. */
  readonly before: Row
}

/** The column that says how a row changed. */
export const CHANGE = '_change'

const differences = new WeakMap<Row, Difference>()
/** Undefined for a row that is no difference. */
export const differenceOf = (row: Row): Difference | undefined => differences.get(row)

/** `rest` has the values that did not change. */
export function rowOf(sent: SentDifference, rest: Row = {}): Row {
  const side = (name: 'before' | 'after') => {
    const values = Object.entries(sent.fields).map(([field, both]): [string, unknown] => [field, both[name]])
    return built(rest, [...Object.entries(sent.key), ...values])
  }
  const before = side('before')
  const row = { ...(sent.change === 'gone' ? before : side('after')), [CHANGE]: sent.change }
  differences.set(row, { ...sent, before })
  return row
}

function built(rest: Row, values: readonly (readonly [string, unknown])[]): Row {
  const made = structuredClone(rest) as Record<string, unknown>
  for (const [name, value] of values) {
    const path = name.split('.')
    let inside = made
    for (const part of path.slice(0, -1)) {
      inside[part] ??= {}
      inside = inside[part] as Record<string, unknown>
    }
    inside[path.at(-1) as string] = value
  }
  return made
}

/** Whether the row has this field with another value than before. */
export const isChanged = (row: Row, { name }: Pick<Flat, 'name'>): boolean => {
  const found = differences.get(row)
  return found?.change === 'changed' && Object.hasOwn(found.fields, name)
}

/** The names of the fields that changed in any of the rows. */
export const changedIn = (rows: readonly Row[]): ReadonlySet<string> =>
  new Set(
    rows.flatMap((row) => {
      const found = differences.get(row)
      return found?.change === 'changed' ? Object.keys(found.fields) : []
    }),
  )

/** How much the row adds to the difference of a sum. */
export function contribution(row: Row, field: string): string {
  const found = differences.get(row)
  const [was, is] = [found?.before, found?.change === 'gone' ? undefined : row]
  if (found?.change === 'changed' && !Object.hasOwn(found.fields, field)) return '0'
  const at = (one: Row | undefined) => String((one && valueIn(one, field.split('.'))) ?? '0')
  return add(at(is), negated(at(found?.change === 'new' ? undefined : was)))
}

/** `after − before`; undefined if one of them is no number. */
export function changeOf(row: Row, { name }: Pick<Flat, 'name'>): string | undefined {
  const { before, after } = differences.get(row)?.fields[name] ?? {}
  const [was, is] = [before, after].map((value) => (value === null || value === undefined ? '' : String(value)))
  return isNumber(was) && isNumber(is) ? add(is, negated(was)) : undefined
}

const isNumber = (text: string | undefined): text is string => /^-?\d+(\.\d+)?$/.test(text ?? '')

/** The longest filter that the service accepts. */
const LONGEST = 500

/** Filters that the records of these rows pass, by the parts of their key that they show. */
export const keyFilter = (key: readonly KeyPart[], rows: readonly Row[]): string[] =>
  key.flatMap(({ path }) => {
    if (path === undefined) return []
    const values = new Set(rows.map((row) => literal(String(valueIn(row, path) ?? ''))))
    return `${path.join('.')}=${[...values].join('|')}`
  })

/** Filters that find the records of these keys, each for as many rows as fit into it; none if the records do not show their key. */
export function filtersFor(key: readonly KeyPart[], rows: readonly Row[]): readonly (readonly string[])[] {
  if (key.length === 0 || key.some(({ path }) => path === undefined)) return []
  const found: Row[][] = []
  for (const row of rows) {
    const last = found.at(-1)
    if (last !== undefined && keyFilter(key, [...last, row]).every((text) => text.length <= LONGEST)) last.push(row)
    else found.push([row])
  }
  return found.map((some) => keyFilter(key, some))
}

/** The rows with the values that did not change, as far as `records` has them. */
export function filled(
  { key }: Pick<CatalogueReport['shapes'][number], 'key'>,
  rows: readonly Row[],
  records: readonly Row[],
): Row[] {
  const textOf = (row: Row) => JSON.stringify(key.map(({ path = [] }) => valueIn(row, path)))
  const byKey = new Map(records.map((record) => [textOf(record), record]))
  return rows.map((row) => {
    const found = differences.get(row)
    const record = found?.change === 'changed' ? byKey.get(textOf(row)) : undefined
    return found === undefined || record === undefined ? row : rowOf(found, record)
  })
}
