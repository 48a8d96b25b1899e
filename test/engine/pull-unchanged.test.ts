/** A pull reads a table again only if it may have changed, and finds every change. */
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { findMariadb } from '../../scripts/test-needs.mjs'
import { databaseOrigin } from '../../src/pull/origin.js'
import { pull } from '../../src/pull/pull.js'
import { databaseForThisTest, type TestDatabase } from '../setup/database.js'
import { type Foreign, foreignMariadb, foreignPostgres, foreignSqlite } from '../setup/foreign.js'
import { good } from '../setup/good-files.js'
import { startMariadb } from '../setup/mariadb.js'
import { stored } from '../setup/stored.js'
import { inLongTier, runs } from '../setup/tier.js'

type Make = (queries?: Record<string, string>) => Promise<Foreign>
const mariadb = findMariadb() === undefined ? undefined : await startMariadb()
afterAll(() => mariadb?.stop())
const STAMPED: [string, Make][] = [
  ['PostgreSQL', foreignPostgres],
  ...(mariadb === undefined ? [] : [['MariaDB', (queries) => foreignMariadb(mariadb, queries)] as [string, Make]]),
]

const all = Object.keys(good).map((name) => name.replace('.csv', '.sql'))
const pulled = async (database: TestDatabase, { connector, url }: Foreign, options = {}) => {
  const { errors, unread, rows, entities, dataVersion } = await pull(
    database,
    databaseOrigin(connector, url, {}),
    options,
  )
  expect(errors.first).toEqual([])
  return { read: all.filter((name) => !unread.includes(name)), rows, entities, dataVersion }
}

it.each(STAMPED)(
  'from %s: an unchanged table is not read, a changed, deleted or replaced row is found',
  async (_, make) => {
    const [foreign, database] = [await make(), await databaseForThisTest()]
    expect((await pulled(database, foreign)).read).toEqual(all)
    expect(await pulled(database, foreign)).toMatchObject({ read: [], rows: 0, dataVersion: 1 })
    expect(await pulled(database, foreign, { readAll: true })).toMatchObject({ read: all, dataVersion: 1 })
    expect(await pulled(database, foreign)).toMatchObject({ read: [], rows: 0 })

    await foreign.run(`update its_vendors set name = 'Dairy' where code = 'V1'`)
    const changed = await pulled(database, foreign)
    expect([changed.read, changed.entities['vendors']]).toEqual([
      ['vendors.sql'],
      { new: 0, changed: 1, same: 0, removed: 0 },
    ])
    // The same number of rows, and the same sums.
    await foreign.run(`insert into its_vendors (code, name) values ('V2', 'A'), ('V3', 'B')`)
    expect((await pulled(database, foreign)).entities['vendors']?.new).toBe(2)
    await foreign.run(`update its_vendors set name = case name when 'A' then 'B' else 'A' end where code <> 'V1'`)
    expect((await pulled(database, foreign)).entities['vendors']?.changed).toBe(2)
    await foreign.run(
      `delete from its_vendors where code = 'V2'; insert into its_vendors (code, name) values ('V4', 'B')`,
    )
    const replaced = await pulled(database, foreign)
    expect([replaced.read, replaced.entities['vendors']]).toEqual([
      ['vendors.sql'],
      { new: 1, changed: 0, same: 2, removed: 1 },
    ])
    await foreign.run(`delete from its_stock_movements where movement_no = 'M5'`)
    expect((await pulled(database, foreign)).entities['stock_movements']?.removed).toBe(1)
    expect((await pulled(database, foreign)).read).toEqual([])
  },
)

