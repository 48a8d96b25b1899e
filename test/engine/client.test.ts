/** The client against a service on a port: walks over one version, and faults that it hides from its user. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ConnectionError, GoneError, Millbook, MillbookError, type MillbookOptions } from '../../src/client/index.js'
import { load } from '../../src/import/pipeline/load.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { files, openBooks } from '../setup/books.js'
import { folderOf, tempFolder } from '../setup/files.js'
import { type Caller, type Service, startService } from '../setup/service.js'

const RANGE = { from_date: '2024-01-01', to_date: '2024-12-31' }

let service: Service
let direct: string
beforeAll(async () => {
  service = await startService({}, await openBooks())
  await service.db.unsafe(`
    insert into invoice (invoice_no, order_no, invoice_at, due_date, sub_total, total_tax, total_amt, final_amt)
    select 'X' || n, order_no, invoice_at, due_date, sub_total, total_tax, total_amt, final_amt
      from invoice cross join generate_series(10, 44) n where invoice_no = 'I1';
    update data_version set version = version + 1, committed_at = clock_timestamp()`)
  await service.app.listen({ port: 0, host: '127.0.0.1' })
  direct = `http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}`
}, 120_000)
afterAll(() => service.close())

const loadRows = (rows: Record<string, string[]>) => load(service.database, findFiles(folderOf(files(rows))))
const loadInvoices = (...numbers: number[]) =>
  loadRows({ invoices: numbers.map((n) => `X${n},SO1,2024-03-07 09:30:00,2024-04-07,20,2.4,22.4,22.4`) })

const authOf = ({ client_id, client_secret, username, password }: Caller) => ({
  ...{ clientId: client_id, clientSecret: client_secret, username, password },
})
const clientOf = (options: Partial<MillbookOptions<string>> = {}) =>
  new Millbook({ url: direct, auth: authOf(service.caller), ...options })

const invoicesOf = (millbook: Millbook = clientOf()) => millbook.sales.invoices(RANGE)
const expected = async () =>
  (await service.call({ path: '/v1/sales/invoices', body: RANGE, query: { 'per-page': 5000, fields: 'all' } })).json()
    .data

type Fault = 'drop' | 'cut' | 503 | 429 | 502
/** A proxy between client and service that fails on purpose, once for each fault in the list. */
async function withFaults(faults: Fault[], path = '/v1/'): Promise<{ url: string; left: Fault[] }> {
  const server: Server = createServer((incoming, outgoing) => {
    const fault = incoming.url?.startsWith(path) ? faults.shift() : undefined
    if (fault === 'drop') return void incoming.socket.destroy()
    if (typeof fault === 'number') {
      incoming.resume()
      return void outgoing.writeHead(fault, { 'retry-after': '0' }).end('{"title":"not now"}')
    }
    const { method = 'GET', headers, url = '/' } = incoming
    const onward = request(direct + url, { method, headers }, (answer: IncomingMessage) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      if (fault !== 'cut') return void answer.pipe(outgoing)
      answer.once('data', (piece: Buffer) => {
        outgoing.write(piece.subarray(0, piece.length >> 1))
        setTimeout(() => outgoing.destroy(), 20)
      })
    })
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, left: faults }
}

const textOf = async ({ bytes }: { bytes: ReadableStream<Uint8Array> }): Promise<string> =>
  Buffer.concat(await collect(bytes as unknown as AsyncIterable<Uint8Array>)).toString()

const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

it('reads a report whole, row by row and by pages', async () => {
  const records = await expected()
  expect(records.length).toBeGreaterThan(30)
  expect(await invoicesOf().all()).toEqual(records)
  expect(await collect(invoicesOf())).toEqual(records)
  const pages = await collect(invoicesOf().pages({ perPage: 7 }))
  expect(pages.flatMap((page) => page.records)).toEqual(records)
  expect(pages[0]).toMatchObject({ number: 1, total: records.length, restarted: false })
  expect(pages.length).toBe(pages[0]?.pages)
})

