/** SQL access: every function and view has the rows of its report; readers can read nothing else; ending it leaves nothing. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { connect, type Database, type Db } from '../../src/db/connect.js'
import { identifier } from '../../src/db/sql.js'
import { type FlatTable, flatTables } from '../../src/kernel/report/flat.js'
import type { Report } from '../../src/kernel/report/report.js'
import { reports } from '../../src/reports/index.js'
import { check, type SqlAccess, turnOff, turnOn } from '../../src/surfaces/sql/access.js'
import { refreshSqlAccess } from '../../src/surfaces/sql/index.js'
import { loadCompany } from '../setup/company.js'
import { databaseForThisTest, openSample, type TestDatabase } from '../setup/database.js'
import { randomCompany, randomRange } from '../setup/random-company.js'
import { codesOf, requestsFor, someRequestsFor } from '../setup/requests.js'
import { type Service, startService } from '../setup/service.js'
import { callOf, expectedRows, rowsOf, shownRows, tablesFor } from '../setup/sql-access.js'
import { long, only, runs } from '../setup/tier.js'

const TODAY = '2026-06-30'
const RANGE = { from_date: '2026-05-01', to_date: TODAY }
const DENIED = { code: '42501' }
const INVALID = { code: '22023' }

const onServer = only('server', 'the embedded engine has no roles')

const on = (db: Db): Promise<SqlAccess> => db.begin((tx) => turnOn(tx, reports))

/** Connections of both roles, which may log in from now on. */
async function connectReaders({ db, target }: TestDatabase) {
  const { reader, contacts } = await on(db)
  const open = async (role: string) => {
    await db.unsafe(`alter role ${identifier(role).text} login`)
    return await connect({ url: (target as { url: string }).url.replace('postgres@', `${role}@`) }, { max: 1 })
  }
  return { reader: await open(reader), contacts: await open(contacts) }
}

/** To be called before the database is dropped: roles belong to the server. */
async function end(db: Db, readers: readonly Database[] = []): Promise<void> {
  await Promise.all(readers.map((reader) => reader.close()))
  await db.begin((tx) => turnOff(tx))
}

function compareRows(
  from: string,
  table: FlatTable,
  expected: readonly Record<string, unknown>[],
  rows: readonly Record<string, unknown>[],
): number {
  const names = Object.keys(expected[0] ?? {})
  expect({ from, rows: shownRows(table, rows, names) }).toEqual({ from, rows: expected })
  return rows.length
}

/** A service whose database has SQL access, and connections of both roles. */
async function startWithReaders(database?: TestDatabase) {
  const service = await startService({}, database)
  const withoutContacts = await service.newCaller({ hideContacts: true })
  const readers = await connectReaders(service.database)
  const tables = new Set((await columnsOf(readers.contacts.db)).keys())
  return {
    ...{ service, readers },
    /** Expects the functions of a request, in both schemas, to have the rows of the report; resolves to their number. */
    async compare(report: Report, request: Record<string, unknown>): Promise<number> {
      let compared = 0
      for (const [schema, token, hides, { db }] of [
        ['report', withoutContacts.token, 'contacts', readers.reader],
        ['report_contacts', service.caller.token, 'nothing', readers.contacts],
      ] as const) {
        const asked = tablesFor(report, request).filter(({ name }) => tables.has(`${schema}.${name}`))
        if (asked.length === 0) continue
        const body = Object.fromEntries(Object.entries(request).filter(([name]) => name !== report.perPageFrom))
        const rest = await service.call({ path: report.path, body, token, query: { format: 'ndjson', fields: 'all' } })
        expect(rest.statusCode, `${report.id} ${JSON.stringify(request)} ${rest.body}`).toBe(200)
        const records = rest.body.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
        for (const table of asked) {
          const call = callOf(schema, table, request)
          compared += compareRows(call, table, expectedRows(table, records, hides), await rowsOf(db, call))
        }
      }
      return compared
    },
    async close(): Promise<void> {
      await end(service.db, Object.values(readers))
      await service.close()
    },
  }
}

