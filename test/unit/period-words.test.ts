/** Days in words. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { localToday, periodOf, withDays } from '../../src/period-words.js'

const TODAY = '2026-02-17' // a Tuesday

it.each([
  ['today', '2026-02-17', '2026-02-17'],
  ['yesterday', '2026-02-16', '2026-02-16'],
  ['1-day-ago', '2026-02-16', '2026-02-16'],
  ['17-days-ago', '2026-01-31', '2026-01-31'],
  ['this-week', '2026-02-16', '2026-02-22'],
  ['last-week', '2026-02-09', '2026-02-15'],
  ['this-month', '2026-02-01', '2026-02-28'],
  ['last-month', '2026-01-01', '2026-01-31'],
  ['this-quarter', '2026-01-01', '2026-03-31'],
  ['last-quarter', '2025-10-01', '2025-12-31'],
  ['this-year', '2026-01-01', '2026-12-31'],
  ['last-year', '2025-01-01', '2025-12-31'],
  ['this-fy', '2025-04-01', '2026-03-31'],
  ['last-fy', '2024-04-01', '2025-03-31'],
  ['this-month-so-far', '2026-02-01', '2026-02-17'],
  ['this-week-so-far', '2026-02-16', '2026-02-17'],
  ['this-fy-so-far', '2025-04-01', '2026-02-17'],
  ['last-1-month', '2026-02-01', '2026-02-17'],
  ['last-12-months', '2025-03-01', '2026-02-17'],
  ['in-60-days', '2026-04-18', '2026-04-18'],
  ['fy2025', '2024-04-01', '2025-03-31'],
  ['2024', '2024-01-01', '2024-12-31'],
  ['2024-02', '2024-02-01', '2024-02-29'],
  ['2024-02-29', '2024-02-29', '2024-02-29'],
])('%s', (word, first, last) => {
  expect(periodOf(word, TODAY)).toEqual({ first, last })
})

it.each([
  '',
  'last-moth',
  '2026-02-30',
  '2026-13',
  '2026-00',
  'fy26',
  'next-month',
  '20260217',
  'TODAY',
  'last-month-so-far',
  'last-0-months',
])('%j is not a day or period', (word) => {
  expect(periodOf(word, TODAY)).toBeUndefined()
})

it('a financial year may begin in any month; beginning in January it is the calendar year', () => {
  expect(periodOf('fy2025', TODAY, 7)).toEqual({ first: '2024-07-01', last: '2025-06-30' })
  expect(periodOf('this-fy', TODAY, 2)).toEqual({ first: '2026-02-01', last: '2027-01-31' })
  expect(periodOf('fy2025', TODAY, 1)).toEqual({ first: '2025-01-01', last: '2025-12-31' })
})

it('on any day, the period this-X contains the day, and last-X ends the day before this-X begins', () => {
  const day = fc.date({ min: new Date('1999-01-01'), max: new Date('2101-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(day, fc.constantFrom('week', 'month', 'quarter', 'year', 'fy'), (date, what) => {
      const today = date.toISOString().slice(0, 10)
      const [present, before] = [periodOf(`this-${what}`, today), periodOf(`last-${what}`, today)]
      if (present === undefined || before === undefined) throw new Error('no period')
      expect(present.first <= today && today <= present.last).toBe(true)
      const next = new Date(`${before.last}T00:00:00Z`)
      next.setUTCDate(next.getUTCDate() + 1)
      expect(next.toISOString().slice(0, 10)).toBe(present.first)
    }),
  )
})

it('today is the day on this machine', () => {
  expect(localToday(new Date(2026, 0, 5, 23, 59))).toBe('2026-01-05')
})

it('words in braces become days in a text; other texts in braces stay', () => {
  expect(withDays('expiry_date<={in-60-days}', TODAY)).toBe('expiry_date<=2026-04-18')
  expect(withDays('{30-days-ago} {today}', TODAY)).toBe('2026-01-18 2026-02-17')
  expect(withDays('name={this-month} {soon} {', TODAY)).toBe('name={this-month} {soon} {')
})
