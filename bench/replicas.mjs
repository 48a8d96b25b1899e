/** Measures reports from a streaming replica: how fast, how soon after a load, and how much work the primary saves. */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../dist/db/connect.js'
import { startPostgres } from '../scripts/postgres.mjs'
import { invalidate } from './lib/cold.mjs'
import { company, documents, files, mustLoad, TODAY } from './lib/company.mjs'
import { call } from './lib/http.mjs'
import { serve } from './lib/serve.mjs'
import { inTurns, median, seconds } from './lib/time.mjs'

/** @typedef {import('./run.mjs').Bench} Bench */
/** @typedef {import('./lib/serve.mjs').Service} Service */
/** @typedef {import('../dist/db/connect.js').Db} Db */

const STOCK = '/v1/inventory/fg-stock-status'
const INVOICES = '/v1/sales/invoices?page=2&per-page=20'
/** Clock ticks a second in /proc, on every Linux of today. */
const TICKS = 100

/** @param {Bench} bench */
export async function run(bench) {
  const { url } = await company(bench)
  await bench.settle()
  bench.progress('making a replica')
  const [server = '', name = ''] = url.split(/(?<=\d\/)/)
  const replica = await startPostgres({
    replicaOf: server,
    settings: { shared_buffers: '512MB', hot_standby_feedback: 'on' },
  })
  const { db, close } = await connect({ url })
  const alone = await serve(['--database', url], { snapshots: bench.folder })
  const helped = await serve(['--database', url], {
    snapshots: bench.folder,
    more: ['--read-from', replica.url + name],
  })
  try {
    await measure(bench, db, alone, helped)
    await load(bench, replica)
  } finally {
    await helped.stop()
    await alone.stop()
    await close()
    await replica.stop()
  }
}

/** @param {Bench} bench @param {Db} db @param {Service} alone @param {Service} helped */
async function measure(bench, db, alone, helped) {
  /** @param {Service} service @param {string} path @param {object} body */
  const cold = async (service, path, body) => {
    await invalidate(db)
    if (service === helped) await ready(helped)
    return (await call({ ...service, path, body })).seconds
  }
  const month = { from_date: '2026-06-01', to_date: TODAY }
  for (const [figure, path, body] of /** @type {const} */ ([
    ['replica_stock', STOCK, { type: 'FG', tax: 0, ...month }],
    ['replica_page', INVOICES, month],
  ])) {
    bench.progress(`${path} from the replica and from the primary`)
    for (const service of [helped, alone]) await cold(service, path, body) // connections, caches
    const [ours = 0, theirs = 0] = await inTurns(9, [() => cold(helped, path, body), () => cold(alone, path, body)])
    bench.figure(figure, ours * 1000, 'ms', theirs * 1000)
  }

  bench.progress('from the commit of a version to a replica that is read from')
  /** @type {number[]} */
  const waits = []
  for (let i = 0; i < 15; i++) {
    await ready(helped)
    const [row] = await db`update data_version set version = version + 1, committed_at = now() returning version::int`
    const from = performance.now()
    await ready(helped, Number(row?.['version']))
    waits.push(performance.now() - from)
  }
  bench.figure('replica_after_load', median(waits), 'ms', LEASE_MS)

  bench.progress("the primary's processor time for 30 stock reports")
  const days = Array.from({ length: 30 }, (_, i) => `2026-05-${String(i + 1).padStart(2, '0')}`)
  const all = async (/** @type {Service} */ service) => {
    await invalidate(db)
    await ready(helped)
    const before = await processorSeconds(db)
    for (const from_date of days)
      await call({ ...service, path: STOCK, body: { type: 'FG', tax: 0, from_date, to_date: TODAY } })
    return (await processorSeconds(db)) - before
  }
  const [spared = 0, spent = 0] = await inTurns(3, [() => all(helped), () => all(alone)])
  bench.figure('replica_primary_cpu', spared, 's', spent)
}

/**
 * How many bytes the primary sends to a replica per movement of a load, and how long the replica replays after the commit.
 * @param {Bench} bench @param {import('../scripts/postgres.mjs').Postgres} replica
 */
async function load(bench, replica) {
  const { ledger, rows } = await files(bench)
  const url = await bench.newDatabase(await documents(bench))
  await bench.settle()
  const primary = await connect({ url })
  const { db } = primary
  const state = async () => {
    const [row] = await db`
      select pg_current_wal_lsn() - '0/0' as log, pg_database_size(current_database()) as size, id from data_version`
    return { log: Number(row?.['log']), size: Number(row?.['size']), id: row?.['id'] }
  }
  const standby = await connect({ url: replica.url + url.split('/').at(-1) })
  bench.progress(`a load of ${rows.toLocaleString('en')} movements with a replica`)
  const before = await state()
  const loading = await seconds(() => mustLoad(primary, ledger))
  const after = await state()
  const replaying = await seconds(async () => {
    for (let id = ''; id !== after.id; await sleep(1))
      id = String((await standby.db`select id from data_version`)[0]?.['id'])
  })
  bench.figure('replica_log', (after.log - before.log) / rows, 'bytes per movement', (after.size - before.size) / rows)
  bench.figure('replica_replay', replaying, 's', loading)
  await standby.close()
  await primary.close()
}

/** The time after which `millbook import` returns. */
const LEASE_MS = 800

/**
 * Waits until the service reads from its replica and has seen this version of the data.
 * @param {Service} service @param {number} [version]
 */
async function ready(service, version = 0) {
  for (;;) {
    const { headers } = await fetch(`${service.base}${STOCK}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      body: '{"type":"FG","tax":0,"from_date":"2026-06-29","to_date":"2026-06-29"}',
    })
    const response = await fetch(`${service.base}/readyz`)
    const { replicas } = /** @type {{ replicas: { state: string }[] }} */ (await response.json())
    if (replicas[0]?.state === 'ready' && Number(headers.get('x-data-version')) >= version) return
    await sleep(2)
  }
}

/**
 * Processor time of all processes of the primary, ended ones included.
 * @param {Db} db
 */
async function processorSeconds(db) {
  const [row] = await db`select pg_backend_pid() as pid`
  const stat = (/** @type {string | number} */ pid) =>
    readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const first = stat(Number(row?.['pid']))[1]
  const [ended, endedInSystem] = stat(Number(first)).slice(13)
  let ticks = Number(ended) + Number(endedInSystem)
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      const found = stat(pid)
      if (found[1] === first) ticks += Number(found[11]) + Number(found[12])
    } catch {
      // the process has ended
    }
  return ticks / TICKS
}
