/** Pages of sales on companies whose sales come from orders, from invoices alone, and from both. */
import { expect } from 'vitest'
import type { Question } from '../../src/kernel/answer/editions.js'
import { outlineOf } from '../../src/kernel/answer/outline.js'
import { pageStatement, type Start } from '../../src/kernel/answer/statement.js'
import { readParams } from '../../src/kernel/report/params.js'
import type { Report } from '../../src/kernel/report/report.js'
import { WHOLE } from '../../src/kernel/report/rights.js'
import { viewed } from '../../src/kernel/report/view.js'
import sales from '../../src/reports/sales/sales.js'
import { databaseForThisTest, type TestDatabase } from '../setup/database.js'
import { long, only } from '../setup/tier.js'

const DOCUMENTS = 6000
const LINES = 3
const KEY = ['2023-01-20', '', '', '']
/** Rows that all scans of a page may read; a day has 160 documents. */
const READ = 5000

/** Every `unordered`th invoice has no order, and every other one has an order of its own; all have if it is 0. */
async function company(unordered: number, days = 9 / 1440): Promise<TestDatabase> {
  const database = await databaseForThisTest()
  const isOrdered = unordered === 0 ? 'true' : `i % ${unordered} <> 0`
  const day = `date '2023-01-01' + floor(i * ${days})::int`
  await database.db.unsafe(`
    insert into item (sku, name, type, unit) select 'S' || i, 'Item ' || i, 'FG', 'PCS' from generate_series(1, 300) i;
    insert into customer (code, name) select 'C' || i, 'Customer ' || i from generate_series(0, 499) i;
    insert into warehouse (code, location) values ('W', 'W');
    insert into sales_order (order_no, order_type, order_date, customer_code, warehouse_id, taxable_amt, tax_amt, total_amt)
      select 'SO' || i, 'B2B', ${day}, 'C' || i % 500, (select id from warehouse), 300, 54, 354
        from generate_series(1, ${DOCUMENTS}) i where ${isOrdered};
    insert into sales_order_line (order_no, line_no, item_id, qty, rate, effective_rate, taxable_amt, tax_amt, total_amt)
      select 'SO' || i, l, 1 + (i * 7 + l * 13) % 300, 1, 100, 100, 100, 18, 118
        from generate_series(1, ${DOCUMENTS}) i, generate_series(1, ${LINES}) l where ${isOrdered};
    insert into invoice (invoice_no, customer_code, order_no, invoice_at, due_date, sub_total, total_tax, total_amt, round_amt, final_amt)
      select 'I' || i, 'C' || i % 500, case when ${isOrdered} then 'SO' || i end, ${day}, '2026-12-31', 300, 54, 354, 0, 354
        from generate_series(1, ${DOCUMENTS}) i;
    insert into invoice_line (invoice_no, line_no, order_no, order_line_no, item_id, qty, rate, taxable_value, total_value)
      select 'I' || i, l, case when ${isOrdered} then 'SO' || i end, case when ${isOrdered} then l end,
             1 + (i * 7 + l * 13) % 300, 1, 100, 100, 118
        from generate_series(1, ${DOCUMENTS}) i, generate_series(1, ${LINES}) l;
    analyze`)
  return database
}

interface Plan {
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

/** The rows that the scans of a plan read. */
const rowsRead = ({ Plans: below = [], ...plan }: Plan): number =>
  below.length > 0
    ? below.reduce((sum, one) => sum + rowsRead(one), 0)
    : (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']

const onServer = only('server', 'the embedded engine has the same planner as PostgreSQL')

const companies: [name: string, unordered: number][] = [
  ['orders, and a few invoices without one', 1000],
  ['orders and invoices', 2],
  ...(long
    ? ([
        ['orders', 0],
        ['invoices alone', 1],
      ] as [string, number][])
    : []),
]
for (const [name, unordered] of companies)
  onServer.it(`of ${name} read few rows and have the records of the whole`, async () => {
    const { db } = await company(unordered)
    const [{ version } = { version: '' }] = await db<
      { version: string }[]
    >`select id::text as version from data_version`
    const read = readParams(sales.request, { method: 'month', from_date: '2023-01-01', to_date: '2026-12-31' })
    if ('errors' in read) throw new Error('the parameters are wrong')
    const report = viewed(sales as unknown as Report, read.values, {})
    const page = (start: Start, size = 20) => pageStatement(report, read.values, WHOLE, start, size, version)
    const recordsOf = async (start: Start, size?: number) => {
      const { text, values } = page(start, size)
      return (await db.unsafe<{ record: string }[]>(text, values as string[])).map(({ record }) => record)
    }
    for (const start of [{ skip: 0 }, { key: KEY, skip: 0 }, { key: KEY, skip: 15 }]) {
      const { text, values } = page(start)
      const [row] = await db.unsafe<{ 'QUERY PLAN': [{ Plan: Plan }] }[]>(
        `explain (analyze, timing off, format json) ${text}`,
        values as string[],
      )
      expect(rowsRead(row?.['QUERY PLAN'][0].Plan as Plan), JSON.stringify(start)).toBeLessThan(READ)
    }
    const first = await recordsOf({ skip: 0 }, 5000)
    expect(first).toHaveLength(5000)
    expect(await recordsOf({ skip: 4321 })).toEqual(first.slice(4321, 4341))
    const from = await recordsOf({ key: KEY, skip: 0 }, 200)
    expect(JSON.parse(from[0] as string).order_date).toBe(KEY[0])
    expect(await recordsOf({ key: KEY, skip: 15 })).toEqual(from.slice(15, 35))
    expect(await recordsOf({ skip: DOCUMENTS * LINES })).toEqual([])
    const outline = await outlineOf(db, { report, values: read.values, view: WHOLE } as unknown as Question)
    expect(outline.total).toBe(DOCUMENTS * LINES)
    expect(outline.keys.starts.length, 'days').toBeLessThan(50)
    for (const before of [0, 479, 480, 481, 4321]) {
      expect(await recordsOf(outline.start(before))).toEqual(first.slice(before, before + 20))
    }
    expect(await recordsOf(outline.start(DOCUMENTS * LINES - 3))).toHaveLength(3)
  })

onServer.it('of a day with very many documents begin at every twentieth record', async () => {
  const { db } = await company(2, 0)
  const read = readParams(sales.request, { method: 'month', from_date: '2023-01-01', to_date: '2026-12-31' })
  if ('errors' in read) throw new Error('the parameters are wrong')
  const report = viewed(sales as unknown as Report, read.values, {})
  const outline = await outlineOf(db, { report, values: read.values, view: WHOLE } as unknown as Question)
  expect([outline.total, outline.keys.starts.length, outline.mostSkipped]).toEqual([
    ...[DOCUMENTS * LINES, (DOCUMENTS * LINES) / 20, 20],
  ])
})
