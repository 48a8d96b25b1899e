/** Fetches a report: builds the request, and fetches the rows of a table page by page at one version. */
import { signal } from '@preact/signals'
import { asFailure, type Failure, type Sent, send } from './api.js'
import { type CatalogueReport, type Flat, flatten, type Row, shapeOf, type Values, valueIn } from './catalogue.js'
import { CHANGE, changedIn, filled, filtersFor, rowOf, type SentDifference } from './differences.js'
import { parseExact } from './numbers.js'

/** The records that a view shows, their order, groups and comparison: the parameters of the query string, as in src/kernel/report/view.ts. */
export interface View {
  /** The columns in their order, with commas between them. */
  readonly fields?: string | undefined
  readonly sort?: string | undefined
  readonly filter?: readonly string[] | undefined
  readonly search?: string | undefined
  readonly group?: string | undefined
  readonly measures?: string | undefined
  readonly having?: readonly string[] | undefined
  readonly compare?: string | undefined
  /** A version of the data, a day or a moment: the report as it was known then. */
  readonly as_known?: string | undefined
  /** What changed since then. */
  readonly against?: string | undefined
}

/** The parameters of a view, in this order in every URL. */
export function viewParams(view: View): [string, string][] {
  const one = (name: Exclude<keyof View, 'filter' | 'having'>): [string, string][] => {
    const text = view[name]
    return text ? [[name, text]] : []
  }
  const all = (name: 'filter' | 'having') => (view[name] ?? []).map((text): [string, string] => [name, text])
  return [
    ...[...one('fields'), ...one('group'), ...one('measures'), ...one('compare'), ...one('sort')],
    ...[...all('filter'), ...all('having'), ...one('search'), ...one('as_known'), ...one('against')],
  ]
}

export interface Request {
  readonly path: string
  readonly method: string
  readonly body?: Readonly<Record<string, unknown>>
}

/** `extra` has further parameters of the query string, such as page and format. */
export function requestOf(
  report: CatalogueReport,
  values: Values,
  view: View = {},
  extra: Readonly<Record<string, string>> = {},
): Request {
  const query = new URLSearchParams()
  if (report.method === 'GET') for (const [name, value] of Object.entries(values)) query.append(name, value)
  for (const [name, value] of viewParams(view)) query.append(name, value)
  for (const [name, value] of Object.entries(extra)) query.set(name, value)
  const text = query.toString()
  const path = text === '' ? report.path : `${report.path}?${text}`
  return report.method === 'GET' ? { path, method: 'GET' } : { path, method: 'POST', body: bodyOf(report, values) }
}

/** Sends numbers in the JSON type of the contract. */
function bodyOf({ params }: CatalogueReport, values: Values): Record<string, unknown> {
  return Object.fromEntries(
    params.flatMap(({ name, type }) => {
      const value = values[name]
      if (value === undefined) return []
      return [[name, 'wire' in type && type.wire === 'number' ? Number(value) : value]]
    }),
  )
}

export const sentOf = ({ method, body }: Request, signal?: AbortSignal): Sent => ({
  method,
  ...(body && { body }),
  signal,
})

interface Found {
  readonly rows: Row[]
  readonly total: number
  /** For requests of other pages of the same version. */
  readonly pin: string | undefined
  readonly version: number
}

interface PageBody {
  readonly data: Row[]
  readonly _links?: { readonly next?: { readonly href: string }; readonly last?: { readonly href: string } }
}

/** One page, at the newest version unless `snapshot` pins another. */
async function page(
  report: CatalogueReport,
  values: Values,
  view: View,
  extra: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
): Promise<Found> {
  const request = requestOf(report, values, view, extra)
  const response = await send(request.path, sentOf(request, signal))
  const body = (hasNumbers(report) ? parseExact(await response.text()) : await response.json()) as PageBody
  const rows = view.against ? body.data.map((one) => rowOf(one as unknown as SentDifference)) : body.data
  const total = Number(response.headers.get('x-pagination-total-count') ?? body.data.length)
  const href = body._links?.next?.href ?? body._links?.last?.href
  const pin =
    href === undefined ? undefined : (new URL(href, location.origin).searchParams.get('snapshot') ?? undefined)
  return { rows, total, pin, version: Number(response.headers.get('x-data-version')) }
}

