/** An answer stays valid until a load changes a table that its report reads. */
import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { query } from '../../src/db/query.js'
import { identifier, raw, sql } from '../../src/db/sql.js'
import { tablesOf } from '../../src/db/tables.js'
import { load } from '../../src/import/pipeline/load.js'
import { verify } from '../../src/import/pipeline/verify.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { tablesRead } from '../../src/kernel/answer/reads.js'
import { runWhole, wholeStatement } from '../../src/kernel/answer/statement.js'
import { readParams } from '../../src/kernel/report/params.js'
import type { Report } from '../../src/kernel/report/report.js'
import { WHOLE } from '../../src/kernel/report/rights.js'
import { reports } from '../../src/reports/index.js'
import { buildApp } from '../../src/runtime/app.js'
import { commitVersion } from '../../src/store/commit.js'
import { files, openBooks } from '../setup/books.js'
import { folderOf, tempFolder } from '../setup/files.js'
import { anyLoad } from '../setup/loads.js'
import { requestsFor } from '../setup/requests.js'
import { type Request, type Service, startService } from '../setup/service.js'
import { stringsOf } from '../setup/texts.js'
import { inLongTier, runs } from '../setup/tier.js'

let service: Service
beforeAll(async () => {
  service = await startService({}, await openBooks())
})
afterAll(() => service.close())

const RANGE = { from_date: '2024-01-01', to_date: '2024-12-31' }
const requests = reports.map((report) => ({ report, request: requestsFor(report, RANGE)[0] ?? {} }))

/** The records that the report's statement returns at this moment. */
async function computed(report: Report, request: object): Promise<unknown[]> {
  const read = readParams(report.request, request as Record<string, unknown>)
  if ('errors' in read) throw new Error(JSON.stringify(read.errors))
  const texts = await stringsOf(runWhole(service.db, report, read.values, WHOLE))
  return texts.map((text) => JSON.parse(text))
}

const ask = (report: Report, body: object, { query, ...more }: Partial<Request> = {}) =>
  service.call({ path: report.path, body, query: { fields: 'all', ...query }, ...more })
const byId = (id: string) => requests.find(({ report }) => report.id === id) as (typeof requests)[number]

const loadRows = async (rows: Record<string, string[]>, replace: string[] = []) => {
  const loaded = await load(service.database, findFiles(folderOf(files(rows))), { replace })
  return loaded
}

it('a walk over pages continues after a load of other tables, with the version that it began with', async () => {
  const { report, request } = byId('sales.invoices')
  await loadRows({ invoices: ['I7,SO1,2024-03-07 09:30:00,2024-04-07,20,2.4,22.4,22.4'] })
  const first = await ask(report, request, { query: { page: 1, 'per-page': 1 } })
  const { next } = first.json()._links
  await loadRows({ stock_movements: [`N${Date.now()},2024-03-04,other_receipt,SFG1,Plant,,1,1,1,,,,,,,`] })
  const again = await ask(report, request, { query: { page: 1, 'per-page': 1 } })
  expect(again.headers['etag']).toBe(first.headers['etag'])
  expect(Number(again.headers['x-data-version'])).toBe(Number(first.headers['x-data-version']) + 1)
  expect(again.json().data).toEqual(first.json().data)
  for (const href of [next.href, again.json()._links.next.href]) {
    const second = await ask(report, request, { query: Object.fromEntries(new URL(href).searchParams) })
    expect(second.json().data).toEqual((await computed(report, request)).slice(1, 2))
    const began = href === next.href ? first : again
    expect(second.headers['x-data-version']).toBe(began.headers['x-data-version'])
  }
  await loadRows({ invoices: ['I7,SO1,2024-03-08 09:30:00,2024-04-07,20,2.4,22.4,22.4'] })
  const current = await ask(report, request, { query: { page: 1, 'per-page': 1 } })
  expect(current.headers['etag']).not.toBe(first.headers['etag'])
})

it('a walk continues after a load that replaces a version of a month ago', async () => {
  const { report, request } = byId('masters.material')
  await service.db`update data_version set version = version + 1, committed_at = now() - interval '30 days'`
  const first = await ask(report, request, { query: { page: 1, 'per-page': 1 } })
  expect(first.json()._meta.pageCount).toBeGreaterThan(0)
  const pin = new URL(first.json()._links.next?.href ?? first.json()._links.last.href).searchParams.get('snapshot')
  const again = { query: { page: 1, 'per-page': 1, ...(pin !== null && { snapshot: pin }) } }
  expect(pin).not.toBeNull()
  await loadRows({ items: [`RM${Date.now()},Rennet,MAT,RAW,KG,`] })
  expect((await ask(report, request, again)).json().data).toEqual(first.json().data)
})

