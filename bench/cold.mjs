/** Measures the first requests after a load: pages of a listing, pages of other reports, walks, and reports that stay warm. */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { connect } from '../dist/db/connect.js'
import { reports } from '../dist/reports/index.js'
import { cold, idle, invalidate } from './lib/cold.mjs'
import { company, TODAY } from './lib/company.mjs'
import { call, walk } from './lib/http.mjs'
import { serve } from './lib/serve.mjs'
import { psql, withValues } from './lib/sql.mjs'
import { eachTurn, inTurns, median, medianTurn, seconds } from './lib/time.mjs'

/** @typedef {import('./run.mjs').Bench} Bench */
/** @typedef {import('./lib/serve.mjs').Service} Service */
/** @typedef {import('../dist/db/connect.js').Db} Db */

// All fields, as files have them: psql writes the same records.
const path = '/v1/sales/invoices?fields=all'

/** @param {Bench} bench */
export async function run(bench) {
  const { url } = await company(bench)
  const { db, close } = await connect({ url })
  const service = await serve(['--database', url], { snapshots: bench.folder })
  try {
    const wanted = 100_000 * bench.scale
    const [since] = await db`
      select invoice_at::date as from, count(*) over (order by invoice_at::date desc)::int as total
        from invoice where invoice_at < ${TODAY}::date + 1 order by invoice_at desc offset ${wanted} limit 1`
    const range = { from: String(since?.['from']), to: TODAY }
    const invoices = { ...service, path, body: { from_date: range.from, to_date: range.to } }
    const total = Number(since?.['total'])
    bench.progress(`${total} invoices from ${range.from} on`)
    await cold(db, { ...invoices, path: `${path}&page=2&per-page=20` }, 10)
    await pagesByKey(bench, db, url, invoices, range, total)
    await randomCallers(bench, db, invoices, total)
    await walks(bench, db, url, invoices, range)
    await untouched(bench, db, invoices)
    await aggregated(bench, db, service)
  } finally {
    await service.stop()
    await close()
  }
}

/**
 * One caller, pages of 20 at random right after a load, against SQL that seeks the page's first key.
 * @param {Bench} bench @param {Db} db @param {string} url @param {import('./lib/http.mjs').Target} target
 * @param {{ from: string, to: string }} range @param {number} total
 */
async function pagesByKey(bench, db, url, target, range, total) {
  bench.progress('pages of 20 invoices at random, right after a load')
  /** @type {number[]} */
  const ours = []
  /** @type {number[]} */
  const theirs = []
  for (let round = 0; round < 5; round++) {
    await invalidate(db)
    for (let i = 0; i < 10; i++) {
      const page = 1 + Math.floor(Math.random() * (total / 20))
      ours.push((await call({ ...target, path: `${path}&page=${page}&per-page=20` })).seconds)
    }
    await invalidate(db) // waits until the service is idle
    const keys = await db`
      select invoice_at::text as at, invoice_no as no from invoice
       where invoice_at >= ${range.from}::date and invoice_at < ${range.to}::date + 1 order by random() limit 10`
    const statements = keys.map(({ at, no }) =>
      withValues('invoices.key', { ...range, at: String(at), no: String(no) }),
    )
    // A new session reads the catalogue first; the service's pooled connections have already done so.
    const { each } = psql(url, bench.folder, [...statements, ...statements], { times: 1, jit: 'off' })
    theirs.push(...each.slice(statements.length))
  }
  bench.figure('cold_page_by_key', median(ours) * 1000, 'ms', median(theirs) * 1000)
}

/**
 * Ten callers request random pages in the three seconds after a load, against the same requests once the report is stored.
 * @param {Bench} bench @param {Db} db @param {import('./lib/http.mjs').Target} target @param {number} total
 */
async function randomCallers(bench, db, target, total) {
  bench.progress('ten callers at random pages in the 3 s after a load')
  const pages = Math.ceil(total / 20)
  /** @type {number[][]} */
  const turns = []
  for (let round = 0; round < 12; round++) {
    await invalidate(db, { settle: false })
    const first = await callAtRandom(target, pages)
    await idle(db) // by then, the whole report is stored
    const later = await callAtRandom(target, pages)
    bench.progress(`${first.toFixed(0)} a second, and ${later.toFixed(0)} once the whole report is stored`)
    if (round > 0) turns.push([first, later]) // in the first, the service has just started
  }
  const [coldly = 0, warmly = 1] = medianTurn(turns)
  bench.figure('cold_random_callers', coldly, 'requests/s', warmly)
}

