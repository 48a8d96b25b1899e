/** The limits on guessing secrets, which do not affect callers with the right secret. */
import { availableParallelism } from 'node:os'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { rotateSecret } from '../../src/access/clients.js'
import { argon2, DEFAULT_COST, useArgon2Cost } from '../../src/access/secrets.js'
import { checksOfEach, signInGuard } from '../../src/access/sign-in.js'
import { network } from '../../src/network.js'
import { reports } from '../../src/reports/index.js'
import { buildApp } from '../../src/runtime/app.js'
import { type Caller, type Service, startService } from '../setup/service.js'
import { inLongTier } from '../setup/tier.js'

let service: Service
/** A second process on the same database. */
let other: FastifyInstance
beforeAll(async () => {
  service = await startService()
  other = await buildApp({ database: service.database, reports, logLevel: 'silent', leaseMs: 0 })
})
afterAll(async () => {
  await other.close()
  await service.close()
})

async function signIn(caller: Caller, address: string, wrong: Partial<Caller> = {}, app = service.app) {
  const { client_id, client_secret, username, password } = { ...caller, ...wrong }
  const payload = { grant_type: 'password', client_id, client_secret, username, password }
  const response = await app.inject({ method: 'POST', url: '/oauth2/token', payload, remoteAddress: address })
  return {
    status: response.statusCode,
    error: response.json().error,
    wait: Number(response.headers['retry-after'] ?? 0),
  }
}

async function failWhileFree(caller: Caller, address: string, wrong: Partial<Caller>, times: number) {
  const statuses: number[] = []
  for (let i = 0; i < times; i++) statuses.push((await signIn(caller, address, wrong)).status)
  return statuses
}
const timePasses = (seconds: number) =>
  service.db`update sign_in set failed_at = failed_at - make_interval(secs => ${seconds})`

/** Lengthens all waits by this many seconds, so that they do not end while a slow machine takes its next step. */
const MARGIN = 5
const extendWaits = () => timePasses(-MARGIN)

/**
 * Lengthens only waits that are due, by three more failures: after 5 failures of a subject at an address, 20 over all
 * addresses, 30 of an address. Below that there is no wait.
 */
const failMore = () => service.db`
  update sign_in set failures = failures + 3, failed_at = now()
   where failures >= case when address = '' then 20 when subject = sha256('address') then 30 else 5 end`

let addresses = 0
const newAddress = () => `192.0.2.${++addresses}`
const WRONG = { password: 'wrong' }

describe('after five failures of a user at an address', () => {
  it('sign-in is refused for a time that doubles each time, even with the right password', async () => {
    const [caller, address] = [await service.newCaller(), newAddress()]
    expect(await failWhileFree(caller, address, WRONG, 5)).toEqual([400, 400, 400, 400, 400])
    const waits: number[] = []
    for (let i = 0; i < 5; i++) {
      await extendWaits()
      const { status, error, wait } = await signIn(caller, address)
      expect([status, error]).toEqual([429, 'temporarily_unavailable'])
      waits.push(Math.round(Math.log2(wait - MARGIN + 1)))
      await timePasses(wait + 0.1)
      expect((await signIn(caller, address, WRONG)).status, 'after the wait the password is checked').toBe(400)
    }
    expect(waits, 'seconds: 1, 2, 4, 8, 16').toEqual([1, 2, 2, 3, 4])
    await service.db`update sign_in set failures = 40, failed_at = now() where address = ${address} and failures > 9`
    const { wait } = await signIn(caller, address)
    expect(wait, 'at most 15 minutes').toBeGreaterThan(840)
    expect(wait).toBeLessThanOrEqual(900)
  })

  it('every success resets the count; it is stored once a day if nothing failed since', async () => {
    const [caller, address] = [await service.newCaller(), newAddress()]
    await failWhileFree(caller, address, WRONG, 5)
    await timePasses(2)
    expect((await signIn(caller, address)).status).toBe(200)
    for (let i = 0; i < 2; i++) {
      expect(await failWhileFree(caller, address, WRONG, 4)).toEqual([400, 400, 400, 400])
      expect((await signIn(caller, address)).status).toBe(200)
    }
    const stored = () => service.db`select subject, succeeded_at from sign_in where address = ${address} order by 1`
    const before = await stored()
    expect((await signIn(caller, address)).status).toBe(200)
    expect(await stored()).toEqual(before)
    await service.db`update sign_in set succeeded_at = succeeded_at - interval '1 day' where address = ${address}`
    expect((await signIn(caller, address)).status).toBe(200)
    const now =
      await service.db`select from sign_in where address = ${address} and succeeded_at > now() - interval '1 hour'`
    expect(now, 'of the client and of the user').toHaveLength(2)
  })

  it('all processes on the database refuse', async () => {
    const [caller, address] = [await service.newCaller(), newAddress()]
    await failWhileFree(caller, address, WRONG, 5)
    await failMore()
    expect((await signIn(caller, address, {}, other)).status).toBe(429)
  })

  it('the count is reset a day after the last failure', async () => {
    const [caller, address] = [await service.newCaller(), newAddress()]
    await failWhileFree(caller, address, WRONG, 5)
    await timePasses(86_401)
    expect(await failWhileFree(caller, address, WRONG, 5)).toEqual([400, 400, 400, 400, 400])
  })
})

