/** Grouped views: their URL, the rows behind a group, pivots, charts and saved definitions. */
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { describeReport } from '../../src/kernel/report/catalogue.js'
import { reports } from '../../src/reports/index.js'
import type { View } from '../src/ask.js'
import type { CatalogueReport, Row } from '../src/catalogue.js'
import { answerOf, fitting } from '../src/report/answer.js'
import { graphOf, MOST_BARS, MOST_SERIES, unitInWords } from '../src/report/graph.js'
import { type Figure, figureNamed, type Groups } from '../src/report/groups.js'
import { percentOf } from '../src/report/percent.js'
import { type Pivot, pivotOf } from '../src/report/pivot.js'
import { rowsBehind } from '../src/report/rows-behind.js'
import { inUrl, readView, reportUrl } from '../src/report/view.js'
import { definitionOf, periodWord, shownOf } from '../src/views/saved.js'

const catalogueOf = (id: string) => describeReport(reports.find((one) => one.id === id) as never) as CatalogueReport
const INVOICES = catalogueOf('sales.invoices')
const ORDERS = catalogueOf('sales.order-status')
const SNAPSHOT = catalogueOf('masters.finished-goods')
const values = { from_date: '2026-04-01', to_date: '2026-06-30' }
const queryOf = (url: string) => new URLSearchParams(url.split('?')[1])

afterEach(() => {
  vi.useRealTimers()
})
const on = (day: string) => vi.useFakeTimers({ now: new Date(`${day}T12:00:00Z`), toFake: ['Date'] })

describe('the URL', () => {
  it('has the whole view', () => {
    const text = fc.option(
      fc.stringMatching(/^[\w ,.()%&=+-]{1,20}$/).filter((one) => one.trim() !== ''),
      { nil: undefined },
    )
    const list = fc.array(fc.stringMatching(/^[\w<>=.|&+]{1,20}$/), { maxLength: 3 })
    const views = fc.record({
      ...{ fields: text, sort: text, search: text, group: text, measures: text, compare: text },
      ...{ filter: list, having: list },
    })
    fc.assert(
      fc.property(views, fc.constantFrom('table', 'pivot', 'lines', 'stacked'), text, (view, show, figure) => {
        const read = readView(INVOICES, queryOf(reportUrl(INVOICES.id, values, view)))
        expect(read.view).toEqual(view)
        const shown = { values, view, show: show as 'table', figure }
        const query = new URLSearchParams(
          Object.entries(inUrl(shown)).flatMap(([name, value]) =>
            (typeof value === 'string' ? [value] : (value ?? [])).map((one) => [name, one]),
          ),
        )
        expect(readView(INVOICES, query)).toMatchObject(shown)
      }),
    )
  })
})

describe('the rows behind a group', () => {
  const behind = (view: View, row: Row, before = false) => {
    const { keys } = answerOf(INVOICES, values, view)
    const query = queryOf(rowsBehind({ report: INVOICES, values, view }, keys, row, before))
    expect([query.get('group'), query.get('measures'), query.get('having'), query.get('compare')]).toEqual([
      null,
      null,
      null,
      null,
    ])
    return { dates: [query.get('from_date'), query.get('to_date')], filter: query.getAll('filter') }
  }
  const NOT_CANCELLED = 'invoice_status!=Cancelled'

  it('meet the filters of the view, the values of the groups and the days of their periods, and are not cancelled', () => {
    const view = { group: 'customer_name,month(invoice_date)', filter: ['total_amt>5'], having: ['rows>1'] }
    expect(behind(view, { customer_name: 'A|B \\ C', invoice_date_month: '2026-05' })).toEqual({
      dates: ['2026-04-01', '2026-06-30'],
      filter: [
        'total_amt>5',
        'customer_name=A\\|B \\\\ C',
        'invoice_date>=2026-05-01',
        'invoice_date<=2026-05-31',
        NOT_CANCELLED,
      ],
    })
  })

  it('may be cancelled if the state is a group or filtered', () => {
    expect(behind({ group: 'invoice_status' }, { invoice_status: 'Cancelled' }).filter).toEqual([
      'invoice_status=Cancelled',
    ])
    expect(
      behind({ group: 'customer_name', filter: ['invoice_status!=Draft'] }, { customer_name: 'A' }).filter,
    ).toEqual([...['invoice_status!=Draft', 'customer_name=A']])
  })

  it('have no value where the group has none', () => {
    expect(behind({ group: 'order_no,month(due_date)' }, { order_no: null, due_date_month: null }).filter).toEqual([
      ...['order_no=', 'due_date=', NOT_CANCELLED],
    ])
  })

  it('of the earlier period are at the same place in its range', () => {
    const view = { group: 'month(invoice_date)', compare: 'previous' }
    expect(behind(view, { invoice_date_month: '2026-06' }, true)).toEqual({
      dates: ['2026-01-01', '2026-03-31'],
      filter: ['invoice_date>=2026-03-01', 'invoice_date<=2026-03-31', NOT_CANCELLED],
    })
    expect(behind({ ...view, compare: 'year' }, { invoice_date_month: '2026-06' }, true).filter[0]).toBe(
      'invoice_date>=2025-06-01',
    )
  })
})

