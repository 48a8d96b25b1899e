/** Closed periods: their figures, what loads say when they change them, and the versions that are never forgotten. */
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { restore } from '../../src/backup/read.js'
import { writeBackup } from '../../src/backup/write.js'
import { closePeriod, readPeriod, reopenPeriod } from '../../src/closed/close.js'
import { closedLine, staleFigures, wronglyClosed } from '../../src/import/pipeline/closed-periods.js'
import { type LoadOptions, load } from '../../src/import/pipeline/load.js'
import { problemLine } from '../../src/import/pipeline/problems.js'
import { verify } from '../../src/import/pipeline/verify.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { undoLoad } from '../../src/import/undo/undo.js'
import { PERIOD_FIGURES } from '../../src/ledger/period-figures.js'
import { format, parse } from '../oracle/decimal.js'
import { files, openBooks } from '../setup/books.js'
import { databaseForThisTest } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { good, MV } from '../setup/good-files.js'
import { anyLoad } from '../setup/loads.js'
import { newOperator } from '../setup/operator.js'
import { type Service, startService } from '../setup/service.js'
import { runs, sameOnBoth } from '../setup/tier.js'

const CHECK = 'a figure of a closed period changes'
type Row = Record<string, string> & { version: number }

async function serviceForThisTest(): Promise<Service> {
  return await startService({}, await databaseForThisTest())
}

const loadFiles = async (service: Service, rows: Record<string, string>, options: LoadOptions = {}) =>
  await load(service.database, findFiles(folderOf(rows)), options)

const close = (service: Service, period: string, asKnown?: number, reason = 'reported') =>
  closePeriod(service.database, (work) => service.db.begin(work), { period, reason, asKnown }, { actor: 'asha' })
const reopen = (service: Service, period: string, reason = 'corrected') =>
  reopenPeriod((work) => service.db.begin(work), { period, reason }, { actor: 'vikram' })

async function closed(service: Service, query: Record<string, string | number> = {}): Promise<Row[]> {
  const answer = await service.call({ path: '/v1/history/closed-periods', body: {}, query })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json().data
}

/** A movement of 5 that comes late. */
const late = (day: string, no = 'M6') => ({
  [MV]: `${(good[MV] as string).split('\n')[0]}\n${no},${day},other_receipt,FG1,Plant,B1,5,5,5,,,,,,,\n`,
})

it('a period is a month or a range of days, and a whole month is a month', () => {
  expect(readPeriod('2024-02')).toEqual({ name: '2024-02', first: '2024-02-01', last: '2024-02-29' })
  expect(readPeriod('2023-02-01..2023-02-28')).toEqual({ name: '2023-02', first: '2023-02-01', last: '2023-02-28' })
  expect(readPeriod('2024-02-01..2024-02-28').name).toBe('2024-02-01..2024-02-28')
  expect(readPeriod('2024-04-01..2024-09-30').name).toBe('2024-04-01..2024-09-30')
  for (const wrong of ['', '2024', '2024-13', '2024-02-30..2024-03-01', '2024-03-02..2024-03-01', '2024-01..2024-02'])
    expect(() => readPeriod(wrong)).toThrow(/^a period is a month such as 2026-10 or a range of days/)
})

