/** The commands that operators script against, on both engines. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect as connectSocket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connect, type Db } from '../../src/db/connect.js'
import { standBetween } from '../setup/between.js'
import { makeTarget } from '../setup/database.js'
import { folderOf, tempFolder } from '../setup/files.js'
import { askToken, type Demo, newRefreshToken, run, start, startOnTerminal } from '../setup/program.js'
import { inLongTier, long } from '../setup/tier.js'

const ENGINES: readonly ('embedded' | 'server')[] = long ? ['embedded', 'server'] : ['server']

async function target(from: 'empty' | 'migrated', engine: (typeof ENGINES)[number]) {
  const made = await makeTarget(from, engine)
  onTestFinished(() => made.drop())
  return made
}

/** Statements that wait for a lock. */
const waitingForLock = async (db: Db): Promise<number> =>
  (await db`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length

describe.each(ENGINES)('on the %s engine', (engine) => {
  it('migrate, client create, user create and serve work together', async () => {
    const { flags } = await target('empty', engine)
    const migrated = await run(['migrate', '--json', ...flags])
    expect(migrated.code).toBe(0)
    expect(JSON.parse(migrated.stdout).applied.length).toBeGreaterThan(0)
    expect(JSON.parse((await run(['migrate', '--json', ...flags])).stdout).applied).toEqual([])

    const client = await run(['client', 'create', 'partner', '--groups', 'masters,partner', '--json', ...flags])
    expect(JSON.parse(client.stdout)).toMatchObject({
      name: 'partner',
      groups: ['masters', 'partner'],
      hide_contacts: false,
    })
    const user = await run(['user', 'create', 'asha', '--password-stdin', '--json', ...flags], {
      input: 'correct horse\n',
    })
    expect(JSON.parse(user.stdout)).toMatchObject({ username: 'asha', role: 'reader', groups: null })

    const served = start(['serve', '--port', '0', '--json', ...flags])
    const { base_url } = JSON.parse(await served.firstLine)
    const demo: Demo = { base_url, ...JSON.parse(client.stdout), username: 'asha', password: 'correct horse' }
    expect(await newRefreshToken(demo)).toEqual(expect.any(String))

    // Other commands work on the same database while the service runs.
    const made = JSON.parse((await run(['user', 'create', 'vikram', '--json', ...flags])).stdout)
    expect(await newRefreshToken({ ...demo, ...made })).toEqual(expect.any(String))

    served.process.kill('SIGTERM')
    expect(await served.ended).toMatchObject({ code: 0 })
  })

  it('a running request is finished before the service exits', async ({ skip }) => {
    if (engine === 'embedded' && !long) skip('in the quick tier, on a server only')
    const { flags, target: where } = await target('migrated', engine)
    const client = JSON.parse((await run(['client', 'create', 'c', '--json', ...flags])).stdout)
    const user = JSON.parse((await run(['user', 'create', 'u', '--json', ...flags])).stdout)
    const served = start(['serve', '--port', '0', '--json', ...flags])
    const demo: Demo = { ...client, ...user, ...JSON.parse(await served.firstLine) }

    // A transaction of the test makes the request wait: for the session, or for the lock on the table.
    const ours = await connect(where)
    let commit = () => {}
    let committed: Promise<unknown> | undefined
    await new Promise<void>((locked) => {
      committed = ours.db.begin(async (tx) => {
        await tx`lock table api_client`
        await new Promise<void>((resolve) => {
          commit = resolve
          locked()
        })
      })
    })
    const request = newRefreshToken(demo)
    if (engine === 'server') await expect.poll(() => waitingForLock(ours.db)).toBe(1)
    else await sleep(1000) // this test holds the only session, so nothing can show whether the request has arrived
    served.process.kill('SIGTERM')
    const isRefused = () =>
      fetch(`${demo.base_url}/healthz`).then(
        () => false,
        () => true,
      )
    await expect.poll(isRefused).toBe(true) // no new connection is accepted
    expect(served.process.exitCode).toBeNull()
    commit()
    await committed
    expect(await request).toEqual(expect.any(String))
    await ours.close()
    expect(await served.ended).toMatchObject({ code: 0 })
  })

  inLongTier('failures end with a clear error and a non-zero exit code', async () => {
    const { flags } = await target('migrated', engine)
    await run(['client', 'create', 'twice', ...flags])
    const twice = await run(['client', 'create', 'twice', ...flags])
    expect(twice).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'millbook: there is already a client named twice; choose another name\n',
    })
    const group = await run(['client', 'create', 'x', '--groups', 'sails', ...flags])
    expect(group.code).toBe(2)
    expect(group.stderr).toContain('Not a group: sails. There are masters, purchase')
    const short = await run(['user', 'create', 'x', '--password-stdin', '--json', ...flags], { input: 'short' })
    expect([short.code, JSON.parse(short.stderr)]).toEqual([1, { error: 'a password must have at least 8 characters' }])
  })
})

inLongTier('the error for a port in use names it and says what to do', async () => {
  const { flags } = await target('migrated', 'server')
  const served = start(['serve', '--port', '0', '--json', ...flags])
  const { port } = new URL(JSON.parse(await served.firstLine).base_url)
  const second = await run(['serve', '--port', port, ...flags])
  expect(second).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`port ${port} on 127.0.0.1 is in use; choose another`),
  })
})

/** A service does not wait for its database. */
const AT_ONCE = { MILLBOOK_START_WAIT_SECONDS: '0' }

it.each(long ? [['1'], ['2']] : [])(
  'with %s workers, a service waits for a database that is away, says so, and survives SIGHUP meanwhile',
  async (workers) => {
    const { target: where } = await target('migrated', 'server')
    const between = await standBetween(where)
    between.cut()
    const served = start(['serve', '--port', '0', '--json', '--workers', workers, '--database', between.url])
    let said = ''
    served.process.stderr?.on('data', (text) => {
      said += text
    })
    await expect.poll(() => said).toContain('"msg":"waiting for the database"')
    served.process.kill('SIGHUP')
    await sleep(300) // the signal has arrived
    between.mend()
    const { base_url } = JSON.parse(await served.firstLine)
    expect((await fetch(`${base_url}/readyz`)).status).toBe(200)
    served.process.kill('SIGTERM')
    expect(await served.ended).toMatchObject({ code: 0, stderr: expect.not.stringMatching(/^ {4}at /m) })
  },
)

inLongTier('a service does not wait for a database that does not exist, or refuses its login', async () => {
  const { target: where } = await target('migrated', 'server')
  const { url } = where as { url: string }
  const wrongs = [
    [url.replace('postgres@', 'no_such_login@'), 'role "no_such_login" does not exist'],
    [url.replace(/[^/]+$/, 'no_such_database'), 'database "no_such_database" does not exist'],
  ] as const
  for (const [wrong, why] of long ? wrongs : wrongs.slice(0, 1)) {
    const { code, stderr } = await run(['serve', '--port', '0', '--database', wrong])
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^millbook: cannot use PostgreSQL database [^\n]*\n$/)])
    expect(stderr).toContain(why)
  }
})

inLongTier('the error for an unusable database names it without its password', async () => {
  const url = 'postgres://someone:s3cretword@127.0.0.1:1/books'
  const commands = [['verify'], ['serve'], ['import', folderOf({ 'vendors.csv': 'code,name\n' })]]
  for (const command of long ? commands : commands.slice(0, 1)) {
    const { code, stderr } = await run([...command, '--database', url], { env: AT_ONCE })
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^millbook: cannot use PostgreSQL database books on 127.0.0.1:1: [^\n]*ECONNREFUSED[^\n]*\n$/,
    )
    expect(stderr).not.toContain('s3cretword')
  }
  const printed = await run(['serve', '--database', url, '--print-config'])
  expect(JSON.parse(printed.stdout)).toMatchObject({ database: 'postgres://someone:***@127.0.0.1:1/books', port: 8080 })
})

inLongTier('--print-config never shows a password, with any characters, and wrong networks are named', async () => {
  for (const url of ['postgres://u:p@ss@w:qrd@h/x', 'postgres://u:p/w@h', 'postgres://u:x@h/db?password=p@ss'])
    expect((await run(['serve', '--print-config', '--database', url])).stdout).not.toMatch(/p@ss|qrd|p\/w/)
  const { code, stderr } = await run([
    'serve',
    '--port',
    '0',
    '--trusted-proxies',
    '10.0.0.0/8,foo',
    '--data',
    join(tmpdir(), 'never-made'),
  ])
  expect([code, stderr]).toEqual([2, expect.stringMatching(/--trusted-proxies .*foo is neither an address/)])
})

it('a directory with other files is refused and stays unchanged', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'millbook-others-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  writeFileSync(join(directory, 'thesis.txt'), 'precious')
  chmodSync(directory, 0o755)
  const { code, stderr } = await run(['migrate', '--data', directory])
  expect([code, stderr]).toEqual([1, expect.stringContaining('it holds other files; name a new or an empty directory')])
  expect(statSync(directory).mode & 0o777).toBe(0o755)
  expect(readdirSync(directory)).toEqual(['thesis.txt'])
})

inLongTier('concurrent commands on one directory, without a service, all succeed', async () => {
  const { flags, target: where } = await target('migrated', 'embedded')
  const names = Array.from({ length: 6 }, (_, i) => `user-${i}`)
  const results = await Promise.all(names.map((name) => run(['user', 'create', name, '--json', ...flags])))
  // On a busy machine one command may report that it waits for another.
  const said = (stderr: string) => stderr.replace(/^waiting for .*\n/gm, '')
  expect(results.map(({ code, stderr }) => [code, said(stderr)])).toEqual(names.map(() => [0, '']))
  const database = await connect(where)
  expect((await database.db`select count(*)::int as n from api_user`)[0]?.n).toBe(6)
  await database.close()
})

inLongTier(
  'SIGTERM cancels requests that exceed the grace period, and leaves no statement and no file behind',
  async () => {
    const { flags, target: where } = await target('migrated', 'server')
    const [stored, killed] = [tempFolder(), 'millbook-snapshots-of-a-killed-service']
    mkdirSync(join(stored, killed))
    writeFileSync(join(stored, killed, 'lock'), '')
    const made = await run(['client', 'create', 'c', '--grants', 'client_credentials', '--json', ...flags])
    const ours = await connect(where)
    await ours.db`insert into audit_entry (at, act, actor) values (now() - interval '401 days', 'token.issue', 'old')`
    const served = start(['serve', '--port', '0', '--grace-seconds', '1', '--snapshots-in', stored, '--json', ...flags])
    const demo: Demo = { ...JSON.parse(made.stdout), ...JSON.parse(await served.firstLine) }
    expect(readdirSync(stored)).toEqual([expect.stringMatching(/^millbook-snapshots-(?!of-a-killed)/)])
    const { access_token } = (await (await askToken(demo, { grant_type: 'client_credentials' })).json()) as {
      access_token: string
    }
    const old = () => ours.db`select from audit_entry where actor = 'old'`
    await expect.poll(old).toHaveLength(0) // the cleanup runs at the start
    await ours.db.begin(async (tx) => {
      await tx`lock table invoice`
      const asking = fetch(`${demo.base_url}/v1/sales/invoices?page=3`, {
        method: 'POST',
        headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ from_date: '2024-01-01', to_date: '2024-12-31' }),
      })
      await expect.poll(() => waitingForLock(ours.db)).toBe(1)
      served.process.kill('SIGTERM')
      expect((await asking).status).toBe(503)
      expect(await served.ended).toMatchObject({ code: 0 }) // while the table is still locked
      expect(await waitingForLock(ours.db)).toBe(0)
    })
    expect(readdirSync(stored)).toEqual([])
    await ours.close()
  },
)

inLongTier(
  'a single process logs that it cannot reload; at shutdown a silent connection does not wait for its timeout',
  async () => {
    const { flags } = await target('migrated', 'server')
    const served = start(['serve', '--port', '0', '--json', ...flags])
    const { hostname, port } = new URL(JSON.parse(await served.firstLine).base_url)
    const silent = connectSocket(Number(port), hostname)
    await new Promise((resolve) => silent.once('connect', resolve))
    served.process.kill('SIGHUP')
    await fetch(`http://${hostname}:${port}/healthz`) // then the silent connection has been accepted
    served.process.kill('SIGTERM')
    expect(await text(silent)).toBe('') // after its timeout it would get 408
    const stderr = expect.stringContaining('a single process cannot replace itself')
    expect(await served.ended).toMatchObject({ code: 0, stderr })
  },
)

