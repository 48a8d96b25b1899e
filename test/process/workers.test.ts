/** The service with several workers: one port, workers that die, a reload, and the shutdown. */
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { request } from 'node:https'
import { type AddressInfo, connect as connectSocket, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createClient } from '../../src/access/clients.js'
import { connect } from '../../src/db/connect.js'
import { pairOnDisk } from '../setup/certificate.js'
import { makeTarget } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { eventually } from '../setup/patience.js'
import { askToken, run, start } from '../setup/program.js'
import { inLongTier } from '../setup/tier.js'

interface Line {
  pid: number
  worker?: number
  msg: string
  reason?: string
}

async function target(engine: 'embedded' | 'server') {
  const made = await makeTarget('migrated', engine)
  onTestFinished(() => made.drop())
  return made
}

/** A service with two ready workers, and its growing log. */
async function twoWorkers(flags: string[]) {
  const served = start(['serve', '--port', '0', '--json', '--workers', '2', ...flags])
  let stderr = ''
  served.process.stderr?.on('data', (text) => {
    stderr += text
  })
  const log = () =>
    stderr
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Line)
  const logged = (msg: string, worker?: number) =>
    log().filter((line) => line.msg.startsWith(msg) && (worker === undefined || line.worker === worker))
  const until = (msg: string, times = 1) =>
    eventually(() => expect(logged(msg).length, stderr).toBeGreaterThanOrEqual(times))
  const { base_url } = JSON.parse(await served.firstLine)
  return { served, url: base_url as string, port: Number(new URL(base_url).port), logged, until }
}

/** Starts clients that send requests without pause on kept connections; the returned function stops them and returns failures. */
function keepAsking(url: string): () => Promise<string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 6 })
  const failures: string[] = []
  let asking = true
  const ask = () =>
    new Promise<void>((asked) => {
      const failed = (what: string) => {
        failures.push(what)
        asked()
      }
      get(`${url}/readyz`, { agent, timeout: 10_000 }, (answer) => {
        if (answer.statusCode !== 200) failures.push(`status ${answer.statusCode}`)
        answer.resume().once('close', asked)
      })
        .once('error', (error) => failed(error.message))
        .once('timeout', () => failed('no answer'))
    })
  const clients = Array.from({ length: 6 }, async () => {
    while (asking) {
      await ask()
      await sleep(Math.random() * 20)
    }
  })
  return async () => {
    asking = false
    await Promise.all(clients)
    agent.destroy()
    return failures
  }
}

it('all workers answer on one port; killing one loses only its own requests, and a new one replaces it', async () => {
  const { flags } = await target('server')
  const { served, url, logged, until } = await twoWorkers(flags)
  const stop = keepAsking(url)
  await eventually(() => expect(new Set(logged('response sent').map(({ worker }) => worker))).toEqual(new Set([1, 2])))
  const pids = new Set(logged('response sent').map(({ pid }) => pid))
  expect([pids.size, pids.has(served.process.pid as number)]).toEqual([2, false])

  process.kill(logged('worker is ready', 1)[0]?.pid as number, 'SIGKILL')
  await until('a new worker is ready')
  const failures = await stop()
  const answered = logged('response sent', 1).length
  const both = await Promise.all(Array.from({ length: 8 }, () => fetch(`${url}/healthz`)))
  expect(both.map(({ status }) => status)).toEqual(both.map(() => 200))
  await eventually(() => expect(logged('response sent', 1).length).toBeGreaterThan(answered))
  expect(failures.length, failures.join()).toBeLessThanOrEqual(6)
  expect(failures.filter((failure) => !/ECONNRESET|socket hang up/.test(failure))).toEqual([])
  served.process.kill('SIGTERM')
  expect(await served.ended).toMatchObject({ code: 0 })
})

