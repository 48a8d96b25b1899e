/** A ledger that is partitioned by year answers, loads and is verified as one table is; its years can be archived. */
import fc from 'fast-check'
import { expect, onTestFinished } from 'vitest'
import { restore } from '../../src/backup/read.js'
import { writeBackup } from '../../src/backup/write.js'
import { checkSchema, migrate } from '../../src/db/migrate.js'
import { partition } from '../../src/db/partition.js'
import { load } from '../../src/import/pipeline/load.js'
import { verify } from '../../src/import/pipeline/verify.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { reports } from '../../src/reports/index.js'
import { files, loadBooks } from '../setup/books.js'
import { loadCompany } from '../setup/company.js'
import { engine, openTestDatabase, type TestDatabase } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { anyLoad } from '../setup/loads.js'
import { randomCompany } from '../setup/random-company.js'
import { codesOf } from '../setup/requests.js'
import { compareAll, rowsOf } from '../setup/same.js'
import { startService } from '../setup/service.js'
import { inLongTier, only, runs } from '../setup/tier.js'

const onServer = only('server', 'only the ledger of a server can be partitioned')

async function newDatabase(): Promise<TestDatabase> {
  const database = await openTestDatabase()
  onTestFinished(() => database.drop())
  return database
}

/** Serves a new database. */
async function serveNew(fill: (database: TestDatabase) => Promise<unknown>) {
  const database = await openTestDatabase()
  await fill(database)
  const service = await startService({}, database)
  onTestFinished(() => service.close())
  return service
}

const yearsOf = async ({ db }: TestDatabase) =>
  (
    await db<{ name: string }[]>`
      select inhrelid::regclass::text as name from pg_inherits where inhparent = 'stock_movement'::regclass order by 1`
  ).map(({ name }) => name)

/** A movement of one of the books' items, on a day. */
const moved = (no: string, day: string) => `${no},${day},other_receipt,SFG1,Plant,,1,1,1,,,,,,,`
const loadMovements = (database: TestDatabase, ...rows: string[]) =>
  load(database, findFiles(folderOf(files({ stock_movements: rows }))))

onServer.it('random loads have the same results as in one table', async () => {
  const [plain, database] = [await newDatabase(), await newDatabase()]
  await loadBooks(plain)
  await partition(database) // while it is empty
  await loadBooks(database)
  expect(await rowsOf(database)).toEqual(await rowsOf(plain))
  let loaded = 0
  for (const { rows, replace } of fc.sample(anyLoad, { numRuns: runs(9, 100), seed: 9 })) {
    const folder = folderOf(files(rows))
    const expected = await load(plain, findFiles(folder), { replace })
    const found = await load(database, findFiles(folder), { replace })
    expect(found, JSON.stringify({ rows, replace })).toEqual(expected)
    expect(await rowsOf(database), JSON.stringify({ rows, replace })).toEqual(await rowsOf(plain))
    if (expected.committed) loaded++
  }
  expect(loaded).toBeGreaterThan(3)
  expect(await verify(database.db, { rebuild: false })).toEqual(await verify(plain.db, { rebuild: false }))
})

inLongTier('every report of random companies is the same as from one table', async (context) => {
  if (engine !== 'server') context.skip('only the ledger of a server can be partitioned')
  for (const company of fc.sample(randomCompany, { numRuns: 4, seed: 32 })) {
    const plain = await serveNew(({ db }) => loadCompany(db, company))
    const one = await serveNew(async (database) => {
      await loadCompany(database.db, company)
      expect((await partition(database)).years.length).toBeGreaterThan(0)
    })
    const range = { from_date: '2023-01-01', to_date: '2025-12-31' }
    expect(await compareAll(one, plain, range, codesOf(company, 2))).toBeGreaterThan(reports.length * 5)
    expect(await verify(one.db, { rebuild: false })).toEqual(await verify(plain.db, { rebuild: false }))
  }
})

onServer.it('each year has a table, which a load makes; a movement can go to another year', async () => {
  const database = await newDatabase()
  await loadBooks(database)
  expect(await partition(database)).toEqual({ years: [2024], partitioned: true })
  expect(await partition(database)).toEqual({ years: [2024], partitioned: false })
  const { committed } = await loadMovements(database, moved('Y1', '2027-01-01'), moved('Y2', '2024-12-31'))
  expect(committed).toBe(true)
  expect(await yearsOf(database)).toEqual(['stock_movement_2024', 'stock_movement_2027'])
  const changed = await loadMovements(
    database,
    moved('Y1', '2024-02-02'),
    'M9,2027-03-06,issue,FG1,Plant,,4,4,4,SO2,1,,,,,',
  )
  expect(changed.entities['stock_movements']).toEqual({ new: 0, changed: 2, same: 0, removed: 0 })
  const { db } = database
  expect(await db`select movement_no from stock_movement_2027`).toEqual([{ movement_no: 'M9' }])
  expect(await db`select movement_date::text as day from order_movement where movement_no = 'M9'`).toEqual([
    { day: '2027-03-06' },
  ])
  expect((await verify(db, { rebuild: false })).filter(({ kind }) => kind === 'derived')).toEqual([])
})

