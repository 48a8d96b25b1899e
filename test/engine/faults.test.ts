/** Locked tables, slow reports and a silent server: requests that need them fail in time, and no other request waits. */
import { connect as connectSocket, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { type ConnectOptions, connect, type Target } from '../../src/db/connect.js'
import { sql } from '../../src/db/sql.js'
import { Integer } from '../../src/kernel/report/fields.js'
import { defineReport, type Report } from '../../src/kernel/report/report.js'
import { reports } from '../../src/reports/index.js'
import { type AppOptions, buildApp } from '../../src/runtime/app.js'
import { LEASE_MS } from '../../src/store/versions.js'
import { standBetween } from '../setup/between.js'
import { type Service, startService } from '../setup/service.js'
import { only, runs } from '../setup/tier.js'

const onServer = only('server', 'the embedded engine has one session, without locks to wait for and without a network')

const INVOICES = '/v1/sales/invoices'
const ITEMS = '/v1/partner/fg-item-master'
const range = { from_date: '2024-01-01', to_date: '2024-12-31' }

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.close())

/** A report that takes the database this long. */
const sleepy = (seconds: number, more: Partial<Report> = {}) =>
  defineReport({
    ...{ id: 'masters.sleepy', method: 'POST', path: '/v1/sleepy', summary: '', description: '', request: {} },
    record: { n: Integer('') },
    orderBy: ['n'],
    query: () =>
      sql`select n from generate_series(1, 2) n, lateral (select pg_sleep(${seconds}::float8 / 2 + n * 0)) s`,
    ...more,
  }) as unknown as Report

interface Started {
  app: FastifyInstance
  port: number
  ask(path: string, body?: object): ReturnType<Service['call']>
}

/** A service on the same data with production settings: limits, and a lease. */
async function start(options: ConnectOptions, target: Target = service.database.target, own: Partial<AppOptions> = {}) {
  const database = await connect(target, options)
  const app = await buildApp({ database, reports, logLevel: 'silent', ...own })
  onTestFinished(async () => {
    await app.close()
    await database.close()
  })
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const started: Started = {
    app,
    port: Number(port),
    ask: (path, body = {}) =>
      app.inject({
        ...{ method: reports.find((report) => report.path === path)?.method ?? 'POST', url: path, payload: body },
        headers: { authorization: `Bearer ${service.caller.token}` },
      }),
  }
  return started
}

const limits = { statement: 60_000, lock: 60_000, connection: 60_000 }

const signIn = ({ app }: Started) => {
  const { client_id, client_secret, username, password } = service.caller
  const payload = { grant_type: 'password', client_id, client_secret, username, password }
  return app.inject({ method: 'POST', url: '/oauth2/token', payload })
}

/** A request on a connection that the test can close. */
function send({ port }: Started, path: string): Socket {
  const socket = connectSocket(port, '127.0.0.1').on('error', () => {})
  const body = JSON.stringify(range)
  const lines = [`POST ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${service.caller.token}`]
  socket.write([...lines, 'Content-Type: application/json', `Content-Length: ${body.length}`, '', body].join('\r\n'))
  return socket
}

/** Locks a table in another session until the returned function is called. */
async function lock(table: string): Promise<() => Promise<void>> {
  let unlock = () => {}
  const released = new Promise<void>((resolve) => {
    unlock = resolve
  })
  let locked = () => {}
  const isLocked = new Promise<void>((resolve) => {
    locked = resolve
  })
  const session = await connect(service.database.target)
  const holding = session.db.begin(async (tx) => {
    await tx.unsafe(`lock table ${table}`)
    locked()
    await released
  })
  await isLocked
  const end = async () => {
    unlock()
    await holding
    await session.close()
  }
  onTestFinished(end) // also if the test fails
  return end
}

/** Statements that wait for a lock. */
const waiting = async () =>
  Number(
    (
      await service.db`select count(*)::int as n from pg_stat_activity
                        where datname = current_database() and wait_event_type = 'Lock'`
    )[0]?.['n'],
  )

