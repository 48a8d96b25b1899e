/** Pulls from databases of other programs store the same rows as files, deletions included, all or nothing. */
import { afterAll, expect, it } from 'vitest'
import { findMariadb } from '../../scripts/test-needs.mjs'
import { load } from '../../src/import/pipeline/load.js'
import { problemLine } from '../../src/import/pipeline/problems.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { databaseOrigin } from '../../src/pull/origin.js'
import { pull } from '../../src/pull/pull.js'
import { readPulls } from '../../src/store/pulls.js'
import { databaseForThisTest } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { type Foreign, foreignMariadb, foreignPostgres, foreignSqlite, writeConnector } from '../setup/foreign.js'
import { good } from '../setup/good-files.js'
import { startMariadb } from '../setup/mariadb.js'
import { startService } from '../setup/service.js'
import { inLongTier, long } from '../setup/tier.js'

type Make = (queries?: Record<string, string>) => Promise<Foreign>
const mariadb = long && findMariadb() !== undefined ? await startMariadb() : undefined
afterAll(() => mariadb?.stop())
const SOURCES: [string, Make][] = [
  ['PostgreSQL', foreignPostgres],
  ['SQLite', foreignSqlite],
  ...(mariadb === undefined ? [] : [['MariaDB', (queries) => foreignMariadb(mariadb, queries)] as [string, Make]]),
]

/** In the quick tier, for what the loader does with the rows. */
const QUICK = long ? SOURCES : SOURCES.slice(0, 1)

const originOf = ({ connector, url }: Foreign) => databaseOrigin(connector, url, {})

it.each(SOURCES)(
  'from %s: a pull stores the same rows as the files, and a second pull changes nothing',
  async (_, make) => {
    const origin = originOf(await make())
    const database = await databaseForThisTest()
    const tried = await pull(database, origin, { dryRun: true })
    expect([tried.errors, tried.committed, tried.dataVersion]).toEqual([{ count: 0, first: [] }, false, 0])
    expect(await readPulls(database.db)).toEqual([])

    const first = await pull(database, origin)
    expect([first.errors, first.committed, first.dataVersion]).toEqual([{ count: 0, first: [] }, true, 1])
    expect(first.entities).toEqual(tried.entities)
    for (const again of [
      await pull(database, origin, { readAll: true }),
      await load(database, findFiles(folderOf(good))),
    ]) {
      expect([again.errors.count, again.dataVersion, again.rows]).toEqual([0, 1, first.rows])
      expect(Object.values(again.entities).map(({ new: n, changed, removed }) => n + changed + removed)).toEqual(
        Object.keys(first.entities).map(() => 0),
      )
    }
    expect(await readPulls(database.db)).toEqual([
      {
        ...{ connector: 'shop', source: origin.description, pulledAt: expect.any(Date), succeededAt: expect.any(Date) },
        ...{ failure: null, error: null, rejected: 0 },
      },
    ])
  },
)

