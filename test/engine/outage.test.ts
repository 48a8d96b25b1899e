/** Lost database connections, and transactions that could deadlock. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { disableClient, enableClient } from '../../src/access/clients.js'
import { revokeToken, saveToken } from '../../src/access/tokens.js'
import { connect } from '../../src/db/connect.js'
import { retryDeadlocks } from '../../src/db/retry.js'
import { standBetween } from '../setup/between.js'
import { databaseForThisTest } from '../setup/database.js'
import { startService } from '../setup/service.js'
import { only } from '../setup/tier.js'

const onServer = only('server', 'connections to the embedded engine do not leave the machine')

onServer.it('lost connections fail only the requests that use them', async () => {
  const service = await startService()
  let stop = false
  const statuses = new Map<number, number>()
  const callers = Array.from({ length: 6 }, async () => {
    while (!stop) {
      const { statusCode } = await service.call({ path: '/v1/partner/fg-item-master', body: {} })
      statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1)
    }
  })
  for (let i = 0; i < 8; i++) {
    await sleep(60)
    await service.db`
      select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`.catch(
      () => {},
    )
  }
  await expect.poll(() => statuses.get(200) ?? 0).toBeGreaterThan(20)
  stop = true
  await Promise.all(callers)
  expect([...statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([])
  await expect.poll(async () => (await service.call({ path: '/readyz', token: null })).statusCode).toBe(200)
  await service.close()
})

onServer.it('an unreachable database gets few connection attempts, and is used again when it is back', async () => {
  const { target } = await databaseForThisTest('empty')
  const between = await standBetween(target)
  const { db, close } = await connect(between.target)
  const ask = () => db<{ one: number }[]>`select 1 as one`.then(([row]) => row?.one)
  between.cut()
  await sleep(50)
  const before = between.connections()
  const started = performance.now()
  const outcomes = await Promise.allSettled(
    Array.from({ length: 300 }, async (_, i) => {
      await sleep(i * 5)
      return await ask()
    }),
  )
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toEqual([])
  // One attempt per pooled connection and half second, for any number of callers.
  const most = 8 * Math.ceil(1 + (performance.now() - started) / 500)
  expect(between.connections() - before).toBeLessThanOrEqual(most)
  between.mend()
  expect(await Promise.all(Array.from({ length: 30 }, ask))).toEqual(Array(30).fill(1))
  await close()
})

it('disabling a client while its tokens are revoked ends all of them without a deadlock', async () => {
  const service = await startService()
  const { client_id: clientId, username } = await service.newCaller()
  for (let round = 0; round < 5; round++) {
    const tokens = Array.from({ length: 6 }, (_, i) => `token ${round} ${i}`)
    for (const token of tokens)
      await saveToken(service.db, {
        ...{ kind: 'access', token, clientId, username, groups: null, address: '127.0.0.1' },
        expiresAt: new Date(Date.now() + 60_000),
      })
    const ended = await Promise.allSettled([
      ...tokens.map((token) => retryDeadlocks(() => service.db.begin((tx) => revokeToken(tx, token, clientId)))),
      retryDeadlocks(() => service.db.begin((tx) => disableClient(tx, clientId))),
    ])
    expect(ended.filter(({ status }) => status === 'rejected')).toEqual([])
    expect(await service.db`select from api_token where client_id = ${clientId}`).toHaveLength(0)
    await service.db.begin((tx) => enableClient(tx, clientId))
  }
  await service.close()
})
