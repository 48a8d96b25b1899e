/** Each process knows the current version without a query, and never uses an old one after a load has committed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import type { Queryable } from '../../src/db/connect.js'
import { announceCommit, followVersions, NEWS_MS, readState, type Versions } from '../../src/store/versions.js'
import { databaseForThisTest, engine, type TestDatabase } from '../setup/database.js'

const change = (database: TestDatabase) =>
  database.db`update data_version set version = version + 1, committed_at = clock_timestamp()`

/** Follows the versions, and counts the queries for them. */
async function follow(database: TestDatabase): Promise<{ version: Versions; queries: () => number }> {
  let queries = 0
  const counting = <Q extends Queryable>(db: Q): Q =>
    new Proxy(db, {
      apply: (target, self, args: [TemplateStringsArray]) => {
        queries++
        return Reflect.apply(target, self, args)
      },
    })
  const version = followVersions({
    ...database,
    db: counting(database.db),
    listen: async (...about) => {
      const listener = await database.listen(...about)
      return { ...listener, db: counting(listener.db) }
    },
  })
  onTestFinished(() => version.close())
  await expect.poll(() => version.current() instanceof Promise, { timeout: 5000 }).toBe(false)
  queries = 0
  return { version, queries: () => queries }
}

it('no query is sent while nothing changes, and one after a change', async () => {
  const database = await databaseForThisTest()
  const { version, queries } = await follow(database)
  for (let i = 0; i < 1000; i++)
    expect(await version.current()).toEqual(expect.objectContaining({ id: expect.any(String) }))
  expect(queries()).toBeLessThanOrEqual(1) // a refresh, if the machine is slow
  await change(database)
  await sleep(NEWS_MS)
  const present = await readState(database.db)
  const found = await Promise.all(Array.from({ length: 50 }, () => version.current()))
  expect(new Set(found.map(({ id }) => id))).toEqual(new Set([present.id]))
  expect(queries()).toBeLessThanOrEqual(3) // one for requests before it began, one for the others, a refresh
  expect(version.current()).toEqual(present)
})

it('every request queries the version from the announcement of a commit until its notification', async () => {
  const database = await databaseForThisTest()
  const { version } = await follow(database)
  await announceCommit(database)
  if (engine === 'server') expect(version.current()).toBeInstanceOf(Promise)
  await change(database)
  expect((await version.current()).id).toBe((await readState(database.db)).id)
})

it('every request queries the version while the listening connection is lost; then listening resumes', async () => {
  if (engine === 'embedded') return // its connections do not leave the machine
  const database = await databaseForThisTest()
  const { version } = await follow(database)
  await database.db`
    select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`
  await expect.poll(() => version.current() instanceof Promise, { timeout: 3000, interval: 5 }).toBe(true)
  await announceCommit(database) // as every load does; the listener may be connected again by now
  await change(database)
  expect((await version.current()).id).toBe((await readState(database.db)).id)
  await expect.poll(() => version.current() instanceof Promise, { timeout: 5000 }).toBe(false)
  await change(database)
  await sleep(NEWS_MS)
  expect((await version.current()).id).toBe((await readState(database.db)).id)
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
