/** Declares a report as a value; every surface derives its routes and its documentation from it. */
import { join, type Sql, sql } from '../../db/sql.js'
import type { Group } from '../../groups.js'
import type { Fields } from './fields.js'
import { type OrderColumn, readOrder } from './order.js'
import type { Params, Values } from './params.js'
import type { Comparison } from './ranges.js'
import type { View } from './rights.js'

export type Better = 'more' | 'less'

/** A record's fields, the query that selects the records, and their order. */
export interface Shape<P extends Params = Params> {
  readonly record: Fields
  /** The fields that people see first, in their order; a field of an object is `billing.city`. */
  readonly people?: readonly string[]
  /** Whether it is good if a figure is more, or less; of other figures nobody can say. */
  readonly better?: Readonly<Record<string, Better>>
  /** Short headings of fields whose label is long, by the field's name. */
  readonly headings?: Readonly<Record<string, string>>
  /** A total order. */
  readonly orderBy: readonly OrderColumn[]
  /** The columns of the order that the record does not show. An answer to `since` does, as `_line_no`. */
  readonly hiddenKey?: Fields
  /** The columns of the order that the caller did not choose. An answer to `since` has them too. */
  readonly unshownKey?: Fields
  /**
   * Declares a listing: a page costs no more than its own records, because an index has the order's first columns, no column
   * of the order is ever null or descending, and nothing is summed over other records. Pages of a listing are computed alone,
   * pages of other reports are cut from the whole.
   */
  readonly listing?: true
  /** Declares that some records are cancelled documents, and the value of which field says so. Totals leave them out. */
  readonly cancelled?: { readonly field: string; readonly is: string }
  /**
   * Has a column for each field of the record, and possibly more for `orderBy` and for nested lines. Whether the caller may see contact
   * data matters only to views: the kernel hides it when it writes a record. It may bind values that are
   * computed in TypeScript (`Computed` in src/db/sql.ts), unless the report is a listing.
   */
  readonly query: (values: Values<P>, view: View) => Sql
  /** Only of a listing whose records come from several sets: their queries, with the same columns and types. `query` is their union. */
  readonly parts?: (values: Values<P>, view: View) => readonly Sql[]
  /**
   * Only of a listing whose records are sums: queries with the columns `first`, a value of the first column of the order, and `records`, the number of
   * records with it. They take less time than every twentieth key, for which all records have to be made and sorted.
   */
  readonly counts?: (values: Values<P>, view: View) => readonly Sql[]
}

/** As a report declares it: with a query, or with the queries of its parts. */
export type ShapeSpec<P extends Params = Params> = Omit<Shape<P>, 'orderBy' | 'query' | 'parts'> & {
  /** Columns of the query, each optionally followed by ` desc`; together they are a total order. */
  readonly orderBy: readonly string[]
} & (Pick<Shape<P>, 'query'> | Required<Pick<Shape<P>, 'parts'>>)

interface About<P extends Params> {
  /** `group.name`; the file is `src/reports/<group>/<name>.ts`. */
  readonly id: `${Group}.${string}`
  readonly method: 'GET' | 'POST'
  readonly path: `/v1/${string}`
  /** A few words for a menu; the summary by default. */
  readonly title?: string
  readonly summary: string
  /** The words in which users ask for it, with their synonyms: assistants find it by them. */
  readonly askedAs?: readonly string[]
  /** Markdown for integrators: the meaning of the figures, and the order of the records. */
  readonly description: string
  readonly request: P
  /** The default page size; a report without one returns all records unless a page is requested. */
  readonly perPage?: number
  /** The parameter for the page size; `per-page` in the URL overrides it. */
  readonly perPageFrom?: keyof P & string
  /** Units of the client's rate that computing the report costs, 1 by default; a stored answer always costs 1. */
  readonly cost?: number
  /** The time that the database may take for the whole report, in place of the service's limit. */
  readonly seconds?: number
  /** Declares that the records depend on today's date; required if the query reads the clock. */
  readonly dependsOnToday?: true
  /** The groups that a caller needs besides the report's own to ask for these values; others get 403. */
  readonly needs?: (values: Values<P>) => readonly Group[]
  /** A caller without one of these groups gets other records. `view.without` of the query lists the caller's missing groups, in this order. */
  readonly masks?: readonly Group[]
}

