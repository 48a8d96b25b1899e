/** Administration of clients and users: ending tokens, rotating secrets, the audit trail. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createAppPassword, listAppPasswords, revokeAppPassword } from '../../src/access/app-passwords.js'
import { ACTS, readAudit } from '../../src/access/audit.js'
import {
  createClient,
  createPublicClient,
  deleteClient,
  disableClient,
  enableClient,
  endOldSecret,
  findClient,
  listClients,
  revokeTokens,
  rotateSecret,
  updateClient,
} from '../../src/access/clients.js'
import type { Ended } from '../../src/access/end-tokens.js'
import { checkSecret, hashToken, newSecret } from '../../src/access/secrets.js'
import { newTicket } from '../../src/access/sessions.js'
import {
  changePassword,
  createUser,
  deleteUser,
  disableUser,
  enableUser,
  findUser,
  revokeTokensOfUser,
  updateUser,
} from '../../src/access/users.js'
import type { Db, Tx } from '../../src/db/connect.js'
import { openTestDatabase, type TestDatabase } from '../setup/database.js'

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await openTestDatabase()
  db = database.db
})
afterAll(() => database.drop())

/** All secrets of these tests. */
const secrets: string[] = []
function remember(secret: string): string {
  secrets.push(secret)
  return secret
}

interface Caller {
  clientId: string
  clientSecret: string
  /** Name of the client and of the user. */
  name: string
}

/** A client and a user of the same name, with an access token and a refresh token. */
async function newCaller(): Promise<Caller> {
  const name = newSecret().slice(0, 12)
  const { clientId, clientSecret } = await act(async (tx) => {
    await createUser(tx, name, remember(newSecret()))
    return await createClient(tx, { name })
  })
  remember(clientSecret)
  for (const kind of ['access', 'refresh']) await giveToken(clientId, name, kind)
  return { clientId, clientSecret, name }
}

const giveToken = (clientId: string, username: string | null, kind = 'access') => db`
  insert into api_token (token_hash, kind, client_id, username, expires_at)
  values (${hashToken(newSecret())}, ${kind}, ${clientId}, ${username}, now() + interval '1 day')`

const act = <T>(work: (tx: Tx) => Promise<T>) => db.begin(work) as Promise<T>
const tokensOf = async ({ clientId }: Caller) =>
  (await db`select count(*)::int as n from api_token where client_id = ${clientId}`)[0]?.n
const version = async () => (await db<{ v: number }[]>`select version::int as v from access_version`)[0]?.v ?? 0
const lastEntry = async (filter: { client?: string; username?: string }) =>
  (await readAudit(db, { ...filter, limit: 1 })).entries[0]