inLongTier('a service started from a terminal exits when the terminal is closed', async () => {
  const { flags } = await target('migrated', 'server')
  const terminal = startOnTerminal(['serve', '--port', '0', '--json', '--workers', '1', ...flags])
  await terminal.printed(/"base_url"/)
  const [, pid] = /"pid":(\d+)/.exec(terminal.sent()) ?? []
  onTestFinished(() => {
    if (isAlive()) process.kill(Number(pid), 'SIGKILL')
  })
  const isAlive = () => {
    try {
      return process.kill(Number(pid), 0)
    } catch {
      return false
    }
  }
  expect(isAlive()).toBe(true)
  terminal.close()
  await expect.poll(isAlive).toBe(false)
})

inLongTier(
  'a statement that breaks the embedded engine ends the process; committed data survives, and the next start works',
  async () => {
    const { flags, target: where } = await target('migrated', 'embedded')
    const served = start(['serve', '--port', '0', '--json', ...flags])
    await served.firstLine
    const other = await connect(where)
    await other.db`insert into api_user (username, password_hash) values ('before', '-')`
    other.db.unsafe(`select '${'['.repeat(50_000)}'::json`).catch(() => {})
    const { code, stderr } = await served.ended
    expect([code, stderr]).toEqual([1, expect.stringContaining('the embedded database died')])
    await other.close()
    expect((await run(['user', 'disable', 'before', ...flags])).code).toBe(0)
  },
)

