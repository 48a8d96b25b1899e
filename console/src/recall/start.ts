/** What a trace starts with, as the URL of the recall page has it. */
import type { Values } from '../catalogue.js'
import type { ThingKind } from '../things/paths.js'

/** The report of every page. */
export const TRACE = 'insight.trace'

/** The parameters of the report that name a start, with their words. */
export const STARTS = {
  batch_no: 'Batch',
  invoice_no: 'Invoice',
  order_no: 'Sales order',
  grn_no: 'Goods receipt',
} as const

export type StartKind = keyof typeof STARTS

export interface Start {
  readonly by: StartKind
  readonly no: string
  /** Only of a batch: the code of its item. */
  readonly sku?: string | undefined
}

export function startOf(query: URLSearchParams): Start | undefined {
  for (const by of Object.keys(STARTS) as StartKind[]) {
    const no = query.get(by)?.trim()
    if (no) return { by, no, ...(by === 'batch_no' && { sku: query.get('sku') || undefined }) }
  }
  return undefined
}

export const valuesOf = ({ by, no, sku }: Start): Values => ({ [by]: no, ...(sku !== undefined && { sku }) })

/** A trace of the thing; undefined for kinds that no trace starts with. */
export function startAt(kind: ThingKind, codes: readonly string[]): Start | undefined {
  const no = codes.at(-1) as string
  if (kind === 'batch') return { by: 'batch_no', no, sku: codes[0] }
  return kind === 'invoice' ? { by: 'invoice_no', no } : kind === 'order' ? { by: 'order_no', no } : undefined
}

export const recallUrl = (start: Start): string => `/recall?${new URLSearchParams(valuesOf(start)).toString()}`
