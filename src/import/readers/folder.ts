/** Finds the files of an import in a folder, and reads one after the other. */
import { closeSync, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { MillbookError } from '../../errors.js'
import { nearest } from '../../nearest.js'
import { entities } from '../entities.js'
import type { Chunk, Part, Rows, Source } from '../source.js'
import { readCsv } from './csv.js'
import { fingerprinted } from './fingerprint.js'
import { readJsonl } from './jsonl.js'
import type { Listener, Reader } from './reader.js'

/** By the ending of the file's name. The reader of Parquet is large: it is imported when it is needed. */
const readers: Record<string, Reader> = {
  ...{ csv: readCsv, jsonl: readJsonl },
  async *parquet(...file) {
    const { readParquet } = await import('./parquet.js')
    yield* readParquet(...file)
  },
}

/** The endings of files that an import reads. */
export const IMPORT_ENDINGS: readonly string[] = Object.keys(readers).map((name) => `.${name}`)

interface ImportFile extends Part {
  bytes: number
  rows(listener: Listener): AsyncGenerator<Rows>
}

/** The files of a folder. A file in a known format that is no entity's is refused, not ignored. */
export function findFiles(folder: string): Source {
  let names: string[]
  try {
    names = readdirSync(folder).filter((name) => !name.startsWith('.'))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new MillbookError(
      code === 'ENOENT'
        ? `there is no folder ${folder}`
        : code === 'ENOTDIR'
          ? `${folder} is a file: name the folder that it is in`
          : `cannot read the folder ${folder}: ${message}`,
    )
  }
  const found = new Map<string, ImportFile>()
  for (const name of names.sort()) {
    const [, base = name, ending = ''] = /^(.*?)\.(\w+)$/.exec(name) ?? []
    const read = readers[ending]
    if (read === undefined) {
      // ITEMS.CSV and items.csv.gz are meant to be loaded.
      if (entities.some((entity) => entity.name === name.split('.')[0]?.toLowerCase()))
        throw new MillbookError(
          `${name}: an import reads ${IMPORT_ENDINGS.slice(0, -1).join(', ')} and ${IMPORT_ENDINGS.at(-1)} files`,
        )
      continue // another file, such as a note
    }
    const entity = entities.find((entity) => entity.name === base)
    const names = entities.map((entity) => entity.name)
    if (entity === undefined)
      throw new MillbookError(
        `${name}: there is no entity ${base}${nearest(base, names)}; there are ${names.join(', ')}`,
      )
    const other = found.get(base)
    if (other !== undefined)
      throw new MillbookError(`${name}: ${other.name} holds the same entity; keep one of the two files`)
    const file = join(folder, name)
    found.set(base, {
      entity,
      name,
      bytes: sizeOf(file, name),
      ...fingerprinted(file, ending),
      rows: (listener) => withFileErrors(name, read(file, name, listener)),
    })
  }
  if (found.size === 0)
    throw new MillbookError(
      `there is nothing to import in ${folder}: files are named like items.csv or stock_movements.jsonl`,
    )
  const files = entities.flatMap((entity) => found.get(entity.name) ?? [])
  return {
    parts: files,
    chunks: (of = files) => readAll(files.filter((file) => of.includes(file))),
    again: true,
  }
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
    yield { ...chunk([]), last: true } // also passes on the header of a file without rows
  }
}

/** The size of a file; throws if it cannot be read, before the load touches the database. */
function sizeOf(file: string, name: string): number {
  try {
    const about = statSync(file)
    // Opening a pipe would block until it has a writer.
    if (!about.isFile())
      throw new MillbookError(`${name}: is ${about.isDirectory() ? 'a folder' : 'not a file'}; an import reads files`)
    closeSync(openSync(file, 'r'))
    return about.size
  } catch (error) {
    throw cannotRead(name, error)
  }
}

/** Names the file in errors that the system reports while it is read. */
async function* withFileErrors(name: string, rows: AsyncGenerator<Rows>): AsyncGenerator<Rows> {
  try {
    yield* rows
  } catch (error) {
    throw cannotRead(name, error)
  }
}

/** An error of the system with the file's name; any other error unchanged. */
const cannotRead = (name: string, error: unknown) => {
  const { syscall, message } = error as NodeJS.ErrnoException
  return syscall === undefined ? error : new MillbookError(`${name}: cannot be read: ${message}`)
}
