/** The things that a value of a record names. */
import type { Thing } from '../../../src/kernel/report/fields.js'
import { type Flat, isAbsent, type Row, type ValueColumn, valueIn } from '../catalogue.js'
import { thingUrl } from './paths.js'

export interface Link {
  readonly text: string
  readonly url: string
}

/** Links to the things that a value names, in place of its text; empty if it names none. */
export function linksIn(row: Row, { path, column }: Flat): Link[] {
  if (!('things' in column) || column.things === undefined) return []
  const value = valueIn(row, path)
  if (value === '' || isAbsent(value, column as ValueColumn)) return []
  for (const thing of column.things) {
    const codes = thing.by.map((name) => valueIn(row, name.split('.')))
    if (!applies(thing, row) || codes.some((code) => typeof code !== 'string' || code === '')) continue
    const all = codes as string[]
    if (thing.separator === undefined) return [{ text: String(value), url: thingUrl(thing.kind, all) }]
    return String(value)
      .split(thing.separator)
      .map((text) => ({ text, url: thingUrl(thing.kind, [text]) }))
  }
  return []
}

const applies = ({ when, unless }: Thing, row: Row): boolean =>
  (when === undefined || valueIn(row, when.field.split('.')) === when.is) &&
  (unless === undefined || valueIn(row, unless.field.split('.')) !== unless.is)
