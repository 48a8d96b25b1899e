/** Starts a temporary PostgreSQL server, or a streaming replica of one, for tests and benchmarks. */
import { execFileSync, spawn } from 'node:child_process'
import { chownSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findPostgres } from './test-needs.mjs'

/**
 * The server keeps its data in a temporary folder until it stops. If root starts it, another user owns that folder and
 * runs the server, because PostgreSQL refuses to run as root. `under` is the folder of that folder. With `replicaOf`, the server is a replica of that server.
 * @param {{ initdb?: string[], under?: string, replicaOf?: string, settings?: Record<string, string | number>, env?: Record<string, string> }} options
 * @typedef {object} Postgres
 * @property {string} url without the name of a database
 * @property {() => number} pid of its first process
 * @property {() => Promise<void>} crash kills it; it can be started again
 * @property {() => Promise<void>} shutDown as an operator does it; it can be started again
 * @property {() => Promise<void>} start
 * @property {() => Promise<void>} stop for good
 * @returns {Promise<Postgres>}
 */
export async function startPostgres({ initdb = [], under = tmpdir(), replicaOf, settings = {}, env = {} } = {}) {
  const bin = findPostgres()
  if (bin === undefined) throw new Error('PostgreSQL is not installed; run node scripts/test-needs.mjs')
  const folder = mkdtempSync(join(under, 'millbook-postgres-'))
  const user = process.getuid?.() === 0 ? ownerFor() : undefined
  if (user !== undefined) giveTo(user, folder)
  const data = join(folder, 'data')
  /** @param {string[]} more */
  const make = (more) =>
    execFileSync(
      join(bin, 'initdb'),
      ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '-N', '--locale=C', ...more],
      { stdio: 'pipe', cwd: folder, ...user },
    )
  try {
    if (replicaOf !== undefined) copyOf(replicaOf, bin, data, { cwd: folder, ...user })
    else make(initdb)
  } catch (error) {
    if (replicaOf !== undefined) throw error
    make([]) // for a PostgreSQL without ICU
  }
  const port = await freePort()
  const all = { listen_addresses: '127.0.0.1', port, unix_socket_directories: '', ...settings }
  const url = `postgres://postgres@127.0.0.1:${port}/`
  const launch = () => {
    const server = spawn(
      join(bin, 'postgres'),
      ['-D', data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      { stdio: 'ignore', cwd: folder, env: { ...process.env, ...env }, ...user },
    )
    return { server, exited: new Promise((resolve) => server.once('exit', resolve)) }
  }
  let running = launch()
  /** @param {boolean} again whether to launch it again while processes of a killed server still exist */
  const ready = async (again) => {
    for (let tries = 0; ; tries++) {
      const probe = new pg.Client({ connectionString: `${url}postgres`, connectionTimeoutMillis: 5000 })
      try {
        await probe.connect()
        return
      } catch (error) {
        const ended = running.server.exitCode !== null
        if (tries > 600 || (ended && !again)) throw error // a minute: a busy machine is slow to start one
        if (ended) running = launch()
        await sleep(100)
      } finally {
        await probe.end().catch(() => {})
      }
    }
  }
  await ready(false)
  return {
    url,
    pid: () => Number(running.server.pid),
    crash: async () => {
      running.server.kill('SIGKILL')
      await running.exited
    },
    shutDown: async () => {
      running.server.kill('SIGINT')
      await running.exited
    },
    start: async () => {
      running = launch()
      await ready(true)
    },
    stop: async () => {
      running.server.kill('SIGINT')
      await running.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Makes the data of a replica, which follows its server once it is started.
 * @param {string} url
 * @param {string} bin
 * @param {string} data
 * @param {{ cwd: string, uid?: number, gid?: number }} options
 */
function copyOf(url, bin, data, options) {
  // Debian links only some programs into PATH.
  const program = join(dirname(realpathSync(join(bin, 'postgres'))), 'pg_basebackup')
  execFileSync(program, ['-D', data, '-d', `${url}postgres`, '-R', '-c', 'fast', '-X', 'stream', '-N'], {
    stdio: 'pipe',
    ...options,
  })
}

/**
 * @param {{ uid: number, gid: number }} user
 * @param {string} folder
 */
function giveTo(user, folder) {
  chownSync(folder, user.uid, user.gid)
  try {
    execFileSync('test', ['-w', folder], { ...user, cwd: '/' })
  } catch {
    rmSync(folder, { recursive: true })
    throw new Error(
      `the user ${user.uid}, who runs PostgreSQL in place of root, cannot enter ${tmpdir()}; set TMPDIR to a folder that every user can enter`,
    )
  }
}

/** @returns {{ uid: number, gid: number }} */
function ownerFor() {
  for (const name of ['postgres', 'nobody'])
    try {
      const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, name], { stdio: 'pipe' })))
      if (uid !== undefined && gid !== undefined) return { uid, gid }
    } catch {
      // no such user
    }
  throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody; create one')
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
