/** The rows of the table in a sheet: under its header, without the rows that the mapping leaves out, empty cells filled. */
import { SourceError } from '../source.js'
import type { Counting } from './account.js'
import { columnsIn } from './columns-in.js'
import { type Headings, headingsOf, placeOf } from './headings.js'
import type { ColumnName, RowRule, SheetMapping } from './mapping.js'
import { type SheetCell, type SheetRow, textOf } from './sheet.js'

export interface TableRow {
  readonly line: number
  /** The cell of a column that the mapping names. */
  at(column: ColumnName): SheetCell
  /** The row has cells beyond the last heading; in a CSV file, because an extra comma moves values into the next column. */
  readonly wide: boolean
  /** The column's cell is merged with one above: it lacks the value of that cell, or has another one that nobody sees. */
  underMerged(column: ColumnName): 'empty' | 'other' | undefined
}

/** `where` names the sheet in messages; `onHeader` gets the place of the sheet's column behind each import column. */
export async function* tableRows(
  rows: AsyncIterable<SheetRow>,
  mapping: SheetMapping,
  where: string,
  counting: Counting,
  onHeader: (places: ReadonlyMap<string, number>) => void,
): AsyncGenerator<TableRow> {
  const { header, leaveOut, only, until, blank } = mapping
  const head: SheetCell[][] = []
  let places: Map<ColumnName, number> | undefined
  let width = 0
  let filling: Filling | undefined
  let ended: string | undefined
  /** The last row that is not empty: many files lack their empty rows. */
  let above = header.last
  /** By place: the text of the last cell that is not under a merged one. */
  const anchors = new Map<number, string>()
  for await (const { line, cells, hidden, merged } of rows) {
    if (line < header.first) continue
    if (line <= header.last) {
      head[line - header.first] = [...cells]
      if (line < header.last) continue
    }
    if (places === undefined) {
      const headings = headingsOf(Array.from({ length: header.last - header.first + 1 }, (_, i) => head[i] ?? []))
      places = placesOf(mapping, headings, `${where}, row ${header.last}`)
      width = headings.full.findLastIndex((heading) => heading !== '') + 1
      filling = new Filling(mapping)
      onHeader(firstPlaces(mapping, places))
      if (line <= header.last) continue
    }
    const found = places
    const own = (column: ColumnName): SheetCell => cells[found.get(column) as number] ?? null
    for (const place of found.values()) {
      if (merged?.has(place) !== true) anchors.set(place, textOf(cells[place]))
    }
    if (cells.every((cell) => textOf(cell) === '')) continue
    const empty = line - above - 1
    if (empty > 0) counting.leaveOut('the row is empty', above + 1, blank, empty)
    counting.read += empty + 1
    above = line
    const fits = (rule: RowRule) => {
      const text = textOf(own(rule.column))
      return rule.like === undefined ? text === '' : rule.like.test(text)
    }
    ended ??= until.find(fits)?.words
    if (ended !== undefined) {
      counting.leaveOut(`the table ends where ${ended}`, line, true)
      continue
    }
    const rule = leaveOut.find(fits)
    if (rule !== undefined) {
      counting.leaveOut(rule.words, line, true)
      counting.totals.leaveOut(line, rule.like === undefined ? '' : textOf(own(rule.column)), cells, own)
      continue
    }
    const missing = only.find((one) => !fits(one))
    if (missing !== undefined) {
      filling?.fill(own) // a head above its lines may have the number and the day
      counting.leaveOut(`it is not so that ${missing.words}`, line, true)
      continue
    }
    const at = filling?.fill(own) ?? own
    if (hidden) counting.note('the row is hidden', line)
    const underMerged = (column: ColumnName) => {
      const place = found.get(column) as number
      const [text, above] = [textOf(at(column)), anchors.get(place) ?? '']
      return merged?.has(place) !== true || text === above ? undefined : text === '' ? 'empty' : 'other'
    }
    yield { line, at, underMerged, wide: cells.slice(width).some((cell) => textOf(cell) !== '') }
  }
  if (places === undefined) throw new SourceError(`${where} has no row ${header.last} with the names of the columns`)
}

/** The columns that a rule of the mapping names. */
function namedColumns({ columns, leaveOut, only, until, fill }: SheetMapping): Set<ColumnName> {
  return new Set([
    ...[...columns.values()].flatMap(columnsIn),
    ...[...leaveOut, ...only, ...until].map(({ column }) => column),
    ...fill.keys(),
  ])
}

const placesOf = (mapping: SheetMapping, headings: Headings, where: string): Map<ColumnName, number> =>
  new Map([...namedColumns(mapping)].map((column) => [column, placeOf(column, headings, where)]))

function firstPlaces({ columns }: SheetMapping, places: ReadonlyMap<ColumnName, number>): Map<string, number> {
  const found = new Map<string, number>()
  for (const [name, from] of columns) {
    const [column] = columnsIn(from)
    if (column !== undefined) found.set(name, places.get(column) as number)
  }
  return found
}

/** Gives an empty cell the value above it: `down` inside one document, `all` in the whole sheet. */
class Filling {
  readonly #fill: SheetMapping['fill']
  /** Columns that tell documents apart. */
  readonly #keys: readonly ColumnName[]
  readonly #above = new Map<ColumnName, SheetCell>()

  constructor({ fill, entity, columns }: SheetMapping) {
    this.#fill = fill
    this.#keys = [...new Set(entity.key.flatMap((name) => columnsIn(columns.get(name) ?? { constant: '' })))]
  }

  fill(own: (column: ColumnName) => SheetCell): (column: ColumnName) => SheetCell {
    if (this.#fill.size === 0) return own
    const begins = this.#keys.some((key) => {
      const text = textOf(own(key))
      return text !== '' && text !== textOf(this.#above.get(key))
    })
    for (const column of [...this.#fill.keys(), ...this.#keys]) {
      const cell = own(column)
      if (textOf(cell) !== '') this.#above.set(column, cell)
      else if (begins && this.#fill.get(column) === 'down') this.#above.set(column, null)
    }
    return (column) => (this.#fill.has(column) ? (this.#above.get(column) ?? null) : own(column))
  }
}
