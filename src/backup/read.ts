/** Restores a backup into an empty database: all of it or nothing, in one transaction. */
import { createHash } from 'node:crypto'
import type { Database, Tx } from '../db/connect.js'
import { applyMigrations, lockSchema, migrations } from '../db/migrate.js'
import { identifier, join, raw } from '../db/sql.js'
import { type Table, tablesOf } from '../db/tables.js'
import { MillbookError } from '../errors.js'
import { hasState, isRefusedRow } from '../sqlstate.js'
import { addArchivedYears, fromFormat1, removeArchivedYears } from './earlier-build.js'
import { FORMAT, type Header, LEFT_OUT } from './write.js'

/** The size of a batch of inserted rows, in bytes. */
const BATCH_BYTES = 1 << 20

export interface Restored {
  readonly tables: number
  readonly rows: number
  readonly version: number
  /** When the backup was made. */
  readonly made_at: string
  readonly schema: number
}

/** Reads a backup to its end without a database, and throws if it is damaged: a restore finds that only after minutes of work. */
export async function checkBackup(pieces: AsyncIterable<Buffer>): Promise<void> {
  const lines = new Lines(pieces)
  readHeader(await lines.next())
  for (;;) {
    const table = await nextTable(lines)
    if (table === undefined) return
    for await (const _row of rowsOf(table.name, lines));
  }
}

export async function restore(
  { db }: Pick<Database, 'db'>,
  pieces: AsyncIterable<Buffer>,
  onTable: (name: string, rows: number) => void = () => {},
): Promise<Restored> {
  const lines = new Lines(pieces)
  const header = readHeader(await lines.next())
  const known = migrations.filter(({ number }) => number <= header.schema)
  return await db.begin(async (tx) => {
    await lockSchema(tx) // another restore may be at work
    await requireEmpty(tx)
    await applyMigrations(tx, known)
    if (header.format === 1) await addArchivedYears(tx)
    const tables = await tablesOf(tx, LEFT_OUT)
    const mending = await loosen(tx, tables)
    await tx.unsafe(`truncate ${tables.map(({ name }) => quoted(name)).join(', ')}`)
    let rows = 0
    const seen = new Set<string>()
    for (;;) {
      const table = await nextTable(lines)
      if (table === undefined) break
      if (tables.every(({ name }) => name !== table.name))
        throw damaged(`it has rows of an unknown table ${table.name}`)
      rows += await readRows(tx, table, lines)
      seen.add(table.name)
      onTable(table.name, rows)
    }
    const missing = tables.find(({ name }) => !seen.has(name))
    if (missing !== undefined) throw damaged(`it has no table ${missing.name}`)
    await orDamaged('a reference is missing', mending())
    if (header.format === 1) await removeArchivedYears(tx)
    await setSequences(tx)
    await tx.unsafe('analyze')
    const { version, made_at, schema } = header
    return { tables: tables.length, rows, version, made_at, schema }
  })
}

async function requireEmpty(tx: Tx): Promise<void> {
  const [{ used } = { used: true }] = await tx<{ used: boolean }[]>`
    select exists (select from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace) as used`
  if (used)
    throw new MillbookError(
      'the database is not empty: restore into a new one, named with --data DIR or --database URL (on a server, createdb makes one)',
    )
}

function readHeader(line: Buffer): Header {
  let header: Partial<Header>
  try {
    header = JSON.parse(String(line)) as Partial<Header>
  } catch {
    throw new MillbookError('this is not a backup of Millbook')
  }
  const { millbook, format, schema } = header
  if (millbook !== 'backup') throw new MillbookError('this is not a backup of Millbook')
  if (!Number.isInteger(format) || !Number.isInteger(schema)) throw damaged('its first line is wrong')
  if (format === 1) return fromFormat1(header as Header)
  const newest = migrations.at(-1)?.number ?? 0
  for (const [what, found, known] of [
    ['format', format, FORMAT],
    ['schema', schema, newest],
  ] as const)
    if ((found ?? 0) > known)
      throw new MillbookError(
        `the backup has ${what} ${found}, newer than this program, which knows ${known}: restore it with a newer Millbook`,
      )
  return header as Header
}

/** Reports a damaged backup if the database refuses its rows or does not know a column. */
async function orDamaged<T>(how: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (isRefusedRow(error) || hasState(error, 'undefined_column'))
      throw damaged(`${how} (${(error as Error).message})`)
    throw error
  }
}

