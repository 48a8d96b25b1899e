/** Records as rows of a table: nested objects become columns, and each line of a document a row. */
import { type Column, columnsOf, type LinesColumn, type ValueColumn } from '../kernel/report/columns.js'
import type { Fields } from '../kernel/report/fields.js'

/** A column of the table. The columns of all lists but the unfolded one hold JSON. */
export interface TableColumn {
  /** The names on the path to the value, joined by underscores. */
  readonly name: string
  readonly column: ValueColumn | LinesColumn
  /** Whether it belongs to the lines, and not to the document. */
  readonly ofLine: boolean
  readonly path: readonly string[]
}

export interface Table {
  readonly columns: readonly TableColumn[]
  /** The rows of one record, each with a value for every column: undefined where there is no line. */
  rows(record: JsonObject): unknown[][]
}

export type JsonObject = Readonly<Record<string, unknown>>

/** Parses the text of a record; its numbers become strings, because a JavaScript number may hold fewer digits. */
export function recordReader(shape: { readonly record: Fields }): (text: Buffer) => JsonObject {
  const names = columnsOf(shape).flatMap(numbersIn)
  if (names.length === 0) return (text) => JSON.parse(text.toString())
  // JSON escapes quotes inside strings, so `"name":` cannot occur within a value.
  const numbers = new RegExp(`"(${[...new Set(names)].join('|')})":(-?[0-9][0-9.]*)`, 'g')
  return (text) => JSON.parse(text.toString().replace(numbers, '"$1":"$2"'))
}

/** A list inside a record as JSON text, in which numbers are numbers again. */
export function listWriter(column: Column): (list: unknown) => string {
  const names = numbersIn(column)
  if (names.length === 0) return (list) => JSON.stringify(list)
  const numbers = new RegExp(`"(${[...new Set(names)].join('|')})":"(-?[0-9][0-9.]*)"`, 'g')
  return (list) => JSON.stringify(list).replace(numbers, '"$1":$2')
}

/** The names of fields that are JSON numbers. */
function numbersIn(column: Column): string[] {
  if (column.kind === 'nested' || column.kind === 'lines') return column.columns.flatMap(numbersIn)
  return column.kind === 'number' || (column.kind === 'integer' && column.wire === 'number') ? [column.name] : []
}

/**
 * A document has a row for each of its lines, with the document's fields repeated, and one row if it has no lines. `lines: false`
 * leaves the lines out: one row for each document.
 */
export function tableOf(shape: { readonly record: Fields }, { lines }: { lines: boolean }): Table {
  const all = columnsOf(shape)
  const unfolded = all.find((column): column is LinesColumn => column.kind === 'lines')
  const own = all.filter((column) => column !== unfolded).flatMap((column) => flat(column, [], false))
  const ofLine =
    unfolded === undefined || !lines ? [] : unfolded.columns.flatMap((column) => flat(column, [unfolded.name], true))
  return {
    columns: [...own, ...ofLine],
    rows(record) {
      const document = own.map(({ path }) => at(record, path))
      if (unfolded === undefined || !lines) return [document]
      const items = (record[unfolded.name] ?? []) as readonly JsonObject[] // a removed record has no lines
      if (items.length === 0) return [[...document, ...ofLine.map(() => undefined)]]
      return items.map((item) => [...document, ...ofLine.map(({ path }) => at(item, path.slice(1)))])
    },
  }
}

function flat(column: Column, around: readonly string[], ofLine: boolean): TableColumn[] {
  const path = [...around, column.name]
  if (column.kind === 'nested') return column.columns.flatMap((inner) => flat(inner, path, ofLine))
  return [{ name: path.join('_'), column, ofLine, path }]
}

function at(value: unknown, path: readonly string[]): unknown {
  let found = value
  for (const name of path) found = (found as JsonObject | undefined)?.[name]
  return found
}
