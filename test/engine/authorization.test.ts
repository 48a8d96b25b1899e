/** Every data endpoint refuses every kind of invalid token. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { groups } from '../../src/groups.js'
import { reports } from '../../src/reports/index.js'
import { operations } from '../../src/surfaces/admin/operations/index.js'
import { PAGES } from '../../src/surfaces/console/files.js'
import { type Caller, type Service, startService } from '../setup/service.js'

let service: Service
const tokens: Record<string, string> = {}
beforeAll(async () => {
  service = await startService()
  const { db } = service
  const invalidate = async (name: string, how: (caller: Caller) => PromiseLike<unknown>) => {
    const caller = await service.newCaller()
    await how(caller)
    tokens[name] = caller.token
  }
  await invalidate(
    'expired',
    ({ username }) => db`update api_token set expires_at = now() where username = ${username}`,
  )
  await invalidate('revoked', ({ client_id, client_secret, token }) =>
    service.app.inject({ method: 'POST', url: '/oauth2/revoke', payload: { client_id, client_secret, token } }),
  )
  await invalidate(
    'of a disabled client',
    (c) => db`update api_client set disabled_at = now() where client_id = ${c.client_id}`,
  )
  await invalidate(
    'of a disabled user',
    (c) => db`update api_user set disabled_at = now() where username = ${c.username}`,
  )
  await invalidate('of a deleted client', (c) => db`delete from api_client where client_id = ${c.client_id}`)
  tokens['a refresh token'] = service.caller.refreshToken
  tokens['malformed'] = 'not!a!token'
  tokens['never issued'] = 'A'.repeat(43)
})
afterAll(() => service.close())

const invalidated = ['expired', 'revoked', 'of a disabled client', 'of a disabled user', 'of a deleted client']
const wrong = [...invalidated, 'a refresh token', 'malformed', 'never issued']

/** An invalid body: a refused caller must not learn about the parameters. */
const call = (path: string, token: string | null) => service.call({ path, token, body: { nonsense: 1 } })

/** The method and path of every route, read from the tree that the framework prints. */
function routes(): [method: string, path: string][] {
  const found: [string, string][] = []
  const parents: string[] = []
  for (const line of service.app.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent = '', part = '', methods] = /^([│ ]*)[├└]── (\S*)(?: \((.+)\))?/.exec(line) ?? []
    if (line === '') continue
    const depth = indent.length / 4
    parents[depth] = (parents[depth - 1] ?? '') + part
    for (const method of methods?.split(', ') ?? []) found.push([method, parents[depth] as string])
  }
  return found
}

it('every route but the public ones needs a token', async () => {
  const open = ['/', '/icon.svg', '/docs', '/docs/start.js', '/docs/scalar.js', '/openapi.json', '/healthz', '/readyz']
  open.push('/oauth2/token', '/oauth2/revoke', '/oauth2/authorize', '/oauth2/sign-in.css')
  open.push('/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource')
  open.push('/.well-known/oauth-protected-resource/mcp')
  open.push(...PAGES, '/assets/:name')
  open.push('/session/begin', '/session/callback', '/session/open', '/session/end')
  const all = routes()
  const closed = all.filter(([, path]) => !open.includes(path))
  expect(new Set(all.map(([, path]) => path))).toEqual(
    new Set([
      ...[
        ...open,
        '/mcp',
        '/session',
        '/session/loads',
        '/session/password',
        '/v1/search',
        '/v1/reports',
        '/v1/app-passwords',
        '/v1/app-passwords/:id',
        '/v1/overview',
      ],
      ...['/v1/views', '/v1/views/:id', '/v1/views/:id/data'],
      ...[...operations.map(({ path }) => `/v1/admin${path}`), ...reports.map(({ path }) => path)],
    ]),
  )
  for (const [method, url] of closed) {
    const { statusCode } = await service.app.inject({ method: method as 'GET', url })
    expect([method, url, statusCode]).toEqual([method, url, 401])
  }
  expect(closed.length).toBeGreaterThanOrEqual(reports.length)
})

describe.each(reports.map((report) => [report.path, report] as const))('%s', (path, report) => {
  it('refuses a request without a token', async () => {
    const response = await call(path, null)
    expect([response.statusCode, response.headers['www-authenticate']]).toEqual([
      401,
      ['Bearer realm="millbook"', 'Basic realm="millbook", charset="UTF-8"'],
    ])
  })

  it.each(wrong)('refuses a token that is %s', async (name) => {
    const response = await call(path, tokens[name] as string)
    expect([response.statusCode, response.headers['www-authenticate']]).toEqual([
      401,
      'Bearer realm="millbook", error="invalid_token"',
    ])
    expect(response.json()).not.toHaveProperty('errors')
  })

  it('refuses a client that has every other group', async () => {
    const others = groups.filter((group) => group !== report.group)
    const response = await call(path, await tokenFor(others))
    expect([response.statusCode, response.headers['www-authenticate']]).toEqual([
      403,
      `Bearer realm="millbook", error="insufficient_scope", scope="${report.group}"`,
    ])
    expect(response.json()).not.toHaveProperty('errors')
    expect(
      (await call(path, await tokenFor([report.group]))).statusCode,
      'a client of the right group gets to the check of its body',
    ).toBe(422)
  })
})

const limited = new Map<string, Promise<string>>()
/** One token per set of groups, because creating a client takes two slow hashes. */
function tokenFor(some: readonly string[]): Promise<string> {
  const key = some.join()
  const made = limited.get(key) ?? service.newCaller({ groups: [...some] }).then((caller) => caller.token)
  limited.set(key, made)
  return made
}