it('an attacker at other addresses does not lock a user out of a known one', async () => {
  const [caller, home] = [await service.newCaller(), newAddress()]
  expect((await signIn(caller, home)).status).toBe(200)
  const guesses: number[] = []
  for (let i = 0; i < 24; i++) {
    if (i >= 20) await failMore()
    guesses.push((await signIn(caller, newAddress(), WRONG)).status)
  }
  expect(guesses.slice(0, 20)).toEqual(Array(20).fill(400))
  expect(guesses.slice(20), 'twenty in total, from all addresses').toEqual(Array(4).fill(429))
  expect((await signIn(caller, newAddress())).status, 'even with the right password from a new address').toBe(429)
  expect((await signIn(caller, home)).status).toBe(200)
  const lastSignIn = (days: number) =>
    service.db`update sign_in set succeeded_at = now() - make_interval(days => ${days}) where address = ${home}`
  await lastSignIn(29)
  expect((await signIn(caller, home)).status).toBe(200)
  await lastSignIn(31)
  await failMore()
  expect((await signIn(caller, home)).status, 'after 30 days the address is no longer known').toBe(429)
})

it('a stranger who knows a client_id does not lock the client out of new addresses', async () => {
  const caller = await service.newCaller()
  for (let i = 0; i < 32; i++) expect((await signIn(caller, newAddress(), { client_secret: 'wrong' })).status).toBe(401)
  await failMore()
  expect((await signIn(caller, newAddress())).status).toBe(200)
})

it('an attacker at the same address locks a user out of it for a minute at most', async () => {
  const [caller, home] = [await service.newCaller(), newAddress()]
  expect((await signIn(caller, home)).status).toBe(200)
  for (let i = 0; i < 20; i++) {
    const { wait } = await signIn(caller, home, WRONG)
    expect(wait).toBeLessThanOrEqual(60)
    await timePasses(61)
  }
  await signIn(caller, home, WRONG)
  expect((await signIn(caller, home)).wait).toBeGreaterThan(30)
  await failMore()
  expect((await signIn(caller, newAddress())).status, 'failures at a known address count only there').toBe(200)
  await timePasses(61)
  expect((await signIn(caller, home)).status).toBe(200)
})

it('an address that tries many names is slowed down, except for users who are known there', async () => {
  const [known, fresh, address] = [await service.newCaller(), await service.newCaller(), newAddress()]
  expect((await signIn(known, address)).status).toBe(200)
  const guesses: number[] = []
  for (let i = 0; i < 32; i++) {
    if (i >= 30) await failMore()
    guesses.push((await signIn(known, address, { username: `name-${i}` })).status)
  }
  expect(guesses.slice(0, 30)).toEqual(Array(30).fill(400))
  expect(guesses.slice(30)).toEqual([429, 429])
  expect((await signIn(fresh, address)).status).toBe(429)
  expect((await signIn(known, address)).status).toBe(200)
})

