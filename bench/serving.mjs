/** Measures warm pages, concurrent cold requests, walks over pages, long responses and pages during a load. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { connect } from '../dist/db/connect.js'
import { invalidate } from './lib/cold.mjs'
import { company, documents, files, TODAY } from './lib/company.mjs'
import { CONSUMPTION, consumptionSince, withManyConsumptions } from './lib/consumption.mjs'
import { call, callRepeatedly, walk } from './lib/http.mjs'
import { baseline, peakMemory, resetPeakMemory, serve } from './lib/serve.mjs'
import { inTurns, median, medianTurn, seconds } from './lib/time.mjs'

/** @typedef {import('./run.mjs').Bench} Bench */

/** @param {Bench} bench */
export async function run(bench) {
  const { url } = await company(bench)
  const plain = await baseline('plain', url)
  await withService(bench, ['--database', url], async (service) => {
    await warmPages(bench, service, '')
    bench.progress('a plain implementation')
    const ours = await callRepeatedly({ ...service, ...PAGE }, { connections: 10, seconds: 3 })
    const plainly = await callRepeatedly({ ...plain, ...PAGE }, { connections: 2, seconds: 10 })
    bench.figure('warm_page_plain', ours.perSecond, 'requests/s', plainly.perSecond)

    bench.progress('1000 connections')
    const many = await callRepeatedly({ ...service, ...PAGE }, { connections: 1000, seconds: 8 })
    bench.figure('warm_page_1000_connections', many.p99, 'ms', many.p50)

    const database = await connect({ url })
    await walks(bench, service, database.db, '')
    await database.close()
  })
  await plain.stop()
  await whileLocked(bench, url)
  await concurrent(bench, url)
  await memory(bench, url)
  await whileLoading(bench)
}

const PAGE = {
  path: '/v1/inventory/fg-stock-status?page=2&per-page=20',
  body: { type: 'FG', tax: 0, from_date: '2026-06-01', to_date: '2026-06-30' },
}

/**
 * @param {Bench} bench @param {string[]} database @param {(service: import('./lib/serve.mjs').Service) => Promise<void>} work
 * @param {number} workers
 */
export async function withService(bench, database, work, workers = 1) {
  const service = await serve(database, { workers, snapshots: bench.folder })
  try {
    await work(service)
  } finally {
    await service.stop()
  }
}

/**
 * Requests a page of 20 records repeatedly, alternating with servers that only send the same bytes.
 * @param {Bench} bench @param {import('./lib/serve.mjs').Service} service @param {string} prefix for the names of the figures
 */