const groupsOf = (report: CatalogueReport, view: View, rows: readonly Row[], total = rows.length): Groups => ({
  ...{ rows, total, version: 1, answer: answerOf(report, values, view) },
})
const figureOf = ({ answer }: Groups, name?: string) => figureNamed(answer, name) as Figure

describe('a pivot', () => {
  const view = { group: 'customer_name,month(invoice_date)', measures: 'sum(total_amt),avg(total_amt)' }
  const rows = [
    { customer_name: 'A', invoice_date_month: '2026-04', rows: 2, total_amt: '0.10', total_amt_avg: '0.05' },
    { customer_name: 'A', invoice_date_month: '2026-06', rows: 1, total_amt: '0.20', total_amt_avg: '0.20' },
    {
      customer_name: 'B',
      invoice_date_month: '2026-06',
      rows: 1,
      total_amt: '9007199254740993.00',
      total_amt_avg: '1.00',
    },
  ]
  const cells = (pivot: Pivot, row: Row | undefined) => pivot.columns.map(({ path }) => row?.[path[0] as string])

  it('has a column for every period, and exact totals of rows and columns', () => {
    const groups = groupsOf(INVOICES, view, rows)
    const pivot = pivotOf(groups, figureOf(groups)) as Pivot
    expect(pivot.columns.map(({ label }) => label)).toEqual([undefined, 'Apr 2026', 'May 2026', 'Jun 2026', 'Total'])
    expect(pivot.rows.map((row) => cells(pivot, row))).toEqual([
      ['A', '0.10', undefined, '0.20', '0.30'],
      ['B', undefined, undefined, '9007199254740993.00', '9007199254740993.00'],
    ])
    expect(cells(pivot, pivot.totals)).toEqual([
      undefined,
      '0.10',
      undefined,
      '9007199254740993.20',
      '9007199254740993.30',
    ])
    expect(pivot.note).toBeUndefined()
  })

  it('says how many cancelled documents it leaves out', () => {
    const some = rows.map((row, at) => ({ ...row, _cancelled: at + 1 }))
    const groups = groupsOf(INVOICES, view, some)
    expect((pivotOf(groups, figureOf(groups)) as Pivot).note).toBe('The figures are without 6 cancelled.')
    const averages = pivotOf(groups, figureOf(groups, 'total_amt_avg')) as Pivot
    expect(averages.note).toBe('The figures are without 6 cancelled. No totals: averages cannot be added up.')
  })

  it('of averages has no totals, and says so', () => {
    const groups = groupsOf(INVOICES, view, rows)
    const pivot = pivotOf(groups, figureOf(groups, 'total_amt_avg')) as Pivot
    expect([pivot.totals, pivot.columns.at(-1)?.label, pivot.note]).toEqual([
      undefined,
      'Jun 2026',
      'No totals: averages cannot be added up.',
    ])
  })

  it('of a part of the groups has no totals, and says so', () => {
    const groups = groupsOf(INVOICES, view, rows, 70_000)
    const pivot = pivotOf(groups, figureOf(groups)) as Pivot
    expect([pivot.totals, pivot.columns.at(-1)?.label]).toEqual([undefined, 'Jun 2026'])
    expect(pivot.note).toMatch(/^Only a part of 70000 groups/)
  })

  it('of quantities in several units has totals of rows, each in one unit, and none of columns', () => {
    const view = { group: 'warehouse,order_state', measures: 'sum(Order_qty)' }
    const row = (warehouse: string, UoM: string, order_state: string, Order_qty: string) => ({
      warehouse,
      UoM,
      order_state,
      rows: 1,
      Order_qty,
    })
    const rows = [
      row('Pune', 'kg', 'CREATED', '1.5'),
      row('Pune', 'pcs', 'CREATED', '2'),
      row('Pune', 'kg', 'CLOSED', '3'),
    ]
    const groups = groupsOf(ORDERS, view, rows)
    const pivot = pivotOf(groups, figureOf(groups)) as Pivot
    expect(pivot.columns.map(({ name, label }) => label ?? name)).toEqual([
      'warehouse',
      'UoM',
      'Closed',
      'Created',
      'Total',
    ])
    expect(pivot.rows.map((row) => cells(pivot, row))).toEqual([
      ['Pune', 'kg', '3', '1.5', '4.5'],
      ['Pune', 'pcs', undefined, '2', '2'],
    ])
    expect([pivot.totals, pivot.note]).toEqual([
      undefined,
      'No totals of columns: the rows are in 2 units, which cannot be added up.',
    ])
    const one = groupsOf(
      ORDERS,
      view,
      rows.filter(({ UoM }) => UoM === 'kg'),
    )
    expect(cells(pivotOf(one, figureOf(one)) as Pivot, (pivotOf(one, figureOf(one)) as Pivot).totals)).toEqual([
      ...[undefined, undefined, '3', '1.5', '4.5'],
    ])
  })

  it('with too many columns is refused', () => {
    const many = Array.from({ length: 401 }, (_, at) => ({ customer_name: 'A', order_no: `${at}`, rows: 1 }))
    const groups = groupsOf(INVOICES, { group: 'customer_name,order_no', measures: 'rows' }, many)
    expect(pivotOf(groups, figureOf(groups))).toMatch(/^401 columns are too many/)
  })
})