it('a walk during loads returns every record of one version once', async () => {
  const before = await expected()
  const walk = invoicesOf().pages({ perPage: 5 })
  const found = []
  let number = 100
  for await (const { records, version } of walk) {
    found.push(...records)
    await loadInvoices(++number)
    expect(version).toBeLessThan(1e6)
  }
  expect(found).toEqual(before)
  expect((await expected()).length).toBe(before.length + number - 100)
})

describe('survives', () => {
  it.each<[string, Fault[]]>([
    ['dropped connections', ['drop', 'drop']],
    ['a body that is cut off in the middle', ['cut', 'cut']],
    ['503, 429 and 502', [503, 429, 502]],
  ])('%s', async (_name, faults) => {
    const { url, left } = await withFaults(faults)
    const retried: string[] = []
    const millbook = clientOf({ url, onRetry: ({ reason }) => retried.push(reason) })
    expect(await collect(invoicesOf(millbook).rows({ perPage: 5 }))).toEqual(await expected())
    expect([left, retried.length]).toEqual([[], { 2: 2, 3: 3 }[retried.length]])
  })

  it('a token request that fails at first', async () => {
    const { url, left } = await withFaults(['drop', 503], '/oauth2')
    expect(await collect(invoicesOf(clientOf({ url })))).toEqual(await expected())
    expect(left).toEqual([])
  })

  it('tokens that expire in the middle of a walk, the refresh token too', async () => {
    const caller = await service.newCaller()
    const walk = invoicesOf(clientOf({ auth: authOf(caller) })).pages({ perPage: 5 })
    const found = []
    let number = 0
    for await (const { records } of walk) {
      found.push(...records)
      if (++number === 1) await endTokens(caller, 'access')
      if (number === 3) await endTokens(caller, 'access', 'refresh')
    }
    expect(number).toBeGreaterThan(4)
    expect(found).toEqual(await expected())
  })

  it('the rate limit: it waits as long as the service says', async () => {
    const caller = await service.newCaller({ rate: 4 })
    const pauses: number[] = []
    const stop = new AbortController()
    const millbook = clientOf({
      auth: authOf(caller),
      onRetry: ({ reason, milliseconds }) => {
        expect(reason).toBe('HTTP 429')
        pauses.push(milliseconds)
        stop.abort(new Error('waited'))
      },
    })
    await expect(collect(invoicesOf(millbook).rows({ perPage: 5, signal: stop.signal }))).rejects.toThrow('waited')
    expect(pauses).toHaveLength(1)
    expect(pauses[0]).toBeGreaterThanOrEqual(1000)
    expect(pauses[0]).toBeLessThanOrEqual(60_000)
  })
})

async function endTokens({ client_id }: Caller, ...kinds: string[]): Promise<void> {
  await service.db.begin(async (tx) => {
    const ended = await tx`
      delete from api_token where client_id = ${client_id} and kind in (${kinds[0] as string}, ${kinds[1] ?? ''})`
    expect(ended.count).toBeGreaterThan(0)
    await tx`update access_version set version = version + 1`
  })
}

describe('a version that is no longer stored', () => {
  const walkOverGone = async (onGone: 'throw' | 'restart') => {
    const pages = []
    for await (const page of invoicesOf().pages({ perPage: 5, onGone })) {
      pages.push(page)
      if (pages.length !== 2) continue
      await loadInvoices(200 + Math.floor(Math.random() * 1e6))
      await service.db`delete from past_version`
    }
    return pages
  }

  it('ends the walk with an error that says so', async () => {
    const error = await walkOverGone('throw').catch((error) => error)
    expect(error).toBeInstanceOf(GoneError)
    expect(error).toMatchObject({ status: 410, type: 'urn:millbook:problem:gone' })
  })

  it('or restarts the walk, and says so', async () => {
    const pages = await walkOverGone('restart')
    const again = pages.findIndex(({ restarted }) => restarted)
    expect(again).toBe(2)
    expect(pages[again]?.number).toBe(1)
    expect(pages.slice(again).flatMap(({ records }) => records)).toEqual(await expected())
  })

  it('a whole report is fetched again without an error', async () => {
    expect(await invoicesOf().all()).toEqual(await expected())
  })
})

