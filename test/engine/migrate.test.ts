/** Migrations: forward only, in one transaction, safe against concurrent runs. */
import { createHash } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { distribute } from '../../src/db/cluster/distribute.js'
import { connect } from '../../src/db/connect.js'
import { checkSchema, type Migration, migrate, migrations } from '../../src/db/migrate.js'
import { checkClosings } from '../../src/ledger/closings.js'
import { kinds } from '../../src/ledger/kinds.js'
import { databaseForThisTest, engine, makeTarget } from '../setup/database.js'
import { only } from '../setup/tier.js'

const onServer = only('server', 'the embedded engine has no time limits')

it('migrations are numbered from 1 without gaps', () => {
  expect(migrations.map(({ number }) => number)).toEqual(migrations.map((_, i) => i + 1))
})

it('no migration changes any more: databases that have it would be refused', () => {
  // Add the checksum of a new migration; put a change of an old one into a new one.
  const known = `3686e6e1 83ac8a6a 4cec390c d088c2ab 0d090e45 dda68265 400cea24 4b4abfad 3e3b7c7b
    631a4a63 9347fa01 0b719b89 dd2ab5d6 5db146bb 5ae9f2a4 ae84fec0 64fb4f25 e5384142 b7ebe9e4 9e7df68a fc89ae05
    9d03372f b4c15365 40138f38 dbe5ac27 ac9bf22e 1805173a bd2a86fa cbccc9eb 85cb5c51 7eee3af3 f09b17e5 662c076d`
  const found = migrations.map(({ text }) => createHash('sha256').update(text).digest('hex').slice(0, 8))
  expect(found).toEqual(known.split(/\s+/))
})

it('a database without a Citus cluster is not distributed, and the refusal says what to do', async () => {
  const database = await databaseForThisTest()
  await expect(distribute(database)).rejects.toThrow(
    engine === 'embedded'
      ? 'only a PostgreSQL server can be distributed: name its database with --database URL'
      : 'the database has no Citus extension: set up a cluster (docs/scaling.md), run create extension citus in this database on every node, and try again',
  )
  expect(database.engine.name).toBe(engine)
})

it('of concurrent runs on a new database, one applies all migrations and the others none', async () => {
  const { target, drop } = await makeTarget('empty')
  const [one, other] = [await connect(target), await connect(target)]
  const applied = await Promise.all([migrate(one.db), migrate(other.db), migrate(one.db)])
  expect(applied.map((list) => list.length).sort()).toEqual([0, 0, migrations.length])
  await checkSchema(other.db)
  await other.close()
  await one.close()
  await drop()
})

it('a failing migration rolls back those before it too', async () => {
  const { db } = await databaseForThisTest('empty')
  const known: Migration[] = [
    { number: 1, name: 'good', text: 'create table good (a int); create table better (b int)' },
    { number: 2, name: 'bad', text: 'create table half (a int); select nonsense' },
  ]
  await expect(migrate(db, known)).rejects.toThrow(/nonsense/)
  const tables = await db`select relname from pg_class where relname in ('good', 'better', 'half', 'schema_migration')`
  expect(tables).toHaveLength(0)
})

onServer.it('the time limits of a service do not apply to migrations', async () => {
  const { target } = await databaseForThisTest('empty')
  const limited = await connect(target, { limits: { statement: 100, lock: 100, connection: 10_000 } })
  onTestFinished(() => limited.close())
  await expect(limited.db`select pg_sleep(0.3)`).rejects.toThrow('statement timeout')
  const slow = { number: 1, name: 'slow', text: 'create table slow as select pg_sleep(0.3)::text' }
  expect(await migrate(limited.db, [slow])).toEqual([slow])
})

it('a database newer than the program is refused', async () => {
  const { db } = await databaseForThisTest()
  await db`insert into schema_migration (number, name, checksum) values (${migrations.length + 1}, 'future', '')`
  const sentence = /schema \d+, newer than this program, which knows \d+: use a newer Millbook/
  await expect(migrate(db)).rejects.toThrow(sentence)
  await expect(checkSchema(db)).rejects.toThrow(sentence)
})

