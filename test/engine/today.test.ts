/** A report whose records depend on the current day declares it: its answers are valid for that day only. */
import { expect, it } from 'vitest'
import { statementsOf } from '../../src/db/computed.js'
import { wholeStatement } from '../../src/kernel/answer/statement.js'
import { leastParams, readParams } from '../../src/kernel/report/params.js'
import { WHOLE } from '../../src/kernel/report/rights.js'
import { reports } from '../../src/reports/index.js'
import { databaseForThisTest } from '../setup/database.js'

const CLOCK =
  /\b(now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday)\(|\b(current_(date|time)|localtime)/i

it.each(reports.map((report) => [report.id, report] as const))('%s', (_id, report) => {
  const params = Object.entries(report.request)
  const all = Object.fromEntries(params.map(([name, p]) => [name, p.read(p.example)]))
  const required = readParams(
    report.request,
    Object.fromEntries(leastParams(report.request).map((name) => [name, report.request[name]?.example])),
  )
  if ('errors' in required) throw new Error(JSON.stringify(required.errors))
  const texts = [...report.shapes.keys()].flatMap((name) =>
    [all, required.values].flatMap((example) => {
      const values = report.shapedBy === undefined ? example : { ...example, [report.shapedBy]: name }
      return statementsOf(wholeStatement(report, values, WHOLE)).map(({ text }) => text)
    }),
  )
  expect(texts.filter((text) => CLOCK.test(text))).toEqual([]) // as known, today is another day
  expect(texts.some((text) => text.includes('(select day from today)'))).toBe(report.dependsOnToday ?? false)
})

it('of the views and functions that a report could use, only today reads the clock', async () => {
  const { db } = await databaseForThisTest()
  const found = await db<{ name: string; text: string }[]>`
    select viewname as name, definition as text from pg_views where schemaname = current_schema()
    union all
    select proname, prosrc from pg_proc where pronamespace = current_schema()::regnamespace and prorettype <> 'trigger'::regtype`
  expect(found.length).toBeGreaterThan(2)
  expect(found.filter(({ text }) => CLOCK.test(text)).map(({ name }) => name)).toEqual(['today'])
})
