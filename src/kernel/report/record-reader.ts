/** Reads the text of a record without losing digits. */
import { type Column, columnsOf } from './columns.js'
import type { Fields } from './fields.js'

export type JsonObject = Readonly<Record<string, unknown>>

/** Parses the text of a record; its numbers become strings, because a JavaScript number may hold fewer digits. */
export function recordReader(shape: { readonly record: Fields }): (text: Buffer) => JsonObject {
  const names = columnsOf(shape).flatMap(numbersIn)
  if (names.length === 0) return (text) => JSON.parse(text.toString())
  // JSON escapes quotes inside strings, so `"name":` cannot occur within a value.
  const numbers = new RegExp(`"(${[...new Set(names)].join('|')})":(-?[0-9][0-9.]*)`, 'g')
  return (text) => JSON.parse(text.toString().replace(numbers, '"$1":"$2"'))
}

/** The names of fields that are JSON numbers. */
function numbersIn(column: Column): string[] {
  if (column.kind === 'nested' || column.kind === 'lines') return column.columns.flatMap(numbersIn)
  return column.kind === 'number' || (column.kind === 'integer' && column.wire === 'number') ? [column.name] : []
}
