/** Each report is computed once per version of the data, and a walk over pages sees one version. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Db } from '../../src/db/connect.js'
import { sql } from '../../src/db/sql.js'
import { Integer, Lines, Text } from '../../src/kernel/report/fields.js'
import { defineReport, type Report } from '../../src/kernel/report/report.js'
import { reports } from '../../src/reports/index.js'
import { buildApp } from '../../src/runtime/app.js'
import { readState } from '../../src/store/versions.js'
import { openSample } from '../setup/database.js'
import { eventually } from '../setup/patience.js'
import { type Service, startService } from '../setup/service.js'
import { inLongTier, only } from '../setup/tier.js'

const onServer = only('server', 'the embedded engine computes nothing in the background')
const onEmbedded = only('embedded', 'on a server the tenth page begins the whole listing')

const MATERIAL = '/v1/inventory/material'
const STOCK = '/v1/inventory/mat-stock-status'
const RANGE = { type: 'RAW', from_date: '2026-05-01', to_date: '2026-06-30' }

let service: Service
let folder: string
/** Two apps that share a database and a folder, as two processes of one machine do. */
let one: FastifyInstance
let other: FastifyInstance
let statements: string[] = []
beforeAll(async () => {
  service = await startService({}, await openSample({ today: '2026-06-30', scale: 0.1, months: 2 }))
})
afterAll(() => service.close())
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millbook-snapshots-test-'))
  statements = []
  const database = { ...service.database, db: counting(service.db) }
  one = await buildApp({ database, reports, logLevel: 'silent', leaseMs: 0, snapshots: folder })
  other = await buildApp({ database, reports, logLevel: 'silent', leaseMs: 0, snapshots: folder })
  await change() // every test has a new version
})
afterEach(async () => {
  await one.close()
  await other.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Collects the statements of reports, also in transactions. */
function counting(db: Db): Db {
  return new Proxy(db, {
    get: (target, name) => {
      const value = Reflect.get(target, name)
      if (name === 'lease')
        return async () => {
          const { client, release } = await target.lease()
          const { queryTexts } = client
          client.queryTexts = (statement) => {
            const { text } = statement as unknown as { text: string }
            if (!text.startsWith('explain')) statements.push(text)
            return queryTexts.call(client, statement) as typeof statement
          }
          return {
            client,
            release: () => {
              client.queryTexts = queryTexts
              release()
            },
          }
        }
      if (name === 'begin')
        return (options: string, work: (tx: Db) => unknown) =>
          value.call(target, options, (tx: Db) => work(counting(tx)))
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** Renames a material in a new version, as a load does. */
let changes = 0
async function change(): Promise<string> {
  const name = `Material ${++changes}`
  await service.db.begin(async (tx) => {
    await tx`update item set name = ${name} where id = (select min(id) from item where type = 'MAT')`
    await tx`update data_version set version = version + 1, committed_at = clock_timestamp()`
  })
  return name
}

const pinNow = async () => (await readState(service.db)).id

interface Options {
  app?: FastifyInstance
  headers?: Record<string, string>
  body?: object
}
const ask = (url: string, { app = one, headers = {}, body = url.includes(STOCK) ? RANGE : {} }: Options = {}) =>
  app.inject({
    ...{ method: 'POST', url, payload: body },
    headers: { authorization: `Bearer ${service.caller.token}`, host: 'millbook.example', ...headers },
  })

describe('a report is computed once', () => {
  it('for any number of concurrent requests, in all processes', async () => {
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, i) => ask(MATERIAL, { app: i % 2 ? one : other })),
    )
    expect(new Set(responses.map((response) => response.statusCode))).toEqual(new Set([200]))
    expect(new Set(responses.map((response) => response.body)).size).toBe(1)
    expect(statements).toHaveLength(1)
  })

  it('for any number of concurrent requests for a page', async () => {
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, i) => ask(`${MATERIAL}?page=1&per-page=5`, { app: i % 2 ? one : other })),
    )
    expect(new Set(responses.map((response) => response.body)).size).toBe(1)
    expect(statements).toHaveLength(1) // the whole report, from which pages are cut
  })

  it('and again after a load, whose data every process returns immediately', async () => {
    await Promise.all([ask(MATERIAL), ask(MATERIAL, { app: other })])
    const name = await change()
    for (const app of [one, other]) expect((await ask(MATERIAL, { app })).body).toContain(`"${name}"`)
    expect(statements).toHaveLength(2)
  })

  it('per set of parameters, and separately for callers that may see contacts', async () => {
    const hidden = await service.newCaller({ hideContacts: true })
    const url = '/v1/purchase-orders/list'
    const call = (token: string) =>
      one.inject({
        ...{ method: 'GET', url: `${url}?from_date=2026-06-01&to_date=2026-06-30` },
        headers: { authorization: `Bearer ${token}` },
      })
    const [open, closed] = [await call(service.caller.token), await call(hidden.token)]
    expect([open.statusCode, closed.statusCode]).toEqual([200, 200])
    expect(open.headers['etag']).not.toBe(closed.headers['etag'])
    expect(open.body).not.toBe(closed.body)
  })

  it('and again if the process that computed it was killed in the middle', async () => {
    await ask(MATERIAL)
    const [name] = readdirSync(folder)
    const whole = readFileSync(join(folder, name as string))
    rmSync(join(folder, name as string))
    writeFileSync(join(folder, `${name}.part`), whole.subarray(0, 100)) // left behind by a killed process
    const response = await ask(MATERIAL, { app: other })
    expect(response.statusCode).toBe(200)
    expect(response.json().data.length).toBeGreaterThan(10)
    expect(readFileSync(join(folder, name as string))).toEqual(whole)
  })

  it('and again after an error, which all concurrent requests get', async () => {
    await service.db.unsafe('alter table item rename column name to no_name')
    const failed = await Promise.all([ask(MATERIAL), ask(MATERIAL), ask(MATERIAL, { app: other })])
    await service.db.unsafe('alter table item rename column no_name to name')
    expect(failed.map((response) => response.statusCode)).toEqual([503, 503, 503])
    expect((await ask(MATERIAL)).statusCode).toBe(200)
  })
})

