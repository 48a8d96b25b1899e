/** The skewed company: all batches are of one item. A report reads a number of rows that follows its records, not their square. */
import { expect, it } from 'vitest'
import { wholeStatement } from '../../src/kernel/statement.js'
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

/** Rows that all scans of a plan have looked at. */
const rowsRead = (plan: Plan): number =>
  (plan['Relation Name'] === undefined
    ? 0
    : (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']) +
  (plan.Plans ?? []).reduce((sum, inner) => sum + rowsRead(inner), 0)

it.each([
  ['production.batches', { from_date: '2026-01-01', to_date: '2026-12-31' }, BATCHES],
  ['partner.invetory-snapshot', { date: '2026-03-20', limit: 20 }, expect.any(Number)],
  ['inventory.fg-stock-status', { type: 'FG', tax: 0, from_date: '2026-02-01', to_date: '2026-03-20' }, 1],
])('%s reads each movement a few times, not once per batch', async (id, values, records) => {
  const { db } = await databaseForThisTest()
  await db.unsafe(`
    insert into warehouse (id, key, location) overriding system value values (1, repeat('0', 32), 'Plant');
    insert into item (id, sku, name, type, unit) overriding system value values (1, 'FG1', 'Ghee', 'FG', 'JAR');
    insert into batch (item_id, batch_no, source, batch_date, warehouse_id, qty, wastage)
      select 1, 'B' || n, 'PRODUCED', date '2026-01-01' + n % 90, 1, 10, 0 from generate_series(1, ${BATCHES}) n;
    insert into stock_movement (movement_no, movement_date, kind, item_id, warehouse_id, batch_no, qty, val, val_tax)
      select 'M' || n, date '2026-01-01' + n % 90, 'production_receipt', 1, 1, 'B' || n, 10, 1, 1
        from generate_series(1, ${BATCHES}) n`)
  await db.begin(rebuildClosings)
  await db.unsafe('analyze')
  const report = reports.find((one) => one.id === id)
  if (report === undefined) throw new Error(`there is no report ${id}`)
  const { text, values: bound } = wholeStatement(report, values, { hideContacts: false })
  const [row] = await db.unsafe<{ 'QUERY PLAN': [{ Plan: Plan }] }[]>(
    `explain (analyze, format json) ${text}`,
    bound as string[],
  )
  const plan = row?.['QUERY PLAN'][0].Plan as Plan
  expect(plan['Actual Rows']).toEqual(records)
  expect(rowsRead(plan)).toBeLessThan(20 * BATCHES)
})
