/** One report with its parameters: read it whole, by pages, by changes, as totals, or as a file. */
import type { Choice, Chosen, Filter, SortField } from './fields.js'
import { type FileFormat, type FileOptions, fileFormats } from './formats.js'
import type {
  AnyColumn,
  AnyFigures,
  Compared,
  ComparedColumns,
  ComparedName,
  GroupBy,
  GroupColumns,
  MeasureOf,
  RecordOf,
} from './groups.js'
import { writeWhole } from './save.js'
import { type Asked, ConnectionError, GoneError, lost, type Transport } from './transport.js'

/** Options of a walk over pages. */
export interface WalkOptions {
  /** Records of a page, 1000 by default, 5000 at most. */
  readonly perPage?: number
  /**
   * The reaction when a load has replaced the data and the service no longer keeps the version that the walk began with:
   * `throw` a GoneError, or `restart` at page 1 of the present version, whose first page has `restarted: true`. `throw` by default.
   */
  readonly onGone?: 'throw' | 'restart'
  readonly signal?: AbortSignal
}

/** A page of a walk; all pages of a walk have the same version. */
export interface Page<R> {
  readonly records: readonly R[]
  /** From 1. */
  readonly number: number
  readonly pages: number
  readonly total: number
  /** The version of the data. */
  readonly version: number
  /** True on the first page after a restart: discard the records of the pages before it. */
  readonly restarted: boolean
}

/** The changes since a token. */
export interface Changes<R, K> {
  /** New and changed records: put each in place of the record with the same key. */
  readonly records: readonly R[]
  /** The keys of the removed records. */
  readonly removed: readonly K[]
  /** For the next call. Store it only after you have stored the changes. */
  readonly token: string
  readonly version: number
}

/**
 * Which records of a report, in which order, and with which fields. Fields are named as in a record; a field of an object as
 * `billing.city`. `N` names the single values of a record, `F` the chosen fields.
 */
export interface ViewOptions<N extends string = string, F extends string = string> {
  /** Fields to sort by; a minus before a field sorts descending: `['-total_amt', 'invoice_no']`. */
  readonly sort?: SortField<N> | readonly SortField<N>[]
  /** Conditions that a record must meet, all of them: `'total_amt>=1000'`, `'warehouse=Pune|Mumbai'`; see docs/guide.md. */
  readonly filter?: Filter<N> | readonly Filter<N>[]
  /** Words that a record must have. */
  readonly search?: string
  /** Only these fields, in this order; all by default. */
  readonly fields?: readonly F[]
}

/** Groups of records, and their figures. */
export interface GroupOptions<By extends string = string, M extends string = string> {
  /** Fields, and periods of dates: `['customer_name', 'month(invoice_date)']`. Where a quantity is measured, its unit is a group too. */
  readonly by: readonly By[]
  /** Figures: `['sum(total_amt)', 'avg(rate)']`; every sum by default. Each group has the number of its records, `rows`. */
  readonly measures?: readonly M[]
}

/** The earlier period: as many days or whole months before, or the same days a month, a quarter or a year before. */
export type Comparison = 'previous' | 'month' | 'quarter' | 'year'

/** Which groups, or which records of a comparison, in which order, and with which fields. */
export interface DerivedOptions<N extends string = string, F extends string = string> {
  readonly sort?: SortField<N> | readonly SortField<N>[]
  /** Conditions that a group must meet, or a record beside the earlier one: `'total_amt__change<0'`. */
  readonly having?: Filter<N> | readonly Filter<N>[]
  readonly fields?: readonly F[]
}

/** A record that differs between two versions. Names of fields inside objects have dots: `billing.city`. */
export interface Difference<K> {
  readonly change: 'new' | 'gone' | 'changed'
  readonly key: K
  readonly fields: Readonly<Record<string, { readonly before: unknown; readonly after: unknown }>>
}

/** A way to read records. */
export interface Readable<R> extends AsyncIterable<R> {
  rows(options?: Omit<WalkOptions, 'onGone'>): AsyncGenerator<R>
  all(options?: { readonly signal?: AbortSignal }): Promise<R[]>
  pages(options?: WalkOptions): AsyncGenerator<Page<R>>
  file(format: FileFormat, options?: FileOptions): Promise<ReportFile>
  save(path: string, options?: SaveOptions): Promise<SavedFile>
}

