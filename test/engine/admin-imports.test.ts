/** Imports tried by an operator: files over HTTP, a dry run in a separate process, and nothing is ever stored. */
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { lockLoads } from '../../src/db/connect.js'
import { Trials } from '../../src/import/trials/trials.js'
import { reports } from '../../src/reports/index.js'
import { buildApp } from '../../src/runtime/app.js'
import { tempFolder } from '../setup/files.js'
import { change, good, MV } from '../setup/good-files.js'
import { newOperator, type Operator } from '../setup/operator.js'
import { type Service, startService } from '../setup/service.js'

const WAREHOUSES = '/v1/warehouse/warehouse-list'
const MB = 2 ** 20

let service: Service
let operator: Operator
beforeAll(async () => {
  service = await startService()
  operator = await newOperator(service.app, service.db)
})
afterAll(() => service.close())

/** All rows that a load writes. */
async function stored(): Promise<unknown> {
  const tables = await service.db<{ name: string }[]>`
    select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`
  const counts: Record<string, unknown> = {}
  for (const { name } of tables)
    if (!/^(api_|audit|access|rate|sign_in|authorization|spent|feed)/.test(name))
      counts[name] = (
        await service.db.unsafe(
          `select md5(coalesce(string_agg(t::text, ' ' order by t::text), '')) as sum from ${name} t`,
        )
      )[0]
  const staging = await service.db`select from pg_class where relnamespace = 'millbook_staging'::regnamespace`
  return { counts, staging: staging.length }
}

const begin = async (who = operator): Promise<string> => (await who.ask('POST', '/imports')).json().id

const put = (who: Operator, id: string, name: string, bytes: string | Buffer, query = '') =>
  who.browser.send(`/v1/admin/imports/${id}/files/${name}${query}`, {
    ...{ method: 'PUT', json: bytes },
    headers: { 'x-csrf-token': who.csrf, 'content-type': 'text/csv' },
  })

async function send(id: string, files: Record<string, string>, who = operator): Promise<void> {
  for (const [name, text] of Object.entries(files))
    expect((await put(who, id, name, text)).json()).toEqual({ name, bytes: Buffer.byteLength(text) })
}

/** Polls until the import is in one of these phases. */
async function until(id: string, phases: string[], who = operator) {
  for (;;) {
    const response = await who.ask('GET', `/imports/${id}`)
    if (response.statusCode !== 200 || phases.includes(response.json().phase)) return response.json()
    await sleep(50)
  }
}
const over = (id: string, who = operator) => until(id, ['done', 'failed'], who)

