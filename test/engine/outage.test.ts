/** Lost database connections, and transactions that could deadlock. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { disableClient, enableClient } from '../../src/access/clients.js'
import { revokeToken, saveToken } from '../../src/access/tokens.js'
import { retryDeadlocks } from '../../src/db/retry.js'
import { startService } from '../setup/service.js'
import { only } from '../setup/tier.js'

only('server', 'connections to the embedded engine do not leave the machine').it(
  'lost connections fail only the requests that use them',
  async () => {
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
    await sleep(100)
    stop = true
    await Promise.all(callers)
    expect([...statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([])
    expect(statuses.get(200)).toBeGreaterThan(20)
    await expect.poll(async () => (await service.call({ path: '/readyz', token: null })).statusCode).toBe(200)
    await service.close()
  },
)

it('disabling a client while its tokens are revoked ends all of them without a deadlock', async () => {
  const service = await startService()
  const { client_id: clientId, username } = await service.newCaller()
  for (let round = 0; round < 5; round++) {
    const tokens = Array.from({ length: 6 }, (_, i) => `token ${round} ${i}`)
    for (const token of tokens)
      await saveToken(service.db, {
        ...{ kind: 'access', token, clientId, username, groups: null },
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
