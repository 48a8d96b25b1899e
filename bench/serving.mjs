/** Answers that are there already, many at once, and answers that are long. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { connect } from '../dist/db/connect.js'
import { outdate } from './lib/cold.mjs'
import { company, documents, files, TODAY } from './lib/company.mjs'
import { call, callAgainAndAgain, walk } from './lib/http.mjs'
import { baseline, forgetPeakMemory, peakMemory, serve } from './lib/serve.mjs'
import { median, seconds } from './lib/time.mjs'

/** @typedef {import('./run.mjs').Bench} Bench */

/** @param {Bench} bench */
export async function run(bench) {
  const { url } = await company(bench)
  const plain = await baseline('plain', url)
  await withService(bench, ['--database', url], async (service) => {
    await warmPages(bench, service, '')
    bench.tell('a plain implementation')
    const ours = await callAgainAndAgain({ ...service, ...PAGE }, { connections: 10, seconds: 3 })
    const plainly = await callAgainAndAgain({ ...plain, ...PAGE }, { connections: 2, seconds: 10 })
    bench.figure('warm_page_plain', ours.perSecond, 'requests/s', plainly.perSecond)

    bench.tell('1000 connections')
    const many = await callAgainAndAgain({ ...service, ...PAGE }, { connections: 1000, seconds: 8 })
    bench.figure('warm_page_1000_connections', many.p99, 'ms', many.p50)

    const database = await connect({ engine: 'server', url })
    await walks(bench, service, database.db, '')
    await database.close()
  })
  await plain.stop()
  await atOnce(bench, url)
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
 * A page of 20 records again and again, in turns with servers that do nothing but send the same bytes.
 * @param {Bench} bench @param {import('./lib/serve.mjs').Service} service @param {string} prefix of the figures' names
 */
export async function warmPages(bench, service, prefix) {
  const { json } = await call({ ...service, ...PAGE }, { parse: true })
  const file = join(bench.folder, 'page.json')
  writeFileSync(file, JSON.stringify(json))
  bench.tell(`warm pages of ${json.data.length} records, ${JSON.stringify(json).length} bytes`)
  const fastify = await baseline('fastify', file)
  const bare = await baseline('node-http', file)
  // In many short turns: the machine's speed changes within seconds.
  const targets = [service, fastify, bare].map(({ base, token }) => ({ base, token, ...PAGE }))
  const how = JSON.stringify({ targets, rounds: 15, connections: 50, seconds: 1 })
  const turns = fileURLToPath(new URL('lib/turns.mjs', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [turns, how])
  const [ours = 0, framework = 0, node = 0] = /** @type {number[]} */ (JSON.parse(stdout))
  bench.figure(`${prefix}warm_page`, ours, 'requests/s', framework)
  bench.figure(`${prefix}warm_page_node_http`, ours, 'requests/s', node)
  await fastify.stop()
  await bare.stop()
}

const CONSUMPTION = '/v1/production/material-consumption'

/**
 * The first day from which on there are so many records of consumption, and how many there are.
 * @param {import('../dist/db/connect.js').Db} db @param {number} records
 */
async function consumptionSince(db, records) {
  const days = await db`
    select b.batch_date::text as day, sum(count(*)) over (order by b.batch_date desc)::int as total
      from batch b join consumption u using (item_id, batch_no) where b.batch_date <= ${TODAY}
     group by b.batch_date order by b.batch_date desc`
  const { day, total } = days.find(({ total }) => total >= records) ?? days.at(-1) ?? {}
  return { total, body: { version: 'DETAILED', from_date: day, to_date: TODAY } }
}

/**
 * All pages one after the other against the whole, nothing of it being there before.
 * @param {Bench} bench @param {import('./lib/serve.mjs').Service} service @param {import('../dist/db/connect.js').Db} db
 * @param {string} prefix of the figure's name
 */
export async function walks(bench, service, db, prefix) {
  const { total, body } = await consumptionSince(db, 100_000 * bench.scale)
  bench.tell(`a walk over ${total} records, and all of them at once`)
  /** @type {number[][]} */
  const found = [[], []]
  for (let round = 0; round < 3; round++) {
    await outdate(db)
    const path = `${CONSUMPTION}?page=1&per-page=1000`
    let walked = 0
    found[0]?.push(
      await seconds(async () => {
        walked = await walk({ ...service, path, body })
      }),
    )
    if (walked !== total) throw new Error(`walked over ${walked} of ${total} records`)
    await outdate(db)
    found[1]?.push((await call({ ...service, path: CONSUMPTION, body })).seconds)
  }
  const [walking = 0, whole = 0] = found.map(median)
  bench.figure(`${prefix}walk`, walking, 's', whole)
}

/**
 * Fifty at once, asking two processes for what is not there yet.
 * @param {Bench} bench @param {string} url
 */
async function atOnce(bench, url) {
  bench.tell('50 clients at once')
  const { db, close } = await connect({ engine: 'server', url })
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
     where query like '%row_to_json%' and query like '%consumption%'`
  bench.figure('cold_50_clients', ran?.times, 'runs', 1)
  await close()
}

/**
 * What the process of the service holds at most while it sends a whole report that nobody has asked for before.
 * @param {Bench} bench @param {string} company
 */
async function memory(bench, company) {
  bench.tell('a whole report of 1M records')
  const url = await bench.newDatabase(company)
  const { db, close } = await connect({ engine: 'server', url })
  const [there] = await db`select count(*)::int as rows, max(line_no) as most from consumption`
  const times = Math.ceil((1_000_000 * bench.scale) / there?.rows)
  await db.begin(async (tx) => {
    await tx.unsafe('set local session_replication_role = replica')
    await tx.unsafe(`
      insert into consumption
      select item_id, batch_no, line_no + k * ${there?.most}, material_id, cost_head, description, qty_bom, qty_short, qty_rej,
             qty_ret, val_bom, val_short, val_rej, val_ret, tax_val
        from consumption cross join generate_series(1, ${times}) k`)
  })
  await db.unsafe('vacuum analyze consumption')
  /** @type {number[]} */
  const peaks = []
  for (const records of [100_000, 1_000_000]) {
    const { total, body } = await consumptionSince(db, records * bench.scale)
    await withService(bench, ['--database', url], async (service) => {
      forgetPeakMemory(service.pid)
      const { bytes } = await call({ ...service, path: CONSUMPTION, body })
      peaks.push(peakMemory(service.pid))
      bench.tell(`${total} records, ${Math.round(bytes / 1e6)} MB: ${Math.round(peaks.at(-1) ?? 0)} MB held`)
    })
  }
  const [small = 0, large = 0] = peaks
  bench.figure('whole_memory', large, 'MB', 300)
  bench.figure('whole_memory_growth', large, 'MB', small)
  await close()
}

/**
 * Pages of orders, while 1M movements are loaded beside them: who waits longest but for one in twenty.
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
      bench.tell('warm pages while nothing else happens')
      const quiet = await callAgainAndAgain({ ...service, ...page }, { ...steadily, seconds: 15 })
      bench.tell('warm pages during a load')
      const program = fileURLToPath(new URL('../dist/cli.js', import.meta.url))
      const child = spawn(process.execPath, [program, 'import', ledger, '--database', url], { stdio: 'ignore' })
      const ended = once(child, 'exit')
      const loaded = await callAgainAndAgain({ ...service, ...page }, { ...steadily, until: ended })
      const [code] = await ended
      if (code !== 0) throw new Error('the import failed')
      bench.figure('warm_page_during_load', loaded.p95, 'ms', quiet.p95)
    },
    2,
  )
}