it('closes a period with its figures, once, and reopens it; the trail has both', async () => {
  const service = await serviceForThisTest()
  await expect(close(service, '2024-03')).rejects.toThrow('nothing has been loaded yet')
  await loadFiles(service, good)
  expect(await close(service, '2024-03-01..2024-03-31')).toMatchObject({
    ...{ period: '2024-03', version: 1, closedBy: 'asha', reason: 'reported' },
    figures: { stock_value: '11.8000', sales: '20.00', margin: '8.8000', purchases: '8.00' },
  })
  const [row] = await closed(service)
  expect(row).toMatchObject({ period: '2024-03', version: 1, closed_by: 'asha', reason: 'reported' })
  expect(row?.['closed_at']).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  await expect(close(service, '2024-03')).rejects.toThrow('2024-03 is closed already; reopen it first')
  await expect(reopen(service, '2024-04')).rejects.toThrow('2024-04 is not closed')
  await expect(close(service, '2024-04', 2)).rejects.toThrow('the present version is 1, and 2 is to come')
  await expect(close(service, '2024-04', undefined, ' ')).rejects.toThrow('the reason must not be empty')
  await expect(close(service, '2024-04', undefined, 'x'.repeat(501))).rejects.toThrow(
    'the reason must have at most 500 characters, not 501',
  )
  const [{ today } = { today: '' }] = await service.db<{ today: string }[]>`select day::text as today from today`
  await expect(close(service, `2024-01-01..${today}`)).rejects.toThrow(
    `2024-01-01..${today} ends on ${today}, and today is ${today}: a period can be closed from the day after its last day on`,
  )
  expect(await reopen(service, '2024-03')).toEqual({ period: '2024-03', version: 1 })
  expect(await closed(service)).toEqual([])
  await loadFiles(service, late('2024-03-10'))
  expect((await close(service, '2024-03', 1)).figures.stock_value).toBe('11.8000')
  expect((await close(service, '2024-04')).figures.stock_value).toBe('16.8000')
  expect((await closed(service)).map((row) => [row['period'], row['stock_value_difference']])).toEqual([
    ['2024-03', '5.0000'],
    ['2024-04', '0.0000'],
  ])
  const entries = await service.db`select act, actor, detail from audit_entry where act like 'period.%' order by id`
  expect([...entries].slice(0, 2)).toEqual([
    { act: 'period.close', actor: 'asha', detail: { period: '2024-03', version: 1, reason: 'reported' } },
    { act: 'period.reopen', actor: 'vikram', detail: { period: '2024-03', version: 1, reason: 'corrected' } },
  ])
})

sameOnBoth('a cluster refuses to close a period', async () => {
  const { db, engine } = await databaseForThisTest()
  await expect(
    closePeriod(
      { db, engine: { ...engine, keepsHistory: false } },
      (work) => db.begin(work),
      { period: '2024-03', reason: 'x' },
      {},
    ),
  ).rejects.toThrow('a cluster keeps no history, so no period can be closed in it (docs/scaling.md)')
})

sameOnBoth('operators close and reopen periods over HTTP, others do not', async () => {
  const service = await serviceForThisTest()
  await loadFiles(service, good)
  await loadFiles(service, late('2024-03-10'))
  const operator = await newOperator(service.app, service.db)
  const made = await operator.ask('POST', '/closed-periods', { period: '2024-03', reason: 'reported', as_known: 1 })
  expect([made.statusCode, made.json()]).toEqual([
    200,
    {
      ...{
        period: '2024-03',
        version: 1,
        closed_at: expect.any(String),
        closed_by: operator.username,
        reason: 'reported',
      },
      ...{ stock_value: '11.8000', sales: '20.00', margin: '8.8000', purchases: '8.00' },
    },
  ])
  const again = await operator.ask('POST', '/closed-periods', { period: '2024-03', reason: 'reported' })
  expect([again.statusCode, again.json().detail]).toEqual([409, '2024-03 is closed already; reopen it first.'])
  const wrong = await operator.ask('POST', '/closed-periods', { period: 'March', reason: 'reported' })
  expect([wrong.statusCode, wrong.json().detail]).toEqual([
    422,
    'A period is a month such as 2026-10 or a range of days such as 2026-04-01..2026-09-30, not "March".',
  ])
  const range = '2024-03-01..2024-03-15'
  expect((await operator.ask('POST', '/closed-periods', { period: range, reason: 'x' })).statusCode).toBe(200)
  const reopened = await operator.ask('POST', `/closed-periods/${range}/reopen`, { reason: 'corrected' })
  expect([reopened.statusCode, reopened.json()]).toEqual([200, { period: range, version: 2 }])
  expect((await operator.ask('POST', `/closed-periods/${range}/reopen`, { reason: 'x' })).statusCode).toBe(409)
  const loader = await newOperator(service.app, service.db, 'loader')
  expect((await loader.ask('POST', '/closed-periods/2024-03/reopen', { reason: 'x' })).statusCode).toBe(403)
  expect((await closed(service)).map((row) => row['period'])).toEqual(['2024-03'])
})

sameOnBoth('the report needs the rights to every other group', async () => {
  const service = await serviceForThisTest()
  const { token } = await service.newCaller({ groups: ['history', 'sales'] })
  const answer = await service.call({ path: '/v1/history/closed-periods', body: {}, token })
  expect([answer.statusCode, answer.json().detail]).toEqual([
    403,
    'These records need the groups masters and purchase and grn and inventory and production and insight and partner; ask the operator for access.',
  ])
})

