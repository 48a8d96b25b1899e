/** The rows of mapped sheets, as a source of the loader. */
import { readdirSync } from 'node:fs'
import { join, parse } from 'node:path'
import type { Chunk, Part, Rows, Source } from '../../import/source.js'
import { ROWS_AT_A_TIME, SourceError } from '../source.js'
import { type Account, Counting, objections, placeName } from './account.js'
import { type Book, openBook } from './book.js'
import { columnsIn } from './columns-in.js'
import { compareRow } from './compare.js'
import { letterOf } from './headings.js'
import { type Head, Heads } from './heads.js'
import { KeptRows } from './kept-rows.js'
import { isMapping, type Mapping, type SheetMapping } from './mapping.js'
import { Masters } from './masters.js'
import { tableRows } from './table.js'
import { type State, valuesOf } from './value.js'

export interface SheetOptions {
  readonly masters?: Masters
  /** Fails at the end if something was left out or converted without a rule of the mapping, or was not read at all. */
  readonly strict?: boolean
  readonly signal?: AbortSignal | undefined
}

export interface SheetSource extends Source {
  /** Complete after all rows were read. */
  account(): Account
}

/** A sheet of a file, with the rule that reads it. */
interface Sheet {
  readonly mapping: SheetMapping
  readonly file: string
  readonly sheet: string
  readonly counting: Counting
}

/** Where the rows of a sheet begin among the rows of its part, and where its columns are. */
interface Begin {
  readonly file: string
  readonly after: number
  /** By import column: the letter of the sheet's column. */
  letters: ReadonlyMap<string, string>
}

interface SheetPart extends Part {
  readonly own: readonly Sheet[]
  readonly begins: Begin[]
}

/** Finds the sheets of the mapping in the folder; the caller closes the source's books with `close`. */
export async function openSheets(
  folder: string,
  mapping: Mapping,
  { masters = new Masters(), strict = false, signal }: SheetOptions = {},
): Promise<{ rows: SheetSource; close(): Promise<void> }> {
  const books = new Books(folder)
  try {
    const { sheets, unread } = await find(mapping.sheets, books)
    const parts = [...new Set(sheets.map(({ mapping }) => mapping.entity))].map((entity): SheetPart => {
      const own = sheets.filter((sheet) => sheet.mapping.entity === entity)
      const more = own.length > 1 ? ` and ${own.length - 1} more` : ''
      // Names differ by entity, because one sheet may have the rows of several.
      return {
        entity,
        name: `${entity.name} in ${placeName(own[0]?.file ?? '', own[0]?.sheet ?? '')}${more}`,
        own,
        begins: [],
      }
    })
    const account = (): Account => ({
      sheets: sheets.map(({ mapping, file, sheet, counting }) =>
        counting.account({ file, sheet, entity: mapping.entity.name }),
      ),
      unread,
    })
    async function* chunks(): AsyncGenerator<Chunk> {
      if (strict) object({ sheets: [], unread })
      let done = 0
      for (const part of parts) {
        for await (const rows of rowsOf(part, books, masters, () => done++)) {
          signal?.throwIfAborted()
          yield { part, rows, done: done / sheets.length }
        }
        yield { part, rows: [], last: true, done: done / sheets.length }
      }
      if (strict) object(account())
    }
    const place = (name: string, line: number, column?: string) => {
      const begin = parts.find((part) => part.name === name)?.begins.findLast(({ after }) => after < line)
      if (begin === undefined) return { file: name, line }
      const letter = column === undefined ? undefined : begin.letters.get(column)
      const own = line - begin.after
      return { file: begin.file, line: own, ...(letter !== undefined && { cell: `${letter}${own}` }) }
    }
    return { rows: { name: 'spreadsheets', parts, chunks, place, account }, close: () => books.close() }
  } catch (error) {
    await books.close()
    throw error
  }
}

function object(account: Account): void {
  const found = objections(account)
  if (found.length > 0) throw new SourceError(`--strict refuses the files:\n${found.join('\n')}`)
}

/** The files of a folder, each opened once. */
class Books {
  readonly names: readonly string[]
  readonly #folder: string
  readonly #open = new Map<string, Promise<Book>>()
  readonly #kept = new KeptRows()
  /** By file and sheet: the rules that will still read it. */
  readonly #uses = new Map<string, number>()

  constructor(folder: string) {
    this.#folder = folder
    try {
      this.names = readdirSync(folder)
        .filter((name) => !/^[.~]/.test(name) && !isMapping(name)) // ~$books.xlsx is the lock file of an open file
        .sort()
    } catch (error) {
      throw new SourceError(`the folder ${folder} cannot be read: ${(error as Error).message}`)
    }
  }

  /** Options are those of the first rule that reads the file. */
  async open(name: string, options: Pick<SheetMapping, 'separator' | 'encoding'>): Promise<Book> {
    const opened = this.#open.get(name) ?? openBook(join(this.#folder, name), options)
    this.#open.set(name, opened)
    try {
      return await opened
    } catch (error) {
      throw unreadable(name, error)
    }
  }

  /** One more rule will read this sheet. */
  willRead(file: string, sheet: string): void {
    const id = JSON.stringify([file, sheet])
    this.#uses.set(id, (this.#uses.get(id) ?? 0) + 1)
  }

