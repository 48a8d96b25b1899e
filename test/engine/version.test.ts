/** The version of the data is known without asking, and never an old one after a load has committed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import type { Db } from '../../src/db/connect.js'
import { announceCommit, followVersions, NEWS_MS, readState, type Versions } from '../../src/store/versions.js'
import { databaseForThisTest, engine, type TestDatabase } from '../setup/database.js'

const change = (database: TestDatabase) =>
  database.db`update data_version set version = version + 1, committed_at = clock_timestamp()`

/** Versions that are known, and how often the database was asked for them since. */
async function watching(database: TestDatabase): Promise<{ version: Versions; asked: () => number }> {
  let asked = 0
  const counting = (db: Db) =>
    new Proxy(db, {
      apply: (target, self, args: [TemplateStringsArray]) => {
        asked++
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
  asked = 0
  return { version, asked: () => asked }
}

it('is not asked for as long as nothing changes, and once after a change', async () => {
  const database = await databaseForThisTest()
  const { version, asked } = await watching(database)
  for (let i = 0; i < 1000; i++)
    expect(await version.current()).toEqual(expect.objectContaining({ id: expect.any(String) }))
  expect(asked()).toBeLessThanOrEqual(1) // a refresh, if the machine is slow
  await change(database)
  await sleep(NEWS_MS)
  const present = await readState(database.db)
  const found = await Promise.all(Array.from({ length: 50 }, () => version.current()))
  expect(new Set(found.map(({ id }) => id))).toEqual(new Set([present.id]))
  expect(asked()).toBeLessThanOrEqual(3) // one for requests before it began, one for the others, a refresh
  expect(version.current()).toEqual(present)
})

it('is asked for every time from shortly before a commit until its news', async () => {
  const database = await databaseForThisTest()
  const { version } = await watching(database)
  await announceCommit(database)
  if (engine === 'server') expect(version.current()).toBeInstanceOf(Promise)
  await change(database)
  expect((await version.current()).id).toBe((await readState(database.db)).id)
})

it('is asked for while nothing can be heard, and heard again afterwards', async () => {
  if (engine === 'embedded') return // its connections are inside one machine
  const database = await databaseForThisTest()
  const { version } = await watching(database)
  await database.db`
    select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`
  await expect.poll(() => version.current() instanceof Promise, { timeout: 3000, interval: 5 }).toBe(true)
  await announceCommit(database) // as every load does: by now it may be heard again
  await change(database)
  expect((await version.current()).id).toBe((await readState(database.db)).id)
  await expect.poll(() => version.current() instanceof Promise, { timeout: 5000 }).toBe(false)
  await change(database)
  await sleep(NEWS_MS)
  expect((await version.current()).id).toBe((await readState(database.db)).id)
})

it('the day ends in the time zone of the account', async () => {
  const database = await databaseForThisTest()
  for (const zone of ['Asia/Kolkata', 'Pacific/Auckland', 'America/St_Johns']) {
    await database.db`update account set time_zone = ${zone}`
    const { day, dayEnds } = await readState(database.db)
    expect(day).toBe(new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format())
    const last = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeStyle: 'medium' }).format((dayEnds - 1) * 1000)
    expect(last).toBe('23:59:59')
  }
})
