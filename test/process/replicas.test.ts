/**
 * Reports from streaming replicas equal the answers of the primary: replicas that lag, are paused,
 * frozen or killed lose no request, and are used again when they are back.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { openReplicas } from '../../src/db/replica.js'
import { sql } from '../../src/db/sql.js'
import { loadSample } from '../../src/demo/sample.js'
import { load } from '../../src/import/pipeline/load.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { Integer, Text } from '../../src/kernel/report/fields.js'
import { Day } from '../../src/kernel/report/params.js'
import { defineReport, type Report } from '../../src/kernel/report/report.js'
import { readSamples } from '../../src/metrics/registry.js'
import { reports } from '../../src/reports/index.js'
import { LEASE_MS } from '../../src/store/versions.js'
import { folderOf, tempFolder } from '../setup/files.js'
import { run as runProgram, start } from '../setup/program.js'
import { filesOf, questions, Reference, random } from '../setup/reference.js'
import { type Cluster, pause, resume, run, startCluster, untilStates, urlsOf } from '../setup/replicas.js'
import { requestsFor } from '../setup/requests.js'
import { type Service, startService } from '../setup/service.js'
import { inLongTier, long } from '../setup/tier.js'

const FINISHED = '/v1/inventory/finished-goods'
const MATERIAL = '/v1/inventory/material'

let cluster: Cluster
beforeAll(async () => {
  cluster = await startCluster(long ? 2 : 1)
})
afterAll(() => cluster.stop())

const valueAt = (name: string, labels: string) =>
  readSamples().find((sample) => sample.name === name && sample.labels === labels)?.value ?? 0
const readsOf = (database: string) => valueAt('millbook_report_reads_total', `database="${database}"`)

/** The number of reads that each database answers during some work: the primary, then the replicas. */
async function reads<T>(work: () => Promise<T>): Promise<{ primary: number; replicas: number; result: T }> {
  const names = cluster.replicas.map((_, i) => `replica-${i + 1}`)
  const now = () => ({ primary: readsOf('primary'), replicas: names.reduce((sum, name) => sum + readsOf(name), 0) })
  const before = now()
  const result = await work()
  const after = now()
  return { primary: after.primary - before.primary, replicas: after.replicas - before.replicas, result }
}

async function loadFiles(service: Service, version: number): Promise<void> {
  const source = findFiles(folderOf(filesOf(version, random(version))))
  expect((await load(service.database, source)).committed).toBe(true)
}

const all = (state: string) => cluster.replicas.map(() => state)

it('a replica answers while it has the version, otherwise the primary; /readyz and metrics show which', async () => {
  const service = await cluster.service(await cluster.database('small'))
  onTestFinished(() => service.close())
  const [first] = cluster.replicas
  if (first === undefined) throw new Error('there is no replica')
  await loadFiles(service, 1)
  await untilStates(service, ...all('ready'))
  const ask = async () => {
    const response = await service.call({ path: FINISHED })
    expect(response.statusCode).toBe(200)
    return { version: response.headers['x-data-version'], name: response.json().data.at(-1).item_name }
  }
  expect(await reads(ask)).toEqual({ primary: 0, replicas: 1, result: { version: '1', name: 'Ghee' } })

  for (const replica of cluster.replicas) await pause(replica)
  await loadFiles(service, 2)
  expect(await reads(ask)).toEqual({ primary: 1, replicas: 0, result: { version: '2', name: 'Ghee 2' } })
  await untilStates(service, ...all('paused'))
  expect(valueAt('millbook_replica_state', 'replica="replica-1",state="paused"')).toBe(1)
  expect(valueAt('millbook_replica_loads_behind', 'replica="replica-1"')).toBe(1)

  for (const replica of cluster.replicas) await resume(replica)
  await untilStates(service, ...all('ready'))
  expect(valueAt('millbook_replica_state', 'replica="replica-1",state="ready"')).toBe(1)
  const listing = await reads(() =>
    service.call({
      path: '/v1/inventory/movements',
      body: { sku: 'RM1', from_date: '2024-01-01', to_date: '2024-12-31' },
      query: { page: 1, 'per-page': 5 },
    }),
  )
  expect(listing.result.headers['x-data-version']).toBe('2')
  expect(listing).toMatchObject({ primary: 0, result: { statusCode: 200 } })
  expect(listing.replicas).toBeGreaterThan(0)

  await first.crash()
  await untilStates(service, 'unreachable', ...all('ready').slice(1))
  expect((await service.call({ path: MATERIAL })).statusCode).toBe(200)
  await first.start()
  await untilStates(service, ...all('ready'))
})

