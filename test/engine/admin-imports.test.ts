/** Files that people bring in: sent over HTTP, tried or loaded in a separate process. */
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { Bringing } from '../../src/bring/bring.js'
import { lockLoads } from '../../src/db/connect.js'
import { reports } from '../../src/reports/index.js'
import { buildApp } from '../../src/runtime/app.js'
import { tempFolder } from '../setup/files.js'
import { change, good, MV } from '../setup/good-files.js'
import { newOperator, type Operator } from '../setup/operator.js'
import { type Service, startService } from '../setup/service.js'
import { inLongTier } from '../setup/tier.js'

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
  const written = tables.filter(({ name }) => !/^(api_|audit|access|rate|sign_in|authorization|spent|feed)/.test(name))
  const sums = written.map(
    ({ name }) =>
      `select '${name}' as name, md5(coalesce(string_agg(t::text, ' ' order by t::text), '')) as sum from ${name} t`,
  )
  const staging = await service.db`select from pg_class where relnamespace = 'millbook_staging'::regnamespace`
  return { sums: [...(await service.db.unsafe(sums.join(' union all ')))], staging: staging.length }
}

/** All business data. */
const rows = async () => {
  const found: Record<string, unknown> = {}
  for (const table of ['item', 'account', 'stock_movement', 'stock_closing'])
    found[table] = await service.db.unsafe(`select t::text from ${table} t order by 1`)
  return found
}