/** Groups, or records beside those of an earlier period. `N` names the single values of a record. */
export interface Derived<R, N extends string = string> extends Readable<R> {
  view<const F extends Choice<R, N> = never>(
    options: DerivedOptions<N, F>,
  ): Derived<[F] extends [never] ? R : Chosen<R, F>, N>
}

/** Groups with these columns. */
export interface Groups<C extends AnyColumn> extends Derived<RecordOf<C>, C[0]> {
  /** Each figure beside its value in an earlier period: `total_amt`, `total_amt__before`, `total_amt__change`. */
  compare(earlier: Comparison): Derived<RecordOf<ComparedColumns<C>>, ComparedColumns<C>[0]>
}

/** `format` is by default the extension of the path, such as `csv` of `invoices.csv`. */
export interface SaveOptions extends FileOptions {
  readonly format?: FileFormat
}

/** A report that was saved. */
export interface SavedFile {
  readonly path: string
  readonly bytes: number
  readonly records: number
  readonly version: number
}

export interface ReportInfo {
  readonly id: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** The paths of decimals in a record. */
  readonly decimals: readonly string[]
  /** A saved view, which has its fields already. */
  readonly isView?: true
}

const LARGEST_PAGE = 5000
/** Parameters of a link to the next page that keep a walk at one version, and a saved view at the days of its first page. */
const PINS = ['snapshot', 'on']
const PAGE = 1000
/** How often a whole report is started again because the data changed. */
const RESTARTS = 10
/** How often a file is fetched, if the connection is lost before the end. */
const TRIES = 3

interface Envelope<R, K> {
  readonly data: R[]
  readonly removed?: K[]
  readonly _since?: { readonly token: string; readonly version: number }
  readonly _links?: { readonly next?: { readonly href: string } }
  readonly _meta?: { readonly totalCount: number; readonly pageCount: number; readonly currentPage: number }
}

/** Replaces the decimals at these paths of a record. */
export type Converter = (record: unknown, paths: readonly string[]) => void

/**
 * `R` is a record, `K` the key of a record, `T` the totals of all records, `N` the names of a record's single values, and `G` the facts about
 * them that groups and comparisons need.
 */
export class Query<R, K, T, N extends string = string, G extends AnyFigures = AnyFigures> implements Readable<R> {
  readonly #transport: Transport
  readonly #report: ReportInfo
  readonly #params: object
  readonly #convert: Converter | undefined
  readonly #view: Asked

  constructor(
    transport: Transport,
    report: ReportInfo,
    params: object,
    convert: Converter | undefined,
    view: Asked = {},
  ) {
    this.#transport = transport
    this.#report = report
    this.#params = params
    this.#convert = convert
    this.#view = view
  }