it('asKnown reads an earlier version, against what differs from it', async () => {
  const before = (await invoicesOf().totals()) as { rows: number }
  const [{ version } = { version: 0 }] = await service.db<{ version: number }[]>`
    select version::int as version from data_version`
  await loadInvoices(45)
  const now = invoicesOf()
  expect(await now.asKnown(version).totals()).toEqual(before)
  expect(await now.against(version).all()).toEqual([
    expect.objectContaining({ change: 'new', key: expect.objectContaining({ invoice_no: 'X45' }) }),
  ])
  expect(await now.against(new Date()).all()).toEqual([])
  await expect(now.asKnown('2000-01-01').all()).rejects.toBeInstanceOf(GoneError)
  await expect(now.asKnown(version).changesSince()).rejects.toMatchObject({ status: 422 })
  await loadRows({ invoices: ['X45,SO1,2025-03-07 09:30:00,2025-04-07,20,2.4,22.4,22.4'] }) // out of the range again
})

it('changesSince follows a report', async () => {
  const query = clientOf().masters.material()
  const first = await query.changesSince()
  expect(first.records).toEqual(await query.all())
  expect((await query.changesSince(first.token)).records).toEqual([])
  await loadRows({ items: ['CL1,Rennet,MAT,RAW,KG,'] })
  const next = await query.changesSince(first.token)
  expect(next.records.map(({ item_sku }) => item_sku)).toEqual(['CL1'])
  expect(next.removed).toEqual([])
  expect(next.version).toBe(first.version + 1)
  await expect(query.changesSince('0'.repeat(32))).rejects.toBeInstanceOf(GoneError)
})

it('rows, pages and files are all sorted, filtered and searched, and totals cover the same records', async () => {
  const wanted = (await expected())
    .filter(({ invoice_no }: { invoice_no: string }) => /^X[12]/.test(invoice_no))
    .reverse()
  expect(wanted.length).toBeGreaterThan(15)
  const query = invoicesOf().view({
    sort: ['-invoice_no'],
    filter: ['invoice_no~x1|x2', 'total_amt>=0'],
    search: 'so1',
  })
  expect(await query.all()).toEqual(wanted)
  expect(await collect(query.rows({ perPage: 3 }))).toEqual(wanted)
  expect((await query.file('csv', { lines: 'no' })).records).toBe(wanted.length)
  const { rows, total_amt, final_amt } = await query.totals()
  expect([rows, total_amt, final_amt]).toEqual([wanted.length, (22.4 * rows).toFixed(2), (22.4 * rows).toFixed(2)])
  expect((await invoicesOf().view({ filter: 'invoice_no=X10', sort: 'invoice_no' }).all()).length).toBe(1)
  expect((await invoicesOf().totals()).rows).toBe((await expected()).length)
  await expect(query.changesSince()).rejects.toMatchObject({ status: 422, errors: [{ field: 'since' }] })
  const typed = new Millbook({ url: direct, auth: authOf(service.caller), decimals: (text) => ({ text }) })
  expect((await typed.sales.invoices(RANGE).view({ filter: 'invoice_no=X10' }).totals()).final_amt).toEqual({
    text: '22.40',
  })
})