export async function warmPages(bench, service, prefix) {
  const { json } = await call({ ...service, ...PAGE }, { parse: true })
  const file = join(bench.folder, 'page.json')
  writeFileSync(file, JSON.stringify(json))
  bench.progress(`warm pages of ${json.data.length} records, ${JSON.stringify(json).length} bytes`)
  const fastify = await baseline('fastify', file)
  const bare = await baseline('node-http', file)
  // Alternate in short rounds, because the machine's speed changes within seconds.
  const targets = [service, fastify, bare].map(({ base, token }) => ({ base, token, ...PAGE }))
  const how = JSON.stringify({ targets, rounds: 21, connections: 50, seconds: 1 })
  const alternate = fileURLToPath(new URL('lib/alternate.mjs', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [alternate, how])
  const rounds = /** @type {number[][]} */ (JSON.parse(stdout))
  const [ours = 0, framework = 0] = medianTurn(rounds)
  bench.figure(`${prefix}warm_page`, ours, 'requests/s', framework)
  const [again = 0, , node = 0] = medianTurn(rounds, 2)
  bench.figure(`${prefix}warm_page_node_http`, again, 'requests/s', node)
  await fastify.stop()
  await bare.stop()
}

/**
 * All pages one after the other, cold, against the whole report, cold.
 * @param {Bench} bench @param {import('./lib/serve.mjs').Service} service @param {import('../dist/db/connect.js').Db} db
 * @param {string} prefix for the name of the figure
 */
export async function walks(bench, service, db, prefix) {
  const { total, body } = await consumptionSince(db, 100_000 * bench.scale)
  bench.progress(`a walk over ${total} records, and the whole report`)
  /** @type {number[][]} */
  const found = [[], []]
  for (let round = 0; round < 3; round++) {
    await invalidate(db)
    const path = `${CONSUMPTION}?page=1&per-page=1000`
    let walked = 0
    found[0]?.push(
      await seconds(async () => {
        walked = await walk({ ...service, path, body })
      }),
    )
    if (walked !== total) throw new Error(`walked over ${walked} of ${total} records`)
    await invalidate(db)
    found[1]?.push((await call({ ...service, path: CONSUMPTION, body })).seconds)
  }
  const [walking = 0, whole = 0] = found.map(median)
  bench.figure(`${prefix}walk`, walking, 's', whole)
}

/**
 * The p99 of pages from memory while another session has locked the invoices and 24 requests of another client wait for them.
 * @param {Bench} bench @param {string} url
 */
async function whileLocked(bench, url) {
  bench.progress('warm pages while a table is locked')
  const { db, close } = await connect({ url })
  const steadily = { connections: 10, every: 20, seconds: 4 }
  await withService(bench, ['--database', url], async (service) => {
    const page = { ...service, ...PAGE }
    await call(page)
    const [locked = 0, quiet = 0] = await inTurns(7, [
      async () => {
        let unlock = () => {}
        /** @type {Promise<void>} */
        const unlocked = new Promise((resolve) => {
          unlock = resolve
        })
        /** @type {Promise<unknown>} */
        let holding = Promise.resolve()
        await new Promise((ready) => {
          holding = db.begin(async (tx) => {
            await tx.unsafe('lock table invoice')
            ready(undefined)
            await unlocked
          })
        })
        const gone = new AbortController()
        for (let i = 1; i <= 24; i++)
          fetch(`${service.base}/v1/sales/invoices?page=${i}&per-page=20`, {
            method: 'POST',
            headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
            body: JSON.stringify({ from_date: '2026-01-01', to_date: TODAY }),
            signal: gone.signal,
          }).catch(() => {})
        const { p99 } = await callRepeatedly(page, steadily)
        gone.abort()
        unlock()
        await holding
        return p99
      },
      async () => (await callRepeatedly(page, steadily)).p99,
    ])
    bench.figure('warm_page_locked', locked, 'ms', quiet)
  })
  await close()
}

/**
 * Fifty concurrent cold requests for one report, to two processes.
 * @param {Bench} bench @param {string} url
 */
async function concurrent(bench, url) {
  bench.progress('50 concurrent clients')
  const { db, close } = await connect({ url })
  await db`create extension if not exists pg_stat_statements`
  const target = { path: CONSUMPTION, body: (await consumptionSince(db, 10_000 * bench.scale)).body }
  await withService(
    bench,
    ['--database', url],
    async (service) => {
      await db`select pg_stat_statements_reset()`
      await Promise.all(Array.from({ length: 50 }, () => call({ ...service, ...target })))
    },
    2,
  )
  const [ran] = await db`
    select coalesce(sum(calls), 0)::int as times from pg_stat_statements
     where query like '%as record%' and query like '%consumption%' and query not like 'explain%'`
  if (ran?.times === 0) throw new Error('the statement of the report was not found in pg_stat_statements')
  bench.figure('cold_50_clients', Number(ran?.times), 'runs', 1)
  await close()
}

/**
 * The peak memory of the process while it sends a whole cold report.
 * @param {Bench} bench @param {string} company
 */
async function memory(bench, company) {
  bench.progress('a whole report of 1M records')
  const { url, db, close } = await withManyConsumptions(bench, company)
  /** @type {number[]} */
  const peaks = []
  for (const records of [100_000, 1_000_000]) {
    const { total, body } = await consumptionSince(db, records * bench.scale)
    await withService(bench, ['--database', url], async (service) => {
      resetPeakMemory(service.pid)
      const { bytes } = await call({ ...service, path: CONSUMPTION, body })
      peaks.push(peakMemory(service.pid))
      bench.progress(`${total} records, ${Math.round(bytes / 1e6)} MB: ${Math.round(peaks.at(-1) ?? 0)} MB of memory`)
    })
  }
  const [small = 0, large = 0] = peaks
  bench.figure('whole_memory', large, 'MB', 300)
  bench.figure('whole_memory_growth', large, 'MB', small)
  await close()
}

/**
 * The p95 of warm pages of invoices while 1M movements are loaded.
 * @param {Bench} bench
 */
async function whileLoading(bench) {
  const { ledger } = await files(bench)
  const url = await bench.newDatabase(await documents(bench))
  const body = { from_date: '2026-05-01', to_date: '2026-05-31' }
  const page = { path: '/v1/sales/invoices?page=2&per-page=20', body }
  const steadily = { connections: 20, every: 50 }
  await withService(
    bench,
    ['--database', url],
    async (service) => {
      await call({ ...service, ...page })
      await sleep(2000)
      bench.progress('warm pages without a load')
      const quiet = await callRepeatedly({ ...service, ...page }, { ...steadily, seconds: 15 })
      bench.progress('warm pages during a load')
      const program = fileURLToPath(new URL('../dist/cli.js', import.meta.url))
      const child = spawn(process.execPath, [program, 'import', ledger, '--database', url], { stdio: 'ignore' })
      const ended = once(child, 'exit')
      const loaded = await callRepeatedly({ ...service, ...page }, { ...steadily, until: ended })
      const [code] = await ended
      if (code !== 0) throw new Error('the import failed')
      bench.figure('warm_page_during_load', loaded.p95, 'ms', quiet.p95)
    },
    2,
  )
}