sameOnBoth('an answer changes when a period is closed, and stays the same for earlier versions', async () => {
  const service = await serviceForThisTest()
  await loadFiles(service, good)
  const etag = async () =>
    (await service.call({ path: '/v1/history/closed-periods', body: {} })).headers['etag'] as string
  const tags = [await etag(), await etag()]
  await close(service, '2024-03')
  tags.push(await etag())
  const first = await closed(service)
  await loadFiles(service, late('2024-03-10'))
  await close(service, '2024-02')
  await reopen(service, '2024-03')
  tags.push(await etag())
  expect(new Set(tags).size).toBe(3)
  expect(await closed(service, { as_known: 1 })).toEqual(first)
  expect((await closed(service)).map((row) => row['period'])).toEqual(['2024-02'])
  // A day on which the present version was known: the report is the present one.
  await service.db`update known_version set committed_at = committed_at - interval '2 days'`
  const [{ yesterday } = { yesterday: '' }] = await service.db<{ yesterday: string }[]>`
    select (day - 1)::text as yesterday from today`
  const yesterdays = async () => (await closed(service, { as_known: yesterday })).map((row) => row['period'])
  expect(await yesterdays()).toEqual(['2024-02'])
  await close(service, '2024-01')
  expect(await yesterdays()).toEqual(['2024-01', '2024-02'])
  // What a period does not change is not computed again.
  const [{ version } = { version: 0 }] = await service.db<{ version: number }[]>`select version::int from data_version`
  expect(version).toBe(2)
})

sameOnBoth('a backup has the closed periods, and the restored database answers like the first', async () => {
  const service = await serviceForThisTest()
  await loadFiles(service, good)
  await close(service, '2024-03')
  await loadFiles(service, late('2024-03-10'))
  await close(service, '2024-04')
  await reopen(service, '2024-04')
  const expected = [await closed(service), await closed(service, { as_known: 1 })]
  const other = await databaseForThisTest('empty')
  await restore(other, writeBackup(service.database))
  await service.app.close()
  const restored = await startService({}, other)
  expect([await closed(restored), await closed(restored, { as_known: 1 })]).toEqual(expected)
  expect((await loadFiles(restored, late('2024-03-11', 'M7'))).warnings.first).toEqual([
    '2024-03: stock value was 16.8000 and is 21.8000, +5.0000',
  ])
  await expect(close(restored, '2024-03')).rejects.toThrow('2024-03 is closed already; reopen it first')
})

it('a load before, in or after a closed period warns of what it changes, or is refused; the log keeps the warning', async () => {
  const service = await serviceForThisTest()
  await loadFiles(service, good)
  for (const period of ['2024-03', '2024-02']) await close(service, period)
  const after = await loadFiles(service, late('2024-04-01'))
  expect(after.warnings.kinds).toEqual([])
  const before = await loadFiles(service, late('2024-01-05', 'M7'))
  const lines = [
    '2024-02: stock value was 0.0000 and is 5.0000, +5.0000',
    '2024-03: stock value was 11.8000 and is 16.8000, +5.0000',
  ]
  const change = (period: string, before: string, after: string) => ({
    ...{ period, figure: 'stock_value', before, after, difference: '5.0000' },
  })
  const changes = [change('2024-02', '0.0000', '5.0000'), change('2024-03', '11.8000', '16.8000')]
  expect(before.warnings.kinds).toEqual([{ kind: 'closed-period', check: CHECK, count: 2, examples: lines, changes }])
  const logged = await service.db`select warnings, warning_kinds from load_log where version = 3`
  expect([...logged]).toEqual([{ warnings: 2, warning_kinds: before.warnings.kinds }])
  const less = { 'invoices.csv': (good['invoices.csv'] as string).replace('20,2.4,22.4,22.4', '19,2.4,21.4,21.4') }
  const refused = await loadFiles(service, less, { refuseClosed: true })
  expect([refused.committed, refused.errors.first.map(problemLine)]).toEqual([
    false,
    ['closed periods: 2024-03: sales was 20.00 and is 19.00, -1.00; to accept it, load without --refuse-closed'],
  ])
  await expect(undoLoad(service.database, 3, { refuseClosed: true })).rejects.toThrow(
    'taking the load back changes closed periods, so nothing was changed:\n2024-02: stock value was 5.0000 and is 0.0000, -5.0000\n',
  )
  expect((await closed(service)).map((row) => [row['sales_now'], row['stock_value_now']])).toEqual([
    ['0.00', '5.0000'],
    ['20.00', '16.8000'],
  ])
  expect(
    (await loadFiles(service, { 'customers.csv': 'code,name\nC1,Other\n' }, { refuseClosed: true })).committed,
  ).toBe(true)
})