describe('groups and comparisons', () => {
  const of2024 = () => invoicesOf().view({ filter: 'invoice_no~x' })
  const records = async () =>
    (await expected()).filter(({ invoice_no }: { invoice_no: string }) => invoice_no.startsWith('X'))

  it('groups are records with typed columns, which can be sorted, chosen, paged and saved', async () => {
    const all = await records()
    const groups = of2024().group({
      by: ['invoice_no', 'month(invoice_date)'],
      measures: ['sum(total_amt)', 'avg(total_amt)', 'max(invoice_date)', 'count(order_no)'],
    })
    const wanted = all.map((record: Record<string, string>) => ({
      ...{ invoice_no: record['invoice_no'], invoice_date_month: record['invoice_date']?.slice(0, 7), rows: 1 },
      ...{ total_amt: record['total_amt'], total_amt_avg: record['total_amt'] },
      ...{ invoice_date_max: record['invoice_date'], order_no_count: 1, _cancelled: 0 },
    }))
    const names = (some: readonly { invoice_no: string }[]) => some.map(({ invoice_no }) => invoice_no)
    expect(await groups.all()).toEqual(wanted.sort(byName))
    expect(names(await collect(groups.rows({ perPage: 3 })))).toEqual(names(wanted))
    const last = groups.view({
      sort: '-invoice_no',
      having: ['rows>0', 'invoice_no>X2'],
      fields: ['invoice_no', 'rows'],
    })
    const chosen = wanted.filter(({ invoice_no }: { invoice_no: string }) => invoice_no > 'X2').reverse()
    expect(await last.all()).toEqual(chosen.map(({ invoice_no }: { invoice_no: string }) => ({ invoice_no, rows: 1 })))
    expect((await textOf(await last.file('csv'))).split('\r\n').slice(0, 2)).toEqual([
      'invoice_no,rows',
      `${chosen[0]?.invoice_no},1`,
    ])
  })
  const byName = (a: { invoice_no: string }, b: { invoice_no: string }) => (a.invoice_no < b.invoice_no ? -1 : 1)

  it("figures and their changes are decimals of the caller's type", async () => {
    const all = await records()
    const typed = new Millbook({ url: direct, auth: authOf(service.caller), decimals: (text) => ({ text }) })
    const groups = typed.sales
      .invoices(RANGE)
      .view({ filter: 'invoice_no~x' })
      .group({
        by: ['year(invoice_date)'],
        measures: ['sum(total_amt)', 'avg(total_amt)', 'min(total_amt)', 'distinct(order_no)'],
      })
    const [sum, each] = [{ text: (22.4 * all.length).toFixed(2) }, { text: '22.40' }]
    expect(await groups.compare('previous').all()).toEqual([
      {
        ...{ invoice_date_year: '2024', rows: all.length, rows__before: 0, rows__change: all.length },
        ...{ total_amt: sum, total_amt__before: { text: '0.00' }, total_amt__change: sum },
        ...{ total_amt_avg: each, total_amt_avg__before: { text: '0.00' }, total_amt_avg__change: each },
        ...{ total_amt_min: each, total_amt_min__before: { text: '0.00' }, total_amt_min__change: each },
        ...{ order_no_distinct: 1, order_no_distinct__before: 0, order_no_distinct__change: 1 },
        ...{ _cancelled: 0, _cancelled__before: 0, _cancelled__change: 0 },
      },
    ])
    const [first] = await typed.sales.invoices(RANGE).compare('year').view({ sort: '-total_amt__change' }).all()
    expect([first?.total_amt__before, first?.final_amt__change]).toEqual([{ text: '0.00' }, first?.final_amt])
  })
})

