/**
 * A distributed database gives the same answers and loads as one server, never shows a part of a load, and reports a lost node.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished } from 'vitest'
import { restore } from '../../src/backup/read.js'
import { writeBackup } from '../../src/backup/write.js'
import { closePeriod, reopenPeriod } from '../../src/closed/close.js'
import { distribute } from '../../src/db/cluster/distribute.js'
import { cluster as engine } from '../../src/db/cluster/engine.js'
import { statementsOf } from '../../src/db/computed.js'
import { connect, type Tx } from '../../src/db/connect.js'
import { writeFiles } from '../../src/demo/files.js'
import { loadSample, sampleCompany } from '../../src/demo/sample.js'
import { load } from '../../src/import/pipeline/load.js'
import { verify } from '../../src/import/pipeline/verify.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { lastUndoable, undoLoad } from '../../src/import/undo/undo.js'
import { tablesRead } from '../../src/kernel/answer/reads.js'
import { wholeStatement } from '../../src/kernel/answer/statement.js'
import { readParams } from '../../src/kernel/report/params.js'
import { WHOLE } from '../../src/kernel/report/rights.js'
import { reports } from '../../src/reports/index.js'
import { examine } from '../../src/runtime/doctor.js'
import type { ServeSettings } from '../../src/runtime/settings.js'
import { files, loadBooks } from '../setup/books.js'
import { clusterDatabase, onCluster, runOn, serverDatabase } from '../setup/citus.js'
import { loadCompany } from '../setup/company.js'
import type { TestDatabase } from '../setup/database.js'
import { folderOf, tempFolder } from '../setup/files.js'
import { good } from '../setup/good-files.js'
import { anyLoad } from '../setup/loads.js'
import { run } from '../setup/program.js'
import { randomCompany } from '../setup/random-company.js'
import { filesOf, random } from '../setup/reference.js'
import { codesOf, requestsFor } from '../setup/requests.js'
import { compareAll, rowsOf } from '../setup/same.js'
import { type Service, startService } from '../setup/service.js'

const TODAY = '2026-06-30'
const SAMPLE = { today: TODAY, scale: 0.25, months: 4 }

const settings = {
  ...{ host: '127.0.0.1', workers: 1, readFrom: [], snapshotsIn: tmpdir(), tls: undefined },
} as unknown as ServeSettings

const serve = async (database: TestDatabase): Promise<Service> => {
  const service = await startService({}, database)
  onTestFinished(() => service.close())
  return service
}

onCluster('every report and variant of the sample is the same on a cluster, after a load into it', async () => {
  const server = await serve(await serverDatabase())
  const cluster = await serve(await clusterDatabase())
  const [expected, loaded] = [await loadSample(server.database, SAMPLE), await loadSample(cluster.database, SAMPLE)]
  expect(loaded.entities).toEqual(expected.entities)
  expect(loaded.warnings).toEqual(expected.warnings)
  const range = { from_date: '2026-04-01', to_date: TODAY }
  expect(await compareAll(cluster, server, range, { vendor_code: ['V002'] })).toBeGreaterThan(reports.length * 5)

  const again = await loadSample(cluster.database, SAMPLE)
  for (const counts of Object.values(again.entities)) expect(counts).toMatchObject({ new: 0, changed: 0, removed: 0 })
  expect(again.dataVersion).toBe(loaded.dataVersion)
  expect(await verify(cluster.database, { rebuild: false })).toEqual(await verify(server.database, { rebuild: false }))
  expect(await distribute(cluster.database)).toMatchObject({ distributed: false })

  const restored = await serverDatabase('empty')
  await restore(restored, writeBackup(cluster.database))
  expect(await rowsOf(restored)).toEqual(await rowsOf(cluster.database))
  await restored.drop()
})

onCluster('every report of random companies is the same after distributing the database', async () => {
  const server = await serve(await serverDatabase())
  for (const company of fc.sample(randomCompany, { numRuns: 3, seed: 20 })) {
    await loadCompany(server.db, company)
    const cluster = await serve(await clusterDatabase(({ db }) => loadCompany(db, company)))
    await compareAll(cluster, server, { from_date: '2023-01-01', to_date: '2025-12-31' }, codesOf(company, 2))
    expect(await verify(cluster.database, { rebuild: false })).toEqual(
      await verify(server.database, { rebuild: false }),
    )
  }
})

onCluster(
  'what needs the past is refused with a sentence: reports as known and against a version, closing, undo',
  async () => {
    const cluster = await serve(await clusterDatabase())
    const { database } = cluster
    for (const version of [1, 2])
      expect((await load(database, findFiles(folderOf(filesOf(version, random(version)))))).committed).toBe(true)
    const range = { from_date: '2024-01-01', to_date: '2024-12-31' }
    for (const report of reports) {
      const [body = {}] = requestsFor(report, range)
      if (report.group === 'history') {
        const refused = await cluster.call({ path: report.path, body })
        expect([refused.statusCode, refused.json().detail], report.id).toEqual([
          422,
          'A cluster keeps no history (docs/scaling.md).',
        ])
        continue
      }
      for (const query of [
        { as_known: 1 },
        { as_known: '2024-05-01' },
        { against: 1 },
        { against: 2, totals: 'yes' },
      ]) {
        const refused = await cluster.call({ path: report.path, body, query })
        expect([refused.statusCode, refused.json().errors], `${report.id} ${JSON.stringify(query)}`).toEqual([
          422,
          [
            {
              field: Object.keys(query)[0],
              message: 'must be left out: a cluster keeps no history (docs/scaling.md)',
            },
          ],
        ])
      }
    }
    const change = <T>(work: (tx: Tx) => Promise<T>) => database.db.begin(work)
    await expect(closePeriod(database, change, { period: '2024-03', reason: 'reported' }, {})).rejects.toThrow(
      'a cluster keeps no history, so no period can be closed in it (docs/scaling.md)',
    )
    for (const command of ['show', 'prune'])
      expect(await run(['history', command, '--database', (database.target as { url: string }).url])).toMatchObject({
        code: 1,
        stderr: 'millbook: a cluster keeps no history (docs/scaling.md)\n',
      })
    await expect(lastUndoable(database.db)).rejects.toThrow('its history is not kept, so it cannot be taken back')
    await expect(undoLoad(database, 2)).rejects.toThrow('its history is not kept, so it cannot be taken back')
  },
)

onCluster('a database with a closed period is not distributed until it is reopened', async () => {
  const made = await clusterDatabase(async (database) => {
    const change = <T>(work: (tx: Tx) => Promise<T>) => database.db.begin(work)
    expect((await load(database, findFiles(folderOf(good)))).committed).toBe(true)
    await closePeriod(database, change, { period: '2024-03', reason: 'reported' }, {})
    await expect(distribute(database)).rejects.toThrow(/closed periods would lose their figures: 2024-03; reopen them/)
    await reopenPeriod(change, { period: '2024-03', reason: 'to be distributed' }, {})
  })
  await made.drop()
})

onCluster('a load keeps its rows in the tablespace that the URL names', async () => {
  const database = await clusterDatabase()
  const name = new URL(database.workers[0] as string).pathname.slice(1)
  const { url } = database.target as { url: string }
  await runOn(url, 'set allow_in_place_tablespaces = on', `create tablespace ${name} location ''`)
  onTestFinished(async () => {
    await database.drop()
    await runOn(process.env['MILLBOOK_CITUS_URL'] as string, `drop tablespace ${name}`)
  })
  const loading = await connect({ url: `${url}?default_tablespace=${name}` })
  let tables: { name: string; elsewhere: boolean }[] = []
  const { committed } = await load(loading, findFiles(folderOf(good)), {
    onMerged: async (tx) => {
      tables = await tx<{ name: string; elsewhere: boolean }[]>`
        select c.oid::regclass::text as name, coalesce(t.spcname = ${name}, false) as elsewhere
          from pg_class c left join pg_tablespace t on t.oid = c.reltablespace
         where c.relnamespace in ('millbook_work'::regnamespace, 'millbook_staging'::regnamespace)
           and c.relkind in ('r', 'i') and c.relname <> 'foreign_key'`
    },
  })
  await loading.close()
  expect(committed).toBe(true)
  expect(tables.length).toBeGreaterThan(50)
  expect(tables.filter(({ elsewhere }) => !elsewhere)).toEqual([])
})

onCluster('a rejected row is compared with the stored row that it may be a new version of', async () => {
  const [server, cluster] = [await serverDatabase(), await clusterDatabase()]
  onTestFinished(async () => {
    await cluster.drop()
    await server.drop()
  })
  for (const database of [server, cluster])
    expect((await load(database, findFiles(folderOf(good)))).committed).toBe(true)
  const order = 'order_no,order_type,order_date,customer_code,warehouse,taxable_amt,tax_amt,total_amt'
  const more = 'SO2,Online,2024-03-06,C1,Plant,20,2.4,22.4\n'
  const line = 'order_no,line_no,sku,qty,rate,effective_rate,taxable_amt,tax_amt,total_amt'
  const found = []
  for (const files of [
    { 'sales_orders.csv': `${order}\nSO1,Online,2024-13-06,C1,Plant,20,2.4,22.4\n${more}` },
    {
      'sales_orders.csv': `${order},currency,exchange_rate\nSO1,Online,2024-13-06,C1,Plant,20,2.4,22.4,USD,80\n${more.replace('\n', ',,\n')}`,
    },
    { 'sales_order_items.csv': `${line}\nSO1,1,FG1,two,10,10,20,2.4,22.4\nSO2,1,FG1,2,10,10,20,2.4,22.4\n` },
    { 'sales_order_items.csv': `${line}\n,1,FG1,2,10,10,20,2.4,22.4\nSO2,2,FG1,2,10,10,20,2.4,22.4\n` },
    { 'batches.csv': 'sku,batch_no,source,batch_date,warehouse,qty,wastage\nFG1,B1,PRODUCED,soon,Plant,10,1\n' },
    {
      'goods_receipts.csv': 'grn_no,po_no,receipt_date,warehouse\nG1,,2024-03-04,Plant\nG2,PO1,2024-03-05,Plant\n',
    },
    {
      'stock_movements.csv':
        'movement_no,movement_date,kind,sku,warehouse,qty,val,val_tax\nM1,2024-03-04,other_receipt,RM1,Plant,no,8,8.96\nM9,2024-03-04,other_receipt,RM1,Plant,1,8,8.96\n',
    },
  ]) {
    const [expected, result] = await Promise.all(
      [server, cluster].map((database) =>
        load(database, findFiles(folderOf(files)), { reject: { write: async () => {} } }),
      ),
    )
    expect(result, JSON.stringify(files)).toEqual(expected)
    found.push(expected?.committed ? expected.rejected?.kept : expected?.errors.first[0]?.message)
    expect(await rowsOf(cluster)).toEqual(await rowsOf(server))
  }
  expect(found.slice(0, 3)).toEqual([1, expect.stringMatching(/may change currency or exchange_rate/), 1])
})

onCluster('random sequences of loads have the same results on a cluster', async () => {
  const [server, cluster] = [await serverDatabase(), await clusterDatabase()]
  onTestFinished(async () => {
    await cluster.drop()
    await server.drop()
  })
  await loadBooks(server)
  await loadBooks(cluster)
  expect(await rowsOf(cluster)).toEqual(await rowsOf(server))
  let [loaded, refused, replaced] = [0, 0, 0]
  for (const { rows, replace } of fc.sample(anyLoad, { numRuns: 60, seed: 7 })) {
    const folder = folderOf(files(rows))
    const expected = await load(server, findFiles(folder), { replace })
    const found = await load(cluster, findFiles(folder), { replace })
    expect(found, JSON.stringify({ rows, replace })).toEqual(expected)
    if (expected.committed) loaded++
    else refused++
    if (replace.length > 0) replaced++
    expect(await rowsOf(cluster), JSON.stringify({ rows, replace })).toEqual(await rowsOf(server))
  }
  expect(Math.min(loaded, refused, replaced)).toBeGreaterThan(3)
  expect(await verify(cluster, { rebuild: false })).toEqual(await verify(server, { rebuild: false }))

  await cluster.db.unsafe('update stock_closing set qty = qty + 1')
  await cluster.db.unsafe('delete from order_movement')
  const broken = await verify(cluster, { rebuild: false })
  expect(broken.filter(({ kind }) => kind === 'derived').map(({ check }) => check)).toEqual([
    'copies in order_movement differ',
    'closings differ from the ledger',
  ])
  expect(await verify(cluster, { rebuild: true })).toEqual(await verify(server, { rebuild: false }))
  expect(await verify(cluster, { rebuild: false })).toEqual(await verify(server, { rebuild: false }))
})

onCluster('late, changed and moved rows of a company with history have the same results on a cluster', async () => {
  const [server, cluster] = [await serverDatabase(), await clusterDatabase()]
  onTestFinished(async () => {
    await cluster.drop()
    await server.drop()
  })
  const next = random(31)
  const sample = await filesOfSample()
  const rowsIn = (entity: string) => (sample[`${entity}.csv`] as string).trimEnd().split('\n').slice(1)
  const headOf = (entity: string) => (sample[`${entity}.csv`] as string).split('\n', 1)[0]
  const fileOf = (entity: string, rows: readonly string[]) => ({
    [`${entity}.csv`]: `${[headOf(entity), ...rows].join('\n')}\n`,
  })
  const some = (rows: readonly string[], count: number) =>
    Array.from({ length: count }, () => rows[Math.floor(next() * rows.length)] as string)
  /** The row with one cell changed; rows with quotes stay unchanged. */
  const changed = (entity: string, row: string, column: string, value: string) => {
    const at = (headOf(entity) as string).split(',').indexOf(column)
    expect(at, column).toBeGreaterThanOrEqual(0)
    return row.includes('"') ? row : row.split(',').with(at, value).join(',')
  }
  /** One row for each key, which is in the first columns. */
  const once = (rows: readonly string[], columns: number) => [
    ...new Map(rows.map((row) => [row.split(',').slice(0, columns).join(), row])).values(),
  ]

  const movements = rowsIn('stock_movements')
  const early = movements.filter(() => next() < 0.6)
  const late = movements.filter((row) => !early.includes(row))
  const both = async (files: Record<string, string>) => {
    const folder = folderOf(files)
    const expected = await load(server, findFiles(folder))
    const found = await load(cluster, findFiles(folder))
    expect(found).toEqual(expected)
    return expected
  }
  const first = await both({ ...sample, ...fileOf('stock_movements', early) })
  expect(first.committed, JSON.stringify(first.errors.first[0])).toBe(true)
  expect(await rowsOf(cluster)).toEqual(await rowsOf(server))

  let committed = 0
  for (let step = 0; step < 8; step++) {
    const days = ['2026-03-15', '2026-04-20', '2026-05-05', '2026-06-29']
    const moved = some(early, 20).map((row) => {
      const what = next()
      if (what < 0.4) return changed('stock_movements', row, 'movement_date', days[Math.floor(next() * 4)] as string)
      return what < 0.8
        ? changed('stock_movements', row, 'qty', String(1 + Math.floor(next() * 50)))
        : changed('stock_movements', row, 'warehouse', 'Pune Plant')
    })
    const files = {
      ...fileOf('stock_movements', once([...late.slice(step * 40, step * 40 + 40), ...moved], 1)),
      ...(step % 2 === 0 &&
        fileOf(
          'sales_order_items',
          once(
            some(rowsIn('sales_order_items'), 20).map((row) => changed('sales_order_items', row, 'qty', '7')),
            2,
          ),
        )),
      ...(step % 3 === 0 &&
        fileOf(
          'invoices',
          once(
            some(rowsIn('invoices'), 10).map((row) => row.replace('Submitted', 'Cancelled')),
            1,
          ),
        )),
      ...(step % 3 === 1 &&
        fileOf(
          'sales_orders',
          once(
            some(rowsIn('sales_orders'), 10).map((row) => row.replace('Online', 'Web')),
            1,
          ),
        )),
      ...(step % 3 === 2 && fileOf('batches', once(some(rowsIn('batches'), 5), 2))),
    }
    if ((await both(files)).committed) committed++
    expect(await rowsOf(cluster), `step ${step}`).toEqual(await rowsOf(server))
  }
  expect(committed).toBeGreaterThan(4)
  expect(await verify(cluster, { rebuild: false })).toEqual(await verify(server, { rebuild: false }))
})

