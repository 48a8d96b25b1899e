/** `millbook doctor` on a server, with replication slots and with a past; test/process/doctor.test.ts has its other checks. */
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { expect, onTestFinished } from 'vitest'
import type { Target } from '../../src/db/connect.js'
import { examine, type Finding } from '../../src/runtime/doctor.js'
import { serveMetrics } from '../../src/runtime/metrics-server.js'
import type { ServeSettings } from '../../src/runtime/settings.js'
import { loadBooks } from '../setup/books.js'
import { databaseForThisTest } from '../setup/database.js'
import { only } from '../setup/tier.js'

const settings = { host: '127.0.0.1', workers: 1, readFrom: [], snapshotsIn: tmpdir(), tls: undefined }

async function findingsOf(target: Target): Promise<Finding[]> {
  const findings: Finding[] = []
  for await (const finding of examine({ target, settings: settings as unknown as ServeSettings }))
    findings.push(finding)
  return findings
}

const onServer = only('server', 'the embedded engine has no replicas')

onServer.it('a replication slot that no replica uses is a warning, with the log that it keeps', async () => {
  const { db, target } = await databaseForThisTest()
  const name = `away_${randomBytes(6).toString('hex')}`
  const found = async () => (await findingsOf(target)).filter(({ found }) => found.includes(name))
  expect(await found()).toEqual([])
  await db`select pg_create_physical_replication_slot(${name}, true)`
  onTestFinished(async () => void (await db`select pg_drop_replication_slot(${name})`))
  expect(await found()).toEqual([
    {
      ...{ check: 'replication slot', state: 'warning' },
      found: expect.stringMatching(/^no replica uses the slot away_\w+; it keeps \d+ \w+ of the write-ahead log$/),
      advice: expect.stringContaining(`select pg_drop_replication_slot('${name}')`),
    },
  ])
})

onServer.it(
  'doctor and the metrics tell what the past takes, and doctor warns of one that outgrows the present',
  async () => {
    const database = await databaseForThisTest()
    const { db, target } = database
    const found = async () => (await findingsOf(target)).find(({ check }) => check === 'history')
    expect(await found()).toBeUndefined()
    await loadBooks(database)
    expect(await found()).toMatchObject({
      state: 'ok',
      found: expect.stringMatching(
        /^reports can be asked of versions from 1 on; the past takes \d\.\d MiB, the present rows \d\.\d MiB$/,
      ),
    })
    const { address, port } = await serveMetrics({ host: '127.0.0.1', port: 0, db, others: async () => [] })
    const metric = async () =>
      Number(
        /^millbook_history_bytes (\d+)$/m.exec(await (await fetch(`http://${address}:${port}/metrics`)).text())?.[1],
      )
    const before = await metric()
    await db`insert into past_item select i.*, 2 from item i cross join generate_series(1, 20000)`
    expect(await metric()).toBeGreaterThan(before + 2 ** 20)
    expect(await found()).toMatchObject({ state: 'warning', advice: expect.stringContaining('--history-days') })
  },
)