it('a migration that was changed after it was applied is refused', async () => {
  const { db } = await databaseForThisTest()
  const changed = migrations.map((m) => (m.number === 1 ? { ...m, text: `${m.text}\n-- edited` } : m))
  await expect(migrate(db, changed)).rejects.toThrow(/migration 1 \(business-data\) was changed/)
})

it('the error for a database without a schema says to run millbook migrate', async () => {
  const { db } = await databaseForThisTest('empty')
  await expect(checkSchema(db)).rejects.toThrow(/has schema 0 and this program needs \d+: run millbook migrate/)
})

it('the schema and the program have the same kinds of movement', async () => {
  const { db } = await databaseForThisTest()
  const inSchema =
    await db`select enumlabel from pg_enum where enumtypid = 'movement_kind'::regtype order by enumsortorder`
  expect(inSchema.map((row) => row.enumlabel)).toEqual(Object.keys(kinds))
})

it('migrating an existing ledger keeps its statistics', async () => {
  const { db } = await databaseForThisTest('empty')
  await migrate(db, migrations.slice(0, 12))
  await db.unsafe(`
    insert into warehouse (key, location) values ('${'0'.repeat(32)}', 'Plant');
    insert into item (sku, name, type, unit) values ('FG-1', 'One', 'FG', 'PCS');
    insert into stock_movement (item_id, movement_no, movement_date, kind, warehouse_id, batch_no, qty, val, val_tax,
                                order_no, order_line_no, po_no, grn_no)
    select i.id, 'M' || n, '2026-01-01', (array['issue', 'purchase_receipt'])[n % 2 + 1]::movement_kind, w.id, 'B', 1, 1, 1,
           case n % 2 when 0 then 'SO' end, case n % 2 when 0 then 1 end,
           case n % 2 when 1 then 'PO' end, case n % 2 when 1 then 'GRN' end
      from item i, warehouse w, generate_series(1, 100) n;
    analyze stock_movement`)
  const known = async () =>
    (await db`select attname from pg_stats where tablename = 'stock_movement' order by 1`).map((row) => row.attname)
  const before = await known()
  expect(before).toContain('order_no')
  await migrate(db)
  expect(await known()).toEqual(before)
})

it('migrating an existing ledger derives its closings', async () => {
  const { db } = await databaseForThisTest('empty')
  await migrate(
    db,
    migrations.filter(({ number }) => number < 16),
  )
  await db.unsafe(`
    insert into warehouse (id, key, location) select n, md5(n::text), 'Depot ' || n from generate_series(1, 2) n;
    insert into item (id, sku, name, type, unit) select n, 'FG-' || n, 'Item', 'FG', 'PCS' from generate_series(1, 5) n;
    insert into stock_movement (item_id, movement_no, movement_date, kind, warehouse_id, batch_no, qty, val, val_tax)
    select 1 + n * n % 5, 'M' || n, date '2025-01-01' + n,
           (array['other_receipt', 'trash', 'hold', 'release'])[1 + n % 4]::movement_kind, 1 + n % 7 % 2,
           case when n % 3 > 0 then 'B' || n / 20 end, 1, 1, 1
      from generate_series(1, 600) n`)
  await migrate(db)
  expect(await checkClosings(db)).toEqual({ stock_closing: 0, stock_flow: 0, batch_closing: 0 })
  for (const table of ['stock_closing', 'stock_flow', 'batch_closing'])
    expect((await db.unsafe(`select from ${table}`)).length, table).toBeGreaterThan(10)
})

it('the client of the console is added beside one of the same name, and users stay without limits', async () => {
  const { db } = await databaseForThisTest('empty')
  await migrate(db, migrations.slice(0, 19))
  await db.unsafe(`
    insert into api_client (client_id, name, secret_hash) values ('x', 'console', 'y');
    insert into api_user (username, password_hash) values ('asha', 'z')`)
  await migrate(db)
  const clients = await db`select client_id, name, secret_hash from api_client order by client_id`
  expect([...clients]).toEqual([
    { client_id: 'console', name: 'console (built in)', secret_hash: null },
    { client_id: 'x', name: 'console', secret_hash: 'y' },
  ])
  const [user] = await db`select role, groups, hide_contacts from api_user`
  expect(user).toEqual({ role: 'reader', groups: null, hide_contacts: false })
})
