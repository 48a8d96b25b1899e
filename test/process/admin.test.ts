/** Administration at the command line while a service runs. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { makeTarget } from '../setup/database.js'
import { good } from '../setup/good-files.js'
import { type Demo, newRefreshToken, refreshWorks, run, runOnTerminal, start } from '../setup/program.js'
import { inLongTier, long } from '../setup/tier.js'

async function target(engine: 'embedded' | 'server') {
  const made = await makeTarget('migrated', engine)
  onTestFinished(() => made.drop())
  const json = async (...args: string[]) => JSON.parse((await run([...args, '--json', ...made.flags])).stdout)
  return { flags: made.flags, json }
}

it('clients are disabled and get new secrets while the service runs', async () => {
  const { flags, json } = await target('embedded')
  const served = start(['serve', '--port', '0', '--json', ...flags])
  const { base_url } = JSON.parse(await served.firstLine)
  const client = await json('client', 'create', 'Nightly pull', '--groups', 'partner,masters', '--rate', '600')
  expect(client).toMatchObject({ groups: ['masters', 'partner'], grants: ['password', 'refresh_token'], rate: 600 })
  const demo: Demo = { base_url, ...client, ...(await json('user', 'create', 'asha')) }

  const token = await newRefreshToken(demo)
  expect(await json('client', 'disable', 'Nightly pull')).toMatchObject({ tokens_ended: 2, tokens: 0 })
  expect(await refreshWorks(demo, token)).toBe(false)
  await json('client', 'enable', client.client_id)
  expect(await refreshWorks(demo, token)).toBe(false)

  const { client_secret } = await json('client', 'rotate-secret', 'Nightly pull', '--overlap', '0')
  await expect(newRefreshToken(demo)).rejects.toThrow('invalid_client')
  expect(await newRefreshToken({ ...demo, client_secret })).toEqual(expect.any(String))

  const listed = await run(['client', 'list', ...flags])
  expect(listed.stdout.split('\n').slice(0, 2)).toEqual([
    expect.stringMatching(/^name {11}client_id {15}state {3}groups/),
    expect.stringMatching(/^Nightly pull {3}\S{22} {2}active {2}masters,partner {2}shown .* 600 a minute /),
  ])
  const { entries } = await json('audit', '--client', 'Nightly pull', '--act', 'client.*', '--since', '1h')
  expect(entries.map(({ act, actor }: Record<string, string>) => [act, actor])).toEqual(
    ['create', 'disable', 'enable', 'rotate-secret'].map((act) => [`client.${act}`, userInfo().username]),
  )
})

inLongTier('mistakes end with a helpful error, and a deletion asks on the terminal first', async () => {
  const { flags, json } = await target('server')
  await json('user', 'create', 'asha')
  const mistakes: [string[], string, string?][] = [
    [['user', 'disable', 'ashaa'], 'millbook: there is no user ashaa (did you mean asha?)\n'],
    [
      ['user', 'passwd', 'asha', '--password-stdin'],
      'millbook: the password is not UTF-8: send it in that encoding\n',
      'pass word \xff',
    ],
    [
      ['user', 'delete', 'asha'],
      'millbook: a deletion cannot be undone, and there is no terminal to ask: add --yes to confirm it\n',
    ],
  ]
  for (const [args, stderr, input = ''] of mistakes)
    expect(await run([...args, ...flags], { input: Buffer.from(input, 'latin1') })).toMatchObject({ code: 1, stderr })

  const no = await runOnTerminal(['user', 'delete', 'asha', ...flags], 80, 'n\n')
  expect([no.code, no.sent]).toEqual([1, expect.stringContaining('Delete the user asha and 0 tokens?')])
  const yes = await runOnTerminal(['user', 'delete', 'asha', ...flags], 80, 'y\n')
  expect([yes.code, yes.sent]).toEqual([0, expect.stringContaining('asha is deleted')])
  const { entries } = await json('audit')
  expect(entries.map(({ act }: Record<string, string>) => act)).toEqual(['user.create', 'user.delete'])
})

it('a user can be limited, made an operator, and opens the console by a link; a public client gets no secret', async () => {
  const { flags, json } = await target('embedded')
  const served = start(['serve', '--port', '0', '--json', ...flags])
  const { base_url } = JSON.parse(await served.firstLine)
  expect(await json('user', 'create', 'asha', '--groups', 'sales,masters', '--hide-contacts')).toMatchObject({
    ...{ username: 'asha', role: 'reader', groups: ['masters', 'sales'], hide_contacts: true },
  })
  const set = await json('user', 'set', 'asha', '--operator', '--groups', 'all', '--show-contacts')
  expect(set).toMatchObject({ role: 'operator', groups: null, hide_contacts: false })
  expect(set.changed).toEqual(['role', 'groups', 'hide_contacts'])
  const listed = await run(['user', 'list', ...flags])
  expect(listed.stdout).toMatch(
    /^username {2}state {3}role {6}groups {2}contacts[^\n]*\nasha {6}active {2}operator {2}all {5}shown /,
  )

  const { url } = await json('user', 'link', 'asha', '--url', `${base_url}/`)
  const [, ticket = ''] = new RegExp(`^${base_url}/#open=([\\w-]{43})$`).exec(url) ?? []
  const open = () =>
    fetch(`${base_url}/session/open`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: base_url },
      body: JSON.stringify({ ticket }),
    })
  const opened = await open()
  expect(opened.status).toBe(204)
  const [cookie = ''] = (opened.headers.get('set-cookie') ?? '').split(';')
  const session = await fetch(`${base_url}/session`, { headers: { cookie } })
  expect(await session.json()).toMatchObject({ username: 'asha', role: 'operator', groups: null })
  expect((await open()).status).toBe(410)

  const uris = ['https://oauth.pstmn.io/v1/callback', 'http://127.0.0.1/callback']
  const client = await json('client', 'create', 'Postman', '--public', ...uris.flatMap((uri) => ['--redirect', uri]))
  expect(client).toMatchObject({
    ...{ public: true, grants: ['refresh_token', 'authorization_code'], redirect_uris: uris },
  })
  expect(client).not.toHaveProperty('client_secret')
  await json('client', 'update', 'Postman', '--redirect', uris[0] as string)
  const { clients } = await json('client', 'list')
  expect(clients.map((one: Record<string, unknown>) => [one['name'], one['public'], one['redirect_uris']])).toEqual([
    ['Postman', true, [uris[0]]],
    ['app-passwords', true, []],
    ['console', true, ['/session/callback']],
  ])
  const { entries } = await json('audit', '--act', 'user.*')
  expect(entries.map(({ act }: Record<string, string>) => act)).toEqual(['user.create', 'user.update', 'user.link'])

  const about = { name: 'Stock workbook', username: 'asha', views: null, reports: ['masters.warehouse-list'] }
  const words = ['user', 'app-password']
  const made = await json(...words, 'create', 'asha', about.name, '--reports', about.reports.join())
  expect(made).toEqual({ id: expect.any(String), ...about, app_password: expect.stringMatching(/^millbook_/) })
  const read = async () => {
    const authorization = `Basic ${Buffer.from(`asha:${made.app_password}`).toString('base64')}`
    return (await fetch(`${base_url}/v1/warehouse/warehouse-list`, { headers: { authorization } })).status
  }
  expect(await read()).toBe(200)
  const lastUse = async () => (await json(...words, 'list', 'asha')).app_passwords[0].last_used_at
  await expect.poll(lastUse, { timeout: 30_000 }).toEqual(expect.stringMatching(/Z$/))
  const passwords = await run([...words, 'list', ...flags])
  expect(passwords.stdout).toMatch(/^username {2}name .*\nasha {6}Stock workbook {2}masters\.warehouse-list {2}/)
  const mistakes: [string[], RegExp][] = [
    [
      ['create', 'asha', about.name],
      /^millbook: asha already has an app password named Stock workbook; choose another name/,
    ],
    [['create', 'asa', 'x'], /^millbook: there is no user asa \(did you mean asha\?\)/],
    [['create', 'asha', 'x', '--reports', 'masters.warehouse'], /there is no report masters\.warehouse \(did you mean/],
    [
      ['revoke', 'asha', 'Tableau'],
      /asha has no app password Tableau; millbook user app-password list asha shows them/,
    ],
  ]
  for (const [args, error] of mistakes) {
    const failed = await run([...words, ...args, ...flags])
    expect([failed.code === 0, failed.stderr]).toEqual([false, expect.stringMatching(error)])
  }
  expect(await json(...words, 'revoke', 'asha', about.name)).toEqual({
    id: made.id,
    name: about.name,
    username: 'asha',
  })
  await expect.poll(read).toBe(401)
})

it.each(long ? (['embedded', 'server'] as const) : (['server'] as const))(
  'a trial import at a service of three workers on the %s engine stores nothing and leaves no files behind',
  async (engine) => {
    const { flags, json } = await target(engine)
    const folder = mkdtempSync(join(tmpdir(), 'millbook-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const args = ['serve', '--port', '0', '--workers', '3', '--snapshots-in', folder, '--json', ...flags]
    const served = start(args, { env: { MILLBOOK_WORKERS: '3' } })
    const { base_url } = JSON.parse(await served.firstLine)
    await json('user', 'create', 'asha', '--operator')
    const { url } = await json('user', 'link', 'asha', '--url', base_url)
    /** Sends each request on a new connection, so that workers take turns. */
    const send = (method: string, path: string, headers: Record<string, string>, body?: string) =>
      fetch(`${base_url}${path}`, {
        ...{ method, headers: { ...headers, origin: base_url, connection: 'close' } },
        ...(body !== undefined && { body }),
      })
    const ticket = JSON.stringify({ ticket: url.split('#open=')[1] })
    const opened = await send('POST', '/session/open', { 'content-type': 'application/json' }, ticket)
    const [cookie = ''] = (opened.headers.get('set-cookie') ?? '').split(';')
    const { csrf } = (await (await send('GET', '/session', { cookie })).json()) as { csrf: string }
    const ask = async (method: string, path: string, body?: string, headers: Record<string, string> = {}) => {
      const response = await send(method, `/v1/admin${path}`, { cookie, 'x-csrf-token': csrf, ...headers }, body)
      return (await response.json()) as { id: string; phase: string; status?: number; result?: object; error?: string }
    }
    const { id } = await ask('POST', '/imports')
    for (const [name, text] of Object.entries(good))
      expect(await ask('PUT', `/imports/${id}/files/${name}`, text)).toMatchObject({ name })
    const trial = { 'content-type': 'application/json' }
    expect(await ask('POST', `/imports/${id}/run`, '{"action":"try"}', trial)).toMatchObject({ id })
    const result = () => ask('GET', `/imports/${id}`)
    await expect.poll(async () => (await result()).phase, { timeout: 60_000 }).toBe('open')
    expect(await result()).toMatchObject({
      ...{ phase: 'open', error: null },
      result: { errors: { count: 0 }, entities: { items: { new: 3 } } },
    })
    expect(await json('loads')).toEqual({ loads: [], more: false })

    const { id: second } = await ask('POST', '/imports')
    expect(await json('user', 'revoke-tokens', 'asha')).toMatchObject({ tokens_ended: 1 })
    expect((await ask('GET', `/imports/${second}`)).status).toBe(401)
    served.process.kill('SIGTERM')
    expect((await served.ended).code).toBe(0)
    expect(readdirSync(folder)).toEqual([])
  },
)
