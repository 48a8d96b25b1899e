/** What a report is: a value from which its route, its documentation and every other surface are derived. */
import type { Sql } from '../db/sql.js'
import type { Group } from '../groups.js'
import type { Fields } from './fields.js'
import type { Params, Values } from './params.js'

/** The records of a report, and how they are found. */
export interface Shape<P extends Params = Params> {
  readonly record: Fields
  /** Columns of the query, each optionally followed by ` desc`; together they order every record in one way only. */
  readonly orderBy: readonly string[]
  /**
   * None of these columns is ever null, and none descends: where a late page begins is then looked up by them alone, and
   * nothing else of what comes before it is worked out. Pays where the query has left joins that the order does not need.
   */
  readonly seekable?: true
  /** Delivers a column for each field of the record, and may deliver more for `orderBy` and for nested lines. */
  readonly query: (values: Values<P>) => Sql
}

interface About<P extends Params> {
  /** `group.name`; the file is `src/reports/<group>/<name>.ts`. */
  readonly id: `${Group}.${string}`
  readonly method: 'GET' | 'POST'
  readonly path: `/v1/${string}`
  readonly summary: string
  /** What an integrator must know: the meaning of the figures, and the order of the records. Markdown. */
  readonly description: string
  readonly request: P
  /** Records on a page where the caller asks for no size; without it, the answer is whole unless a page is asked for. */
  readonly perPage?: number
  /** The parameter that gives the page size, where the caller asks for none in the address. */
  readonly perPageFrom?: keyof P & string
  /** Units of the client's rate that computing the report costs; 1 by default. An answer that is kept costs 1 whatever this is. */
  readonly cost?: number
  /** Whether the records depend on what day it is: a query that reads the clock must declare it. */
  readonly dependsOnToday?: true
}

/** A report whose record has another shape for each value of one of its parameters. */
interface Variants<P extends Params> {
  readonly variants: { readonly by: keyof P & string; readonly shapes: Readonly<Record<string, Shape<P>>> }
}

export type ReportSpec<P extends Params> = About<P> & (Shape<P> | Variants<P>)

export interface Report<P extends Params = Params> extends About<P> {
  readonly cost: number
  readonly group: Group
  /** Every shape that its records can have, by the value of `shapedBy`; one named '' where there is only one. */
  readonly shapes: ReadonlyMap<string, Shape<P>>
  readonly shapedBy: string | undefined
  shapeFor(values: Values<P>): Shape<P>
}

export function defineReport<P extends Params>(spec: ReportSpec<P>): Report<P> {
  const shapedBy = 'variants' in spec ? spec.variants.by : undefined
  const shapes = new Map('variants' in spec ? Object.entries(spec.variants.shapes) : [['', spec as Shape<P>]])
  const { id, method, path, summary, description, request, perPage, perPageFrom, cost = 1, dependsOnToday } = spec
  return {
    id,
    method,
    path,
    summary,
    description,
    request,
    cost,
    ...(perPage !== undefined && { perPage }),
    ...(perPageFrom !== undefined && { perPageFrom }),
    ...(dependsOnToday && { dependsOnToday }),
    group: id.split('.')[0] as Group,
    shapes,
    shapedBy,
    shapeFor(values) {
      const shape = shapes.get(shapedBy === undefined ? '' : String(values[shapedBy]))
      if (shape === undefined) throw new Error(`${id}: no shape for ${shapedBy} = ${String(values[shapedBy ?? ''])}`)
      return shape
    },
  }
}
