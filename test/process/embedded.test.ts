/** The embedded engine, shared by many connections and guarded against two owners. */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import { tryLock } from 'fs-native-extensions'
import { expect, inject, it, onTestFinished } from 'vitest'
import { Client } from '../../src/db/client.js'
import { connect } from '../../src/db/connect.js'
import { makeDb } from '../../src/db/db.js'
import { openEmbedded } from '../../src/db/embedded/open.js'
import { SharedSession } from '../../src/db/embedded/share.js'
import { Pool } from '../../src/db/pool.js'
import { sql } from '../../src/db/sql.js'
import { streamTexts } from '../../src/db/texts.js'
import { run, start } from '../setup/program.js'
import { inLongTier } from '../setup/tier.js'

function dataDirectory(name = 'data'): string {
  const folder = mkdtempSync(join(tmpdir(), 'millbook-embedded-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const directory = join(folder, name)
  mkdirSync(directory, { recursive: true })
  cpSync(join(inject('embeddedTemplates'), 'empty', 'database'), join(directory, 'database'), { recursive: true })
  return directory
}

async function open(directory = dataDirectory()) {
  const database = await connect({ directory })
  onTestFinished(() => database.close())
  return database
}

it('responses to many connections are never mixed up', async () => {
  const { db } = await open()
  const answers = await Promise.all(
    Array.from({ length: 400 }, async (_, i) => {
      const [row] = await db.unsafe(`select ${i % 7} as k, $1::int as v`, [i])
      return row?.k === i % 7 && row?.v === i
    }),
  )
  expect(answers.filter((right) => !right)).toEqual([])
})

it('an error reaches only the connection that caused it', async () => {
  const { db } = await open()
  const outcomes = await Promise.all(
    Array.from({ length: 200 }, async (_, i) => {
      if (i % 4 === 0) return db.unsafe('select no_such_column, $1::int', [i]).catch((error) => error.code)
      if (i % 4 === 1) return db.unsafe('select 1 / ($1::int - $1::int)', [i]).catch((error) => error.code)
      if (i % 4 === 2) return db.unsafe('nonsense').catch((error) => error.code)
      const [row] = await db`select ${i}::int as v`
      return row?.v
    }),
  )
  expect(outcomes).toEqual(outcomes.map((_, i) => ['42703', '22012', '42601', i][i % 4]))
})

it('transactions of several connections are isolated', async () => {
  const { db } = await open()
  await db.unsafe('create table t (owner int, step int)')
  const undo = new Error('undo')
  await Promise.all(
    Array.from({ length: 40 }, (_, owner) =>
      db
        .begin(async (tx) => {
          await tx`insert into t values (${owner}, 1)`
          await sleep(2)
          if (owner % 4 === 0) throw undo
          await tx`insert into t values (${owner}, 2)`
        })
        .catch((error) => expect(error).toBe(undo)),
    ),
  )
  const [row] = await db`select count(*)::int as rows, count(distinct owner)::int as owners,
                                count(*) filter (where owner % 4 = 0)::int as undone from t`
  expect(row).toEqual({ rows: 60, owners: 30, undone: 0 })
})

it('other statements run while a stream is read', async () => {
  const { db } = await open()
  const many = sql`select g::text from generate_series(1, 50000) g`
  let rows = 0
  const stream = async () => {
    for await (const { starts } of streamTexts(db, many)) rows += starts.length
  }
  const others = Array.from({ length: 30 }, async (_, i) => (await db`select ${i}::int as v`)[0]?.v)
  const [, ...values] = await Promise.all([stream(), ...others])
  expect(rows).toBe(50000)
  expect(values).toEqual(values.map((_, i) => i))
  for await (const _piece of streamTexts(db, many)) break // abandoned in the middle
  expect((await db`select 1 as one`)[0]?.one).toBe(1)
})

it('a connection that closes in a transaction is rolled back and its statements are dropped', async () => {
  const directory = dataDirectory()
  const first = await open(directory)
  await first.db.unsafe('create table t (a int)')
  const second = await connect({ directory })
  const { client } = await second.db.lease()
  await client.query({ name: 'kept', text: 'insert into t values ($1::int)', values: [1] })
  await client.run('begin; truncate t')
  const waiting = first.db`select count(*)::int as n from t`
  client.destroy()
  expect((await waiting)[0]?.n).toBe(1)
  await second.close()
  const left = await first.db`select statement from pg_prepared_statements where statement like 'insert%'`
  expect(left).toHaveLength(0)
})

inLongTier('an idle transaction is ended when another connection has to wait for it', async () => {
  const engine = await PGlite.create(join(dataDirectory(), 'database'))
  const failures: Error[] = []
  const shared = new SharedSession(engine, (error) => failures.push(error), 300)
  const path = join(mkdtempSync(join(tmpdir(), 'millbook-idle-')), 's')
  const server = createServer((socket) => shared.serve(socket)).listen(path)
  const open = () => Client.open({ path, user: 'postgres', database: 'postgres', ssl: false, connectTimeoutMs: 5000 })
  const lazy = await open()
  const others = new Pool({ open, max: 4 })
  const other = makeDb(() => others.lease())
  await lazy.run('begin')
  await sleep(400) // idle beyond the limit, but no other connection waits
  await lazy.run('select 1')
  const waiting = Promise.all(
    Array.from({ length: 4 }, async (_, i) => await sleep(100 * i).then(() => other`select 1`)),
  )
  await waiting
  await expect(lazy.run('select 1')).rejects.toThrow('the connection to the database was lost')
  await others.close()
  server.close()
  expect(failures).toEqual([])
})

it('a second opener connects to the owner; after the owner has closed, it becomes the owner', async () => {
  const directory = dataDirectory()
  const owner = await connect({ directory })
  await owner.db.unsafe('create table t (a int); insert into t values (1)')
  const second = await connect({ directory })
  expect(second.description).toContain(`run by process ${process.pid}`)
  await second.db.unsafe('insert into t values (2)')
  expect((await owner.db`select count(*)::int as n from t`)[0]?.n).toBe(2)
  await second.close()
  await owner.close()
  const third = await open(directory)
  expect(third.description).not.toContain('run by')
  expect((await third.db`select count(*)::int as n from t`)[0]?.n).toBe(2)
})

it('a directory whose owner does not answer is refused with a sentence that names the owner', async () => {
  const directory = dataDirectory()
  const fd = openSync(join(directory, 'lock'), 'a+')
  expect(tryLock(fd)).toBe(true)
  const owner = { pid: 4711, host: hostname(), since: '2026-01-01T00:00:00.000Z', socket: join(directory, 'none') }
  writeFileSync(join(directory, 'lock'), JSON.stringify(owner))
  await expect(openEmbedded(directory, 200)).rejects.toThrow(
    /is in use by process 4711 on \S+ since 2026-01-01T00:00:00.000Z, which does not answer on its socket; stop it first/,
  )
})

it('a lock file of an ended process is ignored', async () => {
  const directory = dataDirectory()
  const gone = { pid: 4711, host: 'elsewhere', since: '2026-01-01T00:00:00.000Z', socket: join(directory, 'none') }
  writeFileSync(join(directory, 'lock'), JSON.stringify(gone))
  mkdirSync(join(directory, 'run'))
  writeFileSync(join(directory, 'run', 'millbook.sock'), '')
  const { db } = await open(directory)
  expect((await db`select 1 as one`)[0]?.one).toBe(1)
})

it('works in a directory whose path is longer than a socket’s may be', async () => {
  const directory = dataDirectory('d'.repeat(120))
  const owner = await open(directory)
  const second = await connect({ directory })
  await owner.db.unsafe('create table t (a int)')
  expect(await second.db`select * from t`).toHaveLength(0)
  await second.close()
})

it('statements and results of many megabytes pass', async () => {
  const { db } = await open()
  const [row] = await db`select ${'x'.repeat(20_000_000)} || 'y' as text`
  expect(row?.text).toHaveLength(20_000_001)
})

it('other users can open nothing in a data directory, even if they could before; the directory itself keeps its mode', async () => {
  const openToOthers = (directory: string) =>
    [directory, ...readdirSync(directory, { recursive: true }).map((name) => join(directory, String(name)))].filter(
      (path) => (statSync(path).mode & 0o077) !== 0,
    )
  expect(openToOthers(join(inject('embeddedTemplates'), 'empty'))).toEqual([]) // its original mode
  const directory = dataDirectory()
  chmodSync(directory, 0o750)
  mkdirSync(join(directory, 'run'))
  for (const name of ['run', 'database', 'database/base', 'database/PG_VERSION'])
    chmodSync(join(directory, name), 0o777)
  await open(directory)
  expect(openToOthers(directory)).toEqual([directory])
  expect(statSync(directory).mode & 0o777).toBe(0o750)
})

it('invalid bytes on the socket end only that connection', async () => {
  const directory = dataDirectory()
  const { db } = await open(directory)
  const start = Buffer.from('\0\0\0\x29\0\x03\0\0user\0postgres\0database\0postgres\0\0', 'latin1')
  const message = (type: string, length: number) => {
    const bytes = Buffer.alloc(40)
    bytes.write(type)
    bytes.writeInt32BE(length, 1)
    return Buffer.concat([start, bytes])
  }
  for (const noise of [
    Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    ...[Buffer.alloc(64), Buffer.alloc(64, 255)],
    Buffer.from([0, 0, 0, 8, 0, 2, 0, 0]), // version 2 of the protocol
    Buffer.from([0, 0, 0, 0, 4, 210, 22, 47]), // a TLS request without a length
    ...[message('Q', -1), message('Q', 3), message('Z', 12), message('S', 2_000_000_000)],
  ]) {
    const socket = createConnection(join(directory, 'run', 'millbook.sock'))
    socket.on('error', () => {})
    socket.write(noise)
    await sleep(50)
    expect((await db`select 1 as one`)[0]?.one).toBe(1)
    socket.destroy()
  }
})

inLongTier('after a kill while a database is created, the next process creates it without an error', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millbook-embedded-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const directory = join(folder, 'data')
  const first = start(['migrate', '--data', directory])
  while (!existsSync(join(directory, 'database.new', 'PG_VERSION'))) await sleep(5)
  first.process.kill('SIGKILL')
  await first.ended
  expect(readdirSync(join(directory, 'database'))).toEqual([])
  expect((await run(['migrate', '--data', directory])).code).toBe(0)
  expect(readdirSync(directory).sort()).toEqual(['database', 'lock', 'run'])
})

it('an empty lock file of the engine, left by a killed process, is ignored', async () => {
  const directory = dataDirectory()
  writeFileSync(join(directory, 'database', 'postmaster.pid'), '')
  const { db } = await open(directory)
  expect((await db`select 1 as one`)[0]?.one).toBe(1)
})

it('the error for a database that does not start quotes the engine', async () => {
  const directory = dataDirectory()
  truncateSync(join(directory, 'database', 'global', 'pg_control'), 100)
  const { code, stderr } = await run(['migrate', '--data', directory])
  expect(code).toBe(1)
  expect(stderr).toMatch(/cannot open the embedded database in .*: could not read file "global\/pg_control"/s)
})

it('a folder with other files is not turned into a database', async () => {
  const directory = dataDirectory()
  rmSync(join(directory, 'database', 'PG_VERSION'))
  const { code, stderr } = await run(['migrate', '--data', directory])
  expect(code).toBe(1)
  expect(stderr).toContain('holds files but no database; remove it, or name another directory')
})

inLongTier('an error of the engine’s file system is reported in words', async () => {
  const directory = dataDirectory()
  renameSync(join(directory, 'database'), join(directory, 'elsewhere'))
  symlinkSync(join(directory, 'elsewhere'), join(directory, 'database'))
  const { code, stderr } = await run(['migrate', '--data', directory])
  expect(code).toBe(1)
  expect(stderr).toMatch(/cannot open the embedded database in .*: a file is missing\n/)
})
