/** The paths of things. */
import type { ThingKind } from '../../../src/kernel/report/fields.js'

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