describe('tokens are ended by', () => {
  const ways: [string, (tx: Tx, caller: Caller) => Promise<unknown>, string][] = [
    ['disabling the client', (tx, c) => disableClient(tx, c.clientId), 'client.disable'],
    ['revoking them', (tx, c) => revokeTokens(tx, c.clientId), 'client.revoke-tokens'],
    ['deleting the client', (tx, c) => deleteClient(tx, c.clientId), 'client.delete'],
    ['disabling the user', (tx, c) => disableUser(tx, c.name), 'user.disable'],
    ['changing the password', (tx, c) => changePassword(tx, c.name, remember(newSecret())), 'user.passwd'],
    ['deleting the user', (tx, c) => deleteUser(tx, c.name), 'user.delete'],
  ]
  let other: Caller
  beforeAll(async () => {
    other = await newCaller()
  })
  it.each(ways)('%s, and every process learns it by the access version', async (_name, end, written) => {
    const [caller, before] = [await newCaller(), await version()]
    const ended = await act((tx) => end(tx, caller))
    expect((ended as Partial<Ended>).tokens_ended ?? ended).toBe(2)
    expect([await tokensOf(caller), await tokensOf(other)]).toEqual([0, 2])
    expect(await version()).toBeGreaterThan(before)
    const about = written.startsWith('client') ? { client: caller.name } : { username: caller.name }
    expect(await lastEntry(about)).toMatchObject({ act: written, detail: { tokens_ended: 2 } })
  })

  it('disabling a user, whose app passwords end too', async () => {
    const { name: username } = await newCaller()
    remember(
      (await act((tx) => createAppPassword(tx, username, 'Workbook', { views: null, reports: null }))).appPassword,
    )
    const ended = { tokens_ended: 2, app_passwords_ended: 1 }
    expect(await act((tx) => disableUser(tx, username))).toEqual(ended)
    expect(await lastEntry({ username })).toMatchObject({ act: 'user.disable', detail: ended })
    expect(await listAppPasswords(db, username)).toEqual([])
  })

  it('enabling a client or user again, in case a token was issued while it was disabled', async () => {
    type Acts = [
      disable: (tx: Tx, name: string) => Promise<unknown>,
      enable: (tx: Tx, name: string) => Promise<boolean>,
    ]
    const pairs: Acts[] = [
      [disableClient, enableClient],
      [disableUser, enableUser],
    ]
    for (const [disable, enable] of pairs) {
      const caller = await newCaller()
      await act((tx) => disable(tx, caller.name))
      await giveToken(caller.clientId, caller.name)
      expect(await act((tx) => disable(tx, caller.name))).toBeUndefined()
      expect(await act((tx) => enable(tx, caller.name))).toBe(true)
      expect(await act((tx) => enable(tx, caller.name))).toBe(false)
      expect(await tokensOf(caller)).toBe(0)
    }
  })

  it('removing the grant that issued them; other changes end none', async () => {
    const caller = await newCaller()
    const update = (change: Parameters<typeof updateClient>[2]) =>
      act((tx) => updateClient(tx, caller.clientId, change))
    await giveToken(caller.clientId, null)
    expect((await update({ groups: ['sales'], rate: 10, hideContacts: true })).ended).toBe(0)
    expect((await update({ grants: ['password', 'client_credentials'] })).ended).toBe(1) // the refresh token
    expect((await update({ grants: ['client_credentials'] })).ended).toBe(1) // the user's
    expect((await update({ grants: ['password'] })).ended).toBe(1) // the client's own
    expect(await tokensOf(caller)).toBe(0)
  })
})

describe('rotation of a secret', () => {
  const kept = async (clientId: string) => {
    const [row] = await db`
      select secret_hash as now, old_secret_hash as old,
             round(extract(epoch from old_secret_until - now()))::int as seconds from api_client
       where client_id = ${clientId}`
    return row as { now: string; old: string | null; seconds: number | null }
  }

  it('keeps the old secret for the overlap; a second rotation ends the oldest', async () => {
    const { clientId, clientSecret: first, name } = await newCaller()
    const rotate = async (seconds: number) => {
      const rotation = await act((tx) => rotateSecret(tx, name, seconds))
      remember(rotation.clientSecret)
      return rotation
    }
    const one = await rotate(86_400)
    const afterOne = await kept(clientId)
    expect(await checkSecret(afterOne.now, one.clientSecret)).toBe(true)
    expect(await checkSecret(afterOne.old ?? undefined, first)).toBe(true)
    expect(Math.abs((afterOne.seconds ?? 0) - 86_400)).toBeLessThan(60)
    expect([one.endedEarly, (await findClient(db, name)).oldSecretUntil]).toEqual([null, one.oldSecretUntil])

    const two = await rotate(60)
    const afterTwo = await kept(clientId)
    expect(await checkSecret(afterTwo.now, two.clientSecret)).toBe(true)
    expect(await checkSecret(afterTwo.old ?? undefined, one.clientSecret)).toBe(true)
    expect(two.endedEarly).toEqual(one.oldSecretUntil)

    const three = await rotate(0)
    const afterThree = await kept(clientId)
    expect(await checkSecret(afterThree.now, three.clientSecret)).toBe(true)
    expect([afterThree.old, afterThree.seconds, three.oldSecretUntil]).toEqual([null, null, null])
    expect((await lastEntry({ client: name }))?.detail).toEqual({
      old_secret_until: null,
      ended_early: two.oldSecretUntil?.toISOString(),
    })
  })

  it('the overlap can be ended early, and is not shown after its end', async () => {
    const { name } = await newCaller()
    expect(await act((tx) => endOldSecret(tx, name))).toBe(false)
    remember((await act((tx) => rotateSecret(tx, name, 60))).clientSecret)
    expect(await act((tx) => endOldSecret(tx, name))).toBe(true)
    expect((await findClient(db, name)).oldSecretUntil).toBeNull()
    remember((await act((tx) => rotateSecret(tx, name, 60))).clientSecret)
    await db`update api_client set old_secret_until = now() - interval '1 second' where name = ${name}`
    expect((await findClient(db, name)).oldSecretUntil).toBeNull()
    expect((await act((tx) => rotateSecret(tx, name, 60))).endedEarly).toBeNull()
  })
})