inLongTier('a server that is not a standby is never read from', async () => {
  const database = await cluster.database('itself')
  const { url } = database.target as { url: string }
  const service = await startService({ replicas: openReplicas([url], 2) }, database)
  onTestFinished(() => service.close())
  await loadFiles(service, 1)
  await untilStates(service, 'not-a-replica')
  const asked = await reads(() => service.call({ path: FINISHED }))
  expect(asked).toMatchObject({ primary: 1, replicas: 0, result: { statusCode: 200 } })
})

inLongTier('every report and variant is the same from a replica: whole, by pages and as a view', async () => {
  const TODAY = '2026-06-30'
  const database = await cluster.database('sample')
  const onReplicas = await cluster.service(database)
  const onPrimary = await startService({}, database)
  onTestFinished(async () => {
    await onPrimary.app.close()
    await onReplicas.close()
  })
  await loadSample(database, { today: TODAY, scale: 0.5, months: 4 })
  await untilStates(onReplicas, ...all('ready'))
  const range = { from_date: '2026-05-01', to_date: TODAY }
  let compared = 0
  /** Sends a request to both services, which share tokens; the replicas must answer it, not the primary. */
  async function compare(path: string, body: object, query: Record<string, string | number>) {
    const { result, primary } = await reads(() => onReplicas.call({ path, body, query }))
    const expected = await onPrimary.call({ path, body, query, token: onReplicas.caller.token })
    expect(result.statusCode, result.body).toBe(expected.statusCode)
    expect(result.rawPayload.equals(expected.rawPayload), `${path} ${JSON.stringify([body, query])} differs`).toBe(true)
    expect(result.headers['etag']).toBe(expected.headers['etag'])
    expect(primary, `${path} ${JSON.stringify(query)} was read from the primary`).toBe(0)
    compared++
    return result
  }
  for (const report of reports)
    for (const body of requestsFor(report, range, { vendor_code: ['V002'] })) {
      // Pages before the whole report: a listing's pages are computed alone until its file exists.
      for (const page of [1, 2, 7, 400]) await compare(report.path, body, { page, 'per-page': 3 })
      const whole = await compare(report.path, body, { format: 'ndjson' })
      expect(whole.statusCode).toBe(200)
      await compare(report.path, body, { since: 'start', page: 1, 'per-page': 3 })
      const [field] = Object.keys(JSON.parse(whole.body.split('\n')[0] || '{}'))
      if (field !== undefined) await compare(report.path, body, { sort: `-${field}`, page: 2, 'per-page': 5 })
    }
  expect(compared).toBeGreaterThan(reports.length * 5)
})

inLongTier(
  'under loads and lag, no answer is older than its stated version or than an earlier answer to its caller',
  async () => {
    const reference = new Reference(await startService({}, await cluster.database('reference')))
    const service = await cluster.service(await cluster.database('lag'), { leaseMs: LEASE_MS })
    onTestFinished(() => service.close())
    const next = random(20)
    const LOADS = 15
    let [version, acknowledged, ending, answers] = [0, 0, false, 0]
    const failures: string[] = []
    async function loadNext(): Promise<void> {
      version++
      const folder = folderOf(filesOf(version, random(version)), tempFolder())
      await reference.load(version, folder)
      expect((await load(service.database, findFiles(folder))).committed).toBe(true)
      await sleep(LEASE_MS) // `millbook import` waits this long before it returns
      acknowledged = version
    }
    await loadNext()
    await untilStates(service, ...all('ready'))

    async function reader(): Promise<void> {
      let seen = 0
      while (!ending) {
        const { report, body } = questions[Math.floor(next() * questions.length)] as (typeof questions)[number]
        const page = next() < 0.5 ? undefined : 1 + Math.floor(next() * 4)
        const loaded = acknowledged
        const response = await service.call({
          ...{ path: report.path, body },
          ...(page !== undefined && { query: { page, 'per-page': 20 } }),
        })
        const named = Number(response.headers['x-data-version'])
        answers++
        if (response.statusCode !== 200) failures.push(`${report.id}: ${response.statusCode} ${response.body}`)
        else {
          const { data } = response.json()
          if (named < seen) failures.push(`${report.id}: version ${named} after ${seen}`)
          if (named < loaded) failures.push(`${report.id}: version ${named} although ${loaded} was acknowledged`)
          const difference = reference.difference(named, report.id, data, page && (page - 1) * 20)
          if (difference !== undefined) failures.push(difference)
          seen = named
        }
      }
    }
    async function lag(): Promise<void> {
      while (!ending)
        for (const replica of cluster.replicas) {
          await pause(replica)
          await sleep(200 + next() * 1500)
          await resume(replica)
          await sleep(next() * 1000)
        }
    }
    const counted = await reads(async () => {
      const others = [...Array.from({ length: 4 }, reader), lag()]
      for (let i = 0; i < LOADS; i++) await loadNext()
      ending = true
      await Promise.all(others)
    })
    expect(failures).toEqual([])
    expect(answers).toBeGreaterThan(100)
    expect(counted.primary).toBeGreaterThan(0)
    expect(counted.replicas).toBeGreaterThan(0)
    for (const replica of cluster.replicas) await resume(replica)
    await untilStates(service, ...all('ready'))
  },
)

