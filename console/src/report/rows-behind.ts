/** The link to the rows behind a group: the same report without groups, with conditions that exactly these rows meet. */
import { rangeBefore } from '../../../src/kernel/report/ranges.js'
import type { View } from '../ask.js'
import { type CatalogueReport, isAbsent, type Row, type ValueColumn, type Values, valueIn } from '../catalogue.js'
import { cancelledLeftOut, type Key } from './answer.js'
import { filterText, literal } from './filters.js'
import { isComparison } from './group-words.js'
import { pastOf } from './known-words.js'
import { daysOf, numberNamed, numberOf } from './periods.js'
import { rangeOf, reportUrl } from './view.js'

interface Asked {
  readonly report: CatalogueReport
  readonly values: Values
  readonly view: View
}

/** With `before`, the rows of the same group in the earlier period of the comparison. */
export function rowsBehind({ report, values, view }: Asked, keys: readonly Key[], row: Row, before = false): string {
  const range = rangeOf(values)
  const earlier =
    before && range !== undefined && view.compare !== undefined && isComparison(view.compare)
      ? rangeBefore({ from_date: range.from, to_date: range.to }, view.compare)
      : undefined
  const filter = [
    ...(view.filter ?? []),
    ...keys.flatMap((key) => conditions(key, row, earlier && range && [range.from, earlier.from_date])),
    ...withoutCancelled(report, values, view, keys),
  ]
  return reportUrl(report.id, earlier ? { ...values, ...earlier } : values, {
    filter,
    search: view.search,
    ...pastOf(view),
  })
}

function conditions({ source, period, flat }: Key, row: Row, shift: readonly [string, string] | undefined): string[] {
  const value = valueIn(row, flat.path)
  const is = (text: string) => [filterText({ field: source.name, operator: '=', value: text })]
  if (isAbsent(value, flat.column as ValueColumn)) return is(typeof value === 'string' ? literal(value) : '')
  if (period === undefined) return is(literal(String(value)))
  const number = numberNamed(period, String(value))
  if (number === undefined) return []
  const by = shift === undefined ? 0 : numberOf(period, shift[1]) - numberOf(period, shift[0])
  const { from, to } = daysOf(period, number + by)
  if (from === to && source.column.kind === 'date') return is(from)
  return [
    filterText({ field: source.name, operator: '>=', value: from }),
    filterText({ field: source.name, operator: '<=', value: to }),
  ]
}

/** Groups leave out cancelled documents. */
function withoutCancelled(report: CatalogueReport, values: Values, view: View, keys: readonly Key[]): string[] {
  const cancelled = cancelledLeftOut(report, values, view, keys)
  return cancelled === undefined
    ? []
    : [filterText({ field: cancelled.field, operator: '!=', value: literal(cancelled.is) })]
}
