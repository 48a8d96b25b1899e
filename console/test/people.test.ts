/** How the console shows values, headings, filters and columns to people. */
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Flat } from '../src/catalogue.js'
import { account } from '../src/company.js'
import { accountZone, clock, inWords, rangeInWords } from '../src/dates.js'
import { trimmed } from '../src/numbers.js'
import { headingOf, inWordsOf, isolated, leastDigits, ownCurrency } from '../src/people.js'
import { arranged, movedTo } from '../src/report/arranged.js'
import { chipsOf, filterInWords, valuesOf } from '../src/report/filters.js'

const flat = (name: string, column: object = { kind: 'text' }): Flat =>
  ({ name, path: name.split('.'), column, isFirst: true }) as unknown as Flat
const withAccount = (currency: string) => {
  account.value = { name: 'Annapurna Foods', currency }
  onTestFinished(() => {
    account.value = undefined
  })
}

describe('a number', () => {
  it.each([
    ['12.0000', 0, '12'],
    ['12.5000', 0, '12.5'],
    ['12.5000', 2, '12.50'],
    ['12.1234', 2, '12.1234'],
    ['-0.0010', 2, '-0.001'],
    ['1200', 2, '1200'],
    ['0.00', 0, '0'],
  ])('%s with at least %i digits is %s: no digit that says something is cut', (text, least, shown) => {
    expect(trimmed(text, least)).toBe(shown)
  })

  it('an amount has the digits of its currency, a quantity has none that are zeros', () => {
    const own = { currency: { field: 'currency' } }
    withAccount('INR')
    expect(leastDigits({})).toBe(0)
    expect(leastDigits({ currency: 'account' })).toBe(2)
    expect(leastDigits(own, { currency: 'JPY' })).toBe(0)
    expect(leastDigits(own, { currency: 'KWD' })).toBe(3)
    expect(leastDigits(own, { currency: 'not a currency' })).toBe(2)
  })

  it('an amount names its currency only if it is not the one of the account', () => {
    withAccount('INR')
    const own = { currency: { field: 'currency' } }
    expect(ownCurrency(own, { currency: 'USD' })).toBe('USD')
    expect(ownCurrency(own, { currency: 'INR' })).toBeUndefined()
    expect(ownCurrency({ currency: 'account' }, { currency: 'USD' })).toBeUndefined()
  })
})

describe('a value in words', () => {
  const status = { kind: 'word', inWords: { 'PARTIAL ISSUED': 'Partly issued' } } as const
  it('has the words of its declaration, or itself', () => {
    expect(inWordsOf('PARTIAL ISSUED', status as never)).toBe('Partly issued')
    expect(inWordsOf('CLOSED', status as never)).toBe('CLOSED')
    expect(inWordsOf('constructor', status as never)).toBe('constructor')
    expect(inWordsOf('true', { kind: 'flag' })).toBe('Yes')
    expect(inWordsOf('true', { kind: 'text' })).toBe('true')
  })

  it('a heading is short where the report declares it', () => {
    expect(headingOf(flat('Closing_qty', { kind: 'decimal', heading: 'Closing' }))).toBe('Closing')
    expect(headingOf(flat('Closing_qty'))).toBe('Closing quantity')
  })

  it('a name that is written from the right is isolated; any other stays as it is', () => {
    expect(isolated('Sharma Stores')).toBe('Sharma Stores')
    expect(isolated('محمد')).toBe('\u2068محمد\u2069')
    expect(isolated('A\u202eB')).toBe('\u2068A\u202eB\u2069')
  })
})

describe('dates', () => {
  it('a text that is no day stays as it is', () => {
    expect(inWords('2026-04-01')).toBe('1 Apr 2026')
    for (const text of ['2026-13-01', '2026-02-30', 'tomorrow', '']) expect(inWords(text)).toBe(text)
    expect(rangeInWords({ from: '2026-13-01', to: '2026-04-30' })).toBe('2026-13-01 – 30 Apr 2026')
  })

  it('a time has its zone: that of the account', () => {
    accountZone.value = 'Asia/Kolkata'
    onTestFinished(() => {
      accountZone.value = undefined
    })
    expect(clock('2026-04-01T00:42:00Z')).toBe('1 Apr 2026, 06:12 IST')
    accountZone.value = 'Europe/Berlin'
    expect(clock('2026-07-01T23:30:00Z')).toBe('2 Jul 2026, 01:30 CEST')
  })
})

describe('a filter', () => {
  const columns = [
    flat('order_status', { kind: 'word', inWords: { CREATED: 'Created', CLOSED: 'Closed' } }),
    flat('order_date', { kind: 'date' }),
    flat('total_amt', { kind: 'decimal' }),
    flat('customer.city'),
  ]

  it('reads as a sentence, with words for values', () => {
    expect(filterInWords('order_status=CREATED|CLOSED', columns)).toBe('Order status is Created or Closed')
    expect(filterInWords('customer.city=a\\|b', columns)).toBe('Customer city is a|b')
    expect(filterInWords('order_date=2026-04-01', columns)).toBe('Order date is 1 Apr 2026')
    expect(filterInWords('customer.city=a|b|c|d|e', columns)).toBe('Customer city is a, b, c or 2 others')
    expect(filterInWords('customer.city=', columns)).toBe('Customer city is empty')
  })

  it('has its values back', () => {
    for (const values of [['a'], ['a', 'b'], ['a|b', 'c\\'], ['\\|', '']])
      expect(valuesOf(values.map((one) => one.replace(/[\\|]/g, '\\$&')).join('|'))).toEqual(values)
  })

  it('the two ends of a range share a chip', () => {
    const filters = ['order_date>=2026-04-01', 'total_amt>=5', 'order_date<=2026-04-30', 'total_amt>7']
    expect(chipsOf(filters, columns)).toEqual([
      { words: 'Order date 1 – 30 Apr 2026', field: 'order_date', filters: [filters[0], filters[2]] },
      { words: 'Total amount at least 5', field: 'total_amt', filters: [filters[1]] },
      { words: 'Total amount over 7', field: 'total_amt', filters: [filters[3]] },
    ])
  })
})

describe('columns', () => {
  const columns = ['a', 'b', 'c', 'd'].map((name) => flat(name))
  const names = (flats: readonly Flat[]) => flats.map(({ name }) => name).join('')

  it('are shown as they are named, the pinned ones first; names that no column has are left out', () => {
    expect(names(arranged(columns, ['c', 'a', 'x', 'c'], undefined))).toBe('ca')
    expect(names(arranged(columns, ['c', 'a', 'd'], ['d', 'b']))).toBe('dca')
    expect(names(arranged(columns, ['x'], undefined))).toBe('a')
  })

  it('move to another place; pinned columns stay before the others', () => {
    expect(movedTo({ shown: columns }, 0, 2).join('')).toBe('bcad')
    expect(movedTo({ shown: columns }, 3, 0).join('')).toBe('dabc')
    expect(movedTo({ shown: columns }, 1, 9).join('')).toBe('acdb')
    expect(movedTo({ shown: columns, pins: ['a'] }, 3, 0).join('')).toBe('adbc')
  })
})