it('client secrets have the same limits as passwords', async () => {
  const [caller, address] = [await service.newCaller(), newAddress()]
  expect(await failWhileFree(caller, address, { client_secret: 'wrong' }, 5)).toEqual([401, 401, 401, 401, 401])
  await failMore()
  expect((await signIn(caller, address, { client_secret: 'wrong' })).status).toBe(429)
  const revocation = await service.app.inject({
    ...{ method: 'POST', url: '/oauth2/revoke', remoteAddress: address },
    payload: { client_id: caller.client_id, client_secret: caller.client_secret, token: caller.token },
  })
  expect(revocation.statusCode).toBe(429)
})

it('unknown users get the same responses and the same limits as known ones', async () => {
  const [caller, one, two] = [await service.newCaller(), newAddress(), newAddress()]
  const attempts = async (address: string, wrong: Partial<Caller>) => {
    const free = await failWhileFree(caller, address, wrong, 5)
    await failMore()
    return [...free, (await signIn(caller, address, wrong)).status]
  }
  const known = await attempts(one, WRONG)
  const unknown = await attempts(two, { username: 'nobody-at-all', password: 'wrong' })
  expect(known).toEqual([400, 400, 400, 400, 400, 429])
  expect(unknown).toEqual(known)
})

it('concurrent guesses are not all checked', async () => {
  const [caller, address] = [await service.newCaller({}, 'real'), newAddress()]
  const responses = await Promise.all(Array.from({ length: 20 }, () => signIn(caller, address, WRONG)))
  const checked = responses.filter(({ status }) => status === 400).length
  expect(checked).toBeGreaterThanOrEqual(5)
  expect(checked).toBeLessThanOrEqual(6 + Math.ceil(responses.length / 10))
})

inLongTier('twenty concurrent sign-ins with the right secrets all get a token', async () => {
  const [caller, address] = [await service.newCaller({}, 'real'), newAddress()]
  const responses = await Promise.all(Array.from({ length: 20 }, () => signIn(caller, address)))
  expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200))
})

it('sign-ins beyond the queue get 503, and other requests are still served', async () => {
  const [caller, address] = [await service.newCaller({}, 'real'), newAddress()]
  const flood = Array.from({ length: 60 }, () => signIn(caller, address))
  const health = await service.app.inject({ method: 'GET', url: '/healthz' })
  expect(health.statusCode).toBe(200)
  const elsewhere = signIn(caller, newAddress())
  const found = new Set((await Promise.all(flood)).map(({ status, wait }) => `${status}, again after ${wait} s`))
  expect(found).toEqual(new Set(['200, again after 0 s', '503, again after 1 s']))
  expect((await elsewhere).status, 'one address does not fill the queue').toBe(200)
})

it.each([
  [24, 'one address'],
  [64, 'all addresses together'],
])('the queue has %i places for %s', async (places, source) => {
  const guard = signInGuard(service.db, 1)
  let check = (_matches: boolean) => {}
  const checking = new Promise<boolean>((done) => {
    check = done
  })
  const verify = vi.spyOn(argon2, 'verify').mockReturnValue(checking)
  onTestFinished(() => {
    check(false)
    verify.mockRestore()
  })
  const { running } = checksOfEach(1, availableParallelism())
  const one = newAddress()
  const refused: number[] = []
  const attempts = Array.from({ length: running + places + 1 }, () =>
    guard
      .client('nobody', 'wrong', source === 'one address' ? one : newAddress())
      .catch(({ status }) => refused.push(status)),
  )
  await expect.poll(() => refused).toEqual([503])
  await service.db`
    insert into sign_in (subject, address, failures, failed_at) values (sha256('client:guesser'), ${one}, 40, now())`
  const guess = guard.client('guesser', 'wrong', one)
  await expect(guess, 'a caller who has to wait takes no place').rejects.toMatchObject({ status: 429 })
  check(false)
  await Promise.all(attempts)
  expect(refused.filter((status) => status === 503)).toEqual([503])
})