onCluster('a credit note without an order finds the return that it names', async () => {
  const [server, cluster] = [await serverDatabase(), await clusterDatabase()]
  onTestFinished(async () => {
    await cluster.drop()
    await server.drop()
  })
  const note = [
    'invoice_no,kind,return_no,invoice_at,due_date,sub_total,total_tax,total_amt,final_amt',
    'CN1,CREDIT NOTE,R1,2024-03-10 09:30:00,2024-03-10,-10,-1.2,-11.2,-11.2',
  ]
  for (const database of [server, cluster]) {
    expect((await load(database, findFiles(folderOf(good)))).committed).toBe(true)
    const { committed, warnings } = await load(database, findFiles(folderOf({ 'invoices.csv': note.join('\n') })))
    expect({ committed, warnings: warnings.kinds }).toEqual({ committed: true, warnings: [] })
  }
  expect(await rowsOf(cluster)).toEqual(await rowsOf(server))
})

async function filesOfSample(): Promise<Record<string, string>> {
  const folder = join(tempFolder(), 'sample')
  await writeFiles(sampleCompany(SAMPLE), folder, () => {})
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}

onCluster('none of 10,000 reads sees a part of a commit while a writer commits without a pause', async () => {
  const database = await clusterDatabase()
  onTestFinished(() => database.drop())
  const { db } = database
  await runOn(
    'url' in database.target ? database.target.url : '',
    'create table mix (k int primary key, v int not null)',
    `select create_distributed_table('mix', 'k', colocate_with => 'stock_movement')`,
    'insert into mix select g, 0 from generate_series(1, 64) g',
  )
  let [commits, reads, mixed, unlocked, halves, over] = [0, 0, 0, 0, 0, false]
  const write = async () => {
    while (!over) {
      await db.begin(async (tx) => {
        await tx.unsafe(`set local citus.multi_shard_modify_mode to 'sequential'`)
        await tx`update mix set v = v + 1`
        await tx`update data_version set version = version + 1, committed_at = clock_timestamp()`
        await engine.guardCommit(tx)
      })
      commits++
    }
  }
  const read = async () => {
    while (reads < 10_000)
      await engine.inVersion(db, '', async (tx) => {
        const [found] = await tx<{ low: number; high: number }[]>`select min(v) as low, max(v) as high from mix`
        if (found?.low !== found?.high) mixed++
        reads++
      })
  }
  /** Counts the partial commits that reads without the lock see. */
  const readUnlocked = async () => {
    while (!over) {
      const [found] = await db<{ low: number; high: number }[]>`select min(v) as low, max(v) as high from mix`
      if (found?.low !== found?.high) halves++
      unlocked++
    }
  }
  const others = [write(), readUnlocked()]
  await Promise.all([read(), read(), read()])
  over = true
  await Promise.all(others)
  console.log(`${commits} commits; ${reads} reads with the lock, ${mixed} mixed; ${unlocked} without, ${halves} mixed`)
  expect({ mixed }).toEqual({ mixed: 0 })
  expect(commits).toBeGreaterThan(100)
  expect(halves).toBeGreaterThan(0)
})