onServer.describe('SQL access', () => {
  let access: Awaited<ReturnType<typeof startWithReaders>>
  let [service, readers]: [Service, (typeof access)['readers']] = [] as never
  beforeAll(async () => {
    access = await startWithReaders(await openSample({ today: TODAY, scale: 0.1, months: 2 }))
    ;({ service, readers } = access)
  })
  afterAll(() => access.close())

  it.each(reports.map((report) => [report.id, report] as const))('%s: functions have its rows', async (id, report) => {
    let compared = 0
    for (const request of someRequestsFor(report, RANGE, { vendor_code: ['V002'] }))
      compared += await access.compare(report, request)
    if (id !== 'history.closed-periods') expect(compared).toBeGreaterThan(0)
  })

  it('views have all documents and masters, whatever the settings of a session are', async () => {
    const views = await viewsOf(readers.contacts.db)
    let compared = 0
    const { db } = readers.contacts
    await db.unsafe(`set timezone = 'America/New_York'; set datestyle = 'SQL, DMY'; set search_path = pg_catalog`)
    for (const table of flatTables(reports))
      for (const schema of ['report', 'report_contacts']) {
        if (!views.includes(`${schema}.${table.name}`)) continue
        const { report, shape } = table
        const request = Object.fromEntries(
          Object.entries(report.request).flatMap(([name, { type, required }]) => {
            if (!required) return []
            if (name === report.shapedBy) return [[name, shape]]
            if (type.kind === 'date') return [[name, name === 'from_date' ? '0001-01-01' : '9999-12-31']]
            return [[name, type.kind === 'word' ? (type.words.find((word) => word === 'WR') ?? type.words[0]) : 0]]
          }),
        )
        const rest = await service.call({
          path: report.path,
          body: request,
          query: { format: 'ndjson', fields: 'all' },
        })
        expect(rest.statusCode, rest.body).toBe(200)
        const records = rest.body.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
        const expected = expectedRows(table, records, schema === 'report' ? 'contacts' : 'nothing')
        const sorted = (rows: readonly Record<string, unknown>[]) => rows.map((row) => JSON.stringify(row)).sort()
        const rows = await rowsOf(db, `${schema}.${identifier(table.name).text}`)
        const shown = shownRows(table, rows, Object.keys(expected[0] ?? {}))
        expect([table.name, sorted(shown)]).toEqual([table.name, sorted(expected)])
        compared += rows.length
      }
    expect(compared).toBeGreaterThan(1000)
    await db.unsafe(`reset all`)
    expect(views).toEqual(expect.arrayContaining(['report.ledger', 'report.current_stock', 'report.data_version']))
    const [ledger, movements] = await Promise.all(
      ['ledger', 'inventory_movements'].map((name) =>
        rowsOf(readers.reader.db, `(select * from report.${name} order by sku, date, movement_no)`),
      ),
    )
    expect(ledger).toEqual(movements)
    const [{ day = '' } = {}] = await service.db<
      { day?: string }[]
    >`select (now() at time zone time_zone)::date::text as day from account`
    expect(await rowsOf(readers.reader.db, `(select * from report.current_stock order by sku, warehouse)`)).toEqual(
      await rowsOf(readers.reader.db, `report.ask_inventory_item_stock('${day}')`),
    )
    expect(await rowsOf(readers.reader.db, 'report.data_version')).toEqual([
      expect.objectContaining({
        version: String((await service.db<{ version: string }[]>`select version::text from data_version`)[0]?.version),
      }),
    ])
  })

  it('parameters are checked as in a request; hostile values are values', async () => {
    const { db } = readers.reader
    const fg = `select * from report.ask_inventory_fg_stock_status(`
    const range = `from_date => '2026-04-01', to_date => '2026-04-30'`
    for (const [statement, message] of [
      [`${fg}type => 'X', tax => 0, ${range})`, 'type must be one of FG, SFG, ALL, not "X"'],
      [`${fg}type => null, tax => 0, ${range})`, 'type is required and must be one of FG, SFG, ALL'],
      [`${fg}type => 'FG', tax => 2, ${range})`, 'tax must be 0 or 1, not 2'],
      [
        `${fg}type => 'FG', tax => 0, from_date => '2026-05-01', to_date => '2026-04-30')`,
        'to_date must not be before from_date (2026-05-01), but is 2026-04-30',
      ],
      [
        `${fg}type => 'FG', tax => 0, from_date => '-infinity', to_date => 'infinity')`,
        'from_date must be a calendar date as YYYY-MM-DD, not "-infinity"',
      ],
      [`select * from report.ask_insight_trace_links()`, 'give exactly one of batch_no, order_no, invoice_no, grn_no'],
      [
        `select * from report.ask_insight_stock_ageing_item(bands => '30,20')`,
        'bands must be 1 to 20 whole numbers of days',
      ],
      [
        `select * from report.ask_insight_stock_ageing_item(bands => '1;drop')`,
        'bands must be 1 to 20 whole numbers of days',
      ],
      [
        `select * from report.ask_insight_shortage(plan => 'none=1')`,
        'plan names "none", which no item has as its code',
      ],
      [
        `select * from report.ask_insight_expiry(window_days => 0)`,
        'window_days must be a whole number from 1 to 3660, not 0',
      ],
      [`select * from report.ask_history_changes(to_version => 99)`, 'the present one is 1'],
    ] as const)
      await expect(db.unsafe(statement), statement).rejects.toMatchObject({
        ...INVALID,
        message: expect.stringContaining(message),
      })
    const count = async () => (await service.db<{ n: number }[]>`select count(*)::int as n from item`)[0]?.n
    const before = await count()
    for (const value of [
      `'`,
      `''`,
      `x'; drop table item; --`,
      `$1`,
      `\\`,
      `\\'; select 1; --`,
      `" ' %s %L`,
      '$function$',
      'ä\u0301🎈',
    ])
      for (const call of [
        `report.ask_masters_items(sku => $1)`,
        `report.ask_inventory_movements('2026-05-01', '2026-06-30', warehouse => $1, batch => $1)`,
        `report.ask_insight_trace_links(batch_no => $1)`,
        `report.ask_insight_producible(sku => $1)`,
      ])
        expect(await db.unsafe(`select * from ${call}`, [value])).toEqual([])
    expect(await count()).toBe(before)
  })

  it('the reader finds no contact data, and neither role reads, writes or calls anything else', async () => {
    const { reader, contacts } = readers
    const found = async (db: Db, what: RegExp) =>
      [...(await columnsOf(db)).values()].flat().filter((name) => what.test(name))
    expect(await found(reader.db, /phone|email|contact_person/)).toEqual([])
    expect((await found(contacts.db, /phone|email|contact_person/)).length).toBeGreaterThan(10)
    // Not in any value either: an email address of the sample stands in no view and no function.
    const emails = (
      await service.db<
        { email: string }[]
      >`select billing_email as email from customer where billing_email <> '' union select email from vendor where email <> ''`
    ).map(({ email }) => email)
    expect(emails.length).toBeGreaterThan(3)
    const everything: string[] = []
    for (const view of await viewsOf(reader.db)) everything.push(JSON.stringify(await rowsOf(reader.db, view)))
    everything.push(
      JSON.stringify(await rowsOf(reader.db, `report.ask_history_changes(from_version => 0, to_version => 1)`)),
    )
    expect(emails.filter((email) => everything.join().includes(email))).toEqual([])
    for (const from of [
      'report_contacts.sales_customers',
      'report_contacts.ask_history_changes(from_version => 0, to_version => 1)',
    ]) {
      const text = JSON.stringify(await rowsOf(contacts.db, from))
      expect([from, emails.some((email) => text.includes(email))]).toEqual([from, true])
    }

    const relations = await service.db<{ name: string }[]>`
      select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p', 'v', 'm') and n.nspname not in ('pg_catalog', 'information_schema', 'report', 'report_contacts', 'pg_toast')`
    expect(relations.length).toBeGreaterThan(60)
    for (const { db } of [reader, contacts])
      for (const { name } of relations) {
        await expect(db.unsafe(`select from ${name} limit 1`), name).rejects.toMatchObject(DENIED)
        await expect(db.unsafe(`delete from ${name}`), name).rejects.toMatchObject({
          code: expect.stringMatching(/^(42501|25006|55000)$/),
        })
      }
    await expect(reader.db.unsafe('select * from report_contacts.sales_customers')).rejects.toMatchObject(DENIED)
    await expect(reader.db.unsafe('select * from report_contacts.ask_sales_customers()')).rejects.toMatchObject(DENIED)
    for (const { db } of [reader, contacts]) {
      await db.unsafe('set default_transaction_read_only = off')
      for (const statement of [
        `select millbook_sql.withdraw()`,
        `select millbook_sql.planned_1('FG-0001=1')`,
        `select public.forget_history(now(), 1)`,
        `select public.empty_staging()`,
        `create table report.mine (a int)`,
        `create view report.mine as select 1`,
        `create function report.mine() returns int language sql as 'select 1'`,
        `create table public.mine (a int)`,
        `delete from report.sales_customers`,
        `update report.masters_items set name = 'x'`,
        `set role postgres`,
      ])
        await expect(db.unsafe(statement), statement).rejects.toMatchObject({
          code: expect.stringMatching(/^(42501|55000|22023)$/),
        })
      // A table of the caller's own cannot take the place of one of Millbook's.
      await db.unsafe(
        `create temp table if not exists item (id integer, sku text, name text); create temp table if not exists account (time_zone text)`,
      )
      expect((await rowsOf(db, 'report.ask_masters_items()')).length).toBeGreaterThan(5)
      await db.unsafe(`drop table pg_temp.item, pg_temp.account; reset default_transaction_read_only`)
    }
    const settings = await reader.db<{ statement_timeout: string; read_only: string }[]>`
      select current_setting('statement_timeout') as statement_timeout, current_setting('default_transaction_read_only') as read_only`
    expect(settings).toEqual([{ statement_timeout: '2min', read_only: 'on' }])
    expect((await check(service.db, reports))?.flaws).toEqual([])
  })

  it('a transaction reads one version of the data, whatever is loaded meanwhile', async () => {
    const [{ version = '' } = {}] = await service.db<{ version?: string }[]>`
      select version::text from data_version`
    const items = 'report.ask_masters_items()'
    const [before, after, at] = await readers.reader.db.begin(
      'isolation level repeatable read read only',
      async (tx) => {
        const first = await rowsOf(tx, items)
        await service.db.unsafe(`update item set name = name || ' x'; update data_version set version = version + 1`)
        return [first, await rowsOf(tx, items), await rowsOf(tx, 'report.data_version')]
      },
    )
    expect(after).toEqual(before)
    expect(at).toMatchObject([{ version }])
    expect(await rowsOf(readers.reader.db, items)).not.toEqual(before)
  })

  it('functions, views and columns have comments from the declarations, and names that fit', async () => {
    const bare = await service.db<{ name: string }[]>`
      select c.oid::regclass || '.' || a.attname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
       where c.relnamespace in ('report'::regnamespace, 'report_contacts'::regnamespace) and coalesce(col_description(c.oid, a.attnum), '') = ''
      union all
      select p.oid::regprocedure::text from pg_proc p
       where p.pronamespace in ('report'::regnamespace, 'report_contacts'::regnamespace) and obj_description(p.oid, 'pg_proc') is null`
    expect(bare).toEqual([])
    for (const { name } of flatTables(reports)) expect(Buffer.byteLength(`ask_${name}`)).toBeLessThan(64)
    const types = new Set(
      (
        await service.db<{ type: string }[]>`
      select format_type(a.atttypid, a.atttypmod) as type from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
       where c.relnamespace = 'report'::regnamespace`
      ).map(({ type }) => type),
    )
    expect([...types].sort()).toEqual([
      ...['bigint', 'boolean', 'date', 'jsonb', 'numeric', 'text', 'text[]', 'time without time zone'],
      ...['timestamp with time zone', 'timestamp without time zone'],
    ])
  })
})