inLongTier('a role without rights gets a clear error, and a changed migration is refused', async () => {
  const { target: where, flags } = await target('empty', 'server')
  const { url } = where as { url: string }
  const admin = await connect(where)
  await admin.db.unsafe(`create role nobody_${process.pid} login`)
  const powerless = url.replace('postgres@', `nobody_${process.pid}@`)
  const refused = await run(['migrate', '--database', powerless])
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/^millbook: the database reported: permission denied[^\n]*\n$/),
  ])
  const served = await run(['serve', '--port', '0', '--database', powerless])
  expect([served.code, served.stderr]).toEqual([
    1,
    expect.stringMatching(
      /has schema 0, but this program needs \d+: run millbook migrate as the owner of the database/,
    ),
  ])
  await admin.db.unsafe(`drop role nobody_${process.pid}`)
  await run(['migrate', ...flags])
  await admin.db`update schema_migration set checksum = 'edited' where number = 1`
  await admin.close()
  const changed = await run(['serve', '--port', '0', ...flags])
  expect([changed.code, changed.stderr]).toEqual([1, expect.stringContaining('was changed after it was applied')])
})

inLongTier('a flag overrides the environment, and two databases at once are refused', async () => {
  const env = { MILLBOOK_DATABASE_URL: 'postgres://env@127.0.0.1:1/books', MILLBOOK_PORT: '9000' }
  const flag = await run(['serve', '--print-config', '--data', 'somewhere', '--port', '7000'], { env })
  expect(JSON.parse(flag.stdout)).toMatchObject({ data: 'somewhere', port: 7000 })
  const fromEnv = await run(['serve', '--print-config'], { env })
  expect(JSON.parse(fromEnv.stdout)).toMatchObject({ database: 'postgres://env@127.0.0.1:1/books', port: 9000 })
  const both = await run(['serve', '--print-config', '--data', 'a', '--database', 'postgres://b'])
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('not both')])
})

