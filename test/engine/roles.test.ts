/** On a server, the service and the loader each run with a role that has the rights it needs and no others. */

import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { sweep } from '../../src/access/cleanup.js'
import { keepDescribed } from '../../src/access/client-documents.js'
import { createPublicClient } from '../../src/access/clients.js'
import { newSecret } from '../../src/access/secrets.js'
import { challengeOf, newTicket } from '../../src/access/sessions.js'
import { closePeriod, reopenPeriod } from '../../src/closed/close.js'
import { connect, type Database, type Db, type Tx } from '../../src/db/connect.js'
import { checkSchema, migrations } from '../../src/db/migrate.js'
import { migrateWithRoles, type Roles } from '../../src/db/roles.js'
import { sampleCompany } from '../../src/demo/sample.js'
import { entities } from '../../src/import/entities.js'
import { load } from '../../src/import/pipeline/load.js'
import { countVerified, verify } from '../../src/import/pipeline/verify.js'
import { findUndoable, undoLoad } from '../../src/import/undo/undo.js'
import { checkReport } from '../../src/kernel/answer/statement.js'
import { startClock } from '../../src/notify/clock.js'
import { reachOf } from '../../src/notify/post.js'
import { createWebhook, findWebhook } from '../../src/notify/webhooks.js'
import { reports } from '../../src/reports/index.js'
import { buildApp } from '../../src/runtime/app.js'
import { commitVersion } from '../../src/store/commit.js'
import { Browser } from '../setup/browser.js'
import { databaseForThisTest } from '../setup/database.js'
import { good } from '../setup/good-files.js'
import { newOperator } from '../setup/operator.js'
import { eventually } from '../setup/patience.js'
import { answering, newReceiver } from '../setup/receiver.js'
import { requestsFor } from '../setup/requests.js'
import { type Service, startService } from '../setup/service.js'
import { inLongTier, only } from '../setup/tier.js'

const DENIED = { code: '42501' }
const TODAY = '2026-06-30'
const range = { from_date: '2026-06-01', to_date: TODAY }
const sample = () => sampleCompany({ today: TODAY, scale: 0.1, months: 1 })

/** Expects the database to refuse each statement. */
async function refusesAll(db: Db, statements: string[]): Promise<void> {
  for (const statement of statements) await expect(db.unsafe(statement), statement).rejects.toMatchObject(DENIED)
}

/** Connects to the same database with another login. */
const connectAs = (database: Database & { target: unknown }, login: string): Promise<Database> =>
  connect({ url: (database.target as { url: string }).url.replace('postgres@', `${login}@`) })

/** Tables, views and sequences that neither role has any right to; sequences of identity columns need none. */
const undecided = (db: Db, { service, loader }: Roles) => db<{ relname: string }[]>`
  select c.relname from pg_class c
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S')
     and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'i' and c.relkind = 'S')
     and not exists (
       select from (select c.relacl as acl union all select a.attacl from pg_attribute a where a.attrelid = c.oid) s,
                   aclexplode(s.acl) as x
        where x.grantee in (${service}::text::regrole, ${loader}::text::regrole))`

const onServer = only('server', 'the embedded engine has one user and no roles')

