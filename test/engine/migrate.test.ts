/** Migrations: forward only, in one transaction, safe against concurrent runs. */
import { createHash } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { distribute } from '../../src/db/cluster/distribute.js'
import { connect } from '../../src/db/connect.js'
import { checkSchema, describeMigrated, type Migration, migrate, migrations } from '../../src/db/migrate.js'
import { kinds } from '../../src/ledger/kinds.js'
import { databaseForThisTest, engine, makeTarget } from '../setup/database.js'
import { only } from '../setup/tier.js'

const onServer = only('server', 'the embedded engine has no time limits')

it('migrations are numbered from 1 without gaps', () => {
  expect(migrations.map(({ number }) => number)).toEqual(migrations.map((_, i) => i + 1))
})

it('no released migration changes: databases that have it would be refused', () => {
  // Add the checksum of a new migration here; to change an old migration, write a new one.
  const known =
    '4b74dbc9 9b57815b 152a89a8 f1692c38 f47c8c7c 7b32a802 1fca7ee7 ff482f09 d62b4406 39b2a29a e556e5ce 10428e6e ' +
    '4708c3cb 1ad19c82 3c242500 a5fea2a7 22701946 af390ad0 4ea4a866 c6809bc0 56c8ba5a b989be3e de5f8edc a5e2bcfb ' +
    '3e5645f5'
  const found = migrations.map(({ text }) => createHash('sha256').update(text).digest('hex').slice(0, 8))
  expect(found).toEqual(known.split(' '))
})

it('a database without a Citus cluster is not distributed, and the error says what to do', async () => {
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
  expect(applied.map((one) => one.applied.length).sort()).toEqual([0, 0, migrations.length])
  await checkSchema(other.db)
  await other.close()
  await one.close()
  await drop()
})

it('one line describes the result of a migration', async () => {
  const { db } = await databaseForThisTest('empty')
  const known: Migration[] = [1, 2, 3].map((number) => ({
    number,
    name: `m${number}`,
    text: `create table t${number} ()`,
  }))
  const lines: string[] = []
  for (const count of [1, 1, 3]) lines.push(describeMigrated(await migrate(db, known.slice(0, count))))
  expect(lines).toEqual([
    'created the schema, version 1',
    'the schema is up to date (1)',
    'migrated the schema from 1 to 3',
  ])
})

it('a failing migration rolls back the migrations before it too', async () => {
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
  expect(await migrate(limited.db, [slow])).toEqual({ from: 0, to: 1, applied: [slow] })
})

it('a database newer than the program is refused', async () => {
  const { db } = await databaseForThisTest()
  await db`insert into schema_migration (number, name, checksum) values (${(migrations.at(-1)?.number ?? 0) + 1}, 'future', '')`
  const sentence = /schema \d+, newer than this program, which knows \d+: use a newer Millbook/
  await expect(migrate(db)).rejects.toThrow(sentence)
  await expect(checkSchema(db)).rejects.toThrow(sentence)
})

it('a migration that was changed after it was applied is refused', async () => {
  const { db } = await databaseForThisTest()
  const changed = migrations.map((m) => (m.number === 1 ? { ...m, text: `${m.text}\n-- edited` } : m))
  await expect(migrate(db, changed)).rejects.toThrow(/migration 1 \(masters\) was changed/)
})

it('the error for a database without a schema says to run millbook migrate', async () => {
  const { db } = await databaseForThisTest('empty')
  await expect(checkSchema(db)).rejects.toThrow(/has schema 0, but this program needs \d+: run millbook migrate/)
})

it('the schema and the program have the same kinds of movement', async () => {
  const { db } = await databaseForThisTest()
  const inSchema =
    await db`select enumlabel from pg_enum where enumtypid = 'movement_kind'::regtype order by enumsortorder`
  expect(inSchema.map((row) => row.enumlabel)).toEqual(Object.keys(kinds))
})