/** Drops foreign keys and switches triggers off; the returned function restores both, which checks every reference. */
async function loosen(tx: Tx, tables: readonly Table[]): Promise<() => Promise<void>> {
  const keys = await tx<{ name: string; table: string; definition: string }[]>`
    select conname::text as name, conrelid::regclass::text as table, pg_get_constraintdef(oid) as definition
      from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`
  for (const { name, table } of keys) await tx.unsafe(`alter table ${table} drop constraint ${quoted(name)}`)
  for (const { name } of tables) await tx.unsafe(`alter table ${quoted(name)} disable trigger user`)
  return async () => {
    for (const { name } of tables) await tx.unsafe(`alter table ${quoted(name)} enable trigger user`)
    for (const { name, table, definition } of keys)
      await tx.unsafe(`alter table ${table} add constraint ${quoted(name)} ${definition}`)
  }
}

const quoted = (name: string) => identifier(name).text

/** The next table; undefined at the end of the backup, whose checksum is right. */
async function nextTable(lines: Lines): Promise<Table | undefined> {
  const begin = parse(await lines.next()) as { table?: unknown; columns?: unknown; end?: string; sha256?: string }
  if (begin.end === 'backup') {
    if (begin.sha256 !== lines.digestBefore) throw damaged('its checksum differs')
    if (!(await lines.isAtEnd())) throw damaged('it goes on after its end')
    return undefined
  }
  if (begin.table === undefined || !Array.isArray(begin.columns)) throw damaged('a line that names a table is missing')
  return { name: String(begin.table), columns: begin.columns.map(String) }
}

/** The rows of a table, up to the line that counts them. */
async function* rowsOf(name: string, lines: Lines): AsyncGenerator<Buffer> {
  for (let rows = 0; ; rows++) {
    const line = await lines.next()
    // A row begins with the name of a column, so only the last line of a table can begin like this.
    if (line.subarray(0, END.length).equals(END)) {
      const { end, rows: counted } = parse(line) as { end: string; rows: number }
      if (end === name && counted === rows) return
      throw damaged(`it has ${rows} rows of ${name} and should have ${counted}`)
    }
    yield line
  }
}

/** Stores the rows of a table; resolves to their number. */
async function readRows(tx: Tx, { name, columns }: Table, lines: Lines): Promise<number> {
  let batch: Buffer[] = []
  let [bytes, rows] = [0, 0]
  const names = join(columns.map(identifier), ', ')
  const insert = async () => {
    if (batch.length === 0) return
    const values = `[${batch.map(String).join(',')}]`
    await orDamaged(
      `rows of ${name} cannot be read`,
      tx`insert into ${identifier(name)} (${names}) overriding system value
         select ${names} from json_populate_recordset(${raw('null::')}${identifier(name)}, ${values}::text::json)`,
    )
    batch = []
    bytes = 0
  }
  for await (const line of rowsOf(name, lines)) {
    batch.push(line)
    bytes += line.length
    rows++
    if (bytes >= BATCH_BYTES) await insert()
  }
  await insert()
  return rows
}

const END = Buffer.from('{"end":"')

/** The next value of each sequence comes after the largest in use. */
async function setSequences(tx: Tx): Promise<void> {
  const sequences = await tx<{ table: string; column: string; sequence: string }[]>`
    select * from (select c.oid::regclass::text as table, a.attname::text as column,
                          pg_get_serial_sequence(c.oid::regclass::text, a.attname) as sequence
                     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace) as columns
     where sequence is not null`
  for (const { table, column, sequence } of sequences)
    await tx.unsafe(
      `select setval('${sequence}', (select coalesce(max(${quoted(column)}), 0) + 1 from ${table}), false)`,
    )
}

const damaged = (how: string) =>
  new MillbookError(`the backup is damaged: ${how}; use another one. Nothing was restored`)

function parse(line: Buffer): unknown {
  try {
    return JSON.parse(String(line))
  } catch {
    throw damaged('one of its lines is not JSON')
  }
}

/** Splits pieces into lines, and keeps the checksum of all lines before the last one read. */
class Lines {
  readonly #pieces: AsyncIterator<Buffer>
  readonly #hash = createHash('sha256')
  #rest: Buffer = Buffer.alloc(0)
  #at = 0
  #last: Buffer | undefined

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]()
  }

  async next(): Promise<Buffer> {
    if (this.#last !== undefined) this.#hash.update(this.#last)
    for (;;) {
      const end = this.#rest.indexOf(0x0a, this.#at)
      if (end >= 0) {
        this.#last = this.#rest.subarray(this.#at, end + 1)
        this.#at = end + 1
        return this.#last.subarray(0, -1)
      }
      const { value, done } = await this.#pieces.next()
      if (done) throw damaged('it ends too early')
      this.#rest = Buffer.concat([this.#rest.subarray(this.#at), value])
      this.#at = 0
    }
  }

  /** Whether nothing follows the last line read. */
  async isAtEnd(): Promise<boolean> {
    return this.#at === this.#rest.length && (await this.#pieces.next()).done === true
  }

  get digestBefore(): string {
    return this.#hash.copy().digest('hex')
  }
}
