/** Finds the files of an import and reads their rows. */
import { closeSync, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { MillbookError } from '../errors.js'
import type { Cell } from './columns.js'
import { readCsv } from './csv.js'
import { entities } from './entities/index.js'
import type { Entity } from './entity.js'
import { readJsonl } from './jsonl.js'
import { nearest } from './nearest.js'
import { readParquet } from './parquet.js'

/** Some rows of a file. */
export type Rows = {
  /** Where it begins, from 1. */
  line: number
  header: readonly string[]
  cells: readonly Cell[]
  /** There are more cells than columns, or fewer. */
  wrong?: 'more' | 'fewer'
}[]

/** What a reader tells while it reads. */
export interface Listener {
  onBytes(bytes: number): void
  /** The names of the columns, where they stand once for all rows. */
  onHeader(names: readonly string[]): void
}

type Reader = (file: string, name: string, listener: Listener) => AsyncGenerator<Rows>

const readers: Record<string, Reader> = { csv: readCsv, jsonl: readJsonl, parquet: readParquet }

export interface ImportFile {
  entity: Entity
  /** Without its folder, for messages. */
  name: string
  bytes: number
  rows(listener: Listener): AsyncGenerator<Rows>
}

/** The files of a folder in the order in which they are loaded. A file that is not known is refused, not passed over. */
export function findFiles(folder: string): ImportFile[] {
  let names: string[]
  try {
    names = readdirSync(folder).filter((name) => !name.startsWith('.'))
  } catch (error) {
    throw new MillbookError(`cannot read the folder ${folder}: ${(error as Error).message}`)
  }
  const found = new Map<string, ImportFile>()
  for (const name of names.sort()) {
    const [, base = name, ending = ''] = /^(.*?)\.(\w+)$/.exec(name) ?? []
    const read = readers[ending]
    if (read === undefined) {
      // ITEMS.CSV or items.csv.gz: meant to be loaded, and not to be passed over.
      if (entities.some((entity) => entity.name === name.split('.')[0]?.toLowerCase()))
        throw new MillbookError(`${name}: an import reads .csv, .jsonl and .parquet files`)
      continue // a note or a spreadsheet beside the files
    }
    const entity = entities.find((entity) => entity.name === base)
    const names = entities.map((entity) => entity.name)
    if (entity === undefined)
      throw new MillbookError(
        `${name}: there is no entity ${base}${nearest(base, names)}; there are ${names.join(', ')}`,
      )
    const other = found.get(base)
    if (other !== undefined)
      throw new MillbookError(`${name}: ${other.name} holds the same entity; give it in one file`)
    const file = join(folder, name)
    found.set(base, {
      entity,
      name,
      bytes: sizeOf(file, name),
      rows: (listener) => told(name, read(file, name, listener)),
    })
  }
  if (found.size === 0)
    throw new MillbookError(
      `there is nothing to import in ${folder}: files are named like items.csv or stock_movements.jsonl`,
    )
  return entities.flatMap((entity) => found.get(entity.name) ?? [])
}

/** The size of a file that can be read: what cannot is told before the database is touched. */
function sizeOf(file: string, name: string): number {
  try {
    const about = statSync(file)
    // Opening a pipe would wait for its writer.
    if (!about.isFile())
      throw new MillbookError(`${name}: is ${about.isDirectory() ? 'a folder' : 'no file'}; an import reads files`)
    closeSync(openSync(file, 'r'))
    return about.size
  } catch (error) {
    throw cannotRead(name, error)
  }
}

/** A file may still become unreadable while it is read. */
async function* told(name: string, rows: AsyncGenerator<Rows>): AsyncGenerator<Rows> {
  try {
    yield* rows
  } catch (error) {
    throw cannotRead(name, error)
  }
}

/** What the system says of a file becomes a sentence; anything else stays as it is. */
const cannotRead = (name: string, error: unknown) => {
  const { syscall, message } = error as NodeJS.ErrnoException
  return syscall === undefined ? error : new MillbookError(`${name}: cannot be read: ${message}`)
}
