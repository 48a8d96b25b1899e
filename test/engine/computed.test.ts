/** Reports that compute in TypeScript: from rows of one state of the data, in every view, and refusing what they cannot compute. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { statementsOf, turns, withComputed } from '../../src/db/computed.js'
import { query } from '../../src/db/query.js'
import { Computed, type ReadRow, sql } from '../../src/db/sql.js'
import { Problem } from '../../src/errors.js'
import { tablesRead } from '../../src/kernel/answer/reads.js'
import { checkReport } from '../../src/kernel/answer/statement.js'
import { Decimal, Integer, Text } from '../../src/kernel/report/fields.js'
import { TextParam } from '../../src/kernel/report/params.js'
import { defineReport, type Report } from '../../src/kernel/report/report.js'
import { type Service, startService } from '../setup/service.js'
import { only } from '../setup/tier.js'

const VENDORS = sql`select code, credit_days from vendor`

/** A table that the statement itself does not read. */
const ITEMS = { columns: ['n'], query: sql`select count(*) as n from item` }

/** The credit days of each vendor multiplied by those of all, which the computation adds up. */
const report = (query = VENDORS, meanwhile?: () => Promise<unknown>) =>
  defineReport({
    ...{ id: 'purchase.computed', method: 'POST', path: '/v1/purchase/computed', summary: 'A computed report' },
    ...{ title: 'Computed', description: '', request: { except: TextParam('', 'none') } },
    record: { code: Text('Code.'), days: Integer('Days.'), product: Decimal(10, 'Days × all days.') },
    orderBy: ['code'],
    query: ({ except }) => sql`
      select v.code, v.credit_days as days, c.product
        from json_to_recordset(${new Computed({
          ...{
            name: 'test 1',
            given: except,
            reads: { vendors: { columns: ['code', 'credit_days'], query }, items: ITEMS },
          },
          async compute({ vendors = [] }) {
            if (!vendors.some(({ code }) => code === except) && except !== 'none')
              throw new Problem('invalid-parameters', { errors: [{ field: 'except', message: 'names no vendor' }] })
            await meanwhile?.()
            const kept = vendors.filter(({ code }) => code !== except)
            const all = kept.reduce((sum, { credit_days }) => sum + BigInt(credit_days ?? 0), 0n)
            return kept.map(({ code, credit_days }) => ({
              code,
              product: `${BigInt(credit_days ?? 0) * all}.0000000001`,
            }))
          },
        })}::json) c (code text, product numeric)
        join vendor v on v.code = c.code`,
  }) as unknown as Report

let meanwhile: (() => Promise<unknown>) | undefined
let service: Service
beforeAll(async () => {
  service = await startService({ reports: [report(VENDORS, async () => meanwhile?.())] })
  await setDays(10)
})
afterAll(() => service.close())

async function setDays(days: number): Promise<void> {
  await service.db.begin(async (tx) => {
    await tx`insert into vendor (code, name, credit_days) values ('V1', 'One', ${days}), ('V2', 'Two', 20)
             on conflict (code) do update set credit_days = excluded.credit_days`
    await tx`update data_version set version = version + 1, changed = array['vendor']`
  })
}
const ask = async (except: string, query = {}) => {
  const answer = await service.call({ path: '/v1/purchase/computed', body: { except }, query })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json().data
}

it('computes with texts of any length, and every view is made of the result', async () => {
  const [one, two] = [
    { code: 'V1', days: 10, product: '300.0000000001' },
    { code: 'V2', days: 20, product: '600.0000000001' },
  ]
  expect(await ask('none')).toEqual([one, two])
  expect(await ask('V1')).toEqual([{ code: 'V2', days: 20, product: '400.0000000001' }])
  expect(await ask('none', { sort: '-product', 'per-page': 1 })).toEqual([two])
  expect(await ask('none', { filter: 'product>300.5' })).toEqual([two])
  expect(await ask('none', { totals: 'yes' })).toEqual([{ rows: 2, product: '900.0000000002' }])
})

it('refuses values by a problem that names the parameter', async () => {
  const answer = await service.call({ path: '/v1/purchase/computed', body: { except: 'V9' } })
  expect([answer.statusCode, answer.json().errors]).toEqual([422, [{ field: 'except', message: 'names no vendor' }]])
})

only('server', 'the embedded engine has one session, which the report holds').it(
  'computes from the state of the data that its statement sees',
  async () => {
    onTestFinished(async () => {
      meanwhile = undefined
      await setDays(10)
    })
    meanwhile = () => setDays(50)
    expect(await ask('none', { filter: 'days>0' })).toMatchObject([
      { days: 10, product: '300.0000000001' },
      { days: 20 },
    ])
  },
)

it('a load of a table that only the computation reads renews the answer, and one of another table does not', async () => {
  const tagAfter = async (table: string) => {
    await service.db`update data_version set version = version + 1, changed = array[${table}]`
    const { headers } = await service.call({ path: '/v1/purchase/computed', body: { except: 'none' } })
    return headers['etag']
  }
  const tags = [await tagAfter('customer'), await tagAfter('customer'), await tagAfter('item')]
  expect([tags[1] === tags[0], tags[2] === tags[0]]).toEqual([true, false])
})

it('a computation asks for more by what it has found, and depends on those tables too', async () => {
  const chain = new Computed({
    ...{ name: 'test 2', given: 3, reads: {} },
    asks: {
      next: (keys) => ({
        columns: ['n', 'vendors'],
        query: sql`select k.n + 1 as n, (select count(*) from vendor) as vendors
                     from json_to_recordset(${JSON.stringify(keys)}::json) k (n integer)`,
      }),
    },
    async compute(_rows, _signal, ask) {
      const found: ReadRow[] = [{ n: '0' }]
      while (found.length < 4) found.push(...(await ask('next', [{ n: Number(found.at(-1)?.['n']) }])))
      return found
    },
  })
  const statement = sql`select ${chain}::text as found`
  expect(await service.db.begin(async (tx) => await query(tx, await withComputed(tx, statement)))).toEqual([
    {
      found: JSON.stringify([{ n: '0' }, ...['1', '2', '3'].map((n) => ({ n, vendors: '2' }))]),
    },
  ])
  expect(await tablesRead(service.db, statement)).toContain('vendor')
  expect(statementsOf(statement).map(({ text }) => text)).toEqual([
    expect.stringContaining('found'),
    expect.stringContaining('k.n + 1'),
  ])
})

it('the program does not start with a computation that reads a column which does not exist', async () => {
  await expect(checkReport(service.db, report(sql`select code from vendor`))).rejects.toThrow(/credit_days/)
})

it('a long computation lets other work run, and ends when nobody waits for it', async () => {
  const abort = new AbortController()
  const takeTurns = turns(abort.signal)
  let others = 0
  const timer = setInterval(() => ++others === 3 && abort.abort(new Error('gone')), 1)
  onTestFinished(() => clearInterval(timer))
  await expect(
    (async () => {
      while (true) await takeTurns()
    })(),
  ).rejects.toThrow('gone')
})