onServer.describe('roles', () => {
  let owner: Service
  let roles: Roles
  let web: Database
  let loading: Database
  let app: FastifyInstance
  beforeAll(async () => {
    owner = await startService()
    const { roles: made } = await migrateWithRoles(owner.database, entities)
    roles = made as Roles
    const { service, loader } = roles
    await owner.db.unsafe(`create role ${service}_login login in role ${service};
                           create role ${loader}_login login in role ${loader};
                           create role ${loader}_other login in role ${loader}`)
    web = await connectAs(owner.database, `${service}_login`)
    loading = await connectAs(owner.database, `${loader}_login`)
    app = await buildApp({ database: web, reports, logLevel: 'silent', leaseMs: 0, rate: 100_000 })
  })
  afterAll(async () => {
    await app.close()
    await Promise.all([web.close(), loading.close()])
    const { service, loader } = roles
    await owner.db.unsafe(`drop owned by ${service}, ${loader}, ${loader}_other;
      drop role ${service}_login, ${loader}_login, ${loader}_other, ${service}, ${loader}`)
    await owner.close()
  })

  it('the loader loads, reloads, dry-runs, replaces, verifies and rebuilds', async () => {
    const before = await load(loading, sample(), { dryRun: true })
    expect([before.errors.first, before.committed]).toEqual([[], false])
    const first = await load(loading, sample())
    expect([first.errors.first, first.committed, first.dataVersion]).toEqual([[], true, 1])
    const again = await load(loading, sample(), { replace: ['items', 'stock_movements'] })
    expect([again.errors.first, again.dataVersion, again.entities['items']]).toEqual([
      [],
      1,
      { ...first.entities['items'], new: 0, same: first.entities['items']?.new },
    ])
    expect(await verify(loading, { rebuild: true })).toEqual(await verify(loading, { rebuild: false }))
    expect((await countVerified(loading.db)).movements).toBe(first.entities['stock_movements']?.new)
  })

  it('the loader takes back a load that added, changed and removed rows; the service sees that it can', async () => {
    const rows = async (table: string) =>
      await owner.db.unsafe(`select (to_jsonb(t) - 'known_from')::text from ${table} t order by 1`)
    const tables = ['item', 'customer', 'stock_movement', 'stock_closing']
    const before = await Promise.all(tables.map(rows))
    const period = '2026-06-01..2026-06-20'
    const change = <T>(work: (tx: Tx) => Promise<T>) => web.db.begin(work)
    await closePeriod(web, change, { period, reason: 'reported' }, {})
    const later = sampleCompany({ today: '2026-07-05', scale: 0.1, months: 1 })
    const { errors, warnings, dataVersion } = await load(loading, later, {
      replace: entities.map(({ name }) => name).filter((name) => name !== 'account'),
    })
    expect(errors.first).toEqual([])
    expect(warnings.kinds).toContainEqual(
      expect.objectContaining({ check: 'a figure of a closed period changes', count: 4 }),
    )
    expect((await findUndoable(web.db))?.version).toBe(dataVersion)
    await refusesAll(web.db, ['delete from past_item', 'delete from known_version', 'update history set oldest = 0'])
    await undoLoad(loading, dataVersion)
    expect(await Promise.all(tables.map(rows))).toEqual(before)
    await refusesAll(web.db, [
      ...['update closed_period set sales = 0', 'delete from closed_period', 'delete from closed_figure'],
    ])
    await refusesAll(loading.db, ['update closed_period set reopened_in = 1'])
    await reopenPeriod(change, { period, reason: 'corrected' }, {})
  })

  it('the loader updates the statistics of the tables that it writes', async () => {
    const counted = await owner.db`
      select relname from pg_class where relname in ('item', 'stock_movement', 'stock_closing') and reltuples > 0`
    expect(counted).toHaveLength(3)
    await expect(loading.db`select analyze_table('pg_authid', 'rolname')`).rejects.toThrow(
      'there is no table pg_authid',
    )
  })

  inLongTier('a load removes staging tables that another login or the owner left', async () => {
    const other = await connectAs(owner.database, `${roles.loader}_other`)
    await other.db.unsafe('create unlogged table millbook_staging.items (a int)')
    await owner.db.unsafe('create unlogged table millbook_staging.vendors (a int)')
    await other.close()
    expect((await load(loading, sample())).committed).toBe(true)
    expect((await load(owner.database, sample())).committed).toBe(true)
    expect(await owner.db`select from pg_class where relnamespace = 'millbook_staging'::regnamespace`).toHaveLength(0)
  })

  it('the loader cannot read clients, users, tokens and the audit trail, and cannot change the schema', () =>
    refusesAll(loading.db, [
      ...[
        ...['api_client', 'api_user', 'api_token', 'access_version', 'sign_in', 'rate_use', 'audit_entry'],
        ...['authorization_code', 'spent_token', 'sign_in_link', 'app_password'],
      ].flatMap((table) => [`select from ${table}`, `delete from ${table}`]),
      "insert into audit_entry (act, actor) values ('token.issue', 'x')",
      'update schema_migration set number = number',
      'insert into data_version (version) values (1)',
      'delete from load_log',
      "update load_log set actor = 'nobody'",
      'truncate load_log',
      'truncate item',
      'drop table item',
      'alter table item disable trigger all',
      'create table mine (a int)',
      'create schema mine',
      'set session_replication_role = replica',
    ]))

  it('the service saves, reads, replaces and deletes views', async () => {
    const { token } = await owner.newCaller()
    const as = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) =>
      app.inject({ method, url, headers: { authorization: `Bearer ${token}` }, ...(payload && { payload }) })
    const view = { name: 'Items', report: 'masters.material' }
    const made = await as('POST', '/v1/views', view)
    expect([made.statusCode, made.statusCode === 201 ? '' : made.body]).toEqual([201, ''])
    const path = `/v1/views/${made.json().id}`
    const statuses = [
      (await as('GET', `${path}/data`)).statusCode,
      (await as('PUT', path, { ...view, name: 'All items' })).statusCode,
      (await as('DELETE', path)).statusCode,
    ]
    expect(statuses).toEqual([200, 200, 200])
  })

  it('the service makes, uses and ends app passwords', async () => {
    const { token, username } = await owner.newCaller()
    const as = (authorization: string, method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) =>
      app.inject({ method, url, headers: { authorization }, ...(payload && { payload }) })
    const made = await as(`Bearer ${token}`, 'POST', '/v1/app-passwords', { name: 'Workbook' })
    expect([made.statusCode, made.statusCode === 201 ? '' : made.body]).toEqual([201, ''])
    const basic = `Basic ${Buffer.from(`${username}:${made.json().app_password}`).toString('base64')}`
    expect((await as(basic, 'GET', '/v1/warehouse/warehouse-list')).statusCode).toBe(200)
    await expect
      .poll(async () => (await as(`Bearer ${token}`, 'GET', '/v1/app-passwords')).json().data[0].last_used_at)
      .toEqual(expect.any(String))
    const wrong = `Basic ${Buffer.from(`${username}:millbook_${'A'.repeat(43)}`).toString('base64')}`
    expect((await as(wrong, 'GET', '/v1/warehouse/warehouse-list')).statusCode).toBe(401)
    const ended = await as(`Bearer ${token}`, 'DELETE', `/v1/app-passwords/${made.json().id}`)
    expect([ended.statusCode, (await as(basic, 'GET', '/v1/warehouse/warehouse-list')).statusCode]).toEqual([200, 401])
  })

  it('the service issues tokens and answers every report', async () => {
    await checkSchema(web.db)
    const { client_id, client_secret, username, password } = owner.caller
    const grant = (payload: object) =>
      app.inject({ method: 'POST', url: '/oauth2/token', payload: { client_id, client_secret, ...payload } })
    const given = await grant({ grant_type: 'password', username, password })
    expect(given.statusCode).toBe(200)
    const { access_token, refresh_token } = given.json()
    expect((await grant({ grant_type: 'refresh_token', refresh_token })).statusCode).toBe(200)
    expect((await grant({ grant_type: 'password', username, password: 'a wrong one' })).statusCode).toBe(400)
    const trail =
      await owner.db`select act from audit_entry where client = (select name from api_client where client_id = ${client_id})`
    expect(trail.length).toBeGreaterThan(1)
    expect((await app.inject('/readyz')).statusCode).toBe(200)
    for (const report of reports) {
      await checkReport(web.db, report)
      const [request = {}] = requestsFor(report, range)
      const { statusCode, body } = await app.inject({
        method: report.method,
        url: report.path,
        headers: { authorization: `Bearer ${access_token}` },
        payload: request,
      })
      expect([report.id, statusCode, body.slice(0, 9)]).toEqual([report.id, 200, expect.stringMatching(/^\{"data":/)])
    }
    const ended = { client_id, client_secret, token: access_token }
    expect((await app.inject({ method: 'POST', url: '/oauth2/revoke', payload: ended })).statusCode).toBe(200)
  })

  it('the service signs people in by a code, which it revokes when it is used twice, and by a link', async () => {
    const { username, password } = owner.caller
    const redirect_uri = 'https://program.example/callback'
    const { clientId: client_id } = await owner.db.begin((tx) =>
      createPublicClient(tx, { name: 'A program', redirectUris: [redirect_uri] }),
    )
    const [browser, code_verifier] = [new Browser(app), newSecret()]
    const challenge = { code_challenge: challengeOf(code_verifier), code_challenge_method: 'S256' }
    const query = new URLSearchParams({ response_type: 'code', client_id, redirect_uri, ...challenge })
    const submitted = await browser.submit(await browser.send(`/oauth2/authorize?${query}`), { username, password })
    const code = new URL(submitted.headers.location as string).searchParams.get('code')
    const grant = async (payload: object) =>
      (await app.inject({ method: 'POST', url: '/oauth2/token', payload: { client_id, ...payload } })).json()
    const exchange = () => grant({ grant_type: 'authorization_code', code, redirect_uri, code_verifier })
    const { refresh_token } = await exchange()
    const refresh = () => grant({ grant_type: 'refresh_token', refresh_token })
    expect(await refresh()).toHaveProperty('access_token')
    expect([(await refresh()).error, (await exchange()).error]).toEqual(['invalid_grant', 'invalid_grant'])
    expect(await owner.db`select from api_token where client_id = ${client_id}`).toEqual([])

    const ticket = await owner.db.begin((tx) => newTicket(tx, username))
    expect((await browser.post('/session/open', { json: { ticket } })).statusCode).toBe(204)
    const headers = { 'x-csrf-token': (await browser.send('/session')).json().csrf }
    expect((await browser.post('/session/end', { headers })).statusCode).toBe(204)
  })

  inLongTier(
    'with --loader-database, a loader brings in a sheet and takes it back, by the login of the loader',
    async () => {
      const url = (owner.database.target as { url: string }).url
      const loaderDatabase = url.replace('postgres@', `${roles.loader}_login@`)
      const own = await buildApp({ database: web, loaderDatabase, reports, logLevel: 'silent', leaseMs: 0 })
      onTestFinished(() => own.close())
      const loader = await newOperator(own, owner.db, 'loader')
      expect((await loader.ask('GET', '')).json().may).toMatchObject({ load: true })
      const { id } = (await loader.ask('POST', '/imports')).json()
      const sheet = 'Code,Name,Unit,HSN\nBROUGHT1,Ghee,kg,0405\nBROUGHT2,Curd,kg,0403\n'
      expect((await loader.ask('PUT', `/imports/${id}/files/item%20list.csv`, Buffer.from(sheet))).statusCode).toBe(200)
      const ended = async (of: string) => {
        const state = async () => (await loader.ask('GET', `/imports/${of}`)).json()
        await expect.poll(async () => ['open', 'loaded'].includes((await state()).phase)).toBe(true)
        return await state()
      }
      const names = async () =>
        (await owner.db`select sku from item where sku like 'BROUGHT%' order by 1`).map(({ sku }) => sku)
      for (const action of ['look', 'load']) {
        expect((await loader.ask('POST', `/imports/${id}/run`, { action })).statusCode).toBe(200)
        expect(await ended(id)).toMatchObject({ error: null })
      }
      expect(await names()).toEqual(['BROUGHT1', 'BROUGHT2'])
      const { loads, undoable } = (await loader.ask('GET', '/loads?limit=1')).json()
      expect([loads[0].actor, loads[0].version]).toEqual([loader.username, undoable])
      const begun = (await loader.ask('POST', `/loads/${undoable}/undo`)).json()
      expect(await ended(begun.id)).toMatchObject({ phase: 'loaded', error: null })
      expect(await names()).toEqual([])
      // The service's own login could have done none of this.
      await refusesAll(web.db, ["insert into item (sku, name, type, unit) values ('X', 'X', 'FG', 'kg')"])
    },
  )

  it('the service cannot administer or try imports, unless it gets the roles for that', async () => {
    const operator = await newOperator(app, owner.db)
    const refused = async (...[method, path, body]: Parameters<typeof operator.ask>) => {
      const { statusCode, json } = await operator.ask(method, path, body)
      return [statusCode, json().detail]
    }
    const administer = [409, expect.stringContaining('The database login of this service may not administer')]
    const reading = ['/clients', '/users', '/audit'].map((path) => ['GET', path] as const)
    const calls = [
      ...reading,
      ['POST', '/clients', { name: 'a' }] as const,
      ['POST', '/users', { username: 'a' }] as const,
      ['POST', `/users/${owner.caller.username}/disable`] as const,
    ]
    for (const [method, path, body] of calls) expect(await refused(method, path, body), path).toEqual(administer)
    expect(await refused('POST', '/imports')).toEqual([
      409,
      expect.stringMatching(/^The database login of this service may not load data.*--loader-database/),
    ])
    expect((await operator.ask('GET', '')).json().may).toEqual({ administer: false, load: false })
    expect((await operator.ask('GET', '/loads')).statusCode).toBe(200)
    const { sessions } = (await operator.ask('GET', `/sessions?user=${owner.caller.username}`)).json()
    expect((await operator.ask('DELETE', `/sessions/${sessions[0].id}`)).statusCode).toBe(200)

    const admin = roles.service.replace(/service$/, 'admin')
    const login = `${roles.service}_login`
    await owner.db.unsafe(`create role ${admin}; grant ${admin}, ${roles.loader} to ${login}`)
    onTestFinished(async () => {
      await owner.db.unsafe(`revoke ${roles.loader} from ${login}; drop owned by ${admin}; drop role ${admin}`)
    })
    expect((await migrateWithRoles(owner.database, entities)).roles?.problem).toBeUndefined()
    expect((await operator.ask('GET', '')).json().may).toEqual({ administer: true, load: true })
    const { client } = (await operator.ask('POST', '/clients', { name: 'by an operator' })).json()
    const path = `/clients/${client.client_id}`
    expect((await operator.ask('PATCH', path, { rate: 5 })).json().changed).toEqual(['rate'])
    for (const act of ['rotate-secret', 'end-old-secret', 'disable', 'enable', 'revoke-tokens'])
      expect((await operator.ask('POST', `${path}/${act}`)).statusCode, act).toBe(200)
    expect((await operator.ask('DELETE', path)).statusCode).toBe(200)
    await operator.ask('POST', '/users', { username: 'by an operator' })
    for (const act of ['password', 'disable', 'enable', 'revoke-tokens'])
      expect((await operator.ask('POST', `/users/by%20an%20operator/${act}`)).statusCode, act).toBe(200)
    expect((await operator.ask('PATCH', '/users/by%20an%20operator', { role: 'operator' })).statusCode).toBe(200)
    expect((await operator.ask('DELETE', '/users/by%20an%20operator')).statusCode).toBe(200)
    const { entries } = (await operator.ask('GET', '/audit?act=client.*&client=by%20an%20operator')).json()
    expect(entries.map(({ actor }: { actor: string }) => actor)).toEqual(Array(8).fill(operator.username))
    await refusesAll(web.db, ["update audit_entry set actor = 'nobody'", 'truncate audit_entry', 'drop table api_user'])
    await web.db`delete from audit_entry where act like 'client.%'`
    expect((await operator.ask('GET', '/audit?client=by%20an%20operator')).json().entries).toHaveLength(8)

    const { id } = (await operator.ask('POST', '/imports')).json()
    await operator.ask('PUT', `/imports/${id}/files/items.csv`, Buffer.from(good['items.csv'] as string))
    await operator.ask('POST', `/imports/${id}/run`, { action: 'try' })
    const result = async () => (await operator.ask('GET', `/imports/${id}`)).json()
    await expect.poll(async () => (await result()).phase).toBe('open')
    expect(await result()).toMatchObject({ phase: 'open', error: null, result: { errors: { count: 0 } } })
  })

  it('the service removes expired rows of its own tables', async () => {
    await owner.db`update api_token set expires_at = now() - interval '1 day' where kind = 'refresh'`
    await owner.db`insert into sign_in (subject, address, failures, failed_at) values (sha256('a'), '', 1, '2020-01-01')`
    await sweep(web.db)
    expect(await owner.db`select from api_token where kind = 'refresh'`).toHaveLength(0)
    expect(await owner.db`select from sign_in where subject = sha256('a')`).toHaveLength(0)
  })

  it('each role can write only its own tables, and cannot log in', async () => {
    const writes = async (role: string) =>
      Object.fromEntries(
        (
          await owner.db<{ table: string; rights: string }[]>`
            select c.relname::text as table, string_agg(distinct lower(x.privilege_type), ', ') as rights from pg_class c
             cross join lateral (select c.relacl as acl
                                 union all select a.attacl from pg_attribute a where a.attrelid = c.oid) s
             cross join lateral aclexplode(s.acl) x
             where x.grantee in (${role}::text::regrole, 0) and x.privilege_type <> 'SELECT' and c.relkind <> 'S'
               and c.relnamespace = 'public'::regnamespace group by 1`
        ).map(({ table, rights }) => [table, rights]),
      )
    expect(await writes(roles.service)).toEqual({
      api_token: 'delete, insert',
      app_password: 'delete, insert, update',
      audit_entry: 'delete, insert',
      authorization_code: 'delete, insert, update',
      closed_period: 'insert, update',
      closed_figure: 'insert',
      delivery: 'delete, insert, update',
      event: 'delete, insert, update',
      feed: 'delete, insert, update',
      feed_arrival: 'delete, insert, update',
      feed_record: 'delete, insert, update',
      feed_step: 'delete, insert, update',
      kept_mapping: 'delete, insert, update',
      overview: 'delete, insert, update',
      saved_view: 'delete, insert, update',
      load_log: 'delete',
      rate_use: 'delete, insert, update',
      sign_in: 'delete, insert, update',
      sign_in_link: 'delete',
      spent_token: 'insert',
      webhook: 'update',
    })
    const loaded = [...entities.map(({ table }) => table), 'stock_closing', 'stock_flow', 'batch_closing']
    const written = await writes(roles.loader)
    expect(Object.keys(written).sort()).toEqual(
      [
        ...new Set([...loaded, ...['closed_figure', 'data_version', 'load_log', 'loaded_file', 'loaded_rows', 'pull']]),
      ].sort(),
    )
    expect(Object.values(written).filter((rights) => !/^((delete|insert|update)(, )?)+$/.test(rights))).toEqual([])
    const logins = owner.db`select from pg_roles where rolname in (${roles.service}, ${roles.loader}) and rolcanlogin`
    expect(await logins).toHaveLength(0)
  })

  it('the service cannot insert or delete business data, clients and users', async () => {
    const written = await owner.db<{ relname: string }[]>`
      select relname from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
         and relname not in ('api_token', 'sign_in', 'rate_use', 'audit_entry', 'authorization_code', 'spent_token', 'sign_in_link',
                             'app_password', 'load_log', 'kept_mapping', 'saved_view', 'overview', 'closed_period', 'closed_figure', 'event', 'delivery')
         and relname not like 'feed%'`
    expect(written.length).toBeGreaterThan(25)
    await refusesAll(web.db, [
      ...written.flatMap(({ relname }) => [`insert into ${relname} default values`, `delete from ${relname}`]),
      ...[
        'api_token set kind = kind',
        'api_client set name = name',
        'api_user set password_hash = username',
        'app_password set reports = null',
        "authorization_code set username = 'asha'",
        'data_version set version = 0',
        "webhook set url = 'https://evil.example'",
        "webhook set secret = ''",
      ].map((change) => `update ${change}`),
      "select nextval('sales_order_id')",
      'select empty_staging()',
      "select analyze_table('item', 'id')",
      'create table millbook_staging.mine (a int)',
      'create table mine (a int)',
      "insert into sign_in_link (ticket_hash, username, expires_at) values (sha256('a'), 'asha', now())",
    ])
  })

  it('the service sends the messages of webhooks, and disables one; the loader reads no secret', async () => {
    const receiver = await newReceiver()
    receiver.answer = answering(410)
    await owner.db.begin((tx) => createWebhook(tx, { name: 'Stock', url: receiver.url }))
    await loading.db.begin((tx) => commitVersion(tx, loading.engine, ['item']))
    const log = { info: () => {}, warn: () => {} }
    const clock = startClock({
      database: web,
      reports: reports.slice(0, 2),
      reach: reachOf(['127.0.0.0/8', '::1']),
      log,
    })
    await eventually(async () =>
      expect((await findWebhook(owner.db, 'Stock')).disabledWhy).toBe(
        'it answered 410: the receiver wants no more messages',
      ),
    )
    await clock.end()
    expect(receiver.received).toHaveLength(1)
    await refusesAll(loading.db, ['select secret from webhook', "insert into event (type, data) values ('a', '{}')"])
  })

  it('the service keeps programs that describe themselves, and makes no other client that way', async () => {
    const url = 'https://assistant.example/client.json'
    await web.db.begin((tx) =>
      keepDescribed(tx, url, { name: 'Helper', redirectUris: ['https://assistant.example/cb'] }),
    )
    const [made] = await owner.db`
      select name, secret_hash as secret, to_json(grants) as grants from api_client where client_id = ${url}`
    expect(made).toEqual({
      ...{ name: 'assistant.example/client.json', secret: null, grants: ['authorization_code', 'refresh_token'] },
    })
    await expect(web.db`select keep_described_client('console2', array['https://a.example/cb'])`).rejects.toThrow(
      'is not the address of a document',
    )
    await expect(loading.db`select keep_described_client(${url}, array['https://a.example/cb'])`).rejects.toThrow(
      'permission denied',
    )
  })

  it('the service adds to the audit trail and deletes old token entries, but cannot rewrite it', async () => {
    await owner.db`delete from audit_entry`
    await owner.db`
      insert into audit_entry (at, act, actor) values
        (now() - interval '500 days', 'token.issue', 'old'), (now() - interval '500 days', 'client.create', 'admin'),
        (now() - interval '360 days', 'token.issue', 'last year')`
    await web.db`insert into audit_entry (act, actor) values ('token.issue', 'new')`
    await refusesAll(web.db, [
      "insert into audit_entry (act, actor) values ('client.create', 'nobody')",
      "insert into audit_entry (act, actor, at) values ('token.issue', 'late', '2020-01-01')",
      "update audit_entry set actor = 'nobody'",
      'truncate audit_entry',
    ])
    await sweep(web.db)
    expect(await owner.db`select from audit_entry`).toHaveLength(3)
    await web.db`delete from audit_entry where at < now() + interval '1 day'`
    const left = await owner.db`select act, actor from audit_entry order by at`
    expect([...left]).toEqual([
      { act: 'client.create', actor: 'admin' },
      { act: 'token.issue', actor: 'last year' },
      { act: 'token.issue', actor: 'new' },
    ])
  })

  it('the service deletes old entries of the log of loads, but cannot add or change any', async () => {
    await owner.db.unsafe(`
      insert into load_log (version, committed_at, seconds, actor, source, row_count, entities, warnings, first_warnings)
      select -n, now() - n * interval '360 days', 1, 'x', '{}', 1, '{}', 0, '[]' from generate_series(1, 2) n`)
    await refusesAll(web.db, [
      'insert into load_log select * from load_log where version = -1',
      "update load_log set actor = 'nobody'",
      'truncate load_log',
    ])
    expect(await web.db`select from load_log where version < 0`).toHaveLength(2)
    await sweep(web.db)
    await web.db`delete from load_log`
    const left = await owner.db<{ version: string }[]>`select version from load_log where version < 0`
    expect(left.map(({ version }) => Number(version))).toEqual([-1])
    expect((await loading.db`select from load_log where version > 0`).length).toBeGreaterThan(0)
  })

  it('no function with the rights of the owner uses tables of the caller', async () => {
    const definers = await owner.db`
      select proname, proconfig[1] as path, has_function_privilege('public', oid, 'execute') as open
        from pg_proc where pronamespace = 'public'::regnamespace and prosecdef order by 1`
    expect(definers.map(({ proname }) => proname)).toEqual(expect.arrayContaining(['access_changed', 'analyze_table']))
    for (const { path, open } of definers) expect([path, open]).toEqual(['search_path=public, pg_temp', false])

    const version = async () => (await owner.db`select version from access_version`)[0]?.version
    const before = await version()
    await web.db.begin(async (tx) => {
      await tx.unsafe('create temporary table access_version (version bigint); insert into access_version values (0)')
      await tx`delete from api_token where expires_at < now()`
      expect([...(await tx`select version from pg_temp.access_version`)]).toEqual([{ version: '0' }])
      await tx`drop table pg_temp.access_version`
    })
    expect(Number(await version())).toBe(Number(before) + 1)
  })

  it('every table, view and sequence has its rights declared, and the check finds one without', async () => {
    const { db } = owner
    expect([...(await undecided(db, roles))]).toEqual([])
    await db.unsafe('create table later (a int); create view later_view as select 1 as a; create sequence later_id')
    onTestFinished(() => void db.unsafe('drop table later; drop view later_view; drop sequence later_id'))
    expect((await undecided(db, roles)).map(({ relname }) => relname).sort()).toEqual([
      'later',
      'later_id',
      'later_view',
    ])
  })

  it('migrating again revokes rights that were granted by hand', async () => {
    const { db } = owner
    await db.unsafe(`grant all on api_user, item to ${roles.loader}, ${roles.service}`)
    expect((await migrateWithRoles(owner.database, entities)).roles?.problem).toBeUndefined()
    await refusesAll(web.db, ['delete from item', 'delete from api_user'])
    await refusesAll(loading.db, ['select from api_user', 'truncate item'])
  })
})