const masters = { 'items.csv': good['items.csv'] as string, 'warehouses.csv': good['warehouses.csv'] as string }

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
const over = (id: string, who = operator) => until(id, ['open', 'loaded'], who)

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
      ...{ rows: 0, files: [], mapping: null, named: null, looked: false, action: null, result: null, error: null },
    })
    const { id } = begun
    await send(id, good)
    expect((await operator.ask('GET', `/imports/${id}`)).json().files).toHaveLength(Object.keys(good).length)
    const running = await operator.ask('POST', `/imports/${id}/run`, { action: 'try' })
    expect([running.statusCode, running.json().phase]).toEqual([200, 'waiting'])
    const { result, ...rest } = await over(id)
    expect(rest).toMatchObject({ phase: 'open', action: 'try', done: 1, error: null })
    expect(result).toMatchObject({
      errors: { count: 0, first: [] },
      warnings: { count: 0, kinds: [], first: [] },
      entities: { items: { new: 3, changed: 0, same: 0, removed: 0 }, stock_movements: { new: 5 } },
    })
    expect(await stored()).toEqual(before)
    const changed = await put(operator, id, 'items.csv', 'sku\n')
    expect(changed.statusCode, 'the files can be corrected and tried again').toBe(200)
    expect((await operator.ask('GET', `/imports/${id}`)).json().result).toBeNull()
    await operator.ask('DELETE', `/imports/${id}`)
  })

  it('names errors by file, line and column: all are counted, 500 are shown', async () => {
    const before = await stored()
    const id = await begin()
    const rows = Array.from({ length: 600 }, (_, i) => `FG${i},Name,FG,,JAR,<b>${i}</b>`)
    await send(id, { 'items.csv': `sku,name,type,material_kind,unit,mrp\n${rows.join('\n')}\n` })
    await operator.ask('POST', `/imports/${id}/run`, { action: 'try' })
    const { phase, result } = await over(id)
    expect([phase, result.errors.count, result.errors.first.length]).toEqual(['open', 600, 500])
    expect(result.errors.first[0]).toEqual({
      ...{ file: 'items.csv', line: 2, key: { sku: 'FG0' }, column: 'mrp', value: '<b>0</b>' },
      message: expect.stringContaining('expected'),
    })
    expect(await stored()).toEqual(before)
  })

  inLongTier('finds rows that contradict other rows, and warns', async () => {
    const id = await begin()
    await send(id, { ...good, ...change(MV, 'PO1,G1', 'PO1,G9') })
    await operator.ask('POST', `/imports/${id}/run`, { action: 'try' })
    const { result } = await over(id)
    expect(result.errors.first).toEqual([expect.objectContaining({ file: MV, line: 2 })])
    const warned = await begin()
    await send(warned, { ...good, ...change('goods_receipt_items.csv', '5,4,1', '5,5,0') })
    await operator.ask('POST', `/imports/${warned}/run`, { action: 'try' })
    const { result: doubtful } = await over(warned)
    expect([doubtful.errors.count, doubtful.warnings.count]).toEqual([0, doubtful.warnings.first.length])
    expect(doubtful.warnings.count).toBeGreaterThan(0)
  })

  it('takes entities to replace, and refuses an entity without a file', async () => {
    const id = await begin()
    expect((await operator.ask('POST', `/imports/${id}/run`, { action: 'try' })).json().detail).toMatch(
      /^There is no file; send one first/,
    )
    await send(id, { 'items.csv': good['items.csv'] as string })
    expect((await operator.ask('POST', `/imports/${id}/run`, { action: 'try', replace: ['nothing'] })).statusCode).toBe(
      422,
    )
    expect(
      (await operator.ask('POST', `/imports/${id}/run`, { action: 'try', replace: ['vendors'] })).json().detail,
    ).toBe('--replace vendors needs a file for vendors.')
    expect((await operator.ask('POST', `/imports/${id}/run`, { action: 'try', replace: ['items'] })).statusCode).toBe(
      200,
    )
    expect((await over(id)).result.entities.items).toEqual({ new: 3, changed: 0, same: 0, removed: 0 })
  })

  it('fails with a clear error if a file cannot be read', async () => {
    const id = await begin()
    await send(id, { 'items.parquet': 'no parquet' })
    await operator.ask('POST', `/imports/${id}/run`, { action: 'try' })
    const { phase, error, result } = await over(id)
    expect([phase, error, result]).toEqual(['open', expect.stringMatching(/^items\.parquet: /), null])
    expect(error).not.toMatch(/\n|node_modules/)
  })

  inLongTier('waits for a load while reports are answered, and two can run at once', async () => {
    const before = await stored()
    const release = await lockLoads(service.database.target, () => {})
    const ids = [await begin(), await begin()]
    for (const id of ids) {
      await send(id, masters)
      await operator.ask('POST', `/imports/${id}/run`, { action: 'try' })
    }
    for (const id of ids) expect((await until(id, ['waiting', 'open'])).phase).toBe('waiting')
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
      ['open', 3],
      ['open', 3],
    ])
    expect([...statuses]).toEqual([200])
    expect(await stored()).toEqual(before)
  })

  it('can be started once and ended, and only its operator sees it', async () => {
    const release = await lockLoads(service.database.target, () => {})
    onTestFinished(release)
    const id = await begin()
    await send(id, masters)
    const answers = await Promise.all(
      [1, 2, 3].map(() => operator.ask('POST', `/imports/${id}/run`, { action: 'try' })),
    )
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409, 409])
    const other = await newOperator(service.app, service.db)
    for (const [method, rest] of [
      ['GET', ''],
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
    ...['state.json', 'items.csv.gz', '~$books.xlsx', 'a\\b.xlsx', 'items.exe', `${'a'.repeat(900)}.csv`],
  ])('named %s are refused', async (name) => {
    const id = await begin()
    const path = name.includes('%') ? name : encodeURIComponent(name)
    const response = await put(operator, id, path, 'sku\n')
    expect([404, 422]).toContain(response.statusCode)
    expect((await operator.ask('GET', `/imports/${id}`)).json().files).toEqual([])
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
      'items.csv is larger than 64 MB; load it with millbook pull spreadsheets or millbook import.',
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
    expect((await three.ask('POST', `/imports/${id}/run`, { action: 'try' })).statusCode).toBe(200)
    expect((await two.ask('POST', `/imports/${id}/run`, { action: 'try' })).statusCode).toBe(409)
    await release()
    expect((await over(id, one)).result.entities.items.new).toBe(3)
    const { id: ended } = (await one.ask('POST', '/imports')).json()
    await two.ask('PUT', `/imports/${ended}/files/items.csv`, Buffer.from('sku\n'))
    const again = await lockLoads(service.database.target, () => {})
    onTestFinished(again)
    await three.ask('POST', `/imports/${ended}/run`, { action: 'try' })
    await apps[2]?.close()
    expect(await over(ended, one), 'its process has ended').toMatchObject({
      phase: 'open',
      error: expect.stringContaining('was interrupted'),
    })
  })

  it.runIf(process.platform === 'linux')('reading that takes too much memory ends with the reason', async () => {
    const id = await begin()
    await send(id, masters)
    const release = await lockLoads(service.database.target, () => {})
    onTestFinished(release)
    const before = new Set(childProcesses())
    await operator.ask('POST', `/imports/${id}/run`, { action: 'try' })
    await until(id, ['waiting'])
    const [reader] = childProcesses().filter((pid) => !before.has(pid))
    process.kill(reader as number, 'SIGABRT') // as Node.js ends a process whose heap is full
    expect((await over(id)).error).toMatch(/^reading the files took more memory than the service allows/)
    await operator.ask('DELETE', `/imports/${id}`)
  })
})