describe('a walk over pages', () => {
  const walk = async (url: string, between: () => Promise<unknown> = async () => {}) => {
    const data: unknown[] = []
    let next: string | undefined = url
    let pages = 0
    while (next !== undefined) {
      const response = await ask(next.replace('http://millbook.example', ''), { app: pages % 2 ? one : other })
      if (response.statusCode !== 200) return { status: response.statusCode, data }
      data.push(...response.json().data)
      next = response.json()._links.next?.href
      if (pages++ === 0) await between()
    }
    return { status: 200, data }
  }

  it('returns every record once, in order, for any page size', async () => {
    const whole = (await ask(MATERIAL)).json().data
    for (const size of [1, 7, 50, 5000])
      expect(await walk(`${MATERIAL}?page=1&per-page=${size}`)).toEqual({ status: 200, data: whole })
    expect((await walk(STOCK)).data).toHaveLength((await ask(STOCK)).json()._meta.totalCount)
  })

  it('sees one version although a load commits in the middle', async () => {
    const before = (await ask(MATERIAL)).json().data // stores the whole report
    const walked = await walk(`${MATERIAL}?page=1&per-page=7`, change)
    expect(walked).toEqual({ status: 200, data: before })
  })

  it('continues after a load that commits right after the first page, because the whole report is stored', async () => {
    const expected = (await ask(MATERIAL, { app: other })).json().data.length
    await change()
    const walked = await walk(`${MATERIAL}?page=1&per-page=7`, change)
    expect([walked.status, walked.data.length]).toEqual([200, expected])
  })

  it('gets 410 when its version is gone', async () => {
    const first = await ask(`${MATERIAL}?page=1&per-page=7`)
    await expect.poll(() => readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
    await change()
    for (const name of readdirSync(folder)) rmSync(join(folder, name))
    const { pathname, search } = new URL(first.json()._links.next.href)
    const response = await ask(pathname + search)
    expect([response.statusCode, response.headers['content-type']]).toEqual([
      410,
      expect.stringContaining('problem+json'),
    ])
    expect(response.json().detail).toMatch(/start again at page 1/)
  })

  it('gets 422 for a malformed snapshot, and 410 for one that never existed', async () => {
    const response = await ask(`${MATERIAL}?page=2&snapshot=nonsense`)
    expect([response.statusCode, response.json().errors]).toEqual([
      422,
      [{ field: 'snapshot', message: expect.stringContaining('the value from a link') }],
    ])
    expect((await ask(`${MATERIAL}?page=2&snapshot=999999-1`)).statusCode).toBe(410)
  })
})

onEmbedded.it('a listing is computed whole at the request for its twentieth page or for a pinned one', async () => {
  const numbers = defineReport({
    ...{ id: 'masters.numbers', method: 'POST', path: '/v1/numbers', summary: '', description: '', request: {} },
    record: { n: Integer('') },
    orderBy: ['n'],
    listing: true,
    query: () => sql`select n from generate_series(1, 300) n`,
  }) as unknown as Report
  const app = await buildApp({
    ...{ database: service.database, reports: [numbers], logLevel: 'silent', leaseMs: 0, snapshots: folder },
  })
  const wholes = () => readdirSync(folder).filter((name) => /^[0-9a-f]+$/.test(name)).length
  const ask20 = (page: number | string) => ask(`/v1/numbers?per-page=10&page=${page}`, { app })
  for (let page = 1; page <= 19; page++) expect((await ask20(page)).json().data[0].n).toBe(10 * page - 9)
  expect(wholes()).toBe(0)
  expect((await ask20(20)).json().data[0].n).toBe(191)
  expect(wholes()).toBe(1)
  await change()
  const next = new URL((await ask20(1)).json()._links.next.href)
  expect(wholes()).toBe(1)
  expect((await ask(next.pathname + next.search, { app })).json().data[0].n).toBe(11)
  expect(wholes()).toBe(2)
  await app.close()
})

onServer.describe('a listing whose pages are requested repeatedly', () => {
  const SLOW = '/v1/slow'
  /** 300 records of 10 ms each. */
  const slow = defineReport({
    ...{ id: 'masters.slow', method: 'POST', path: SLOW, summary: '', description: '', request: {} },
    record: {
      n: Integer(''),
      pause: Lines('', {
        fields: { s: Text('') },
        query: sql`select 1 as line_no, 'waited' || pg_sleep(0.01)::text as s where parent.n > 0`,
        orderBy: ['line_no'],
      }),
    },
    orderBy: ['n'],
    listing: true,
    query: () => sql`select n from generate_series(1, 300) n`,
  })
  let app: FastifyInstance
  beforeEach(async () => {
    app = await buildApp({
      database: service.database,
      reports: [slow],
      logLevel: 'silent',
      leaseMs: 0,
      snapshots: folder,
    })
  })
  afterEach(() => app.close())
  const page = (number: number, query = '') => ask(`${SLOW}?page=${number}&per-page=5${query}`, { app })
  const numbers = (response: LightMyRequestResponse) => (response.json().data as { n: number }[]).map(({ n }) => n)
  const running = async () =>
    Number(
      (
        await service.db`select count(*)::int as n from pg_stat_activity
                          where datname = current_database() and state = 'active' and query like '%pg_sleep(0.01)%'
                            and pid <> pg_backend_pid()`
      )[0]?.['n'],
    )
  const files = () => readdirSync(folder).filter((name) => /^[0-9a-f]+$/.test(name)).length

  it('is computed whole in the background, and serves pages meanwhile', async () => {
    expect(numbers(await page(1))).toEqual([1, 2, 3, 4, 5])
    expect(await running()).toBe(0) // one page does not start it
    for (let number = 51; number < 60; number++) await page(number)
    expect(numbers(await page(60))).toEqual([296, 297, 298, 299, 300])
    await expect.poll(running).toBe(1)
    for (const number of [30, 2, 59]) expect(numbers(await page(number))[0]).toBe(5 * number - 4)
    await expect.poll(files).toBe(1)
    expect(numbers(await page(45))[0]).toBe(221)
  })

  it('has at most four pages computed at a time', async () => {
    const pages = Array.from({ length: 6 }, (_, i) => ask(`${SLOW}?page=${i + 1}&per-page=50`, { app }))
    let [most, pending] = [0, true]
    const all = Promise.all(pages).finally(() => {
      pending = false
    })
    while (pending) most = Math.max(most, await running())
    expect([most, (await all).map(({ statusCode }) => statusCode)]).toEqual([4, pages.map(() => 200)])
  })

  inLongTier('is answered whole even if a load cancels the computation that the caller waits for', async () => {
    for (let number = 1; number <= 10; number++) await page(number)
    await expect.poll(running).toBe(1)
    const whole = ask(SLOW, { app })
    await sleep(100)
    await change()
    const response = await whole
    expect([response.statusCode, numbers(response)]).toEqual([200, Array.from({ length: 300 }, (_, i) => i + 1)])
  })

  inLongTier('is no longer computed for an older version, unless a walk is pinned to it', async () => {
    for (let number = 1; number < 10; number++) await page(number)
    const { pathname, search } = new URL((await page(10)).json()._links.next.href)
    await expect.poll(running).toBe(1)
    await change()
    await expect.poll(running).toBe(0)
    expect(files()).toBe(0)
    expect((await ask(pathname + search, { app })).statusCode).toBe(410)

    let next: string | undefined = (await page(1)).json()._links.next.href as string
    const seen: number[] = []
    for (let i = 0; next !== undefined; i++) {
      const response = await ask(next.replace('http://millbook.example', ''), { app })
      expect(response.statusCode).toBe(200)
      seen.push(...numbers(response))
      next = response.json()._links.next?.href
      if (i === 0) await change()
    }
    expect(seen).toEqual(Array.from({ length: 295 }, (_, i) => i + 6))
  })
})

describe('ETag', () => {
  it('gives 304 without computing the report, until the data changes', async () => {
    const first = await ask(MATERIAL)
    const etag = String(first.headers['etag'])
    expect(etag).toMatch(/^W\/"[\w-]+"$/)
    statements = []
    rmSync(folder, { recursive: true, force: true }) // the tag does not depend on stored files
    for (const given of [etag, `"x", ${etag}`, etag.replace('W/', ''), '*']) {
      const response = await ask(MATERIAL, { headers: { 'if-none-match': given }, app: other })
      expect([response.statusCode, response.body, response.headers['etag']]).toEqual([304, '', etag])
    }
    expect(statements).toEqual([])
    await change()
    const after = await ask(MATERIAL, { headers: { 'if-none-match': etag } })
    expect(after.statusCode).toBe(200)
    expect(after.headers['etag']).not.toBe(etag)
    expect(Number(after.headers['x-data-version'])).toBe(Number(first.headers['x-data-version']) + 1)
  })

  it('gives 410 instead of 304 for a version that never existed or is gone', async () => {
    for (const given of ['*', '"x"'])
      expect(
        (await ask(`${MATERIAL}?page=1&snapshot=999999-1`, { headers: { 'if-none-match': given } })).statusCode,
      ).toBe(410)
    const first = await ask(`${MATERIAL}?page=1&per-page=5000`) // stores the whole report
    const pinned = new URL(`${first.json()._links.self.href}&snapshot=${await pinNow()}`)
    await change()
    const again = await ask(pinned.pathname + pinned.search, { headers: { 'if-none-match': '*' } })
    expect(again.statusCode).toBe(304)
  })

  it('differs by page, page size and host', async () => {
    const tags = await Promise.all([
      ask(`${MATERIAL}?page=1&per-page=5`),
      ask(`${MATERIAL}?page=2&per-page=5`),
      ask(`${MATERIAL}?page=1&per-page=6`),
      ask(`${MATERIAL}?page=1&per-page=5`, { headers: { host: 'elsewhere.example' } }),
      ask(MATERIAL),
    ])
    expect(new Set(tags.map((response) => response.headers['etag'])).size).toBe(5)
  })
})

describe('encodings', () => {
  it('are negotiated, and decode to the same bytes', async () => {
    const plain = await ask(MATERIAL)
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.headers['vary']).toContain('Accept-Encoding')
    const as = async (accepted: string) => {
      const response = await ask(MATERIAL, { headers: { 'accept-encoding': accepted } })
      return { encoding: response.headers['content-encoding'], bytes: response.rawPayload }
    }
    const gzip = await as('gzip')
    expect([gzip.encoding, gunzipSync(gzip.bytes).toString()]).toEqual(['gzip', plain.body])
    const brotli = await as('gzip;q=0.5, br')
    expect([brotli.encoding, brotliDecompressSync(brotli.bytes).toString()]).toEqual(['br', plain.body])
    for (const accepted of ['identity', 'deflate', 'gzip;q=0', 'br;q=0.1, identity', ''])
      expect((await as(accepted)).encoding).toBeUndefined()
  })

  it('are not used for short responses', async () => {
    const response = await ask(`${MATERIAL}?page=1&per-page=1`, { headers: { 'accept-encoding': 'gzip' } })
    expect(response.headers['content-encoding']).toBeUndefined()
  })
})