/** Whether a column is sent as a JSON number with decimals; most are texts. */
const hasNumbers = ({ shapes }: CatalogueReport): boolean =>
  shapes.some(({ columns }) => flatten(columns).some(({ column }) => column.kind === 'number'))

const SIZE = 100
/** Pages that stay in memory; the pages furthest from the view are evicted first. */
const KEPT = 400

/** The rows of a report in its order, of one version of the data. */
export class Rows {
  /** Undefined until the first page has arrived. */
  readonly total = signal<number | undefined>(undefined)
  readonly version = signal<number | undefined>(undefined)
  readonly failure = signal<Failure | undefined>(undefined)
  /** Milliseconds that the first page took. */
  readonly took = signal<number | undefined>(undefined)
  /** When the first page arrived. */
  readonly fetchedAt = signal<string | undefined>(undefined)
  /** The sums over all rows, and their version. */
  readonly totals = signal<{ readonly row: Row; readonly version: number } | undefined>(undefined)
  /** Goes up when rows arrive. */
  readonly revision = signal(0)
  /** Of differences: the fields that changed in the first page; undefined for rows that are no differences. */
  readonly changed = signal<ReadonlySet<string> | undefined>(undefined)
  readonly #pages = new Map<number, Row[]>()
  readonly #loading = new Map<number, AbortController>()
  /** Failed pages; only `retry` requests them again. */
  readonly #failed = new Set<number>()
  readonly #report: CatalogueReport
  readonly #values: Values
  readonly #view: View
  #pin: string | undefined
  #ended = false

  constructor(report: CatalogueReport, values: Values, view: View) {
    this.#report = report
    this.#values = values
    this.#view = view
  }

  row(index: number): Row | undefined {
    return this.#pages.get(Math.floor(index / SIZE))?.[index % SIZE]
  }

