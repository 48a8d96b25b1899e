/** The records that a format writes for an answer, and the name of the file. */
import type { Answer, Records } from '../kernel/answer/answer.js'
import type { Page } from '../kernel/report/paging.js'
import { ownView } from '../kernel/report/view.js'
import { changedRecords, changesReport } from './changes.js'
import { differenceRows, tableOfDifferences } from './differences.js'
import type { About, Format } from './format.js'

/** Changes become one table, unless the format keeps removed records separate; so do differences, unless it keeps records as they are. */
export function answerBody(
  { records, changes, against }: Answer,
  format: Format,
  about: Omit<About, 'changes'>,
): { records: Records; about: About } {
  if (against?.report !== undefined) return { records, about: { ...about, report: against.report } }
  if (against !== undefined && !format.keepsRecords)
    return { records: differenceRows(records), about: { ...about, report: tableOfDifferences(about.report) } }
  if (changes === undefined || format.removedApart) return { records, about: { ...about, changes } }
  return {
    records: changedRecords(records, changes),
    about: { ...about, report: changesReport(about.report), changes },
  }
}

/** Such as `sales-invoices_2026-06-01_2026-06-30_v17.csv`. */
export function fileNameOf(
  { report, values, version }: About,
  { extension, name }: Format,
  { since, against, page }: { since?: string | undefined; against?: string | undefined; page?: Page | undefined },
): string {
  const days = Object.values(values).filter((value) => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value))
  const view = ownView(report)
  const shown = view.totals === undefined ? Object.keys(view).length > 0 && 'view' : 'totals'
  const parts = [
    report.id.replaceAll('.', '-'),
    ...days,
    since && 'changes',
    shown,
    against && `against-${against.replaceAll(':', '')}`,
    `v${version}`,
  ]
  if (page !== undefined) parts.push(`page-${page.number}`)
  return `${parts.filter(Boolean).join('_')}.${extension ?? name}`
}
