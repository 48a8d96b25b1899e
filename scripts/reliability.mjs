/**
 * `npm run reliability` causes one fault after another in a running service and writes the responses that callers saw into
 * docs/reliability.md. It needs Linux and root, for a disk that it can fill.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { connect } from '../dist/db/connect.js'
import { migrateWithRoles } from '../dist/db/roles.js'
import { loadSample } from '../dist/demo/sample.js'
import { entities } from '../dist/import/entities.js'
import { standBetween } from './between.mjs'
import { startPostgres } from './postgres.mjs'

if (process.env['MILLBOOK_RELIABILITY'] === undefined) {
  // Run this script again in its own mount namespace.
  const env = { ...process.env, MILLBOOK_RELIABILITY: '1' }
  execFileSync('unshare', ['-m', process.execPath, fileURLToPath(import.meta.url)], { stdio: 'inherit', env })
  process.exit()
}

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url))
const TODAY = '2026-06-30'
const STUCK_MS = 60_000

const folder = mkdtempSync(join(tmpdir(), 'millbook-reliability-'))
const disk = join(folder, 'disk')
mkdirSync(disk)
execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'none', disk])
const postgres = await startPostgres({ settings: { max_connections: 100, shared_preload_libraries: '' } })
const admin = await connect({ url: `${postgres.url}postgres` })
await admin.db.unsafe('create database books')
await admin.close()
const url = `${postgres.url}books`
const books = await connect({ url })
await migrateWithRoles(books, entities)
await books.db.unsafe('create role web login in role books_service')
await loadSample(books, { today: TODAY, scale: 1, months: 12 })
await books.close()
const between = await standBetween(url)

/** @param {string[]} args */
const millbook = (args) =>
  JSON.parse(String(execFileSync(process.execPath, [CLI, ...args, '--json', '--database', url])))
const client = millbook(['client', 'create', 'caller', '--grants', 'client_credentials', '--rate', '99999999'])

// The service, on one port across all restarts.
let [base, port] = ['', '0']
/** @type {import('node:child_process').ChildProcess} */
let service
async function startService() {
  const flags = ['serve', '--port', port, '--workers', '2', '--snapshots-in', disk, '--log-level', 'error', '--json']
  const login = between.url.replace('postgres@', 'web@')
  service = spawn(process.execPath, [CLI, ...flags, '--metrics-port', 'off', '--database', login], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [line] = await once(/** @type {import('node:stream').Readable} */ (service.stdout), 'data')
  base = JSON.parse(String(line)).base_url
  port = new URL(base).port
}
await startService()

/** @param {number} pid @returns {number[]} */
const children = (pid) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
/** @param {number[]} pids @param {NodeJS.Signals} signal */
const send = (pids, signal) => {
  for (const pid of pids)
    try {
      process.kill(pid, signal)
    } catch {
      // the process has just ended
    }
}
const servicePid = () => Number(service.pid)
const serverPids = () => [postgres.pid(), ...children(postgres.pid())]

// Callers ------------------------------------------------------------------------------------------------------------

/** @typedef {{ at: number, ms: number, status: string }} Seen */
let token = ''
async function signIn() {
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...pickSecrets(client) })
  const response = await fetch(`${base}/oauth2/token`, { method: 'POST', body, signal: AbortSignal.timeout(STUCK_MS) })
  const text = await response.text()
  if (response.status === 200) token = JSON.parse(text).access_token
  return response.status
}
/** @param {{ client_id: string, client_secret: string }} client */
const pickSecrets = ({ client_id, client_secret }) => ({ client_id, client_secret })