inLongTier('the error names a blank setting, and an empty variable counts as unset', async () => {
  for (const name of ['MILLBOOK_DATA', 'MILLBOOK_DATABASE_URL']) {
    const { code, stderr } = await run(['serve', '--print-config'], { env: { [name]: ' ' } })
    const sentence = `millbook: ${name} is blank: give it a value, or leave it out to use the directory .millbook\n`
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)])
    const empty = await run(['serve', '--print-config'], { env: { [name]: '' } })
    expect(JSON.parse(empty.stdout)).toMatchObject({ data: '.millbook' })
  }
  for (const flag of ['--data', '--database']) {
    const { code, stderr } = await run(['serve', '--print-config', flag, ''])
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${flag} is blank`)])
  }
})

inLongTier('only its owner can open the socket of the embedded database', async () => {
  const { flags, target: where } = await target('migrated', 'embedded')
  const served = start(['serve', '--port', '0', '--json', ...flags])
  await served.firstLine
  const directory = (where as { directory: string }).directory
  expect(statSync(join(directory, 'run')).mode & 0o777).toBe(0o700)
  expect(statSync(join(directory, 'run', 'millbook.sock')).mode & 0o777).toBe(0o600)
  // Invalid bytes on the socket do no harm.
  const noise = connectSocket(join(directory, 'run', 'millbook.sock'))
  noise.on('error', () => {})
  noise.write('GET / HTTP/1.1\r\n\r\n'.repeat(100))
  await sleep(200)
  noise.destroy()
  const { code } = await run(['user', 'create', 'after-noise', ...flags])
  expect(code).toBe(0)
})
