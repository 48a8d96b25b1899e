/** Periods have the names and the days that the service gives them. */
import { afterEach, describe, expect, it } from 'vitest'
import { daysFrom, yearBegins } from '../src/dates.js'
import {
  daysOf,
  nameOf,
  numberNamed,
  numberOf,
  PERIODS,
  type Period,
  periodInWords,
  unfinished,
} from '../src/report/periods.js'

afterEach(() => {
  yearBegins.value = 4
})

describe.each(Object.keys(PERIODS) as Period[])('%s', (period) => {
  it.each([1, 4, 7])(
    'follows without a gap and is found by its name, if the financial year begins in month %i',
    (month) => {
      yearBegins.value = month
      const first = numberOf(period, '1999-12-20')
      for (let number = first; number < first + 700; number++) {
        const { from, to } = daysOf(period, number)
        expect([numberOf(period, from), numberOf(period, to)]).toEqual([number, number])
        expect(daysOf(period, number + 1).from).toBe(daysFrom(to, 1))
        expect(numberNamed(period, nameOf(period, number))).toBe(number)
      }
    },
  )
})

it.each([
  ['day', '2026-02-28', '2026-02-28', '2026-02-28', '28 Feb 2026'],
  ['week', '2026-W01', '2025-12-29', '2026-01-04', 'W1 2026'],
  ['week', '2020-W53', '2020-12-28', '2021-01-03', 'W53 2020'],
  ['month', '2024-02', '2024-02-01', '2024-02-29', 'Feb 2024'],
  ['quarter', '2026-Q4', '2026-10-01', '2026-12-31', 'Q4 2026'],
  ['year', '2026', '2026-01-01', '2026-12-31', '2026'],
  ['fy', '2026-27', '2026-04-01', '2027-03-31', 'FY 2026–27'],
  ['fy', '1999-00', '1999-04-01', '2000-03-31', 'FY 1999–00'],
] as const)('%s %s is from %s to %s', (period, name, from, to, words) => {
  const number = numberNamed(period, name) as number
  expect(daysOf(period, number)).toEqual({ from, to })
  expect(periodInWords(period, number)).toBe(words)
})

it('a financial year that begins in January is named by one year', () => {
  yearBegins.value = 1
  expect(nameOf('fy', numberOf('fy', '2026-07-01'))).toBe('2026')
})

it.each([
  ['month', '2026-13'],
  ['month', '2026-Q1'],
  ['week', '2026-W54'],
  ['quarter', '2026-Q5'],
  ['fy', '2026-28'],
  ['day', 'nonsense'],
] as const)('%s %s is no period', (period, name) => {
  expect(numberNamed(period, name)).toBeUndefined()
})

it('a period is unfinished while today is in it, or if the chosen dates cut it', () => {
  const april = numberOf('month', '2026-04-10')
  const whole = { from: '2026-04-01', to: '2026-06-30' }
  expect(unfinished('month', april, '2026-04-10', whole)).toBe('until 10 Apr 2026')
  expect(unfinished('month', april, '2026-04-30', whole)).toBeUndefined()
  expect(unfinished('month', april, '2026-05-01', whole)).toBeUndefined()
  expect(unfinished('month', april, '2026-07-01', { from: '2026-04-05', to: '2026-04-20' })).toBe(
    '5 Apr 2026 to 20 Apr 2026 only',
  )
  expect(unfinished('month', april, '2026-07-01', { from: '2026-05-01', to: '2026-06-30' })).toBeUndefined()
  expect(unfinished('month', april, '2026-07-01', undefined)).toBeUndefined()
})
