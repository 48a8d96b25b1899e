/** `millbook doctor` on correct and on faulty installations. */
import { chmodSync, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { connect, type Target } from '../../src/db/connect.js'
import { type Finding, examine as findingsOf } from '../../src/runtime/doctor.js'
import type { ServeSettings } from '../../src/runtime/settings.js'
import { pairOnDisk } from '../setup/certificate.js'
import { makeTarget } from '../setup/database.js'
import { tempFolder } from '../setup/files.js'
import { run } from '../setup/program.js'

/** Runs the checks of the command without a process. */
async function examine(on: Target, given: Partial<ServeSettings> = {}) {
  const settings = {
    host: '127.0.0.1',
    workers: 1,
    readFrom: [] as string[],
    snapshotsIn: tmpdir(),
    tls: undefined,
    ...given,
  } as ServeSettings
  const findings: Finding[] = []
  for await (const finding of findingsOf({ target: on, settings })) findings.push(finding)
  for (const { state, advice } of findings) expect(advice !== undefined).toBe(state !== 'ok')
  return {
    ok: findings.every(({ state }) => state !== 'problem'),
    of: (check: string) => findings.find((finding) => finding.check === check),
  }
}

async function target(from: 'empty' | 'migrated', engine: 'embedded' | 'server') {
  const made = await makeTarget(from, engine)
  onTestFinished(made.drop)
  return made
}

it('a server with the schema is fine; missing data and clients are reported with the command to add them', async () => {
  const { target: where } = await target('migrated', 'server')
  const { ok, of } = await examine(where)
  expect(ok).toBe(true)
  for (const check of ['database', 'schema', 'clock', 'connections']) expect(of(check)?.state).toBe('ok')
  expect(of('rights')).toMatchObject({ state: 'warning', found: expect.stringContaining('superuser') })
  expect(of('data')?.advice).toBe('load it with millbook import')
  expect(of('clients')?.advice).toBe('create one with millbook client create')
  const database = await connect(where)
  await database.db`delete from schema_migration where number > 3`
  await database.close()
  expect((await examine(where)).of('schema')).toMatchObject({
    state: 'problem',
    advice: expect.stringMatching(/migrate/),
  })
})

it('too many workers for the server and an unreachable server are problems', async () => {
  const { target: where } = await target('migrated', 'server')
  expect((await examine(where, { workers: 200 })).of('connections')?.state).toBe('problem')
  const away = await examine({ url: 'postgres://nobody@127.0.0.1:1/none' })
  expect(away.of('database')).toMatchObject({ state: 'problem', advice: expect.any(String) })
})

it('the directory of an embedded database is checked, also if it does not exist', async () => {
  const { target: where } = await target('migrated', 'embedded')
  const { directory } = where as { directory: string }
  chmodSync(directory, 0o755)
  const open = await examine(where)
  expect(open.of('data directory')).toMatchObject({ state: 'problem', advice: `chmod 700 ${directory}` })
  chmodSync(directory, 0o700)
  expect((await examine(where)).ok).toBe(true)
  const none = await examine({ directory: join(directory, 'nothing') })
  expect(none.of('data directory')?.advice).toContain('millbook migrate')
})

it('snapshots, keys and addresses are checked', async () => {
  const { target: where } = await target('empty', 'embedded')
  const { cert, key } = pairOnDisk()
  chmodSync(key, 0o644)
  const found = await examine(where, { tls: { cert, key }, snapshotsIn: join(tempFolder(), 'none') })
  expect(found.of('tls')?.advice).toMatch(/^renew it within/)
  expect(found.of('tls key')?.advice).toBe(`chmod 600 ${key}`)
  expect(found.of('snapshots')?.state).toBe('problem')
  expect((await examine(where, { host: '0.0.0.0' })).of('tls')?.state).toBe('warning')
})

it('without --json it prints a list', async () => {
  const { flags } = await target('migrated', 'embedded')
  const { stdout, code } = await run(['doctor', ...flags])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^ok {6}schema: the database has the schema of this program$/m)
  expect(stdout).toMatch(/^ {8}→ load it with millbook import$/m)
  const none = join(tempFolder(), 'none')
  const wrong = await run(['doctor', '--json', '--data', none])
  expect([wrong.code, JSON.parse(wrong.stdout).ok, existsSync(none)]).toEqual([1, false, false])
})
