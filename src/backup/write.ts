/**
 * Writes a backup: lines of JSON, with all tables at one moment. The first line is the header, a line before each table names its
 * columns, a line after it counts its rows, and the last line has a checksum of all lines before it.
 */
import { createHash } from 'node:crypto'
import type { Database } from '../db/connect.js'
import { schemaOf } from '../db/migrate.js'
import { tablesOf } from '../db/tables.js'
import { streamTexts } from '../db/texts.js'
import { MillbookError } from '../errors.js'

/** To be raised when older programs can no longer read a backup. */
export const FORMAT = 2

/**
 * A restore applies migrations itself, the next load notes its files again, and a copy must not send old messages to webhooks. Databases
 * of earlier builds have the last two.
 */
export const LEFT_OUT = ['schema_migration', 'loaded_file', 'loaded_rows', 'event', 'delivery', 'undo_load', 'undo_row']

export interface Header {
  readonly millbook: 'backup'
  readonly format: number
  /** The number of the last migration. */
  readonly schema: number
  /** The version of the data. */
  readonly version: number
  readonly made_at: string
}

export interface BackupResult {
  readonly tables: number
  readonly rows: number
  readonly version: number
}

/** Yields the backup in pieces. One transaction reads everything, while others go on writing. */
export async function* writeBackup(
  { db, engine }: Pick<Database, 'db' | 'engine'>,
  onTable: (name: string, rows: number) => void = () => {},
): AsyncGenerator<Buffer, BackupResult> {
  const hash = createHash('sha256')
  const hashed = (piece: Buffer) => {
    hash.update(piece)
    return piece
  }
  const line = (value: object) => hashed(Buffer.from(`${JSON.stringify(value)}\n`))
  const { tx, end } = await engine.openSnapshot(db)
  try {
    const schema = await schemaOf(tx)
    if (schema === 0) throw new MillbookError('there is nothing to back up: the database has no tables of Millbook')
    const [{ version } = { version: 0 }] = await tx<{ version: number }[]>`
      select version::float8 as version from data_version`
    const header: Header = {
      ...{ millbook: 'backup', format: FORMAT, schema, version },
      made_at: new Date().toISOString(),
    }
    yield line(header)
    let rows = 0
    const tables = await tablesOf(tx, LEFT_OUT)
    for (const { name, columns } of tables) {
      yield line({ table: name, columns })
      let count = 0
      for await (const piece of asLines(streamTexts(tx, engine.selectRows(name, columns)))) {
        count += piece.rows
        yield hashed(piece.bytes)
      }
      rows += count
      yield line({ end: name, rows: count })
      onTable(name, rows)
    }
    yield Buffer.from(`${JSON.stringify({ end: 'backup', rows, sha256: hash.digest('hex') })}\n`)
    return { tables: tables.length, rows, version }
  } finally {
    await end()
  }
}

const COMMA = 0x2c
const NEWLINE = 0x0a

/** Texts joined by commas, as lines. A piece may end with the comma before the next text, so its last byte is kept back. */
async function* asLines(pieces: ReturnType<typeof streamTexts>): AsyncGenerator<{ bytes: Buffer; rows: number }, void> {
  let before = 0
  let kept: Buffer = Buffer.alloc(0)
  let any = false
  for await (const { bytes, starts } of pieces) {
    const all = Buffer.concat([kept, bytes])
    const offset = before - kept.length
    for (const start of starts) {
      const at = start - offset - 1
      if (at < 0) continue // the first text of all
      if (all[at] !== COMMA) throw new Error('a row of the backup does not begin where it should')
      all[at] = NEWLINE
    }
    before += bytes.length
    any ||= starts.length > 0
    kept = all.subarray(all.length - 1)
    yield { bytes: all.subarray(0, all.length - 1), rows: starts.length }
  }
  if (any) yield { bytes: Buffer.concat([kept, Buffer.from('\n')]), rows: 0 }
}