/**
 * Requests a second of ten callers for three seconds, in a separate thread.
 * @param {import('./lib/http.mjs').Target} target @param {number} pages
 */
async function callAtRandom({ base, token, path, body }, pages) {
  const worker = new Worker(new URL('./lib/random.mjs', import.meta.url), {
    workerData: { target: { base, token, path, body }, pages, callers: 10, seconds: 3 },
  })
  const [perSecond] = await once(worker, 'message')
  return Number(perSecond)
}

/**
 * A cold walk by pages of 1000 against psql that writes the same records.
 * @param {Bench} bench @param {Db} db @param {string} url @param {import('./lib/http.mjs').Target} target
 * @param {{ from: string, to: string }} range
 */
async function walks(bench, db, url, target, range) {
  bench.progress('a walk over all invoices, cold')
  const [ours = 0, theirs = 0] = await inTurns(4, [
    async () => {
      await invalidate(db)
      return await seconds(() => walk({ ...target, path: `${path}&page=1` }))
    },
    async () => psql(url, bench.folder, [withValues('invoices.all', range)], { times: 1 }).seconds,
  ])
  bench.figure('cold_walk_psql', ours, 's', theirs)
}

/**
 * A page after a load that does not touch its report, against the same page without a load; both after the same pause.
 * @param {Bench} bench @param {Db} db @param {import('./lib/http.mjs').Target} target
 */
async function untouched(bench, db, target) {
  bench.progress('a report after a load that does not touch it')
  const page = { ...target, path: `${path}&page=7&per-page=20` }
  const [ours = 0, theirs = 0] = await inTurns(30, [
    async () => {
      await db`update data_version set version = version + 1, committed_at = now(), changed = '{stock_movement}'`
      await sleep(100)
      return (await call(page)).seconds
    },
    async () => {
      await sleep(100)
      return (await call(page)).seconds
    },
  ])
  bench.figure('after_other_load', ours * 1000, 'ms', theirs * 1000)
}

/** The report with the worst ratio is measured again this many times: the worst of twenty is mostly chance at first. */
const AGAIN = 12

/**
 * A cold page of 20 records of every report that is not a listing, against the whole report; the worst ratio counts.
 * @param {Bench} bench @param {Db} db @param {Service} service
 */
async function aggregated(bench, db, service) {
  /** @type {{ name: string, page: number, whole: number, measure: () => Promise<void> }[]} */
  const measured = []
  for (const report of reports) {
    for (const [name, shape] of report.shapes) {
      if (shape.listing || report.method === 'GET') continue
      const body = { ...exampleOf(report), ...(report.shapedBy !== undefined && { [report.shapedBy]: name }) }
      const target = { ...service, path: report.path, body }
      const turns = (await cold(db, target, 1)) < 0.3 ? 20 : 8
      const one = { name: `${report.id} ${name}`, page: 0, whole: 0, measure: async () => {} }
      /** @type {number[][]} */
      const all = []
      one.measure = async () => {
        const sizes = [20, 1000]
        const works = sizes.map(
          (size) => () => cold(db, { ...target, path: `${report.path}?page=1&per-page=${size}` }, 1),
        )
        all.push(...(await eachTurn(turns, works)))
        ;[one.page = 0, one.whole = 0] = medianTurn(all)
        bench.progress(`${one.name}: page ${one.page.toFixed(3)} s, whole ${one.whole.toFixed(3)} s`)
      }
      await one.measure()
      if (one.whole > 0.02) measured.push(one) // a ratio of times near a millisecond says nothing
    }
  }
  const worst = () => measured.reduce((a, b) => (b.page / b.whole > a.page / a.whole ? b : a))
  for (let i = 0; i < AGAIN; i++) await worst().measure()
  const { page, whole } = worst()
  bench.figure('cold_page_whole', page, 's', whole)
}

/** @param {import('../dist/kernel/report/report.js').Report} report */
const exampleOf = (report) => ({
  ...Object.fromEntries(
    Object.entries(report.request).flatMap(([name, { example, required }]) => (required ? [[name, example]] : [])),
  ),
  ...('from_date' in report.request && { from_date: '2026-04-01', to_date: TODAY }),
})
