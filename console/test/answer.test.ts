/** The console knows the columns of an answer before it arrives: they are the columns that the service sends. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeReport } from '../../src/kernel/report/catalogue.js'
import { columnsOf } from '../../src/kernel/report/columns.js'
import { readParams } from '../../src/kernel/report/params.js'
import type { Report } from '../../src/kernel/report/report.js'
import { viewed } from '../../src/kernel/report/view.js'
import { reports } from '../../src/reports/index.js'
import { someRequestsFor } from '../../test/setup/requests.js'
import { runs } from '../../test/setup/tier.js'
import type { View } from '../src/ask.js'
import { type CatalogueReport, type Flat, flatten, type Values } from '../src/catalogue.js'
import {
  answerOf,
  columnsFor,
  firstGroup,
  firstMeasures,
  functionsFor,
  groupable,
  isDated,
  pruned,
} from '../src/report/answer.js'
import { PERIODS } from '../src/report/periods.js'

const RANGE = { from_date: '2026-04-01', to_date: '2026-06-30' }

/** Each report in each of its shapes, with values for its parameters. */
const cases = reports.flatMap((report) =>
  someRequestsFor(report, RANGE).map((values) => {
    const texts = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))
    const shape = report.shapedBy === undefined ? '' : texts[report.shapedBy]
    return [
      `${report.id} ${shape}`.trim(),
      report,
      describeReport(report) as CatalogueReport,
      values,
      texts as Values,
    ] as const
  }),
)

const about = ({ name, column }: Flat) => {
  const { kind, absent, unit, additive } = column as Flat['column'] & Record<string, unknown>
  return { name, kind, absent, unit, additive, digits: (column as { digits?: number }).digits }
}
const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)

function columnsOfService(report: Report, values: Record<string, unknown>, view: View): Flat[] {
  const read = readParams(report.request, values)
  if ('errors' in read) throw new Error(JSON.stringify(read.errors))
  const { compare, ...others } = view
  const made = viewed(report, read.values, { ...others, fields: 'all', compare: compare as 'year' | undefined })
  return flatten(columnsOf(made.shapeFor(read.values)))
}

describe.each(cases)('%s', (_name, report, catalogue, values, texts) => {
  const hasRange = 'from_date' in values && 'to_date' in values
  const fields = columnsFor(catalogue, texts)

  it('groups, figures and comparisons have the columns that the service sends', () => {
    const keys = groupable(fields).flatMap((flat) =>
      isDated(flat) ? [flat.name, ...Object.keys(PERIODS).map((period) => `${period}(${flat.name})`)] : [flat.name],
    )
    const figures = fields
      .filter(({ column }) => !['lines', 'list', 'object'].includes(column.kind))
      .flatMap((flat) => functionsFor(flat).map((name) => `${name}(${flat.name})`))
    const some = (all: readonly string[], most: number) =>
      fc.shuffledSubarray([...all], { minLength: 1, maxLength: Math.min(most, all.length) })
    const compare = hasRange ? fc.constantFrom(undefined, 'year', 'previous') : fc.constant(undefined)
    fc.assert(
      fc.property(
        some(keys, 3),
        fc.option(some(figures, 4), { nil: undefined }),
        compare,
        (group, measures, compare) => {
          const view: View = { group: group.join(), measures: measures?.join(), compare }
          const answer = answerOf(catalogue, texts, view)
          expect(answer.wrong).toEqual([])
          let sent: Flat[]
          try {
            sent = columnsOfService(report, values, view)
          } catch (error) {
            // Two figures may give one column, which the service refuses.
            expect(JSON.stringify((error as { errors?: unknown }).errors)).toMatch(/twice/)
            return
          }
          expect(answer.columns.map(about).sort(byName)).toEqual(sent.map(about).sort(byName))
        },
      ),
      { numRuns: runs(10, 100) },
    )
  })

  it('a comparison of records has the columns that the service sends', () => {
    if (!hasRange) return expect(report.request).not.toHaveProperty('from_date.required', true)
    const view: View = { compare: 'year' }
    expect(answerOf(catalogue, texts, view).columns.map(about).sort(byName)).toEqual(
      columnsOfService(report, values, view).map(about).sort(byName),
    )
  })

  it('the group and the figures that people begin with are valid', () => {
    const group = firstGroup(catalogue, texts)
    if (group === undefined) return expect(groupable(fields).filter(({ isFirst }) => isFirst)).toEqual([])
    const view = { group, measures: firstMeasures(catalogue, texts) }
    expect(answerOf(catalogue, texts, view).wrong).toEqual([])
    expect(columnsOfService(report, values, view).length).toBeGreaterThan(1)
  })
})

describe('a view', () => {
  it('shows the number of cancelled documents, unless its groups or filters name their state', () => {
    const [, , report, , values] = cases.find(([name]) => name === 'sales.invoices') as (typeof cases)[number]
    const shows = (view: View) =>
      answerOf(report, values, view).columns.find(({ name }) => name === '_cancelled')?.isFirst
    expect(shows({ group: 'customer_name' })).toBe(true)
    expect(shows({ group: 'customer_name', compare: 'year' })).toBe(true)
    expect(shows({ group: 'invoice_status' })).toBe(false)
    expect(shows({ group: 'customer_name', filter: ['invoice_status=Cancelled'] })).toBe(false)
    expect(shows({ compare: 'year' })).toBeUndefined()
  })

  const invoices = cases.find(([name]) => name === 'sales.invoices') as (typeof cases)[number]
  const [, , report, , values] = invoices

  it('names the groups and figures that its report does not have', () => {
    const view = {
      group: 'nonsense,customer_name,month(customer_name)',
      measures: 'sum(invoice_no),sum(total_amt),total_amt',
    }
    expect(answerOf(report, values, view).wrong).toEqual([
      { field: 'group', text: 'nonsense' },
      { field: 'group', text: 'month(customer_name)' },
      { field: 'measures', text: 'sum(invoice_no)' },
      { field: 'measures', text: 'total_amt' },
    ])
  })

  it('loses the order and the conditions that name a column that is gone, and keeps the others', () => {
    const view: View = {
      ...{
        group: 'customer_name',
        measures: 'sum(total_amt)',
        compare: 'year',
        sort: '-total_amt__change,customer_name',
      },
      ...{
        having: ['total_amt__change<0', 'total_amt>5'],
        filter: ['invoice_status=Submitted'],
        fields: 'customer_name,total_amt__change',
      },
    }
    expect(pruned(report, values, { ...view, compare: undefined })).toEqual({
      ...view,
      ...{ compare: undefined, sort: 'customer_name', having: ['total_amt>5'], fields: 'customer_name' },
    })
    expect(pruned(report, values, { ...view, group: undefined, compare: undefined })).toMatchObject({
      ...{ measures: undefined, having: [], sort: 'customer_name', filter: ['invoice_status=Submitted'] },
    })
  })

  it('says of a change whether more is good', () => {
    const changes = answerOf(report, values, {
      group: 'customer_name',
      measures: 'sum(total_amt),sum(shipping),count(order_no)',
      compare: 'year',
    })
    const of = (name: string) => changes.columns.find((flat) => flat.name === name)?.change
    expect([of('total_amt__change'), of('shipping__change'), of('order_no_count__change'), of('rows__change')]).toEqual(
      [...['more', 'neutral', 'neutral', 'neutral']],
    )
    expect(of('total_amt')).toBeUndefined()
  })
})
