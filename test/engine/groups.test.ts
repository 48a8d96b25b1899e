/** `?group=`, `?measures=`, `?having=` and `?compare=` give what grouping and comparing the records in memory gives. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Column, columnsOf } from '../../src/kernel/report/columns.js'
import { readParams } from '../../src/kernel/report/params.js'
import type { Report, Shape } from '../../src/kernel/report/report.js'
import { reports } from '../../src/reports/index.js'
import {
  before,
  COMPARISONS,
  compared,
  everySum,
  type Grouping,
  grouped,
  inOrder,
  type Key,
  type Measure,
  type Period,
  withUnits,
} from '../oracle/group.js'
import { bySort, type Filter, type Leaf, type Row, type Sorted, view } from '../oracle/view.js'
import { type Company, emptyCompany, loadCompany } from '../setup/company.js'
import { randomCompany, randomRange } from '../setup/random-company.js'
import { choice as anyChoice, type Choice, filterFrom, queryOf, sortFrom } from '../setup/random-view.js'
import { codesOf, requestsFor } from '../setup/requests.js'
import { type Request, type Service, startService } from '../setup/service.js'
import { long, runs } from '../setup/tier.js'

const INVOICES = '/v1/sales/invoices'
const PERIODS: readonly Period[] = ['day', 'week', 'month', 'quarter', 'year', 'fy']
const FUNCTIONS: readonly Measure['function'][] = ['sum', 'avg', 'min', 'max', 'count', 'distinct']

let service: Service
let token: string
/** A token of a client that must not see contact data. */
let blind: string
beforeAll(async () => {
  service = await startService()
  token = (await service.newCaller({ rate: 1_000_000_000 })).token
  blind = (await service.newCaller({ rate: 1_000_000_000, hideContacts: true })).token
})
afterAll(() => service.close())

const ask = (request: Request) => service.call({ token, ...request })

async function rowsOf(request: Request): Promise<Row[]> {
  const response = await ask({ ...request, query: { 'per-page': 5000, fields: 'all', ...request.query } })
  expect({ request, status: response.statusCode, body: response.statusCode === 200 ? '' : response.body }).toEqual({
    ...{ request, status: 200, body: '' },
  })
  return JSON.parse(withTexts(response.body)).data
}

/** JSON numbers with digits as texts, because random companies have amounts that no double can hold. */
const withTexts = (json: string): string => json.replace(/"(\w+)":(-?\d+\.\d+)(?=[,}])/g, '"$1":"$2"')

const leavesOf = (columns: readonly Column[], around: readonly string[] = []): Leaf[] =>
  columns.flatMap((column) => {
    const path = [...around, column.name]
    if (column.kind === 'nested') return leavesOf(column.columns, path)
    if (column.kind === 'lines' || column.kind === 'list' || column.kind === 'object') return []
    return [{ ...column, path, ...(column.kind === 'number' && { kind: 'decimal' }) }]
  })

function shapeFor(report: Report, request: Record<string, unknown>): Shape {
  const read = readParams(report.request, request)
  if ('errors' in read) throw new Error(JSON.stringify(read.errors))
  return report.shapeFor(read.values)
}

/** The company with a financial year that begins in this month. */
const withYear = (company: Company, month: number): Company => ({
  ...company,
  account: { ...company.account, year_begins: String(month) },
})

const hasRange = (body: Record<string, unknown>) => 'from_date' in body && 'to_date' in body

// Random groups --------------------------------------------------------------------------------------------------------

const pick = <T>(of: readonly T[], number: number): T => of[number % of.length] as T
const choice = fc.record({ field: fc.nat(), how: fc.nat() })
const conditions = fc.array(fc.tuple(anyChoice, anyChoice), { maxLength: 2 })
const anyGrouping = fc.record({
  keys: fc.array(choice, { minLength: 1, maxLength: 3 }),
  measures: fc.option(fc.array(choice, { minLength: 1, maxLength: 4 })),
  compare: fc.constantFrom(undefined, ...COMPARISONS),
  filters: conditions,
  having: conditions,
  sort: fc.uniqueArray(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 2 }),
  isBlind: fc.boolean(),
})