onServer.describe('an owner of a database who is not an administrator', () => {
  /** A database of such an owner, and the names of its roles. */
  async function ownedDatabase(attributes: string) {
    const admin = await databaseForThisTest('empty')
    const [{ name } = { name: '' }] = await admin.db<{ name: string }[]>`select current_database() as name`
    await admin.db.unsafe(
      `create role ${name}_owner login ${attributes}; alter database ${name} owner to ${name}_owner`,
    )
    const database = await connectAs(admin, `${name}_owner`)
    onTestFinished(async () => {
      await database.close()
      await admin.db.unsafe(`alter database ${name} owner to postgres; reassign owned by ${name}_owner to postgres;
        drop owned by ${name}_owner; drop schema public, millbook_staging, millbook_as_known cascade`)
      await admin.db.unsafe(`revoke all on database ${name} from ${name}_service, ${name}_loader`)
      await admin.db.unsafe(`drop role ${name}_owner, ${name}_service, ${name}_loader`)
    })
    return { admin, name, database }
  }

  it('creates the roles if it may, also in two concurrent runs, and roles of other databases get no right', async () => {
    const { name, database } = await ownedDatabase('createrole')
    const results = await Promise.all([migrateWithRoles(database, entities), migrateWithRoles(database, entities)])
    const expected = { service: `${name}_service`, loader: `${name}_loader`, problem: undefined }
    expect(results.map(({ roles }) => roles)).toEqual([expected, expected])
    expect(results.map(({ applied }) => applied.length).sort()).toEqual([0, migrations.length])
    expect([...(await undecided(database.db, expected))]).toEqual([])
    const others = await database.db`
      select distinct grantee::regrole::text as role from pg_class c, aclexplode(c.relacl)
       where c.relnamespace = 'public'::regnamespace order by 1`
    expect(others.map(({ role }) => role)).toEqual([`${name}_loader`, `${name}_owner`, `${name}_service`])
  })

  it('who may not create roles gets the statements for an administrator; the schema is migrated anyway', async () => {
    const { admin, name, database } = await ownedDatabase('nocreaterole')
    const { applied, roles } = await migrateWithRoles(database, entities)
    expect(applied).toHaveLength(migrations.length)
    expect(roles?.problem).toMatch(
      new RegExp(
        `did not get their rights: permission denied[^;]*; have an administrator run create role "${name}_ser`,
      ),
    )
    await checkSchema(database.db)
    await admin.db.unsafe(/run (create role .*;) then/.exec(roles?.problem ?? '')?.[1] as string)
    const later = await migrateWithRoles(database, entities)
    expect([later.applied, later.roles?.problem]).toEqual([[], undefined])
    expect([...(await undecided(database.db, later.roles as Roles))]).toEqual([])
  })
})
