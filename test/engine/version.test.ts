/** Each process knows the current version without a query, and uses an old version at most until its lease ends. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { followVersions, LEASE_MS, readState, type Versions } from '../../src/store/versions.js'
import { databaseForThisTest, type TestDatabase } from '../setup/database.js'
import { only } from '../setup/tier.js'

const onServer = only('server', 'the embedded engine loses no notification')
const onEmbedded = only('embedded', 'a server has a session for each connection')

const change = (database: TestDatabase) =>
  database.db`update data_version set version = version + 1, committed_at = clock_timestamp()`

/** Follows the versions, and counts the queries for them. */
async function follow(
  database: TestDatabase,
  { deaf = false, leaseMs = LEASE_MS } = {},
): Promise<{ version: Versions; queries: () => number }> {
  let queries = 0
  const quick = new Proxy(database.quick, {
    apply: (target, self, args: [TemplateStringsArray]) => {
      queries++
      return Reflect.apply(target, self, args)
    },
  })
  let isListening = false
  const listen: TestDatabase['listen'] = async (channel, heard, lost) => {
    const listener = await database.listen(channel, deaf ? () => {} : heard, lost)
    isListening = true
    return listener
  }
  const version = followVersions({ ...database, quick, listen }, undefined, leaseMs)
  onTestFinished(() => version.close())
  await expect.poll(() => isListening).toBe(true) // the state that was read before is forgotten then
  await expect.poll(() => version.current() instanceof Promise).toBe(false)
  queries = 0
  return { version, queries: () => queries }
}

const present = async (database: TestDatabase) => (await readState(database.db)).id

it('no query is sent while nothing changes, and one after a change', async () => {
  const database = await databaseForThisTest()
  const { version, queries } = await follow(database, { leaseMs: Number.POSITIVE_INFINITY }) // no refresh is due
  const before = await version.current()
  for (let i = 0; i < 1000; i++) expect(await version.current()).toBe(before)
  expect(queries()).toBe(0)
  await change(database)
  await expect.poll(async () => (await version.current()).id).toBe(await present(database))
  expect(queries()).toBeLessThanOrEqual(2) // one for the notification, one for requests that came before its query
})

it('a notification ends an old version before its lease is over', async () => {
  const database = await databaseForThisTest()
  const { version } = await follow(database, { leaseMs: Number.POSITIVE_INFINITY }) // only the notification can end the lease
  await change(database)
  await expect.poll(async () => (await version.current()).id).toBe(await present(database))
})

onServer.it('a version is not used beyond its lease, even if every notification is lost', async () => {
  const database = await databaseForThisTest()
  expect(LEASE_MS).toBeLessThan(1000) // "within a second"
  const { version } = await follow(database, { deaf: true })
  for (let i = 0; i < 3; i++) {
    await change(database)
    const id = await present(database)
    const asking = setInterval(() => void version.current(), 5) // requests make the process read the version again in time
    await sleep(LEASE_MS)
    clearInterval(asking)
    expect((await version.current()).id).toBe(id)
  }
})

onEmbedded.it('a version is used while a load holds the session, and not after its commit', async () => {
  const database = await databaseForThisTest()
  const { version, queries } = await follow(database)
  const before = await version.current()
  await database.db.begin(async (tx) => {
    await tx`update data_version set version = version + 1, committed_at = clock_timestamp()`
    await sleep(2 * LEASE_MS)
    expect((await version.current()).id).toBe(before.id) // a query would wait for this transaction for ever
    expect(queries()).toBe(0)
  })
  expect((await version.read()).id).toBe(await present(database))
})

onServer.it('the version is read on time while the listening connection is lost; then listening resumes', async () => {
  const database = await databaseForThisTest()
  let listeners = 0
  const version = followVersions({
    ...database,
    listen: async (...about) => {
      const listener = await database.listen(...about)
      listeners++
      return listener
    },
  })
  onTestFinished(() => version.close())
  await expect.poll(() => listeners).toBe(1)
  await database.db`
    select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`
  await change(database)
  await sleep(LEASE_MS)
  expect((await version.current()).id).toBe(await present(database))
  await expect.poll(() => listeners).toBe(2)
})

it('a day begins and ends in the time zone of the account', async () => {
  const database = await databaseForThisTest()
  for (const zone of ['Asia/Kolkata', 'Pacific/Auckland', 'America/St_Johns']) {
    await database.db`update account set time_zone = ${zone}`
    const { day, dayEnds } = await readState(database.db)
    expect(day).toBe(new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format())
    const last = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeStyle: 'medium' }).format((dayEnds - 1) * 1000)
    expect(last).toBe('23:59:59')
  }
})