/** @param {string} path @param {object} body */
async function ask(path, body) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const signal = AbortSignal.timeout(STUCK_MS)
  const response = await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body), signal })
  await response.arrayBuffer()
  return response.status
}
let questions = 0
/** A range that nobody has asked for yet. */
const newRange = () => {
  const day = new Date(Date.parse('2025-08-01') + (questions % 200) * 86_400_000).toISOString().slice(0, 10)
  const until = new Date(Date.parse('2026-03-01') + Math.floor(questions++ / 200) * 86_400_000)
    .toISOString()
    .slice(0, 10)
  return { from_date: day, to_date: until }
}
const callers = {
  'a page from memory': {
    every: 10,
    call: () => ask('/v1/sales/invoices', { from_date: '2026-06-01', to_date: TODAY }),
  },
  'a report to be computed': { every: 50, call: () => ask('/v1/sales/invoices', newRange()) },
  'signing in': { every: 200, call: signIn },
}
/** @type {Map<string, Seen[]>} */
const seen = new Map(Object.keys(callers).map((name) => [name, []]))
let ending = false
/** @param {string} name @param {{ every: number, call: () => Promise<number> }} caller */
async function keepCalling(name, { every, call }) {
  while (!ending) {
    const at = performance.now()
    /** @type {string} */
    let status
    try {
      status = String(await call())
    } catch (error) {
      status = error instanceof Error && error.name === 'TimeoutError' ? 'no answer' : 'connection lost'
    }
    seen.get(name)?.push({ at, ms: performance.now() - at, status })
    await sleep(Math.max(0, every - (performance.now() - at)))
  }
}

// Faults -------------------------------------------------------------------------------------------------------------

/**
 * @typedef {object} Fault
 * @property {string} name
 * @property {number} seconds how long it lasts
 * @property {() => unknown} begin
 * @property {() => unknown} [end]
 */
let unlock = async () => {}
/** @param {string} table */
async function lock(table) {
  const session = await connect({ url })
  /** @type {(value?: unknown) => void} */
  let release = () => {}
  const released = new Promise((resolve) => {
    release = resolve
  })
  const done = session.db.begin(async (tx) => {
    await tx.unsafe(`lock table ${table}`)
    await released
  })
  unlock = async () => {
    release()
    await done
    await session.close()
  }
}
/** Changes the server as its owner, and ends the sessions of the service, so that new ones see the change. @param {string} statement */
async function asOwner(statement) {
  const { db, close } = await connect({ url }, { max: 1 })
  await db.unsafe(statement)
  await db.unsafe("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'web'")
  await close()
}
/** @type {number[]} */
let stopped = []
/** @type {import('node:child_process').ChildProcess | undefined} */
let loader
const load = () => {
  const items = join(folder, 'load')
  mkdirSync(items, { recursive: true })
  const rows = Array.from({ length: 30_000 }, (_, i) => `X${questions}-${i},Item ${i},FG,PCS`)
  writeFileSync(join(items, 'items.csv'), `sku,name,type,unit\n${rows.join('\n')}\n`)
  loader = spawn(process.execPath, [CLI, 'import', items, '--database', url], { stdio: 'ignore' })
  return once(loader, 'exit')
}

/** @type {Fault[]} */
const faults = [
  { name: 'none, for comparison', seconds: 10, begin: () => {} },
  { name: 'a load of 30,000 rows', seconds: 0, begin: load },
  { name: 'the loader is killed', seconds: 1, begin: () => void load(), end: () => loader?.kill('SIGKILL') },
  { name: 'a table is locked for 20 s', seconds: 20, begin: () => lock('invoice'), end: () => unlock() },
  {
    name: 'PostgreSQL is stopped for 20 s (SIGSTOP)',
    seconds: 20,
    begin: () => {
      stopped = serverPids()
      send(stopped, 'SIGSTOP')
    },
    end: () => send(stopped, 'SIGCONT'),
  },
  {
    name: 'PostgreSQL is killed, and started 5 s later',
    seconds: 5,
    begin: () => postgres.crash(),
    end: () => postgres.start(),
  },
  {
    name: 'one connection of the server is killed, which restarts it',
    seconds: 0,
    begin: () => send(children(postgres.pid()).slice(-1), 'SIGKILL'),
  },
  {
    name: 'the database is read-only for 10 s',
    seconds: 10,
    begin: () => asOwner('alter role web set default_transaction_read_only = on'),
    end: () => asOwner('alter role web reset default_transaction_read_only'),
  },
  {
    name: "the service's login is taken away for 10 s",
    seconds: 10,
    begin: () => asOwner('alter role web nologin'),
    end: () => asOwner('alter role web login'),
  },
  {
    name: "the service's right to connect is taken away for 10 s",
    seconds: 10,
    begin: () => asOwner('revoke connect on database books from public, books_service'),
    end: () => asOwner('grant connect on database books to public, books_service'),
  },
  { name: 'the network to the database is silent for 20 s', seconds: 20, begin: between.pause, end: between.resume },
  { name: 'the network to the database is cut for 10 s', seconds: 10, begin: between.cut, end: between.mend },
  {
    name: 'the network to the database takes 150 ms more each way, for 20 s',
    seconds: 20,
    begin: () => between.delay(150),
    end: () => between.delay(0),
  },
  {
    name: 'the disk for computed reports is full for 10 s',
    seconds: 10,
    begin: () => {
      const piece = Buffer.alloc(1 << 16)
      try {
        for (;;) appendFileSync(join(disk, 'filler'), piece)
      } catch {
        // the disk is full
      }
    },
    end: () => rmSync(join(disk, 'filler')),
  },
  {
    name: 'one of two workers is killed',
    seconds: 0,
    begin: () => send(children(servicePid()).slice(0, 1), 'SIGKILL'),
  },
  { name: 'all workers are killed', seconds: 0, begin: () => send(children(servicePid()), 'SIGKILL') },
  { name: 'the workers are replaced (SIGHUP)', seconds: 5, begin: () => send([servicePid()], 'SIGHUP') },
  {
    name: 'the service is killed, and started at once by its supervisor',
    seconds: 0,
    begin: () => send([...children(servicePid()), servicePid()], 'SIGKILL'),
    end: startService,
  },
]