describe('clients', () => {
  it('are found by name, or by id', async () => {
    const made = await act((tx) => createClient(tx, { name: 'Nightly pull', groups: ['partner'], rate: 600 }))
    remember(made.clientSecret)
    const { clientId } = made
    expect(await findClient(db, clientId)).toMatchObject({
      clientId,
      groups: ['partner'],
      rate: 600,
      tokens: 0,
    })
    await expect(findClient(db, 'nightly pul')).rejects.toThrow(
      'there is no client nightly pul (did you mean Nightly pull?)',
    )
    await expect(act((tx) => createClient(tx, { name: clientId }))).rejects.toThrow(
      'is the id of the client Nightly pull',
    )
    // A name takes precedence over an id.
    await db`insert into api_client (client_id, name, secret_hash) values ('other', ${clientId}, '-')`
    expect((await findClient(db, clientId)).clientId).toBe('other')
    await db`insert into audit_entry (act, actor, client) values ('client.create', 'x', ${clientId})`
    expect(await lastEntry({ client: clientId })).toMatchObject({ actor: 'x', client: clientId })
  })

  it('show the time of their last token, from the tokens and the audit trail', async () => {
    const caller = await newCaller()
    const issued = (await findClient(db, caller.name)).lastTokenAt
    expect(issued).toBeInstanceOf(Date)
    const [, latest] = await db<{ at: Date }[]>`
      insert into audit_entry (at, act, actor, client, username)
      select now() + n * interval '1 hour', 'token.issue', 'x', ${caller.name}, ${caller.name} from generate_series(1, 2) n
      returning at`
    await act((tx) => revokeTokens(tx, caller.name))
    const later = (await listClients(db)).find(({ name }) => name === caller.name)?.lastTokenAt
    expect(later).toEqual(latest?.at)
    expect((await findUser(db, caller.name)).lastTokenAt).toEqual(later)
  })

  it('report the changes of an update, and audit nothing if nothing changed', async () => {
    const { name } = await newCaller()
    const change = { groups: ['sales', 'grn'], rate: 5 }
    expect((await act((tx) => updateClient(tx, name, change))).changed).toEqual({
      groups: { from: 'all', to: ['sales', 'grn'] },
      rate: { from: 'default', to: 5 },
    })
    const entry = await lastEntry({ client: name })
    expect((await act((tx) => updateClient(tx, name, change))).changed).toEqual({})
    expect(await lastEntry({ client: name })).toEqual(entry)
  })

  it('are refused with unknown, missing or inconsistent grants', async () => {
    const withGrants = (...grants: string[]) => act((tx) => createClient(tx, { name: 'x', grants: grants as never }))
    await expect(withGrants('refresh_token', 'client_credentials')).rejects.toThrow('refresh_token needs password')
    await expect(withGrants('pasword')).rejects.toThrow('there is no grant pasword (did you mean password?)')
    await expect(withGrants()).rejects.toThrow('a client needs a grant')
    await expect(withGrants('authorization_code')).rejects.toThrow('needs a redirect URI')
    const withRedirect = (grants: string[]) =>
      act((tx) => createClient(tx, { name: 'x', grants: grants as never, redirectUris: [CALLBACK] }))
    await expect(withRedirect(['password'])).rejects.toThrow('only for the grant authorization_code')
    const open = (grants: string[]) =>
      act((tx) => createPublicClient(tx, { name: 'x', grants: grants as never, redirectUris: [CALLBACK] }))
    await expect(open(['authorization_code', 'password'])).rejects.toThrow('a public client has no secret')
  })
})