/** A report with a different record for each value of one parameter. */
interface Variants<P extends Params> {
  readonly variants: { readonly by: keyof P & string; readonly shapes: Readonly<Record<string, ShapeSpec<P>>> }
}

export type ReportSpec<P extends Params> = About<P> & (ShapeSpec<P> | Variants<P>)

/** How a caller wants to see a report. */
export interface ViewSpec {
  /** `all`, or fields separated by commas, in the order of the record; the contract's fields by default. */
  readonly fields?: string | undefined
  /** Fields, separated by commas; a minus before a descending one. */
  readonly sort?: string | undefined
  /** Conditions that a record must meet, all of them, such as `Closing_qty<0`. */
  readonly filter?: readonly string[] | undefined
  /** Words that a record must have. */
  readonly search?: string | undefined
  /** `yes` for one record with the sums of all. */
  readonly totals?: 'no' | 'yes' | undefined
  /** Fields, or periods of dates such as `month(invoice_date)`, separated by commas: one record for each of their values. */
  readonly group?: string | undefined
  /** The figures of a group, such as `sum(total_amt)`, separated by commas; every sum by default. */
  readonly measures?: string | undefined
  /** Conditions that a group, or a record beside the one before it, must meet. */
  readonly having?: readonly string[] | undefined
  /** Each number beside that of an earlier period. */
  readonly compare?: Comparison | undefined
}

export interface Report<P extends Params = Params> extends About<P> {
  readonly cost: number
  readonly title: string
  readonly group: Group
  /** Shapes by the value of `shapedBy`; a single shape is named ''. */
  readonly shapes: ReadonlyMap<string, Shape<P>>
  readonly shapedBy: string | undefined
  /** Only in a view of a report (view.ts): its fields, sort, filters, search and totals. */
  readonly view?: ViewSpec
  shapeFor(values: Values<P>): Shape<P>
}

export function defineReport<P extends Params>(spec: ReportSpec<P>): Report<P> {
  const shapedBy = 'variants' in spec ? spec.variants.by : undefined
  const specs = 'variants' in spec ? Object.entries(spec.variants.shapes) : [['', spec] as const]
  const shapes = new Map(specs.map(([name, shape]) => [name, readShape(shape)]))
  const { id, cost = 1, title = spec.summary } = spec
  return withShapes({ ...spec, cost, title, group: id.split('.')[0] as Group, shapedBy }, shapes)
}

function readShape<P extends Params>(spec: ShapeSpec<P>): Shape<P> {
  const orderBy = readOrder(spec.orderBy)
  if ('query' in spec) return { ...spec, orderBy }
  return { ...spec, orderBy, query: (values, view) => unionOf(spec.parts(values, view)) }
}

/** All rows of several queries. */
export const unionOf = (queries: readonly Sql[]): Sql =>
  join(
    queries.map((query) => sql`(${query})`),
    ' union all ',
  )

/** The name of the shape that these values select. */
export const shapeNameFor = (
  { shapedBy, request }: Pick<Report, 'shapedBy' | 'request'>,
  values: Readonly<Record<string, unknown>>,
): string => (shapedBy === undefined ? '' : String(values[shapedBy] ?? request[shapedBy]?.byDefault))

/** The report with other shapes. */
export function withShapes<P extends Params>(
  report: Omit<Report<P>, 'shapes' | 'shapeFor'>,
  shapes: ReadonlyMap<string, Shape<P>>,
): Report<P> {
  const { id, shapedBy } = report
  return {
    ...report,
    shapes,
    shapeFor(values) {
      const name = shapeNameFor(report, values)
      const shape = shapes.get(name)
      if (shape === undefined) throw new Error(`${id}: no shape for ${shapedBy} = ${name}`)
      return shape
    },
  }
}
