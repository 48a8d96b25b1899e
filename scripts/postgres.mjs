/** Starts a temporary PostgreSQL server, for tests and benchmarks. */
import { execFileSync, spawn } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findPostgres } from './test-needs.mjs'

/**
 * Its data is in a folder of its own among the temporary files, until it stops. As root, another user owns that folder and
 * runs the server, because PostgreSQL refuses to run as root.
 * @param {{ initdb?: string[], settings?: Record<string, string | number> }} options
 * @returns {Promise<{ url: string, stop(): Promise<void> }>} its URL, without the name of a database
 */
export async function startPostgres({ initdb = [], settings = {} } = {}) {
  const bin = findPostgres()
  if (bin === undefined) throw new Error('PostgreSQL is not installed; run node scripts/test-needs.mjs')
  const folder = mkdtempSync(join(tmpdir(), 'millbook-postgres-'))
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
      rmSync(folder, { recursive: true, force: true })
    },
  }
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