  /**
   * The same report sorted, filtered, searched or with some of its fields. A view of a view keeps the settings that it does not
   * replace; filters add up. Only `fields` can be combined with `changesSince`, whose records also have their key.
   */
  view<const F extends Choice<R, N> = never>(
    options: ViewOptions<N, F>,
  ): Query<[F] extends [never] ? R : Chosen<R, F>, K, T, N, G> {
    const { sort, filter, search, fields, having } = options as ViewOptions & DerivedOptions
    const both = (name: 'filter' | 'having', more: string | readonly string[] = []) =>
      [this.#view[name] ?? [], more].flat().map(String)
    return this.#with({
      ...(sort !== undefined && { sort: [sort].flat().join(',') }),
      ...{ filter: both('filter', filter), having: both('having', having) },
      ...(search !== undefined && { search }),
      ...(fields !== undefined && { fields: fields.join(',') }),
    })
  }

  /**
   * One record for each group, in place of the records. Filter the records before you group them; the `having` of the groups' own `view`
   * chooses groups. Cancelled documents count only if `by` or a filter names their state.
   */
  group<const By extends GroupBy<N, G>, const M extends MeasureOf<N, G> = never>({
    by,
    measures,
  }: GroupOptions<By, M>): Groups<GroupColumns<R, G, By, M>> {
    return this.#with({
      ...{ group: by.join(','), sort: undefined, fields: undefined },
      ...(measures !== undefined && { measures: measures.join(',') }),
    })
  }

  /**
   * Each record beside the record with the same key of an earlier period, with 0 for the numbers of a record that only one of both has. Only for
   * reports with `from_date` and `to_date`. Lists of lines are left out.
   */
  compare(
    earlier: Comparison,
  ): Derived<Compared<R, Exclude<G['numbers'], keyof K>>, ComparedName<N, Exclude<G['numbers'], keyof K>>> {
    return this.#with({ compare: earlier })
  }

  /**
   * The same report as it was known earlier: at a version of the data, at the end of a day (`'2026-10-31'`), or at a moment. Throws a
   * GoneError if the service no longer keeps that version.
   */
  asKnown(when: number | string | Date): Query<R, K, T, N, G> {
    return this.#with({ as_known: when instanceof Date ? when.toISOString() : String(when) })
  }

  /**
   * What is new, gone or changed since an earlier version, a day or a moment, by the key of each record. The fields of a record have their values
   * before and after; those of a new record only after, those of a record that is gone only before.
   */
  against(when: number | string | Date): Derived<Difference<K>> {
    return this.#with({ against: when instanceof Date ? when.toISOString() : String(when) })
  }

  /** The same query with more settings; its records may have another type. */
  #with(view: Asked): never {
    const all = { ...this.#view, ...view }
    return new Query(this.#transport, this.#report, this.#params, this.#convert, all) as never
  }

  /** The number of records, and the exact sums of the fields that can be added up. */
  async totals({ signal }: { readonly signal?: AbortSignal } = {}): Promise<T> {
    const { envelope } = await this.#json({ totals: 'yes', sort: undefined, fields: undefined }, signal)
    return envelope.data[0] as unknown as T
  }

  /** The records one by one, all of one version; throws a GoneError if the service drops that version meanwhile. */
  async *[Symbol.asyncIterator](): AsyncGenerator<R> {
    yield* this.rows()
  }

  /** The records one by one, with a page size for the requests and a signal that ends the walk. */
  async *rows({ perPage = LARGEST_PAGE, signal }: Omit<WalkOptions, 'onGone'> = {}): AsyncGenerator<R> {
    for await (const { records } of this.pages({ perPage, ...(signal && { signal }) })) yield* records
  }

  /** All records, of one version; starts again if a load replaces the data meanwhile. */
  async all({ signal }: { readonly signal?: AbortSignal } = {}): Promise<R[]> {
    let all: R[] = []
    for await (const { records, restarted } of this.pages({
      perPage: LARGEST_PAGE,
      onGone: 'restart',
      ...(signal && { signal }),
    })) {
      if (restarted) all = []
      for (const record of records) all.push(record)
    }
    return all
  }

  /** The pages, all of one version. */
  async *pages({ perPage = PAGE, onGone = 'throw', signal }: WalkOptions = {}): AsyncGenerator<Page<R>> {
    let [number, restarts, restarted] = [1, 0, false]
    let pinned: Asked = {}
    while (true) {
      let page: { envelope: Envelope<R, K>; version: number }
      try {
        page = await this.#json({ page: number, 'per-page': perPage, ...pinned }, signal)
      } catch (error) {
        if (!(error instanceof GoneError) || onGone === 'throw' || restarts++ >= RESTARTS) throw error
        ;[number, pinned, restarted] = [1, {}, true]
        continue
      }
      const { data, _meta, _links } = page.envelope
      const { totalCount = data.length, pageCount = 1 } = _meta ?? {}
      yield { records: data, number, pages: pageCount, total: totalCount, version: page.version, restarted }
      restarted = false
      const next = _links?.next && new URL(_links.next.href).searchParams
      if (next === undefined) return
      number++
      pinned = Object.fromEntries([...next].filter(([name]) => PINS.includes(name)))
    }
  }

  /**
   * The changes since an earlier call. Without a token, or with `start`, every record is new. Throws a GoneError if the service no
   * longer keeps the token: begin again with `start`.
   */
  async changesSince(token = 'start', { signal }: { readonly signal?: AbortSignal } = {}): Promise<Changes<R, K>> {
    const { envelope, version } = await this.#json({ since: token }, signal)
    const { data, removed = [], _since } = envelope
    return { records: data, removed, token: _since?.token ?? '', version: _since?.version ?? version }
  }

  /** The whole report as a file: its name, and its bytes as they arrive. Reading them fails if the connection is lost. */
  async file(format: FileFormat, { signal, ...options }: FileOptions = {}): Promise<ReportFile> {
    return await this.#transport.call({ ...this.#call({ format, ...options }), signal }, async (response) => {
      const { headers } = response
      return {
        name: /filename="([^"]+)"/.exec(headers.get('content-disposition') ?? '')?.[1] ?? `report.${format}`,
        version: Number(headers.get('x-data-version')),
        records: Number(headers.get('x-record-count')),
        bytes: response.body as ReadableStream<Uint8Array>,
      }
    })
  }

  /**
   * Writes the whole report to a file, which appears whole or not at all; in Node, Deno and Bun. Fetches it again if the connection is
   * lost before the end.
   */
  async save(path: string, { format = formatOf(path), ...options }: SaveOptions = {}): Promise<SavedFile> {
    for (let attempt = 1; ; attempt++) {
      const { bytes, records, version } = await this.file(format, options)
      try {
        return { path, bytes: await writeWhole(path, piecesOf(bytes)), records, version }
      } catch (error) {
        options.signal?.throwIfAborted()
        if (!(error instanceof ConnectionError) || attempt >= TRIES) throw error
      }
    }
  }

  #call(asked: Asked) {
    const { method, path } = this.#report
    const query = { ...(!this.#report.isView && { fields: 'all' }), ...this.#view, ...asked }
    const given = Object.entries(this.#params).filter(([, value]) => value !== undefined)
    return method === 'GET'
      ? { method, path, query: { ...Object.fromEntries(given), ...query } }
      : { method, path, query, body: Object.fromEntries(given) }
  }

  async #json(query: Asked, signal: AbortSignal | undefined): Promise<{ envelope: Envelope<R, K>; version: number }> {
    const found = await this.#transport.call({ ...this.#call(query), signal }, async (response) => ({
      envelope: (await response.json()) as Envelope<R, K>,
      version: Number(response.headers.get('x-data-version')),
    }))
    if (this.#convert !== undefined && this.#view['against'] === undefined) {
      const paths = decimalsOf(this.#report, this.#view)
      for (const record of [...found.envelope.data, ...(found.envelope.removed ?? [])]) this.#convert(record, paths)
    }
    return found
  }
}

