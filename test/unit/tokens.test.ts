/** The cache of callers, also when a token is revoked during its lookup. */
import { expect, it, onTestFinished, vi } from 'vitest'
import { tokenCache } from '../../src/access/token-cache.js'
import type { Db } from '../../src/db/connect.js'

const VALID = {
  clientId: 'c1',
  name: 'Nightly pull',
  expiresAt: new Date('9999-12-31'),
  groups: null,
  ofUser: null,
  requested: null,
}

/** A cache over a database whose queries the test answers in any order. */
function makeCache() {
  const queries: ((rows: object[]) => void)[] = []
  const state = { access: '1' }
  const db = () => new Promise((resolve) => queries.push(resolve))
  const tokens = tokenCache(db as unknown as Db, { current: () => state, forget: () => {} })
  const read = (usual: string) => ({ token: usual.slice(7), usual, username: null, address: '127.0.0.1' })
  const find = (token: string) => Promise.resolve(tokens.find(`Bearer ${token}`, undefined, read))
  /** The cached caller, if no query is needed. */
  const known = (token: string) => {
    const found = tokens.find(`Bearer ${token}`, undefined, read)
    if (!(found instanceof Promise)) return found
    queries.pop()?.([])
    return undefined
  }
  return { queries, state, find, known }
}

it('a known token is looked up once until access changes, an unknown one each time', async () => {
  const { queries, state, find, known } = makeCache()
  const found = find('good')
  queries.shift()?.([VALID])
  expect(await found).toMatchObject({ clientId: 'c1' })
  expect(await find('good')).toMatchObject({ clientId: 'c1' })
  expect(known('good')).toMatchObject({ clientId: 'c1' })
  expect(queries).toHaveLength(0)
  for (const _time of [1, 2]) {
    const unknown = find('bad')
    queries.shift()?.([])
    expect(await unknown).toBeUndefined()
  }
  state.access = '2'
  expect(known('good')).toBeUndefined()
  const again = find('good')
  expect(queries).toHaveLength(1)
  queries.shift()?.([])
  expect(await again).toBeUndefined()
})

it('a token that is revoked during its lookup is not cached: the next request looks it up again', async () => {
  const { queries, state, find, known } = makeCache()
  const early = find('revoked')
  state.access = '2' // another request notices the revocation first
  const other = find('other')
  queries.shift()?.([VALID]) // the row as it was before the revocation
  queries.shift()?.([VALID])
  await Promise.all([early, other])
  expect(known('revoked')).toBeUndefined()
  expect(known('other')).toMatchObject({ clientId: 'c1' })
  const late = find('revoked')
  expect(queries).toHaveLength(1)
  queries.shift()?.([])
  expect(await late).toBeUndefined()
})

it('a cached token is refused from the moment it expires', async () => {
  const { queries, find, known } = makeCache()
  const expiresAt = new Date('2026-01-31T12:00:00Z')
  const clock = vi.spyOn(Date, 'now').mockReturnValue(expiresAt.getTime() - 1)
  onTestFinished(() => clock.mockRestore())
  const found = find('good')
  queries.shift()?.([{ ...VALID, expiresAt }])
  await found
  expect([await find('good'), known('good')]).toMatchObject([{ clientId: 'c1' }, { clientId: 'c1' }])
  clock.mockReturnValue(expiresAt.getTime())
  expect(await find('good')).toBeUndefined()
})
