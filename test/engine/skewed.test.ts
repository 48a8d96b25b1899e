/** The skewed company: all batches are of one item. The rows that a report reads grow with its records, not with their square. */
import { expect, it } from 'vitest'
import { raw, type Sql, sql } from '../../src/db/sql.js'
import { wholeStatement } from '../../src/kernel/answer/statement.js'
import type { Report } from '../../src/kernel/report/report.js'
import { WHOLE } from '../../src/kernel/report/rights.js'
import { rebuildClosings } from '../../src/ledger/closings.js'
import { reports } from '../../src/reports/index.js'
import { databaseForThisTest } from '../setup/database.js'

const BATCHES = 2000

interface Plan {
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

/** The rows that all scans of a plan read. */
const rowsRead = (plan: Plan): number =>
  (plan['Relation Name'] === undefined
    ? 0
    : (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']) +
  (plan.Plans ?? []).reduce((sum, inner) => sum + rowsRead(inner), 0)

/** The statement's plan after running it on a company with all batches of one item. */
async function planOf({ text, values }: Sql): Promise<Plan> {
  const { db } = await databaseForThisTest()
  await db.unsafe(`
    insert into warehouse (id, code, location) overriding system value values (1, repeat('0', 32), 'Plant');
    insert into item (id, sku, name, type, unit) overriding system value values (1, 'FG1', 'Ghee', 'FG', 'JAR');
    insert into batch (item_id, batch_no, source, batch_date, warehouse_id, qty, wastage)
      select 1, 'B' || n, 'PRODUCED', date '2026-01-01' + n % 90, 1, 10, 0 from generate_series(1, ${BATCHES}) n;
    insert into stock_movement (movement_no, movement_date, kind, item_id, warehouse_id, batch_no, qty, val, val_tax)
      select 'M' || n, date '2026-01-01' + n % 90, 'production_receipt', 1, 1, 'B' || n, 10, 1, 1
        from generate_series(1, ${BATCHES}) n`)
  await db.begin(rebuildClosings)
  await db.unsafe('analyze')
  const [row] = await db.unsafe<{ 'QUERY PLAN': [{ Plan: Plan }] }[]>(
    `explain (analyze, format json) ${text}`,
    values as string[],
  )
  return row?.['QUERY PLAN'][0].Plan as Plan
}

const reportOf = (id: string): Report => {
  const report = reports.find((one) => one.id === id)
  if (report === undefined) throw new Error(`there is no report ${id}`)
  return report
}

it.each([
  ['production.batches', { from_date: '2026-01-01', to_date: '2026-12-31' }, BATCHES],
  ['partner.invetory-snapshot', { date: '2026-03-20', limit: 20 }, expect.any(Number)],
  ['production.batch-story', { batch_no: 'B7', sku: 'FG1' }, 2],
  ['inventory.movements', { sku: 'FG1', batch: 'B7', figure: 'Cr', from_date: '2026-01-01', to_date: '2026-12-31' }, 1],
  ['inventory.fg-stock-status', { type: 'FG', tax: 0, from_date: '2026-02-01', to_date: '2026-03-20' }, 1],
])('%s reads each movement a few times, not once per batch', async (id, values, records) => {
  const plan = await planOf(wholeStatement(reportOf(id), values, WHOLE))
  expect(plan['Actual Rows']).toEqual(records)
  expect(rowsRead(plan)).toBeLessThan(20 * BATCHES)
})

it('a page of the movements of one item reads fewer than 100 rows', async () => {
  const values = { sku: 'FG1', figure: 'Closing', from_date: '2026-03-01', to_date: '2026-12-31' }
  const { query, orderBy } = reportOf('inventory.movements').shapeFor(values)
  const order = raw(orderBy.map(({ column }) => `parent.${column}`).join(', '))
  const plan = await planOf(sql`select parent.* from (${query(values, WHOLE)}) parent order by ${order} limit 20`)
  expect(plan['Actual Rows']).toBe(20)
  expect(rowsRead(plan)).toBeLessThan(100)
})