/** Causes a fault, and waits until every caller has had ten right answers in a row after it. */
async function measure(/** @type {Fault} */ { name, seconds, begin, end }) {
  await sleep(2000)
  for (const list of seen.values()) list.length = 0
  const from = performance.now()
  await begin()
  await sleep(seconds * 1000)
  const ended = performance.now()
  await end?.()
  const well = () =>
    [...seen.values()].every(
      (list) => list.slice(-10).length === 10 && list.slice(-10).every((one) => one.at > ended && one.status === '200'),
    )
  while (!well() && performance.now() - ended < STUCK_MS) await sleep(50)
  const cells = [...seen.values()].map((list) => {
    const within = list.filter((one) => one.at + one.ms >= from)
    const last = within.findLast((one) => one.status !== '200')
    const again = last === undefined ? undefined : Math.max(0, last.at + last.ms - ended)
    return { cell: describe(within), again }
  })
  const again = Math.max(...cells.map((cell) => cell.again ?? 0))
  const row = [
    name,
    ...cells.map(({ cell }) => cell),
    cells.every((cell) => cell.again === undefined) ? '' : inWords(again),
  ]
  const line = `| ${row.join(' | ')} |`
  console.error(line)
  return line
}

/** @param {readonly Seen[]} list */
function describe(list) {
  const statuses = [...new Set(list.map(({ status }) => status))].sort()
  return statuses
    .map(
      (status) =>
        `${status} in ${inWords(Math.max(...list.filter((one) => one.status === status).map(({ ms }) => ms)))}`,
    )
    .join(', ')
}
/** @param {number} ms */
const inWords = (ms) => (ms < 950 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`)

try {
  await signIn()
  for (let i = 0; i < 20; i++) await callers['a page from memory'].call()
  const working = Object.entries(callers).map(([name, caller]) => keepCalling(name, caller))
  const lines = [`| fault | ${Object.keys(callers).join(' | ')} | all right again after |`, '|---|---|---|---|---|']
  for (const fault of faults) lines.push(await measure(fault))
  ending = true
  await Promise.all(working)
  const page = new URL('../docs/reliability.md', import.meta.url)
  const table = /(<!-- measured -->\n).*(<!-- end of measured -->)/s
  writeFileSync(
    page,
    readFileSync(page, 'utf8').replace(table, (_, begin, end) => `${begin}${lines.join('\n')}\n${end}`),
  )
} finally {
  ending = true
  send([...children(servicePid()), servicePid()], 'SIGKILL')
  between.close()
  await postgres.stop()
  execFileSync('umount', [disk])
  rmSync(folder, { recursive: true, force: true })
}