const keyFrom = (leaves: readonly Leaf[], { field, how }: { field: number; how: number }): Key => {
  const leaf = pick(leaves, field)
  const isDate = leaf.kind === 'date' || leaf.kind === 'timestamp'
  return isDate && how % 7 < 6 ? { leaf, period: pick(PERIODS, how % 7) } : { leaf }
}

function measureFrom(leaves: readonly Leaf[], { field, how }: { field: number; how: number }): Measure[] {
  const leaf = pick(leaves, field)
  const name = pick(FUNCTIONS, how)
  if (name === 'sum' && !leaf.additive) return []
  if (name === 'avg' && !['decimal', 'number', 'integer'].includes(leaf.kind)) return []
  return (name === 'min' || name === 'max') && leaf.kind === 'flag' ? [] : [{ leaf, function: name }]
}

const nameOf = ({ leaf: { path }, period }: Key) => (period ? `${period}(${path.join('.')})` : path.join('.'))
const columnOf = ({ leaf: { path }, period }: Key) => `${path.join('.')}${period ? `_${period}` : ''}`
const nameOfMeasure = ({ leaf: { path }, function: name }: Measure) => `${name}(${path.join('.')})`
const columnOfMeasure = ({ leaf: { path }, function: name }: Measure) =>
  `${path.join('.')}${name === 'sum' ? '' : `_${name}`}`
const once = <T>(all: readonly T[], of: (one: T) => string): T[] => [
  ...new Map(all.map((one) => [of(one), one])).values(),
]

/** A request for groups, and its answer computed from the records of the report. */
interface GroupsOf {
  readonly report: Report
  readonly body: Record<string, unknown>
  readonly grouping: Grouping
  /** Undefined for the usual measures. */
  readonly measures: readonly string[] | undefined
  readonly compare: (typeof COMPARISONS)[number] | undefined
  readonly yearBegins: number
  readonly by: string
  readonly filters: readonly Filter[]
  /** Chooses conditions and an order for these groups. */
  readonly choose: (groups: readonly Row[], leaves: readonly Leaf[]) => { having: Filter[]; sort: Sorted[] }
}

async function expectGroups({ report, body, grouping, measures, compare, yearBegins, by, filters, choose }: GroupsOf) {
  const { path, id } = report
  const shape = shapeFor(report, body)
  const leaves = leavesOf(columnsOf(shape))
  const of = {
    cancelled: shape.cancelled,
    filtered: filters.map(({ leaf }) => leaf.path.join('_')),
    hidesContacts: by === blind,
  }
  const groupsOf = async (days: Record<string, unknown>, from: string): Promise<Row[]> => {
    const rows = view(await rowsOf({ path, body: { ...body, ...days }, token: by }), leaves, {
      ...{ sort: [], filters, words: [] },
    })
    return grouped(rows, grouping, { from, yearBegins }, of)
  }
  const [from, to] = [body['from_date'], body['to_date']].map(String) as [string, string]
  const now = await groupsOf({}, from)
  let [groups, columns] = [now, columnsOfGroups(grouping, shape)]
  if (compare !== undefined) {
    const [from_date, to_date] = before(from, to, compare)
    const then = await groupsOf({ from_date, to_date }, from_date)
    const calendars = [
      { from, yearBegins },
      { from: from_date, yearBegins },
    ] as const
    groups = inOrder(compared([now, then], columns, grouping.keys, calendars), grouping.keys)
    columns = columns.flatMap((leaf) => comparedLeaves(leaf, grouping.keys))
  }
  const { having, sort } = choose(groups, columns)
  const expected = view(groups, columns, { sort, filters: having, words: [] })
  const query = {
    group: grouping.keys.map(nameOf).join(),
    ...(measures && { measures: measures.join() }),
    ...(compare && { compare }),
    ...queryOf({ sort, filters, words: [] }),
    ...(having.length > 0 && { having: queryOf({ sort: [], filters: having, words: [] }).filter as string[] }),
  }
  const data = await rowsOf({ path, body, query, token: by })
  expect({ id, body, query, data }).toEqual({ id, body, query, data: expected })
  return groups.length
}

