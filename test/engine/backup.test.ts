/** Backup and restore on both engines: reports and clients are the same afterwards, and a damaged file restores nothing. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkTarget, readBackupFile, writeBackupFile } from '../../src/backup/file.js'
import { checkBackup, restore } from '../../src/backup/read.js'
import { writeBackup } from '../../src/backup/write.js'
import { makeProgram } from '../../src/cli/program.js'
import { connect } from '../../src/db/connect.js'
import { migrations } from '../../src/db/migrate.js'
import { verify } from '../../src/import/pipeline/verify.js'
import { createWebhook, findWebhook } from '../../src/notify/webhooks.js'
import { reports } from '../../src/reports/index.js'
import { buildApp } from '../../src/runtime/app.js'
import { databaseForThisTest, makeTarget, openSample } from '../setup/database.js'
import { tempFolder } from '../setup/files.js'
import { requestsFor } from '../setup/requests.js'
import { type Service, startService } from '../setup/service.js'
import { long } from '../setup/tier.js'

let service: Service
beforeAll(async () => {
  service = await startService({}, await openSample({ today: '2026-06-30', scale: 0.1, months: 2 }))
})
afterAll(() => service.close())

const range = { from_date: '2026-05-01', to_date: '2026-06-30' }
const asked = reports.map((report) => ({ report, body: requestsFor(report, range)[0] }))

async function answers(app = service.app): Promise<string[]> {
  const found: string[] = []
  for (const { report, body } of asked) {
    const headers = { authorization: `Bearer ${service.caller.token}` }
    const response = await app.inject({ method: report.method, url: report.path, headers, payload: body as object })
    expect([report.id, response.statusCode]).toEqual([report.id, 200])
    found.push(response.body)
  }
  return found
}

let written: Buffer | undefined
/** A backup, written once for all tests that damage it. */
async function text(): Promise<Buffer> {
  written ??= Buffer.concat(await all(writeBackup(service.database)))
  return Buffer.from(written)
}
async function all(pieces: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const found: Buffer[] = []
  for await (const piece of pieces) found.push(piece)
  return found
}
const inPieces = async function* (bytes: Buffer, size = 1000) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

it.each(long ? (['embedded', 'server'] as const) : (['server'] as const))(
  'restored on %s, every report, token and the ledger are the same',
  async (on) => {
    const file = join(tempFolder(), `${on}.backup`)
    const url = 'https://receiver.example'
    await service.db.begin((tx) => createWebhook(tx, { name: on, url }))
    await writeBackupFile(file, writeBackup(service.database), {})
    const { target, drop } = await makeTarget('empty', on)
    const database = await connect(target)
    try {
      const restored = await restore(database, readBackupFile(file, {}))
      expect(restored.rows).toBeGreaterThan(1000)
      expect(await findWebhook(database.db, on)).toMatchObject({ url })
      expect(await service.db`select from event`).not.toEqual([])
      expect(await database.db`select from event`, 'a copy sends nothing old').toEqual([])
      expect(await verify(database, { rebuild: false })).toEqual([])
      const app = await buildApp({ database, reports, logLevel: 'silent', leaseMs: 0 })
      expect(await answers(app)).toEqual(await answers())
      // New rows get new numbers, and triggers are on again.
      const [before] = await database.db`select version from access_version`
      await database.db`insert into audit_entry (act, actor) values ('client.create', 'a test')`
      for (const [table, column] of [
        ['purchase_order', 'poid'],
        ['sales_order', 'order_id'],
        ['item', 'id'],
      ]) {
        const [found] = await database.db.unsafe(
          `select nextval(pg_get_serial_sequence('${table}', '${column}')) > max(${column}) as new from ${table}`,
        )
        expect([table, found?.['new']]).toEqual([table, true])
      }
      await database.db`update api_client set disabled_at = now()`
      const [after] = await database.db`select version from access_version`
      expect(after?.['version']).not.toEqual(before?.['version'])
      await app.close()
    } finally {
      await database.close()
      await drop()
    }
  },
)