  async *rows(file: string, sheet: string, options: Pick<SheetMapping, 'separator' | 'encoding'>) {
    const book = await this.open(file, options)
    const id = JSON.stringify([file, sheet])
    const left = (this.#uses.get(id) ?? 1) - 1
    this.#uses.set(id, left)
    yield* this.#kept.read(id, () => book.rows(sheet), left <= 0)
  }

  async close(): Promise<void> {
    for (const opened of this.#open.values()) await opened.then((book) => book.close()).catch(() => {})
  }
}

const unreadable = (name: string, error: unknown): SourceError =>
  error instanceof SourceError ? error : new SourceError(`${name} cannot be read: ${(error as Error).message}`)

/** A new export often has another name, such as that of its month. */
function noFile(named: string): string {
  const { name, ext } = parse(named)
  const pattern = /\*| or /.test(named) ? 'a pattern that fits' : `a pattern such as ${name}*${ext}`
  return `there is no file ${named}, which the mapping names: rename the file, or use ${pattern} in the mapping`
}

/** The sheets that each rule reads, and the files and sheets that none does. */
async function find(mappings: readonly SheetMapping[], books: Books): Promise<{ sheets: Sheet[]; unread: string[] }> {
  const sheets: Sheet[] = []
  for (const mapping of mappings) {
    const files = books.names.filter((name) => mapping.file.test(name))
    if (files.length === 0) throw new SourceError(noFile(mapping.file.words))
    const before = sheets.length
    const there: string[] = []
    for (const file of files) {
      const book = await books.open(file, mapping)
      there.push(...book.sheets.map(({ name }) => name))
      const first = book.sheets.find(({ hidden }) => !hidden) ?? book.sheets[0]
      const found =
        mapping.sheet === undefined
          ? first
            ? [first]
            : []
          : book.sheets.filter(({ name }) => mapping.sheet?.test(name))
      sheets.push(...found.map(({ name }) => ({ mapping, file, sheet: name, counting: new Counting(mapping) })))
      for (const { name } of found) books.willRead(file, name)
    }
    if (sheets.length === before)
      throw new SourceError(
        `${files.join(', ')}: there is no sheet ${mapping.sheet?.words ?? ''}; there are ${[...new Set(there)].join(', ')}`,
      )
  }
  const read = new Set(sheets.map(({ file, sheet }) => JSON.stringify([file, sheet])))
  const unread: string[] = []
  for (const name of books.names) {
    if (!sheets.some(({ file }) => file === name)) unread.push(name)
    else
      for (const { name: sheet } of (await books.open(name, mappings[0] as SheetMapping)).sheets)
        if (!read.has(JSON.stringify([name, sheet]))) unread.push(placeName(name, sheet))
  }
  return { sheets, unread }
}

const UNDER_MERGED = {
  empty: 'is empty, because its cell is merged with the one above (fill: all gives it the value)',
  other: 'has another value than the merged cell above, which hides it',
} as const

/** The rows of a part, from all of its sheets; lines are numbered on from sheet to sheet. */
async function* rowsOf(part: SheetPart, books: Books, masters: Masters, onSheet: () => void): AsyncGenerator<Rows> {
  const header = headerOf(part)
  const state: State = { counts: new Map(), masters }
  const heads = new Heads(part.entity, header)
  const note = (values: readonly (string | null)[]) =>
    masters.note(part.entity, (name) => values[header.indexOf(name)] ?? null)
  let after = 0
  for (const { mapping, file, sheet, counting } of part.own) {
    const begin: Begin = { file: placeName(file, sheet), after, letters: new Map() }
    part.begins.push(begin)
    let last = 0
    const own = [...new Set([...mapping.columns.values()].flatMap(columnsIn))]
    let rows: Rows = []
    try {
      const source = books.rows(file, sheet, mapping)
      for await (const { line, at, wide, underMerged } of tableRows(source, mapping, begin.file, counting, (places) => {
        begin.letters = new Map([...places].map(([name, place]) => [name, letterOf(place)]))
      })) {
        last = line
        const found = valuesOf(mapping, at, sheet, state)
        const values = header.map((name) => found.values[[...mapping.columns.keys()].indexOf(name)] ?? null)
        const row = { entity: part.entity, header, values, stated: found.stated, faults: found.faults, line }
        compareRow(row, masters, counting)
        const numbered = { line: after + line, header, cells: values }
        const before = heads.size
        const taken = mapping.first === 'no' ? numbered : heads.take(numbered, mapping, row.faults)
        counting.used++
        const isNew = mapping.first === 'no' || heads.size > before
        counting.totals.use(at, isNew)
        // A later row of an item is not loaded: its unit must not count either.
        if (isNew) note(values)
        if (isNew)
          for (const column of own) {
            const under = underMerged(column)
            if (under !== undefined) counting.note(`${column} ${UNDER_MERGED[under]}`, line)
          }
        if (taken === undefined && row.faults.length === 0) continue
        rows.push({
          ...(taken ?? numbered),
          ...(wide && sheet === '' && { wrong: 'more' as const }),
          ...(row.faults.length > 0 && { faults: row.faults }),
        })
        if (rows.length < ROWS_AT_A_TIME) continue
        yield rows
        rows = []
      }
    } catch (error) {
      throw unreadable(begin.file, error)
    }
    yield rows
    after += last
    onSheet()
  }
  yield heads.rest().map(({ line, cells }: Head) => ({ line, header, cells }))
}

/** The columns that any sheet of a part maps, and the unit and currency that cells may state. */
function headerOf({ entity, own }: SheetPart): string[] {
  const mapped = new Set(own.flatMap(({ mapping }) => [...mapping.columns.keys()]))
  for (const name of ['unit', 'currency'])
    if (name in entity.columns && entity.name !== 'items' && entity.name !== 'account') mapped.add(name)
  return [...mapped]
}