/** A number of a compared record, its value before and its change. */
function comparedLeaves(leaf: Leaf, keys: readonly Key[]): Leaf[] {
  const name = leaf.path.join('.')
  if (!NUMBERS.includes(leaf.kind) || keys.some((key) => columnOf(key) === name)) return [leaf]
  const beside = (end: string) => [...leaf.path.slice(0, -1), `${leaf.path.at(-1)}${end}`]
  return [
    leaf,
    { ...leaf, path: beside('__before') },
    { ...leaf, path: beside('__change'), ...('absent' in leaf && { absent: null }) },
  ]
}
const NUMBERS = ['decimal', 'number', 'integer']

/** The contract's only JSON number has no fixed number of digits, so a part of its text is no part of a decimal. */
const withoutJsonNumbers = (leaves: readonly Leaf[]) => leaves.filter(({ path }) => !path[0]?.startsWith('final_amt'))
const filtersFrom = (leaves: readonly Leaf[], rows: readonly Row[], chosen: readonly (readonly [Choice, Choice])[]) =>
  chosen.flatMap(([one, other]) => filterFrom(withoutJsonNumbers(leaves), rows, one, other) ?? [])

it('every report, filtered, grouped, compared and sorted at random, equals the oracle', async () => {
  let seen = 0
  await fc.assert(
    fc.asyncProperty(
      randomCompany,
      randomRange,
      fc.integer({ min: 1, max: 12 }),
      fc.array(anyGrouping, { minLength: 3, maxLength: 3 }),
      async (company, range, yearBegins, groupings) => {
        await loadCompany(service.db, withYear(company, yearBegins))
        for (const [i, report] of reports.entries()) {
          const requests = requestsFor(report, range, { ...codesOf(company), vendor_code: ['V1'], limit: ['5000'] })
          const body = pick(requests, i + yearBegins)
          const leaves = leavesOf(columnsOf(shapeFor(report, body)))
          for (const { keys: chosen, measures, compare, filters, having, sort, isBlind } of groupings) {
            const keys = once(
              chosen.map((one) => keyFrom(leaves, one)),
              columnOf,
            )
            const wanted = measures?.flatMap((one) => measureFrom(leaves, one)) ?? everySum(leaves, keys)
            const names = new Set(keys.map(columnOf))
            const grouping: Grouping = withUnits(
              { keys, measures: once(wanted, columnOfMeasure).filter((one) => !names.has(columnOfMeasure(one))) },
              leaves,
            )
            if (measures !== null && grouping.measures.length === 0) continue
            const by = isBlind ? blind : token
            seen += await expectGroups({
              ...{ report, body, grouping, yearBegins, by },
              measures: measures === null ? undefined : grouping.measures.map(nameOfMeasure),
              compare: hasRange(body) ? compare : undefined,
              filters: filtersFrom(leaves, await rowsOf({ path: report.path, body, token: by }), filters),
              choose: (groups, columns) => ({
                having: filtersFrom(columns, groups, having),
                sort: sortFrom(columns, sort),
              }),
            })
          }
        }
      },
    ),
    { numRuns: runs(1, 30), endOnFailure: true },
  )
  expect(seen).toBeGreaterThan(runs(0, 3))
})

