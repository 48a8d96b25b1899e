/** The rows of mapped sheets, as a source of the loader. */
import { readdirSync } from 'node:fs'
import { extname, join } from 'node:path'
import { MillbookError } from '../../errors.js'
import type { Column } from '../../import/columns.js'
import type { Chunk, Rows, Source } from '../../import/source.js'
import { nearest } from '../../nearest.js'
import { ROWS_AT_A_TIME, SourceError } from '../source.js'
import { readSheetCsv } from './csv.js'
import { cellFor, unitIn } from './formats.js'
import type { From, SheetMapping } from './mapping.js'
import type { SheetCell, SheetRow } from './sheet.js'
import { readXlsx } from './xlsx.js'

interface Sheet extends SheetMapping {
  /** The file's name in messages. */
  readonly name: string
}

export function sheetRows(folder: string, mappings: readonly SheetMapping[], signal?: AbortSignal): Source {
  const names = listed(folder)
  const sheets = mappings.flatMap((mapping): Sheet[] => {
    const found = names.filter((name) => matches(name, mapping.file))
    if (found.length === 0) throw new SourceError(`${folder} has no file ${mapping.file}, which the mapping names`)
    return found.map((name) => ({ ...mapping, name }))
  })
  const parts = [...new Set(sheets.map(({ entity }) => entity))].map((entity) => {
    const own = sheets.filter((sheet) => sheet.entity === entity)
    /** Each file, with the number of the entity's lines before its first. */
    const begins: { file: string; after: number }[] = []
    return { entity, name: own.map(placeName).join(' + '), own, begins }
  })
  async function* chunks(): AsyncGenerator<Chunk> {
    let done = 0
    for (const part of parts) {
      const state = { seen: new Set<string>(), counts: new Map<string, number>() }
      let after = 0
      for (const sheet of part.own) {
        let last = 0
        part.begins.push({ file: placeName(sheet), after })
        for await (const rows of mapped(folder, sheet, state)) {
          signal?.throwIfAborted()
          last = rows.at(-1)?.line ?? last
          const numbered = after === 0 ? rows : rows.map((row) => ({ ...row, line: after + row.line }))
          yield { part, rows: numbered, done: done / sheets.length }
        }
        after += last
        done++
      }
      yield { part, rows: [], last: true, done: done / sheets.length }
    }
  }
  const place = (name: string, line: number) => {
    const { file, after } = parts.find((part) => part.name === name)?.begins.findLast((one) => one.after < line) ?? {
      ...{ file: name, after: 0 },
    }
    return { file, line: line - after }
  }
  return { name: 'spreadsheets', parts, chunks, place }
}

const placeName = ({ name, sheet }: Sheet): string => (sheet ? `${name}[${sheet}]` : name)

function listed(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !/^[.~]/.test(name)) // ~$books.xlsx is the lock file of an open file
      .sort()
  } catch (error) {
    throw new SourceError(`the folder ${folder} cannot be read: ${(error as Error).message}`)
  }
}