const CALLBACK = 'https://program.example/callback'

describe('a public client', () => {
  it('has no secret, and its redirect URIs can be changed', async () => {
    const name = newSecret().slice(0, 12)
    const made = await act((tx) => createPublicClient(tx, { name, redirectUris: [CALLBACK, CALLBACK] }))
    expect(made).toEqual({
      ...{ clientId: made.clientId, name, groups: null, hideContacts: false, rate: null },
      ...{ grants: ['refresh_token', 'authorization_code'], redirectUris: [CALLBACK] },
    })
    expect(await findClient(db, name)).toMatchObject({ isPublic: true, redirectUris: [CALLBACK] })
    await expect(act((tx) => rotateSecret(tx, name, 60))).rejects.toThrow(`${name} is a public client`)
    const other = 'com.example.program:/callback'
    const { changed } = await act((tx) => updateClient(tx, name, { redirectUris: [CALLBACK, other] }))
    expect(changed).toEqual({ redirect_uris: { from: [CALLBACK], to: [CALLBACK, other] } })
    expect(await lastEntry({ client: name })).toMatchObject({ act: 'client.update', detail: changed })
    await expect(act((tx) => updateClient(tx, name, { redirectUris: [] }))).rejects.toThrow('needs a redirect URI')
  })

  it('with a grant that needs a secret is refused by the database', async () => {
    await expect(db`
      insert into api_client (client_id, name, grants) values ('x', 'x', array['client_credentials'])`).rejects.toThrow(
      'api_client_grants_check',
    )
  })

  it('of the console is built in: operators can limit and disable it, but neither change it otherwise nor delete it', async () => {
    expect(await findClient(db, 'console')).toMatchObject({
      ...{ isPublic: true, grants: ['authorization_code'], redirectUris: ['/session/callback'] },
    })
    expect((await act((tx) => updateClient(tx, 'console', { rate: 9000 }))).changed).toHaveProperty('rate')
    await act((tx) => updateClient(tx, 'console', { rate: null }))
    for (const change of [{ redirectUris: [CALLBACK] }, { grants: ['password' as const] }])
      await expect(act((tx) => updateClient(tx, 'console', change))).rejects.toThrow('built in')
    await expect(act((tx) => deleteClient(tx, 'console'))).rejects.toThrow('disable it instead')
    await act((tx) => disableClient(tx, 'console'))
    await act((tx) => enableClient(tx, 'console'))
  })
})

it.each([
  ['http://program.example/cb', 'without TLS'],
  ['http://localhost:8000/cb', 'without TLS'],
  ['http://127.0.0.1.evil.example/cb', 'without TLS'],
  ['https://program.example/cb#x', 'has a fragment'],
  ['https://a:b@program.example/cb', 'has a user name'],
  ['javascript:alert(1)', 'scheme that other programs may use'],
  ['data:text/html,x', 'scheme that other programs may use'],
  ['/session/callback', 'is not an absolute URI'],
  ['program.example', 'is not an absolute URI'],
  ['https://program.example/a b', 'is not an absolute URI'],
  ['https://program.example\\@evil.example', 'is not an absolute URI'],
  ['https://program.example/*\n', 'is not an absolute URI'],
  ['', 'is not an absolute URI'],
])('the redirect URI %j is refused', async (uri, reason) => {
  await expect(act((tx) => createPublicClient(tx, { name: 'x', redirectUris: [uri] }))).rejects.toThrow(reason)
})