it.each(STAMPED)(
  'from %s: whether a table has changed is answered for the moment at which the pull began',
  async (_, make) => {
    const foreign = await make()
    const origin = databaseOrigin(foreign.connector, foreign.url, {})
    const fingerprints = async ({ rows }: Awaited<ReturnType<typeof origin.open>>) =>
      await Promise.all(rows.parts.map(async ({ fingerprint }) => await fingerprint?.()))
    const before = await origin.open()
    const known = await fingerprints(before)
    await before.close()
    expect(known).not.toContain(undefined)
    const during = await origin.open()
    await during.rows.parts[0]?.fingerprint?.() // PostgreSQL takes the snapshot for its first query
    await foreign.run(`update its_vendors set name = 'Dairy'; delete from its_approvals`)
    expect(await fingerprints(during)).toEqual(known)
    await during.close()
    const after = await origin.open()
    const changed = (await fingerprints(after)).map((print, i) => (print === known[i] ? [] : after.rows.parts[i]?.name))
    await after.close()
    expect(changed.flat()).toEqual(['vendors.sql', 'approvals.sql'])
  },
)

it.each(STAMPED)('from %s: any statements: the same rows as pulls that read everything', async (_, make) => {
  const [foreign, skipping, reading] = [await make(), await databaseForThisTest(), await databaseForThisTest()]
  await pulled(skipping, foreign)
  await pulled(reading, foreign)
  let [changes, unread] = [0, 0]
  const statements = [
    `update its_vendors set name = 'Dairy'`,
    `update its_vendors set name = 'Vendor'`,
    `insert into its_vendors (code, name) select 'V9', 'Last' from its_account where not exists (select 1 from its_vendors where code = 'V9')`,
    `delete from its_vendors where code = 'V9'`,
    `update its_items set name = 'Butter' where sku = 'FG1'`,
    `update its_items set name = 'Ghee' where sku = 'FG1'`,
    `update its_stock_movements set qty = qty + 1 where movement_no = 'M1'`,
    `delete from its_stock_movements where movement_no = 'M5'`,
    `insert into its_stock_movements (movement_no, movement_date, kind, sku, warehouse, qty, val, val_tax)
     select 'M5', '2024-03-09', 'other_receipt', 'RM1', 'Plant', 2, 2, 2 from its_account
      where not exists (select 1 from its_stock_movements where movement_no = 'M5')`,
    `update its_warehouses set location = 'Plant'`,
    `update its_account set name = 'Renamed'`,
    `begin; delete from its_vendors; rollback`,
  ]
  await fc.assert(
    fc.asyncProperty(fc.subarray(statements, { minLength: 1, maxLength: 3 }), async (some) => {
      for (const statement of some) await foreign.run(statement)
      const [one, other] = [await pulled(skipping, foreign), await pulled(reading, foreign, { readAll: true })]
      expect(one.entities).toEqual(other.entities)
      expect(await stored(skipping)).toEqual(await stored(reading))
      changes += Object.values(other.entities).some(({ new: n, changed, removed }) => n + changed + removed > 0) ? 1 : 0
      unread += all.length - one.read.length
    }),
    // With these, every run has a changed table and tables that are not read.
    {
      numRuns: runs(1, 60),
      examples: ['Dairy', 'Vendor'].map((name) => [[`update its_vendors set name = '${name}'`]]),
    },
  )
  expect(Math.min(changes, unread)).toBeGreaterThan(0)
})

it('from PostgreSQL: queries whose result may change without a table are always read', async () => {
  const foreign = await foreignPostgres({
    vendors: `select code, name || extract(year from now()) as name from its_vendors`,
    customers: `select code, named(code) as name from its_customers`,
    approvals: `select * from their_approvals`,
    bom: `select b.* from its_bom b, counter`,
    returns: `select * from its_returns where current_date > '2000-01-01'`,
  })
  await foreign.run(`
    create function named(text) returns text stable language sql as $$ select name from its_customers where code = $1 $$;
    create view their_approvals as select a.* from its_approvals a where random() >= 0;
    create sequence counter`)
  const database = await databaseForThisTest()
  await pulled(database, foreign)
  expect((await pulled(database, foreign)).read.sort()).toEqual([
    'approvals.sql',
    'bom.sql',
    'customers.sql',
    'returns.sql',
    'vendors.sql',
  ])
})