/** A report that takes the requested time and sends its records in pieces meanwhile. */
const slow = defineReport({
  ...{ id: 'masters.slow', method: 'POST', path: '/v1/masters/slow', summary: 'Slow', description: 'Slow' },
  request: { date: Day('Makes each request another one.', '2026-02-01') },
  record: { n: Integer('A number.'), text: Text('A long text.') },
  orderBy: ['n'],
  query: ({ date }: { date: string }) =>
    sql`select n, repeat(${date}::text, 300) || pg_sleep(0.003)::text as text from generate_series(1, 400) n`,
}) as unknown as Report

const days = Array.from({ length: 28 }, (_, i) => `2026-02-${String(i + 1).padStart(2, '0')}`)

for (const how of ['killed', 'stopped', 'frozen'] as const)
  inLongTier(`a replica that is ${how} in the middle of requests loses none of them`, async () => {
    const service = await cluster.service(await cluster.database(`middle_${how}`), { reports: [...reports, slow] })
    onTestFinished(() => service.close())
    await loadFiles(service, 1)
    const [first] = cluster.replicas
    if (first === undefined) throw new Error('there is no replica')
    await untilStates(service, ...all('ready'))
    const misses = () => valueAt('millbook_replica_misses_total', 'replica="replica-1",reason="failed"')
    const before = misses()
    const asking = days
      .slice(0, 6)
      .map(
        async (date) =>
          await service.call({ method: 'POST', path: slow.path, body: { date }, query: { format: 'ndjson' } }),
      )
    await expect
      .poll(() => valueAt('millbook_database_connections', 'pool="replica-1",state="leased"'))
      .toBeGreaterThan(1)
    await sleep(300) // some records have arrived
    if (how === 'killed') for (const replica of cluster.replicas) await replica.crash()
    else if (how === 'stopped') process.kill(first.pid(), 'SIGINT')
    else signalAll(first.pid(), 'SIGSTOP')
    try {
      for (const [i, response] of (await Promise.all(asking)).entries()) {
        expect(response.statusCode, response.body.slice(0, 500)).toBe(200)
        const records = response.body
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
        expect(records.map(({ n }) => n)).toEqual(Array.from({ length: 400 }, (_, n) => n + 1))
        expect(records.every(({ text }) => text === (days[i] as string).repeat(300))).toBe(true)
      }
      expect(misses()).toBeGreaterThan(before)
      await untilStates(service, 'unreachable', ...all(how === 'killed' ? 'unreachable' : 'ready').slice(1))
      expect((await service.call({ method: 'POST', path: slow.path, body: { date: days[20] } })).statusCode).toBe(200)
    } finally {
      if (how === 'frozen') signalAll(first.pid(), 'SIGCONT')
      else for (const replica of how === 'killed' ? cluster.replicas : [first]) await replica.start()
    }
    await untilStates(service, ...all('ready'))
    const again = await reads(() => service.call({ method: 'POST', path: slow.path, body: { date: days[21] } }))
    expect(again).toMatchObject({ primary: 0, replicas: 1, result: { statusCode: 200 } })
  })

/** PostgreSQL's first process and all its sessions. */
function signalAll(pid: number, signal: NodeJS.Signals): void {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? []
      if (Number(parent) === pid) process.kill(Number(name), signal)
    } catch {
      // the process has ended
    }
  }
  process.kill(pid, signal)
}