describe('the folder of imports', () => {
  const bringingIn = (folder: string, limits = {}) => {
    const bringing = new Bringing(folder, service.database.target, limits)
    onTestFinished(() => bringing.close())
    return bringing
  }
  const id = (letter: string) => letter.repeat(22)
  const bytes = (...sizes: number[]) => Readable.from(sizes.map((size) => Buffer.alloc(size)))

  it('the limit counts all files together, in any order', async () => {
    const bringing = bringingIn(tempFolder(), { fileBytes: 8, allBytes: 10 })
    bringing.begin(id('a'), 'asha')
    expect(await bringing.write(id('a'), 'asha', 'items.csv', 0, bytes(4, 2))).toBe(6)
    await expect(bringing.write(id('a'), 'asha', 'vendors.csv', 0, bytes(4, 1))).rejects.toThrow(
      'files together are larger',
    )
    await expect(bringing.write(id('a'), 'asha', 'items.csv', 6, bytes(3))).rejects.toThrow('items.csv is larger than')
    expect(await bringing.write(id('a'), 'asha', 'vendors.csv', 0, bytes(4))).toBe(4)
    expect(bringing.find(id('a'), 'asha').files).toEqual([
      { name: 'items.csv', bytes: 6 },
      { name: 'vendors.csv', bytes: 4 },
    ])
  })

  it('a part whose connection breaks is discarded', async () => {
    const bringing = bringingIn(tempFolder())
    bringing.begin(id('a'), 'asha')
    await bringing.write(id('a'), 'asha', 'items.csv', 0, bytes(4))
    async function* broken() {
      yield Buffer.alloc(3)
      throw new Error('aborted')
    }
    await expect(bringing.write(id('a'), 'asha', 'items.csv', 4, broken())).rejects.toThrow('aborted')
    expect(bringing.find(id('a'), 'asha').files).toEqual([{ name: 'items.csv', bytes: 4 }])
  })

  it('files are removed an hour after their last use, not earlier', () => {
    const folder = tempFolder()
    const bringing = bringingIn(folder)
    bringing.begin(id('a'), 'asha')
    bringing.begin(id('b'), 'asha')
    const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000)
    utimesSync(join(folder, id('a'), 'state.json'), ago(61), ago(61))
    utimesSync(join(folder, id('b'), 'state.json'), ago(59), ago(59))
    bringing.sweep()
    expect(readdirSync(folder)).toEqual([id('b')])
    expect(() => bringing.find(id('a'), 'asha')).toThrow('these files are gone')
    bringing.find(id('b'), 'asha') // counts as use
    bringing.sweep()
    expect(readdirSync(folder)).toEqual([id('b')])
  })

  it('there are at most 8 at a time; loaded ones make room', () => {
    const folder = tempFolder()
    const bringing = bringingIn(folder)
    const ids = [...'abcdefgh'].map(id)
    for (const one of ids) bringing.begin(one, 'asha')
    expect(() => bringing.begin(id('i'), 'asha')).toThrow('files are being brought in 8 times already')
    const state = { ...bringing.find(id('c'), 'asha'), phase: 'loaded' }
    writeFileSync(join(folder, id('c'), 'state.json'), JSON.stringify(state))
    bringing.begin(id('i'), 'asha')
    expect(readdirSync(folder).sort()).toEqual([...'abdefghi'].map(id))
  })

  it('an id is never a path', () => {
    const bringing = bringingIn(tempFolder())
    for (const wrong of ['..', '.', '', '../x', `${id('a')}/..`, 'a\0'])
      expect(() => bringing.find(wrong, 'asha')).toThrow('these files are gone')
  })

  it('a service that shuts down leaves no folder', async () => {
    const app = await buildApp({ database: service.database, reports, logLevel: 'silent', leaseMs: 0 })
    const own = await newOperator(app, service.db)
    const release = await lockLoads(service.database.target, () => {})
    const mine = await begin(own)
    await send(mine, { 'items.csv': 'sku\n' }, own)
    await own.ask('POST', `/imports/${mine}/run`, { action: 'try' })
    const folder = foldersWith(mine)
    expect(folder).toHaveLength(1)
    await app.close()
    await release()
    expect(existsSync(folder[0] as string)).toBe(false)
  })
})

