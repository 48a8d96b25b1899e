/** Values from the text of flags and variables. */
import { expect, it } from 'vitest'
import { duration, list, oneOf, wholeNumber } from '../../src/runtime/parse.js'

it('reads durations', () => {
  expect(['90s', '30m', '24h', '7d'].map(duration)).toEqual([90, 1800, 86_400, 604_800])
  expect(['', '24', 'h', '-1h', '1.5h', '1y', '1 h', '9999999d'].map(duration)).toEqual(Array(8).fill(undefined))
})

it('reads lists', () => {
  expect(list(' sales, grn,sales,,')).toEqual(['sales', 'grn'])
  expect(list(' ')).toEqual([])
})

it('reads numbers', () => {
  const count = wholeNumber(1, 999_999_999)
  expect([count('600'), wholeNumber(0, 65_535)('0')]).toEqual([600, 0])
  for (const wrong of ['0', '-5', '1e3', '0x10', '5.5', '', '9999999999'])
    expect(() => count(wrong)).toThrow('It must be a whole number from 1 to 999999999.')
})

it('reads one of several words, and suggests the nearest for a wrong one', () => {
  const level = oneOf(['info', 'warn'])
  expect(level('warn')).toBe('warn')
  expect(() => level('wran')).toThrow('It must be one of info, warn (did you mean warn?).')
})