it('SIGHUP replaces the workers, and no request is lost, long ones included', async () => {
  const { flags, target: where } = await target('server')
  const made = await run(['client', 'create', 'c', '--grants', 'client_credentials', '--json', ...flags])
  const { served, url, logged, until } = await twoWorkers(flags)
  const signedIn = await askToken({ ...JSON.parse(made.stdout), base_url: url }, { grant_type: 'client_credentials' })
  const { access_token } = (await signedIn.json()) as { access_token: string }
  const ours = await connect(where)
  onTestFinished(() => ours.close())
  const waiting = async () =>
    (await ours.db`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length
  const stop = keepAsking(url)
  let long: Promise<Response> | undefined
  await ours.db.begin(async (tx) => {
    await tx`lock table invoice`
    long = fetch(`${url}/v1/sales/invoices`, {
      method: 'POST',
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ from_date: '2024-01-01', to_date: '2024-12-31' }),
    })
    await expect.poll(waiting).toBe(1)
    served.process.kill('SIGHUP')
    await until('replacing the workers')
    await sleep(1500) // longer than an idle worker takes to exit
  })
  await until('all workers are replaced')
  expect((await long)?.status).toBe(200)
  expect(await stop()).toEqual([])
  expect(new Set(logged('worker is ready').map(({ pid }) => pid)).size).toBe(4)
  served.process.kill('SIGINT')
  expect(await served.ended).toMatchObject({ code: 0 })
})

inLongTier(
  'new workers have the settings of the start; if one cannot start, the old workers stay; workers ignore signals',
  async () => {
    const { flags, target: where } = await target('server')
    const { db, close } = await connect(where)
    onTestFinished(close)
    const made = await db.begin((tx) => createClient(tx, { name: 'c', grants: ['client_credentials'] }))
    const { served, url, logged, until } = await twoWorkers([...flags, '--max-report-seconds', '1'])
    served.process.kill('SIGHUP')
    await until('all workers are replaced')

    const given = { client_id: made.clientId, client_secret: made.clientSecret, grant_type: 'client_credentials' }
    const post = (path: string, body: object, token = '') =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
        body: JSON.stringify(body),
      })
    const { access_token } = (await (await post('/oauth2/token', given)).json()) as { access_token: string }
    await db.begin(async (tx) => {
      await tx`lock table invoice`
      const range = { from_date: '2024-01-01', to_date: '2024-12-31' }
      expect((await post('/v1/sales/invoices', range, access_token)).status).toBe(504) // after 5 s it would get 503
    })

    await db`insert into schema_migration (number, name, checksum) values (999, 'future', '')`
    const workers = logged('worker is ready')
      .slice(2)
      .map(({ pid }) => pid)
    served.process.kill('SIGHUP')
    await until('a new worker cannot start: the reload stops here')
    for (const pid of workers) for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.kill(pid, signal)
    const before = logged('response sent').length
    const answers = await Promise.all(Array.from({ length: 4 }, () => fetch(`${url}/healthz`)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    await eventually(() => expect(logged('response sent')).toHaveLength(before + 4))
    const answered = logged('response sent').slice(before)
    expect(new Set(answered.map(({ pid }) => pid))).toEqual(new Set(workers))
    expect(logged('a worker died')).toEqual([])
  },
)

inLongTier('connections above the limit are closed, and no worker survives a kill of the first process', async () => {
  const { flags } = await target('server')
  const { served, port } = await twoWorkers([...flags, '--max-connections', '4'])
  const closed = vi.fn()
  const sockets = Array.from({ length: 7 }, () => connectSocket(port, '127.0.0.1').on('close', closed).resume())
  await eventually(() => expect(closed).toHaveBeenCalledTimes(3))
  served.process.kill('SIGKILL')
  // The last process that has stderr closes it.
  expect(await served.ended).toMatchObject({ signal: 'SIGKILL' })
  for (const socket of sockets) socket.destroy()
})

inLongTier('if a worker cannot start, the command fails with its reason, and no worker is left', async () => {
  const { flags, target: where } = await target('server')
  const { url } = where as { url: string }
  const admin = await connect(where)
  const role = `alone_${process.pid}`
  await admin.db.unsafe(`create role ${role} login connection limit 1; grant pg_read_all_data to ${role}`)
  onTestFinished(async () => {
    await admin.db.unsafe(`drop role ${role}`)
    await admin.close()
  })
  const few = url.replace('postgres@', `${role}@`)
  const failed = await run(['serve', '--workers', '2', '--port', '0', '--database', few])
  expect(failed).toMatchObject({ code: 1, stdout: '' })
  expect(failed.stderr).toMatch(/^millbook: cannot use PostgreSQL database .*: too many connections for role .*$/m)

  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const second = await run(['serve', '--workers', '2', '--port', String(port), ...flags])
  expect(second).toMatchObject({
    code: 1,
    stderr: `millbook: port ${port} on 127.0.0.1 is in use; choose another with --port N, or --port 0 for any free one\n`,
  })
})

it('on the embedded engine, workers and an import connect through the process that owns the database', async () => {
  const { flags } = await target('embedded')
  const { served, url } = await twoWorkers(flags)
  const stop = keepAsking(url)
  const folder = folderOf({ 'vendors.csv': 'code,name\nV1,Anand Dairy\n' })
  expect(await run(['import', folder, ...flags])).toMatchObject({ code: 0, stderr: '' })
  expect(await stop()).toEqual([])
  served.process.kill('SIGTERM')
  expect(await served.ended).toMatchObject({ code: 0 })
  expect(await run(['verify', ...flags])).toMatchObject({ code: 0 })
})

it('connections are handed to the workers in turn, also when they come at once', async () => {
  const { flags } = await target('server')
  const { port, logged } = await twoWorkers(flags)
  const sockets = Array.from({ length: 20 }, () => {
    const socket = connectSocket(port, '127.0.0.1').resume()
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
    return socket
  })
  await eventually(() => expect(logged('response sent')).toHaveLength(20))
  expect([1, 2].map((worker) => logged('response sent', worker).length)).toEqual([10, 10])
  for (const socket of sockets) socket.destroy()
})

inLongTier('the port stays open while all workers are dead: a request waits for the next worker', async () => {
  const { flags } = await target('server')
  const { url, logged, until } = await twoWorkers(flags)
  for (const { pid } of logged('worker is ready')) process.kill(pid, 'SIGKILL')
  await until('a worker died', 2)
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
})

it('a connection that is handed to a dying worker is closed', async () => {
  const { flags } = await target('server')
  const { port, logged, until } = await twoWorkers(flags)
  const pids = logged('worker is ready').map(({ pid }) => pid)
  for (const pid of pids) process.kill(pid, 'SIGSTOP') // it accepts no connection that it is handed
  const closed = vi.fn()
  const sockets = Array.from({ length: 20 }, () => {
    const socket = connectSocket(port, '127.0.0.1')
      .on('close', closed)
      .on('error', () => {})
      .resume()
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
    return socket
  })
  await Promise.all(sockets.map((socket) => socket.readyState === 'open' || once(socket, 'connect')))
  await sleep(200) // gives the first process time to hand them over
  for (const pid of pids) process.kill(pid, 'SIGKILL')
  await until('a worker died', 2)
  await eventually(() => expect(closed).toHaveBeenCalledTimes(20))
})

inLongTier('workers enforce the time limit of a request, and serve HTTPS', async () => {
  const { flags } = await target('server')
  const files = pairOnDisk()
  const { url, port } = await twoWorkers([...flags, '--tls-cert', files.cert, '--tls-key', files.key])
  const [answer] = await once(request(`${url}/readyz`, { ca: files.ca, agent: false }).end(), 'response')
  expect(await text(answer)).toBe('{"status":"ready"}')
  const slow = connectTls({ port, host: '127.0.0.1', ca: files.ca, servername: 'localhost' })
  slow.write('GET /healthz HTTP/1.1\r\n')
  expect(await text(slow)).toMatch(/^HTTP\/1.1 408 /)
})
