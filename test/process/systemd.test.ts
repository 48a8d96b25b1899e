/** deploy/millbook.service, started by a real systemd. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
const APART = ['--fork', '--pid', '--mount', '--uts', '--ipc', '--cgroup', '--mount-proc']
const possible =
  process.getuid?.() === 0 &&
  existsSync('/lib/systemd/systemd') &&
  spawnSync('unshare', [...APART, 'true']).status === 0

it.skipIf(!possible)(
  'systemd starts, reloads and stops the unit in its sandbox (skipped without systemd or namespaces)',
  async () => {
    const work = mkdtempSync(join(tmpdir(), 'millbook-systemd-'))
    onTestFinished(() => rmSync(work, { recursive: true, force: true }))
    writeFileSync(
      join(work, 'service.env'),
      ['DATA=/var/lib/millbook/data', 'PORT=0', 'METRICS_PORT=off', 'WORKERS=2']
        .map((line) => `MILLBOOK_${line}\n`)
        .join(''),
    )
    const script = fileURLToPath(new URL('../setup/systemd.sh', import.meta.url))
    const unshared = spawn('unshare', [...APART, 'sh', script, work, PROJECT, process.execPath])
    let said = ''
    for (const stream of [unshared.stdout, unshared.stderr]) stream.on('data', (text) => (said += text))
    const children = () => readFileSync(`/proc/${unshared.pid}/task/${unshared.pid}/children`, 'utf8').trim()
    onTestFinished(() => {
      if (unshared.exitCode === null) process.kill(Number(children()), 'SIGKILL') // this ends all processes of its namespace
    })
    const inside = (...command: string[]) => {
      const { status, stdout, stderr } = spawnSync('nsenter', ['-t', children(), '-a', ...command], {
        encoding: 'utf8',
      })
      return { status, text: (stdout + stderr).trim() }
    }
    const show = (property: string) => inside('systemctl', 'show', '--value', '-p', property, 'millbook').text
    const log = () => (existsSync(join(work, 'log')) ? readFileSync(join(work, 'log'), 'utf8') : said)

    await expect
      .poll(() => inside('systemctl', 'is-active', 'multi-user.target').text, { timeout: 20_000 })
      .toBe('active')
    expect(inside('systemctl', 'start', 'millbook')).toEqual({ status: 0, text: '' })
    const listening = () => /Millbook serves (http:\S+)/.exec(log())?.[1]
    await expect.poll(listening, { timeout: 90_000, message: log() }).toBeDefined()
    const url = listening() as string
    expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ status: 'ready' })

    // The sandbox of the unit is in effect.
    const status = inside('cat', `/proc/${show('MainPID')}/status`).text
    expect(status).toMatch(/^Uid:\t64711\t64711/m)
    expect(status).toMatch(/^CapEff:\t0+$/m)
    expect(status).toMatch(/^NoNewPrivs:\t1$/m)
    expect(status).toMatch(/^Seccomp:\t2$/m)
    expect(inside('stat', '-c', '%a %U', '/var/lib/millbook', '/var/lib/millbook/data').text).toBe(
      '700 millbook\n700 millbook',
    )

    expect(inside('systemctl', 'reload', 'millbook').status).toBe(0)
    const ready = () => log().split('"worker is ready"').length - 1
    await expect.poll(ready, { timeout: 60_000, message: log() }).toBe(4)
    expect((await fetch(`${url}/readyz`)).status).toBe(200)

    // After a kill, systemd starts it again.
    const [first, before] = [show('MainPID'), log().length]
    inside('kill', '-9', first)
    const again = () => /Millbook serves (http:\S+)/.exec(log().slice(before))?.[1]
    await expect.poll(again, { timeout: 60_000, message: log() }).toBeDefined()
    expect(show('MainPID')).not.toBe(first)
    expect((await fetch(`${again()}/readyz`)).status).toBe(200)

    expect(inside('systemctl', 'stop', 'millbook').status).toBe(0)
    expect([show('Result'), show('ExecMainStatus'), show('ActiveState')]).toEqual(['success', '0', 'inactive'])
  },
  240_000,
)

it.skipIf(spawnSync('systemd-analyze', ['--version']).status !== 0)(
  'systemd accepts the unit and rates it as docs/hardening.md says (skipped without systemd)',
  () => {
    const unit = join(PROJECT, 'deploy/millbook.service')
    const text = execFileSync('systemd-analyze', ['security', '--offline=true', unit], { encoding: 'utf8' })
    const rating = /Overall exposure level for millbook.service: ([\d.]+ \w+)/.exec(text)?.[1]?.split(' ')
    expect(readFileSync(join(PROJECT, 'docs/hardening.md'), 'utf8')).toContain(
      `rates the unit ${rating?.[0]} ("${rating?.[1]}")`,
    )
  },
)