onServer.describe('a locked table', () => {
  let unlock: () => Promise<void>

  /** A service that has answered a request for invoices, and has got new data since. */
  const startAsked = async (options: ConnectOptions) => {
    const started = await start(options, undefined, { leaseMs: 0 })
    expect((await started.ask(INVOICES, range)).statusCode).toBe(200)
    await service.db`update data_version set version = version + 1, committed_at = clock_timestamp()`
    return started
  }

  onServer.it('delays only the reports that read it; callers who disconnect leave no statement behind', async () => {
    const started = await startAsked({ max: 2, limits })
    expect((await started.ask(ITEMS)).statusCode).toBe(200)
    unlock = await lock('invoice')
    const sockets = Array.from({ length: 9 }, (_, i) => send(started, `${INVOICES}?page=${i + 1}`))
    await expect.poll(waiting).toBe(2)
    // All of this happens while every connection for reports waits for the locked table.
    expect((await started.ask(ITEMS)).statusCode).toBe(200)
    expect((await signIn(started)).statusCode).toBe(200)
    expect((await started.app.inject('/readyz')).statusCode).toBe(200)
    for (const socket of sockets) socket.destroy()
    await expect.poll(waiting).toBe(0)
    await unlock()
    expect((await started.ask(INVOICES, range)).statusCode).toBe(200)
  })

  onServer.it('keeps the work of a waiting caller when another caller disconnects', async () => {
    const started = await startAsked({ limits })
    unlock = await lock('invoice')
    const staying = started.ask(INVOICES, range)
    const going = send(started, INVOICES)
    await expect.poll(waiting).toBe(1)
    await sleep(100)
    going.destroy()
    await sleep(100)
    expect(await waiting()).toBe(1)
    await unlock()
    expect((await staying).statusCode).toBe(200)
  })

  onServer.it('gives 503 with Retry-After after the time limit on locks', async () => {
    const started = await startAsked({ limits: { ...limits, lock: 100 } })
    unlock = await lock('invoice')
    const response = await started.ask(INVOICES, range)
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '30'])
    expect(response.json().detail).toBe('The data is locked, probably by maintenance; try again in 30 seconds.')
    await unlock()
    expect((await started.ask(INVOICES, range)).statusCode).toBe(200)
  })

  onServer.it('gives 503 to callers who wait too long for a connection', async () => {
    const started = await startAsked({ max: 1, limits: { ...limits, connection: 1000 } })
    unlock = await lock('invoice')
    const first = started.ask(INVOICES, range)
    await expect.poll(waiting).toBe(1)
    const response = await started.ask(INVOICES, { ...range, to_date: '2024-11-30' })
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '5'])
    expect(response.json().detail).toMatch(/^All connections to the database are busy/)
    await unlock()
    expect((await first).statusCode).toBe(200)
  })

  onServer.it('does not delay a shutdown: requests get 503, statements are cancelled', async () => {
    const [started, fresh] = [await startAsked({ limits }), await start({ limits })]
    unlock = await lock('invoice')
    const asked = ['', '?page=3', '?format=ndjson'].map((query) => started.ask(INVOICES + query, range))
    asked.push(fresh.ask(INVOICES, range)) // this service has to find the tables that the report reads
    await expect.poll(waiting).toBe(4)
    for (const { app } of [started, fresh]) app.cancel()
    for (const response of await Promise.all(asked))
      expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '5'])
    await expect.poll(waiting).toBe(0)
    await unlock()
  })

  onServer.it('does not let a shutdown keep the records that a caller follows', async () => {
    const started = await start({ limits })
    await service.db`insert into item (sku, name, type, unit) values ('FG1', 'Ghee', 'FG', 'JAR')`
    unlock = await lock('feed in share mode')
    const following = started.ask(`${ITEMS}?since=start`)
    await expect.poll(waiting).toBe(1)
    started.app.cancel()
    await unlock()
    expect((await following).statusCode).toBe(503)
  })
})

