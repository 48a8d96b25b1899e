/** What is missing, by vendor: by the stock that runs out, by a plan, or by the open orders of customers. */
import { allRows } from '../ask.js'
import { type Row, reportOf, type Values } from '../catalogue.js'
import { compare } from '../numbers.js'
import { COVER, SHORTAGE, type Source } from './reports.js'

const VENDORS = 'purchase.vendors'

export interface Missing {
  /** The report of the lines, and its values. */
  readonly report: string
  readonly values: Values
  readonly groups: readonly Group[]
  /** Number of items that need nothing. */
  readonly enough: number
}

export interface Group {
  /** Undefined for items to be made, an empty code for items whose vendor is not known. */
  readonly vendor: { readonly code: string; readonly name: string; readonly contact: string } | undefined
  readonly lines: readonly Row[]
}

export const fieldOf = (source: Source): string => (source === 'cover' ? 'order_qty' : 'to_buy_qty')

export async function missing(source: Source, plan: string, signal: AbortSignal): Promise<Missing> {
  const cover = reportOf(COVER)
  const report = reportOf(source === 'cover' ? COVER : SHORTAGE)
  if (cover === undefined || report === undefined)
    throw new Error('You may not see cover and shortages. Your operator can give you access to Insight.')
  const values: Values = source === 'plan' ? { plan } : {}
  const [found, known, vendors] = await Promise.all([
    allRows(report, values, {}, { signal }),
    allRows(cover, {}, {}, { signal }),
    namesOfVendors(signal),
  ])
  const vendorOf = new Map(known.rows.map((row) => [row['sku'], row['vendor']]))
  const groups = new Map<string | undefined, Row[]>()
  const put = (key: string | undefined, row: Row) => {
    const list = groups.get(key)
    if (list === undefined) groups.set(key, [row])
    else list.push(row)
  }
  let enough = 0
  for (const row of found.rows) {
    const isMade =
      source === 'cover' ? ['FG', 'SFG', 'COMBO'].includes(String(row['type'])) : isAbove(row, 'to_make_qty')
    const needs =
      source === 'cover' ? isAbove(row, 'order_qty') : isAbove(row, 'to_buy_qty') || isAbove(row, 'to_make_qty')
    const vendor = vendorOf.get(row['sku'])
    if (!needs) enough += 1
    else put(isMade && typeof vendor !== 'string' ? undefined : typeof vendor === 'string' ? vendor : '', row)
  }
  const inOrder = (a: Row, b: Row) =>
    compareTexts(urgencyOf(a), urgencyOf(b)) || textOf(a, 'sku').localeCompare(textOf(b, 'sku'))
  const list = [...groups].map(([code, lines]): Group & { first: string } => {
    const vendor = code === undefined ? undefined : { code, ...(vendors.get(code) ?? { name: code, contact: '' }) }
    lines.sort(inOrder)
    return { vendor, lines, first: urgencyOf(lines[0] as Row) }
  })
  // The most urgent vendor first; then items without a vendor, then what is made here.
  const rank = ({ vendor }: Group) => (vendor === undefined ? 2 : vendor.code === '' ? 1 : 0)
  list.sort((a, b) => rank(a) - rank(b) || compareTexts(a.first, b.first) || nameOf(a).localeCompare(nameOf(b)))
  return { report: report.id, values, groups: list, enough }
}

const textOf = (row: Row, name: string): string => (typeof row[name] === 'string' ? (row[name] as string) : '')
const isAbove = (row: Row, name: string): boolean => compare(textOf(row, name) || '0', '0') > 0
/** By when to order, then when it runs out: many items are due today. Rows without these days come last. */
const urgencyOf = (row: Row): string =>
  ['order_by', 'runs_out_on'].map((name) => (textOf(row, name) || '~').padStart(10)).join(' ')
const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const nameOf = ({ vendor }: Group): string => vendor?.name ?? ''

async function namesOfVendors(signal: AbortSignal): Promise<Map<string, { name: string; contact: string }>> {
  const report = reportOf(VENDORS)
  if (report === undefined) return new Map()
  const { rows } = await allRows(report, {}, {}, { signal })
  return new Map(
    rows.map((row) => [
      String(row['code']),
      {
        name: String(row['name']),
        contact: [row['phone'], row['email']].filter((one) => typeof one === 'string' && one !== '').join(' · '),
      },
    ]),
  )
}