sameOnBoth('a period that is closed while a load commits is closed with what the load made', async () => {
  const service = await serviceForThisTest()
  await loadFiles(service, good)
  let closing: ReturnType<typeof close> | undefined
  const { dataVersion } = await loadFiles(service, late('2024-03-10'), {
    onMerged: async () => {
      closing = close(service, '2024-03')
      await sleep(300)
    },
  })
  expect(await closing).toMatchObject({ version: dataVersion, figures: { stock_value: '16.8000' } })
  expect((await closed(service))[0]).toMatchObject({ version: 2, stock_value_now: '16.8000' })
})

sameOnBoth('what was changed by hand is found by verify, and kept by a rebuild or with the next load', async () => {
  const service = await serviceForThisTest()
  await loadFiles(service, good)
  await close(service, '2024-03')
  const sales = async () => (await closed(service)).map((row) => [row['sales_then'], row['sales_now']])
  const stale = async (rebuild = false) =>
    (await verify(service.database, { rebuild })).filter(({ check }) => check.includes('closed'))
  await service.db`update invoice set sub_total = 21 where invoice_no = 'I1'`
  expect(await stale()).toMatchObject([{ kind: 'derived', examples: ['2024-03: sales 20.00 is kept, it is 21.00'] }])
  expect(await stale(true)).toEqual([])
  expect(await sales()).toEqual([['20.00', '21.00']])
  await service.db`update invoice set sub_total = 22 where invoice_no = 'I1'`
  const { warnings } = await loadFiles(service, { 'customers.csv': 'code,name\nC1,Other\n' })
  expect(warnings.first).toEqual(['2024-03: sales was 21.00 and is 22.00, +1.00'])
  expect(await stale()).toEqual([])
  expect(await sales()).toEqual([['20.00', '22.00']])
})

/** The figures of a period as the reports have them. */
async function ofReports(service: Service, period: string, asKnown?: number): Promise<Record<string, string>> {
  const { first: from_date, last: to_date } = readPeriod(period)
  const ask = async (path: string, body: object, query: Record<string, string>) => {
    const answer = await service.call({
      path,
      body: { from_date, to_date, ...body },
      query: { ...query, ...(asKnown && { as_known: asKnown }) },
    })
    expect(answer.statusCode, answer.body).toBe(200)
    return answer.json().data
  }
  const totals = { totals: 'yes' }
  const months = await ask('/v1/inventory/stock-value', { tax: 0 }, {})
  const [invoices] = await ask('/v1/sales/invoices', {}, totals)
  const [margin] = await ask('/v1/sales/margin-by-day', { tax: '0', source: 'INV' }, totals)
  const [receipts] = await ask('/v1/grn/list', {}, totals)
  return {
    ...{ stock_value: months.at(-1).total_value, sales: invoices.sub_total },
    ...{ margin: margin.profit, purchases: receipts.taxable_amt },
  }
}

const DIGITS = { stock_value: 4, sales: 2, margin: 4, purchases: 2 }
const PERIODS = ['2024-02-01..2024-03-06', '2024-03', '2024-04', '2024-03-05..2024-05-31']