onServer.it(
  'a report that exceeds the time limit gets 504; a report may declare a longer limit or a shorter one',
  async () => {
    const short = await start({ limits: { ...limits, statement: 1000 } }, undefined, { reports: [sleepy(20)] })
    const response = await short.ask('/v1/sleepy')
    expect([response.statusCode, response.headers['retry-after']]).toEqual([504, '30'])
    expect(response.json()).toMatchObject({ type: 'urn:millbook:problem:timeout', status: 504 })
    const longer = sleepy(3, { seconds: 30 })
    const own = await start({ limits: { ...limits, statement: 1000 } }, undefined, { reports: [longer] })
    expect((await own.ask('/v1/sleepy')).statusCode).toBe(200)
    const shorter = await start({ limits }, undefined, { reports: [sleepy(20, { seconds: 1 })] })
    expect((await shorter.ask('/v1/sleepy')).statusCode).toBe(504)
  },
)

onServer.it(
  'while data_version is locked, every request gets 503 that names the lock, not a silent server',
  async () => {
    const started = await start({ limits })
    expect((await started.ask(ITEMS)).statusCode).toBe(200)
    const unlock = await lock('data_version')
    await expect.poll(async () => (await started.ask(ITEMS)).json().detail).toMatch(/^The data is locked/)
    await unlock()
    await expect.poll(async () => (await started.ask(ITEMS)).statusCode).toBe(200)
  },
)

onServer.it(
  'a server that stops responding gives 503 to requests that need it, and is used again when it is back',
  async () => {
    const between = await standBetween(service.database.target)
    const sleeping = sleepy(0.5)
    const started = await start({ limits }, between.target, { reports: [...reports, sleeping] })
    expect((await started.ask(ITEMS)).statusCode).toBe(200)
    const pause = async () => {
      const running = started.ask('/v1/sleepy')
      await sleep(200)
      between.pause()
      return { running, from: performance.now(), warm: await started.ask(ITEMS) }
    }
    let paused = await pause()
    // During the lease, memory answers. On a busy machine, the lease may be over already.
    for (let tries = 1; paused.warm.statusCode !== 200 && tries < 10; tries++) {
      between.resume()
      await paused.running
      await expect.poll(async () => (await started.ask(ITEMS)).statusCode).toBe(200)
      paused = await pause()
    }
    expect(paused.warm.statusCode).toBe(200)
    const { running, from } = paused
    const cold = started.ask(INVOICES, range)
    const token = signIn(started)
    await sleep(LEASE_MS)
    const fromMemory = started.ask(ITEMS)
    for (const response of [await running, await cold, await fromMemory])
      expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '5'])
    expect((await token).statusCode).toBe(503)
    // A silent server is noticed after 2 seconds, without waiting for the limits on reports, locks and connections.
    expect(performance.now() - from).toBeLessThan(limits.connection / 2)
    between.resume()
    await expect.poll(async () => (await started.ask(ITEMS)).statusCode).toBe(200)
    expect((await signIn(started)).statusCode).toBe(200)
    expect((await started.ask(INVOICES, range)).statusCode).toBe(200)
  },
)

onServer.it('one lease after a commit, no answer is older than the commit, on any slow network', async () => {
  const between = await standBetween(service.database.target)
  const started = await start({ limits }, between.target)
  between.delay(150)
  for (let i = 0; i < runs(1, 20); i++) {
    let asking = true
    const callers = Array.from({ length: 4 }, async () => {
      while (asking) await started.ask(ITEMS)
    })
    await sleep(LEASE_MS)
    await service.db`update data_version set version = version + 1, committed_at = clock_timestamp()`
    const [now] = await service.db<{ version: string }[]>`select version::text from data_version`
    await sleep(LEASE_MS) // `import` waits this long before it returns
    const { headers } = await started.ask(ITEMS)
    expect(headers['x-data-version']).toBe(now?.version)
    asking = false
    await Promise.all(callers)
  }
})