onServer.describe('SQL access of random companies', () => {
  let random: Awaited<ReturnType<typeof startWithReaders>>
  beforeAll(async () => {
    random = await startWithReaders()
  })
  afterAll(() => random.close())

  it('functions have the rows of their reports on random companies, for every choice of their parameters', async () => {
    await fc.assert(
      fc.asyncProperty(randomCompany, randomRange, fc.nat(), async (company, range, chosen) => {
        await loadCompany(random.service.db, company)
        const codes = { ...codesOf(company), vendor_code: ['V1'], limit: [1, '3'] }
        for (const report of reports.filter(({ group }) => group !== 'history')) {
          const requests = requestsFor(report, range, codes)
          const some = long ? requests : requests.filter((_, i) => (i + chosen) % Math.ceil(requests.length / 3) === 0)
          for (const request of some) await random.compare(report, request)
        }
      }),
      { numRuns: runs(1, 100), endOnFailure: true },
    )
  })
})

const columnsOf = async (db: Db): Promise<Map<string, string[]>> =>
  new Map(
    (
      await db<{ name: string; columns: string[] }[]>`
        select n.nspname || '.' || c.relname as name, to_json(array_agg(a.attname::text order by a.attnum)) as columns
          from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
         where n.nspname in ('report', 'report_contacts') and has_schema_privilege(n.oid, 'usage') group by 1`
    ).map(({ name, columns }) => [name, columns]),
  )