it('has the data of one moment, although a load commits while it is written', async () => {
  const pieces: Buffer[] = []
  const backup = writeBackup(service.database)
  const [{ version: before } = { version: '' }] = await service.db`select version::text from data_version`
  pieces.push((await backup.next()).value as Buffer)
  let changed: Promise<unknown> | undefined
  for await (const piece of backup) {
    // On the embedded engine the load waits for the backup's transaction, which has the only session.
    changed ??= service.db.begin(async (tx) => {
      await tx`update item set name = 'changed meanwhile'`
      await tx`update data_version set version = version + 1, committed_at = clock_timestamp()`
    })
    pieces.push(piece)
  }
  await changed
  const lines = String(Buffer.concat(pieces)).trimEnd().split('\n')
  expect(lines.some((line) => line.includes('changed meanwhile'))).toBe(false)
  expect(JSON.parse(lines[0] as string).version).toBe(Number(before))
})

/** The same backup without the rows of a table, with the right counts and the right checksum. */
function without(table: string, all: Buffer): Buffer {
  const lines = String(all).trimEnd().split('\n')
  const [from, to] = ['table', 'end'].map((word) => lines.findIndex((line) => line.startsWith(`{"${word}":"${table}"`)))
  lines.splice((from as number) + 1, (to as number) - (from as number), JSON.stringify({ end: table, rows: 0 }))
  const kept = lines.slice(0, -1).join('\n').concat('\n')
  const sha256 = createHash('sha256').update(kept).digest('hex')
  return Buffer.from(`${kept}${JSON.stringify({ end: 'backup', sha256 })}\n`)
}

