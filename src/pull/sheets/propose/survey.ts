/** Reads every sheet of a folder once, and finds the tables. */
import { readdirSync } from 'node:fs'
import { extname, join } from 'node:path'
import { SourceError } from '../../source.js'
import { BOOK_ENDINGS, openBook } from '../book.js'
import { headingsOf } from '../headings.js'
import { isMapping } from '../mapping.js'
import { type SheetRow, textOf } from '../sheet.js'
import { aboutOf } from './about.js'
import { besideFrom } from './beside.js'
import { FoundTable } from './found.js'
import { findHeader, type HeaderRows } from './header.js'
import type { Place } from './places.js'
import type { Unread } from './proposal.js'
import { sniff } from './sniff.js'

export interface Survey {
  readonly tables: readonly FoundTable[]
  readonly unread: readonly Unread[]
  /** Every sheet that the folder has. */
  readonly sheets: readonly Place[]
}

/** The rows of the header that a mapping names for a sheet. */
export type NamedHeader = (place: Place, isFirst: boolean) => HeaderRows | undefined

/** A header is not looked for below. */
const BEGINNING = 60
/** Rows in which sums that do not say so are looked for. */
const LOOKED_AT = 5000

export async function survey(folder: string, named: NamedHeader = () => undefined): Promise<Survey> {
  let names: string[]
  try {
    names = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && !/^[.~]/.test(entry.name) && !isMapping(entry.name))
      .map(({ name }) => name)
      .sort()
  } catch (error) {
    throw new SourceError(`the folder ${folder} cannot be read: ${(error as Error).message}`)
  }
  const tables = new Map<string, FoundTable>()
  const unread: Unread[] = []
  const sheets: Place[] = []
  for (const file of names) {
    if (!BOOK_ENDINGS.includes(extname(file).toLowerCase())) {
      unread.push({ file, sheet: '', why: `it is none of the files that can be read: ${BOOK_ENDINGS.join(', ')}` })
      continue
    }
    if (extname(file).toLowerCase() === '.xml') {
      unread.push({ file, sheet: '', why: "Tally's own export has a mapping: connectors/spreadsheets/tally.yaml" })
      continue
    }
    try {
      await readBook(folder, file, named, tables, unread, sheets)
    } catch (error) {
      unread.push({ file, sheet: '', why: `it cannot be read: ${(error as Error).message}` })
    }
  }
  return { tables: [...tables.values()], unread, sheets }
}

async function readBook(
  folder: string,
  file: string,
  named: NamedHeader,
  tables: Map<string, FoundTable>,
  unread: Unread[],
  sheets: Place[],
): Promise<void> {
  const path = join(folder, file)
  const isText = ['.csv', '.tsv', '.txt'].includes(extname(file).toLowerCase())
  const options = isText ? sniff(path) : { separator: ',', encoding: 'utf-8' }
  const book = await openBook(path, options)
  try {
    const first = book.sheets.findIndex(({ hidden }) => !hidden)
    for (const [at, { name, hidden }] of book.sheets.entries()) {
      sheets.push({ file, sheet: name, hidden })
      const header = named({ file, sheet: name }, at === Math.max(0, first))
      if (hidden && header === undefined) {
        unread.push({ file, sheet: name, why: 'it is hidden' })
        continue
      }
      const why = await readSheet({ file, sheet: name, hidden }, book.rows(name), header, options, tables)
      if (why !== undefined) unread.push({ file, sheet: name, why })
    }
  } finally {
    await book.close()
  }
}

/** Why there is no table in the sheet; undefined if there is one. */
async function readSheet(
  about: Place & { hidden: boolean },
  rows: AsyncGenerator<SheetRow>,
  named: HeaderRows | undefined,
  options: FoundTable['options'],
  tables: Map<string, FoundTable>,
): Promise<string | undefined> {
  const beginning: SheetRow[] = []
  while (beginning.length < LOOKED_AT) {
    const next = await rows.next()
    if (next.done) break
    beginning.push(next.value)
  }
  const filled = beginning.slice(0, BEGINNING).filter(({ cells }) => cells.some((cell) => textOf(cell) !== ''))
  if (filled.length === 0) return 'it is empty'
  const header = named ?? findHeader(filled)
  if (header === undefined) {
    await rows.return(undefined)
    return 'none of its first rows looks like the names of columns'
  }
  const above = beginning.filter(({ line }) => line <= header.last)
  const head = Array.from(
    { length: header.last - header.first + 1 },
    (_, i) => above.find(({ line }) => line === header.first + i)?.cells ?? [],
  )
  const headings = headingsOf(head)
  const titles = above
    .filter(({ line }) => line < header.first)
    .flatMap(({ cells }) => cells.map(textOf).filter(Boolean))
  // Sheets of one form are one table, unless their names say that they are about different things.
  const below = beginning.filter(({ line }) => line > header.last)
  const beside = besideFrom(headings, below)
  const key = JSON.stringify([header, headings.full, beside, options, aboutOf([about.file, about.sheet, ...titles])])
  const table = tables.get(key) ?? new FoundTable(header, headings, titles, options, beside)
  tables.set(key, table)
  table.begin(about, above, below)
  for (const row of below) table.note(row)
  for await (const row of rows) table.note(row)
  return undefined
}
