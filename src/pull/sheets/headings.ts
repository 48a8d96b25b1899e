/** The headings of a sheet's columns, in one row or in several, and how a mapping finds a column by them. */
import { nearest } from '../../nearest.js'
import { SourceError } from '../source.js'
import type { ColumnName } from './mapping.js'
import { type SheetCell, textOf } from './sheet.js'

export interface Headings {
  /** By column: its heading, with the headings above it: `Inwards / Qty`. */
  readonly full: readonly string[]
  /** By column: its own heading. */
  readonly own: readonly string[]
}

/** `rows` are the rows of the header, the last one nearest to the table. */
export function headingsOf(rows: readonly (readonly SheetCell[])[]): Headings {
  const width = Math.max(0, ...rows.map((cells) => cells.length))
  const own: string[] = []
  const full: string[] = []
  /** The heading above, which a group of columns has at its first column. */
  const above: string[] = []
  for (let at = 0; at < width; at++) {
    const texts = rows.map((cells) => oneLine(textOf(cells[at])))
    const last = texts.findLastIndex((text) => text !== '')
    const parts = texts.slice(0, last).map((text, level) => {
      if (text !== '') above.splice(level, above.length, text)
      return text === '' ? (above[level] ?? '') : text
    })
    // A heading over all rows of the header ends the group to its left.
    if (last >= 0 && last < rows.length - 1) above.splice(last)
    own[at] = texts[last] ?? ''
    full[at] = [...parts.filter((part) => part !== ''), own[at]].join(' / ')
  }
  return { full, own }
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ')

/** `C` is the third column. */
export function letterOf(place: number): string {
  const rest = Math.floor(place / 26)
  return `${rest === 0 ? '' : letterOf(rest - 1)}${String.fromCharCode(65 + (place % 26))}`
}

/** The place of a column; throws if there is none, or more than one. `where` names the header in messages. */
export function placeOf(column: ColumnName, { full, own }: Headings, where: string): number {
  const name = oneLine(column.trim())
  const [, letter] = /^\[([A-Z]{1,3})\]$/.exec(name) ?? []
  if (letter !== undefined) return [...letter].reduce((sum, one) => sum * 26 + one.charCodeAt(0) - 64, 0) - 1
  for (const headings of [full, own]) {
    const found = headings.flatMap((heading, at) => (heading === name ? at : []))
    if (found.length === 1) return found[0] as number
    if (found.length > 1)
      throw new SourceError(
        `${where}: there are ${found.length} columns ${name}; name one as ${found
          .slice(0, 3)
          .map((at, i) => (full[at] === name ? `"${name} #${i + 1}"` : `"${full[at]}"`))
          .join(' or ')}, or by its letter as "[${letterOf(found[0] as number)}]"`,
      )
  }
  const [, base, nth] = /^(.*\S) #([1-9]\d?)$/.exec(name) ?? []
  if (base !== undefined) {
    const same = [full, own].map((headings) => headings.flatMap((heading, at) => (heading === base ? at : [])))
    const place = (same.find((places) => places.length > 0) ?? [])[Number(nth) - 1]
    if (place !== undefined) return place
  }
  const there = full.filter((heading) => heading !== '')
  const other = there.length === 1 ? /[;,\t|]/.exec(there[0] as string)?.[0] : undefined
  const hint =
    other === undefined
      ? ''
      : `. If its columns are separated by ${JSON.stringify(other)}, set separator: ${JSON.stringify(other)}`
  throw new SourceError(
    `${where}: there is no column ${name}${nearest(name, there)}; there are ${there.join(', ')}${hint}`,
  )
}