/** The fields of grouped records. */
const columnsOfGroups = ({ keys, measures }: Grouping, { cancelled }: Pick<Shape, 'cancelled'>): Leaf[] => [
  ...keys.map((key): Leaf => {
    const path = columnOf(key).split('.')
    return key.period === undefined ? key.leaf : { path, kind: 'text', absent: null, additive: false }
  }),
  { path: ['rows'], kind: 'integer', wire: 'number', additive: false },
  ...measures.map((measure): Leaf => {
    const { leaf, function: name } = measure
    const path = columnOfMeasure(measure).split('.')
    const digits = leaf.kind === 'integer' ? 0 : (leaf.digits ?? 0)
    if (name === 'sum') return { path, kind: 'decimal', digits, additive: true }
    if (name === 'avg')
      return { path, kind: 'decimal', digits: Math.max(2, leaf.upTo ?? digits), absent: null, additive: false }
    if (name === 'count' || name === 'distinct') return { path, kind: 'integer', wire: 'number', additive: false }
    return { ...leaf, path, absent: null }
  }),
  ...(cancelled ? [{ path: ['_cancelled'], kind: 'integer', wire: 'number', additive: false } as const] : []),
]

it('every field of every report can be a group and be measured by every function that fits it', async () => {
  const [company] = fc.sample(randomCompany, { numRuns: 1, seed: 7 }) as [Company]
  await loadCompany(service.db, withYear(company, 4))
  const range = { from_date: '2024-01-01', to_date: '2027-12-31' }
  const codes = { ...codesOf(company), vendor_code: ['V1'], limit: ['5000'] }
  for (const report of reports.filter((_, i) => i % runs(9, 1) === 0)) {
    const body = requestsFor(report, range, codes)[0] ?? {}
    const leaves = leavesOf(columnsOf(shapeFor(report, body)))
    for (const [i, leaf] of leaves.entries()) {
      const isDate = leaf.kind === 'date' || leaf.kind === 'timestamp'
      const keys: Key[] = [{ leaf }, ...(isDate ? PERIODS.map((period) => ({ leaf, period })) : [])]
      const measures = FUNCTIONS.flatMap((_, how) =>
        measureFrom([leaves[(i + how) % leaves.length] as Leaf], { field: 0, how }),
      )
      const grouping = withUnits(
        { keys, measures: once(measures, columnOfMeasure).filter((one) => one.leaf !== leaf) },
        leaves,
      )
      await expectGroups({
        ...{ report, body, grouping, yearBegins: 4, by: token, filters: [] },
        measures: ['rows', ...grouping.measures.map(nameOfMeasure)],
        compare: hasRange(body) && (long || i % 5 === 0) ? 'year' : undefined,
        choose: () => ({ having: [], sort: [] }),
      })
    }
  }
})

it('every report with a range, its records compared by their key, equals the oracle', async () => {
  let both = 0
  await fc.assert(
    fc.asyncProperty(randomCompany, randomRange, fc.constantFrom(...COMPARISONS), async (company, range, compare) => {
      await loadCompany(service.db, company)
      for (const report of reports.filter(({ request }) => 'from_date' in request)) {
        const { path } = report
        const [body = {}] = requestsFor(report, range, codesOf(company)).filter(hasRange)
        const shape = shapeFor(report, body)
        const leaves = leavesOf(columnsOf(shape))
        const hidden = leavesOf(columnsOf({ record: shape.hiddenKey ?? {} })).map((leaf) => ({
          ...leaf,
          path: leaf.path.map((name) => `_${name}`),
        }))
        const order = shape.orderBy.map(({ column, descending }) => ({
          leaf: [...leaves, ...hidden].find(({ path }) => [column, `_${column}`].includes(path.join('_'))) as Leaf,
          descending,
        }))
        const [from_date, to_date] = before(range.from_date, range.to_date, compare)
        const sides = await Promise.all(
          [body, { ...body, from_date, to_date }].map((body) => rowsOf({ path, body, query: { since: 'start' } })),
        )
        const calendar = { from: range.from_date, yearBegins: 4 }
        const keys = order.map(({ leaf }) => ({ leaf }))
        const expected = compared(sides as [Row[], Row[]], [...leaves, ...hidden], keys, [calendar, calendar])
          .sort(bySort(order))
          .map((row) =>
            Object.fromEntries(Object.entries(row).filter(([name]) => !hidden.some((one) => one.path[0] === name))),
          )
        const data = await rowsOf({ path, body, query: { compare } })
        const lists = columnsOf(shape).flatMap(({ kind, name }) => (kind === 'list' ? [name] : []))
        expect({ id: report.id, body, data: data.map((row) => without(row, lists)) }).toEqual({
          ...{ id: report.id, body, data: expected },
        })
        both += sides.every(({ length }) => length > 0) ? 1 : 0
      }
    }),
    { numRuns: runs(1, 30), endOnFailure: true },
  )
  if (long) expect(both).toBeGreaterThan(0)
})