describe('a chart', () => {
  const graph = (
    view: View,
    rows: readonly Row[],
    {
      name,
      total,
      unit,
      report = INVOICES,
    }: { name?: string; total?: number; unit?: string; report?: CatalogueReport } = {},
  ) => {
    const groups = groupsOf(report, view, rows, total)
    return graphOf({ report, values, view }, groups, figureOf(groups, name), unit)
  }

  it('over time has every period in order, 0 where there are no rows, and says which are unfinished', () => {
    on('2026-06-10')
    const { slots, isTime } = graph({ group: 'month(invoice_date)', measures: 'sum(total_amt)', sort: '-total_amt' }, [
      { invoice_date_month: '2026-06', rows: 1, total_amt: '7.00' },
      { invoice_date_month: '2026-04', rows: 1, total_amt: '5.00' },
    ])
    expect(isTime).toBe(true)
    expect(slots.map(({ label, values, unfinished }) => [label, values[0]?.now, unfinished])).toEqual([
      ['Apr 2026', '5.00', undefined],
      ['May 2026', '0', undefined],
      ['Jun 2026', '7.00', 'until 10 Jun 2026'],
    ])
  })

  it('says how many cancelled documents it leaves out', () => {
    const view = { group: 'month(invoice_date)', measures: 'sum(total_amt)' }
    const months = (cancelled: number) => [
      { invoice_date_month: '2026-04', rows: 1, total_amt: '5.00', _cancelled: cancelled },
      { invoice_date_month: '2026-05', rows: 0, total_amt: '0.00', _cancelled: 1 },
    ]
    expect(graph(view, months(2)).note).toBe('Drawn without 3 cancelled.')
    expect(graph(view, months(2), { total: 3 }).note).toMatch(
      /^Drawn without 3 cancelled\. Drawn from the first 2 of 3/,
    )
    expect(
      graph(
        view,
        months(2)
          .slice(0, 1)
          .map((row) => ({ ...row, _cancelled: 0 })),
      ).note,
    ).toBeUndefined()
  })

  it('has the dates along its axis, wherever they stand among the groups', () => {
    const { slots, series, isTime } = graph(
      { group: 'customer_name,month(invoice_date)', measures: 'sum(total_amt)' },
      [
        { customer_name: 'A', invoice_date_month: '2026-04', rows: 1, total_amt: '5.00' },
        { customer_name: 'A', invoice_date_month: '2026-05', rows: 1, total_amt: '6.00' },
        { customer_name: 'B', invoice_date_month: '2026-05', rows: 1, total_amt: '7.00' },
      ],
    )
    expect([isTime, series]).toEqual([true, ['A', 'B']])
    expect(slots.map(({ label, values }) => [label, ...values.map(({ now }) => now)])).toEqual([
      ['Apr 2026', '5.00', '0'],
      ['May 2026', '6.00', '7.00'],
    ])
  })

  it('of averages has a gap, not 0, where there are no rows', () => {
    const { slots } = graph({ group: 'month(invoice_date)', measures: 'avg(total_amt)' }, [
      { invoice_date_month: '2026-06', rows: 1, total_amt_avg: '7.00' },
      { invoice_date_month: '2026-04', rows: 1, total_amt_avg: '5.00' },
    ])
    expect(slots.map(({ values }) => values[0]?.now)).toEqual(['5.00', undefined, '7.00'])
  })

  it('by name adds up the bars that have no room, exactly', () => {
    const rows = Array.from({ length: MOST_BARS + 3 }, (_, at) => ({
      customer_name: `C${at}`,
      rows: 1,
      total_amt: '0.10',
    }))
    const view = { group: 'customer_name', measures: 'sum(total_amt)' }
    const { slots } = graph(view, rows)
    expect(slots).toHaveLength(MOST_BARS + 1)
    expect(slots.at(-1)).toMatchObject({ label: '3 others', isRest: true, values: [{ now: '0.30' }] })
    const part = graph(view, rows, { total: 9000 })
    expect(part.slots.some(({ isRest }) => isRest)).toBe(false)
    expect(part.note).toBe(
      `Drawn from the first ${rows.length} of 9000 groups: filter the rows, or choose longer periods.`,
    )
  })

  it('draws the largest series and adds up the others', () => {
    const rows = Array.from({ length: MOST_SERIES + 3 }, (_, at) => ({
      invoice_date_month: '2026-04',
      customer_name: `C${at}`,
      rows: 1,
      total_amt: `${at}.10`,
    }))
    const view = { group: 'month(invoice_date),customer_name', measures: 'sum(total_amt)' }
    const { series, slots } = graph(view, rows)
    expect(series).toEqual(['C9', 'C8', 'C7', 'C6', 'C5', 'C4', 'C3', '3 others'])
    expect(slots[0]?.values.at(-1)?.now).toBe('3.30')
    expect(slots[0]?.values.reduce((sum, { now }) => sum + Number(now), 0)).toBeCloseTo(46)
  })

  it('shows one unit of a quantity at a time', () => {
    const view = { group: 'warehouse', measures: 'sum(Order_qty)' }
    const rows = [
      { warehouse: 'Pune', UoM: 'kg', rows: 1, Order_qty: '1' },
      { warehouse: 'Pune', UoM: 'pcs', rows: 1, Order_qty: '2' },
    ]
    expect(graph(view, rows, { report: ORDERS })).toMatchObject({
      units: ['kg', 'pcs'],
      unit: 'kg',
      slots: [{ values: [{ now: '1' }] }],
    })
    const pieces = graph(view, rows, { report: ORDERS, unit: 'pcs' })
    expect(pieces).toMatchObject({ unit: 'pcs', slots: [{ values: [{ now: '2' }] }] })
    expect(queryOf(pieces.slots[0]?.href ?? '').getAll('filter')).toEqual(['warehouse=Pune', 'UoM=pcs'])
  })

  it('has the earlier period beside each bar', () => {
    const { slots, isCompared } = graph({ group: 'customer_name', measures: 'sum(total_amt)', compare: 'year' }, [
      { customer_name: 'A', rows: 1, total_amt: '5.00', total_amt__before: '4.00', total_amt__change: '1.00' },
    ])
    expect(isCompared).toBe(true)
    expect(slots[0]?.values[0]).toMatchObject({ now: '5.00', before: '4.00' })
    expect(queryOf(slots[0]?.values[0]?.hrefBefore ?? '').get('from_date')).toBe('2025-04-01')
  })

  it('names the currency of amounts and the unit of quantities, and none of counts', () => {
    const unitOf = (report: CatalogueReport, measures: string, unit?: string) => {
      const groups = groupsOf(report, { group: 'warehouse', measures }, [])
      return unitInWords(figureOf(groups), unit, 'INR')
    }
    expect(unitOf(ORDERS, 'sum(total_amount)')).toBe('INR')
    expect(unitOf(ORDERS, 'sum(Order_qty)', 'kg')).toBe('kg')
    expect(unitOf(ORDERS, 'count(total_amount)')).toBeUndefined()
    expect(unitOf(ORDERS, 'rows')).toBeUndefined()
  })
})

