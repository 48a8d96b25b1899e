/** Requests that fit a report, made from its declared parameters: every choice of its words, over a range of days. */
import type { Report } from '../../src/report/define.js'

/** `codes` are values that the data has, by the parameter's name. An optional parameter is also left out. */
export function requestsFor(
  report: Report,
  range: { from_date: string; to_date: string },
  codes: Record<string, unknown[]> = {},
): Record<string, unknown>[] {
  let requests: Record<string, unknown>[] = [{}]
  for (const [name, { schema, example, required }] of Object.entries(report.request)) {
    const given: unknown[] =
      name === 'from_date' || name === 'to_date'
        ? [range[name]]
        : name === 'date'
          ? [range.to_date]
          : (codes[name] ?? (schema['enum'] as unknown[])?.filter((word) => word !== '') ?? [example])
    const choices = required ? given : [undefined, ...given]
    requests = requests.flatMap((request) =>
      choices.map((choice) => (choice === undefined ? request : { ...request, [name]: choice })),
    )
  }
  return requests
}
