/** A database that refuses a service: 503 with the reason in the response, in the log and in /readyz, until it lets the service in again. */
import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, type Database } from '../../src/db/connect.js'
import { type Migration, migrate, migrations } from '../../src/db/migrate.js'
import { migrateWithRoles, type Roles } from '../../src/db/roles.js'
import { connectedServices } from '../../src/db/services.js'
import { Problem } from '../../src/errors.js'
import { toProblem } from '../../src/http/errors.js'
import { entities } from '../../src/import/entities.js'
import { PROGRAM_VERSION } from '../../src/program-version.js'
import { reports } from '../../src/reports/index.js'
import { buildApp } from '../../src/runtime/app.js'
import { databaseForThisTest } from '../setup/database.js'
import { type Service, startService } from '../setup/service.js'
import { long, only } from '../setup/tier.js'

const ITEMS = '/v1/partner/fg-item-master'
const onServer = only('server', 'the embedded engine has one user, and refuses no connection')

const signIn = (app: FastifyInstance, { caller }: Service) => {
  const { client_id, client_secret, username, password } = caller
  const payload = { grant_type: 'password', client_id, client_secret, username, password }
  return app.inject({ method: 'POST', url: '/oauth2/token', payload })
}

onServer.describe('a service whose database', () => {
  const login = `web_${randomBytes(6).toString('hex')}`
  let owner: Service
  let roles: Roles
  let web: Database
  let app: FastifyInstance
  const log: string[] = []
  const limits = { statement: 60_000, lock: 5000, connection: 10_000 }
  beforeAll(async () => {
    owner = await startService()
    roles = (await migrateWithRoles(owner.database, entities)).roles as Roles
    await owner.db.unsafe(`create role ${login} login in role ${roles.service}`)
    const { url } = owner.database.target as { url: string }
    web = await connect({ url: url.replace('postgres@', `${login}@`) }, { limits })
    const logTo = { write: (text: string) => void log.push(text) }
    app = await buildApp({ database: web, reports, logLevel: 'warn', logTo, rate: 1000 })
  })
  afterAll(async () => {
    await app.close()
    await web.close()
    await owner.db.unsafe(
      `drop owned by ${roles.service}, ${roles.loader}; drop role ${login}, ${roles.service}, ${roles.loader}`,
    )
    await owner.close()
  })

  const ready = async () => (await app.inject('/readyz')).json()
  const report = () =>
    app.inject({
      ...{ method: 'POST', url: ITEMS, payload: {} },
      headers: { authorization: `Bearer ${owner.caller.token}` },
    })

  const refusals: [name: string, change: string, undo: string, reason: string][] = [
    [
      'is read-only',
      `alter role ${login} set default_transaction_read_only = on`,
      `alter role ${login} reset default_transaction_read_only`,
      'the database is read-only, or a standby that is not promoted yet',
    ],
    [
      'takes its login away',
      `alter role ${login} nologin`,
      `alter role ${login} login`,
      'the database refuses the login of the service',
    ],
    [
      'takes the right to connect away',
      'revoke connect on database DATABASE from public, SERVICE',
      'grant connect on database DATABASE to public, SERVICE',
      'the database denies the service a right that it needs',
    ],
    [
      'has no connection left',
      `alter role ${login} connection limit 0`,
      `alter role ${login} connection limit -1`,
      'the database lacks memory, disk space or connections',
    ],
  ]
  it.each(long ? refusals : refusals.slice(0, 2))(
    '%s answers 503 with the reason, and works again afterwards',
    async (_name, change, undo, reason) => {
      const [{ name } = { name: '' }] = await owner.db<{ name: string }[]>`select current_database()::text as name`
      const run = (statement: string) =>
        owner.db.unsafe(statement.replace('DATABASE', name).replace('SERVICE', roles.service))
      expect([(await signIn(app, owner)).statusCode, (await report()).statusCode]).toEqual([200, 200])
      expect(await ready()).toEqual({ status: 'ready' })
      log.length = 0
      await run(change)
      await owner.db`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${login}`
      const statuses = new Set<number>()
      try {
        await expect.poll(ready).toEqual({ status: 'not ready', reason })
        const refused = await signIn(app, owner)
        expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '5'])
        expect(refused.json().error_description.toLowerCase()).toContain(reason)
        for (let i = 0; i < 5; i++)
          for (const { statusCode } of [await signIn(app, owner), await report()]) statuses.add(statusCode)
      } finally {
        await run(undo)
      }
      expect([...statuses].filter((status) => status !== 503 && status !== 200)).toEqual([])
      expect(log.join('').toLowerCase()).toContain(reason)
      if (reason.includes('read-only'))
        await owner.db`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${login}`
      await expect.poll(ready).toEqual({ status: 'ready' })
      await expect.poll(async () => (await signIn(app, owner)).statusCode).toBe(200)
      await expect.poll(async () => (await report()).statusCode).toBe(200)
    },
  )

  it('denies a table answers 503 for its reports alone', async () => {
    await owner.db.unsafe(`revoke select on item from ${roles.service}`)
    const refused = await owner.db
      .unsafe('update data_version set version = version + 1, committed_at = clock_timestamp()')
      .then(() => expect.poll(report).toMatchObject({ statusCode: 503 }))
      .then(report)
      .finally(() => owner.db.unsafe(`grant select on item to ${roles.service}`))
    expect(refused.json().detail).toBe('The database denies the service a right that it needs; try again in 5 seconds.')
    expect(await ready()).toEqual({ status: 'ready' })
    expect((await report()).statusCode).toBe(200)
  })

  it('raises any error answers 500 only for faults of this program', async () => {
    const statusOf = (code: string) =>
      web.db.unsafe(`do $$ begin raise 'made by a test' using errcode = '${code}'; end $$`).then(
        () => 200,
        (error) => toProblem(error).status,
      )
    for (const code of [
      '25006',
      '28000',
      '28P01',
      '3D000',
      '40001',
      '42501',
      '53300',
      '55000',
      '57P03',
      '58030',
      'XX001',
    ])
      expect([code, await statusOf(code)]).toEqual([code, 503])
    for (const code of ['22012', '23505', '42601', 'P0001']) expect([code, await statusOf(code)]).toEqual([code, 500])
    expect(await statusOf('57014')).toBe(504)
  })

  it('is asked for its services names this one', async () => {
    const [mine] = (await connectedServices(owner.db)).filter(({ service }) => service.startsWith('millbook serve '))
    expect(mine).toEqual({
      ...{ service: `millbook serve ${PROGRAM_VERSION}`, address: '127.0.0.1', connections: expect.any(Number) },
    })
  })
})