describe('saved views', () => {
  const definition = (name: string) => ({
    ...{ name, report: 'sales.invoices', values: RANGE },
    ...{ group: ['invoice_no'], measures: 'sum(total_amt)', sort: '-invoice_no' },
  })

  it('are saved, listed, read, replaced and deleted', async () => {
    const { views } = clientOf()
    const saved = await views.save({ ...definition('By number'), shared: 'everyone' })
    expect(saved).toMatchObject({ ...definition('By number'), shared: 'everyone', mine: true })
    await expect(views.save(definition('By number'))).rejects.toMatchObject({ status: 409 })
    expect(await views.list()).toContainEqual(saved)
    expect(await views.get(saved.id)).toEqual(saved)
    const data = views.data<{ invoice_no: string; rows: number; total_amt: string; _cancelled: number }>(saved)
    const wanted = await invoicesOf()
      .group({ by: ['invoice_no'], measures: ['sum(total_amt)'] })
      .all()
    expect(await data.all()).toEqual(wanted.reverse())
    expect(await collect(data.rows({ perPage: 4 }))).toEqual(wanted)
    expect((await textOf(await data.file('csv'))).split('\r\n')[0]).toBe('invoice_no,rows,total_amt,_cancelled')
    const changed = await views.save({ ...saved, name: 'Renamed', fields: ['total_amt'] })
    expect(changed).toMatchObject({ id: saved.id, name: 'Renamed', fields: ['total_amt'] })
    await views.delete(saved)
    await expect(views.get(saved.id)).rejects.toMatchObject({ status: 404 })
  })

  it('with a period in words, a walk keeps the days of its first page', async () => {
    const { views } = clientOf()
    const saved = await views.save({
      name: 'March',
      report: 'sales.invoices',
      period: 'last-month',
      fields: 'invoice_no',
    })
    const days: (string | null)[] = []
    const seen = clientOf({
      fetch: (input, init) => {
        const url = new URL(String(input))
        if (url.pathname.endsWith('/data')) days.push(url.searchParams.get('on'))
        return fetch(input, init)
      },
    })
    const all = await collect(seen.views.data(saved, { on: '2024-04-15' }).rows({ perPage: 10 }))
    expect(all.length).toBeGreaterThan(30)
    expect(days).toEqual(Array(Math.ceil(all.length / 10)).fill('2024-04-15'))
    const [{ day } = { day: '' }] =
      await service.db`select (now() at time zone time_zone)::date::text as day from account`
    await collect(seen.views.data(saved).rows())
    expect([days.at(-1), day]).toEqual([null, expect.any(String)])
    await views.delete(saved.id)
  })

  it('an app password reads reports and the data of views, and nothing else', async () => {
    const saved = await clientOf().views.save(definition('For a script'))
    const made = await service.call({ method: 'POST', path: '/v1/app-passwords', body: { name: 'script' } })
    const reader = clientOf({ auth: { appPassword: made.json().app_password }, retries: 0 })
    expect(await invoicesOf(reader).all()).toEqual(await expected())
    expect(await reader.views.data(saved).all()).toEqual(await clientOf().views.data(saved).all())
    for (const refused of [reader.views.list(), reader.views.save(definition('No')), reader.views.delete(saved)])
      await expect(refused).rejects.toMatchObject({ status: 403 })
    const wrong = clientOf({ auth: { appPassword: `millbook_${'x'.repeat(43)}` } })
    await expect(invoicesOf(wrong).all()).rejects.toMatchObject({ status: 401 })
  })
})

it("decimals become the caller's number type, in lines too; markers and other texts stay", async () => {
  class Money {
    readonly text: string
    constructor(text: string) {
      this.text = text
    }
  }
  const millbook = new Millbook({ url: direct, auth: authOf(service.caller), decimals: (text) => new Money(text) })
  const [plain, typed] = [await invoicesOf().all(), await millbook.sales.invoices(RANGE).all()]
  expect(typed[0]?.total_amt).toEqual(new Money(plain[0]?.total_amt as string))
  expect(typed[0]?.invoice_no).toBe(plain[0]?.invoice_no)
  const lines = typed.flatMap(({ items }) => items)
  expect(lines.length).toBeGreaterThan(0)
  for (const { qty } of lines) expect(qty).toBeInstanceOf(Money)
  const status = await millbook.sales.orderStatus({ ...RANGE, version: 'WR' }).all()
  expect(status[0]?.Order_qty).toBeInstanceOf(Money)
  for (const { last_issue_date } of status) expect(typeof last_issue_date).toBe('string')
})

