/** Finds the reports and saved views that answer a question. */
import { exampleOf, VIEW } from '../asked.js'
import { ranked } from '../find.js'
import type { Tool } from '../tool.js'

const MOST_REPORTS = 5
const MOST_VIEWS = 3

export const findReports: Tool = {
  name: 'find_reports',
  title: 'Find reports',
  about: 'Start here: the reports and saved views that answer a question, best first, each with a call for run_report.',
  takes: { question: { kind: 'text', required: true, about: "In the user's words" } },
  gives: {
    total: { type: 'integer' },
    shown: { type: 'integer' },
    rows: { type: 'array', items: { type: 'object' } },
    note: { type: 'string' },
  },
  optional: ['note'],
  example: () => ({ name: 'find_reports', arguments: { question: 'what should we reorder' } }),
  async run(given, source, signal) {
    const question = given['question'] as string
    const [state, saved] = [await source.state(signal), await source.views(signal)]
    const found = ranked(question, source.reports, saved)
    const reports = found.reports.slice(0, MOST_REPORTS).map(({ report, why }) => ({
      ...{ report: report.id, title: report.title, about: report.summary, why, call: exampleOf(report) },
    }))
    const views = found.views.slice(0, MOST_VIEWS).map(({ view: { id, owner, definition }, why }) => ({
      ...{ report: VIEW + id, title: definition.name, about: `saved view of ${definition.report}, by ${owner}`, why },
      call: { report: VIEW + id },
    }))
    const rows = [...reports, ...views]
    const total = found.reports.length + found.views.length
    return {
      ...{ version: state.version, period: { today: state.today }, total, shown: rows.length, rows },
      ...(rows.length === 0 && {
        note: `No report has these words. There are reports about ${[...new Set(source.reports.map(({ group }) => group))].join(', ')}: ask in other words.`,
      }),
    }
  },
}
