/** Requests that fit a report, made from its declared parameters: every choice of its words, over a range of days. */
import type { ParamType } from '../../src/kernel/params.js'
import type { Report } from '../../src/kernel/report.js'

/**
 * `codes` are values that the data has, by the parameter's name. Required parameters in every combination; optional ones
 * all left out, each choice alone, and all of them together.
 */
export function requestsFor(
  report: Report,
  range: { from_date: string; to_date: string },
  codes: Record<string, unknown[]> = {},
): Record<string, unknown>[] {
  let requests: Record<string, unknown>[] = [{}]
  const optional: [string, readonly unknown[]][] = []
  for (const [name, { type, example, required }] of Object.entries(report.request)) {
    const given: readonly unknown[] =
      name === 'from_date' || name === 'to_date'
        ? [range[name]]
        : name === 'date'
          ? [range.to_date]
          : (codes[name] ?? choicesOf(type) ?? [example])
    if (required) requests = requests.flatMap((request) => given.map((choice) => ({ ...request, [name]: choice })))
    else optional.push([name, given])
  }
  if (optional.length === 0) return requests
  const alone = optional.flatMap(([name, given]) => given.map((choice) => ({ [name]: choice })))
  const together = Object.fromEntries(optional.map(([name, given]) => [name, given[0]]))
  return requests.flatMap((request) => [{}, ...alone, together].map((more) => ({ ...request, ...more })))
}

/** Every form of every choice that a parameter offers. */
function choicesOf(type: ParamType): readonly unknown[] | undefined {
  if (type.kind === 'zero-or-one') return [0, 1, '0', '1']
  return type.kind === 'word' ? type.words : undefined
}