it("a change of a user's rights is audited, unless nothing changes", async () => {
  const { name: username } = await newCaller()
  expect(await findUser(db, username)).toMatchObject({ role: 'reader', groups: null, hideContacts: false })
  const change = { role: 'operator', groups: ['sales'], hideContacts: true } as const
  const set = () => act((tx) => updateUser(tx, username, { ...change, groups: [...change.groups] }))
  const before = await version()
  expect(await set()).toEqual({
    role: { from: 'reader', to: 'operator' },
    groups: { from: 'all', to: ['sales'] },
    hide_contacts: { from: false, to: true },
  })
  expect(await version()).toBeGreaterThan(before)
  expect(await findUser(db, username)).toMatchObject(change)
  const entry = await lastEntry({ username })
  expect(entry).toMatchObject({ act: 'user.update', detail: { role: { to: 'operator' } } })
  expect(await set()).toEqual({})
  expect(await lastEntry({ username })).toEqual(entry)
})

it('removing the grant authorization_code ends its tokens and codes, and no others', async () => {
  const { clientId, name } = await newCaller()
  await act((tx) =>
    updateClient(tx, name, { grants: ['password', 'refresh_token', 'authorization_code'], redirectUris: [CALLBACK] }),
  )
  const hash = hashToken(newSecret())
  await db`
    insert into authorization_code (code_hash, client_id, username, redirect_uri, challenge, expires_at)
    values (${hash}, ${clientId}, ${name}, ${CALLBACK}, 'x', now())`
  await db`
    insert into api_token (token_hash, kind, client_id, username, expires_at, code_hash)
    values (${hashToken(newSecret())}, 'access', ${clientId}, ${name}, now() + interval '1 day', ${hash})`
  const { ended, changed } = await act((tx) => updateClient(tx, name, { grants: ['password', 'refresh_token'] }))
  expect([ended, Object.keys(changed).sort()]).toEqual([1, ['grants', 'redirect_uris']])
  expect(await db`select from authorization_code where client_id = ${clientId}`).toEqual([])
  expect((await findClient(db, name)).redirectUris).toEqual([])
})

it.each([
  ['short', 'at least 8 characters'],
  ['é'.repeat(513), 'at most 1024 bytes'],
  ['Vikram.Rao', 'must not be the name of its user'],
  ['two\nlines of it', 'one line'],
])('the password %j is refused, new or changed', async (password, reason) => {
  await expect(act((tx) => createUser(tx, 'vikram.rao', password))).rejects.toThrow(reason)
  await expect(act((tx) => changePassword(tx, 'vikram.rao', password))).rejects.toThrow(reason)
})

it.each([
  ['empty', ''],
  ['too long', 'x'.repeat(101)],
  ['a space before it', ' asha'],
  ['a space after it', 'asha '],
  ['a control character', 'as\tha'],
  ['a soft hyphen', 'as\u00adha'],
  ['a zero-width space', 'as\u200bha'],
  ['a joiner', 'as\u200dha'],
  ['a change of direction', 'as\u202eha'],
  ['a word joiner', 'as\u2060ha'],
  ['a byte order mark', '\ufeffasha'],
  ['a tag', 'asha\u{e0041}'],
])('the name of a client or a user is refused: %s', async (_reason, name) => {
  const reason = 'must be 1 to 100 printable characters'
  await expect(act((tx) => createUser(tx, name, newSecret()))).rejects.toThrow(`the name of a user ${reason}`)
  await expect(act((tx) => createClient(tx, { name }))).rejects.toThrow(`the name of a client ${reason}`)
})

it('an operation and its audit entry are committed or rolled back together', async () => {
  const { name: username } = await newCaller()
  const before = await lastEntry({ username })
  const failing = act(async (tx) => {
    await disableUser(tx, username)
    throw new Error('afterwards')
  })
  await expect(failing).rejects.toThrow('afterwards')
  expect(await lastEntry({ username })).toEqual(before)
  expect((await findUser(db, username)).disabledAt).toBeNull()
})