describe('a report of many megabytes', () => {
  const long = defineReport({
    ...{ id: 'masters.long', method: 'POST', path: '/v1/long', summary: '', description: '', request: {} },
    record: { id: Integer(''), text: Text('') },
    orderBy: ['id'],
    query: () => sql`select id, repeat('x', 20) as text from generate_series(1, 60000) id`,
  }) as unknown as Report

  it('is sent from a file with its Content-Length; each encoding is written to a file once', async () => {
    const app = await buildApp({
      database: service.database,
      reports: [long],
      logLevel: 'silent',
      leaseMs: 0,
      snapshots: folder,
    })
    const get = (headers: Record<string, string> = {}) => ask('/v1/long', { app, headers })
    const plain = await get()
    expect([plain.statusCode, Number(plain.headers['content-length'])]).toEqual([200, plain.rawPayload.length])
    expect(plain.rawPayload.length).toBeGreaterThan(2 ** 20)
    const { data } = plain.json()
    expect([data.length, data[0], data.at(-1).id]).toEqual([60_000, { id: 1, text: 'x'.repeat(20) }, 60_000])
    for (const [encoding, decode] of [['gzip', gunzipSync] as const, ['br', brotliDecompressSync] as const]) {
      const responses = await Promise.all([get({ 'accept-encoding': encoding }), get({ 'accept-encoding': encoding })])
      for (const response of responses) {
        expect(response.headers['content-encoding']).toBe(encoding)
        expect(Number(response.headers['content-length'])).toBe(response.rawPayload.length)
        expect(decode(response.rawPayload).equals(plain.rawPayload)).toBe(true)
      }
    }
    expect(readdirSync(folder).filter((name) => name.endsWith('.gzip'))).toHaveLength(1)
    await app.close()
  })

  it('frees the slots of a caller that disconnects while its reports are computed', async () => {
    const app = await buildApp({
      ...{ database: service.database, reports: [long], logLevel: 'silent', leaseMs: 0, snapshots: folder },
      maxRequestsPerClient: 3,
    })
    const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
    const lines = ['POST /v1/long HTTP/1.1', 'Host: x', `Authorization: Bearer ${service.caller.token}`]
    for (const encoding of ['identity', 'gzip', 'br', 'identity']) {
      await change() // nothing is stored for this version
      const socket = connect(Number(port), '127.0.0.1')
      const request = [...lines, `Accept-Encoding: ${encoding}`, 'Content-Length: 0', '', ''].join('\r\n')
      await new Promise<void>((sent) => socket.write(request.repeat(3), () => sent()))
      await sleep(20) // enough time for the requests to arrive and for the first to start computing
      socket.destroy()
      await eventually(async () => {
        const again = await Promise.all([1, 2, 3].map(() => ask('/v1/long', { app })))
        expect(again.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
      })
    }
    await app.close()
  })
})

it('Vary is the same for a computed and a stored response', async () => {
  const [cold, warm] = [await ask(MATERIAL), await ask(MATERIAL)]
  expect([cold.headers['vary'], warm.headers['vary']]).toEqual(Array(2).fill('Accept, Accept-Encoding, Authorization'))
})
