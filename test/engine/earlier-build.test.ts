/** Databases and backups of the last development build with 33 migrations. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { restore } from '../../src/backup/read.js'
import { writeBackup } from '../../src/backup/write.js'
import { checkSchema, describeMigrated, migrate, migrations } from '../../src/db/migrate.js'
import { catalogueOf } from '../setup/catalogue.js'
import { databaseForThisTest, type TestDatabase } from '../setup/database.js'
import { sameOnBoth } from '../setup/tier.js'

const fixture = (name: string) => gunzipSync(readFileSync(new URL(`../fixtures/${name}`, import.meta.url)))
/** pg_dump of an empty database of that build, without settings of the session. */
const dump = String(fixture('schema-33.sql.gz'))

async function oldDatabase(): Promise<TestDatabase> {
  const database = await databaseForThisTest('empty')
  await database.db.unsafe(dump)
  return database
}

it('migrating a database of that build gives it the schema of a new one', async () => {
  const old = await oldDatabase()
  const before = await old.db`select id, version, committed_at from data_version`
  await expect(checkSchema(old.db)).rejects.toThrow(
    'the database has schema 33 of an earlier development build: back it up with that build, then run millbook migrate',
  )
  const migrated = await migrate(old.db)
  expect(describeMigrated(migrated)).toBe(
    `migrated the schema from 33 of an earlier development build to ${migrations.length}`,
  )
  await checkSchema(old.db)
  const created = await databaseForThisTest()
  expect(await catalogueOf(old.db)).toEqual(await catalogueOf(created.db))
  expect(await old.db`select id, version, committed_at from data_version`).toEqual(before)
  expect((await migrate(old.db)).applied).toEqual([])
})

sameOnBoth.each<[string, string, RegExp]>([
  [
    'with another number',
    'delete from schema_migration where number > 31',
    /schema 31 of an earlier .* that has schema 33/,
  ],
  [
    'with archived years',
    `update data_version set ledger_begins = '2025-01-01'`,
    /with the build that made the database, run millbook archive --undo; then back/,
  ],
  [
    'with archived batches',
    `insert into archived_batch values (1, 'B1')`,
    /with the build that made the database, run millbook archive --undo; then back/,
  ],
  [
    'with a partitioned ledger',
    `alter table stock_movement rename to stock_movement_2026;
     create table stock_movement (like stock_movement_2026) partition by range (movement_date)`,
    /partitioned by year: back the database up with the build that made it, and restore the backup with this one/,
  ],
])('a database %s is refused unchanged, and the error says what to do', async (_name, change, why) => {
  const old = await oldDatabase()
  await old.db.unsafe(change)
  const before = await catalogueOf(old.db)
  await expect(migrate(old.db)).rejects.toThrow(why)
  expect(await catalogueOf(old.db)).toEqual(before)
})

sameOnBoth('a database of an earlier build is not backed up: no build could restore the backup', async () => {
  const old = await oldDatabase()
  await expect(writeBackup(old).next()).rejects.toThrow('schema 33 of an earlier development build')
})

/** Columns that only that build or only the present one has. */
const IN_ONE = /^(ledger_begins|archived_.*|known_from)$/
const NEW = [
  ...['sales_order_line.warehouse_id', 'sales_order_line.delivered_qty'],
  ...['stock_movement.unit', 'stock_movement.given', 'stock_movement.transfer_no', 'account.year_begins'],
  ...['batch.supplier_lot', 'item.gtin', 'item.shelf_life_days', 'vendor.gln', 'warehouse.gln'],
]

/** Tables that only the present build has, which a backup of an earlier one leaves as a first load does. */
const NEW_TABLES = ['history', 'known_version']

/** A client that only the present build has. */
const NEW_CLIENT = 'app-passwords'

/** The rows of each table with all their digits, without these columns, tables and this client. */
function rowsOf(backup: Buffer): Record<string, string[]> {
  const found: Record<string, string[]> = {}
  let table = ''
  for (const line of String(backup).trimEnd().split('\n').slice(1, -1)) {
    const parsed = JSON.parse(line.replace(/:(-?\d+(\.\d+)?)(?=[,}])/g, ':"$1"')) as Record<string, unknown>
    if (parsed['end'] !== undefined) continue
    if (Array.isArray(parsed['columns'])) table = parsed['table'] as string
    else if (parsed['client_id'] !== NEW_CLIENT && !NEW_TABLES.includes(table)) {
      const kept = Object.entries(parsed).filter(([name]) => !IN_ONE.test(name) && !NEW.includes(`${table}.${name}`))
      const rows = found[table] ?? []
      found[table] = rows
      rows.push(JSON.stringify(kept.sort(([a], [b]) => (a < b ? -1 : 1))))
    }
  }
  for (const rows of Object.values(found)) rows.sort()
  return found
}

const inPieces = async function* (bytes: Buffer) {
  yield bytes
}
async function backupOf(database: TestDatabase): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of writeBackup(database)) pieces.push(piece)
  return Buffer.concat(pieces)
}

sameOnBoth('a backup of that build is restored into the current schema, every row unchanged', async () => {
  const backup = fixture('0.1.0.backup')
  const database = await databaseForThisTest('empty')
  await restore(database, inPieces(backup))
  await migrate(database.db)
  expect(await catalogueOf(database.db)).toEqual(await catalogueOf((await databaseForThisTest()).db))
  const again = await backupOf(database)
  expect(JSON.parse(String(again).split('\n', 1)[0] as string)).toMatchObject({ format: 2, schema: migrations.length })
  const rows = rowsOf(again)
  expect(Object.values(rows).flat().length).toBeGreaterThan(3000)
  expect(rows).toEqual(rowsOf(backup))
})

/** The fixture with a changed text and the matching checksum. */
function changed(from: string | RegExp, to: string): Buffer {
  const lines = String(fixture('0.1.0.backup')).replace(from, to).trimEnd().split('\n')
  const kept = lines.slice(0, -1).join('\n').concat('\n')
  const sha256 = createHash('sha256').update(kept).digest('hex')
  return Buffer.from(`${kept}${JSON.stringify({ end: 'backup', sha256 })}\n`)
}

sameOnBoth.each<[string, Buffer, RegExp]>([
  [
    'of another schema',
    changed('"schema":33', '"schema":18'),
    /schema 18 of an earlier .* restore it with the last build/,
  ],
  [
    'with years of a ledger',
    changed('"schema":33', '"schema":33,"ledger":{"years":[2026]}'),
    /with the build that made it, run millbook archive --undo, and back up again/,
  ],
  [
    'with archived years',
    changed('"ledger_begins":null', '"ledger_begins":"2025-01-01"'),
    /with the build that made it, run millbook archive --undo, and back up again/,
  ],
  [
    'with archived batches',
    changed(
      /\n\{"end":"archived_batch","rows":0\}/,
      '\n{"item_id":1,"batch_no":"B1"}\n{"end":"archived_batch","rows":1}',
    ),
    /with the build that made it, run millbook archive --undo, and back up again/,
  ],
])('a backup %s restores nothing, and the error says what to do', async (_name, backup, why) => {
  const database = await databaseForThisTest('empty')
  await expect(restore(database, inPieces(backup))).rejects.toThrow(why)
  expect(await catalogueOf(database.db)).toEqual([])
})
