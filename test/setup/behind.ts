/** Makes the request behind a value from its declaration, like a client. */
import { columnsOf, type ValueColumn } from '../../src/kernel/report/columns.js'
import type { Behind, Source } from '../../src/kernel/report/fields.js'
import type { Report } from '../../src/kernel/report/report.js'

type Values = Readonly<Record<string, unknown>>

/** Undefined if nothing is behind the value. */
export function requestBehind(
  { name, absent, behind }: ValueColumn,
  record: Values,
  request: Values,
  today: string,
): { report: string; body: Values } | undefined {
  if (behind === undefined || record[name] === null || record[name] === absent) return undefined
  const { report, params, unless } = behind
  if (unless !== undefined && record[unless.field] === unless.is) return undefined
  const read = (source: Source) => {
    if ('field' in source) return record[source.field]
    if ('param' in source) return request[source.param]
    return 'value' in source ? source.value : today
  }
  const given = Object.entries(params).map(([name, source]) => [name, read(source)] as const)
  return { report, body: Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== null)) }
}

/** The columns of a report, in any variant, that declare rows behind them. */
export const explained = (report: Report): (ValueColumn & { behind: Behind })[] =>
  [...report.shapes.values()].flatMap((shape) =>
    columnsOf(shape).filter(
      (column): column is ValueColumn & { behind: Behind } => 'behind' in column && column.behind !== undefined,
    ),
  )
