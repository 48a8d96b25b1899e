/** Pins as questions and answers: periods, units, comparisons, months without records, and links to the rows behind them. */
import { afterAll, beforeEach, expect, it, vi } from 'vitest'
import { describeReport } from '../../src/kernel/report/catalogue.js'
import { reports } from '../../src/reports/index.js'
import { STARTS as ROLES, readOverview } from '../../src/views/pins.js'

// The modules of the console read the page's address and the browser's storage when they are loaded.
vi.stubGlobal('location', { pathname: '/', search: '', origin: 'http://millbook.example' })
vi.stubGlobal('addEventListener', () => {})
vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => {} })
vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => {} }))
vi.stubGlobal('document', { documentElement: { dataset: {} }, addEventListener: () => {} })

afterAll(() => void vi.unstubAllGlobals())

const { catalogue } = await import('../src/catalogue.js')
const { asked, beforeInWords, pageOf, periodInWords } = await import('../src/overview/definition.js')
const { changeOf, figureOf, pathOfFigure, trendOf } = await import('../src/overview/figure.js')
const { agesOf, barsOf, seriesOf } = await import('../src/overview/chart.js')
const { linesOf, pathOfList } = await import('../src/overview/list.js')
const { pinsOf, startFor, STARTS } = await import('../src/overview/starts.js')
const { draftOf, bareView } = await import('../src/overview/drafts.js')

const TODAY = '2026-11-19'
const show = (groups?: readonly string[]) => {
  catalogue.value = {
    data: reports.filter(({ group }) => groups === undefined || groups.includes(group)).map(describeReport),
    formats: [],
  }
}
beforeEach(() => {
  vi.useFakeTimers({ now: new Date(`${TODAY}T12:00:00Z`), toFake: ['Date'] })
  show()
  return () => vi.useRealTimers()
})

type View = Parameters<typeof asked>[0]
const of = (view: View) => {
  const found = asked(view)
  if (found === undefined) throw new Error(view.report)
  return found
}
const queryOf = (path: string) => [...new URL(path, 'http://x').searchParams].map((pair) => pair.join('='))
const known = {
  reports,
  calendar: { today: TODAY, yearBegins: 4 },
  views: [],
  kept: [],
}

it.each(ROLES)('%s: the service accepts every pin of the start', (role) => {
  const { pins } = STARTS[role]
  expect(readOverview({ start: role, pins: JSON.parse(JSON.stringify(pins)) }, known).pins).toHaveLength(pins.length)
  expect(new Set(pins.map(({ title, kind }) => `${kind} ${title}`)).size).toBe(pins.length)
})

it('a user starts with the arrangement of which the user may see most', () => {
  const startOf = (...groups: string[]) => {
    show(groups.length === 0 ? undefined : groups)
    return startFor()
  }
  expect(startOf()).toBe('owner')
  expect(startOf('inventory')).toBe('stores')
  expect(startOf('inventory', 'partner')).toBe('stores')
  expect(startOf('sales')).toBe('sales')
  expect(startOf('purchase', 'grn', 'partner')).toBe('purchase')
  expect(startOf('production')).toBe('production')
  show(['masters'])
  expect(pinsOf(startFor())).toEqual([])
})

it('the service accepts what the dialog drafts, for every report as every kind', () => {
  for (const report of reports) {
    if (
      Object.values(report.request).some(
        ({ required, insteadOf, type }) => (required || insteadOf) && type.kind === 'text',
      )
    )
      continue
    const view = bareView(describeReport(report))
    for (const kind of ['figure', 'list', 'chart'] as const) {
      const pin = JSON.parse(JSON.stringify(draftOf(kind, report.title, view)))
      expect(() => readOverview({ pins: [pin] }, known), `${report.id} ${kind} ${JSON.stringify(pin)}`).not.toThrow()
    }
  }
})

it('a month that is not over is compared with the same days of the month before', () => {
  const view = of({ report: 'sales.invoices', period: 'this-month-so-far', compare: 'month' })
  expect(periodInWords(view)).toBe('1–19 Nov so far')
  expect(beforeInWords(view)).toBe('1–19 Oct')
  expect(periodInWords(of({ report: 'sales.invoices', period: 'last-month' }))).toBe('1–31 Oct')
  expect(periodInWords(of({ report: 'sales.invoices', period: 'last-12-months' }))).toBe('last 12 months')
  expect(periodInWords(of({ report: 'sales.invoices', period: 'last-fy' }))).toBe('1 Apr 2025 – 31 Mar 2026')
})

