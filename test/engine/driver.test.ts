/** The behaviour of a connection that the rest of the program relies on, on both engines. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connect, type Tx } from '../../src/db/connect.js'
import { raw, sql } from '../../src/db/sql.js'
import { readTexts, streamTexts } from '../../src/db/texts.js'
import { engine, openTestDatabase, type TestDatabase } from '../setup/database.js'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase('empty')
  await database.db.unsafe('create table kept (n int)')
})
afterAll(() => database.drop())

const kept = async () => (await database.db<{ n: number }[]>`select n from kept order by n`).map(({ n }) => n)

/** Ends the connection of a transaction from outside, as a restart of the server or a fault of the network would. */
async function cutOff(tx: Tx): Promise<void> {
  if (engine === 'embedded') {
    const { client, release } = await tx.lease()
    client.destroy()
    release()
  } else {
    const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
    await database.db`select pg_terminate_backend(${row?.pid ?? 0})`
  }
}

it('values arrive with the types that the program expects', async () => {
  const [row] = await database.db`
    select ${9007199254740993n}::bigint as big, ${'12.50'}::numeric as exact, ${7}::int as whole, ${0.1}::float8 as half,
           ${true}::boolean as yes, ${false}::boolean as no, ${null}::text as nothing,
           ${'{"a":[1,"é"]}'}::json as json, ${'{"b":null}'}::jsonb as jsonb,
           ${'2024-02-29'}::date as day, ${'2024-02-29 23:59:59.5'}::timestamp as local, ${'23:59'}::time as clock,
           ${new Date('2024-02-29T12:34:56.789Z')}::timestamptz as moment, ${Buffer.from([0, 255, 92])}::bytea as bytes,
           ${['a', 'b,"c\\', '']}::text[] = array['a', 'b,"c\\', ''] as list, ${'मसाला 🥜'} as text`
  expect(row).toEqual({
    ...{ big: '9007199254740993', exact: '12.50', whole: 7, half: 0.1, yes: true, no: false, nothing: null },
    ...{ json: { a: [1, 'é'] }, jsonb: { b: null } },
    ...{ day: '2024-02-29', local: '2024-02-29 23:59:59.5', clock: '23:59:00' },
    ...{ moment: new Date('2024-02-29T12:34:56.789Z'), bytes: Buffer.from([0, 255, 92]), list: true, text: 'मसाला 🥜' },
  })
})

it('a connection has random_page_cost 1.1, unless the URL sets another', async () => {
  const cost = async ({ db }: Pick<TestDatabase, 'db'>) =>
    (await db`select current_setting('random_page_cost') as cost`)[0]?.['cost']
  expect(await cost(database)).toBe('1.1')
  const { target } = database
  if ('directory' in target) return
  const other = await connect({ ...target, url: `${target.url}?random_page_cost=4` })
  expect(await cost(other)).toBe('4')
  await other.close()
})

it('a value is never read as SQL', async () => {
  const hostile = `'; drop table kept; --\\`
  expect((await database.db`select ${hostile}::text as v`)[0]?.v).toBe(hostile)
  expect((await database.db`select ${sql`${hostile}::text`} as v`)[0]?.v).toBe(hostile)
})

it('every kind of statement returns its number of rows', async () => {
  const { db } = database
  const counts: number[] = []
  await db
    .begin(async (tx) => {
      for (const statement of [
        ...[
          'insert into kept select generate_series(101, 105)',
          'select n from kept',
          'update kept set n = n where n > 103',
        ],
        ...['delete from kept', 'create table other (n int)', 'select 1; delete from kept; select 2 union select 3'],
      ])
        counts.push((await tx.unsafe(statement)).count)
      throw new Error('undo')
    })
    .catch(() => {})
  expect(counts).toEqual([5, 5, 2, 5, 0, 2])
})

it('a connection runs more different statements than it keeps prepared', async () => {
  await database.db.begin(async (tx) => {
    for (let i = 0; i < 500; i++) {
      const [row] = await tx`select ${raw(String(i % 250))} as text, ${i}::int as value`
      expect(row).toEqual({ text: i % 250, value: i })
    }
  })
})

