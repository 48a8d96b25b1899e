/** What is typed at the command line as a length of time, a list or a number. */
import { expect, it } from 'vitest'
import { countOf, durationOf, listOf } from '../../src/cli/parse.js'

it('lengths of time', () => {
  expect(['90s', '30m', '24h', '7d'].map(durationOf)).toEqual([90, 1800, 86_400, 604_800])
  expect(['', '24', 'h', '-1h', '1.5h', '1y', '1 h', '9999999d'].map(durationOf)).toEqual(Array(8).fill(undefined))
})

it('lists', () => {
  expect(listOf(' sales, grn,sales,,')).toEqual(['sales', 'grn'])
  expect(listOf(' ')).toEqual([])
})

it('numbers', () => {
  expect(countOf('600')).toBe(600)
  for (const wrong of ['0', '-5', '1e3', '0x10', '5.5', '', '9999999999']) expect(() => countOf(wrong)).toThrow()
})
