/** The names of reports for people: `invoices` for `sales.invoices`. */
import { nearest } from '../../nearest.js'
import type { Report } from './report.js'

/** `millbook report list` lists the reports, so no report has this short name. */
export const LIST = 'list'

const lastPart = (id: string): string => id.slice(id.indexOf('.') + 1)

/** The part after the group, unless two reports share it. */
export function shortName({ id }: Report, reports: readonly Report[]): string | undefined {
  const name = lastPart(id)
  const others = reports.filter((other) => lastPart(other.id) === name)
  return others.length === 1 && name !== LIST ? name : undefined
}

/** The report with this name or short name. */
export const reportNamed = (name: string, reports: readonly Report[]): Report | undefined =>
  reports.find(({ id }) => id === name) ?? reports.find((report) => shortName(report, reports) === name)

/** Suggests the two reports nearest to a wrong name, which may be one word of theirs: `stock`. */
export const nearestReports = (name: string, reports: readonly Report[]): string =>
  nearest(
    name.slice(0, 60),
    reports.map(({ id }) => id),
    2,
    (id) => [id, lastPart(id), ...lastPart(id).split('-')],
  )