it('deriving the closings again renews stock reports and keeps the others', async () => {
  const tags = async () =>
    Promise.all(
      ['inventory.fg-stock-status', 'sales.invoices'].map(async (id) => {
        const { report, request } = byId(id)
        return (await ask(report, request)).headers['etag']
      }),
    )
  const before = await tags()
  await verify(service.database, { rebuild: true })
  const after = await tags()
  expect([after[0] === before[0], after[1] === before[1]]).toEqual([false, true])
})

it('a write to any table of business data renews exactly the reports that read it', async () => {
  const { db, engine } = service.database
  // The books are too small for closings of batches, and have no terms of vendors.
  await db`insert into batch_closing select min(id), 'B', '1900-01-01', 0, 0 from item`
  await db`insert into item_vendor select min(i.id), min(v.code), 7 from item i cross join vendor v`
  onTestFinished(async () => {
    await db`delete from batch_closing where day = '1900-01-01'`
    await db`delete from item_vendor`
  })
  const tables = await tablesOf(db, [])
  const reads = await Promise.all(
    requests.map(async ({ report, request }) => {
      const read = readParams(report.request, request as Record<string, unknown>)
      if ('errors' in read) throw new Error(JSON.stringify(read.errors))
      const statement = wholeStatement(report, read.values, WHOLE)
      const tables = await tablesRead(db, statement)
      return tables && new Set(tables) // undefined: it may read any table
    }),
  )
  const tags = async () => {
    const found: unknown[] = []
    // One after another, because a client may not have more than 32 in progress.
    for (const { report, request } of requests) found.push((await ask(report, request)).headers['etag'])
    expect(found).not.toContain(undefined)
    return found
  }
  // What loads changed is read from tables that every load writes.
  const isOfLoads = (name: string) => /^(past_.*|data_version|history|known_version|load_log)$/.test(name)
  const isReadByOthers = (name: string) =>
    requests.some(({ report: { group } }, i) => group !== 'history' && reads[i]?.has(name))
  const business = tables.filter(({ name }) => !isOfLoads(name) && isReadByOthers(name))
  const rowless: string[] = []
  let before = await tags()
  for (const { name, columns } of business) {
    const column = identifier(columns.at(-1) as string)
    const isWritten = await db.begin(async (tx) => {
      await tx`set local millbook.loading = 'on'`
      const work = await engine.openWork(tx, { tables: [] })
      const { count } = await query(tx, sql`update ${identifier(name)} set ${column} = ${column}`)
      const changed = await work.store()
      expect(changed?.filter((table) => !isOfLoads(table))).toEqual(count === 0 ? [] : [name])
      if (count > 0) await commitVersion(tx, engine, changed)
      return count > 0
    })
    if (!isWritten) rowless.push(name)
    const after = await tags()
    const renewed = requests.flatMap(({ report }, i) => (after[i] === before[i] ? [] : [report.id]))
    const expected = requests.flatMap(({ report }, i) =>
      isWritten && (reads[i]?.has(name) ?? true) ? [report.id] : [],
    )
    expect([name, renewed]).toEqual([name, expected])
    before = after
  }
  // A table without rows proves nothing: the books need rows for it.
  expect(rowless).toEqual([])
  expect(business.length).toBeGreaterThan(20)
})

it('the tables that a statement reads are found through views and inlined functions; others may read any table', async () => {
  const { db } = service
  await db.unsafe(`
    create function of_items() returns bigint language sql stable as 'select count(*) from item';
    create function named_items() returns setof item language sql stable as 'select * from item';
    create function of_any() returns bigint language plpgsql stable as 'begin return (select count(*) from vendor); end';
    create function twice(n bigint) returns bigint language sql immutable as 'select n * 2'`)
  onTestFinished(async () => void (await db.unsafe('drop function of_items, named_items, of_any, twice')))
  const read = (text: string) => tablesRead(db, raw(text))
  expect(await read('select 1 as record')).toEqual([])
  expect(await read('select twice(count(*)) from customer')).toEqual(['customer'])
  expect(await read('select * from purchase_order_line_received')).toEqual([
    'goods_receipt_line',
    'purchase_order_line',
  ])
  expect(await read('select * from named_items()')).toEqual(['item'])
  expect(await read('select * from customer where exists (select from account where false)')).toContain('account')
  expect(await read('select of_any() from customer')).toBeUndefined()
  expect(await read('select of_items() from customer')).toBeUndefined() // the planner does not inline it
})

