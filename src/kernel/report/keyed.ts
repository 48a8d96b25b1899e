/** A report whose records show their whole key, so that callers who follow changes can tell records apart. */
import { identifier, join, raw, type Sql, sql } from '../../db/sql.js'
import type { Fields } from './fields.js'
import { type Report, type Shape, withShapes } from './report.js'

const known = new WeakMap<Report, Report>()

/** Adds fields for the columns of the key that the record lacks, such as `_line_no` for the hidden `line_no`; else returns the report. */
export function keyed(report: Report): Report {
  const found = known.get(report)
  if (found !== undefined) return found
  const isShown = [...report.shapes.values()].every(({ hiddenKey, unshownKey }) => !hiddenKey && !unshownKey)
  const made = isShown
    ? report
    : withShapes(report, new Map([...report.shapes].map(([name, shape]) => [name, keyedShape(shape)])))
  known.set(report, made)
  return made
}

function keyedShape(shape: Shape): Shape {
  const { hiddenKey = {}, unshownKey = {}, orderBy, query, parts } = shape
  const record = { ...shape.record, ...unshownKey }
  const names = Object.keys(hiddenKey)
  const added: Fields = Object.fromEntries(Object.entries(hiddenKey).map(([name, field]) => [`_${name}`, field]))
  const columns = join(
    [raw('shown.*'), ...names.map((name) => sql`shown.${identifier(name)} as ${identifier(`_${name}`)}`)],
    ', ',
  )
  const withKey = (query: Sql) => sql`select ${columns} from (${query}) shown`
  return {
    ...shape,
    record: { ...record, ...added },
    orderBy: orderBy.map((by) => (names.includes(by.column) ? { ...by, column: `_${by.column}` } : by)),
    query: (values, view) => withKey(query(values, view)),
    ...(parts && { parts: (values, view) => parts(values, view).map(withKey) }),
  }
}
