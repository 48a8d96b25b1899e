/** Groups, figures and comparisons as people read them. */
import { rangeBefore } from '../../../src/kernel/report/ranges.js'
import type { Values } from '../catalogue.js'
import { type Range, rangeInWords } from '../dates.js'
import { nameOf } from '../people.js'
import { type Key, listOf, ROWS } from './answer.js'
import { periodWord } from './periods.js'
import { rangeOf } from './view.js'

/** `Customer name`, `Invoice date by month` */
export const keyInWords = ({ source, period }: Pick<Key, 'source' | 'period'>): string =>
  period === undefined ? nameOf(source) : `${nameOf(source)} by ${periodWord(period)}`

/** A group that the report does not have is shown as it is in the URL. */
export const groupInWords = (text: string, keys: readonly Key[]): string => {
  const key = keys.find((one) => one.text === text)
  return key === undefined ? text : keyInWords(key)
}

/** The earlier period of a comparison. */
export function earlier(values: Values, compare: string | undefined): Range | undefined {
  const range = rangeOf(values)
  if (range === undefined || values['from_date'] === undefined || values['to_date'] === undefined) return undefined
  if (!isComparison(compare)) return undefined
  const before = rangeBefore({ from_date: range.from, to_date: range.to }, compare)
  return before && { from: before.from_date, to: before.to_date }
}

export const COMPARISONS = {
  previous: 'Period before',
  month: 'Month before',
  quarter: 'Quarter before',
  year: 'Year before',
} as const
export const isComparison = (word: string | undefined): word is keyof typeof COMPARISONS =>
  word !== undefined && Object.hasOwn(COMPARISONS, word)

export function compareInWords(values: Values, compare: string): string {
  const range = earlier(values, compare)
  return range === undefined ? `vs ${compare}` : `vs ${rangeInWords(range)}`
}

/** The figures of the URL; undefined stands for every sum. */
export const measureList = (measures: string | undefined, all: readonly string[]): string[] =>
  measures === undefined ? [...all] : listOf(measures).filter((one) => one !== ROWS)
