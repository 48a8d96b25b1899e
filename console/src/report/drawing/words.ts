/** The values of a chart in words. */
import { add, formatted, negated } from '../../numbers.js'
import { grouping } from '../../preferences.js'
import { percentOf } from '../percent.js'

export const exact = (value: string | undefined): string =>
  value === undefined ? '–' : formatted(value, grouping.value)

export function changeInWords(now: string, before: string): string {
  const change = add(now, negated(before))
  const percent = percentOf(change, before)
  const text = `${change.startsWith('-') ? '' : '+'}${exact(change)}`
  return percent === undefined ? text : `${text}, ${percent}`
}