  /** Fetches the missing pages of these rows, and cancels requests for pages far from them. */
  need(first: number, last: number): void {
    if (this.#ended) return
    const [from, to] = [Math.floor(first / SIZE), Math.floor(last / SIZE)]
    for (const [number, controller] of this.#loading)
      if (this.total.peek() !== undefined && (number < from - 1 || number > to + 1)) {
        controller.abort()
        this.#loading.delete(number)
      }
    // Other pages wait for the version of the first page, or they could have different versions.
    const end = this.total.peek() === undefined ? from : to
    for (let number = from; number <= end; number++)
      if (!this.#pages.has(number) && !this.#loading.has(number) && !this.#failed.has(number)) void this.#load(number)
  }

  async #load(number: number): Promise<void> {
    const controller = new AbortController()
    this.#loading.set(number, controller)
    const began = performance.now()
    try {
      const extra = {
        fields: 'all',
        page: String(number + 1),
        'per-page': String(SIZE),
        ...(this.#pin && { snapshot: this.#pin }),
      }
      const found = await page(this.#report, this.#values, this.#view, extra, controller.signal)
      if (this.#ended || this.#loading.get(number) !== controller) return
      if (this.total.peek() === undefined) {
        this.took.value = Math.round(performance.now() - began)
        this.fetchedAt.value = new Date().toISOString()
      }
      this.#pin ??= found.pin
      this.#pages.set(number, found.rows)
      this.#forget(number)
      if (this.#view.against) {
        this.changed.value ??= changedIn(found.rows)
        if (!this.#view.group) void this.#fill(number, found, controller.signal)
      }
      this.total.value = found.total
      this.version.value = found.version
      this.failure.value = undefined
      this.revision.value++
    } catch (error) {
      if ((error as Error).name === 'AbortError' || this.#ended) return
      this.#failed.add(number)
      this.failure.value = asFailure(error)
    } finally {
      if (this.#loading.get(number) === controller) this.#loading.delete(number)
    }
  }

  /** Adds the values that did not change to the differences of a page, of which the service sends the others. */
  async #fill(number: number, { rows, version }: Pick<Found, 'rows' | 'version'>, signal: AbortSignal): Promise<void> {
    try {
      const whole = await withUnchanged(this.#report, this.#values, this.#view, { rows, version }, signal)
      if (this.#ended || this.#pages.get(number) !== rows) return
      this.#pages.set(number, whole)
      this.revision.value++
    } catch {} // their cells stay empty
  }

  /** Requests the failed pages again. */
  retry(): void {
    this.#failed.clear()
    this.failure.value = undefined
    this.revision.value++
    if (this.total.peek() === undefined) this.need(0, 0)
  }

  /** The first row in memory that passes. */
  find(passes: (row: Row) => boolean): number | undefined {
    for (const [number, rows] of this.#pages) {
      const at = rows.findIndex(passes)
      if (at >= 0) return number * SIZE + at
    }
    return undefined
  }

  #forget(near: number): void {
    if (this.#pages.size <= KEPT) return
    const far = [...this.#pages.keys()].sort((a, b) => Math.abs(b - near) - Math.abs(a - near))
    for (const number of far.slice(0, this.#pages.size - KEPT)) this.#pages.delete(number)
  }

  /** Cancels all running requests. */
  end(): void {
    this.#ended = true
    for (const controller of this.#loading.values()) controller.abort()
  }
}

/** The sums over all records of a view, and their number. */
export async function totalsOf(
  report: CatalogueReport,
  values: Values,
  { filter, search, compare, as_known, against }: View,
  signal?: AbortSignal,
): Promise<{ row: Row; version: number }> {
  const request = requestOf(report, values, { filter, search, compare, as_known, against }, { totals: 'yes' })
  const response = await send(request.path, sentOf(request, signal))
  const body = (await response.json()) as PageBody
  return { row: body.data[0] ?? {}, version: Number(response.headers.get('x-data-version')) }
}

/** The most frequent values of a field with the number of rows of each, and the number of different values. */
export async function valueCounts(
  report: CatalogueReport,
  values: Values,
  { filter, search, as_known }: View,
  { name, path }: Pick<Flat, 'name' | 'path'>,
  most: number,
  signal?: AbortSignal,
): Promise<{ counts: { value: string; rows: number }[]; total: number }> {
  const extra = { group: name, measures: 'rows', sort: '-rows', page: '1', 'per-page': String(most) }
  const found = await page(report, values, { filter, search, as_known }, extra, signal)
  const counts = found.rows.map((row) => ({ value: String(valueIn(row, path) ?? ''), rows: Number(row['rows']) }))
  return { counts, total: found.total }
}

const LARGEST = 5000

/** All records of a view, of one version, up to `most`. */
export async function allRows(
  report: CatalogueReport,
  values: Values,
  view: View = {},
  { most = 100_000, signal }: { most?: number; signal?: AbortSignal | undefined } = {},
): Promise<{ rows: Row[]; total: number; version: number }> {
  const rows: Row[] = []
  let pin: string | undefined
  for (let number = 1; ; number++) {
    const size = Math.min(LARGEST, most)
    const extra = { fields: 'all', page: String(number), 'per-page': String(size), ...(pin && { snapshot: pin }) }
    const found = await page(report, values, view, extra, signal)
    rows.push(...found.rows)
    pin ??= found.pin
    if (rows.length >= Math.min(found.total, most) || found.rows.length === 0)
      return { rows, total: found.total, version: found.version }
  }
}

const FEW_FILTERS = 3

/** Differences with the values of their records that did not change. */
export async function withUnchanged(
  report: CatalogueReport,
  values: Values,
  { as_known }: View,
  { rows, version }: Pick<Found, 'rows' | 'version'>,
  signal?: AbortSignal,
): Promise<Row[]> {
  const shape = shapeOf(report, values)
  if (shape === undefined) return rows
  const filters = filtersFor(
    shape.key,
    rows.filter((row) => row[CHANGE] === 'changed'),
  )
  // One request for all records takes less than many for some of them, unless there are too many.
  if (filters.length > FEW_FILTERS) {
    const found = await allRows(report, values, { as_known }, { most: LARGEST, signal })
    if (found.total <= LARGEST) return found.version === version ? filled(shape, rows, found.rows) : rows
  }
  let whole = rows
  for (const filter of filters) {
    const found = await allRows(report, values, { filter, as_known }, { most: LARGEST, signal })
    if (found.version !== version) break
    whole = filled(shape, whole, found.rows)
  }
  return whole
}
