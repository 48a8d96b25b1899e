/** How the service treats connections that are slow, silent, greedy or too many. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { head, open, startEdge } from '../setup/edge.js'

const soon = { headers: 300, request: 600, check: 50 }
const json = { 'Content-Type': 'application/json' }

function expectProblem(answer: string, status: number): void {
  const [lines = '', body = ''] = answer.split('\r\n\r\n')
  expect(lines).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(lines).toContain('Connection: close')
  expect(lines).toContain('Content-Type: application/problem+json')
  expect(JSON.parse(body)).toMatchObject({ status, request_id: expect.any(String) })
}

describe('408, and the end of the connection, for', () => {
  it.each([
    ['one that says nothing', ''],
    ['headers that do not end', 'GET /healthz HTTP/1.1\r\nHost: x\r\n'],
    ['a body that does not come', head('POST /oauth2/token', { ...json, 'Content-Length': 100 })],
    [
      'a chunked body that does not end',
      `${head('POST /oauth2/token', { ...json, 'Transfer-Encoding': 'chunked' })}1\r\n{\r\n`,
    ],
  ])('%s', async (_name, text) => {
    const { port, app } = await startEdge({ timeouts: soon })
    const { answer, socket } = open(port, text)
    expectProblem(await answer, 408)
    await once(socket, 'close')
    await vi.waitFor(() => expect(openConnections(app.server)).resolves.toBe(0))
  })

  it('one that goes on sending a little at a time', async () => {
    const { port } = await startEdge({ timeouts: soon })
    const { answer, socket } = open(port, 'GET /healthz HTTP/1.1\r\n')
    const drip = setInterval(() => socket.write('a: b\r\n'), 50)
    onTestFinished(() => clearInterval(drip))
    expectProblem(await answer, 408)
  })

  it('a second request on a connection that was quick once', async () => {
    const { port } = await startEdge({ timeouts: soon })
    const { answer } = open(port, `${head('GET /healthz')}GET /he`)
    const [, second] = (await answer).split('{"status":"ok"}')
    expectProblem(second ?? '', 408)
  })
})

it('a client that does not close its side is cut off after its last answer', async () => {
  const { port, app } = await startEdge()
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  socket.write('NONSENSE\r\n\r\n')
  socket.resume()
  await once(socket, 'end')
  await vi.waitFor(() => expect(openConnections(app.server)).resolves.toBe(0), { timeout: 10_000 })
})

it('a connection that is idle between requests is closed in time, without an answer', async () => {
  const { port } = await startEdge({ timeouts: { keepAlive: 200 } })
  expect(await open(port, head('GET /healthz')).answer).toMatch(/^HTTP\/1.1 200 [\s\S]*\{"status":"ok"\}$/)
})

it('an answer that is not read does not hold its connection, and one that is read slowly gets through', async () => {
  const { port, app, log } = await startEdge({ timeouts: { answer: 300 } })
  // Several large answers: the operating system takes the first of them off our hands.
  const unread = connect(port, '127.0.0.1')
  onTestFinished(() => void unread.destroy())
  unread.pause()
  unread.on('error', () => {})
  unread.write(head('GET /docs/scalar.js').repeat(12))
  await vi.waitFor(() => expect(log.join('')).toContain('cut off before the answer was complete'), { timeout: 20_000 })
  expect(await openConnections(app.server)).toBe(0)

  const slow = connect(port, '127.0.0.1')
  onTestFinished(() => void slow.destroy())
  slow.write(head('GET /docs/scalar.js').repeat(3) + head('GET /healthz', { Connection: 'close' }))
  let got = ''
  for await (const some of slow) {
    got = got.slice(-20) + some
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  expect(got.endsWith('{"status":"ok"}')).toBe(true)
})

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
  await vi.waitFor(async () => expect(await ask()).toContain('200 OK'), { timeout: 10_000 })
})

it('a connection has up to 32 requests whose answers are yet to come, again and again; with one more it is closed', async () => {
  const { port } = await startEdge({ timeouts: { keepAlive: 2000 } })
  const { socket } = open(port)
  let got = ''
  socket.on('data', (more) => {
    got += more
  })
  const answers = () => got.split('{"status":"ok"}').length - 1
  for (const sent of [32, 64]) {
    socket.write(head('GET /healthz').repeat(32))
    await vi.waitFor(() => expect(answers()).toBe(sent))
  }
  socket.write(head('GET /healthz').repeat(33))
  await new Promise((closed) => socket.once('close', closed))
  expect(answers()).toBe(64)
})

it('a body past the limit is refused with an answer that arrives, however much is sent', async () => {
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

it('a process that lets go answers what still comes, ends each connection with that, and idle ones after a while', async () => {
  const { app, port } = await startEdge({ timeouts: { letGo: 400 } })
  const [used, idle] = [open(port, head('GET /healthz')), open(port, head('GET /healthz'))]
  await Promise.all([once(used.socket, 'data'), once(idle.socket, 'data')])
  const from = performance.now()
  const gone = app.letGo()
  await expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED')
  used.socket.write(head('GET /healthz'))
  expect(await used.answer).toMatch(/connection: keep-alive[\s\S]*connection: close[\s\S]*\{"status":"ok"\}$/i)
  expect(performance.now() - from).toBeLessThan(400)
  await gone
  expect(performance.now() - from).toBeGreaterThan(400)
})
