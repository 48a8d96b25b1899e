/** Texts from the database's socket: complete, bounded in memory, and cancelled when their reader stops. */
import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type NetConnectOpts, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { Client } from '../../src/db/client.js'
import { onConnection, type Queryable } from '../../src/db/db.js'
import { sql } from '../../src/db/sql.js'
import { readTexts, streamTexts } from '../../src/db/texts.js'
import { Random } from '../../src/demo/random.js'
import { openTestDatabase, type TestDatabase } from '../setup/database.js'
import { stringsOf } from '../setup/texts.js'
import { only } from '../setup/tier.js'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase('empty')
})
afterAll(() => database.drop())

/** One connection to the database, through a proxy that forwards the database's bytes with `pass`. */
async function throughProxy(pass: (bytes: Buffer, to: Socket) => Promise<void>) {
  const { target } = database
  const url = 'url' in target ? new URL(target.url) : undefined
  const address: NetConnectOpts =
    'url' in target
      ? { host: url?.hostname ?? '', port: Number(url?.port) }
      : { path: join(target.directory, 'run', 'millbook.sock') }
  const proxy = createServer({ noDelay: true }, (socket) => {
    const server = createConnection(address)
    socket.on('error', () => server.destroy())
    server.on('error', () => socket.destroy())
    socket.pipe(server)
    let passing = Promise.resolve()
    server.on('data', (bytes) => {
      passing = passing.then(() => pass(bytes, socket))
    })
    server.on('end', () => passing.then(() => socket.end()))
    socket.on('close', () => server.destroy())
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const client = await Client.open({
    ...{ host: '127.0.0.1', port: (proxy.address() as AddressInfo).port, ssl: false, connectTimeoutMs: 10_000 },
    ...('url' in target
      ? { user: url?.username ?? '', database: url?.pathname.slice(1) ?? '' }
      : { user: 'postgres', database: 'postgres', rowsAtATime: 2000 }),
  })
  onTestFinished(async () => {
    await client.close()
    proxy.close()
  })
  return { client, db: onConnection(client), proxy }
}

const wholeChunks = async (bytes: Buffer, to: Socket) => void to.write(bytes)

const many = sql`select n::text from generate_series(1, ${400_000}::int) n`
const onServer = only('server', 'the embedded engine has one session, which nothing can interrupt')

it('a page and a stream have all texts unchanged, with any characters and any network fragments', async () => {
  const texts = ['é', '🥜', 'मसाला', 'x', '', '"\\\n'].map((text, i) =>
    text.repeat([1, 40_000, 3000, 100_000, 1, 7][i] ?? 1),
  )
  const statement = sql`select t from unnest(${texts}::text[]) with ordinality u(t, n) cross join generate_series(1, 50) g order by g, n`
  const expected = Array.from({ length: 50 }, () => texts).flat()
  await database.db.begin(async (tx) => {
    expect((await stringsOf([await readTexts(tx, statement)])).join() === expected.join()).toBe(true)
    expect((await stringsOf(streamTexts(tx, statement))).join() === expected.join()).toBe(true)
    expect((await tx`select ${'é'} as text`)[0]?.text).toBe('é') // later statements are decoded as text again
  })
})

it('rows that arrive in fragments of a few bytes are whole', async () => {
  const random = new Random(15)
  const { db } = await throughProxy(async (bytes, to) => {
    for (let at = 0; at < bytes.length; ) {
      const end = at + random.int(1, 40)
      to.write(bytes.subarray(at, end))
      at = end
      await turn() // so that each fragment is read before the next
    }
  })
  const statement = sql`select repeat('é,', n % 60) from generate_series(1, 2500) n order by n` // more rows than one fetch returns
  const expected = Array.from({ length: 2500 }, (_, i) => 'é,'.repeat((i + 1) % 60))
  expect(await stringsOf(streamTexts(db, statement))).toEqual(expected)
  expect(await stringsOf([await readTexts(db, statement)])).toEqual(expected)
  expect(await stringsOf([await readTexts(db, sql`select 'x' where false`)])).toEqual([])
  expect((await db`select 'é' as text`)[0]?.text).toBe('é')
})

it('a text of 20 MB passes in pieces', async () => {
  const statement = sql`select repeat('0123456789', 2000000) || n from generate_series(1, 2) n`
  let [size, largest] = [0, 0]
  const starts: number[] = []
  let end = ''
  for await (const piece of streamTexts(database.db, statement)) {
    size += piece.bytes.length
    largest = Math.max(largest, piece.bytes.length)
    starts.push(...piece.starts)
    end = piece.bytes.toString('latin1', Math.max(0, piece.bytes.length - 6))
  }
  expect(size).toBe(2 * 20_000_001 + 1)
  expect(starts).toEqual([0, 20_000_002])
  expect(end).toBe('567892')
  expect(largest).toBeLessThan(1 << 20)
})

it('a reader that stops before the last rows arrive leaves the connection usable', async () => {
  let passed = 0
  let stop = () => {}
  const stopped = new Promise<void>((resolve) => {
    stop = resolve
  })
  const { db } = await throughProxy(async (bytes, to) => {
    if (passed > 700 * 1024) await stopped // after two pieces and a part of the third
    passed += bytes.length
    to.write(bytes)
  })
  for await (const _ of streamTexts(db, sql`select repeat('x', 1023) from generate_series(1, 1000)`)) {
    await expect.poll(() => passed).toBeGreaterThan(700 * 1024)
    await sleep(50) // until the client has read them
    setTimeout(stop, 50)
    break
  }
  expect((await db`select 1 as one`)[0]?.one).toBe(1)
})

it('an error after many rows is thrown, and the connection stays usable', async () => {
  const { db } = await throughProxy(wholeChunks)
  for (const rows of [5, 1001, 5000]) {
    const failing = sql`select (10 / (${rows}::int - n))::text from generate_series(1, 10000) n`
    await expect(stringsOf(streamTexts(db, failing))).rejects.toMatchObject({ code: '22012' })
    await expect(readTexts(db, failing)).rejects.toMatchObject({ code: '22012' })
    expect((await db`select 1 as one`)[0]?.one).toBe(1)
  }
  await expect(readTexts(db, sql`select nonsense`)).rejects.toMatchObject({ code: '42703' })
  await expect(stringsOf(streamTexts(db, sql`select nonsense`))).rejects.toMatchObject({ code: '42703' })
  expect((await db`select 1 as one`)[0]?.one).toBe(1)
})

it('a stream that is abandoned in the middle leaves its connection usable', async () => {
  const { db, client } = await throughProxy(wholeChunks)
  for (let i = 0; i < 10; i++) {
    for await (const { bytes } of streamTexts(db, many)) {
      expect(bytes.toString('latin1', 0, 6)).toBe('1,2,3,')
      break
    }
    expect((await db`select ${i}::int as v`)[0]?.v).toBe(i)
    expect(await stringsOf(streamTexts(db, sql`select n::text from generate_series(1, 3) n`))).toEqual(['1', '2', '3'])
  }
  expect(client.lost).toBeUndefined()
  const left = database.db.begin(async (tx) => {
    for await (const _piece of streamTexts(tx, many)) throw new Error('undo')
  })
  await expect(left).rejects.toThrow('undo')
})

it('the server waits for a slow reader', async () => {
  const { db, client } = await throughProxy(wholeChunks)
  const { stream } = client.connection as unknown as { stream: Socket }
  const before = stream.bytesRead
  let [taken, most] = [0, 0]
  for await (const { bytes } of streamTexts(db, sql`select repeat('x', 1000) from generate_series(1, 50000)`)) {
    taken += bytes.length
    await sleep(taken < 3_000_000 ? 50 : 0) // read slowly at first
    most = Math.max(most, stream.bytesRead - before - taken)
  }
  expect(taken).toBe(50_000 * 1001 - 1)
  expect(most).toBeLessThan(4_000_000)
})

it('aborting a stream throws the reason, and leaves the connection usable', async () => {
  const { db, client } = await throughProxy(wholeChunks)
  const read = async (reader: Queryable, abort: AbortController, after: number) => {
    let pieces = 0
    for await (const _piece of streamTexts(reader, many, abort.signal))
      if (++pieces === after) abort.abort(new Error('no longer wanted'))
  }
  for (const after of [1, 2, 3]) {
    await expect(read(db, new AbortController(), after)).rejects.toThrow('no longer wanted')
    expect((await db`select 1 as one`)[0]?.one).toBe(1)
  }
  expect(client.lost).toBeUndefined()
  const inTransaction = database.db.begin((tx) => read(tx, new AbortController(), 1))
  await expect(inTransaction).rejects.toThrow('no longer wanted')
  await expect(readTexts(db, many, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late')
  expect(await stringsOf([await readTexts(db, sql`select 'x'`, new AbortController().signal)])).toEqual(['x'])
})

onServer.it('aborting ends a statement that has not returned a row', async () => {
  const { db, client } = await throughProxy(wholeChunks)
  const sleeping = sql`select pg_sleep(3600)::text`
  for (const run of [
    (signal: AbortSignal) => stringsOf(streamTexts(db, sleeping, signal)),
    (signal: AbortSignal) => readTexts(db, sleeping, signal),
  ]) {
    await expect(run(AbortSignal.timeout(50))).rejects.toMatchObject({ name: 'TimeoutError' })
    expect((await db`select pg_backend_pid() as pid`)[0]?.pid).toBe(client.processID)
  }
})

onServer.it('a connection whose statement cannot be cancelled is closed', async () => {
  const { db, client, proxy } = await throughProxy(wholeChunks)
  const abort = new AbortController()
  const running = readTexts(db, sql`select pg_sleep(3600)::text`, abort.signal)
  await expect.poll(() => client.readyForQuery).toBe(false)
  proxy.close() // refuses the connection for the cancel request
  abort.abort(new Error('no longer wanted'))
  await expect(running).rejects.toThrow('no longer wanted')
  expect(client.lost).toBeDefined()
  await database.db`select pg_terminate_backend(${client.processID}::int)`
})

it('a stream whose connection is lost fails instead of waiting for ever', async () => {
  const { db, client } = await throughProxy(wholeChunks)
  const read = async () => {
    for await (const _piece of streamTexts(db, many)) client.destroy()
  }
  await expect(read()).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
  await expect(read()).rejects.toMatchObject({ code: 'CONNECTION_LOST' })

  const other = await throughProxy(wholeChunks)
  other.client.connection.once('commandComplete', () => other.client.destroy()) // between the last row and ReadyForQuery
  await expect(stringsOf(streamTexts(other.db, sql`select 'x'`))).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
  expect((await database.db`select 1 as one`)[0]?.one).toBe(1)
})

onServer.it('a stream fails when the server ends its session', async () => {
  const { db, client } = await throughProxy(wholeChunks)
  const read = async () => {
    for await (const _piece of streamTexts(db, many))
      await database.db`select pg_terminate_backend(${client.processID}::int)`
  }
  await expect(read()).rejects.toThrow()
  await expect(read()).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
})
