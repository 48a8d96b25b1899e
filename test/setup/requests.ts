/** Requests that fit a report, made from its declared parameters: every choice of its words, over a range of days. */
import type { Report } from '../../src/report/define.js'

export function requestsFor(report: Report, range: { from_date: string; to_date: string }): Record<string, unknown>[] {
  let requests: Record<string, unknown>[] = [{}]
  for (const [name, { schema, example }] of Object.entries(report.request)) {
    const choices: unknown[] =
      name === 'from_date' || name === 'to_date' ? [range[name]] : ((schema['enum'] as unknown[]) ?? [example])
    requests = requests.flatMap((request) => choices.map((choice) => ({ ...request, [name]: choice })))
  }
  return requests
}
