/** Once per run: a real PostgreSQL server, and on both engines an empty and a migrated database to copy from. */
import { execFileSync, spawn } from 'node:child_process'
import { chownSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestProject } from 'vitest/node'
import { findPostgres } from '../../scripts/test-needs.mjs'
import { connect } from '../../src/db/connect.js'
import { migrate } from '../../src/db/migrate.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the test server, without a database's name at the end. */
    serverUrl: string
    /** Folders with embedded databases to copy: `empty` and `migrated`. */
    embeddedTemplates: string
  }
}

export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'millbook-test-'))
  const [server, templates] = await Promise.all([startServer(join(folder, 'server')), makeTemplates(folder)])
  provide('serverUrl', server.url)
  provide('embeddedTemplates', templates)
  return async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function makeTemplates(folder: string): Promise<string> {
  const [empty, migrated] = ['empty', 'migrated'].map((name) => join(folder, name)) as [string, string]
  await (await connect({ engine: 'embedded', directory: empty })).close()
  cpSync(empty, migrated, { recursive: true })
  const database = await connect({ engine: 'embedded', directory: migrated })
  await migrate(database.db)
  await database.close()
  return folder
}

async function startServer(folder: string): Promise<{ url: string; stop(): Promise<void> }> {
  const bin = findPostgres()
  if (bin === undefined) throw new Error('no PostgreSQL found: run node scripts/test-needs.mjs')
  mkdirSync(folder, { recursive: true })
  // PostgreSQL refuses to run as root: it runs as the user that its package made, or as nobody.
  const user = process.getuid?.() === 0 ? ownerFor() : undefined
  if (user !== undefined) {
    chownSync(join(folder, '..'), user.uid, user.gid)
    chownSync(folder, user.uid, user.gid)
  }
  const data = join(folder, 'data')
  // A linguistic collation: the order of records must not follow the database's own.
  const locale = ['--locale=C', '--locale-provider=icu', '--icu-locale=en-US']
  const initdb = (more: string[]) =>
    execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '-N', ...more], {
      stdio: 'pipe',
      cwd: folder,
      ...user,
    })
  try {
    initdb(locale)
  } catch {
    initdb(['--locale=C']) // built without ICU
  }
  const port = await freePort()
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    fsync: 'off',
    max_connections: 200,
  }
  const server = spawn(
    join(bin, 'postgres'),
    ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { stdio: 'ignore', cwd: folder, ...user },
  )
  const exited = new Promise<void>((resolve) => server.once('exit', () => resolve()))
  const url = `postgres://postgres@127.0.0.1:${port}/`
  for (let tries = 0; ; tries++) {
    try {
      const admin = await connect({ engine: 'server', url: `${url}postgres` })
      await admin.db`create database millbook_migrated template template0`
      await admin.close()
      break
    } catch (error) {
      if (tries > 100 || server.exitCode !== null) throw error
      await sleep(100)
    }
  }
  const template = await connect({ engine: 'server', url: `${url}millbook_migrated` })
  await migrate(template.db)
  await template.close()
  return {
    url,
    stop: async () => {
      server.kill('SIGINT')
      await exited
    },
  }
}

function ownerFor(): { uid: number; gid: number } {
  for (const name of ['postgres', 'nobody'])
    try {
      const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, name], { stdio: 'pipe' })))
      if (uid !== undefined && gid !== undefined) return { uid, gid }
    } catch {
      // no such user
    }
  throw new Error('PostgreSQL does not run as root, and there is neither a user postgres nor nobody')
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
