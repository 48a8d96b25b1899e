/** Starts a temporary PostgreSQL server in a folder, for tests and benchmarks. */
import { execFileSync, spawn } from 'node:child_process'
import { chownSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findPostgres } from './test-needs.mjs'

/**
 * As root, it gives the folder and its parent to another user, because PostgreSQL refuses to run as root.
 * @param {string} folder
 * @param {{ initdb?: string[], settings?: Record<string, string | number> }} options
 * @returns {Promise<{ url: string, stop(): Promise<void> }>} its URL, without the name of a database
 */
export async function startPostgres(folder, { initdb = [], settings = {} } = {}) {
  const bin = findPostgres()
  if (bin === undefined) throw new Error('PostgreSQL is not installed; run node scripts/test-needs.mjs')
  mkdirSync(folder, { recursive: true })
  const user = process.getuid?.() === 0 ? ownerFor() : undefined
  if (user !== undefined) {
    chownSync(join(folder, '..'), user.uid, user.gid)
    chownSync(folder, user.uid, user.gid)
  }
  const data = join(folder, 'data')
  /** @param {string[]} more */
  const make = (more) =>
    execFileSync(
      join(bin, 'initdb'),
      ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '-N', '--locale=C', ...more],
      { stdio: 'pipe', cwd: folder, ...user },
    )
  try {
    make(initdb)
  } catch {
    make([]) // for a PostgreSQL without ICU
  }
  const port = await freePort()
  const all = { listen_addresses: '127.0.0.1', port, unix_socket_directories: '', ...settings }
  const server = spawn(
    join(bin, 'postgres'),
    ['-D', data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { stdio: 'ignore', cwd: folder, ...user },
  )
  const exited = new Promise((resolve) => server.once('exit', resolve))
  const url = `postgres://postgres@127.0.0.1:${port}/`
  for (let tries = 0; ; tries++) {
    const probe = new pg.Client({ connectionString: `${url}postgres`, connectionTimeoutMillis: 5000 })
    try {
      await probe.connect()
      break
    } catch (error) {
      if (tries > 100 || server.exitCode !== null) throw error
      await sleep(100)
    } finally {
      await probe.end()
    }
  }
  return {
    url,
    stop: async () => {
      server.kill('SIGINT')
      await exited
    },
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
