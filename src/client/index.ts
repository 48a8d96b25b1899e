/**
 * A typed client of Millbook's API for Node, Deno, Bun and browsers, without dependencies.
 *
 * ```ts
 * const millbook = new Millbook({ url, auth: { clientId, clientSecret, username, password } })
 * for await (const invoice of millbook.sales.invoices({ from_date: '2026-06-01', to_date: '2026-06-30' })) …
 * ```
 */
import { Query, type ReportInfo } from './query.js'
import { type Reports, reports } from './reports.js'
import { Transport, type TransportOptions } from './transport.js'

export type * from './fields.js'
export type * from './formats.js'
export type { Changes, Page, Query, ReportFile, SavedFile, SaveOptions, ViewOptions, WalkOptions } from './query.js'
export type * from './reports.js'
export { ConnectionError, type Credentials, GoneError, MillbookError, type TransportOptions } from './transport.js'

export interface MillbookOptions<D = string> extends TransportOptions {
  /** Converts the text of a decimal to your own number type, for example `(text) => new Big(text)`; strings by default. */
  readonly decimals?: (text: string) => D
}

/** `D` is the type of decimals. */
export type Millbook<D = string> = Reports<D>

/** Each report is a method of its group: `millbook.sales.invoices({ … })`. It returns a query; reading the query sends requests. */
export const Millbook = class {
  constructor(options: MillbookOptions<unknown>) {
    const transport = new Transport(options)
    for (const [group, members] of Object.entries(reports))
      Object.defineProperty(this, group, {
        enumerable: true,
        value: Object.fromEntries(
          Object.entries(members).map(([name, report]) => [
            name,
            (params: object = {}) => new Query(transport, report, params, converter(report, options.decimals)),
          ]),
        ),
      })
  }
} as unknown as new <D = string>(
  options: MillbookOptions<D>,
) => Millbook<D>

const DECIMAL = /^-?\d+(\.\d+)?$/

/** Replaces the decimals of a record in place; markers such as `N/A` stay. */
function converter(
  { decimals }: ReportInfo,
  make: ((text: string) => unknown) | undefined,
): ((record: unknown) => void) | undefined {
  if (make === undefined || decimals.length === 0) return undefined
  const at = (value: unknown, [name, ...rest]: readonly string[]): void => {
    if (Array.isArray(value)) for (const one of value) at(one, [name as string, ...rest])
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    const object = value as Record<string, unknown>
    const found = object[name as string]
    if (rest.length > 0) at(found, rest)
    else if (typeof found === 'number' || (typeof found === 'string' && DECIMAL.test(found)))
      object[name as string] = make(String(found))
  }
  const paths = decimals.map((path) => path.split('.'))
  return (record) => {
    for (const path of paths) at(record, path)
  }
}