it('every page during loads shows one version of the data', async () => {
  const { report, request } = byId('sales.invoices')
  let stop = false
  const loading = (async () => {
    for (let i = 0; !stop; i++) {
      await sleep(20)
      await service.db.begin(async (tx) => {
        // Add or remove a row, and name every row after the version.
        await tx`delete from invoice where invoice_no like 'X%'`
        await tx`insert into invoice (order_no, invoice_no, invoice_at, due_date, sub_total, total_tax, total_amt, final_amt)
                 select order_no, 'X' || n, invoice_at, due_date, sub_total, total_tax, total_amt, final_amt
                   from invoice cross join generate_series(1, ${3 + (i % 2)}) n where invoice_no = 'I1'`
        await tx`update invoice set reference = ${`state ${i}`}`
        await tx`update data_version set version = version + 1, committed_at = clock_timestamp(), changed = '{invoice}'`
      })
    }
  })()
  const states = new Set<string>()
  for (let i = 0; i < 600 && states.size < 10; i++) {
    await sleep(5)
    const { statusCode, headers, body } = await ask(report, request, { query: { page: 1 + (i % 2), 'per-page': 3 } })
    if (statusCode === 503) continue // the data changes faster than the report can be computed
    const { data } = JSON.parse(body) as { data: { reference: string }[] }
    const [state, ...others] = [...new Set(data.map(({ reference }) => reference))]
    expect(others).toEqual([])
    if (state?.startsWith('state')) {
      const extra = 3 + (Number(state.slice(6)) % 2)
      const [row] = await service.db`select count(*)::int as n from invoice where invoice_no not like 'X%'`
      expect(Number(headers['x-pagination-total-count'])).toBe(Number(row?.['n']) + extra)
      states.add(state)
    }
  }
  stop = true
  await loading
  expect(states.size).toBeGreaterThan(1)
})

it('after a load, the service computes the most requested reports before the next request', async () => {
  const { database } = service
  const folder = tempFolder()
  const app = await buildApp({ database, reports, logLevel: 'silent', leaseMs: 0, warmUp: 2, snapshots: folder })
  onTestFinished(() => app.close())
  const call = async (id: string, times: number) => {
    const { report, request } = byId(id)
    const headers = { authorization: `Bearer ${service.caller.token}` }
    for (let i = 0; i < times; i++) {
      const { statusCode } = await app.inject({ method: report.method, url: report.path, payload: request, headers })
      expect(statusCode).toBe(200)
    }
  }
  const files = () => readdirSync(folder).filter((name) => !name.endsWith('.part')).length
  await call('masters.material', 3)
  await call('masters.finished-goods', 1)
  await call('inventory.mat-stock-status', 2)
  expect(files()).toBe(3)
  await loadRows({ items: [`NEW${Date.now()},New,FG,,PCS,`] })
  await expect.poll(files).toBe(5)
  await call('masters.material', 1)
  await call('inventory.mat-stock-status', 1)
  expect(files()).toBe(5)
  await call('masters.finished-goods', 1)
  expect(files()).toBe(6)
})

/** The last one: it may leave books without a closing. */
inLongTier('no sequence of loads leaves a stale answer, and loads of other tables keep answers valid', async () => {
  const outcomes = { kept: 0, changed: 0 }
  let movements = 0
  await fc.assert(
    fc.asyncProperty(fc.array(anyLoad, { minLength: 3, maxLength: 6 }), async (sequence) => {
      const before = new Map<Report, { etag: string; records: unknown[] }>()
      // The last load changes only the ledger.
      const moved = `S${++movements},2024-03-04,other_receipt,SFG1,Plant,,1,1,1,,,,,,,`
      for (const step of [undefined, ...sequence, { rows: { stock_movements: [moved] }, replace: [] }]) {
        if (step !== undefined) await loadRows(step.rows, step.replace)
        const version = String((await service.db`select version from data_version`)[0]?.['version'])
        for (const { report, request } of requests) {
          const records = await computed(report, request)
          const known = before.get(report)
          const { statusCode, headers, body } = await ask(report, request, {
            query: report.perPage === undefined ? {} : { 'per-page': 1000 },
            headers: known === undefined ? {} : { 'if-none-match': known.etag },
          })
          expect([report.id, headers['x-data-version']]).toEqual([report.id, version])
          const found = statusCode === 304 ? known?.records : JSON.parse(body).data
          expect({ report: report.id, records: found }).toEqual({ report: report.id, records })
          const page = await ask(report, request, { query: { page: 2, 'per-page': 2 } })
          expect(page.json().data).toEqual(records.slice(2, 4))
          expect(page.headers['x-pagination-total-count']).toBe(String(records.length))
          if (step !== undefined) outcomes[statusCode === 304 ? 'kept' : 'changed']++
          before.set(report, { etag: String(headers['etag']), records })
        }
      }
    }),
    { numRuns: runs(1, 15), endOnFailure: true },
  )
  expect(outcomes.kept).toBeGreaterThan(0)
  expect(outcomes.changed).toBeGreaterThan(0)
})