it.each(QUICK)('from %s: a changed, a deleted and a back-dated document arrive', async (_, make) => {
  const foreign = await make()
  const database = await databaseForThisTest()
  await pull(database, originOf(foreign))
  await foreign.run(`
    update its_items set name = 'Butter' where sku = 'FG1';
    delete from its_approvals; delete from its_returns; delete from its_stock_movements where movement_no = 'M5';
    insert into its_stock_movements (movement_no, movement_date, kind, sku, warehouse, qty, val, val_tax)
    values ('M0', '2023-12-31', 'other_receipt', 'RM1', 'Plant', 1.25, 2, 2);
    delete from its_combos; delete from its_items where sku = 'CMB1'`)
  const gone = ['approvals', 'combos', 'returns']
  await expect(pull(database, originOf(foreign), { allowEmpty: gone.slice(1) })).rejects.toThrow(
    /^the source has no rows of approvals, but there are stored ones; nothing was changed\. .*--allow-empty approvals$/,
  )
  const [refused] = await readPulls(database.db)
  expect(refused).toMatchObject({ failure: 'rows', error: expect.stringContaining('no rows of approvals') })
  expect(await database.db`select sku, name from item where sku in ('FG1', 'CMB1') order by sku`).toEqual([
    { sku: 'CMB1', name: expect.any(String) },
    { sku: 'FG1', name: 'Ghee' },
  ])
  const { errors, entities, dataVersion } = await pull(database, originOf(foreign), { allowEmpty: gone })
  expect([errors.first, dataVersion]).toEqual([[], 2])
  expect(entities).toMatchObject({
    items: { new: 0, changed: 1, same: 1, removed: 1 },
    combos: { removed: 1 },
    approvals: { removed: 1 },
    returns: { removed: 1 },
    stock_movements: { new: 1, changed: 0, same: 4, removed: 1 },
  })
  const [milk] = await database.db`
    select sum(qty)::text as qty from stock_movement m join item i on i.id = m.item_id where sku = 'RM1'`
  expect(milk).toEqual({ qty: '8.2500' })
})

it.each(SOURCES)('from %s: all queries see the data of the moment at which the pull began', async (_, make) => {
  const foreign = await make()
  const { rows, close } = await originOf(foreign).open()
  const found: Record<string, number> = {}
  for await (const { part, rows: some } of rows.chunks()) {
    if (Object.keys(found).length === 0)
      await foreign.run('delete from its_stock_movements; delete from its_account; delete from its_items')
    found[part.entity.name] = (found[part.entity.name] ?? 0) + some.length
  }
  await close()
  expect(found).toMatchObject({ account: 1, items: 3, stock_movements: 5 })
})

it.each(SOURCES)('from %s: the source cannot be written to', async (name, make) => {
  const insert = `insert into its_items (sku) values ('X') returning sku`
  const foreign = await make({ items: name === 'PostgreSQL' ? 'select add_item() as sku' : insert })
  if (name === 'PostgreSQL')
    await foreign.run(`create function add_item() returns text language sql as $$ ${insert} $$`)
  await expect(pull(await databaseForThisTest(), originOf(foreign))).rejects.toThrow(
    /read-only|readonly|READ ONLY|syntax error/,
  )
})

it('large tables and rows of a megabyte are read in pieces', async () => {
  for (const [name, make] of SOURCES) {
    const many =
      name === 'MariaDB'
        ? `select concat('V', seq) as code, if(seq = 7, repeat('x', 1000000), 'Vendor') as name from seq_1_to_20000`
        : name === 'SQLite'
          ? `with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
           select 'V' || i as code, case i when 7 then replace(hex(zeroblob(500000)), '0', 'x') else 'Vendor' end as name from n`
          : `select 'V' || i as code, case i when 7 then repeat('x', 1000000) else 'Vendor' end as name from generate_series(1, 20000) i`
    const { rows, close } = await originOf(await make({ vendors: many })).open()
    const sizes: number[] = []
    let longest = 0
    for await (const { part, rows: some } of rows.chunks())
      if (part.entity.name === 'vendors') {
        sizes.push(some.length)
        for (const { cells, line } of some) if (line === 7) longest = String(cells[1]).length
      }
    await close()
    expect([longest, sizes.reduce((sum, size) => sum + size)]).toEqual([1_000_000, 20_000])
    expect(Math.max(...sizes)).toBeLessThan(15_000)
  }
})