onCluster('a lost node gives 503 until it is back, and so does a node that lacks a part of a load', async () => {
  const database = await clusterDatabase()
  const service = await serve(database)
  expect((await load(database, findFiles(folderOf(filesOf(1, random(1)))))).committed).toBe(true)
  const [worker = ''] = database.workers
  const name = new URL(worker).pathname.slice(1)
  const onWorker = (...statements: string[]) => runOn(new URL('/postgres', worker).href, ...statements)
  /** A new request, so that the service computes it. */
  let month = 0
  const ask = () =>
    service.call({
      path: '/v1/inventory/fg-stock-status',
      body: { type: 'ALL', tax: 0, from_date: '2024-01-01', to_date: `2024-06-${String(++month).padStart(2, '0')}` },
    })
  expect((await ask()).statusCode).toBe(200)
  const nodes = async () => {
    for await (const { check, state, found } of examine({ target: database.target, settings }))
      if (check === 'nodes') return [state, found]
    return undefined
  }
  const { host } = new URL(worker)
  expect(await nodes()).toEqual(['ok', `the coordinator can connect to its ${database.workers.length} workers`])

  await onWorker(
    `alter database ${name} allow_connections false`,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
  )
  const lost = await ask()
  expect(lost.statusCode, lost.body).toBe(503)
  expect(await nodes()).toEqual([
    'problem',
    `the coordinator cannot connect to ${host}, of ${database.workers.length} workers`,
  ])
  const ready = async () => (await service.call({ path: '/readyz', token: null })).json()
  await expect
    .poll(ready)
    .toMatchObject({ status: 'not ready', reason: expect.stringMatching(/^A node of the database/) })
  await expect(load(database, findFiles(folderOf(filesOf(2, random(2)))))).rejects.toThrow()
  await onWorker(`alter database ${name} allow_connections true`)
  await expect.poll(ready).toEqual({ status: 'ready' })
  expect((await ask()).statusCode).toBe(200)
  expect((await load(database, findFiles(folderOf(filesOf(2, random(2)))))).committed).toBe(true)
  const back = await ask()
  expect([back.statusCode, back.headers['x-data-version']]).toEqual([200, '2'])

  const [{ item_id } = { item_id: 0 }] = await database.db<{ item_id: number }[]>`
    select item_id from item_shard_version order by 1 limit 1`
  await database.db`update item_shard_version set id = '1-1' where item_id = ${item_id}`
  const behind = await ask()
  expect([behind.statusCode, behind.json().detail]).toEqual([
    503,
    'A node of the database cluster is still completing the last load; try again in a minute.',
  ])
  await expect.poll(ready).toMatchObject({ status: 'not ready', reason: behind.json().detail })
})

