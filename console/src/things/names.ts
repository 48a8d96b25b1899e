/** The paths of things, and the things that a value of a record names. */
import type { Thing, ThingKind } from '../../../src/kernel/report/fields.js'
import { type Flat, isAbsent, type Row, type ValueColumn, valueIn } from '../catalogue.js'

export type { ThingKind }

export interface Named {
  readonly kind: ThingKind
  readonly word: string
  /** The first part of its path. */
  readonly folder: string
  /** Number of codes that name one. */
  readonly codes: number
}

export const THINGS: readonly Named[] = [
  { kind: 'item', word: 'Item', folder: 'items', codes: 1 },
  { kind: 'batch', word: 'Batch', folder: 'batches', codes: 2 },
  { kind: 'customer', word: 'Customer', folder: 'customers', codes: 1 },
  { kind: 'vendor', word: 'Vendor', folder: 'vendors', codes: 1 },
  { kind: 'order', word: 'Sales order', folder: 'orders', codes: 1 },
  { kind: 'purchase-order', word: 'Purchase order', folder: 'purchase-orders', codes: 1 },
  { kind: 'invoice', word: 'Invoice', folder: 'invoices', codes: 1 },
  { kind: 'work-order', word: 'Work order', folder: 'work-orders', codes: 1 },
]

export function thingUrl(kind: ThingKind, codes: readonly string[]): string {
  const folder = THINGS.find((one) => one.kind === kind)?.folder
  return `/${[folder, ...codes.map(encodeURIComponent)].join('/')}`
}

/** The thing of a path; undefined for any other path. */
export function thingAt(path: string): { readonly named: Named; readonly codes: readonly string[] } | undefined {
  const [, folder, ...parts] = path.split('/')
  const named = THINGS.find((one) => one.folder === folder)
  if (named === undefined || parts.length !== named.codes) return undefined
  const codes = parts.map(decoded)
  return codes.includes('') ? undefined : { named, codes }
}

/** A part of a path without percent-encoding; unchanged if its encoding is broken. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export interface Link {
  readonly text: string
  readonly url: string
}

/** Links to the things that a value names, in place of its text; empty if it names none. */
export function linksIn(row: Row, { path, column }: Flat): Link[] {
  if (!('things' in column) || column.things === undefined) return []
  const value = valueIn(row, path)
  if (value === '' || isAbsent(value, column as ValueColumn)) return []
  for (const thing of column.things) {
    const codes = thing.by.map((name) => valueIn(row, name.split('.')))
    if (!applies(thing, row) || codes.some((code) => typeof code !== 'string' || code === '')) continue
    const all = codes as string[]
    if (thing.separator === undefined) return [{ text: String(value), url: thingUrl(thing.kind, all) }]
    return String(value)
      .split(thing.separator)
      .map((text) => ({ text, url: thingUrl(thing.kind, [text]) }))
  }
  return []
}

const applies = ({ when, unless }: Thing, row: Row): boolean =>
  (when === undefined || valueIn(row, when.field.split('.')) === when.is) &&
  (unless === undefined || valueIn(row, unless.field.split('.')) !== unless.is)
