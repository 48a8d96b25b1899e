/** Every report on a company whose documents are all of one item: no plan reads all rows of the item once per row. */
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { skewedCompany } from '../../bench/lib/skewed.mjs'
import { statementsOf } from '../../src/db/computed.js'
import { wholeStatement } from '../../src/kernel/answer/statement.js'
import { readParams } from '../../src/kernel/report/params.js'
import { WHOLE } from '../../src/kernel/report/rights.js'
import { rebuildClosings } from '../../src/ledger/closings.js'
import { reports } from '../../src/reports/index.js'
import { openTestDatabase, type TestDatabase } from '../setup/database.js'
import { someRequestsFor } from '../setup/requests.js'
import { only } from '../setup/tier.js'

const SIZE = { batches: 1500, customers: 400, orders: 2000 }
/** Limits on the rows of one loop of a scan and of all its loops together, far below the square of the rows. */
const [PER_LOOP, TOGETHER] = [50, 40_000]

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  Plans?: Plan[]
}

/** Plan nodes that run many times and read many rows each time. */
const repeated = (plan: Plan): string[] => {
  const { 'Actual Loops': loops, 'Actual Rows': rows, 'Rows Removed by Filter': filtered = 0 } = plan
  const { 'Rows Removed by Join Filter': unjoined = 0 } = plan
  const read = rows + filtered + unjoined
  const isWrong = (loops > 1 && read > PER_LOOP && read * loops > TOGETHER) || unjoined * loops > TOGETHER
  const own = isWrong ? [`${plan['Node Type']} ${plan['Relation Name'] ?? ''}: ${loops} × ${read} rows`] : []
  return [...own, ...(plan.Plans ?? []).flatMap(repeated)]
}

const onServer = only('server', 'the embedded engine has the same planner as PostgreSQL')

onServer.describe('plans', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await openTestDatabase()
    await database.db.unsafe(skewedCompany(SIZE))
    await database.db.begin(rebuildClosings)
    await database.db.unsafe('analyze')
  })
  afterAll(() => database.drop())

  const codes = {
    ...{ sku: ['FG1'], warehouse: ['Plant'], batch: ['B7'], batch_no: ['B7'], order_no: ['SO7'], pono: ['PO7'] },
    ...{ vendor_code: ['V1'], limit: [20], start: [{ batch_no: 'B7', sku: 'FG1' }] },
  }
  describe.each(reports.map((report) => [report.id, report] as const))('%s', (_, report) => {
    onServer.it('reads the rows of the item a few times, not once per record', async () => {
      const range = { from_date: '2026-01-01', to_date: '2026-06-30' }
      for (const values of someRequestsFor(report, range, codes)) {
        const read = readParams(report.request, values)
        if ('errors' in read) throw new Error(JSON.stringify(read.errors))
        const statement = wholeStatement(report, read.values, WHOLE)
        for (const { text, values: given } of statementsOf(statement)) {
          const [row] = await database.db.unsafe<{ 'QUERY PLAN': [{ Plan: Plan }] }[]>(
            `explain (analyze, timing off, format json) ${text}`,
            given as string[],
          )
          const found = repeated(row?.['QUERY PLAN'][0].Plan as Plan)
          expect({ values, found }).toEqual({ values, found: [] })
        }
      }
    })
  })
})