inLongTier('workers of a real service read from replicas, of which one is unreachable from the start', async () => {
  const database = await cluster.database('workers')
  onTestFinished(() => database.drop())
  const urls = [...urlsOf(cluster.replicas, database), 'postgres://nobody@127.0.0.1:1/none']
  const { url } = database.target as { url: string }
  const folder = folderOf(filesOf(1, random(1)))
  expect((await runProgram(['import', folder, '--database', url])).code).toBe(0)
  const { client_id, client_secret } = JSON.parse(
    (await runProgram(['client', 'create', 'c', '--grants', 'client_credentials', '--json', '--database', url])).stdout,
  )
  const service = start(['serve', '--port', '0', '--json', '--database', url, '--read-from', ...urls], {
    env: { MILLBOOK_WORKERS: '2', MILLBOOK_METRICS_PORT: '0' },
  })
  const { base_url, metrics_url } = JSON.parse(await service.firstLine)
  const ready = async () => {
    const response = await fetch(`${base_url}/readyz`)
    expect(response.status).toBe(200)
    return ((await response.json()) as { replicas: { state: string }[] }).replicas.map(({ state }) => state)
  }
  await expect.poll(ready, { timeout: 60_000 }).toEqual([...all('ready'), 'unreachable'])
  const { access_token } = (await (
    await fetch(`${base_url}/oauth2/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ grant_type: 'client_credentials', client_id, client_secret }),
    })
  ).json()) as { access_token: string }
  for (const { report, body } of questions) {
    if (report.method === 'GET') continue // fetch sends no body with GET
    const response = await fetch(base_url + report.path, {
      method: report.method,
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify(body),
    })
    expect([report.id, response.status]).toEqual([report.id, 200])
  }
  const metrics = await (await fetch(metrics_url)).text()
  expect(metrics).toMatch(/^millbook_report_reads_total\{database="replica-1"\} [1-9]/m)
  expect(metrics).toMatch(/^millbook_replica_state\{replica="replica-1",state="ready"\} [12]$/m)
  expect(metrics).toMatch(/^millbook_replica_state\{replica="replica-3",state="unreachable"\} [12]$/m)
  expect(metrics).not.toContain('127.0.0.1')
  service.process.kill('SIGTERM')
  expect((await service.ended).code).toBe(0)
})

inLongTier('doctor checks replicas', async () => {
  const database = await cluster.database('examined')
  onTestFinished(() => database.drop())
  const { url } = database.target as { url: string }
  expect((await runProgram(['import', folderOf(filesOf(1, random(1))), '--database', url])).code).toBe(0)
  const urls = [...urlsOf(cluster.replicas, database), url, 'postgres://nobody:secret@127.0.0.1:1/none']
  const examine = async () => {
    const { stdout, code } = await runProgram(['doctor', '--json', '--database', url, '--read-from', ...urls])
    expect(stdout).not.toContain('secret')
    const { findings } = JSON.parse(stdout) as { findings: { check: string; state: string; found: string }[] }
    return { code, of: (check: string) => findings.find((finding) => finding.check === check) }
  }
  const caughtUp = async () =>
    (await run(cluster.replicas[0] as Cluster['primary'], 'examined', 'select id from data_version'))[0]?.['id']
  const [first] = cluster.replicas as [Cluster['primary']]
  await pause(first)
  expect((await runProgram(['import', folderOf(filesOf(2, random(2))), '--database', url])).code).toBe(0)
  const behind = await examine()
  await resume(first)
  expect(behind.of('replica-1')).toMatchObject({ state: 'warning', found: expect.stringContaining('paused') })
  const [{ id } = { id: '' }] = await database.db<{ id: string }[]>`select id from data_version`
  await expect.poll(caughtUp).toBe(id)
  const { code, of } = await examine()
  expect(code).toBe(1)
  expect(of('replica-1')).toMatchObject({ state: 'ok' })
  expect(of('replica-1 connections')).toMatchObject({ state: 'ok' })
  expect(of('replica-3')).toMatchObject({ state: 'problem', found: expect.stringContaining('not a streaming replica') })
  expect(of('replica-4')).toMatchObject({ state: 'problem' })
})

inLongTier('the embedded database refuses --read-from', async () => {
  const { code, stderr } = await runProgram(['serve', '--data', tempFolder(), '--read-from', 'postgres://u:secret@h/d'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('--read-from needs a PostgreSQL server')])
  expect(stderr).not.toContain('secret')
})
