/** A report's declaration as plain data, for programs that make forms, tables and documents from it. */
import type { Group } from '../../groups.js'
import { type Column, columnsOf, type KeyPart, keyOf } from './columns.js'
import type { ParamType } from './params.js'
import type { Better, Report } from './report.js'

export interface CatalogueParam {
  readonly name: string
  readonly type: ParamType
  readonly description: string
  readonly required: boolean
  /** Of the parameters with the same word here, a request gives exactly one. */
  readonly instead_of?: string
  /** What a request means that leaves it out; `today` of a day. */
  readonly default?: string | number
  /** What people read where it is left out and has no `default`; `all` without it. */
  readonly left_out?: string
}

export interface CatalogueReport {
  readonly id: string
  readonly group: Group
  /** A few words for a menu. */
  readonly title: string
  readonly summary: string
  readonly description: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly params: readonly CatalogueParam[]
  /** The parameter for the page size. */
  readonly per_page_from?: string
  /** The parameter whose value selects the shape of the records. */
  readonly shaped_by?: string
  /** A single shape has an empty name. */
  readonly shapes: readonly {
    readonly name: string
    readonly columns: readonly Column[]
    readonly key: readonly KeyPart[]
    /** The fields that people see first, in their order. */
    readonly people: readonly string[]
    /** Whether it is good if a figure is more, or less. */
    readonly better?: Readonly<Record<string, Better>>
    /** The field whose value says that a record is a cancelled document; totals and groups leave these out. */
    readonly cancelled?: { readonly field: string; readonly is: string }
  }[]
}

export function describeReport(report: Report): CatalogueReport {
  const { id, group, title, summary, description, method, path, request, perPageFrom, shapedBy, shapes } = report
  return {
    ...{ id, group, title, summary, description, method, path },
    params: Object.entries(request).map(([name, { type, description, required, insteadOf, byDefault, leftOut }]) => ({
      ...{ name, type, description, required },
      ...(insteadOf !== undefined && { instead_of: insteadOf }),
      ...(byDefault !== undefined && { default: byDefault }),
      ...(leftOut !== undefined && { left_out: leftOut }),
    })),
    ...(perPageFrom !== undefined && { per_page_from: perPageFrom }),
    ...(shapedBy !== undefined && { shaped_by: shapedBy }),
    shapes: [...shapes].map(([name, shape]) => ({
      ...{ name, columns: columnsOf(shape), key: keyOf(shape), people: shape.people ?? [] },
      ...(shape.better && { better: shape.better }),
      ...(shape.cancelled && { cancelled: shape.cancelled }),
    })),
  }
}
