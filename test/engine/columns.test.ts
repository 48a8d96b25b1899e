/** The columns and keys that columnsOf and keyOf derive from a declaration fit the records of the sample company. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isCalendarDate } from '../../src/calendar.js'
import { withComputed } from '../../src/db/computed.js'
import { query } from '../../src/db/query.js'
import { identifier, join, sql } from '../../src/db/sql.js'
import { type Column, columnsOf, type KeyPart, keyOf, type ValueColumn } from '../../src/kernel/report/columns.js'
import {
  Decimal,
  Integer,
  IsoDate,
  Lines,
  Nested,
  NotAdditive,
  OrMarker,
  OrNull,
  Text,
} from '../../src/kernel/report/fields.js'
import { readOrder } from '../../src/kernel/report/order.js'
import { readParams } from '../../src/kernel/report/params.js'
import { WHOLE } from '../../src/kernel/report/rights.js'
import { reports } from '../../src/reports/index.js'
import { closeExample } from '../../src/surfaces/docs/examples.js'
import { byText } from '../oracle/order.js'
import { openSample } from '../setup/database.js'
import { someRequestsFor } from '../setup/requests.js'
import { type Service, startService } from '../setup/service.js'

const TODAY = '2026-06-30'

let service: Service
beforeAll(async () => {
  service = await startService({}, await openSample({ today: TODAY, scale: 0.1, months: 2 }))
  await closeExample(service.database)
})
afterAll(() => service.close())

it('columns and key of a record follow from its declaration', () => {
  const shape = {
    record: {
      no: Integer('Its number.'),
      due: OrMarker(IsoDate(''), 'N/A'),
      at: Nested('', { city: OrNull(Text('')) }),
      lines: Lines('', {
        fields: { qty: Decimal(4, ''), rate: NotAdditive(Decimal(4, '')) },
        query: sql`select 1`,
        orderBy: ['line_no', 'qty desc'],
      }),
    },
    orderBy: readOrder(['at_city', 'hidden desc', 'no']),
  }
  expect(columnsOf(shape)).toEqual([
    { name: 'no', description: 'Its number.', kind: 'integer', wire: 'number', contact: false, additive: false },
    { name: 'due', description: '', kind: 'date', absent: 'N/A', contact: false, additive: false },
    {
      ...{ name: 'at', description: '', kind: 'nested' },
      columns: [{ name: 'city', description: '', kind: 'text', absent: null, contact: false, additive: false }],
    },
    {
      ...{ name: 'lines', description: '', kind: 'lines' },
      columns: [
        { name: 'qty', description: '', kind: 'decimal', digits: 4, contact: false, additive: true },
        { name: 'rate', description: '', kind: 'decimal', digits: 4, contact: false, additive: false },
      ],
      key: [
        { column: 'line_no', descending: false, path: undefined },
        { column: 'qty', descending: true, path: ['qty'] },
      ],
    },
  ])
  expect(keyOf(shape)).toEqual([
    { column: 'at_city', descending: false, path: ['at', 'city'] },
    { column: 'hidden', descending: true, path: undefined },
    { column: 'no', descending: false, path: ['no'] },
  ])
})

describe.each(reports.map((report) => [report.id, report] as const))('%s', (_id, report) => {
  const requests = someRequestsFor(report, { from_date: '2026-05-01', to_date: TODAY })
  const recordsOf = async (body: object): Promise<Record<string, unknown>[]> =>
    (await service.call({ path: report.path, body, query: { 'per-page': 5000, fields: 'all' } })).json().data

  it('every value is of its column’s kind', async () => {
    const wrong: string[] = []
    let seen = 0
    for (const request of requests) {
      const columns = columnsOf(report.shapeFor(valuesOf(request)))
      for (const record of await recordsOf(request)) {
        checkRecord(columns, record, report.id, wrong)
        seen++
      }
    }
    expect(seen).toBeGreaterThan(0)
    expect([...new Set(wrong)]).toEqual([])
  })

  it('no two records have the same key', async () => {
    for (const request of requests) {
      const shape = report.shapeFor(valuesOf(request))
      const key = keyOf(shape)
      const columns = join(
        key.map(({ column }) => identifier(column)),
        ', ',
      )
      const statement = sql`
        select count(*) as records, (select count(*) from (select distinct ${columns} from (${shape.query(valuesOf(request), WHOLE)}) d) k) as keys
          from (${shape.query(valuesOf(request), WHOLE)}) r`
      const [count] = await query<{ records: string; keys: string }>(
        service.db,
        await withComputed(service.db, statement),
      )
      expect(count?.keys).toBe(count?.records)
      if (key.some(({ path }) => path === undefined)) continue
      const records = await recordsOf(request)
      expect(records.toSorted((a, b) => byKey(key, a, b))).toEqual(records)
    }
  })

  const valuesOf = (request: Record<string, unknown>) => {
    const read = readParams(report.request, request)
    if ('errors' in read) throw new Error(JSON.stringify(read.errors))
    return read.values
  }
})

function checkRecord(columns: readonly Column[], record: Record<string, unknown>, at: string, wrong: string[]): void {
  if (Object.keys(record).join() !== columns.map(({ name }) => name).join()) wrong.push(`${at} has other fields`)
  for (const column of columns) {
    const value = record[column.name]
    const here = `${at}.${column.name}`
    if (column.kind === 'nested') checkRecord(column.columns, value as Record<string, unknown>, here, wrong)
    else if (column.kind === 'lines')
      for (const line of value as Record<string, unknown>[]) checkRecord(column.columns, line, here, wrong)
    else if (!fits(column, value)) wrong.push(`${here} is no ${column.kind}: ${JSON.stringify(value)}`)
  }
}

function fits(column: ValueColumn, value: unknown): boolean {
  if (column.absent !== undefined && value === column.absent) return true
  const text = typeof value === 'string' ? value : ''
  const [day = '', time = ''] = text.split(' ')
  switch (column.kind) {
    case 'text':
      return typeof value === 'string'
    case 'word':
      return column.words.includes(text)
    case 'decimal':
      return fitsDecimal(column, text)
    case 'integer':
      return column.wire === 'number' ? Number.isInteger(value) : /^-?\d+$/.test(text)
    case 'number':
      return typeof value === 'number'
    case 'date':
      return isCalendarDate(text)
    case 'timestamp':
      return isCalendarDate(day) && (column.clock === 24 ? isTime(time) : /^(0\d|1[0-2]):\d\d:\d\d[AP]M$/.test(time))
    case 'time':
      return isTime(text)
    case 'flag':
      return text === 'true' || text === 'false'
    case 'list':
      return Array.isArray(value) && value.every((one) => typeof one === 'string')
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
  }
}

/** Fraction digits beyond the minimum appear only if they are needed. */
const fitsDecimal = ({ digits, upTo = digits }: { digits: number; upTo?: number }, text: string) => {
  const fraction = /^-?\d+\.(\d+)$/.exec(text)?.[1] ?? ''
  return fraction.length === digits || (fraction.length > digits && fraction.length <= upTo && !fraction.endsWith('0'))
}

const isTime = (text: string) => /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/.test(text)

/** Only texts, days and times can be compared as the record writes them. */
function byKey(key: readonly KeyPart[], a: Record<string, unknown>, b: Record<string, unknown>): number {
  for (const { path = [], descending } of key) {
    const [left, right] = [a, b].map((record) =>
      path.reduce<unknown>((value, name) => (value as typeof a)[name], record),
    )
    const order =
      left === null || right === null
        ? Number(left === null) - Number(right === null)
        : byText(String(left), String(right))
    if (order !== 0) return descending ? -order : order
  }
  return 0
}
