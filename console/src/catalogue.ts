/** The reports as the service declares them: `GET /v1/reports`. Every form, table and export is made from this alone. */
import { computed, signal } from '@preact/signals'
import type { CatalogueParam, CatalogueReport } from '../../src/kernel/report/catalogue.js'
import type { Column, KeyPart, LinesColumn, ValueColumn } from '../../src/kernel/report/columns.js'
import type { ParamType } from '../../src/kernel/report/params.js'
import type { Period } from '../../src/kernel/report/periods.js'
import { getJson } from './api.js'

export type { CatalogueParam, CatalogueReport, Column, KeyPart, LinesColumn, ParamType, ValueColumn }

export interface Catalogue {
  readonly data: readonly CatalogueReport[]
  readonly formats: readonly CatalogueFormat[]
}

export interface CatalogueFormat {
  readonly name: string
  readonly label: string
  /** The size of a file relative to JSON. */
  readonly share: number
  /** Whether a file has the lines of documents by default; only in formats that take this option. */
  readonly lines?: 'yes' | 'no'
}

export const catalogue = signal<Catalogue | undefined>(undefined)

export async function loadCatalogue(): Promise<void> {
  catalogue.value = await getJson<Catalogue>('/v1/reports')
}

/** The first format whose files are tables. */
export const tableFormat = (): string => catalogue.value?.formats.find(({ lines }) => lines !== undefined)?.name ?? ''

const byId = computed(() => new Map(catalogue.value?.data.map((report) => [report.id, report])))

export const reportOf = (id: string): CatalogueReport | undefined => byId.value.get(id)

/** The values of a report's parameters, as text; absent values are left out. */
export type Values = Readonly<Record<string, string>>

export function shapeOf(report: CatalogueReport, values: Values) {
  const { shaped_by, params } = report
  const name =
    shaped_by === undefined ? '' : (values[shaped_by] ?? params.find(({ name }) => name === shaped_by)?.default ?? '')
  return report.shapes.find((shape) => shape.name === name) ?? report.shapes[0]
}

/** A value of a record, however deep in its objects, as one column of a table. */
export interface Flat {
  /** With the names of the objects around it, such as `billing.city`, as in `sort` and `filter`. */
  readonly name: string
  readonly path: readonly string[]
  readonly column: ValueColumn | LinesColumn
  /** Whether people see it unless they choose other columns. */
  readonly isFirst: boolean
  /** Of the change of a figure since an earlier period: whether more or less of the figure is good. */
  readonly change?: 'more' | 'less' | 'neutral'
  /** Of a group by a period of a date, whose values are names such as `2026-04`. */
  readonly period?: Period
  /** Its heading names no currency: something above the table does. */
  readonly isBare?: true
  /** In place of the words for its name. */
  readonly label?: string
}

/** The columns of a table: the ones that people see first, in their order, then the others. */
export function flatten(columns: readonly Column[], people: readonly string[] = []): Flat[] {
  const all = inOrder(columns).map((flat) => ({ ...flat, isFirst: people.length === 0 || people.includes(flat.name) }))
  const rank = ({ name }: Flat) => (people.includes(name) ? people.indexOf(name) : people.length)
  return all.sort((a, b) => rank(a) - rank(b))
}

function inOrder(columns: readonly Column[], around: readonly string[] = []): Omit<Flat, 'isFirst'>[] {
  return columns.flatMap((column) => {
    const path = [...around, column.name]
    if (column.kind === 'nested') return inOrder(column.columns, path)
    return [{ name: path.join('.'), path, column: column as ValueColumn | LinesColumn }]
  })
}

export type Row = Readonly<Record<string, unknown>>

export function valueIn(row: Row, path: readonly string[]): unknown {
  let value: unknown = row
  for (const name of path) value = (value as Record<string, unknown> | null | undefined)?.[name]
  return value
}

export const isNumeric = ({ kind }: { readonly kind: string }): boolean =>
  kind === 'decimal' || kind === 'integer' || kind === 'number'

/** Null, or the column's marker for null. */
export const isAbsent = (value: unknown, column: ValueColumn): boolean =>
  value === null || value === undefined || (column.absent !== undefined && value === column.absent)

/**
 * The key of a record, for links to it. If the record does not show all of its key, a fingerprint of its visible values
 * distinguishes it from others with the same visible key.
 */
export function keyOf(row: Row, key: readonly KeyPart[]): string {
  const shown = key.flatMap(({ path }) => (path === undefined ? [] : [valueIn(row, path)]))
  return JSON.stringify(shown.length === key.length ? shown : [...shown, fingerprint(JSON.stringify(row))])
}

/** FNV-1a, 32 bits. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(36)
}