it('a source whose connection breaks in the middle changes nothing, and /readyz reports it', async () => {
  const service = await startService()
  const { database } = service
  const ready = async () => (await service.app.inject('/readyz')).json()
  expect(await ready()).toEqual({ status: 'ready' })
  const foreign = await foreignPostgres()
  await pull(database, originOf(foreign))
  await foreign.run(`update its_items set name = 'Butter'`)

  const gone = `select v.* from its_vendors v, generate_series(1, 100000) i
                where i < 90000 or pg_terminate_backend(pg_backend_pid())`
  const broken = writeConnector('postgres', { vendors: gone })
  await expect(pull(database, databaseOrigin(broken, foreign.url, {}))).rejects.toThrow(
    /^vendors\.sql: the source \(PostgreSQL database .* on .*\) cannot be read: /,
  )
  const [state] = await readPulls(database.db)
  expect(state).toMatchObject({
    connector: 'shop',
    failure: 'source',
    error: expect.stringContaining('cannot be read'),
  })
  const [{ name } = { name: '' }] = await database.db`select name from item where sku = 'FG1'`
  expect(name).toBe('Ghee')
  await new Promise((resolve) => setTimeout(resolve, 600)) // /readyz keeps a result this long
  expect(await ready()).toEqual({
    status: 'ready',
    pulls: [
      {
        ...{ connector: 'shop', succeeded_at: state?.succeededAt?.toISOString() },
        ...{ failed_at: state?.pulledAt.toISOString(), reason: 'the source could not be read' },
      },
    ],
  })
  await service.close()
})

it('rows that the loader refuses are reported by query and row, and the failure is stored', async () => {
  const foreign = await foreignPostgres({
    items: `select sku, name, 'THING' as type, unit, 1.2345678 as mrp from its_items`,
  })
  const database = await databaseForThisTest()
  const { committed, errors } = await pull(database, originOf(foreign))
  expect([committed, errors.count, errors.first[0]]).toEqual([
    false,
    6,
    {
      ...{ file: 'items.sql', line: 1, key: { sku: 'FG1' }, column: 'type', value: 'THING' },
      message: 'expected one of FG, SFG, COMBO, MAT, SRV',
    },
  ])
  const [state] = await readPulls(database.db)
  expect(state).toMatchObject({
    failure: 'rows',
    succeededAt: null,
    error: expect.stringMatching(/^6 errors, the first: items\.sql:1 \(sku FG1\): type/),
  })
})

it('wrong rows are rejected, the rest is pulled, and the status and /readyz have their number', async () => {
  const service = await startService()
  const foreign = await foreignPostgres()
  await foreign.run(`
    insert into its_vendors (code, name) values ('V2 ', 'Blank'), (null, null)`)
  const found: unknown[] = []
  const reject = {
    write: async (rows: readonly { file: string; line: number; key: object }[]) =>
      void found.splice(0, 9, ...rows.map(({ file, line, key }) => [file, line, key])),
  }
  const { committed, rejected } = await pull(service.database, originOf(foreign), { reject })
  expect([committed, rejected?.entities]).toEqual([true, { vendors: 2 }])
  expect(found).toEqual([
    ['vendors.sql', 2, { code: 'V2 ' }],
    ['vendors.sql', 3, { code: null }],
  ])
  expect(await readPulls(service.database.db)).toMatchObject([{ failure: null, rejected: 2 }])
  const ready = (await service.app.inject('/readyz')).json()
  expect(ready.pulls).toEqual([{ connector: 'shop', succeeded_at: expect.any(String), rejected_rows: 2 }])
  // Its stored version stays, although the source has no other row with this key.
  await foreign.run(`update its_vendors set code = 'V1 ' where code = 'V1'`)
  const again = await pull(service.database, originOf(foreign), { reject })
  expect([again.errors.first, again.rejected?.kept, again.entities['vendors']]).toEqual([
    [],
    1,
    { new: 0, changed: 0, same: 0, removed: 0 },
  ])
  await service.close()
})

