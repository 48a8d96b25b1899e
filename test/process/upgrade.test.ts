/** The order of docs/upgrade.md: a newer build with another schema takes the place of a running service, and no request is lost. */
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, request as send } from 'node:http'
import { type AddressInfo, connect as connectSocket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { connect } from '../../src/db/connect.js'
import { migrations } from '../../src/db/migrate.js'
import { makeTarget } from '../setup/database.js'
import { tempFolder } from '../setup/files.js'
import { askToken, type Demo, run, start } from '../setup/program.js'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))

/** A copy of this build with one more migration. Returns the path of its command line. */
function newerBuild(): string {
  const folder = tempFolder()
  mkdirSync(join(folder, 'src', 'surfaces', 'rest'), { recursive: true })
  for (const name of ['node_modules', 'connectors']) symlinkSync(join(PROJECT, name), join(folder, name))
  for (const name of ['dist', 'package.json', 'src/db', 'src/surfaces/rest/examples.json'])
    cpSync(join(PROJECT, name), join(folder, name), { recursive: true })
  const number = String(migrations.length + 1).padStart(3, '0')
  writeFileSync(
    join(folder, 'src', 'db', 'migrations', `${number}-next.sql`),
    'alter table item add column next int;\n',
  )
  expect(readdirSync(join(folder, 'src', 'db', 'migrations')).length).toBe(migrations.length + 1)
  return join(folder, 'dist', 'cli.js')
}

/** Whether a service accepts connections on this port. */
const isListening = (port: number): Promise<boolean> =>
  new Promise((tried) => {
    const socket = connectSocket(port, '127.0.0.1')
    socket.once('connect', () => tried(true)).once('error', () => tried(false))
    socket.once('connect', () => socket.destroy())
  })

/** Sends a request that the first service refuses to the second, as nginx does with proxy_next_upstream http_503. */
async function startProxy(upstreams: () => string[]): Promise<string> {
  const proxy = createServer(async (request, response) => {
    const body: Buffer[] = []
    for await (const piece of request) body.push(piece)
    const [first, ...rest] = upstreams()
    const attempt = (upstream: string | undefined, others: string[]): void => {
      const retry = (status: number) => {
        if (others.length > 0) attempt(others[0], others.slice(1))
        else response.writeHead(status).end()
      }
      const { method, headers, url } = request
      const passed = send(`${upstream}${url}`, { method, headers }, (answer) => {
        if (answer.statusCode === 503 && others.length > 0) return void answer.resume().once('end', () => retry(503))
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      passed.once('error', () => retry(502))
      passed.end(Buffer.concat(body))
    }
    attempt(first, rest)
  })
  onTestFinished(() => void proxy.close())
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening))
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

const freePort = async (): Promise<number> => {
  const probe = createServer()
  await new Promise<void>((listening) => probe.listen(0, '127.0.0.1', listening))
  const { port } = probe.address() as AddressInfo
  await new Promise((closed) => probe.close(closed))
  return port
}

it('a newer build with another schema takes over, and every request of callers succeeds', async () => {
  const { flags, target, drop } = await makeTarget('migrated', 'server')
  const { url } = target as { url: string }
  const owner = await connect(target)
  const [{ name } = { name: '' }] = await owner.db<{ name: string }[]>`select current_database()::text as name`
  expect((await run(['migrate', ...flags])).code).toBe(0) // grants the roles their rights
  await owner.db.unsafe(`create role ${name}_web login in role ${name}_service`)
  onTestFinished(async () => {
    await owner.close()
    await drop()
    const admin = await connect({ url: url.replace(/[^/]+$/, 'postgres') })
    await admin.db.unsafe(`drop role ${name}_web, ${name}_service, ${name}_loader`)
    await admin.close()
  })
  const made = await run(['client', 'create', 'c', '--grants', 'client_credentials', '--json', ...flags])
  const asWeb = ['--database', url.replace('postgres@', `${name}_web@`)]
  const serve = ['serve', '--json', '--workers', '2', ...asWeb]

  const old = start([...serve, '--port', '0'])
  const upstreams = [JSON.parse(await old.firstLine).base_url as string]
  const demo: Demo = { ...JSON.parse(made.stdout), base_url: await startProxy(() => upstreams) }

  const statuses = new Map<string, number>()
  let ending = false
  const count = (kind: string, status: number) =>
    statuses.set(`${kind} ${status}`, (statuses.get(`${kind} ${status}`) ?? 0) + 1)
  const callers = Array.from({ length: 3 }, async () => {
    let token = ''
    for (let i = 0; !ending; i++) {
      if (i % 5 === 0) {
        const signed = await askToken(demo, { grant_type: 'client_credentials' })
        count('sign-in', signed.status)
        token = ((await signed.json()) as { access_token: string }).access_token
      }
      const report = await fetch(`${demo.base_url}/v1/partner/fg-item-master?page=${i + 1}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{}',
      })
      await report.arrayBuffer()
      count('report', report.status)
    }
  })
  const answered = () => statuses.get('report 200') ?? 0
  await expect.poll(answered).toBeGreaterThan(20)

  const cli = newerBuild()
  const port = await freePort()
  const fresh = start([...serve, '--port', String(port), '--start-wait-seconds', '300'], { cli })
  let said = ''
  fresh.process.stderr?.on('data', (text) => {
    said += text
  })
  await expect.poll(() => said).toContain('"msg":"waiting for the database"')
  expect(said).toContain('run millbook migrate as the owner of the database')
  await expect.poll(() => isListening(port)).toBe(true) // on a busy machine, later than that line
  upstreams.push(`http://127.0.0.1:${port}`)

  const migrated = await run(['migrate', ...flags], { cli })
  expect([migrated.code, migrated.stderr]).toEqual([0, ''])
  expect(migrated.stdout).toMatch(
    /^millbook serve \S+ from 127\.0\.0\.1 is connected \(\d+ connections\): it answers 503/m,
  )
  await fresh.firstLine
  const before = answered()
  await expect.poll(answered).toBeGreaterThan(before + 20)
  expect((await fetch(`${upstreams[0]}/readyz`)).status).toBe(503)
  upstreams.shift()
  old.process.kill('SIGTERM')
  expect(await old.ended).toMatchObject({ code: 0 })
  ending = true
  await Promise.all(callers)
  expect([...statuses.keys()].sort()).toEqual(['report 200', 'sign-in 200'])
})
