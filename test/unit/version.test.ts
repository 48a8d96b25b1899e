/** Listening for new versions while the database cannot be reached. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Database } from '../../src/db/connect.js'
import { followVersions } from '../../src/store/versions.js'

it('retries once a second, also if a failed attempt reports a lost connection as well', async () => {
  let attempts = 0
  const version = followVersions({
    quick: (() => Promise.reject(new Error('away'))) as unknown as Database['quick'],
    listen: async (_channel, _heard, lost) => {
      attempts++
      await sleep(1)
      lost()
      throw new Error('away')
    },
  })
  await sleep(1500)
  await version.close()
  expect(attempts).toBe(2)
})

it.each([
  [10, 2],
  [600, 1],
])('a request that comes while a query fails after %d ms sends %d in all', async (milliseconds, expected) => {
  let queries = 0
  const version = followVersions({
    quick: (async () => {
      queries++
      await sleep(milliseconds)
      throw new Error('away')
    }) as unknown as Database['quick'],
    listen: () => new Promise(() => {}),
  })
  const first = Promise.resolve(version.current()).catch((error) => error.message)
  const second = Promise.resolve(version.current()).catch((error) => error.message)
  expect([await first, await second, queries]).toEqual(['away', 'away', expected])
  await version.close()
})