describe('a saved view', () => {
  const view: View = {
    ...{ fields: undefined, sort: '-total_amt', filter: ['total_amt>5'], search: undefined, compare: 'year' },
    ...{ group: 'customer_name,month(invoice_date)', measures: 'sum(total_amt)', having: [] },
  }
  const about = { name: 'A view', shared: 'nobody' as const, period: undefined }

  it('comes back as it was saved', () => {
    const shown = { values, view, show: 'pivot' as const, figure: 'total_amt' }
    const definition = definitionOf(INVOICES, shown, about)
    expect(definition).toEqual({
      ...{ name: 'A view', report: 'sales.invoices', values, shared: 'nobody', show: 'pivot', figure: 'total_amt' },
      ...{ group: ['customer_name', 'month(invoice_date)'], measures: ['sum(total_amt)'], sort: ['-total_amt'] },
      ...{ filter: ['total_amt>5'], compare: 'year' },
    })
    expect(shownOf(INVOICES, definition)).toEqual(shown)
  })

  it('moves on with the calendar if its dates are words', () => {
    on('2026-07-20')
    const shown = {
      values: { from_date: '2026-06-01', to_date: '2026-06-30' },
      view,
      show: 'table' as const,
      figure: undefined,
    }
    expect(periodWord(INVOICES, shown.values, undefined)?.word).toBe('last-month')
    const definition = definitionOf(INVOICES, shown, { ...about, period: 'last-month' })
    expect(definition).toMatchObject({ period: 'last-month', values: {} })
    on('2026-09-01')
    expect(shownOf(INVOICES, definition).values).toEqual({ from_date: '2026-08-01', to_date: '2026-08-31' })
  })

  it.each([
    ['2026-07-20', '2026-07-20', 'today'],
    ['2026-07-01', '2026-07-20', 'this-month'],
    ['2026-07-01', '2026-07-31', 'this-month'],
    ['2026-04-01', '2026-06-30', 'last-quarter'],
    ['2026-04-01', '2026-07-20', 'this-fy'],
    ['2025-04-01', '2026-03-31', 'last-fy'],
    ['2026-06-21', '2026-07-20', 'last-30-days'],
    ['2026-05-03', '2026-06-09', undefined],
  ])('from %s to %s are the words %s', (from_date, to_date, word) => {
    on('2026-07-20')
    expect(periodWord(INVOICES, { from_date, to_date }, undefined)?.word).toBe(word)
  })

  it('of an unfinished month that is compared stays as it is: the words would compare the whole month', () => {
    on('2026-07-20')
    expect(periodWord(INVOICES, { from_date: '2026-07-01', to_date: '2026-07-20' }, 'previous')).toBeUndefined()
  })

  it('drops what its report no longer has', () => {
    const old = {
      ...view,
      group: 'gone,customer_name',
      sort: '-gone',
      filter: ['gone=1', 'total_amt>5'],
      measures: 'sum(gone),sum(total_amt)',
    }
    expect(fitting(INVOICES, values, old)).toMatchObject({
      ...{ group: 'customer_name', sort: undefined, filter: ['total_amt>5'], measures: 'sum(total_amt)' },
    })
  })

  it('of a report without days keeps no period', () => {
    expect(periodWord(SNAPSHOT, {}, undefined)).toBeUndefined()
  })
})

it.each([
  ['12.5', '100', '+12.5 %'],
  ['-50', '100', '−50.0 %'],
  ['50', '-100', '+50.0 %'],
  ['123456', '1', '+12,345,600 %'],
  ['5', '0.00', undefined],
])('a change of %s from %s is %s', (change, before, percent) => {
  expect(percentOf(change, before)).toBe(percent)
})
