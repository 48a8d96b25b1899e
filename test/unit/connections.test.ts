/** Connections that are slow, silent, greedy, too many, or handed over by another process. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { head, open, startEdge } from '../setup/edge.js'
import { eventually, withTimeLimit } from '../setup/patience.js'

const within = (ms: number) => ({ headers: ms, request: 2 * ms, check: 50 })
const soon = within(300)
const json = { 'Content-Type': 'application/json' }

function expectProblem(answer: string, status: number): void {
  const [lines = '', body = ''] = answer.split('\r\n\r\n')
  expect(lines).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(lines).toContain('Connection: close')
  expect(lines).toMatch(/^content-type: application\/problem\+json/im)
  expect(JSON.parse(body)).toMatchObject({ status, request_id: expect.any(String) })
}

describe('the service answers 408 and closes the connection for', () => {
  it('a connection without a request, headers that do not end, and bodies that do not', async () => {
    const { port, app } = await startEdge({ timeouts: soon })
    const texts = [
      '',
      'GET /healthz HTTP/1.1\r\nHost: x\r\n',
      head('POST /oauth2/token', { ...json, 'Content-Length': 100 }),
      `${head('POST /oauth2/token', { ...json, 'Transfer-Encoding': 'chunked' })}1\r\n{\r\n`,
    ]
    const sent = texts.map((text) => open(port, text))
    const closed = Promise.all(sent.map(({ socket }) => once(socket, 'close')))
    for (const { answer } of sent) expectProblem(await answer, 408)
    await closed
    await eventually(() => expect(openConnections(app.server)).resolves.toBe(0))
  })

  it('headers that arrive a little at a time', async () => {
    const { port } = await startEdge({ timeouts: soon })
    const { answer, socket } = open(port, 'GET /healthz HTTP/1.1\r\n')
    const drip = setInterval(() => socket.write('a: b\r\n'), 50)
    onTestFinished(() => clearInterval(drip))
    expectProblem(await answer, 408)
  })

  it('a slow second request after a quick first one', async () => {
    await withTimeLimit(async (ms) => {
      const { port } = await startEdge({ timeouts: within(ms) })
      const { answer } = open(port, `${head('GET /healthz')}GET /he`)
      const [, second] = (await answer).split('{"status":"ok"}')
      expectProblem(second ?? '', 408)
    })
  })
})

it('a client that does not close its side is cut off after the last response', async () => {
  const { port, app } = await startEdge()
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  socket.write('NONSENSE\r\n\r\n')
  socket.resume()
  await once(socket, 'end')
  await eventually(() => expect(openConnections(app.server)).resolves.toBe(0))
})

it('a connection that is idle between requests is closed after the keep-alive timeout, without a response', async () => {
  const { port } = await startEdge({ timeouts: { keepAlive: 200 } })
  expect(await open(port, head('GET /healthz')).answer).toMatch(/^HTTP\/1.1 200 [\s\S]*\{"status":"ok"\}$/)
})

/** 3.5 MB. Several fill the buffers of the operating system. */
const LARGE = head('GET /docs/scalar.js')

it('a response that the client does not read loses its connection', async () => {
  const { port, app, log } = await startEdge({ timeouts: { response: 300, check: 50 } })
  const unread = connect(port, '127.0.0.1')
  onTestFinished(() => void unread.destroy())
  unread.pause()
  unread.on('error', () => {})
  unread.write(LARGE.repeat(12))
  await eventually(() => expect(log.join('')).toContain('connection closed before the response was complete'))
  await eventually(() => expect(openConnections(app.server)).resolves.toBe(0))
})

it('a response that the client reads slowly arrives whole', () =>
  withTimeLimit(async (ms) => {
    const { port } = await startEdge({ timeouts: { response: ms, check: 50 } })
    const slow = connect(port, '127.0.0.1')
    onTestFinished(() => void slow.destroy())
    slow.write(LARGE.repeat(12) + head('GET /healthz', { Connection: 'close' }))
    const [from, whole] = [performance.now(), 12 * 3_500_000]
    let got = ''
    for await (const some of slow) {
      got = got.slice(-20) + some
      // Takes twice the limit for all of them.
      await sleep(Math.max(0, from + (slow.bytesRead / whole) * 2 * ms - performance.now()))
    }
    expect(got.endsWith('{"status":"ok"}')).toBe(true)
  }))

it('connections past the cap are refused, and there is room again when one ends', async () => {
  const { port, log } = await startEdge({ maxConnections: 2 })
  const held = [open(port), open(port)]
  await Promise.all(held.map(({ socket }) => once(socket, 'connect')))
  const refused = connect(port, '127.0.0.1')
  refused.on('error', () => {})
  await once(refused, 'close')
  expect(log.join('')).toContain('too many connections')
  held[0]?.socket.destroy()
  const ask = () => open(port, head('GET /healthz', { Connection: 'close' })).answer
  await eventually(async () => expect(await ask()).toContain('200 OK'))
})

