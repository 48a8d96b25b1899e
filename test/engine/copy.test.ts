/** COPY on both engines. */
import fc from 'fast-check'
import { from } from 'pg-copy-streams'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { copyLine, copyRows } from '../../src/db/copy.js'
import { openTestDatabase, type TestDatabase } from '../setup/database.js'
import { unicodeText } from '../setup/unicode-text.js'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase('empty')
  await database.db.unsafe('create table copied (a int primary key, b text)')
})
afterAll(() => database.drop())

const copy = (lines: string) => copyRows(database.db, 'copied', ['a', 'b'], lines)
const count = async () => (await database.db`select count(*)::int as n from copied`)[0]?.n

it('COPY takes 100,000 rows while other statements run', async () => {
  const { db } = database
  const lines = Array.from({ length: 100_000 }, (_, i) => `${i}\trow ${i} ${'x'.repeat(20)}\n`).join('')
  const others = Array.from({ length: 20 }, async (_, i) => (await db`select ${i}::int as v`)[0]?.v)
  await copy(lines)
  expect(await Promise.all(others)).toEqual(others.map((_, i) => i))
  expect(await count()).toBe(100_000)
  expect((await db`select b from copied where a = 99999`)[0]?.b).toBe(`row 99999 ${'x'.repeat(20)}`)
})

it('a failed COPY throws the server’s error and leaves no row, and the next statement works', async () => {
  const before = await count()
  const large = `200000\t${'x'.repeat(5_000_000)}\n`
  for (const [lines, code] of [
    ['200000\tgood\nnot a number\tbad\n', '22P02'],
    ['5\tthere already\n', '23505'],
    ['1\n', '22P04'],
    [`not a number\tbad\n${large}`, '22P02'], // the server sends its error before all rows are sent
    [`${large}5\tthere already\n`, '23505'],
  ] as const)
    await expect(copy(lines)).rejects.toMatchObject({ code })
  await expect(copyRows(database.db, 'no_such_table', ['a'], large)).rejects.toMatchObject({ code: '42P01' })
  expect(await count()).toBe(before)
})

it('a failed COPY fails its transaction, and a rollback undoes a COPY', async () => {
  const { db } = database
  const before = await count()
  await expect(
    db.begin(async (tx) => {
      await tx`insert into copied values (200001, 'before')`
      await copyRows(tx, 'copied', ['a', 'b'], '5\tthere already\n').catch(() => {})
    }),
  ).rejects.toThrow('rolled back')
  await expect(
    db.begin(async (tx) => {
      await copyRows(tx, 'copied', ['a', 'b'], '200000\ttaken back\n')
      throw new Error('undo')
    }),
  ).rejects.toThrow('undo')
  expect(await count()).toBe(before)
})

it('an aborted COPY leaves no row', async () => {
  const before = await count()
  const { client, release } = await database.db.lease()
  const stream = client.query(from('copy copied from stdin'))
  stream.on('error', () => {})
  stream.write('300000\thalf\n')
  stream.destroy(new Error('given up'))
  await client.settled()
  release()
  expect(await count()).toBe(before)
})

it('any text is read back as it was copied', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(unicodeText(), fc.constantFrom('\\N', '\\.', '\t\n\r\v\f\b\\', '', '🥜', 'मसाला')), {
        minLength: 1,
        maxLength: 20,
      }),
      async (drawn) => {
        const texts = [...drawn.filter((text) => !text.includes('\0') && text.isWellFormed()), null]
        await database.db`truncate copied`
        await copy(texts.map((text, i) => copyLine([String(i), text])).join(''))
        const rows = await database.db`select b from copied order by a`
        expect(rows.map((row) => row.b)).toEqual(texts)
      },
    ),
    { numRuns: 25 },
  )
})