it('a file is the report in the requested format', async () => {
  const file = await invoicesOf().file('csv', { lines: 'no' })
  const text = await textOf(file)
  expect(file).toMatchObject({
    name: expect.stringMatching(/^sales-invoices_2024.*\.csv$/),
    records: (await expected()).length,
  })
  expect(text.split('\r\n').length).toBe(file.records + 2)
})

describe('chosen fields', () => {
  it('are the only ones of a record, in their order; totals have all sums', async () => {
    const chosen = invoicesOf().view({ fields: ['total_amt', 'invoice_no'] })
    const wanted = (await expected()).map(({ total_amt, invoice_no }: Record<string, string>) => ({
      ...{ total_amt, invoice_no },
    }))
    expect(JSON.stringify(await chosen.all())).toBe(JSON.stringify(wanted))
    expect(await chosen.view({ filter: 'invoice_no=X10' }).all()).toEqual(
      wanted.filter(({ invoice_no }: Record<string, string>) => invoice_no === 'X10'),
    )
    expect(await chosen.totals()).toEqual(await invoicesOf().totals())
    const [line = ''] = (await textOf(await chosen.file('csv'))).split('\r\n')
    expect(line).toBe('total_amt,invoice_no')
  })

  it('may be fields of an object', async () => {
    const orders = clientOf().purchase.purchaseOrdersList()
    const [whole] = await orders.all()
    const [chosen] = await orders.view({ fields: ['billing.buyer', 'pono'] }).all()
    expect(chosen).toEqual({ billing: { buyer: whole?.billing.buyer }, pono: whole?.pono })
  })
})

describe('save', () => {
  it('writes the whole report, in the format of the extension', async () => {
    const folder = tempFolder()
    const path = join(folder, 'invoices.csv')
    writeFileSync(path, 'an earlier file')
    const saved = await invoicesOf().save(path)
    const content = readFileSync(path, 'utf8')
    expect(content).toBe(await textOf(await invoicesOf().file('csv')))
    expect(saved).toMatchObject({ path, bytes: Buffer.byteLength(content), records: (await expected()).length })
    await invoicesOf().save(join(folder, 'invoices'), { format: 'ndjson' })
    expect(readdirSync(folder).sort()).toEqual(['invoices', 'invoices.csv'])
    await expect(invoicesOf().save(join(folder, 'invoices.json'))).rejects.toThrow(/must end with one of \.csv/)
  })

  it('fetches the report again if the connection is lost, and leaves nothing behind if it stays lost', async () => {
    const folder = tempFolder()
    const path = join(folder, 'invoices.csv')
    const { url, left } = await withFaults(['cut', 'cut'])
    await invoicesOf(clientOf({ url })).save(path)
    expect([left, readFileSync(path, 'utf8')]).toEqual([[], await textOf(await invoicesOf().file('csv'))])
    writeFileSync(path, 'an earlier file')
    const cut = await withFaults(Array(9).fill('cut'))
    await expect(invoicesOf(clientOf({ url: cut.url })).save(path)).rejects.toBeInstanceOf(ConnectionError)
    expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([['invoices.csv'], 'an earlier file'])
    mkdirSync(join(folder, 'folder.csv'))
    await expect(invoicesOf().save(join(folder, 'folder.csv'))).rejects.toMatchObject({ code: 'EISDIR' })
    expect(readdirSync(folder).sort()).toEqual(['folder.csv', 'invoices.csv'])
  })
})

