/** The web pages that may call the service from a browser. */
import { describe, expect, it } from 'vitest'
import { startEdge } from '../setup/edge.js'

const FG = '/v1/inventory/fg-stock-status'
const A = 'https://a.example'
const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' }

async function start(...corsOrigins: string[]) {
  const { app } = await startEdge({ corsOrigins })
  return async (method: 'OPTIONS' | 'POST' | 'GET', url: string, headers: Record<string, string>) => {
    const response = await app.inject({ method, url, headers })
    const of = (name: string) => response.headers[`access-control-${name}`]
    return { status: response.statusCode, allow: response.headers['allow'], vary: response.headers['vary'], of }
  }
}

it('without configured origins, no CORS header is sent and OPTIONS gets 405', async () => {
  const ask = await start()
  const options = await ask('OPTIONS', FG, { origin: A, ...preflight })
  expect([options.status, options.allow, options.of('allow-origin'), options.vary]).toEqual([
    405,
    'GET, HEAD, POST',
    undefined,
    undefined,
  ])
  expect((await ask('GET', '/healthz', { origin: A })).of('allow-origin')).toBeUndefined()
})

describe('pages of configured origins', () => {
  it('get 204 for the preflight of every endpoint', async () => {
    const ask = await start(A, 'http://localhost:3000')
    for (const [url, methods] of [
      [FG, 'GET, HEAD, POST'],
      ['/oauth2/token', 'POST'],
      ['/healthz', 'GET, HEAD'],
      [`${FG}?page=2`, 'GET, HEAD, POST'],
    ] as const) {
      const response = await ask('OPTIONS', url, { origin: A, ...preflight })
      expect([response.status, response.of('allow-origin'), response.of('allow-methods'), response.vary]).toEqual([
        204,
        A,
        methods,
        'Origin',
      ])
      expect(response.of('allow-headers')).toBe('Authorization, Content-Type, X-Request-Id, If-None-Match')
      expect(response.of('allow-credentials')).toBeUndefined()
    }
    const nothing = await ask('OPTIONS', '/v1/nope', { origin: A, ...preflight })
    expect(nothing.status).toBe(404)
    const plain = await ask('OPTIONS', FG, { origin: A })
    expect(plain.status).toBe(405)
  })

  it('may read responses and their headers, also of errors', async () => {
    const ask = await start(A)
    for (const [method, url, status] of [
      ['GET', '/healthz', 200],
      ['POST', FG, 401],
      ['GET', '/v1/nope', 404],
    ] as const) {
      const response = await ask(method, url, { origin: A })
      expect([response.status, response.of('allow-origin')]).toEqual([status, A])
      for (const name of [
        'X-Request-Id',
        'X-Pagination-Total-Count',
        'RateLimit',
        'RateLimit-Policy',
        'Retry-After',
        'ETag',
      ])
        expect(response.of('expose-headers')).toContain(name)
    }
  })

  it('are matched exactly: similar origins get no CORS headers', async () => {
    const ask = await start(A)
    for (const origin of [
      'https://b.example',
      'http://a.example',
      `${A}:8443`,
      `${A}.evil.example`,
      'null',
      'https://A.example',
    ]) {
      const response = await ask('OPTIONS', FG, { origin, ...preflight })
      expect([response.status, response.of('allow-origin'), response.vary]).toEqual([405, undefined, 'Origin'])
      expect((await ask('GET', '/healthz', { origin })).of('allow-origin')).toBeUndefined()
    }
    expect((await ask('GET', '/healthz', {})).vary).toBe('Origin')
  })
})

it('with *, pages of all origins may call, never with credentials', async () => {
  const ask = await start('*')
  for (const response of [
    await ask('OPTIONS', FG, { origin: 'https://any.example', ...preflight }),
    await ask('GET', '/healthz', { origin: 'https://any.example' }),
  ])
    expect([response.of('allow-origin'), response.of('allow-credentials'), response.vary]).toEqual([
      '*',
      undefined,
      undefined,
    ])
})
