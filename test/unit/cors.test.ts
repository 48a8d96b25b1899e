/** Which pages may call the service from a browser. */
import { describe, expect, it } from 'vitest'
import { startEdge } from '../setup/edge.js'

const FG = '/v1/inventory/fg-stock-status'
const A = 'https://a.example'
const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' }

async function start(...corsOrigins: string[]) {
  const { app } = await startEdge({ corsOrigins })
  return async (method: 'OPTIONS' | 'POST' | 'GET', url: string, headers: Record<string, string>) => {
    const answer = await app.inject({ method, url, headers })
    const of = (name: string) => answer.headers[`access-control-${name}`]
    return { status: answer.statusCode, allow: answer.headers['allow'], vary: answer.headers['vary'], of }
  }
}

it('none, unless origins are named: OPTIONS is a method like others that an address does not take', async () => {
  const ask = await start()
  const options = await ask('OPTIONS', FG, { origin: A, ...preflight })
  expect([options.status, options.allow, options.of('allow-origin'), options.vary]).toEqual([
    405,
    'POST',
    undefined,
    undefined,
  ])
  expect((await ask('GET', '/healthz', { origin: A })).of('allow-origin')).toBeUndefined()
})

describe('those of named origins', () => {
  it('get an answer to the preflight of every address that there is', async () => {
    const ask = await start(A, 'http://localhost:3000')
    for (const [url, methods] of [
      [FG, 'POST'],
      ['/oauth2/token', 'POST'],
      ['/healthz', 'GET, HEAD'],
      [`${FG}?page=2`, 'POST'],
    ] as const) {
      const answer = await ask('OPTIONS', url, { origin: A, ...preflight })
      expect([answer.status, answer.of('allow-origin'), answer.of('allow-methods'), answer.vary]).toEqual([
        204,
        A,
        methods,
        'Origin',
      ])
      expect(answer.of('allow-headers')).toBe('Authorization, Content-Type, X-Request-Id, If-None-Match')
      expect(answer.of('allow-credentials')).toBeUndefined()
    }
    const nothing = await ask('OPTIONS', '/v1/nope', { origin: A, ...preflight })
    expect(nothing.status).toBe(404)
    const plain = await ask('OPTIONS', FG, { origin: A })
    expect(plain.status).toBe(405)
  })

  it('may read answers and their headers, those of errors too', async () => {
    const ask = await start(A)
    for (const [method, url, status] of [
      ['GET', '/healthz', 200],
      ['POST', FG, 401],
      ['GET', '/v1/nope', 404],
    ] as const) {
      const answer = await ask(method, url, { origin: A })
      expect([answer.status, answer.of('allow-origin')]).toEqual([status, A])
      for (const name of [
        'X-Request-Id',
        'X-Pagination-Total-Count',
        'RateLimit',
        'RateLimit-Policy',
        'Retry-After',
        'ETag',
      ])
        expect(answer.of('expose-headers')).toContain(name)
    }
  })

  it('and no others, however alike', async () => {
    const ask = await start(A)
    for (const origin of [
      'https://b.example',
      'http://a.example',
      `${A}:8443`,
      `${A}.evil.example`,
      'null',
      'https://A.example',
    ]) {
      const asked = await ask('OPTIONS', FG, { origin, ...preflight })
      expect([asked.status, asked.of('allow-origin'), asked.vary]).toEqual([405, undefined, 'Origin'])
      expect((await ask('GET', '/healthz', { origin })).of('allow-origin')).toBeUndefined()
    }
    expect((await ask('GET', '/healthz', {})).vary).toBe('Origin')
  })
})

it('all, where that is chosen, and never with credentials', async () => {
  const ask = await start('*')
  for (const answer of [
    await ask('OPTIONS', FG, { origin: 'https://any.example', ...preflight }),
    await ask('GET', '/healthz', { origin: 'https://any.example' }),
  ])
    expect([answer.of('allow-origin'), answer.of('allow-credentials'), answer.vary]).toEqual([
      '*',
      undefined,
      undefined,
    ])
})