onServer.it('an answer with movements of orders is not kept when a load changes them', async () => {
  const { call, database } = await serveNew(async (database) => {
    await loadBooks(database)
    await partition(database)
  })
  const ask = async () => {
    const body = { version: 'WR', from_date: '2024-01-01', to_date: '2024-12-31' }
    const { data } = (await call({ path: '/v1/sales/order-status', body })).json()
    return data.map((record: Record<string, string>) => [record['SO_order_id'], record['issued_qty']])
  }
  const before = await ask()
  await loadMovements(
    database,
    'M9,2024-03-06,issue,FG1,Plant,,2,4,4,SO2,1,,,,,',
    'M10,2024-03-06,issue,SFG1,Plant,,1,2,2,SO2,1,,,,,',
  )
  expect(await ask()).not.toEqual(before)
})

onServer.it('verify finds copies that differ from the ledger, and makes them again', async () => {
  const database = await newDatabase()
  await loadBooks(database)
  await partition(database)
  const { db } = database
  const clean = await verify(db, { rebuild: false })
  await db`delete from order_movement where movement_no = 'M9'`
  expect(await verify(db, { rebuild: false })).toEqual([
    { kind: 'derived', check: 'copies in order_movement differ', count: 1, examples: [] },
    ...clean,
  ])
  expect(await verify(db, { rebuild: true })).toEqual(clean)
  expect(await db`select from order_movement where movement_no = 'M9'`).toHaveLength(1)
  await db`delete from stock_movement where movement_no = 'M9'`
  expect(await db`select from order_movement where movement_no = 'M9'`).toHaveLength(0)
  await db`truncate stock_movement`
  expect(await db`select from order_movement`).toHaveLength(0)
})

onServer.it('a ledger that was partitioned before migration 031 gets what that adds to its copies', async () => {
  const database = await newDatabase()
  await loadBooks(database)
  await partition(database)
  const { db } = database
  const clean = await verify(db, { rebuild: false })
  const [copy] = await db<{ text: string }[]>`select pg_get_functiondef('copy_movements()'::regprocedure) as text`
  // As they were, but for what migration 031 added.
  await db.unsafe(
    (copy?.text ?? '')
      .replace(', warehouse_id', '')
      .replace(/delete from receipt_movement[^;]*;|insert into receipt_movement[^;]*;/g, '')
      .replace(', receipt_movement', ''),
  )
  await db.unsafe('alter table order_movement drop column warehouse_id; drop table receipt_movement')
  await db`delete from schema_migration where number = 31`
  await db`update stock_movement set movement_date = '2024-03-07' where movement_no = 'M9'`
  await migrate(db)
  await loadMovements(database, 'M9,2024-03-06,issue,FG1,Plant,,4,4,4,SO2,1,,,,,')
  expect(await verify(db, { rebuild: false })).toEqual(clean)
})

onServer.it('a year can be moved to another disk, and a detached one is missed', async () => {
  const database = await newDatabase()
  await loadBooks(database)
  await loadMovements(database, moved('Y1', '2019-05-05'))
  await partition(database)
  const { db } = database
  const before = await verify(db, { rebuild: false })
  const tablespace = `archive_${Date.now()}`
  onTestFinished(async () => {
    await db`alter table stock_movement_2019 set tablespace pg_default`
    await db.unsafe(`drop tablespace ${tablespace}`)
  })
  const { client, release } = await db.lease() // one session
  await client.run('set allow_in_place_tablespaces = on')
  await client.run(`create tablespace ${tablespace} location ''`)
  await client.run(`alter table stock_movement_2019 set tablespace ${tablespace}`)
  release()
  expect(await verify(db, { rebuild: false })).toEqual(before)
  expect(await loadMovements(database, moved('Y2', '2019-05-06'))).toMatchObject({ committed: true })

  await db`alter table stock_movement detach partition stock_movement_2019`
  const found = await verify(db, { rebuild: false })
  expect(found.filter(({ kind }) => kind === 'derived')).not.toEqual([])
  const sentence = 'the movements of 2019 are detached from the ledger: attach the table stock_movement_2019 first'
  await expect(checkSchema(db)).rejects.toThrow(sentence)
  await expect(loadMovements(database, moved('Y3', '2019-05-07'))).rejects.toThrow(sentence)
  await db`alter table stock_movement attach partition stock_movement_2019 for values from ('2019-01-01') to ('2020-01-01')`
  await checkSchema(db)
  expect(await verify(db, { rebuild: false })).toEqual(before)
})

onServer.it('a backup holds the ledger once, and is restored into one table', async () => {
  const database = await newDatabase()
  await loadBooks(database)
  await partition(database)
  const restored = await openTestDatabase('empty')
  onTestFinished(() => restored.drop())
  await restore(restored, writeBackup(database.db))
  expect(await rowsOf(restored)).toEqual(await rowsOf(database))
  expect(await partition(restored)).toEqual({ years: [2024], partitioned: true })
  expect((await verify(restored.db, { rebuild: false })).filter(({ kind }) => kind === 'derived')).toEqual([])
})

only('embedded', 'on a server it works').it('the embedded ledger stays one table', async () => {
  const database = await newDatabase()
  await expect(partition(database)).rejects.toThrow('only the ledger of a PostgreSQL server can be partitioned')
})