it('a quantity is asked for by its unit, an amount by totals, a number as the list of its records', () => {
  const pin = { title: 'A', kind: 'figure' as const }
  const batches = of({ report: 'production.batches', period: 'this-month-so-far', compare: 'month' })
  expect(queryOf(pathOfFigure({ ...pin, field: 'actual_qty', of: 'batch_qty' }, batches))).toEqual([
    ...['from_date=2026-11-01', 'to_date=2026-11-19', 'group=unit', 'measures=sum(actual_qty),sum(batch_qty)'],
    ...['compare=month', 'sort=-batch_qty', 'page=1', 'per-page=5'],
  ])
  expect(queryOf(pathOfFigure({ ...pin, field: 'batch_cost_extax' }, batches))).toEqual([
    ...['from_date=2026-11-01', 'to_date=2026-11-19', 'compare=month', 'totals=yes'],
  ])
  const low = of({
    report: 'partner.material-master',
    values: { item_type: 'MAT' },
    fields: ['product_name', 'inStockQuantity'],
  })
  expect(pathOfFigure({ ...pin, field: 'rows' }, low)).toBe(pathOfList(low))
})

it('groups with chosen fields are asked for the number of cancelled documents that they leave out', () => {
  const fields = ['customer_name', 'total_amt']
  const grouped = { period: 'last-month', group: 'customer_name', fields }
  expect(queryOf(pathOfList(of({ report: 'sales.invoices', ...grouped })))).toContain(`fields=${fields},_cancelled`)
  expect(queryOf(pathOfList(of({ report: 'sales.invoices', period: 'last-month', fields })))).not.toContain(
    '_cancelled',
  )
  const reports = queryOf(
    pathOfList(of({ report: 'sales.sales', ...grouped, fields: ['buyer_name'], group: 'buyer_name' })),
  )
  expect(reports).toContain('fields=buyer_name')
})

it('the figure of a quantity is that of the first unit, a percentage of its whole; the others are told', () => {
  const view = of({ report: 'production.batches', period: 'this-month-so-far', compare: 'month' })
  const pin = { title: 'Yield', kind: 'figure' as const, field: 'actual_qty', of: 'batch_qty', good: 'more' as const }
  const rows = [
    { unit: 'KG', actual_qty: '97', batch_qty: '100', actual_qty__before: '90', batch_qty__before: '100' },
    { unit: 'PCS', actual_qty: '1', batch_qty: '2', actual_qty__before: '0', batch_qty__before: '0' },
  ]
  const figure = figureOf(pin, view, { rows, total: 2 })
  expect(figure).toMatchObject({
    value: '97.00',
    before: '90.00',
    unit: '%',
    others: [{ value: '50.00', unit: 'PCS' }],
    ofUnit: 'KG',
  })
  const short = (n: number) => String(n)
  expect(changeOf(figure, 'more', short)).toMatchObject({
    direction: 1,
    text: '7.00 points',
    tone: 'good',
    word: 'better',
  })
  expect(changeOf(figure, 'less', short)).toMatchObject({ tone: 'bad', word: 'worse' })
  expect(changeOf(figure, undefined, short)).toMatchObject({ tone: 'neutral', word: '' })
  const amount = figureOf({ ...pin, field: 'batch_cost_extax', of: undefined as never }, view, {
    rows: [{ batch_cost_extax: '110.00', batch_cost_extax__before: '0.00' }],
    total: 1,
  })
  expect([amount.isMoney, changeOf(amount, 'less', short)]).toMatchObject([true, { text: '110', tone: 'bad' }])
})

