/** Differences between two versions as one table: a row for each changed field, and one for a record that is new or gone. */
import type { Records } from '../kernel/answer/answer.js'
import { differencesReport, rowsOfDifference } from '../kernel/report/difference.js'
import { keyed } from '../kernel/report/keyed.js'
import type { Report } from '../kernel/report/report.js'

const known = new WeakMap<Report, Report>()

/** The report of such a table. */
export function tableOfDifferences(report: Report): Report {
  const made = known.get(report) ?? differencesReport(keyed(report))
  known.set(report, made)
  return made
}

/** The rows of such a table; their number is known only once they are written. */
export const differenceRows = (records: Records): Records => ({
  ...{ total: records.total, count: records.count, size: records.size, isLarge: records.isLarge },
  async *joined() {
    let first = true
    for await (const run of this.texts())
      for (const text of run) {
        yield first ? text : Buffer.concat([COMMA, text])
        first = false
      }
  },
  async *texts() {
    for await (const run of records.texts()) yield run.flatMap(rowsOfDifference)
  },
  file: (name, write) => records.file(name, write),
  recall: (name) => records.recall(name),
  keep: (name, value, bytes) => records.keep(name, value, bytes),
})

const COMMA = Buffer.from(',')