it.skipIf(process.platform === 'darwin')(
  'connections past the cap of one address are refused; other addresses and trusted proxies still get in',
  async () => {
    const { port, log } = await startEdge({ maxConnectionsPerAddress: 3, trustedProxies: ['127.0.0.0/30', '::1'] })
    /** The beginning of the response on a new connection from this address, which stays open; '' if it was closed without one. */
    const ask = async (localAddress: string) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {})
      onTestFinished(() => void socket.destroy())
      socket.write(head('GET /healthz'))
      const got = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [''])])
      return { socket, got: String(got[0]).slice(0, 12) }
    }
    const held = await ask('127.0.0.9')
    for (let i = 0; i < 2; i++) expect((await ask('127.0.0.9')).got).toBe('HTTP/1.1 200')
    expect((await ask('127.0.0.9')).got).toBe('')
    expect(log.join('')).toContain('"address":"127.0.0.9","maxConnectionsPerAddress":3')
    expect((await ask('127.0.0.10')).got, 'another address').toBe('HTTP/1.1 200')
    for (let i = 0; i < 5; i++) expect((await ask('127.0.0.2')).got, 'a trusted proxy').toBe('HTTP/1.1 200')
    held.socket.destroy()
    await eventually(async () => expect((await ask('127.0.0.9')).got).toBe('HTTP/1.1 200'))
  },
)

it('a connection may pipeline 32 requests, again and again; with one more it is closed', async () => {
  const { port } = await startEdge()
  const { socket } = open(port)
  let got = ''
  socket.on('data', (more) => {
    got += more
  })
  const answers = () => got.split('{"status":"ok"}').length - 1
  for (const sent of [32, 64]) {
    socket.write(head('GET /healthz').repeat(32))
    await eventually(() => expect(answers()).toBe(sent))
  }
  socket.write(head('GET /healthz').repeat(33))
  await new Promise((closed) => socket.once('close', closed))
  expect(answers()).toBe(64)
})

it('a body past the limit gets a response that arrives, however much the client sends', async () => {
  const { url } = await startEdge()
  for (let i = 0; i < 5; i++) {
    const answer = await fetch(`${url}/oauth2/token`, {
      method: 'POST',
      headers: json,
      body: Buffer.alloc(8_000_000, 'x'),
    })
    expect(answer.status).toBe(413)
    expect(answer.headers.get('connection')).not.toBe('close')
    await answer.text()
  }
  expect((await fetch(`${url}/healthz`)).headers.get('keep-alive')).toBe('timeout=72')
})

const openConnections = (server: { getConnections(cb: (error: Error | null, n: number) => void): unknown }) =>
  new Promise<number>((resolve, reject) => server.getConnections((error, n) => (error ? reject(error) : resolve(n))))

/** Hands connections to the app as a worker gets them: its own server does not listen. */
async function startHanded(options: Parameters<typeof startEdge>[0]) {
  const { app, log } = await startEdge(options, { listen: false })
  app.server.emit('listening') // as worker.ts does
  const front = createServer((socket) => app.server.emit('connection', socket)).listen(0, '127.0.0.1')
  onTestFinished(() => void front.close())
  await once(front, 'listening')
  return { app, log, front, port: (front.address() as AddressInfo).port }
}

it('a worker that drains answers requests that still come, closing each connection, and closes idle ones after a while', () =>
  withTimeLimit(async (ms) => {
    const { app, port } = await startHanded({ timeouts: { drain: ms } })
    const [used, idle] = [open(port, head('GET /healthz')), open(port, head('GET /healthz'))]
    await Promise.all([once(used.socket, 'data'), once(idle.socket, 'data')])
    const drained = app.drain()
    let idleClosed = false
    void idle.answer.then(() => {
      idleClosed = true
    })
    used.socket.write(head('GET /healthz'))
    expect(await used.answer).toMatch(/connection: keep-alive[\s\S]*connection: close[\s\S]*\{"status":"ok"\}$/i)
    expect(idleClosed).toBe(false)
    await drained
    expect(await idle.answer).toMatch(/connection: keep-alive[\s\S]*\{"status":"ok"\}$/i)
  }))

it('connections that are handed over have the same limits: time for a request, and how many there may be', () =>
  withTimeLimit(async (ms) => {
    const { port, log } = await startHanded({ timeouts: within(ms), maxConnections: 2 })
    const held = [open(port, 'GET /healthz HTTP/1.1\r\n'), open(port)]
    await Promise.all(held.map(({ socket }) => once(socket, 'connect')))
    const refused = connect(port, '127.0.0.1').on('error', () => {})
    await once(refused, 'close')
    expect(log.join('')).toContain('too many connections')
    for (const { answer } of held) expectProblem(await answer, 408)
  }))