/** The processes that this one has started. */
const childProcesses = (): number[] =>
  readdirSync('/proc').flatMap((pid) => {
    try {
      const [, parent] = /^.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
      return Number(parent) === process.pid ? Number(pid) : []
    } catch {
      return [] // no process, or one that has ended
    }
  })

/** The temporary folders of services that hold this import. */
function foldersWith(id: string): string[] {
  const temporary = tmpdir()
  return readdirSync(temporary)
    .filter((name) => name.startsWith('millbook-snapshots-'))
    .map((name) => join(temporary, name))
    .filter((folder) => existsSync(join(folder, 'imports', id)))
}

const SALES = `
entities:
  account: {file: sales.csv, first: any, constants: {name: Rao Mills, time_zone: Asia/Kolkata}}
  warehouses: {file: sales.csv, first: any, constants: {key: Main, location: Main}}
  items: {file: sales.csv, first: any, columns: {sku: {code: Item}, name: Item, unit: {column: Qty, take: unit}}, constants: {type: FG}}
  stock_movements:
    file: sales.csv
    columns: {movement_no: {text: "{Date}/{#}"}, movement_date: Date, sku: {code: Item}, qty: Qty, val: Value, val_tax: Value}
    constants: {kind: other_receipt, warehouse: Main}
`
const BOOK = 'Date,Item,Qty,Value\n2026-04-01,Ghee,5 Jar,50\n2026-04-01,Milk,2 Ltr,"₹ 20.50"\n'