onCluster(
  'shards compute the reports: no plan sends raw rows of the ledger or of documents to the coordinator',
  async () => {
    const database = await clusterDatabase()
    onTestFinished(() => database.drop())
    await loadSample(database, SAMPLE)
    const range = { from_date: '2026-06-01', to_date: TODAY }
    const spread = await database.db<{ name: string }[]>`
      select table_name::text as name from citus_tables where citus_table_type = 'distributed'`
    let compared = 0
    for (const report of reports.filter(({ group }) => group !== 'history')) {
      const [body = {}] = requestsFor(report, range)
      const read = readParams(report.request, body)
      if ('errors' in read) throw new Error(JSON.stringify(read.errors))
      const statement = wholeStatement(report, read.values, WHOLE)
      for (const each of statementsOf(statement)) {
        const tables = await tablesRead(database.db, each)
        if (!spread.some(({ name }) => tables?.includes(name))) continue // only masters, which every node has
        compared++
        const plan = await database.db.unsafe<{ 'QUERY PLAN': string }[]>(
          `explain (analyze, timing off, costs off, summary off) ${each.text}`,
          each.values as never[],
        )
        const lines = plan.map((row) => row['QUERY PLAN'])
        const numbers = (pattern: RegExp) => lines.flatMap((line) => pattern.exec(line)?.[1] ?? []).map(Number)
        expect(Math.max(...numbers(/Task Count: (\d+)/)), report.id).toBeGreaterThan(1)
        // Citus reports the rows of each task. Besides its records, a report may fetch sums and rows of the same documents.
        const [records = 0] = numbers(/ rows=(\d+)/)
        const taken = Math.max(...numbers(/Citus Adaptive\) \(actual rows=(\d+)/))
        expect(taken, `${report.id}\n${lines.join('\n')}`).toBeLessThanOrEqual(3 * records + 20)
      }
    }
    expect(compared).toBeGreaterThan(reports.length / 2)
  },
)