it('an app that does not listen waits for its running requests before it closes', async () => {
  const { app, port } = await startHanded({})
  const { answer, socket } = open(port, head('POST /oauth2/token', { ...json, 'Content-Length': 1 }))
  await once(app.server, 'request')
  const closed = app.close()
  socket.write('[')
  expect(await answer).toMatch(/^HTTP\/1.1 400 [\s\S]*connection: close/i)
  await closed
})

it('a service that shuts down answers pipelined requests, and closes with the last response', async () => {
  const { app, port } = await startEdge()
  const { answer, socket } = open(
    port,
    head('GET /healthz').repeat(2) + head('POST /oauth2/token', { ...json, 'Content-Length': 1 }),
  )
  await once(socket, 'data')
  const closed = app.close()
  socket.write('[')
  const told = (await answer).match(/HTTP\/1.1 \d+|connection: \S+/gi)?.map((one) => one.toLowerCase())
  const [ok, goes] = [['http/1.1 200', 'connection: keep-alive'], 'connection: close']
  expect(told).toEqual([...ok, ...ok, 'http/1.1 400', goes])
  await closed
})

it('a malformed request gets the headers of every response and a line in the log', async () => {
  const { port, log } = await startEdge()
  for (const [text, status] of [
    [head('GET /%zz', { Connection: 'close' }), 400],
    ['NONSENSE\r\n\r\n', 400],
    [head('GET /healthz', { 'X-Long': 'x'.repeat(20_000) }), 431],
    [head('GET /nothing', { Connection: 'close' }), 404],
  ] as const) {
    const answer = await open(port, text).answer
    expectProblem(answer, status)
    expect(answer).toMatch(/^x-content-type-options: nosniff\r$/im)
    const id = /^x-request-id: (\S+)\r$/im.exec(answer)?.[1]
    await eventually(() => {
      const lines = log.map((line) => JSON.parse(line)).filter(({ reqId }) => reqId === id)
      expect(lines).toEqual([expect.objectContaining({ status })])
    })
  }
})

it('Expect headers are ignored', async () => {
  const { port } = await startEdge()
  const { answer } = open(port, head('GET /healthz', { Expect: 'cake', Connection: 'close' }))
  expect(await answer).toMatch(/^HTTP\/1.1 200 [\s\S]*\{"status":"ok"\}$/)
})

it('a response with links to the service needs a valid Host header', async () => {
  const { port, log } = await startEdge()
  for (const [host, why] of [
    ['Host: \r\n', /The Host header is empty/],
    ['Host: a b\r\n', /is not a valid host/],
    ['Host: 999.1.1.1\r\n', /is not a valid host/],
    ['Host: a^b\r\n', /is not a valid host/],
    ['Host: x:99999\r\n', /is not a valid host/],
  ] as const) {
    const path = '/.well-known/oauth-authorization-server'
    const answer = await open(port, `GET ${path} HTTP/1.1\r\n${host}Connection: close\r\n\r\n`).answer
    expectProblem(answer, 400)
    expect(answer).toMatch(why)
  }
  expect(log.join()).not.toContain('"level":50')
})

it('a request with two Host headers is refused in words', async () => {
  const { port } = await startEdge()
  const answer = await open(port, 'GET /healthz HTTP/1.1\r\nHost: x\r\nhOsT: y\r\nConnection: close\r\n\r\n').answer
  expectProblem(answer, 400)
  expect(answer).toContain('There are two Host headers; send one.')
})

it('a request without a Host header is refused in words; HTTP/1.0 needs none', async () => {
  const { port } = await startEdge()
  const answer = await open(port, 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n').answer
  expectProblem(answer, 400)
  expect(answer).toContain('The Host header is missing; send the host of this service.')
  expect(await open(port, 'GET /healthz HTTP/1.0\r\n\r\n').answer).toMatch(/^HTTP\/1.1 200 /)
})

it('an error about bytes after a request is not sent as the response to that request', async () => {
  const { port } = await startEdge()
  const waits = head('POST /oauth2/token', { ...json, 'Content-Length': 2 })
  const { answer } = open(port, `${waits}{}NONSENSE\r\n\r\n`)
  expect(await answer.catch(() => '')).not.toContain('This is not a valid HTTP request')
})

it('a service that shuts down waits for a response that is being sent, and not for another request', async () => {
  const { app, port } = await startEdge()
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write(head('GET /docs/scalar.js'))
  const [first] = await once(socket, 'data')
  expect(String(first)).toMatch(/connection: keep-alive/i)
  socket.pause()
  const closed = app.close()
  await new Promise((resolve) => setTimeout(resolve, 100))
  let bytes = first.length
  socket.on('data', (more) => {
    bytes += more.length
  })
  socket.resume()
  await Promise.all([closed, once(socket, 'close')])
  expect(bytes).toBeGreaterThan(Number(/content-length: (\d+)/i.exec(String(first))?.[1]))
})