sameOnBoth(
  'after any loads and undos the figures are those of the reports, then and now, and each change was announced',
  async () => {
    const announced = new Set<string>()
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(anyLoad, fc.constantFrom('', 'undo', 'refuse', 'try')), {
          ...{ minLength: runs(4, 4), maxLength: runs(6, 8) },
        }),
        async (sequence) => {
          const service = await startService({}, await openBooks())
          for (const period of PERIODS) await close(service, period)
          let known = await closed(service)
          /** What a load should say that changed the figures. */
          const expected = (now: readonly Row[]) =>
            now.flatMap((row, i) =>
              PERIOD_FIGURES.flatMap((figure) => {
                const [before = '', after = ''] = [known[i]?.[`${figure}_now`], row[`${figure}_now`]]
                if (before === after) return []
                const units = parse(after, DIGITS[figure]) - parse(before, DIGITS[figure])
                const { period = '' } = row
                return [closedLine({ period, figure, before, after, difference: format(units, DIGITS[figure]) })]
              }),
            )
          const lines = ({ kinds }: { kinds: readonly { check: string; examples: string[] }[] }) =>
            kinds.find(({ check }) => check === CHECK)?.examples ?? []
          // The last loads surely change every figure.
          const last = [
            { invoices: ['I1,SO1,2024-03-07 09:30:00,2024-04-07,21,2.4,23.4,23.4'] },
            { goods_receipt_items: ['G2,PO2,1,1,5,5,0,2,11,0,11'] },
            { stock_movements: ['M20,2024-01-10,other_receipt,FG1,Plant,B1,5,5.25,6,,,,,,,'] },
            { invoice_items: ['I1,SO1,1,1,1,10,10,12,1.2,,,,,11.2'] },
            { returns: ['SO1,R1,1,2024-03-09,RTO,1,0,9,1.2'] },
            { stock_movements: ['M4,2024-03-06,issue,FG1,Plant,B1,2,2.6,2.9,SO1,1,,,,,'] },
            { invoices: ['I1,SO1,2024-04-02 09:30:00,2024-04-07,21,2.4,23.4,23.4'] },
            { goods_receipts: ['G2,PO2,2024-04-03,Depot'] },
          ].map((rows) => [{ rows: rows as Record<string, string[]>, replace: [] as string[] }, ''] as const)
          for (const [{ rows, replace }, then] of [...sequence, ...last]) {
            const given = () => findFiles(folderOf(files(rows)))
            if (then === 'refuse' || then === 'try') {
              const refused = await load(service.database, given(), {
                replace,
                refuseClosed: then === 'refuse',
                dryRun: then === 'try',
              })
              expect(await closed(service)).toEqual(known)
              const result = await load(service.database, given(), { replace })
              const now = await closed(service)
              const said = refused.errors.first
                .filter(({ file }) => file === 'closed periods')
                .map(({ column, message }) => `${column}: ${message.replace(/; to accept it.*/, '')}`)
              if (then === 'try') expect(lines(refused.warnings)).toEqual(lines(result.warnings))
              else if (result.committed) expect(said).toEqual(expected(now))
              known = now
              continue
            }
            const { committed, dataVersion, entities, warnings } = await load(service.database, given(), { replace })
            const now = await closed(service)
            expect(await service.db.begin(staleFigures)).toEqual([])
            expect(lines(warnings)).toEqual(expected(now))
            for (const line of lines(warnings)) announced.add(/: ([a-z ]+) was/.exec(line)?.[1] ?? '')
            const before = known
            known = now
            const isNew = Object.values(entities).some((one) => one.new + one.changed + one.removed > 0)
            if (then !== 'undo' || !committed || !isNew) continue
            const undone = await undoLoad(service.database, dataVersion)
            expect(await service.db.begin(staleFigures)).toEqual([])
            expect(await closed(service)).toEqual(before)
            expect(lines(undone.warnings)).toEqual(expected(before))
            known = before
          }
          expect(await service.db.begin(async (tx) => [await staleFigures(tx), await wronglyClosed(tx)])).toEqual([
            [],
            [],
          ])
          for (const row of known) {
            const of = (end: string) => Object.fromEntries(PERIOD_FIGURES.map((name) => [name, row[`${name}_${end}`]]))
            expect(of('now')).toEqual(await ofReports(service, row['period'] as string))
            expect(of('then')).toEqual(await ofReports(service, row['period'] as string, row.version))
            await reopen(service, row['period'] as string)
            expect((await close(service, row['period'] as string, row.version)).figures).toEqual(of('then'))
          }
          await service.close() // hundreds of open databases would fill the memory
        },
      ),
      { numRuns: runs(1, 40), endOnFailure: true },
    )
    expect([...announced].sort()).toEqual(['margin', 'purchases', 'sales', 'stock value'])
  },
)