describe('a dry run', () => {
  it('counts the changes that a load would make, and stores nothing', async () => {
    const before = await stored()
    const begun = (await operator.ask('POST', '/imports')).json()
    expect(begun).toEqual({
      ...{
        id: expect.stringMatching(/^[\w-]{22}$/),
        created_at: expect.any(String),
        phase: 'open',
        what: null,
        done: 0,
      },
      ...{ rows: 0, files: [], result: null, error: null },
    })
    const { id } = begun
    await send(id, good)
    expect((await operator.ask('GET', `/imports/${id}`)).json().files).toHaveLength(Object.keys(good).length)
    const running = await operator.ask('POST', `/imports/${id}/run`)
    expect([running.statusCode, running.json().phase]).toEqual([200, 'waiting'])
    const { result, ...rest } = await over(id)
    expect(rest).toMatchObject({ phase: 'done', done: 1, error: null, files: [] })
    expect(result).toMatchObject({
      errors: { count: 0, first: [] },
      warnings: { count: 0, kinds: [], first: [] },
      entities: { items: { new: 3, changed: 0, same: 0, removed: 0 }, stock_movements: { new: 5 } },
    })
    expect(await stored()).toEqual(before)
    const again = await operator.ask('POST', `/imports/${id}/run`)
    expect([again.statusCode, again.json().detail]).toEqual([409, expect.stringMatching(/^This import has been tried/)])
    expect((await put(operator, id, 'items.csv', 'sku\n')).statusCode).toBe(409)
  })

  it('names errors by file, line and column: all are counted, 500 are shown', async () => {
    const before = await stored()
    const id = await begin()
    const rows = Array.from({ length: 600 }, (_, i) => `FG${i},Name,FG,,JAR,<b>${i}</b>`)
    await send(id, { ...good, 'items.csv': `sku,name,type,material_kind,unit,mrp\n${rows.join('\n')}\n` })
    await operator.ask('POST', `/imports/${id}/run`)
    const { phase, result } = await over(id)
    expect([phase, result.errors.count, result.errors.first.length]).toEqual(['done', 600, 500])
    expect(result.errors.first[0]).toEqual({
      ...{ file: 'items.csv', line: 2, column: 'mrp', value: '<b>0</b>', message: expect.stringContaining('expected') },
    })
    expect(await stored()).toEqual(before)
  })

  it('finds rows that contradict other rows, and warns', async () => {
    const id = await begin()
    await send(id, { ...good, ...change(MV, 'PO1,G1', 'PO1,G9') })
    await operator.ask('POST', `/imports/${id}/run`)
    const { result } = await over(id)
    expect(result.errors.first).toEqual([expect.objectContaining({ file: MV, line: 2 })])
    const warned = await begin()
    await send(warned, { ...good, ...change('goods_receipt_items.csv', '5,4,1', '5,5,0') })
    await operator.ask('POST', `/imports/${warned}/run`)
    const { result: doubtful } = await over(warned)
    expect([doubtful.errors.count, doubtful.warnings.count]).toEqual([0, doubtful.warnings.first.length])
    expect(doubtful.warnings.count).toBeGreaterThan(0)
  })

  it('takes entities to replace, and refuses an entity without a file', async () => {
    const id = await begin()
    expect((await operator.ask('POST', `/imports/${id}/run`)).json().detail).toMatch(/^There is no file to try/)
    await send(id, { 'items.csv': good['items.csv'] as string })
    expect((await operator.ask('POST', `/imports/${id}/run`, { replace: ['nothing'] })).statusCode).toBe(422)
    expect((await operator.ask('POST', `/imports/${id}/run`, { replace: ['vendors'] })).json().detail).toBe(
      '--replace vendors needs a file for vendors.',
    )
    expect((await operator.ask('POST', `/imports/${id}/run`, { replace: ['items'] })).statusCode).toBe(200)
    expect((await over(id)).result.entities.items).toEqual({ new: 3, changed: 0, same: 0, removed: 0 })
  })

  it('fails with a clear error if a file cannot be read', async () => {
    const id = await begin()
    await send(id, { 'items.parquet': 'no parquet' })
    await operator.ask('POST', `/imports/${id}/run`)
    const { phase, error, result } = await over(id)
    expect([phase, error, result]).toEqual(['failed', expect.stringMatching(/^items\.parquet: /), null])
    expect(error).not.toMatch(/\n|node_modules/)
  })

  it('waits for a load while reports are answered, and two can run at once', async () => {
    const before = await stored()
    const release = await lockLoads(service.database.target, () => {})
    const ids = [await begin(), await begin()]
    for (const id of ids) {
      await send(id, good)
      await operator.ask('POST', `/imports/${id}/run`)
    }
    for (const id of ids) expect((await until(id, ['waiting', 'done', 'failed'])).phase).toBe('waiting')
    expect((await service.call({ path: WAREHOUSES })).statusCode).toBe(200)
    await release()
    const ended = Promise.all(ids.map((id) => over(id)))
    const statuses = new Set<number>()
    let waiting = true
    void ended.then(() => {
      waiting = false
    })
    while (waiting) statuses.add((await service.call({ path: WAREHOUSES })).statusCode)
    expect((await ended).map(({ phase, result }) => [phase, result.entities.items.new])).toEqual([
      ['done', 3],
      ['done', 3],
    ])
    expect([...statuses]).toEqual([200])
    expect(await stored()).toEqual(before)
  })

  it('can be started once and ended, and only its operator sees it', async () => {
    const release = await lockLoads(service.database.target, () => {})
    onTestFinished(release)
    const id = await begin()
    await send(id, good)
    const answers = await Promise.all([1, 2, 3].map(() => operator.ask('POST', `/imports/${id}/run`)))
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409, 409])
    const other = await newOperator(service.app, service.db)
    for (const [method, rest] of [
      ['GET', ''],
      ['POST', '/run'],
      ['DELETE', ''],
    ] as const)
      expect((await other.ask(method, `/imports/${id}${rest}`)).statusCode).toBe(404)
    expect((await put(other, id, 'items.csv', 'x')).statusCode).toBe(404)
    await until(id, ['waiting'])
    expect((await operator.ask('DELETE', `/imports/${id}`)).json()).toEqual({ id })
    expect((await operator.ask('GET', `/imports/${id}`)).statusCode).toBe(404)
  })
})

