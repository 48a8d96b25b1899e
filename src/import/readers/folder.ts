/** Finds the files of an import and reads their rows. */
import { closeSync, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { MillbookError } from '../../errors.js'
import { nearest } from '../../nearest.js'
import { entities } from '../entities/index.js'
import type { Chunk, Part, Rows, Source } from '../source.js'
import { readCsv } from './csv.js'
import { readJsonl } from './jsonl.js'
import { readParquet } from './parquet.js'

/** What a reader tells while it reads. */
export interface Listener {
  onBytes(bytes: number): void
  /** The names of the columns, where they stand once for all rows. */
  onHeader(names: readonly string[]): void
}

type Reader = (file: string, name: string, listener: Listener) => AsyncGenerator<Rows>

const readers: Record<string, Reader> = { csv: readCsv, jsonl: readJsonl, parquet: readParquet }

interface ImportFile extends Part {
  bytes: number
  rows(listener: Listener): AsyncGenerator<Rows>
}

/** The files of a folder. A file that is not known is refused, not passed over. */
export function findFiles(folder: string): Source {
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
  const files = entities.flatMap((entity) => found.get(entity.name) ?? [])
  return { parts: files, chunks: () => readAll(files) }
}

/** One file after the other. */
async function* readAll(files: readonly ImportFile[]): AsyncGenerator<Chunk> {
  const ofBytes = files.reduce((sum, file) => sum + file.bytes, 0)
  let bytes = 0
  for (const part of files) {
    let header: readonly string[] | undefined
    const listener: Listener = {
      onBytes: (more) => {
        bytes += more
      },
      onHeader: (names) => {
        header = names
      },
    }
    const chunk = (rows: Rows): Chunk => ({
      part,
      header,
      rows,
      done: ofBytes === 0 ? 1 : Math.min(1, bytes / ofBytes),
    })
    for await (const rows of part.rows(listener)) {
      yield chunk(rows)
      header = undefined
    }
    yield chunk([]) // a file with a header alone has something to say too
  }
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
