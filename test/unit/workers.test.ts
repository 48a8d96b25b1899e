/** What each of several workers gets of the limits, and how soon one that dies is replaced. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { checksOfEach } from '../../src/access/sign-in.js'
import { Dispatcher } from '../../src/runtime/dispatcher.js'
import { CONNECTIONS_OF_FIRST, connectionsOfEach, shareOf } from '../../src/runtime/shares.js'
import { delayAfter } from '../../src/runtime/workers.js'

it('the limits are divided by the workers and rounded up, but a client keeps some requests at each', () => {
  const limits = {
    maxConnections: 1024,
    maxConnectionsPerAddress: 256,
    maxRequests: 256,
    maxRequestsPerClient: 32,
    port: 1,
  }
  expect(shareOf(limits, 2)).toEqual({
    maxConnections: 512,
    maxConnectionsPerAddress: 128,
    maxRequests: 128,
    maxRequestsPerClient: 16,
    port: 1,
  })
  expect(shareOf(limits, 3)).toMatchObject({ maxConnections: 342, maxRequests: 86, maxRequestsPerClient: 11 })
  expect(shareOf(limits, 32)).toMatchObject({ maxRequests: 8, maxRequestsPerClient: 4 })
  expect(shareOf({ ...limits, maxRequestsPerClient: 1 }, 32)).toMatchObject({ maxRequestsPerClient: 1 })
})

it('workers together stay below what PostgreSQL takes, also while one is replaced', () => {
  expect([1, 2, 8, 9, 16, 28].map((workers) => connectionsOfEach(workers).max)).toEqual([8, 8, 7, 6, 3, 1])
  for (const workers of [1, 2, 4, 8, 16, 28]) {
    const { max, quick } = connectionsOfEach(workers)
    const first = CONNECTIONS_OF_FIRST.max + CONNECTIONS_OF_FIRST.quick
    expect((workers + 1) * (max + quick + 1) + first).toBeLessThanOrEqual(95)
  }
})

it('a worker is replaced at once, and more and more slowly where it dies again and again', () => {
  expect([0, 1, 2, 3, 4, 5, 9, 50].map(delayAfter)).toEqual([0, 0, 250, 500, 1000, 2000, 4000, 4000])
})

it('checks of secrets: one at a time in each of several processes, one for every two cores in a single one', () => {
  expect(checksOfEach(1, 1).running).toBe(1)
  expect(checksOfEach(1, 8)).toEqual({ running: 4, waiting: 64, waitingPerSource: 24 })
  expect(checksOfEach(8, 8).running).toBe(1)
  expect(checksOfEach(2, 16).running).toBe(4)
})

it('a connection waits for the first worker longer than for the confirmation of a worker', async () => {
  const settings = { host: '127.0.0.1', port: 0, maxConnections: 10 }
  const dispatcher = await Dispatcher.listen(settings, { waitMs: 300_000, handOverMs: 50 })
  const caller = connect(dispatcher.address.port, '127.0.0.1')
  onTestFinished(() => {
    caller.destroy()
    dispatcher.close()
  })
  await once(caller, 'connect')
  await sleep(300)
  const taken: Socket[] = []
  dispatcher.add({ take: (connection) => void taken.push(connection) })
  await expect.poll(() => taken.length).toBe(1)
  expect(taken[0]?.destroyed).toBe(false)
  await once(caller.resume(), 'close') // the worker never confirms it
  expect(taken[0]?.destroyed).toBe(true)
})