describe('files', () => {
  it.each([
    ...[
      '../items.csv',
      '..%2Fitems.csv',
      '%2E%2E%2Fstate.json',
      '/etc/passwd',
      'items.csv%00',
      '.items.csv',
      'items',
      '',
    ],
    ...[
      'state.json',
      'items.csv.gz',
      'ITEMS.CSV',
      'itmes.csv',
      '<script>.csv',
      "it'ems.csv",
      'items.exe',
      `${'a'.repeat(900)}.csv`,
    ],
  ])('named %s are refused', async (name) => {
    const id = await begin()
    const path = name.includes('%') ? name : encodeURIComponent(name)
    const response = await put(operator, id, path, 'sku\n')
    expect([404, 422]).toContain(response.statusCode)
    expect((await operator.ask('GET', `/imports/${id}`)).json().files).toEqual([])
    await operator.ask('DELETE', `/imports/${id}`)
  })

  it('with a misspelt name get the right name in the error', async () => {
    const id = await begin()
    const { detail } = (await put(operator, id, 'itmes.csv', 'x')).json()
    expect(detail).toMatch(/^A file is named after its entity.*\(did you mean items\?\); there are account, /)
    await operator.ask('DELETE', `/imports/${id}`)
  })

  it('come whole or in parts; a part at the wrong place is refused', async () => {
    const id = await begin()
    const text = good['items.csv'] as string
    expect((await put(operator, id, 'items.csv', text.slice(0, 30))).json().bytes).toBe(30)
    const wrong = await put(operator, id, 'items.csv', 'x', '?offset=31')
    expect([wrong.statusCode, wrong.json().detail]).toEqual([409, expect.stringContaining('has 30 bytes, not 31')])
    expect((await put(operator, id, 'items.csv', text.slice(30), '?offset=30')).json().bytes).toBe(text.length)
    expect((await put(operator, id, 'vendors.csv', '')).json()).toEqual({ name: 'vendors.csv', bytes: 0 })
    expect((await put(operator, id, 'items.csv', 'anew')).json().bytes).toBe(4)
    const twin = await put(operator, id, 'items.jsonl', '{}')
    expect([twin.statusCode, twin.json().detail]).toEqual([
      409,
      expect.stringContaining('items.csv holds the same entity as items.jsonl'),
    ])
    expect((await put(operator, id, 'items.csv', 'x', '?offset=-1')).statusCode).toBe(422)
    await operator.ask('DELETE', `/imports/${id}`)
  })

  it('of more than 64 MB are refused, also while they are sent', async () => {
    await service.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = service.app.server.address() as AddressInfo
    const id = await begin()
    const cookie = [...operator.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const upload = (bytes: number) =>
      new Promise<{ status: number; body: string }>((resolve, reject) => {
        const headers = { cookie, 'x-csrf-token': operator.csrf, 'content-type': 'application/octet-stream' }
        const path = `/v1/admin/imports/${id}/files/items.csv`
        const sending = httpRequest({ port, path, method: 'PUT', headers }, async (response) => {
          const chunks = await response.toArray()
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() })
        })
        sending.on('error', reject)
        const part = Buffer.alloc(MB)
        Readable.from(Array.from({ length: bytes / MB }, () => part)).pipe(sending)
      })
    expect(await upload(64 * MB)).toEqual({ status: 200, body: `{"name":"items.csv","bytes":${64 * MB}}` })
    const refused = await upload(70 * MB)
    expect([refused.status, JSON.parse(refused.body).detail]).toEqual([
      413,
      'items.csv is larger than 64 MB; try it with millbook import --dry-run.',
    ])
    expect((await operator.ask('GET', `/imports/${id}`)).json().files).toEqual([])
    await operator.ask('DELETE', `/imports/${id}`)
  })
})

