/** The demo, started, killed and started twice. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { makeTarget } from '../setup/database.js'
import { askToken, newRefreshToken, refreshWorks, run, start, startDemo } from '../setup/program.js'
import { inLongTier } from '../setup/tier.js'

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'millbook-demo-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** A database without tables: creating it is the longest part of a first start. */
async function begun(): Promise<string> {
  const { target, drop } = await makeTarget('empty', 'embedded')
  onTestFinished(drop)
  return (target as { directory: string }).directory
}

it('the demo prints one line when it is ready, and a restart keeps data and credentials', async () => {
  const directory = join(folder(), 'new')
  const first = await startDemo(directory, { plain: true })
  expect(Object.keys(first.demo)).toEqual(['base_url', 'client_id', 'client_secret', 'username', 'password'])
  expect((await fetch(`${first.demo.base_url}/readyz`)).status).toBe(200)
  const token = await newRefreshToken(first.demo)
  first.run.process.kill('SIGTERM')
  const ended = await first.run.ended
  expect(ended).toMatchObject({ code: 0, signal: null })
  expect(ended.stdout.trim().split('\n')).toHaveLength(1)
  expect(statSync(directory).mode & 0o777).toBe(0o700)
  expect(statSync(join(directory, 'database')).mode & 0o777).toBe(0o700)
  expect(statSync(join(directory, 'demo-credentials.json')).mode & 0o777).toBe(0o600)

  const second = await startDemo(directory)
  expect({ ...second.demo, base_url: '' }).toEqual({ ...first.demo, base_url: '' })
  expect(await refreshWorks(second.demo, token)).toBe(true)
})

inLongTier('the printed commands and the link work when they are pasted', async () => {
  const demo = start(['demo', '--port', '0', '--data', await begun(), '--scale', '0.5', '--months', '3'])
  const printed = await demo.printed('Ctrl-C')
  const lines = printed.split('\n').filter((line) => line.startsWith('TOKEN=') || line.startsWith('curl '))
  expect(lines).toHaveLength(2)
  const answer = await promisify(execFile)('bash', ['-c', lines.join('\n')])
  expect(JSON.parse(answer.stdout).data.length).toBeGreaterThan(0)

  const [, url, ticket] = /^ {2}Console +(http:\/\/127\.0\.0\.1:\d+)\/#open=([\w-]{43})$/m.exec(printed) ?? []
  const open = await fetch(`${url}/session/open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ticket }),
  })
  expect(open.status).toBe(204)
  const [cookie = ''] = (open.headers.get('set-cookie') ?? '').split(';')
  const session = await fetch(`${url}/session`, { headers: { cookie } })
  expect(await session.json(), 'the user of the demo is an operator').toMatchObject({ role: 'operator', groups: null })
})

inLongTier('kill -9 during writes loses no acknowledged row, and the next start needs no repair', async () => {
  const directory = await begun()
  const acknowledged: string[] = []
  for (let round = 0; round < 2; round++) {
    const { run, demo } = await startDemo(directory)
    let dying = false
    const writers = Array.from({ length: 4 }, async () => {
      while (!dying) {
        try {
          acknowledged.push(await newRefreshToken(demo))
        } catch (error) {
          if (!dying) throw error // refused for a reason other than the kill
        }
      }
    })
    const before = acknowledged.length
    while (acknowledged.length < before + 8) await sleep(10)
    dying = true
    run.process.kill('SIGKILL')
    await Promise.all(writers)
    expect((await run.ended).signal).toBe('SIGKILL')
  }
  const { demo } = await startDemo(directory)
  expect(acknowledged.length).toBeGreaterThanOrEqual(16)
  for (const token of acknowledged) expect(await refreshWorks(demo, token)).toBe(true)
})

inLongTier('a second demo on the same directory connects to the first, and no row is lost', async () => {
  const directory = await begun()
  const [one, two] = await Promise.all([startDemo(directory), startDemo(directory)])
  expect({ ...two.demo, base_url: '' }).toEqual({ ...one.demo, base_url: '' })
  const writes = [one, two, one, two].map(async ({ demo }) => {
    const tokens = []
    for (let n = 0; n < 6; n++) tokens.push(await newRefreshToken(demo))
    return tokens
  })
  const tokens = (await Promise.all(writes)).flat()
  for (const { demo } of [one, two]) for (const token of tokens) expect(await refreshWorks(demo, token)).toBe(true)
  const { pid } = JSON.parse(readFileSync(join(directory, 'lock'), 'utf8'))
  const [owner, other] = one.run.process.pid === pid ? [one, two] : [two, one]
  expect(owner.run.process.pid).toBe(pid)

  // The owner exits without waiting for the other process, which exits too so that its supervisor restarts it.
  owner.run.process.kill('SIGTERM')
  expect(await owner.run.ended).toMatchObject({ code: 0 })
  const { code, stderr } = await other.run.ended
  expect(code).toBe(1)
  expect(stderr).toContain('the process that ran the embedded database has ended, so this one exits too')
  const { demo } = await startDemo(directory)
  for (const token of tokens) expect(await refreshWorks(demo, token)).toBe(true)
})

inLongTier('the client of the demo may use client_credentials, also in a directory of an older build', async () => {
  const directory = await begun()
  const first = await startDemo(directory)
  const credentials = { grant_type: 'client_credentials' }
  expect((await askToken(first.demo, credentials)).status).toBe(200)
  const { client_id } = first.demo
  await run(['client', 'update', client_id, '--grants', 'password,refresh_token', '--data', directory])
  expect((await askToken(first.demo, credentials)).status).toBe(400)
  first.run.process.kill('SIGTERM')
  await first.run.ended
  const { demo } = await startDemo(directory)
  expect(demo.client_id).toBe(client_id)
  expect((await askToken(demo, credentials)).status).toBe(200)
})
