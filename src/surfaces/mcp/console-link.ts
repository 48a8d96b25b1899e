/** The page of the console that shows the same view. */
import type { Wanted } from './source.js'

export function consoleLink(
  console: string | undefined,
  { report, params, view, asKnown, against }: Omit<Wanted, 'first' | 'values'>,
): { console?: string } {
  if (console === undefined) return {}
  const { filter = [], having = [], totals, ...one } = view
  const query = new URLSearchParams(
    Object.entries(params).map(([name, value]): [string, string] => [name, String(value)]),
  )
  for (const [name, value] of Object.entries({ ...one, as_known: asKnown, against }))
    if (value !== undefined) query.append(name, value)
  for (const value of filter) query.append('filter', value)
  for (const value of having) query.append('having', value)
  const text = query.toString()
  return { console: `${console}/reports/${report.id}${text === '' ? '' : `?${text}`}` }
}
