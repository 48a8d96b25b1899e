/** A temporary MariaDB server for the long tier. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import mysql, { type Connection } from 'mysql2/promise'
import { findMariadb } from '../../scripts/test-needs.mjs'

export interface Mariadb {
  /** The URL of one of its databases. */
  url(database: string, user?: string): string
  /** Runs statements, and returns the rows of the last one, every value as text. */
  run(database: string, statements: string): Promise<Record<string, string | null>[]>
  /** Feeds a dump to its client. */
  load(database: string, dump: Buffer): void
  stop(): Promise<void>
}

/** The server keeps its data and its socket in a temporary folder until it stops. */
export async function startMariadb(): Promise<Mariadb> {
  const server = findMariadb()
  if (server === undefined) throw new Error('MariaDB is not installed; run node scripts/test-needs.mjs')
  const folder = mkdtempSync(join(tmpdir(), 'millbook-mariadb-'))
  const [data, socket] = [join(folder, 'data'), join(folder, 's')]
  // Servers that share a folder for temporary tables would remove each other's tables.
  const scratch = `--tmpdir=${join(folder, 'tmp')}`
  mkdirSync(join(folder, 'tmp'))
  const user = process.getuid?.() === 0 ? ['--user=root'] : []
  const auth = ['--auth-root-authentication-method=normal', '--skip-test-db']
  execFileSync('mariadb-install-db', ['--no-defaults', `--datadir=${data}`, scratch, ...auth, ...user], {
    stdio: 'pipe',
  })
  const settings = [
    `--datadir=${data}`,
    scratch,
    `--socket=${socket}`,
    '--skip-networking',
    '--innodb-flush-log-at-trx-commit=0',
  ]
  const child = spawn(server, ['--no-defaults', ...settings, ...user], { stdio: 'ignore' })
  const connect = (database?: string): Promise<Connection> =>
    mysql.createConnection({
      ...{ socketPath: socket, user: 'root', multipleStatements: true, ...(database && { database }) },
      typeCast: (field) => field.string(),
    })
  for (let tries = 0; ; tries++) {
    const found = await connect().catch((error: Error) => error)
    if (!(found instanceof Error)) {
      await found.end()
      break
    }
    if (tries > 300 || child.exitCode !== null) throw found
    await sleep(100)
  }
  return {
    url: (database, name = 'root') => `mysql://${name}@localhost/${database}?socket=${encodeURIComponent(socket)}`,
    run: async (database, statements) => {
      const connection = await connect(database)
      try {
        const [rows] = await connection.query(statements)
        const last = Array.isArray(rows) && Array.isArray(rows.at(-1)) ? rows.at(-1) : rows
        return last as Record<string, string | null>[]
      } finally {
        await connection.end()
      }
    },
    load: (database, dump) =>
      void execFileSync('mariadb', ['--no-defaults', '-S', socket, '-u', 'root', database], {
        input: dump,
        stdio: 'pipe',
      }),
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
