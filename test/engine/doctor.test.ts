/** `millbook doctor` on a server with replication slots; test/process/doctor.test.ts has its other checks. */
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { expect, onTestFinished } from 'vitest'
import { examine, type Finding } from '../../src/runtime/doctor.js'
import type { ServeSettings } from '../../src/runtime/settings.js'
import { databaseForThisTest } from '../setup/database.js'
import { only } from '../setup/tier.js'

const onServer = only('server', 'the embedded engine has no replicas')

onServer.it('a replication slot that no replica uses is a warning, with the log that it keeps', async () => {
  const { db, target } = await databaseForThisTest()
  const name = `away_${randomBytes(6).toString('hex')}`
  const found = async () => {
    const settings = { host: '127.0.0.1', workers: 1, readFrom: [], snapshotsIn: tmpdir(), tls: undefined }
    const findings: Finding[] = []
    for await (const finding of examine({ target, settings: settings as unknown as ServeSettings }))
      findings.push(finding)
    return findings.filter(({ found }) => found.includes(name))
  }
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
