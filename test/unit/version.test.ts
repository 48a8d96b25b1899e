/** The version of the data: how long a version is used, and listening for new ones while the database is unreachable. */
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { Database } from '../../src/db/connect.js'
import { SCHEMA } from '../../src/db/migrate.js'
import { followVersions, LEASE_MS } from '../../src/store/versions.js'

/** The monotonic clock, set by the test. */
function stoppedClock() {
  const clock = { now: 1000 }
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => clock.now)
  onTestFinished(() => spy.mockRestore())
  return clock
}

type Quick = Database['quick']
const NEVER = () => new Promise<never>(() => {})
const STATE = { schema: SCHEMA, id: '7', changes: {}, day: '2026-01-31', dayEnds: Number.MAX_SAFE_INTEGER, access: '1' }

it('a version is used until its lease ends, counted from the start of its query, and is read again before', async () => {
  const clock = stoppedClock()
  const queries: (() => void)[] = []
  const version = followVersions({
    quick: (() => new Promise((resolve) => queries.push(() => resolve([STATE])))) as unknown as Quick,
    ...{ listen: NEVER },
  })
  onTestFinished(() => version.close())
  const first = version.current()
  clock.now += 100 // the query takes 100 ms of the lease
  queries.shift()?.()
  const state = await first
  expect(state).toMatchObject({ id: '7' })

  expect(LEASE_MS).toBe(800) // `import` returns this long after its commit
  clock.now = 1000 + 300
  expect(version.current()).toBe(state)
  await turn()
  expect(queries, 'no query in the first three eighths').toHaveLength(0)
  clock.now += 1
  expect(version.current()).toBe(state)
  await turn()
  expect(queries, 'then one query, for which no request waits').toHaveLength(1)
  clock.now = 1000 + 799
  expect(version.current()).toBe(state)
  await turn()
  expect(queries).toHaveLength(1)
  clock.now = 1000 + 800
  const next = version.current()
  expect(next, 'a request after the lease waits').toBeInstanceOf(Promise)
  queries.shift()?.() // the query began before the request
  await turn()
  queries.shift()?.()
  expect(await next).toBe(state)
})

it('retries once a second, also if a failed attempt reports a lost connection too', async () => {
  const attempts: number[] = []
  let again = () => {}
  const second = new Promise<void>((resolve) => {
    again = resolve
  })
  const version = followVersions({
    quick: (() => Promise.reject(new Error('away'))) as unknown as Quick,
    listen: async (_channel, _heard, lost) => {
      if (attempts.push(performance.now()) === 2) again()
      await turn()
      lost()
      throw new Error('away')
    },
  })
  await second
  for (let i = 0; i < 5; i++) await turn() // the second attempt fails
  await version.close()
  expect(attempts).toHaveLength(2)
  expect((attempts[1] as number) - (attempts[0] as number)).toBeGreaterThan(990)
})

it.each([
  [400, 2],
  [401, 1],
])('a request during a query that fails after %d ms leads to %d queries in all', async (milliseconds, expected) => {
  const clock = stoppedClock()
  let queries = 0
  const version = followVersions({
    quick: (async () => {
      queries++
      await turn()
      clock.now += milliseconds
      throw new Error('away')
    }) as unknown as Quick,
    ...{ listen: NEVER },
  })
  onTestFinished(() => version.close())
  const first = Promise.resolve(version.current()).catch((error) => error.message)
  const second = Promise.resolve(version.current()).catch((error) => error.message)
  expect([await first, await second, queries]).toEqual(['away', 'away', expected])
})
