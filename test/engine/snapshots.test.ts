/** Answers are worked out once for a version of the data, and a walk over pages sees one version. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Db } from '../../src/db/connect.js'
import { sql } from '../../src/db/sql.js'
import { loadSample } from '../../src/demo/sample.js'
import { Integer, Text } from '../../src/kernel/fields.js'
import { defineReport, type Report } from '../../src/kernel/report.js'
import { reports } from '../../src/reports/index.js'
import { buildApp } from '../../src/runtime/app.js'
import { NEWS_MS, readState } from '../../src/store/versions.js'
import { engine } from '../setup/database.js'
import { type Service, startService } from '../setup/service.js'

const MATERIAL = '/v1/inventory/material'
const STOCK = '/v1/inventory/mat-stock-status'
const RANGE = { type: 'RAW', from_date: '2026-05-01', to_date: '2026-06-30' }

let service: Service
let folder: string
/** Two processes of one machine, as far as they share anything. */
let one: FastifyInstance
let other: FastifyInstance
let statements: string[] = []
beforeAll(async () => {
  service = await startService()
  await loadSample(service.database, { today: '2026-06-30', scale: 0.2, months: 2 })
})
afterAll(() => service.close())
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millbook-snapshots-test-'))
  statements = []
  const database = { ...service.database, db: counting(service.db) }
  one = await buildApp({ database, reports, logLevel: 'silent', snapshots: folder })
  other = await buildApp({ database, reports, logLevel: 'silent', snapshots: folder })
  await change() // every test has answers of its own
})
afterEach(async () => {
  await one.close()
  await other.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Notes the statements of reports that are run, in transactions too. */
function counting(db: Db): Db {
  return new Proxy(db, {
    get: (target, name) => {
      const value = Reflect.get(target, name)
      if (name === 'unsafe')
        return (text: string, ...rest: unknown[]) => {
          if (text.includes('row_to_json')) statements.push(text)
          return value.call(target, text, ...rest)
        }
      if (name === 'begin')
        return (options: string, work: (tx: Db) => unknown) =>
          value.call(target, options, (tx: Db) => work(counting(tx)))
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** Another name for a material, as a load would bring it. */
let changes = 0
async function change(): Promise<string> {
  const name = `Material ${++changes}`
  await service.db.begin(async (tx) => {
    await tx`update item set name = ${name} where id = (select min(id) from item where type = 'MAT')`
    await tx`update data_version set version = version + 1, committed_at = clock_timestamp()`
  })
  await sleep(NEWS_MS)
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

describe('an answer is worked out once', () => {
  it('however many ask at the same time, in every process', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => ask(MATERIAL, { app: i % 2 ? one : other })))
    expect(new Set(answers.map((answer) => answer.statusCode))).toEqual(new Set([200]))
    expect(new Set(answers.map((answer) => answer.body)).size).toBe(1)
    expect(statements).toHaveLength(1)
  })

  it('a page too', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => ask(`${MATERIAL}?page=1&per-page=5`, { app: i % 2 ? one : other })),
    )
    expect(new Set(answers.map((answer) => answer.body)).size).toBe(1)
    const pages = statements.filter((text) => text.includes('limit'))
    expect(pages).toHaveLength(1)
  })

  it('and again after a load, whose answer is seen at once by every process', async () => {
    await Promise.all([ask(MATERIAL), ask(MATERIAL, { app: other })])
    const name = await change()
    for (const app of [one, other]) expect((await ask(MATERIAL, { app })).body).toContain(`"${name}"`)
    expect(statements).toHaveLength(2)
  })

  it('for each set of parameters, and for what a caller may see', async () => {
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

  it('not by someone who died over it: what is half written is made anew', async () => {
    await ask(MATERIAL)
    const [name] = readdirSync(folder)
    const whole = readFileSync(join(folder, name as string))
    rmSync(join(folder, name as string))
    writeFileSync(join(folder, `${name}.part`), whole.subarray(0, 100)) // as a killed process leaves it
    const answer = await ask(MATERIAL, { app: other })
    expect(answer.statusCode).toBe(200)
    expect(answer.json().data.length).toBeGreaterThan(10)
    expect(readFileSync(join(folder, name as string))).toEqual(whole)
  })

  it('an error is told to everyone who asked, and the next one is answered', async () => {
    await service.db.unsafe('alter table item rename column name to no_name')
    const failed = await Promise.all([ask(MATERIAL), ask(MATERIAL), ask(MATERIAL, { app: other })])
    await service.db.unsafe('alter table item rename column no_name to name')
    expect(failed.map((answer) => answer.statusCode)).toEqual([500, 500, 500])
    expect((await ask(MATERIAL)).statusCode).toBe(200)
  })
})

describe('a walk over pages', () => {
  const walk = async (url: string, between: () => Promise<unknown> = async () => {}) => {
    const data: unknown[] = []
    let next: string | undefined = url
    let pages = 0
    while (next !== undefined) {
      const answer = await ask(next.replace('http://millbook.example', ''), { app: pages % 2 ? one : other })
      if (answer.statusCode !== 200) return { status: answer.statusCode, data }
      data.push(...answer.json().data)
      next = answer.json()._links.next?.href
      if (pages++ === 0) await between()
    }
    return { status: 200, data }
  }

  it('gives every record once, in order, of any page size', async () => {
    const whole = (await ask(MATERIAL)).json().data
    for (const size of [1, 7, 50, 5000])
      expect(await walk(`${MATERIAL}?page=1&per-page=${size}`)).toEqual({ status: 200, data: whole })
    expect((await walk(STOCK)).data).toHaveLength((await ask(STOCK)).json()._meta.totalCount)
  })

  it('sees one version, though a load commits under it; or is told that it is gone, and never a mixture', async () => {
    const before = (await ask(MATERIAL)).json().data // the whole is there
    const walked = await walk(`${MATERIAL}?page=1&per-page=7`, change)
    expect(walked).toEqual({ status: 200, data: before })
  })

  it('goes on after a load on a server, where the whole is worked out beside the first page', async () => {
    const expected = (await ask(MATERIAL, { app: other })).json().data.length
    await change()
    const walked = await walk(`${MATERIAL}?page=1&per-page=7`, async () => {
      await sleep(500)
      await change()
    })
    // The embedded engine has one session, and would keep others waiting for it.
    if (engine === 'server') expect([walked.status, walked.data.length]).toEqual([200, expected])
    else expect(walked.status).toBe(410)
  })

  it('is told 410 when its version is gone', async () => {
    const first = await ask(`${MATERIAL}?page=1&per-page=7`)
    await sleep(200)
    await change()
    for (const name of readdirSync(folder)) rmSync(join(folder, name))
    const { pathname, search } = new URL(first.json()._links.next.href)
    const answer = await ask(pathname + search)
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([410, expect.stringContaining('problem+json')])
    expect(answer.json().detail).toMatch(/start again at page 1/)
  })

  it('a snapshot that is none is a clear error', async () => {
    const answer = await ask(`${MATERIAL}?page=2&snapshot=nonsense`)
    expect([answer.statusCode, answer.json().errors]).toEqual([
      422,
      [{ field: 'snapshot', message: expect.stringContaining('the value in a link') }],
    ])
    expect((await ask(`${MATERIAL}?page=2&snapshot=999999-1`)).statusCode).toBe(410)
  })
})

describe('ETag', () => {
  it('answers 304 before any report is run, until the data changes', async () => {
    const first = await ask(MATERIAL)
    const etag = String(first.headers['etag'])
    expect(etag).toMatch(/^W\/"[\w-]+"$/)
    statements = []
    rmSync(folder, { recursive: true, force: true }) // the tag does not need what it is a tag of
    for (const given of [etag, `"x", ${etag}`, etag.replace('W/', ''), '*']) {
      const answer = await ask(MATERIAL, { headers: { 'if-none-match': given }, app: other })
      expect([answer.statusCode, answer.body, answer.headers['etag']]).toEqual([304, '', etag])
    }
    expect(statements).toEqual([])
    await change()
    const after = await ask(MATERIAL, { headers: { 'if-none-match': etag } })
    expect(after.statusCode).toBe(200)
    expect(after.headers['etag']).not.toBe(etag)
    expect(Number(after.headers['x-data-version'])).toBe(Number(first.headers['x-data-version']) + 1)
  })

  it('of a version that never was, or is gone, is 410 and not 304', async () => {
    for (const given of ['*', '"x"'])
      expect(
        (await ask(`${MATERIAL}?page=1&snapshot=999999-1`, { headers: { 'if-none-match': given } })).statusCode,
      ).toBe(410)
    const first = await ask(`${MATERIAL}?page=1&per-page=5000`) // the whole report, which is kept
    const pinned = new URL(`${first.json()._links.self.href}&snapshot=${await pinNow()}`)
    await change()
    const again = await ask(pinned.pathname + pinned.search, { headers: { 'if-none-match': '*' } })
    expect(again.statusCode).toBe(304)
  })

  it('is another for another page, size or host', async () => {
    const tags = await Promise.all([
      ask(`${MATERIAL}?page=1&per-page=5`),
      ask(`${MATERIAL}?page=2&per-page=5`),
      ask(`${MATERIAL}?page=1&per-page=6`),
      ask(`${MATERIAL}?page=1&per-page=5`, { headers: { host: 'elsewhere.example' } }),
      ask(MATERIAL),
    ])
    expect(new Set(tags.map((answer) => answer.headers['etag'])).size).toBe(5)
  })
})

describe('encodings', () => {
  it('are negotiated, and the same bytes underneath', async () => {
    const plain = await ask(MATERIAL)
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.headers['vary']).toContain('Accept-Encoding')
    const as = async (accepted: string) => {
      const answer = await ask(MATERIAL, { headers: { 'accept-encoding': accepted } })
      return { encoding: answer.headers['content-encoding'], bytes: answer.rawPayload }
    }
    const gzip = await as('gzip')
    expect([gzip.encoding, gunzipSync(gzip.bytes).toString()]).toEqual(['gzip', plain.body])
    const brotli = await as('gzip;q=0.5, br')
    expect([brotli.encoding, brotliDecompressSync(brotli.bytes).toString()]).toEqual(['br', plain.body])
    for (const accepted of ['identity', 'deflate', 'gzip;q=0', 'br;q=0.1, identity', ''])
      expect((await as(accepted)).encoding).toBeUndefined()
  })

  it('are not used for what is short', async () => {
    const answer = await ask(`${MATERIAL}?page=1&per-page=1`, { headers: { 'accept-encoding': 'gzip' } })
    expect(answer.headers['content-encoding']).toBeUndefined()
  })
})

describe('a report of many megabytes', () => {
  const long = defineReport({
    ...{ id: 'masters.long', method: 'POST', path: '/v1/long', summary: '', description: '', request: {} },
    record: { id: Integer(''), text: Text('') },
    orderBy: ['id'],
    query: () => sql`select id, repeat('x', 20) as text from generate_series(1, 60000) id`,
  }) as unknown as Report

  it('is sent whole, with its length, from a file; encoded, from one that is made once', async () => {
    const app = await buildApp({ database: service.database, reports: [long], logLevel: 'silent', snapshots: folder })
    const get = (headers: Record<string, string> = {}) => ask('/v1/long', { app, headers })
    const plain = await get()
    expect([plain.statusCode, Number(plain.headers['content-length'])]).toEqual([200, plain.rawPayload.length])
    expect(plain.rawPayload.length).toBeGreaterThan(2 ** 20)
    const { data } = plain.json()
    expect([data.length, data[0], data.at(-1).id]).toEqual([60_000, { id: 1, text: 'x'.repeat(20) }, 60_000])
    for (const [encoding, decode] of [['gzip', gunzipSync] as const, ['br', brotliDecompressSync] as const]) {
      const answers = await Promise.all([get({ 'accept-encoding': encoding }), get({ 'accept-encoding': encoding })])
      for (const answer of answers) {
        expect(answer.headers['content-encoding']).toBe(encoding)
        expect(Number(answer.headers['content-length'])).toBe(answer.rawPayload.length)
        expect(decode(answer.rawPayload).equals(plain.rawPayload)).toBe(true)
      }
    }
    expect(readdirSync(folder).filter((name) => name.endsWith('.gzip'))).toHaveLength(1)
    await app.close()
  })

  it('keeps no place of one who asked for several and hung up before they were there', async () => {
    const app = await buildApp({
      ...{ database: service.database, reports: [long], logLevel: 'silent', snapshots: folder },
      maxRequestsPerClient: 3,
    })
    const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
    const lines = ['POST /v1/long HTTP/1.1', 'Host: x', `Authorization: Bearer ${service.caller.token}`]
    for (const encoding of ['identity', 'gzip', 'br', 'identity']) {
      await change() // nothing is there yet
      const socket = connect(Number(port), '127.0.0.1')
      const request = [...lines, `Accept-Encoding: ${encoding}`, 'Content-Length: 0', '', ''].join('\r\n')
      await new Promise<void>((sent) => socket.write(request.repeat(3), () => sent()))
      await sleep(20) // they have arrived, and the first of them is being worked out
      socket.destroy()
      await vi.waitFor(
        async () => {
          const again = await Promise.all([1, 2, 3].map(() => ask('/v1/long', { app })))
          expect(again.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
        },
        { timeout: 10_000 },
      )
    }
    await app.close()
  })
})

it('an answer varies by the same, whether it was there before or not', async () => {
  const [cold, warm] = [await ask(MATERIAL), await ask(MATERIAL)]
  expect([cold.headers['vary'], warm.headers['vary']]).toEqual(Array(2).fill('Accept, Accept-Encoding, Authorization'))
})