describe('workbooks with a mapping', () => {
  it('are tried with figures, corrected, loaded for all to see, and the mapping is kept', async () => {
    const loader = await newOperator(service.app, service.db, 'loader')
    const id = await begin(loader)
    await send(id, { 'sales.csv': BOOK }, loader)
    const unmapped = await loader.ask('POST', `/imports/${id}/run`, { action: 'try' })
    expect([unmapped.statusCode, unmapped.json().detail]).toEqual([
      409,
      expect.stringMatching(/^There is no mapping yet/),
    ])
    const wrong = await loader.ask('PUT', `/imports/${id}/mapping`, { text: 'entities: {itmes: {}}' })
    expect([wrong.statusCode, wrong.json().detail]).toEqual([
      422,
      expect.stringMatching(/^The mapping: entities\.itmes is unknown/),
    ])
    await loader.ask('PUT', `/imports/${id}/mapping`, { text: SALES.replace('{column: Qty, take: unit}', 'Unit') })
    await loader.ask('POST', `/imports/${id}/run`, { action: 'try' })
    expect((await over(id, loader)).error).toMatch(/^sales\.csv, row 1: there is no column Unit/)
    expect((await loader.ask('PUT', `/imports/${id}/mapping`, { text: SALES })).json()).toMatchObject({
      mapping: SALES,
      error: null,
    })
    await loader.ask('POST', `/imports/${id}/run`, { action: 'try' })
    const before = await stored()
    const tried = (await over(id, loader)).result
    expect(tried).toMatchObject({
      ...{ committed: false, errors: { count: 0 }, entities: { items: { new: 2 }, stock_movements: { new: 2 } } },
      figures: {
        before: { items: 0, stock_value: '0.00', last_movement: null },
        after: { items: 2, stock_value: '70.50', last_movement: '2026-04-01' },
      },
    })
    expect(tried.account.sheets.at(-1)).toMatchObject({
      ...{ file: 'sales.csv', sheet: '', entity: 'stock_movements', read: 2, used: 2, left_out: [], noted: [] },
    })
    expect(await stored()).toEqual(before)

    await loader.ask('POST', `/imports/${id}/run`, { action: 'load', keep_as: 'Daily book' })
    const loaded = await over(id, loader)
    expect(loaded).toMatchObject({ phase: 'loaded', files: [], result: { committed: true, version: 1 } })
    expect((await service.call({ path: WAREHOUSES })).json().data).toHaveLength(1)
    const log = (await loader.ask('GET', '/loads')).json().loads
    expect(log[0]).toMatchObject({ version: 1, actor: loader.username, source: ['Daily book'] })
    expect((await loader.ask('POST', `/imports/${id}/run`, { action: 'load' })).statusCode).toBe(409)

    // Next month's file takes the kept mapping, and leaves earlier rows in place.
    const next = (await loader.ask('POST', '/imports', { mapping: 'Daily book' })).json()
    expect(next.mapping).toBe(SALES)
    await send(next.id, { 'sales.csv': BOOK.replaceAll('04-01', '05-01') }, loader)
    await loader.ask('POST', `/imports/${next.id}/run`, { action: 'load', keep_as: 'Daily book' })
    const { result } = await over(next.id, loader)
    expect([result.version, result.entities.stock_movements, result.figures.after.stock_value]).toEqual([
      ...[2, { new: 2, changed: 0, same: 0, removed: 0 }, '141.00'],
    ])
    const trail = (await operator.ask('GET', '/audit?act=load.begin')).json().entries ?? []
    expect(trail.map((entry: { actor: string }) => entry.actor)).toEqual([loader.username, loader.username])
    expect((await loader.ask('DELETE', '/mappings/Daily%20book')).json()).toEqual({ name: 'Daily book' })
    expect((await loader.ask('GET', '/mappings')).json()).toEqual({ mappings: [] })
  })

  inLongTier('are looked at: the proposed mapping is set, and a kept one that fits them is named', async () => {
    const loader = await newOperator(service.app, service.db, 'loader')
    const id = await begin(loader)
    expect((await loader.ask('GET', `/imports/${id}/proposal`)).json().detail).toMatch(/run the action look first/)
    const book = 'Item Code,Item Name,UOM,MRP\nA-1,One,PCS,12\nA-2,Two,PCS,15.50\n'
    await send(id, { 'price list.csv': book }, loader)
    await loader.ask('POST', `/imports/${id}/run`, { action: 'look' })
    const looked = await over(id, loader)
    expect(looked).toMatchObject({ phase: 'open', looked: true, error: null, named: null, result: null })
    expect(looked.mapping).toMatch(/^# Proposed/)
    const proposal = (await loader.ask('GET', `/imports/${id}/proposal`)).json()
    const [table] = proposal.tables
    expect(table.sheets).toEqual([{ file: 'price list.csv', sheet: '', hidden: false, rows: 2 }])
    expect(table.columns.map(({ heading }: { heading: string }) => heading)).toEqual([
      ...['Item Code', 'Item Name', 'UOM', 'MRP'],
    ])
    expect(table.sample.map(({ role }: { role: string }) => role)).toEqual(['header', 'row', 'row'])
    expect(proposal.mapping.entities.items).toMatchObject({ file: 'price list.csv', columns: { sku: 'Item Code' } })

    // Corrected as an object, tried, and kept under a name.
    const { sku, name, unit } = proposal.mapping.entities.items.columns
    const mapping = {
      entities: { items: { file: '*list.csv', columns: { sku, name, unit }, constants: { type: 'FG' } } },
    }
    expect((await loader.ask('PUT', `/imports/${id}/mapping`, { mapping })).json()).toMatchObject({ looked: false })
    expect((await loader.ask('PUT', `/imports/${id}/mapping`, { mapping, text: 'x' })).statusCode).toBe(422)
    await loader.ask('POST', `/imports/${id}/run`, { action: 'try', keep_as: 'Prices' })
    expect((await over(id, loader)).result).toMatchObject({ errors: { count: 0 }, entities: { items: { new: 2 } } })
    const kept = async (path: string) => (await loader.ask('GET', path)).json().mappings
    expect(await kept('/mappings')).toEqual([expect.objectContaining({ name: 'Prices', fits: false })])
    expect(await kept(`/mappings?import=${id}`)).toEqual([expect.objectContaining({ name: 'Prices', fits: true })])
    await send(id, { 'other.csv': book }, loader)
    expect(await kept(`/mappings?import=${id}`), 'it names only one of two files').toEqual([
      expect.objectContaining({ fits: false }),
    ])
    expect((await loader.ask('PUT', `/imports/${id}/mapping`, { name: 'Prices' })).json().named).toBe('Prices')
    expect((await loader.ask('DELETE', `/imports/${id}/mapping`)).json()).toMatchObject({ named: null, mapping: null })

    // Another browser of the same person finds the files; other people do not.
    const mine = (await loader.ask('GET', '/imports')).json().imports
    expect(mine.map((one: { id: string }) => one.id)).toEqual([id])
    expect((await operator.ask('GET', '/imports')).json().imports.map((one: { id: string }) => one.id)).not.toContain(
      id,
    )
    expect((await operator.ask('GET', `/imports/${id}/proposal`)).statusCode).toBe(404)
    await loader.ask('DELETE', `/imports/${id}`)
    await loader.ask('DELETE', '/mappings/Prices')
  })

  inLongTier('a load is taken back by a loader, until something else is loaded', async () => {
    const loader = await newOperator(service.app, service.db, 'loader')
    const load = async (name: string) => {
      const id = await begin(loader)
      await send(id, { 'items.csv': `sku,name,type,unit\nU-1,${name},FG,PCS\n` }, loader)
      await loader.ask('POST', `/imports/${id}/run`, { action: 'load' })
      const { result } = await over(id, loader)
      await loader.ask('DELETE', `/imports/${id}`)
      return result.version as number
    }
    const before = await rows()
    const version = await load('One')
    expect((await loader.ask('GET', '/loads')).json().undoable).toBe(version)
    expect((await loader.ask('POST', `/loads/${version - 1}/undo`)).json().detail).toMatch(
      /^Something changed the data after version/,
    )
    const begun = (await loader.ask('POST', `/loads/${version}/undo`)).json()
    expect(begun).toMatchObject({ action: 'undo', phase: 'waiting' })
    const { phase, result } = await over(begun.id, loader)
    expect([phase, result.version, result.entities.items.removed]).toEqual(['loaded', version + 1, 1])
    expect(result.figures.before.items - result.figures.after.items).toBe(1)
    expect(await rows()).toEqual(before)
    const [entry] = (await loader.ask('GET', '/loads')).json().loads
    expect(entry).toMatchObject({
      ...{ version: version + 1, actor: loader.username, source: [`undo of version ${version}, items.csv`] },
    })
    const [act] = (await operator.ask('GET', '/audit?act=load.undo')).json().entries
    expect(act).toMatchObject({ actor: loader.username, detail: { version } })
    // An undo is a load, so it can be taken back too.
    const { id } = (await loader.ask('POST', `/loads/${version + 1}/undo`)).json()
    expect((await over(id, loader)).result.entities.items.new).toBe(1)

    const later = await load('Two')
    await load('Three')
    expect((await loader.ask('POST', `/loads/${later}/undo`)).json().detail).toMatch(
      /^Something changed the data after version \d+, so that load can no longer be taken back/,
    )
    expect((await loader.ask('POST', '/sample')).json().detail).toMatch(/^There are books already/)
    const reader = await newOperator(service.app, service.db, 'reader')
    expect((await reader.ask('POST', `/loads/${later}/undo`)).statusCode).toBe(403)
  })

  it('a loader may only bring in files, and a reader not even that', async () => {
    const loader = await newOperator(service.app, service.db, 'loader')
    for (const path of ['/clients', '/users', '/sessions', '/audit'])
      expect([path, (await loader.ask('GET', path)).statusCode]).toEqual([path, 403])
    const reader = await newOperator(service.app, service.db, 'reader')
    expect((await reader.ask('POST', '/imports')).json().detail).toMatch(/^Only loaders and operators/)
    await service.db`update api_user set role = 'reader' where username = ${loader.username}`
    const id = await begin(loader)
    expect(id, 'the role was taken away').toBeUndefined()
  })
})
