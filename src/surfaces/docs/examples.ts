/** Real records for the documentation: what a report answers to its example requests. */
import type { Db } from '../../db/connect.js'
import { readParams } from '../../kernel/params.js'
import type { Report } from '../../kernel/report.js'
import { runWhole } from '../../kernel/statement.js'
import { EXAMPLE_DAY, type Example, exampleRequests } from './reports-page.js'

/** Not so long that nobody reads it. */
const LONGEST = 2500

export async function examplesOf(db: Db, reports: readonly Report[]): Promise<Record<string, Example[]>> {
  const examples: Record<string, Example[]> = {}
  for (const report of reports) {
    const list: Example[] = []
    for (const request of exampleRequests(report)) {
      const read = readParams(report.request, request)
      if ('errors' in read) throw new Error(`${report.id}: ${JSON.stringify(read.errors)}`)
      for await (const records of runWhole(db, report, read.values, { hideContacts: false })) {
        const text = records.find((record) => record.length < LONGEST) ?? records[0]
        if (text !== undefined) list.push({ request, record: asOfThatDay(JSON.parse(text.toString())) })
        break
      }
    }
    examples[report.id] = list
  }
  return examples
}

/** A number of days from today would make the page another one tomorrow: told as of the last day of the sample. */
function asOfThatDay(record: Record<string, unknown>): Record<string, unknown> {
  if (!('days_no' in record)) return record
  const days = (Date.parse(String(record['delivery_date'])) - Date.parse(EXAMPLE_DAY)) / 86_400_000
  return { ...record, days_no: String(days) }
}