describe('a service beside a database that a newer version has migrated', () => {
  const next: Migration = { number: migrations.length + 1, name: 'next', text: 'alter table item add column next int' }

  it('refuses every request with 503 as soon as the schema is not its own', async () => {
    const service = await startService({ leaseMs: 60_000 }) // only the notification of the migration ends the lease
    const { app, db } = service
    const report = () => service.call({ path: ITEMS, body: {} })
    expect([(await report()).statusCode, (await signIn(app, service)).statusCode]).toEqual([200, 200])
    await migrate(db, [...migrations, next])
    await expect.poll(async () => (await report()).statusCode).toBe(503)
    const detail =
      'The database was migrated for another version of the service, which is about to answer; try again in 5 seconds.'
    const refused = await report()
    expect([refused.json().detail, refused.headers['retry-after']]).toEqual([detail, '5'])
    const session = await app.inject({ method: 'POST', url: '/session/begin' })
    expect([(await signIn(app, service)).statusCode, session.statusCode]).toEqual([503, 503])
    const ready = await app.inject('/readyz')
    expect([ready.statusCode, ready.json().reason]).toEqual([503, expect.stringMatching(/newer than this program/)])
    expect((await app.inject('/healthz')).statusCode).toBe(200)

    await db.unsafe(
      `delete from schema_migration where number = ${next.number}; alter table item drop column next cascade`,
    )
    expect((await signIn(app, service)).statusCode).toBe(200)
    await expect.poll(async () => (await report()).statusCode).toBe(200)
    await service.close()
  })
})

it('/readyz does what a report does: a node of a cluster that is away makes the service unready', async () => {
  const database = await databaseForThisTest()
  const inVersion = () => Promise.reject(new Problem('unavailable', { detail: 'A node is away.' }))
  const app = await buildApp({
    ...{ database: { ...database, engine: { ...database.engine, inVersion } }, reports, logLevel: 'silent' },
  })
  const ready = await app.inject('/readyz')
  expect([ready.statusCode, ready.json()]).toEqual([503, { status: 'not ready', reason: 'A node is away.' }])
  await app.close()
})
