/** Parameters: the accepted values and forms, and the errors for all others. */

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { pageParams } from '../../src/kernel/report/paging.js'
import {
  Alternative,
  DayOrToday,
  Defaulting,
  dateRange,
  leastParams,
  OneOf,
  Optional,
  type Param,
  readParams,
  TextParam,
  WholeNumber,
  ZeroOrOne,
} from '../../src/kernel/report/params.js'
import { viewParams } from '../../src/kernel/report/view-params.js'
import { reports } from '../../src/reports/index.js'

const params = {
  ...dateRange,
  type: OneOf(['FG', 'SFG'], ''),
  tax: ZeroOrOne('number', ''),
  vendor: Optional(TextParam('', 'V1')),
}
const good = { from_date: '2024-02-29', to_date: '2024-02-29', type: 'FG', tax: '1' }

it('reads every accepted form', () => {
  expect(readParams(params, good)).toEqual({ values: { ...good, tax: true } })
  for (const vendor of ['', null, undefined])
    expect(readParams(params, { ...good, vendor })).toEqual({ values: { ...good, tax: true } })
  expect(readParams(params, { ...good, tax: 0, vendor: 'V1' })).toEqual({
    values: { ...good, tax: false, vendor: 'V1' },
  })
})

it('a parameter with a default always has a value; a day that is today by default has none', () => {
  const params = {
    by: Defaulting(OneOf(['item', 'batch'], ''), 'item'),
    days: Defaulting(WholeNumber('number', 400, '', 30), 90),
    as_on: DayOrToday('', '2026-06-30'),
  }
  for (const nothing of [{}, { by: '', days: '', as_on: '' }, { by: null, days: undefined }])
    expect(readParams(params, nothing)).toEqual({ values: { by: 'item', days: 90 } })
  const given = { by: 'batch', days: 7, as_on: '2024-02-29' }
  expect(readParams(params, given)).toEqual({ values: given })
  expect(readParams(params, { by: 'lot', days: 0, as_on: 'today' })).toMatchObject({
    errors: [{ field: 'by' }, { field: 'days' }, { field: 'as_on' }],
  })
})

it('takes exactly one of several parameters, and says which ones there are', () => {
  const params = {
    ...{ order: Alternative('start', TextParam('', 'S1')), batch: Alternative('start', TextParam('', 'B1')) },
    sku: Optional(TextParam('', 'I1')),
  }
  expect(readParams(params, { batch: 'B1', order: '' })).toEqual({ values: { batch: 'B1' } })
  const all = 'give exactly one of order, batch'
  expect(readParams(params, { sku: 'I1' })).toEqual({ errors: [{ field: 'order', message: `is missing: ${all}` }] })
  expect(readParams(params, { order: 'S1', batch: 'B1' })).toEqual({
    errors: [{ field: 'batch', message: `cannot stand beside order: ${all}` }],
  })
  expect(readParams(params, { order: 1 })).toMatchObject({ errors: [{ field: 'order' }] })
  expect(leastParams({ ...params, ...dateRange })).toEqual(['from_date', 'to_date', 'order'])
})

it('takes exactly the days that exist', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9999 }),
      fc.integer({ min: 0, max: 13 }),
      fc.integer({ min: 0, max: 32 }),
      (y, m, d) => {
        const text = `${String(y).padStart(4, '0')}-${String(m).padStart(2, '0')}-${String(d).padStart(2, '0')}`
        const leap = (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0
        const days = [0, 31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][m] ?? 0
        expect('values' in readParams({ day: dateRange.from_date }, { day: text })).toBe(d >= 1 && d <= days)
      },
    ),
  )
})

it.each([
  ...[
    '2024-2-01',
    '24-02-01',
    '2024-02-01 ',
    '2024-02-01T00:00:00Z',
    '20240201',
    '0000-01-01',
    '',
    20240201,
    {},
    [],
    true,
  ],
])('refuses %j as a day', (day) => {
  expect(readParams({ day: dateRange.from_date }, { day })).toHaveProperty('errors')
})

it('any input gives values or named errors, never an exception', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.oneof(fc.constantFrom(...Object.keys(params)), fc.string()), fc.jsonValue()),
      (given) => {
        const read = readParams(params, given)
        if ('errors' in read)
          for (const { field, message } of read.errors) expect(`${field} ${message}`.length).toBeLessThan(400)
      },
    ),
  )
})

it('a form made from a parameter’s type offers exactly the accepted values', () => {
  const offered = ({ type }: Param<unknown>): [accepted: unknown[], refused: unknown[]] => {
    switch (type.kind) {
      case 'date':
        return [['2026-06-30'], ['2026-06-31', 'today']]
      case 'word':
        return [[...type.words], ['another']]
      case 'zero-or-one':
        return [
          [0, 1, '0', '1'],
          [2, true, 'yes'],
        ]
      case 'whole-number':
        return [
          [type.smallest, type.largest, String(type.largest)],
          [type.smallest - 1, type.largest + 1, 1.5],
        ]
      case 'texts':
        return [[['a', 'b']], [1]]
      case 'text':
        return [type.pattern === undefined ? ['V'.repeat(type.longest)] : [], ['V'.repeat(type.longest + 1), 1]]
    }
  }
  for (const report of reports)
    for (const [name, param] of Object.entries(report.request)) {
      const [accepted, refused] = offered(param)
      const at = `${report.id} ${name}`
      if (param.type.kind === 'text' && param.type.pattern)
        expect(param.example, at).toMatch(new RegExp(param.type.pattern))
      for (const value of [...accepted, param.example]) expect(param.read(value), at).not.toBeUndefined()
      for (const value of refused) expect(param.read(value), at).toBeUndefined()
      expect(param.description, at).not.toBe('')
    }
})

it('empty filters count as left out', () => {
  expect(viewParams.filter.read(['', 'qty>1', ''])).toEqual(['qty>1'])
  expect(viewParams.filter.read('')).toEqual([])
})

it('filters are at most 20 texts of at most 500 characters', () => {
  const filters = (count: number, length = 5) => Array.from({ length: count }, () => 'qty>1'.padEnd(length, '0'))
  for (const accepted of [filters(20), filters(1, 500)]) expect(viewParams.filter.read(accepted)).toEqual(accepted)
  for (const refused of [filters(21), filters(1, 501), [1], ['qty>1', 1], { qty: 1 }])
    expect(viewParams.filter.read(refused)).toBeUndefined()
})

it('the longest accepted pin has the documented length', () => {
  const { type, read } = pageParams.snapshot
  const longest = `${'9'.repeat(18)}-${'9'.repeat(18)}-2026-06-30`
  expect(read(longest)).toBe(longest)
  for (const longer of [`9${longest}`, longest.replace('-', '-9')]) expect(read(longer)).toBeUndefined()
  expect(type).toEqual({ kind: 'text', longest: longest.length })
})