it('a file may take longer than the limit for a response; a response may not', async () => {
  const slow = createServer((incoming, outgoing) => {
    incoming.resume()
    outgoing.writeHead(200, { 'content-type': 'text/csv' })
    let sent = 0
    const timer = setInterval(() => {
      outgoing.write('0123456789')
      if (++sent < 15) return
      clearInterval(timer)
      outgoing.end()
    }, 80)
  })
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void slow.close())
  const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`
  const millbook = clientOf({ url, auth: () => 'token', timeout: 1000, retries: 0 })
  const { bytes } = await invoicesOf(millbook).file('csv')
  expect(Buffer.concat(await collect(bytes as unknown as AsyncIterable<Uint8Array>))).toHaveLength(150)
  await expect(invoicesOf(millbook).all()).rejects.toThrow('the response took too long')
})

describe('errors', () => {
  it('name the wrong parameters, and such a request is not retried', async () => {
    const retried: unknown[] = []
    const query = clientOf({ onRetry: (about) => retried.push(about) }).sales.invoices({
      from_date: 'x',
      to_date: '2024-01-01',
    })
    const error = await query.all().catch((error) => error)
    expect(error).toBeInstanceOf(MillbookError)
    expect(error).toMatchObject({ status: 422, errors: [{ field: 'from_date' }], requestId: expect.any(String) })
    expect(error.message).toContain('from_date must be a calendar date')
    expect(retried).toEqual([])
  })

  it('a wrong secret gives a clear error', async () => {
    const millbook = clientOf({ auth: { ...authOf(service.caller), clientSecret: 'wrong' } })
    await expect(invoicesOf(millbook).all()).rejects.toMatchObject({ status: 401 })
  })

  it('a service that does not answer is retried a few times, then reported', async () => {
    const retried: number[] = []
    const millbook = clientOf({
      url: 'http://127.0.0.1:9',
      retries: 2,
      longestPause: 5,
      onRetry: ({ attempt }) => retried.push(attempt),
    })
    await expect(invoicesOf(millbook).all()).rejects.toBeInstanceOf(ConnectionError)
    expect(retried).toEqual([1, 2])
  })

  it('a signal cancels a call, also while it waits to retry', async () => {
    const { url } = await withFaults(Array(20).fill(503))
    const stop = new AbortController()
    const walking = collect(
      invoicesOf(clientOf({ url, onRetry: () => stop.abort(new Error('enough')) })).rows({ signal: stop.signal }),
    )
    await expect(walking).rejects.toThrow('enough')
  })
})

it('concurrent requests fetch one token', async () => {
  const before = await service.db`select from api_token where kind = 'access'`
  const millbook = clientOf()
  await Promise.all([1, 2, 3, 4].map(() => invoicesOf(millbook).all()))
  expect((await service.db`select from api_token where kind = 'access'`).length).toBe(before.length + 1)
})

it('a wrong parameter, report or field does not compile', () => {
  const millbook = clientOf()
  const unused = () => {
    // @ts-expect-error the parameter is called from_date
    millbook.sales.invoices({ from: '2024-01-01', to_date: '2024-01-01' })
    // @ts-expect-error to_date is missing
    millbook.sales.invoices({ from_date: '2024-01-01' })
    // @ts-expect-error there is no such report
    millbook.sales.invoice(RANGE)
    // @ts-expect-error one of FG, …
    millbook.inventory.fgStockStatus({ ...RANGE, type: 'FGX', tax: 0 })
    millbook.sales
      .invoices(RANGE)
      .all()
      .then(([first]) => {
        // @ts-expect-error there is no such field
        first?.total_amount
        first?.total_amt.toUpperCase()
      })
    millbook.sales
      .orderStatus({ ...RANGE, version: 'WR' })
      .totals()
      .then((totals) => {
        totals.Order_qty?.toUpperCase()
        // @ts-expect-error it is null if the records have several units
        totals.Order_qty.toUpperCase()
        for (const { unit, Order_qty } of totals._by_unit) unit?.concat(Order_qty ?? '')
        // @ts-expect-error prices have no totals
        totals.rate
      })
    millbook.sales
      .invoices(RANGE)
      .totals()
      .then(({ _cancelled }) => _cancelled.toFixed())
    millbook.sales.grossMargin({ ...RANGE, type: 'CONSOLIDATED', tax: 0, date_type: 'ORDER' } as never)
    const invoices = millbook.sales.invoices(RANGE)
    const number: string = 'X10'
    invoices.view({ sort: ['-total_amt', 'invoice_no'], filter: [`invoice_no=${number}`, 'total_amt>=1000'] })
    // @ts-expect-error there is no such field
    invoices.view({ sort: 'total_amount' })
    // @ts-expect-error there is no such field
    invoices.view({ sort: ['-total_amount'] })
    // @ts-expect-error there is no such field
    invoices.view({ filter: 'total_amount>=1000' })
    // @ts-expect-error a condition needs an operator
    invoices.view({ filter: 'total_amt' })
    // @ts-expect-error a list has several values
    invoices.view({ sort: 'items' })
    // @ts-expect-error there is no such field
    invoices.view({ fields: ['total_amount'] })
    invoices
      .view({ fields: ['invoice_no', 'items'] })
      .view({ sort: '-total_amt' })
      .all()
      .then(([first]) => {
        first?.invoice_no.toUpperCase()
        first?.items.at(0)?.qty.toUpperCase()
        // @ts-expect-error it was not chosen
        first?.total_amt
      })
    const orders = new Millbook({ url: direct, auth: () => '', decimals: (text) => new Date(text) }).purchase
      .purchaseOrdersList()
      .view({ sort: '-billing.buyer', filter: 'adjustment.amt<0', fields: ['billing.buyer', 'adjustment'] })
    // @ts-expect-error an object is not a single value
    orders.view({ sort: 'billing' })
    const groups = invoices.group({ by: ['customer_name', 'month(invoice_date)'], measures: ['sum(total_amt)'] })
    groups.all().then(([first]) => {
      first?.customer_name.toUpperCase()
      first?.total_amt.toUpperCase()
      first?.rows.toFixed()
      first?._cancelled.toFixed()
      // @ts-expect-error it is null for an invoice without a date
      first?.invoice_date_month.toUpperCase()
      // @ts-expect-error it is not measured
      first?.sub_total
    })
    // @ts-expect-error there is no such column
    groups.view({ sort: 'sub_total' })
    // @ts-expect-error filter chooses records before they are grouped
    groups.view({ filter: 'rows>1' })
    groups
      .compare('year')
      .view({ having: 'total_amt__change<0', fields: ['total_amt__change'] })
      .all()
      .then(([first]) => {
        first?.total_amt__change.toUpperCase()
        // @ts-expect-error it was not chosen
        first?.total_amt
      })
    // @ts-expect-error it is not a date
    invoices.group({ by: ['month(customer_name)'] })
    // @ts-expect-error dates have no sum
    invoices.group({ by: ['customer_name'], measures: ['sum(invoice_date)'] })
    const stock = millbook.inventory.fgStockStatus({ ...RANGE, type: 'FG', tax: 0 })
    stock
      .group({ by: ['warehouse'], measures: ['sum(Closing_qty)'] })
      .all()
      .then(([first]) => first?.UoM.toUpperCase()) // quantities of several units are not added up
    stock
      .group({ by: ['warehouse'], measures: ['sum(final_value)'] })
      .all()
      .then(([first]) => {
        // @ts-expect-error an amount has no unit
        first?.UoM
      })
    stock
      .compare('previous')
      .all()
      .then(([first]) => {
        first?.Closing_qty__before.toUpperCase()
        first?.Closing_qty__change?.toUpperCase()
      })
    const booked = millbook.sales.salesOrders({ ...RANGE, method: 'month' })
    booked
      .group({ by: ['customer.billing.city', 'month(order_date)'], measures: ['sum(adjustment.amt)'] })
      .all()
      .then(([first]) => [first?.customer.billing.city.toUpperCase(), first?.adjustment.amt.toUpperCase()])
    booked
      .compare('year')
      .all()
      .then(([first]) => {
        first?.adjustment.amt__before.toUpperCase()
        // @ts-expect-error a comparison has no lines
        first?.items
      })
    orders.all().then(([first]) => {
      first?.billing.buyer.toUpperCase()
      first?.adjustment.amt.getTime()
      // @ts-expect-error it was not chosen
      first?.billing.address
    })
  }
  expect(typeof unused).toBe('function')
})