it('an operation whose audit entry cannot be written is rolled back', async () => {
  const [one, disabled] = [await newCaller(), await newCaller()]
  remember((await act((tx) => rotateSecret(tx, one.name, 60))).clientSecret)
  await act((tx) => disableClient(tx, disabled.name))
  await act((tx) => disableUser(tx, disabled.name))
  await act((tx) => createAppPassword(tx, one.name, 'kept', { views: null, reports: null }))
  const acts: Record<string, (tx: Tx) => Promise<unknown>> = {
    'client.create': (tx) => createClient(tx, { name: 'never made' }),
    'client.update': (tx) => updateClient(tx, one.name, { rate: 7 }),
    'client.disable': (tx) => disableClient(tx, one.name),
    'client.enable': (tx) => enableClient(tx, disabled.name),
    'client.rotate-secret': (tx) => rotateSecret(tx, one.name, 60),
    'client.end-old-secret': (tx) => endOldSecret(tx, one.name),
    'client.revoke-tokens': (tx) => revokeTokens(tx, one.name),
    'client.delete': (tx) => deleteClient(tx, one.name),
    'user.create': (tx) => createUser(tx, 'never made', newSecret()),
    'user.update': (tx) => updateUser(tx, one.name, { role: 'operator' }),
    'user.link': (tx) => newTicket(tx, one.name),
    'user.disable': (tx) => disableUser(tx, one.name),
    'user.enable': (tx) => enableUser(tx, disabled.name),
    'user.passwd': (tx) => changePassword(tx, one.name, newSecret()),
    'user.revoke-tokens': (tx) => revokeTokensOfUser(tx, one.name),
    'user.delete': (tx) => deleteUser(tx, one.name),
    'app-password.create': (tx) => createAppPassword(tx, one.name, 'never made', { views: null, reports: null }),
    'app-password.revoke': (tx) => revokeAppPassword(tx, one.name, { name: 'kept' }),
  }
  expect(Object.keys(acts)).toEqual(ACTS.filter((name) => /^(client|user|app-password)\./.test(name)))
  const everything = async () => [
    ...(await db`
      select (select json_agg(c)::text from api_client c) as clients, (select json_agg(u)::text from api_user u) as users,
             (select json_agg(t)::text from api_token t) as tokens, (select json_agg(p)::text from app_password p) as passwords, (select json_agg(l)::text from sign_in_link l) as links`),
  ]
  const before = await everything()
  await db`alter table audit_entry add constraint no_trail check (false) not valid`
  onTestFinished(async () => {
    await db`alter table audit_entry drop constraint no_trail`
  })
  for (const [name, work] of Object.entries(acts))
    await expect(act(work), name).rejects.toMatchObject({
      constraint: 'no_trail',
      detail: expect.stringContaining(`, ${name}, `), // the entry has the name of the operation
    })
  expect(await everything()).toEqual(before)
})

it('the audit trail is listed newest last, filtered by operation, client, user and time', async () => {
  const { name: username } = await newCaller()
  await act((tx) => disableUser(tx, username))
  await act((tx) => enableUser(tx, username))
  const acts = async (filter: object) => {
    const { entries, more } = await readAudit(db, { limit: 2, username, ...filter })
    return [entries.map((entry) => entry.act), more]
  }
  expect(await acts({ act: 'user.*' })).toEqual([['user.disable', 'user.enable'], true])
  expect(await acts({ act: 'user.create' })).toEqual([['user.create'], false])
  expect(await acts({ act: 'user_create' })).toEqual([[], false])
  expect(await acts({ act: 'user.*', since: new Date(Date.now() + 60_000) })).toEqual([[], false])
  await expect(readAudit(db, { limit: 2, username: `${username}x` })).rejects.toThrow(`did you mean ${username}?`)
})

it('the audit trail holds no secret and no hash of one', async () => {
  const rows = await db<{ row: string }[]>`select e::text as row from audit_entry e`
  expect(rows.length).toBeGreaterThan(40)
  expect(secrets.length).toBeGreaterThan(30)
  const found = rows.filter(({ row }) => row.includes('$argon2') || secrets.some((secret) => row.includes(secret)))
  expect(found).toEqual([])
})