const damages: [string, (all: Buffer) => Buffer, RegExp][] = [
  ['cut off', (all: Buffer) => all.subarray(0, all.length - 100), /damaged/],
  ['cut off between two lines', (all: Buffer) => all.subarray(0, all.lastIndexOf('\n', -2) + 1), /ends too early/],
  [
    'with a changed figure',
    (all: Buffer) => Buffer.from(String(all).replace(/"qty":\d/, '"qty":9')),
    /checksum|differs/,
  ],
  ['without a row', (all: Buffer) => Buffer.from(String(all).replace(/\n\{"id":[^\n]*/, '')), /rows of/],
  ['of a newer program', (all: Buffer) => Buffer.from(String(all).replace(/"schema":\d+/, '"schema":999')), /newer/],
  [
    'of a newer format',
    (all: Buffer) => Buffer.from(String(all).replace(/"format":\d+/, '"format":9')),
    /has format 9, newer than this program, which knows 2/,
  ],
  ['whose rows refer to nothing', (all: Buffer) => without('vendor', all), /damaged: .*violates foreign key/],
  [
    'with a value of another type',
    (all: Buffer) => Buffer.from(String(all).replace(/\n\{"id":\d+/, '\n{"id":"x"')),
    /damaged: rows of .* Nothing was restored/,
  ],
  [
    'with a line that names no table',
    (all: Buffer) => Buffer.from(String(all).replace(/\n\{"table":[^\n]*/, '')),
    /damaged: a line that names a table is missing/,
  ],
  ['that goes on', (all: Buffer) => Buffer.concat([all, Buffer.from('{}\n')]), /damaged: it goes on after its end/],
  [
    'with a wrong first line',
    (all: Buffer) => Buffer.from(String(all).replace(/"schema":\d+/, '"schema":"x"')),
    /damaged/,
  ],
  ['that is something else', () => Buffer.from('hello\n'), /not a backup/],
]
it.each(damages.filter((_, i) => long || i % 2 === 0))('a file %s restores nothing', async (_name, damage, why) => {
  const database = await databaseForThisTest('empty')
  await expect(restore(database, inPieces(damage(await text())))).rejects.toThrow(why)
  const tables = await database.db`
    select from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace`
  expect(tables).toHaveLength(0)
})

it.each([
  ['cut off', (file: Buffer) => file.subarray(0, -100)],
  [
    'with a changed byte',
    (file: Buffer) => file.fill(~(file[file.length >> 1] as number), file.length >> 1, (file.length >> 1) + 1),
  ],
])('restore finds that a file is damaged (%s) before it opens a database', async (_name, damage) => {
  const [file, data] = [join(tempFolder(), 'damaged.backup'), join(tempFolder(), 'new')]
  await writeBackupFile(file, inPieces(await text()), {})
  writeFileSync(file, damage(readFileSync(file)))
  const program = await makeProgram(true, ['restore'])
  const restoring = program.parseAsync(['restore', file, '--data', data], { from: 'user' })
  await expect(restoring).rejects.toThrow(/^the backup is damaged: .* Nothing was restored$/)
  expect(existsSync(data)).toBe(false)
})

it('a whole file passes the check that precedes a restore', async () => {
  expect(await checkBackup(inPieces(await text()))).toBeUndefined()
  await expect(checkBackup(inPieces(without('vendor', await text())))).resolves.toBeUndefined()
  const changed = Buffer.from(String(await text()).replace(/"qty":\d/, '"qty":9'))
  await expect(checkBackup(inPieces(changed))).rejects.toThrow('its checksum differs')
})

it('a backup that fails half-way leaves no file', async () => {
  const folder = tempFolder()
  const failing = (async function* () {
    yield await text()
    expect(readdirSync(folder)).not.toEqual([])
    throw new Error('the connection was lost')
  })()
  await expect(writeBackupFile(join(folder, 'half.backup'), failing, {})).rejects.toThrow('the connection was lost')
  expect(readdirSync(folder)).toEqual([])
})

it('a database that has tables is left alone', async () => {
  const database = await databaseForThisTest()
  await expect(restore(database, inPieces(await text()))).rejects.toThrow('the database is not empty')
})

it('with a key it is encrypted, and opens with that key only', async () => {
  const identity = await generateIdentity()
  const recipient = await identityToRecipient(identity)
  const file = join(tempFolder(), 'keyed.backup')
  await writeBackupFile(file, inPieces(Buffer.from('{"secret":1}\n')), { recipients: [recipient] })
  expect(String(readFileSync(file))).not.toContain('secret')
  const read = async (keys: Parameters<typeof readBackupFile>[1]) => {
    const pieces: Buffer[] = []
    for await (const piece of readBackupFile(file, keys)) pieces.push(piece)
    return String(Buffer.concat(pieces))
  }
  expect(await read({ identities: [identity] })).toBe('{"secret":1}\n')
  await expect(read({})).rejects.toThrow('the backup is encrypted for a key: name the file of the private key')
  await expect(read({ passphrase: 'x' })).rejects.toThrow('the backup is encrypted for a key')
  await expect(read({ identities: [await generateIdentity()] })).rejects.toThrow('made with another one')
  const sealed = readFileSync(file)
  sealed[sealed.length - 1] = (sealed.at(-1) as number) ^ 1
  writeFileSync(file, sealed)
  await expect(read({ identities: [identity] })).rejects.toThrow('damaged')
})

it('gunzip makes lines of JSON from a backup file', async () => {
  const file = join(tempFolder(), 'plain.backup')
  await writeBackupFile(file, writeBackup(service.database), {})
  const lines = String(gunzipSync(readFileSync(file)))
    .trimEnd()
    .split('\n')
  for (const line of lines) JSON.parse(line)
  expect(lines.length).toBeGreaterThan(1000)
  expect(execFileSync('gzip', ['-t', '-S', '.backup', file])).toHaveLength(0)
})

it('a database with an older schema is backed up without migrating it', async () => {
  const database = await databaseForThisTest()
  const older = migrations.length - 1
  await database.db`delete from schema_migration where number > ${older}`
  const [head] = await all(writeBackup(database))
  expect(JSON.parse(String(head))).toMatchObject({ schema: older })
  expect(await database.db`select max(number)::int as at from schema_migration`).toEqual([{ at: older }])
})

it('an empty database has nothing to back up', async () => {
  const database = await databaseForThisTest('empty')
  await expect(all(writeBackup(database))).rejects.toThrow('there is nothing to back up')
})

it('of two restores into one database, one is refused', async () => {
  const database = await databaseForThisTest('empty')
  const both = await Promise.allSettled([1, 2].map(async () => restore(database, inPieces(await text()))))
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const { reason } = both.find(({ status }) => status === 'rejected') as PromiseRejectedResult
  expect(reason.message).toContain('the database is not empty')
  expect(await verify(database, { rebuild: false })).toEqual([])
})

it('a device, a folder and an existing file are not replaced', () => {
  const folder = tempFolder()
  const file = join(folder, 'there')
  writeFileSync(file, '')
  expect(() => checkTarget('/dev/null', true)).toThrow('cannot write /dev/null: it is not a regular file')
  expect(() => checkTarget(folder, true)).toThrow('it is not a regular file')
  expect(() => checkTarget(file, false)).toThrow('exists: name another file, or give --force to replace it')
  for (const [path, replace] of [
    [file, true],
    [join(folder, 'new'), false],
    ['-', false],
  ] as const)
    expect(checkTarget(path, replace)).toBeUndefined()
})