inLongTier('an error of the source names the query, and says if it may be another program’s database', async () => {
  const database = await databaseForThisTest()
  const foreign = await foreignPostgres({ items: 'select sku, nmae from its_items' })
  await expect(pull(database, originOf(foreign))).rejects.toThrow(
    /^items\.sql: the source \(.*\) refuses the query: column "nmae" does not exist$/,
  )
  const other = await foreignPostgres({ items: 'select sku from res_product' })
  await expect(pull(database, originOf(other))).rejects.toThrow(/^items\.sql: .*relation "res_product" does not exist$/)
  await expect(pull(database, databaseOrigin('tryton', foreign.url, {}))).rejects.toThrow(
    /^account\.sql: .* does not exist\. Is it the right database\? The connector tryton is for: Tryton .* Tried with: Tryton /,
  )
  const two = writeConnector('sqlite', { items: 'select sku from a; select sku from b' })
  expect(() => databaseOrigin(two, 'sqlite:a.db', {})).toThrow(/items\.sql: it has more than one statement/)
  for (const [query, message] of [
    ['select sku, name as sku from its_items', 'it has two columns sku'],
    ['delete from its_items', 'it is not a query that returns rows; write a select'],
    [`select cast(x'4dfc6c6c6572' as text) as sku`, 'row 1: sku is not UTF-8'],
    ['select sku from nowhere', 'no such table: nowhere'],
  ] as const)
    await expect(pull(database, originOf(await foreignSqlite({ items: query })))).rejects.toThrow(message)
  const cut = await pull(database, originOf(await foreignSqlite({ items: `select 'a' || char(0) || 'b' as name` })))
  expect(cut.errors.first.map(problemLine)).toContainEqual(expect.stringMatching(/name = .*without a NUL character$/))
})

it('no message has the password of the source', async () => {
  const database = await databaseForThisTest()
  const connector = writeConnector('postgres')
  const url = 'postgres://reader:hunter2%21@127.0.0.1:1/books'
  const origin = databaseOrigin(connector, url, {})
  const error = await pull(database, origin).catch((error) => error)
  expect(error.message).toMatch(/^the source \(PostgreSQL database books on 127\.0\.0\.1:1\) cannot be opened: /)
  const all = JSON.stringify([error, error.stack, error.cause, await readPulls(database.db), origin])
  expect(all).not.toContain('hunter2')
  const short = await pull(database, databaseOrigin(connector, 'postgres://reader:us@127.0.0.1:1/books', {})).catch(
    String,
  )
  expect(short).toMatch(/ECONNREFUSED/) // the short password does not mask a part of it
  for (const odd of ['a-b', 'long-(er)+secret$', '[x'])
    await expect(
      pull(database, databaseOrigin(connector, `postgres://reader:${encodeURIComponent(odd)}@127.0.0.1:1/books`, {})),
    ).rejects.toThrow(/ECONNREFUSED/)
  expect(() => databaseOrigin(connector, 'oracle://a:hunter2@b/c', {})).toThrow(
    /^the source is not of the form (?!.*hunter2)/,
  )
})

it('a connection that MariaDB kills in the middle changes nothing', async (context) => {
  if (mariadb === undefined) return context.skip('MariaDB is a source in the long tier only, if it is installed')
  const server = mariadb
  const foreign = await foreignMariadb(server)
  const database = await databaseForThisTest()
  await pull(database, originOf(foreign))
  await foreign.run(`update its_items set name = 'Butter'`)
  const many = `select concat('V', seq) as code, 'Vendor' as name from seq_1_to_3000000`
  let killing: Promise<unknown> | undefined
  const onProgress = ({ what }: { what: string }) => {
    if (what === 'vendors.sql')
      killing ??= server
        .run(
          'mysql',
          `select id from information_schema.processlist where info like '%seq_1_to_3000000%' and info not like '%processlist%'`,
        )
        .then(([row]) => server.run('mysql', `kill ${row?.['id'] ?? row?.['ID']}`))
  }
  const broken = databaseOrigin(writeConnector('mysql', { vendors: many }), foreign.url, {})
  await expect(pull(database, broken, { onProgress })).rejects.toThrow(
    /^\w+\.sql: the source \(MySQL or MariaDB database .*\) cannot be read: /,
  )
  await killing
  const [{ name, vendors } = {}] = await database.db`
    select name, (select count(*)::int from vendor) as vendors from item where sku = 'FG1'`
  expect([name, vendors]).toEqual(['Ghee', 1])
})