/** The paths of decimals in the records of a view: averages, smallest and largest values are in columns of their own. */
function decimalsOf({ decimals }: ReportInfo, { measures = '', compare }: Asked): readonly string[] {
  const measured = [...String(measures).matchAll(/(avg|min|max)\(([^)]*)\)/g)]
    .filter(([, name, field = '']) => name === 'avg' || decimals.includes(field))
    .map(([, name, field]) => `${field}_${name}`)
  const all = [...decimals, ...measured]
  return compare === undefined ? all : all.flatMap((path) => [path, `${path}__before`, `${path}__change`])
}

/** A report as a file. */
export interface ReportFile {
  readonly name: string
  readonly version: number
  readonly records: number
  readonly bytes: ReadableStream<Uint8Array>
}

function formatOf(path: string): FileFormat {
  const found = fileFormats.find((format) => path.toLowerCase().endsWith(`.${format}`))
  if (found !== undefined) return found
  throw new TypeError(
    `${path} must end with one of ${fileFormats.map((format) => `.${format}`).join(', ')}; or set format`,
  )
}

/** Reading fails with a ConnectionError if the connection is lost. */
async function* piecesOf(bytes: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = bytes.getReader()
  try {
    while (true) {
      const { done, value } = await reader.read().catch(lost)
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
