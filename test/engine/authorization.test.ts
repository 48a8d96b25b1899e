/** Every data endpoint against every way not to be let in. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { groups } from '../../src/groups.js'
import { reports } from '../../src/reports/index.js'
import { type Caller, type Service, startService } from '../setup/service.js'

let service: Service
const tokens: Record<string, string> = {}
beforeAll(async () => {
  service = await startService()
  const { db } = service
  const spoil = async (name: string, how: (caller: Caller) => PromiseLike<unknown>) => {
    const caller = await service.newCaller()
    await how(caller)
    tokens[name] = caller.token
  }
  await spoil('expired', ({ username }) => db`update api_token set expires_at = now() where username = ${username}`)
  await spoil('revoked', ({ client_id, client_secret, token }) =>
    service.app.inject({ method: 'POST', url: '/oauth2/revoke', payload: { client_id, client_secret, token } }),
  )
  await spoil(
    'of a disabled client',
    (c) => db`update api_client set disabled_at = now() where client_id = ${c.client_id}`,
  )
  await spoil('of a disabled user', (c) => db`update api_user set disabled_at = now() where username = ${c.username}`)
  await spoil('of a deleted client', (c) => db`delete from api_client where client_id = ${c.client_id}`)
  tokens['a refresh token'] = service.caller.refreshToken
  tokens['malformed'] = 'not!a!token'
  tokens['never issued'] = 'A'.repeat(43)
})
afterAll(() => service.close())

const spoilt = ['expired', 'revoked', 'of a disabled client', 'of a disabled user', 'of a deleted client']
const wrong = [...spoilt, 'a refresh token', 'malformed', 'never issued']

/** Bodies are wrong as well: who is not let in does not learn how to ask. */
const call = (path: string, token: string | null) => service.call({ path, token, body: { nonsense: 1 } })

describe.each(reports.map((report) => [report.path, report] as const))('%s', (path, report) => {
  it('refuses a request without a token', async () => {
    const answer = await call(path, null)
    expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([401, 'Bearer realm="millbook"'])
  })

  it.each(wrong)('refuses a token that is %s', async (name) => {
    const answer = await call(path, tokens[name] as string)
    expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([
      401,
      'Bearer realm="millbook", error="invalid_token"',
    ])
    expect(answer.json()).not.toHaveProperty('errors')
  })

  it('refuses a client of every other group', async () => {
    const others = groups.filter((group) => group !== report.group)
    const answer = await call(path, await tokenFor(others))
    expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([
      403,
      `Bearer realm="millbook", error="insufficient_scope", scope="${report.group}"`,
    ])
    expect(answer.json()).not.toHaveProperty('errors')
    expect((await call(path, await tokenFor([report.group]))).statusCode, 'its own group gets as far as the body').toBe(
      422,
    )
  })
})

const limited = new Map<string, Promise<string>>()
/** One token for each set of groups: a client costs two slow hashes. */
function tokenFor(some: readonly string[]): Promise<string> {
  const key = some.join()
  const made = limited.get(key) ?? service.newCaller({ groups: [...some] }).then((caller) => caller.token)
  limited.set(key, made)
  return made
}
