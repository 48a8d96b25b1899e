/**
 * Records as tables: one row per document, with the members of objects as columns; and for each list of lines one row per line, with
 * the key of its document. Lines repeat no other field of the document, so that no sum over them counts an amount twice.
 */
import { type Column, columnsOf, keyOf, type LinesColumn, type ValueColumn } from '../kernel/report/columns.js'
import { CHANGE } from '../kernel/report/difference.js'
import type { JsonObject } from '../kernel/report/record-reader.js'
import type { About } from './format.js'

export interface TableColumn {
  /** The names on the path to the value, joined by underscores; a column of lines begins with the name of their list. */
  readonly name: string
  /** Where the value is: in the document, or in the line. */
  readonly path: readonly string[]
  readonly ofLine: boolean
  readonly column: ValueColumn
}

export interface Table {
  /** Where the list of lines is in the record; undefined for the table of documents. */
  readonly list: readonly string[] | undefined
  readonly columns: readonly TableColumn[]
  /** The rows of one record, each with a value for every column. Null in place of a marker, except in columns of text. */
  rows(record: JsonObject): unknown[][]
}

/** A list of texts in one cell. */
export const joined = (list: unknown): string => (list as readonly string[]).join(', ')

/** The table of documents, and the tables of their lines in the order of the record; the first list is the main one. */
export interface Tables {
  readonly documents: Table
  readonly lists: readonly Table[]
}

/** `withState` adds the field that says whether a document is cancelled to its lines. */
export function tablesFor({ report, values }: Pick<About, 'report' | 'values'>, { withState = false } = {}): Tables {
  const shape = report.shapeFor(values)
  const all = columnsOf(shape).flatMap((column) => flat(column, []))
  const own = all.filter(isValue)
  const key = report.view?.totals === undefined ? keyOf(shape).map(({ path }) => path?.join('_')) : []
  const repeated = new Set([CHANGE, ...key, ...(withState ? [shape.cancelled?.field] : [])])
  const heads = [...repeated].flatMap((name) => own.filter((column) => column.name === name))
  const keepsAll = CHANGE in shape.record
  const ofDocument = valuesOf(own)
  return {
    documents: { list: undefined, columns: own, rows: (record) => [ofDocument(record)] },
    lists: all.flatMap((found) => (isValue(found) ? [] : [linesTable(found, heads, keepsAll)])),
  }
}

/** `keepsAll`: a document without lines has a row too, so that a table of changes names every changed document. */
function linesTable({ path, column, name }: List, heads: readonly TableColumn[], keepsAll: boolean): Table {
  const ofLine = column.columns
    .flatMap((inner) => flat(inner, []))
    .filter(isValue) // no report has lists inside lines
    .map((inner) => ({ ...inner, name: `${name}_${inner.name}`, ofLine: true }))
  const [ofDocument, ofItem] = [valuesOf(heads), valuesOf(ofLine)]
  return {
    list: path,
    columns: [...heads, ...ofLine],
    rows(record) {
      const items = (at(record, path) ?? []) as readonly JsonObject[] // a removed record has no lines
      if (items.length === 0 && !keepsAll) return []
      const document = ofDocument(record)
      if (items.length === 0) return [[...document, ...ofLine.map(() => null)]]
      return items.map((item) => [...document, ...ofItem(item)])
    },
  }
}

interface List extends Omit<TableColumn, 'column'> {
  readonly column: LinesColumn
}

const isValue = (found: TableColumn | List): found is TableColumn => found.column.kind !== 'lines'

function flat(column: Column, around: readonly string[]): (TableColumn | List)[] {
  const path = [...around, column.name]
  if (column.kind === 'nested') return column.columns.flatMap((inner) => flat(inner, path))
  return [{ name: path.join('_'), path, ofLine: false, column } as TableColumn | List]
}

function valuesOf(columns: readonly TableColumn[]): (record: JsonObject) => unknown[] {
  const places = columns.map(({ path, column }) => ({ path, marker: isText(column) ? undefined : column.absent }))
  return (record) =>
    places.map(({ path, marker }) => {
      const value = at(record, path)
      return value === marker ? null : value
    })
}

const isText = ({ kind }: ValueColumn): boolean => kind === 'text' || kind === 'word'

function at(value: unknown, path: readonly string[]): unknown {
  let found = value
  for (const name of path) found = (found as JsonObject | undefined)?.[name]
  return found
}
