/** The key of a record, from the record's text. */
import { type Column, columnsOf, keyOf } from '../report/columns.js'
import type { Shape } from '../report/report.js'

/** The values of a record's key, as a JSON array. */
export type KeyText = (text: Buffer) => string

/** Searches the text for the values if their names are unique in the record; parsing the record takes several times as long. */
export function keyTextOf(shape: Shape): KeyText {
  const key = keyOf(shape)
  const names = columnsOf(shape).flatMap(namesIn)
  const isUnique = key.every(({ path = [] }) => names.filter((name) => name === path.at(-1)).length === 1)
  if (!isUnique)
    return (text) => {
      const record = JSON.parse(text.toString())
      return JSON.stringify(key.map(({ path = [] }) => path.reduce((value, name) => value[name], record)))
    }
  // JSON escapes quotes inside strings, so `"name":` cannot occur within a value.
  const text = '"(?:[^"\\\\]|\\\\.)*"'
  const values = key.map(({ path = [] }) => new RegExp(`"${path.at(-1)}":(${text}|\\{(?:${text}|[^"}])*\\}|[^,}]*)`))
  return (text) => {
    const record = text.toString()
    return `[${values.map((value) => value.exec(record)?.[1]).join(',')}]`
  }
}

const namesIn = (column: Column): string[] =>
  column.kind === 'nested' || column.kind === 'lines'
    ? [column.name, ...column.columns.flatMap(namesIn)]
    : [column.name]