inLongTier('from PostgreSQL: a change of a view, a policy or a column is a change of the query', async () => {
  const foreign = await foreignPostgres({
    vendors: `select * from their_vendors`,
    customers: `select code, coalesce(to_jsonb(c) ->> 'title', name) as name from its_customers c`,
    items: `select i.* from its_items i left join part p on p.sku = i.sku`,
  })
  await foreign.run(`
    create view their_vendors as select code, name from its_vendors;
    create table part (sku text) partition by list (sku);
    create table part_fg partition of part for values in ('FG1')`)
  const database = await databaseForThisTest()
  await pulled(database, foreign)
  expect((await pulled(database, foreign)).read).toEqual([])
  await foreign.run(`create or replace view their_vendors as select code, name || '!' as name from its_vendors`)
  expect((await pulled(database, foreign)).entities['vendors']?.changed).toBe(1)
  // PostgreSQL adds the column without touching a row.
  await foreign.run(`alter table its_customers add column title text default 'Messrs'`)
  expect((await pulled(database, foreign)).entities['customers']?.changed).toBe(1)
  await foreign.run(`insert into part values ('FG1')`)
  expect((await pulled(database, foreign)).read).toContain('items.sql')
})

inLongTier(
  'from PostgreSQL: roles that the user gets and policies in force are changes, the roles of others are not',
  async () => {
    const foreign = await foreignPostgres()
    const [user, other, group] = ['user', 'other', 'group'].map((name) => `${name}_${randomBytes(4).toString('hex')}`)
    await foreign.run(`
    create role ${user} login; create role ${other}; create role ${group};
    grant select on all tables in schema public to ${user};
    insert into its_vendors (code, name) values ('V2', 'Second');
    create policy one on its_vendors using (code = 'V1');
    create policy two on its_vendors to ${group} using (true)`)
    onTestFinished(async () => {
      await foreign.run(`drop owned by ${user}, ${other}, ${group}; drop role ${user}, ${other}, ${group}`)
    })
    const reader = { ...foreign, url: foreign.url.replace('postgres@', `${user}@`) }
    const [database, ofOwner] = [await databaseForThisTest(), await databaseForThisTest()]
    await pulled(database, reader)
    await pulled(ofOwner, foreign)
    await foreign.run('alter table its_vendors enable row level security')
    const hidden = await pulled(database, reader)
    expect([hidden.read, hidden.entities['vendors']?.removed]).toEqual([all, 1])
    await pulled(ofOwner, foreign)
    await foreign.run(`grant ${group} to ${other}`)
    expect((await pulled(database, reader)).read).toEqual([])
    await foreign.run(`grant ${group} to ${user}`)
    const seen = await pulled(database, reader)
    expect([seen.read, seen.entities['vendors']?.new]).toEqual([all, 1])
    expect((await pulled(ofOwner, foreign)).read, 'policies do not apply to a superuser').toEqual([])
  },
)

it('a connector names a query that tells of changes; it decides alone', async () => {
  const foreign = await foreignSqlite({
    vendors: `-- changed: select count(*),\n-- changed:  max(name) from its_vendors\nselect * from its_vendors`,
  })
  const others = all.filter((name) => name !== 'vendors.sql')
  const database = await databaseForThisTest()
  await pulled(database, foreign)
  expect((await pulled(database, foreign)).read).toEqual(others)
  await foreign.run(`update its_vendors set name = 'Zebra'`)
  const changed = await pulled(database, foreign)
  expect([changed.read.length, changed.entities['vendors']?.changed]).toEqual([all.length, 1])
  const wrong = await foreignSqlite({
    vendors: `-- changed: select max(nmae) from its_vendors\nselect * from its_vendors`,
  })
  await expect(pulled(database, wrong)).rejects.toThrow(/^vendors\.sql: .*nmae/)
})

it('a table with a rejected row is read by each pull', async () => {
  const foreign = await foreignPostgres()
  await foreign.run(`insert into its_vendors (code, name) values ('V2 ', 'Blank')`)
  const database = await databaseForThisTest()
  const reject = { write: async () => {} }
  for (const read of [all, ['vendors.sql']]) expect((await pulled(database, foreign, { reject })).read).toEqual(read)
})