const without = (row: Row, names: readonly string[]): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))

describe('on figures worked out by hand', () => {
  const RANGE = { from_date: '2026-04-01', to_date: '2026-06-30' }
  const q = (query: Record<string, string | readonly string[]>, body: Record<string, string> = RANGE) =>
    ask({ path: INVOICES, body, query })
  const data = async (query: Record<string, string | readonly string[]>, body?: Record<string, string>) => {
    const response = await q(query, body)
    expect([response.statusCode, response.statusCode === 200 ? '' : response.body]).toEqual([200, ''])
    return response.json().data
  }

  beforeAll(async () => {
    await loadCompany(service.db, withYear(emptyCompany(), 4))
    const invoices: [string, string, string | null, string, string][] = [
      ['A1', '2025-04-07 10:00', 'C1', '50.00', 'Submitted'],
      ['A2', '2026-01-05 10:00', 'C1', '30.00', 'Submitted'],
      ['A3', '2026-02-28 10:00', 'C2', '70.00', 'Submitted'],
      ['B1', '2026-04-01 00:00', 'C1', '100.00', 'Submitted'],
      ['B2', '2026-04-30 23:59', 'C2', '200.50', 'Submitted'],
      ['B3', '2026-05-04 12:00', 'C1', '10.25', 'Submitted'],
      ['B4', '2026-05-05 12:00', 'C1', '999.00', 'Cancelled'],
      ['B5', '2026-06-30 12:00', null, '-5.00', 'Submitted'],
    ]
    await service.db`insert into customer (code, name) values ('C1', 'Asha Stores'), ('C2', 'Bharat Mart')`
    for (const [no, at, customer, amount, status] of invoices)
      await service.db`
        insert into invoice (invoice_no, invoice_at, due_date, customer_code, sub_total, total_tax, total_amt, round_amt, final_amt, status)
        values (${no}, ${at}::timestamp, ${at}::timestamp::date, ${customer}, ${amount}::numeric, 0, ${amount}::numeric, 0, ${amount}::numeric, ${status})`
    await service.db`update data_version set version = version + 1`
  })
  const SUM = 'sum(total_amt)'

  it('months, without cancelled invoices, with their sums and numbers of records', async () => {
    expect(await data({ group: 'month(invoice_date)', measures: SUM })).toEqual([
      { invoice_date_month: '2026-04', rows: 2, total_amt: '300.50', _cancelled: 0 },
      { invoice_date_month: '2026-05', rows: 1, total_amt: '10.25', _cancelled: 1 },
      { invoice_date_month: '2026-06', rows: 1, total_amt: '-5.00', _cancelled: 0 },
    ])
    expect(await data({ group: 'invoice_status,fy(invoice_date)', measures: SUM })).toEqual([
      { invoice_status: 'Cancelled', invoice_date_fy: '2026-27', rows: 1, total_amt: '999.00', _cancelled: 0 },
      { invoice_status: 'Submitted', invoice_date_fy: '2026-27', rows: 4, total_amt: '305.75', _cancelled: 0 },
    ])
    const counted = await data({ group: 'week(invoice_date)', filter: 'invoice_status=Cancelled', measures: 'rows' })
    expect(counted).toEqual([{ invoice_date_week: '2026-W19', rows: 1, _cancelled: 0 }])
  })

  it('a group of cancelled invoices only says so; having and sort know their number', async () => {
    const days = { from_date: '2026-05-05', to_date: '2026-05-31' }
    const measures = 'sum(total_amt),avg(total_amt),max(invoice_no),count(invoice_no),distinct(customer_name)'
    expect(await data({ group: 'customer_name', measures }, days)).toEqual([
      {
        ...{ customer_name: 'Asha Stores', rows: 0, total_amt: '0.00', total_amt_avg: null, invoice_no_max: null },
        ...{ invoice_no_count: 0, customer_name_distinct: 0, _cancelled: 1 },
      },
    ])
    const some = { group: 'customer_name', measures: 'rows', having: '_cancelled>0', sort: '-_cancelled' }
    expect(await data(some)).toEqual([{ customer_name: 'Asha Stores', rows: 2, _cancelled: 1 }])
    expect(await data({ ...some, having: 'rows=0' })).toEqual([])
  })

  it('every function; averages are rounded once, half away from zero', async () => {
    const measures = 'avg(total_amt),min(total_amt),max(invoice_date),count(customer_name),distinct(customer_name)'
    expect(await data({ group: 'quarter(invoice_date)', measures })).toEqual([
      {
        ...{ invoice_date_quarter: '2026-Q2', rows: 4, total_amt_avg: '76.44', total_amt_min: '-5.00' },
        ...{ invoice_date_max: '2026-06-30 12:00:00', customer_name_count: 4, customer_name_distinct: 3 },
        _cancelled: 1,
      },
    ])
  })

  it('an average is exact: it is not rounded to the digits of a quotient first', async () => {
    const invoices = Array.from({ length: 200 }, (_, i) => `L${i}`)
    await service.db`
      insert into invoice (invoice_no, invoice_at, due_date, sub_total, total_tax, total_amt, round_amt, final_amt, status)
      select no, '2020-01-01', '2020-01-01', 0, 0, amount, 0, 0, 'Submitted'
        from (select no, case no when 'L0' then 1000000000000.99 else 1000000000000.00 end as amount
                from unnest(${invoices}::text[]) no) invoices`
    await service.db`update data_version set version = version + 1`
    const days = { from_date: '2020-01-01', to_date: '2020-01-01' }
    const [found] = await data({ group: 'year(invoice_date)', measures: 'avg(total_amt)' }, days)
    expect(found).toEqual({ invoice_date_year: '2020', rows: 200, total_amt_avg: '1000000000000.00', _cancelled: 0 }) // …0.00495
    await service.db`delete from invoice where invoice_no like 'L%'`
    await service.db`update data_version set version = version + 1`
  })

  it('null is a group, and the last one in either order', async () => {
    await service.db`update customer set contact_person = 'Asha' where code = 'C1'`
    await service.db`update data_version set version = version + 1`
    const none = { contact_person: null, rows: 2, _cancelled: 0 }
    for (const sort of ['', 'contact_person', '-contact_person'])
      expect(await data({ group: 'contact_person', measures: 'rows', sort }), sort).toEqual([
        { contact_person: 'Asha', rows: 2, _cancelled: 1 },
        none,
      ])
    expect(await data({ group: 'contact_person', measures: 'rows', having: 'contact_person=' })).toEqual([none])
  })

  it('having and sort see the figures of groups', async () => {
    const query = { group: 'customer_name', measures: SUM, sort: '-total_amt', having: ['total_amt>0', 'rows<3'] }
    expect(await data(query)).toEqual([
      { customer_name: 'Bharat Mart', rows: 1, total_amt: '200.50', _cancelled: 0 },
      { customer_name: 'Asha Stores', rows: 2, total_amt: '110.25', _cancelled: 1 },
    ])
    expect(await data({ ...query, fields: 'total_amt,customer_name', 'per-page': '1', page: '2' })).toEqual([
      { total_amt: '110.25', customer_name: 'Asha Stores' },
    ])
  })

  it('the quarter before, whose months match by their place', async () => {
    expect(await data({ group: 'month(invoice_date)', measures: SUM, compare: 'previous' })).toEqual([
      inMonth('2026-04', [2, 1, 1], ['300.50', '30.00', '270.50']),
      inMonth('2026-05', [1, 1, 0], ['10.25', '70.00', '-59.75']),
      inMonth('2026-06', [1, 0, 1], ['-5.00', '0.00', '-5.00']),
    ])
    const year = await data({
      group: 'month(invoice_date)',
      measures: SUM,
      compare: 'year',
      having: 'total_amt__before!=0',
    })
    expect(year).toEqual([inMonth('2026-04', [2, 1, 1], ['300.50', '50.00', '250.50'])])
    const [totals] = await data({ totals: 'yes', compare: 'year' })
    expect(totals).toMatchObject({
      ...{ rows: 4, rows__before: 1, rows__change: 3, _cancelled: 1, _cancelled__before: 0 },
      ...{ total_amt: '305.75', total_amt__before: '50.00', total_amt__change: '255.75' },
    })
  })
  const inMonth = (month: string, rows: number[], amounts: string[]) => ({
    invoice_date_month: month,
    ...{ rows: rows[0], rows__before: rows[1], rows__change: rows[2] },
    ...{ total_amt: amounts[0], total_amt__before: amounts[1], total_amt__change: amounts[2] },
    ...{
      _cancelled: month === '2026-05' ? 1 : 0,
      _cancelled__before: 0,
      _cancelled__change: month === '2026-05' ? 1 : 0,
    },
  })

  it.each([
    ['a leap day and its February', { from_date: '2028-02-01', to_date: '2028-02-29' }, ['2027-02-01', '2027-02-28']],
    [
      'a range that ends on a leap day',
      { from_date: '2028-02-10', to_date: '2028-02-29' },
      ['2027-02-10', '2027-02-28'],
    ],
    ['a February after a leap year', { from_date: '2029-02-01', to_date: '2029-02-28' }, ['2028-02-01', '2028-02-29']],
  ])('a year before %s', async (_what, range, [first, last]) => {
    const day = async (no: string, at: string) =>
      await service.db`
        insert into invoice (invoice_no, invoice_at, due_date, sub_total, total_tax, total_amt, round_amt, final_amt, status)
        values (${no}, ${at}::timestamp, ${at}::timestamp::date, 0, 0, 1, 0, 1, 'Submitted')`
    const dayBefore = new Date(Date.parse(`${first}T00:00Z`) - 86_400_000).toISOString().slice(0, 10)
    const dayAfter = new Date(Date.parse(`${last}T00:00Z`) + 86_400_000).toISOString().slice(0, 10)
    for (const [i, at] of [dayBefore, first, last, dayAfter].entries()) await day(`Y${i}`, `${at} 12:00`)
    await service.db`update data_version set version = version + 1`
    const [totals] = await data({ totals: 'yes', compare: 'year' }, range)
    expect([totals.rows, totals.rows__before]).toEqual([0, 2])
    await service.db`delete from invoice where invoice_no like 'Y%'`
    await service.db`update data_version set version = version + 1`
  })

  it('an earlier period before the year 0001 is refused; one in the first years is right', async () => {
    const first = { from_date: '0001-01-01', to_date: '0001-01-31' }
    for (const compare of ['previous', 'year']) {
      const response = await q({ compare }, first)
      expect([response.statusCode, response.json().errors]).toEqual([
        422,
        [
          {
            field: 'compare',
            message: 'must be left out, because the earlier period would begin before the year 0001',
          },
        ],
      ])
    }
    const [totals] = await data({ totals: 'yes', compare: 'year' }, { from_date: '0050-01-01', to_date: '9999-12-31' })
    expect([totals.rows, totals.rows__before]).toEqual([7, 7])
  })

  it('the same by GET, whose links carry the whole view', async () => {
    const view = {
      group: 'customer_name,month(invoice_date)',
      measures: SUM,
      having: ['rows>0', 'total_amt>-9'],
      compare: 'year',
    }
    const whole = await data(view)
    const first = await ask({ method: 'GET', path: INVOICES, query: { ...RANGE, ...view, 'per-page': '2' } })
    const { data: page, _links } = first.json()
    const { searchParams } = new URL(_links.next.href)
    const next = { ...Object.fromEntries(searchParams), having: searchParams.getAll('having') }
    const second = await ask({ method: 'GET', path: INVOICES, query: next })
    expect([...page, ...second.json().data]).toEqual(whole.slice(0, 4))
    expect(whole.length).toBeGreaterThan(3)
  })

  it('every format has the groups', async () => {
    const view = { group: 'customer_name', measures: SUM }
    const rows = await data(view)
    const csv = await q({ ...view, format: 'csv' })
    expect(csv.body).toBe(
      'customer_name,rows,total_amt,_cancelled\n"",1,-5.00,0\nAsha Stores,2,110.25,1\nBharat Mart,1,200.50,0\n'.replaceAll(
        '\n',
        '\r\n',
      ),
    )
    const ndjson = await q({ ...view, format: 'ndjson' })
    expect(
      ndjson.body
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(rows)
    for (const format of ['xlsx', 'parquet']) expect((await q({ ...view, format })).statusCode).toBe(200)
  })

  it.each<[Record<string, string>, string]>([
    [{ group: 'nothing' }, 'group names "nothing", which is not a field of this report'],
    [{ group: 'items' }, 'group names "items", which has several values in one record'],
    [
      { group: 'decade(invoice_date)' },
      'group must be a field or one of day, week, month, quarter, year, fy of a date, not "decade(invoice_date)"',
    ],
    [{ group: 'month(customer_name)' }, 'group names "month(customer_name)", but customer_name is not a date'],
    [{ group: 'customer_name,customer_name' }, 'group gives the column customer_name twice'],
    [{ group: 'rows' }, 'group names "rows", which is not a field'],
    [
      { group: 'customer_name', measures: 'total_amt' },
      'measures must be rows or one of sum, avg, min, max, count, distinct of a field, such as sum(total_amt), not "total_amt"',
    ],
    [
      { group: 'customer_name', measures: 'avg(customer_name)' },
      'measures names "avg(customer_name)", but customer_name is not a number',
    ],
    [
      { group: 'customer_name', measures: 'sum(invoice_date)' },
      'measures names "sum(invoice_date)", but the sum of invoice_date means nothing',
    ],
    [
      { group: 'customer_name', measures: Array.from({ length: 51 }, () => SUM).join(',') },
      'measures must be at most 50 names, not 51',
    ],
    [{ group: 'customer_name', having: 'sub_totals>1' }, 'having names "sub_totals", which is not a field'],
    [{ group: 'customer_name', sort: 'invoice_no' }, 'sort names "invoice_no", which is not a field'],
    [{ group: 'customer_name', totals: 'yes' }, 'group must be left out with totals'],
    [{ measures: SUM }, 'measures must be left out without group'],
    [{ having: 'total_amt>1' }, 'having must be left out without group and compare'],
    [{ group: 'customer_name', since: 'start' }, 'since must be left out'],
    [{ compare: 'yesterday' }, 'compare must be one of previous, month, quarter, year'],
  ])('%j is refused: %s', async (query, message) => {
    const response = await q(query)
    expect(response.statusCode).toBe(422)
    const [{ field, message: found }] = response.json().errors
    expect(`${field} ${found}`).toContain(message)
  })

  it('a comparison needs a range of days', async () => {
    const response = await ask({ method: 'GET', path: '/v1/inventory/material', query: { compare: 'year' } })
    expect([response.statusCode, response.json().errors[0].message]).toEqual([
      422,
      'must be left out, because the request has no from_date and to_date to take an earlier period from',
    ])
  })
})
