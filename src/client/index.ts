/**
 * A typed client of Millbook's API for Node, Deno, Bun and browsers, without dependencies.
 *
 * ```ts
 * const millbook = new Millbook({ url, auth: { clientId, clientSecret, username, password } })
 * for await (const invoice of millbook.sales.invoices({ from_date: '2026-06-01', to_date: '2026-06-30' })) …
 * ```
 */
import { type Converter, Query } from './query.js'
import { type Reports, reports } from './reports.js'
import { Transport, type TransportOptions } from './transport.js'
import { Views } from './views.js'

export type * from './fields.js'
export type * from './formats.js'
export type * from './groups.js'
export type {
  Changes,
  Comparison,
  Derived,
  DerivedOptions,
  Difference,
  GroupOptions,
  Groups,
  Page,
  Query,
  Readable,
  ReportFile,
  SavedFile,
  SaveOptions,
  ViewOptions,
  WalkOptions,
} from './query.js'
export type * from './reports.js'
export {
  type AppPassword,
  ConnectionError,
  type Credentials,
  GoneError,
  MillbookError,
  type TransportOptions,
} from './transport.js'
export type { SavedView, ViewDefinition, Views } from './views.js'

export interface MillbookOptions<D = string> extends TransportOptions {
  /** Converts the text of a decimal to your own number type, for example `(text) => new Big(text)`; strings by default. */
  readonly decimals?: (text: string) => D
}

/** `D` is the type of decimals. */
export type Millbook<D = string> = Reports<D> & { readonly views: Views }

/** Each report is a method of its group: `millbook.sales.invoices({ … })`. It returns a query; reading the query sends requests. */
export const Millbook = class {
  constructor(options: MillbookOptions<unknown>) {
    const transport = new Transport(options)
    Object.defineProperty(this, 'views', { enumerable: true, value: new Views(transport) })
    for (const [group, members] of Object.entries(reports))
      Object.defineProperty(this, group, {
        enumerable: true,
        value: Object.fromEntries(
          Object.entries(members).map(([name, report]) => [
            name,
            (params: object = {}) => new Query(transport, report, params, converter(options.decimals)),
          ]),
        ),
      })
  }
} as unknown as new <D = string>(
  options: MillbookOptions<D>,
) => Millbook<D>

const DECIMAL = /^-?\d+(\.\d+)?$/

/** Replaces decimals in place; markers such as `N/A` stay. */
function converter(make: ((text: string) => unknown) | undefined): Converter | undefined {
  if (make === undefined) return undefined
  const at = (value: unknown, [name, ...rest]: readonly string[]): void => {
    if (Array.isArray(value)) for (const one of value) at(one, [name as string, ...rest])
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    const object = value as Record<string, unknown>
    const found = object[name as string]
    if (rest.length > 0) at(found, rest)
    else if (typeof found === 'number' || (typeof found === 'string' && DECIMAL.test(found)))
      object[name as string] = make(String(found))
  }
  return (record, paths) => {
    for (const path of paths) at(record, path.split('.'))
  }
}