it('after a change of the schema, statements that were prepared before it work again', async () => {
  const { db } = database
  await db`create table changing (a int)`
  const read = () => db`select * from changing`
  for (let i = 0; i < 20; i++) await Promise.all(Array.from({ length: 8 }, read)) // on every connection
  await db`alter table changing add b int`
  await Promise.allSettled(Array.from({ length: 30 }, read))
  expect(await Promise.all(Array.from({ length: 30 }, read))).toHaveLength(30)
})

it('a transaction whose connection is lost while it is idle fails from then on, and stores nothing', async () => {
  const failures: unknown[] = []
  let late: Tx | undefined
  // Another statement waits for the only connection: a driver would be tempted to open a new one.
  const { db, close } = await connect(database.target, { max: 1 })
  let waiting: Promise<unknown> | undefined
  const work = db.begin(async (tx) => {
    late = tx
    await tx`insert into kept values (1)`
    await cutOff(tx)
    waiting = db`select`
    await sleep(1200) // enough time to reconnect
    for (const attempt of [
      () => tx`insert into kept values (2)`,
      () => tx.unsafe('insert into kept values (3)'),
      () => tx.savepoint((inner) => inner`insert into kept values (4)`),
      () => readTexts(tx, sql`insert into kept values (5) returning n::text`),
      () => streamTexts(tx, sql`insert into kept values (6) returning n::text`).next(),
    ])
      failures.push(await attempt().catch((error) => error))
    return 'done'
  })
  await expect(work).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
  expect(failures.map((failure) => (failure as { code?: string }).code)).toEqual(Array(5).fill('CONNECTION_LOST'))
  await expect(late?.unsafe('insert into kept values (7)')).rejects.toThrow('over')
  await waiting
  await close()
  expect(await kept()).toEqual([])
})

it('an ended transaction refuses further statements', async () => {
  let late: Tx | undefined
  await database.db.begin(async (tx) => {
    late = tx
  })
  await expect(late?.unsafe('insert into kept values (1)')).rejects.toThrow('the transaction is over')
  await database.db
    .begin(async (tx) => {
      late = tx
      throw new Error('undo')
    })
    .catch(() => {})
  await expect(late?.unsafe('insert into kept values (2)')).rejects.toThrow('the transaction is over')
  expect(await kept()).toEqual([])
})

it('a transaction with a failed statement is never reported as committed', async () => {
  const work = database.db.begin(async (tx) => {
    await tx`insert into kept values (1)`
    await tx`select nonsense`.catch(() => {})
  })
  await expect(work).rejects.toThrow('rolled back')
  expect(await kept()).toEqual([])
})

it('a savepoint undoes only its own statements, also inside another savepoint', async () => {
  await database.db.begin(async (tx) => {
    await tx`insert into kept values (1)`
    const lost = tx.savepoint(async (outer) => {
      await outer`insert into kept values (2)`
      await outer.savepoint((inner) => inner`insert into kept values (3)`)
      await outer`select nonsense`
    })
    await expect(lost).rejects.toMatchObject({ code: '42703' })
    await tx.savepoint(async (outer) => {
      await outer`insert into kept values (4)`
      await outer.savepoint((inner) => inner`select 1 / 0`).catch(() => {})
    })
  })
  expect(await kept()).toEqual([1, 4])
  await database.db`truncate kept`
})

it('concurrent statements of a transaction run one after another, before its commit', async () => {
  const numbers = Array.from({ length: 50 }, (_, i) => i)
  await database.db.begin(async (tx) => {
    for (const n of numbers) void tx`insert into kept values (${n})`
  })
  expect(await kept()).toEqual(numbers)
  await database.db`truncate kept`
})

it('more concurrent statements than connections are all answered', async () => {
  const answers = await Promise.all(Array.from({ length: 300 }, (_, i) => database.db`select ${i}::int as v`))
  expect(answers.map(([row]) => row?.v)).toEqual(Array.from({ length: 300 }, (_, i) => i))
})