const matches = (name: string, pattern: string): boolean =>
  new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`, 'i').test(name)

/** Keys and counts of an entity's rows, over all of its files. */
interface State {
  /** The keys so far, if only the first row of each counts. */
  readonly seen: Set<string>
  /** The number of rows so far, by the value that they are counted by. */
  readonly counts: Map<string, number>
}

async function* mapped(folder: string, sheet: Sheet, { seen, counts }: State): AsyncGenerator<Rows> {
  const header = [...sheet.columns.keys()]
  let places: Map<string, number> | undefined
  /** In a CSV file, the number of named columns: an extra comma would move values into the next column. */
  let width = Number.POSITIVE_INFINITY
  let rows: Rows = []
  for await (const { line, cells } of readRows(folder, sheet)) {
    if (line < sheet.header) continue
    if (places === undefined) {
      places = placesOf(sheet, cells)
      if (!isXlsx(sheet.name)) width = cells.length
      continue
    }
    const found = places
    const at = (column: string): SheetCell => cells[found.get(column) as number] ?? null
    if (cells.every((cell) => textOf(cell) === '')) continue
    if (sheet.unless !== undefined && textOf(at(sheet.unless)) === '') continue
    const wrong = cells.slice(width).some((cell) => textOf(cell) !== '') ? { wrong: 'more' as const } : {}
    const values = header.map((name) => mappedValue(sheet, name, sheet.columns.get(name) as From, line, at, counts))
    if (sheet.first) {
      const key = JSON.stringify(sheet.entity.key.map((name) => values[header.indexOf(name)]))
      if (seen.has(key)) continue
      seen.add(key)
    }
    rows.push({ line, header, cells: values, ...wrong })
    if (rows.length < ROWS_AT_A_TIME) continue
    yield rows
    rows = []
  }
  if (places === undefined)
    throw new SourceError(`${sheet.name} has no row ${sheet.header} with the names of the columns`)
  yield rows
}

async function* readRows(folder: string, { name, sheet, separator, encoding }: Sheet): AsyncGenerator<SheetRow> {
  const file = join(folder, name)
  try {
    if (isXlsx(name)) yield* readXlsx(file, sheet)
    else if (/^\.(csv|txt)$/i.test(extname(name))) yield* readSheetCsv(file, { separator, encoding })
    else throw new MillbookError('spreadsheets are .xlsx or .csv files; save it as one of them')
  } catch (error) {
    throw new SourceError(`${name} cannot be read: ${(error as Error).message}`)
  }
}

const isXlsx = (name: string) => extname(name).toLowerCase() === '.xlsx'

/** The place of each column that the mapping names. */
function placesOf(sheet: Sheet, cells: readonly SheetCell[]): Map<string, number> {
  const names = cells.map(textOf)
  const wanted = [...sheet.columns.values()].flatMap((from) =>
    'column' in from ? from.column : 'count' in from ? from.count : [],
  )
  return new Map(
    [...wanted, ...(sheet.unless === undefined ? [] : [sheet.unless])].map((column) => {
      const place = names.indexOf(column)
      const where = `${sheet.name}, row ${sheet.header}`
      if (names.indexOf(column, place + 1) > place && place !== -1)
        throw new SourceError(`${where}: there are two columns ${column}; rename one of them in the file`)
      if (place !== -1) return [column, place]
      const there = names.filter((name) => name !== '')
      const other = there.length === 1 ? /[;,\t|]/.exec(there[0] as string)?.[0] : undefined
      const hint =
        other === undefined
          ? ''
          : `. If its columns are separated by ${JSON.stringify(other)}, set separator: ${JSON.stringify(other)}`
      throw new SourceError(
        `${where}: there is no column ${column}${nearest(column, names)}; there are ${there.join(', ')}${hint}`,
      )
    }),
  )
}

const textOf = (cell: SheetCell | undefined): string =>
  cell === null || cell === undefined
    ? ''
    : typeof cell === 'string'
      ? cell.trim()
      : 'fault' in cell
        ? cell.fault
        : cell.value.trim()

function mappedValue(
  { name: file, entity, formats }: Sheet,
  name: string,
  from: From,
  line: number,
  at: (column: string) => SheetCell,
  counts: Map<string, number>,
): string | null {
  const column = (entity.columns as Record<string, Column>)[name]
  if ('constant' in from) return cellFor(from.constant, column, formats)
  if ('count' in from) {
    const key = `${name} ${textOf(at(from.count))}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
    return String(counts.get(key))
  }
  const cell = at(from.column)
  if (cell !== null && typeof cell === 'object' && 'fault' in cell)
    throw new SourceError(`${file}, row ${line}: the cell in the column ${from.column} ${cell.fault}`)
  const word = (text: string) => (Object.hasOwn(from.values, text) ? from.values[text] : undefined)
  const replaced = word(textOf(cell))
  if (replaced !== undefined) return replaced
  if (from.take === 'unit') {
    const unit = unitIn(textOf(cell), formats.decimal)
    return unit === null ? null : (word(unit) ?? unit)
  }
  return cellFor(cell, column, formats)
}