it('a trend has a point for each month that is over, also for one without records', () => {
  const definition = {
    report: 'sales.invoices',
    period: 'last-3-months',
    group: 'month(invoice_date)',
    measures: 'sum(total_amt)',
  }
  const pin = { title: 'A', kind: 'figure' as const, trend: { definition, field: 'total_amt' } }
  const rows = [
    { invoice_date_month: '2026-09', total_amt: '5.00' },
    { invoice_date_month: '2026-11', total_amt: '7.00' },
  ]
  expect(trendOf(pin, of(definition), { rows, total: 2 }, undefined)).toEqual([
    { label: '2026-09', value: '5.00' },
    { label: '2026-10', value: '0' },
  ])
  const [series] = seriesOf(of(definition), { rows, total: 2 })
  expect(series?.points.map(({ label, value, unfinished }) => [label, value, unfinished])).toEqual([
    ...[
      ['Sep 26', '5.00', undefined],
      ['Oct 26', '0', undefined],
    ],
    ['Nov 26', '7.00', true],
  ])
  expect(queryOf(series?.points[1]?.href ?? '')).toEqual([
    ...[
      'from_date=2026-09-01',
      'to_date=2026-11-19',
      'filter=invoice_date>=2026-10-01',
      'filter=invoice_date<2026-11-01',
    ],
  ])
})

it('a bar opens the rows of its group; ages are counted from today', () => {
  const customers = of({
    report: 'sales.invoices',
    period: 'last-month',
    group: 'customer_name',
    measures: 'sum(total_amt)',
  })
  const { bars } = barsOf(customers, {
    rows: [
      { customer_name: 'A|B', total_amt: '1.00' },
      { customer_name: '', total_amt: '2' },
    ],
    total: 2,
  })
  expect(bars.map(({ label, href }) => [label, queryOf(href ?? '').at(-1)])).toEqual([
    ['A|B', 'filter=customer_name=A\\|B'],
    ['–', 'filter=customer_name='],
  ])
  const days = of({
    report: 'sales.sales-orders',
    period: 'last-12-months',
    group: 'day(order_date)',
    measures: 'rows',
  })
  const rows = ['2026-11-19', '2026-11-13', '2026-11-12', '2026-08-21', '2026-01-01'].map((day) => ({
    order_date_day: day,
    rows: 2,
  }))
  expect(agesOf(days, { rows, total: 5 }).bars.map(({ values }) => values)).toEqual([['4'], ['2'], ['0'], ['4']])
})

it('a line of a list names its record and links to it, with the fields of the list', () => {
  const view = of({
    ...{ report: 'sales.demand-status', values: { type: 'CONSOLIDATED' }, period: 'last-12-months' },
    ...{
      filter: ['short_qty>0'],
      sort: ['-short_qty'],
      fields: ['product_name', 'warehouse', 'available_qty', 'short_qty'],
    },
  })
  expect(queryOf(pathOfList(view))).toContain('fields=product_name,warehouse,available_qty,short_qty,UoM,product_sku')
  const row = {
    product_name: 'Bhujia',
    product_sku: 'FG-1',
    warehouse: 'Pune',
    available_qty: '0.0000',
    short_qty: '1228.0000',
    UoM: 'PCS',
  }
  const [line] = linesOf(view, [row], 'indian', 'INR')
  expect(line).toMatchObject({ label: 'Bhujia', details: ['Pune', 'in stock 0'], amount: '1,228', unit: 'PCS' })
  expect(queryOf(line?.href ?? '')).toEqual([
    ...[
      'type=CONSOLIDATED',
      'from_date=2025-12-01',
      'to_date=2026-11-19',
      'fields=product_name,warehouse,available_qty,short_qty',
    ],
    ...['sort=-short_qty', 'filter=short_qty>0', 'filter=product_sku=FG-1', 'filter=warehouse=Pune'],
  ])
  const due = of({
    report: 'partner.pending-deliveries',
    period: 'last-12-months',
    fields: ['product_name', 'delivery_date'],
  })
  const late = linesOf(due, [{ product_name: 'Salt', delivery_date: '2026-11-06' }], 'indian', 'INR')
  expect(late).toMatchObject([{ amount: '6 Nov', unit: '13 days ago' }])
})

it('words for days become days in every request and link', () => {
  const view = of({ report: 'partner.invetory-snapshot', period: 'today', filter: ['expiry_date<={in-60-days}'] })
  expect(queryOf(pageOf(view))).toEqual(['date=2026-11-19', 'filter=expiry_date<=2027-01-18'])
})