it('a port in X-Forwarded-For is ignored, and so is a value that is not an address', async () => {
  const behind = await buildApp({
    database: service.database,
    reports,
    logLevel: 'silent',
    trustedProxies: ['127.0.0.1'],
  })
  const caller = await service.newCaller()
  const attempt = async (forwarded: string) => {
    const { client_id, client_secret, username } = caller
    const response = await behind.inject({
      ...{ method: 'POST', url: '/oauth2/token', headers: { 'x-forwarded-for': forwarded } },
      payload: { grant_type: 'password', client_id, client_secret, username, password: 'wrong' },
    })
    return response.statusCode
  }
  const guesses = [await attempt('203.0.113.9'), await attempt('[203.0.113.9]:1'), await attempt('203.0.113.9:2')]
  guesses.push(await attempt('203.0.113.9:3'), await attempt('203.0.113.9:4'))
  await failMore()
  expect([...guesses, await attempt('203.0.113.9:5')]).toEqual([400, 400, 400, 400, 400, 429])
  expect(await attempt('x'.repeat(3000))).toBe(400)
  const [longest] = await service.db`select max(length(address)) as n from sign_in`
  expect(longest?.['n']).toBeLessThan(50)
  await behind.close()
})

it.each([[[]], [['10.0.0.1']]])(
  'X-Forwarded-For gives no further guesses to a caller outside the trusted proxies %j',
  async (trustedProxies: string[]) => {
    const behind = await buildApp({ database: service.database, reports, logLevel: 'silent', trustedProxies })
    onTestFinished(() => behind.close())
    const [{ client_id, client_secret, username }, remoteAddress] = [await service.newCaller(), newAddress()]
    const payload = { grant_type: 'password', client_id, client_secret, username, password: 'wrong' }
    const attempt = async (n: number) => {
      const headers = { 'x-forwarded-for': `203.0.113.${100 + n}` }
      return (await behind.inject({ method: 'POST', url: '/oauth2/token', headers, payload, remoteAddress })).statusCode
    }
    for (let n = 1; n <= 5; n++) expect(await attempt(n)).toBe(400)
    await failMore()
    expect(await attempt(6)).toBe(429)
  },
)

it('an unknown user or client costs the same hashing as a known one, at any configured hash cost', async () => {
  const caller = await service.newCaller({}, 'real')
  // Unknown names are checked against the hashes of others, which the tests made cheap.
  await service.db`update api_client set secret_hash = (select secret_hash from api_client where client_id = ${caller.client_id}) where secret_hash is not null`
  await service.db`update api_user set password_hash = (select password_hash from api_user where username = ${caller.username})`
  const verify = vi.spyOn(argon2, 'verify')
  onTestFinished(() => {
    verify.mockRestore()
    useArgon2Cost(DEFAULT_COST)
  })
  useArgon2Cost('m=65536,t=4,p=1') // several times the cost of the stored hashes
  /** The costs of the hashes that a sign-in is checked against. */
  const costs = async (wrong: Partial<Caller>) => {
    verify.mockClear()
    expect((await signIn(caller, newAddress(), wrong)).status).toBeGreaterThanOrEqual(400)
    return verify.mock.calls.map(([stored]) => /^[$]argon2id[$]v=19[$]([^$]+)/.exec(String(stored))?.[1])
  }
  const known = await costs(WRONG)
  expect(known).toEqual([DEFAULT_COST, DEFAULT_COST]) // the client's secret and the user's password
  expect(await costs({ username: 'nobody-measured', password: 'wrong' })).toEqual(known)
  const wrongSecret = await costs({ client_secret: 'wrong' })
  expect(wrongSecret).toHaveLength(2) // as many as during a rotation
  expect(await costs({ client_id: 'nobody', client_secret: 'wrong' })).toEqual(wrongSecret)
  await service.db.begin((tx) => rotateSecret(tx, caller.client_id, 3600))
  expect((await costs({ client_secret: 'wrong' })).length).toBe(wrongSecret.length)
})

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:2::6', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('%s counts as %s', (address, counted) => {
  expect(network(address)).toBe(counted)
})