const viewsOf = async (db: Db): Promise<string[]> =>
  (
    await db<{ name: string }[]>`
      select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'v' and n.nspname in ('report', 'report_contacts') and has_table_privilege(c.oid, 'select')`
  ).map(({ name }) => name)

/** A migration that makes a view of Millbook again, which a view of SQL access uses. */
const REMADE = `do $$ declare text text := pg_get_viewdef('today'); begin
  drop view today; execute 'create view today as ' || text; end $$`

/** Everything in the catalogue of a database, and the roles and their settings. */
const catalogueOf = (db: Db) => db`
  select 'relation' as kind, n.nspname || '.' || c.relname as name, c.relacl::text as acl from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where n.nspname !~ '^pg_'
  union all select 'function', oid::regprocedure::text, coalesce(proacl, acldefault('f', proowner))::text from pg_proc where oid >= 16384
  union all select 'schema', nspname, nspacl::text from pg_namespace where nspname !~ '^pg_(toast_)?temp'
  union all select 'type', typname, typacl::text from pg_type where oid >= 16384
  union all select 'comment', objoid::text, description from pg_description where objoid >= 16384
  union all select 'setting', setrole::text, setconfig::text from pg_db_role_setting where setdatabase = (select oid from pg_database where datname = current_database())
  union all select 'role', rolname, null from pg_roles where rolname ~ ('^' || current_database() || '_')
  order by 1, 2, 3`