describe('several processes of a service', () => {
  it('share imports: one takes the files, another runs the import, a third reports its state', async () => {
    const snapshots = join(tempFolder(), 'files')
    const apps = await Promise.all(
      [1, 2, 3].map(() => buildApp({ database: service.database, reports, snapshots, logLevel: 'silent', leaseMs: 0 })),
    )
    onTestFinished(async () => void (await Promise.all(apps.map((app) => app.close()))))
    const [one, two, three] = apps.map((app) => {
      const ask: typeof operator.ask = async (method, path, body) => {
        const cookie = [...operator.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const headers = { host: 'millbook.example', cookie, 'x-csrf-token': operator.csrf }
        const payload = body === undefined ? {} : { payload: body as string }
        return await app.inject({ method, url: `/v1/admin${path}`, headers, ...payload })
      }
      return { ...operator, ask }
    }) as [Operator, Operator, Operator]
    const { id } = (await one.ask('POST', '/imports')).json()
    const sent = await two.ask('PUT', `/imports/${id}/files/items.csv`, Buffer.from(good['items.csv'] as string))
    expect(sent.statusCode).toBe(200)
    const release = await lockLoads(service.database.target, () => {})
    expect((await three.ask('POST', `/imports/${id}/run`)).statusCode).toBe(200)
    expect((await two.ask('POST', `/imports/${id}/run`)).statusCode).toBe(409)
    await release()
    expect((await over(id, one)).result.entities.items.new).toBe(3)
    const { id: ended } = (await one.ask('POST', '/imports')).json()
    await two.ask('PUT', `/imports/${ended}/files/items.csv`, Buffer.from('sku\n'))
    const again = await lockLoads(service.database.target, () => {})
    onTestFinished(again)
    await three.ask('POST', `/imports/${ended}/run`)
    await apps[2]?.close()
    expect(await over(ended, one), 'its process has ended').toMatchObject({
      phase: 'failed',
      error: expect.stringContaining('was interrupted'),
    })
  })
})

describe('the folder of imports', () => {
  const trialsIn = (folder: string, limits = {}) => {
    const trials = new Trials(folder, service.database.target, limits)
    onTestFinished(() => trials.close())
    return trials
  }
  const id = (letter: string) => letter.repeat(22)
  const bytes = (...sizes: number[]) => Readable.from(sizes.map((size) => Buffer.alloc(size)))

  it('the limit counts all files together, in any order', async () => {
    const trials = trialsIn(tempFolder(), { fileBytes: 8, allBytes: 10 })
    trials.begin(id('a'), 'asha')
    expect(await trials.write(id('a'), 'asha', 'items.csv', 0, bytes(4, 2))).toBe(6)
    await expect(trials.write(id('a'), 'asha', 'vendors.csv', 0, bytes(4, 1))).rejects.toThrow(
      'files together are larger',
    )
    await expect(trials.write(id('a'), 'asha', 'items.csv', 6, bytes(3))).rejects.toThrow('items.csv is larger than')
    expect(await trials.write(id('a'), 'asha', 'vendors.csv', 0, bytes(4))).toBe(4)
    expect(trials.find(id('a'), 'asha').files).toEqual([
      { name: 'items.csv', bytes: 6 },
      { name: 'vendors.csv', bytes: 4 },
    ])
  })

  it('a part whose connection breaks is discarded', async () => {
    const trials = trialsIn(tempFolder())
    trials.begin(id('a'), 'asha')
    await trials.write(id('a'), 'asha', 'items.csv', 0, bytes(4))
    async function* broken() {
      yield Buffer.alloc(3)
      throw new Error('aborted')
    }
    await expect(trials.write(id('a'), 'asha', 'items.csv', 4, broken())).rejects.toThrow('aborted')
    expect(trials.find(id('a'), 'asha').files).toEqual([{ name: 'items.csv', bytes: 4 }])
  })

  it('an import is removed 15 minutes after its last use, not earlier', () => {
    const folder = tempFolder()
    const trials = trialsIn(folder)
    trials.begin(id('a'), 'asha')
    trials.begin(id('b'), 'asha')
    const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000)
    utimesSync(join(folder, id('a'), 'state.json'), ago(16), ago(16))
    utimesSync(join(folder, id('b'), 'state.json'), ago(14), ago(14))
    trials.sweep()
    expect(readdirSync(folder)).toEqual([id('b')])
    expect(() => trials.find(id('a'), 'asha')).toThrow('there is no such import')
    trials.find(id('b'), 'asha') // counts as use
    trials.sweep()
    expect(readdirSync(folder)).toEqual([id('b')])
  })

  it('there are at most 8 imports; finished ones make room', () => {
    const folder = tempFolder()
    const trials = trialsIn(folder)
    const ids = [...'abcdefgh'].map(id)
    for (const one of ids) trials.begin(one, 'asha')
    expect(() => trials.begin(id('i'), 'asha')).toThrow('8 imports are being tried already')
    const state = { ...trials.find(id('c'), 'asha'), phase: 'done' }
    writeFileSync(join(folder, id('c'), 'state.json'), JSON.stringify(state))
    trials.begin(id('i'), 'asha')
    expect(readdirSync(folder).sort()).toEqual([...'abdefghi'].map(id))
  })

  it('an id is never a path', () => {
    const trials = trialsIn(tempFolder())
    for (const wrong of ['..', '.', '', '../x', `${id('a')}/..`, 'a\0'])
      expect(() => trials.find(wrong, 'asha')).toThrow('there is no such import')
  })

  it('a service that shuts down leaves no folder', async () => {
    const app = await buildApp({ database: service.database, reports, logLevel: 'silent', leaseMs: 0 })
    const own = await newOperator(app, service.db)
    const release = await lockLoads(service.database.target, () => {})
    const mine = await begin(own)
    await send(mine, { 'items.csv': 'sku\n' }, own)
    await own.ask('POST', `/imports/${mine}/run`)
    const folder = foldersWith(mine)
    expect(folder).toHaveLength(1)
    await app.close()
    await release()
    expect(existsSync(folder[0] as string)).toBe(false)
  })
})

/** The temporary folders of services that hold this import. */
function foldersWith(id: string): string[] {
  const temporary = tmpdir()
  return readdirSync(temporary)
    .filter((name) => name.startsWith('millbook-snapshots-'))
    .map((name) => join(temporary, name))
    .filter((folder) => existsSync(join(folder, 'imports', id)))
}
