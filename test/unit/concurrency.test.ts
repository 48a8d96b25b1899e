/** The limits on requests in progress, in total and per client, and when a request stops counting. */
import { once } from 'node:events'
import { Readable } from 'node:stream'
import Fastify, { type FastifyInstance } from 'fastify'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { TokenCache } from '../../src/access/token-cache.js'
import type { Caller } from '../../src/access/tokens.js'
import { Admission } from '../../src/http/admit.js'
import { type ConcurrencyOptions, limitConcurrency, Slots } from '../../src/http/concurrency.js'
import { makeServer, tendConnections } from '../../src/http/connections.js'
import { handleErrors } from '../../src/http/errors.js'
import { head, open, startEdge } from '../setup/edge.js'
import { eventually } from '../setup/patience.js'

/** Blocks its callers until it is opened. */
class Gate {
  private readonly waiting: (() => void)[] = []
  arrived = 0
  pass = (): Promise<void> => {
    this.arrived++
    return new Promise((resolve) => this.waiting.push(resolve))
  }
  open(): void {
    for (const go of this.waiting.splice(0)) go()
  }
}

async function start(
  limits: ConcurrencyOptions,
): Promise<{ app: FastifyInstance; port: number; work: Gate; door: Gate }> {
  const app = Fastify({ serverFactory: (handler) => makeServer(handler, {}, undefined) })
  const work = new Gate()
  const door = new Gate()
  handleErrors(app)
  tendConnections(app, {}, false)
  app.decorateRequest('caller', null)
  app.decorateRequest('allowance', null)
  app.get('/free', async () => 'free')
  await app.register(async (scope) => {
    const slots = new Slots(limits)
    limitConcurrency(scope, slots)
    const tokens: TokenCache = {
      async find(header) {
        const [, clientId, isSlow] = header.split(' ')
        if (isSlow) await door.pass()
        return clientId === 'nobody' ? undefined : ({ clientId, groups: null } as unknown as Caller)
      },
      forget: () => {},
    }
    const onRequest = new Admission(tokens, { take: () => ({}) }, slots).hook()
    scope.post('/work', { onRequest }, async () => {
      await work.pass()
      return 'done'
    })
    scope.get('/now', { onRequest }, async () => 'done')
    scope.get('/fail', { onRequest }, async () => {
      throw new Error('failed')
    })
    scope.get('/anyone', async () => 'done')
    scope.post('/anyone', async () => {
      await work.pass()
      return 'done'
    })
    // More than the buffers of the operating system hold.
    scope.get('/long', { onRequest }, async (_request, reply) =>
      reply.send(Readable.from(Array.from({ length: 400 }, () => Buffer.alloc(100_000)))),
    )
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(async () => {
    work.open()
    door.open()
    await app.close()
  })
  return { app, port: (app.server.address() as { port: number }).port, work, door }
}

const as = (client: string) => ({ authorization: `Bearer ${client}` })
const send = (app: FastifyInstance, client: string, url = '/now') =>
  app.inject({ method: url === '/work' ? 'POST' : 'GET', url, headers: as(client) })
const status = async (...args: Parameters<typeof send>) => (await send(...args)).statusCode

describe('a request past the limit of its client', () => {
  it('waits for its turn, in order, and then is answered', async () => {
    const { app, work } = await start({ maxRequests: 4, maxRequestsPerClient: 1, maxWaitSeconds: 600 })
    const running = send(app, 'a', '/work')
    await eventually(() => expect(work.arrived).toBe(1))
    const order: number[] = []
    const waiting = [1, 2, 3].map(async (n) => {
      const { statusCode } = await send(app, 'a')
      order.push(n)
      return statusCode
    })
    // Requests that wait leave room for other clients.
    await eventually(async () => expect(await Promise.all([status(app, 'b'), status(app, 'c')])).toEqual([200, 200]))
    expect(order).toEqual([])
    work.open()
    expect(await Promise.all(waiting)).toEqual([200, 200, 200])
    expect([order, (await running).statusCode]).toEqual([[1, 2, 3], 200])
  })

  it('gets 503 when it has waited too long', async () => {
    const { app, work } = await start({ maxRequests: 9, maxRequestsPerClient: 1, maxWaitSeconds: 1 })
    const running = send(app, 'a', '/work')
    await eventually(() => expect(work.arrived).toBe(1))
    const late = await send(app, 'a')
    expect([late.statusCode, late.headers['retry-after']]).toEqual([503, '1'])
    work.open()
    expect((await running).statusCode).toBe(200)
    expect(await status(app, 'a')).toBe(200) // nothing is left that counts
  })

  it('gets 503 at once if four times the limit are waiting', async () => {
    const { app, work } = await start({ maxRequests: 9, maxRequestsPerClient: 1, maxWaitSeconds: 600 })
    const running = send(app, 'a', '/work')
    await eventually(() => expect(work.arrived).toBe(1))
    const statuses: number[] = []
    const waiting = Array.from({ length: 6 }, async () => statuses.push(await status(app, 'a')))
    await eventually(() => expect(statuses).toEqual([503, 503]))
    work.open()
    await Promise.all(waiting)
    expect(statuses).toEqual([503, 503, 200, 200, 200, 200])
    expect((await running).statusCode).toBe(200)
  })

  it('leaves the queue if its caller disconnects', async () => {
    const { app, port, work } = await start({ maxRequests: 2, maxRequestsPerClient: 1, maxWaitSeconds: 600 })
    const running = send(app, 'a', '/work')
    await eventually(() => expect(work.arrived).toBe(1))
    const { socket } = open(port, head('GET /now', as('a')))
    const next = send(app, 'a')
    socket.destroy()
    work.open()
    expect([(await running).statusCode, (await next).statusCode]).toEqual([200, 200])
    await eventually(async () => expect(await Promise.all([status(app, 'b'), status(app, 'c')])).toEqual([200, 200]))
  })
})

describe('the limits', () => {
  it('apply in total and per client; a request past one gets 503 with Retry-After', async () => {
    const { app, work } = await start({ maxRequests: 3, maxRequestsPerClient: 2 })
    const running = ['a', 'a', 'b'].map((client) => send(app, client, '/work'))
    await eventually(() => expect(work.arrived).toBe(3))
    const full = await send(app, 'c')
    expect([full.statusCode, full.headers['retry-after'], full.headers['content-type']]).toEqual([
      503,
      '1',
      expect.stringContaining('application/problem+json'),
    ])
    expect(full.json().detail).toBe('The service is already processing 3 requests; try again in a second.')
    expect(await status(app, 'c', '/free')).toBe(200)
    work.open()
    expect((await Promise.all(running)).map((response) => response.statusCode)).toEqual([200, 200, 200])

    void send(app, 'a', '/work')
    void send(app, 'a', '/work')
    await eventually(() => expect(work.arrived).toBe(5))
    const own = await send(app, 'a')
    expect([own.statusCode, own.json().detail]).toEqual([
      503,
      'The service is already processing 2 requests of this client; wait for one of them to end.',
    ])
    expect(await status(app, 'b')).toBe(200)
  })

  it('count an unauthenticated request for its address', async () => {
    const { app, work } = await start({ maxRequests: 9, maxRequestsPerClient: 1 })
    const from = async (remoteAddress: string) => (await app.inject({ url: '/anyone', remoteAddress })).statusCode
    const running = app.inject({ method: 'POST', url: '/anyone', remoteAddress: '127.0.0.1' })
    await eventually(() => expect(work.arrived).toBe(1))
    expect([await from('127.0.0.1'), await from('192.0.2.1')]).toEqual([503, 200])
    work.open()
    expect((await running).statusCode).toBe(200)
    expect(await from('127.0.0.1')).toBe(200)
  })

  it('count an unauthenticated request after its body has arrived, so that slow bodies cannot take every slot', async () => {
    const { app, port, url } = await startEdge({ maxRequests: 2, maxRequestsPerClient: 2 })
    let begun = 0
    app.server.on('request', () => begun++)
    const type = { 'Content-Type': 'application/json' }
    for (let i = 0; i < 20; i++) open(port, `${head('POST /oauth2/token', { ...type, 'Content-Length': 99 })}{"grant`)
    await eventually(() => expect(begun).toBe(20))
    const response = await fetch(`${url}/oauth2/token`, {
      method: 'POST',
      headers: type,
      body: '{"grant_type":"none"}',
    })
    expect([response.status, await response.json()]).toMatchObject([400, { error: 'unsupported_grant_type' }])
  })
})

describe('a request stops counting', () => {
  it('after a response, a failure and a refusal, every time', async () => {
    const { app } = await start({ maxRequests: 1, maxRequestsPerClient: 1 })
    for (let i = 0; i < 5; i++) {
      expect(await status(app, 'a')).toBe(200)
      expect(await status(app, 'a', '/fail')).toBe(500)
      expect(await status(app, 'nobody')).toBe(401)
    }
  })

  it('after the client disconnected while sending its body', async () => {
    const { app, port } = await start({ maxRequests: 1, maxRequestsPerClient: 1 })
    const text = { 'Content-Type': 'text/plain', 'Content-Length': 9, ...as('a') }
    for (let i = 0; i < 3; i++) {
      const { socket } = open(port, head('POST /work', text))
      await eventually(async () => expect(await status(app, 'b')).toBe(503))
      socket.destroy()
      await eventually(async () => expect(await status(app, 'a')).toBe(200))
    }
  })

  it('after the client disconnected during its token lookup, and its handler never starts', async () => {
    const { app, port, door, work } = await start({ maxRequests: 1, maxRequestsPerClient: 1 })
    const { socket } = open(port, head('POST /work', as('a slowly')))
    await eventually(() => expect(door.arrived).toBe(1))
    socket.destroy()
    await eventually(async () => expect(await status(app, 'a')).toBe(200))
    door.open()
    await new Promise((resolve) => setImmediate(resolve))
    expect(work.arrived).toBe(0)
    expect(await status(app, 'a')).toBe(200)
  })

  it('after the client disconnected and its handler has ended, not before', async () => {
    const { app, port, work } = await start({ maxRequests: 1, maxRequestsPerClient: 1 })
    const taken = once(app.server, 'connection')
    const { socket } = open(port, head('POST /work', as('a')))
    await eventually(() => expect(work.arrived).toBe(1))
    const [theirEnd] = await taken
    socket.destroy()
    await once(theirEnd, 'close')
    expect(await status(app, 'b')).toBe(503)
    work.open()
    await eventually(async () => expect(await status(app, 'a')).toBe(200))
  })

  it('after the client disconnected with pipelined requests outstanding', async () => {
    const { app, port, work } = await start({ maxRequests: 20, maxRequestsPerClient: 20 })
    const warned = vi.fn()
    process.on('warning', warned)
    onTestFinished(() => void process.off('warning', warned))
    const { socket } = open(port, head('POST /work', as('a')).repeat(20))
    await eventually(() => expect(work.arrived).toBe(20))
    expect(await status(app, 'b')).toBe(503)
    socket.destroy()
    work.open()
    // Every slot is free again; on a busy machine they become free one after the other.
    const twenty = Array.from({ length: 20 })
    await eventually(async () =>
      expect(await Promise.all(twenty.map(() => status(app, 'a')))).toEqual(twenty.map(() => 200)),
    )
    const again = twenty.map(() => send(app, 'a', '/work'))
    await eventually(() => expect(work.arrived).toBe(40))
    work.open()
    expect((await Promise.all(again)).map((response) => response.statusCode)).toEqual(again.map(() => 200))
    expect(warned).not.toHaveBeenCalled()
  })

  it('after the client disconnected with requests outstanding that had an Expect header', async () => {
    const { app, port, work } = await start({ maxRequests: 9, maxRequestsPerClient: 9 })
    const expecting = head('GET /now', { ...as('nobody'), Expect: 'cake' })
    const { socket } = open(port, head('POST /work', as('a')) + expecting.repeat(8))
    await eventually(async () => expect(await status(app, 'b')).toBe(503))
    socket.destroy()
    work.open()
    await eventually(async () => {
      const again = Array.from({ length: 9 }, () => status(app, 'a', '/now'))
      expect(await Promise.all(again)).toEqual(again.map(() => 200))
    })
  })

  it('after the client disconnected with long pipelined responses outstanding, most of them not begun', async () => {
    const { app, port } = await start({ maxRequests: 8, maxRequestsPerClient: 8 })
    const { socket } = open(port, head('GET /long', as('a')).repeat(8))
    socket.pause()
    await eventually(async () => expect(await status(app, 'b')).toBe(503))
    socket.destroy()
    await eventually(async () => {
      const again = Array.from({ length: 8 }, () => status(app, 'a'))
      expect(await Promise.all(again)).toEqual(again.map(() => 200))
    })
  })
})