onServer.describe('turning SQL access on and off', () => {
  it('twice is once; off leaves nothing', async () => {
    const { db } = await databaseForThisTest()
    const before = await catalogueOf(db)
    const first = await on(db)
    const made = await catalogueOf(db)
    expect(made.length).toBeGreaterThan(before.length + 200)
    expect(await on(db)).toEqual(first)
    expect(await catalogueOf(db)).toEqual(made)
    expect(await check(db, reports)).toMatchObject({ flaws: [] })
    expect(await db.begin((tx) => turnOff(tx))).toEqual({ ended: true, problem: undefined })
    expect(await catalogueOf(db)).toEqual(before)
    expect([await db.begin((tx) => turnOff(tx)), await check(db, reports)]).toEqual([
      { ended: false, problem: undefined },
      undefined,
    ])
  })

  it('a migration withdraws it and makes it again; what is of another build is made again', async () => {
    const { db } = await databaseForThisTest()
    onTestFinished(() => end(db))
    await on(db)
    const made = await catalogueOf(db)
    const { applyMigrations, migrations } = await import('../../src/db/migrate.js')
    const newer = { number: 999, name: 'remade-view', text: REMADE }
    await db.begin(async (tx) => {
      await applyMigrations(tx, [...migrations, newer])
      await refreshSqlAccess(tx, async () => reports)
    })
    const names = (all: readonly Record<string, unknown>[]) =>
      all
        .filter(({ kind }) => kind !== 'comment')
        .map(({ kind, name, acl }) => `${kind} ${name} ${acl}`)
        .filter((text) => !/pg_toast/.test(text))
    expect(names(await catalogueOf(db))).toEqual(names(made))
    await db`delete from schema_migration where number = 999`
    await db.unsafe(`comment on schema millbook_sql is 'other'; comment on view report.ledger is 'other'`)
    expect((await check(db, reports))?.flaws).toEqual([
      { found: 'SQL access was made by another build of Millbook', advice: 'run millbook migrate' },
    ])
    await db.begin((tx) => refreshSqlAccess(tx, async () => reports))
    expect([(await check(db, reports))?.flaws, names(await catalogueOf(db))]).toEqual([[], names(made)])
  })

  it('objects that others made are kept: a sentence says what is in the way', async () => {
    const { db } = await databaseForThisTest()
    onTestFinished(() => end(db))
    await on(db)
    await db.unsafe('create schema mine; create view mine.big as select * from report.sales_invoices')
    await db`comment on schema millbook_sql is 'other'`
    await expect(db.begin((tx) => refreshSqlAccess(tx, async () => reports))).rejects.toThrow(
      /other objects depend on it: drop them.*view mine\.big depends on view report\.sales_invoices/,
    )
    await expect(db.begin((tx) => turnOff(tx))).rejects.toThrow(/mine\.big/)
    await db.unsafe('drop schema mine cascade; create view report.mine as select 1 as one')
    await db.begin((tx) => refreshSqlAccess(tx, async () => reports))
    await expect(db.begin((tx) => turnOff(tx))).rejects.toThrow(
      /objects that Millbook did not make: move or drop them.*view report\.mine/,
    )
    await db.unsafe('drop view report.mine')
  })

  it('a schema of the same name is not touched', async () => {
    const { db } = await databaseForThisTest()
    await db.unsafe('create schema report; create table report.own (a int)')
    await expect(on(db)).rejects.toThrow('the database has a schema report that Millbook did not make: rename it')
  })

  it('the check finds rights that someone has granted, lost limits and lost objects', async () => {
    const { db } = await databaseForThisTest()
    onTestFinished(() => end(db))
    const { reader, contacts } = await on(db)
    const login = `${reader}_login`
    await db.unsafe(`create role ${login} login in role ${reader}`)
    onTestFinished(async () => void (await db.unsafe(`drop role ${login}`)))
    const found = async () => (await check(db, reports))?.flaws.map((flaw) => flaw.found)
    expect(await found()).toEqual([`nothing limits the time of statements of ${login}`])
    await on(db)
    expect(await found()).toEqual([])
    await db.unsafe(
      `grant select on item to ${contacts}; grant select (name) on customer to ${reader}; grant create on schema report to ${reader}`,
    )
    expect(await found()).toEqual([
      `${reader} may read or change more than SQL access: customer, new objects in the schema report`,
      `${contacts} may read or change more than SQL access: item`,
      `${login} may read or change more than SQL access: customer, new objects in the schema report`,
    ])
    await db.unsafe(
      `revoke select on item from ${contacts}; revoke select (name) on customer from ${reader}; revoke create on schema report from ${reader}`,
    )
    await db.unsafe(`grant select on item to public`)
    expect(await found()).toHaveLength(3)
    await db.unsafe(
      `revoke select on item from public; alter role ${reader} in database ${(await db<{ name: string }[]>`select current_database() as name`)[0]?.name} reset statement_timeout; drop view report.ledger`,
    )
    expect(await found()).toEqual([
      'SQL access lacks report.ledger',
      `nothing limits the time of statements of ${reader}`,
    ])
    await db.begin((tx) => turnOff(tx))
    await on(db)
  })
})
