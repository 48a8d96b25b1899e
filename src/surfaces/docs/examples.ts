/** Makes the examples of the documentation: requests of every report, and a record of each response. */
import { closePeriod } from '../../closed/close.js'
import { withComputed } from '../../db/computed.js'
import type { Database, Db } from '../../db/connect.js'
import { readTexts } from '../../db/texts.js'
import { wholeStatement } from '../../kernel/answer/statement.js'
import { leastParams, readParams } from '../../kernel/report/params.js'
import type { Report } from '../../kernel/report/report.js'
import { WHOLE } from '../../kernel/report/rights.js'
import { viewed } from '../../kernel/report/view.js'
import { split } from '../../store/records.js'
import type { Example } from '../openapi.js'

/** The last day of the sample that the examples come from. */
export const EXAMPLE_DAY = '2026-06-30'

/** Closes a month of the sample, so that there is a closed period. */
export const closeExample = (database: Pick<Database, 'db' | 'engine'>) =>
  closePeriod(
    database,
    (work) => database.db.begin(work),
    { period: '2026-05', reason: 'reported to the bank' },
    { actor: 'asha' },
  )

/** Longer records make the documentation hard to read. */
const LONGEST = 2500

/** An example for each shape of each report, by the report's id. */
export async function examplesOf(db: Db, reports: readonly Report[]): Promise<Record<string, Example[]>> {
  const examples: Record<string, Example[]> = {}
  for (const report of reports) {
    const list: Example[] = []
    for (const request of exampleRequests(report))
      list.push({ request, record: await firstRecord(db, report, request) })
    examples[report.id] = list
  }
  return examples
}

/** The required parameters, and all days: without a range the response would be long. */
const exampleRequests = (report: Report): Record<string, unknown>[] =>
  [...report.shapes.keys()].map((shape) =>
    Object.fromEntries(
      Object.entries(report.request).flatMap(([name, { type, example }]) => {
        if (name === report.shapedBy) return [[name, shape]]
        return leastParams(report.request).includes(name) || type.kind === 'date' ? [[name, example]] : []
      }),
    ),
  )

async function firstRecord(db: Db, report: Report, request: Record<string, unknown>): Promise<Example['record']> {
  const read = readParams(report.request, request)
  if ('errors' in read) throw new Error(`${report.id}: ${JSON.stringify(read.errors)}`)
  const statement = wholeStatement(viewed(report, read.values, {}), read.values, WHOLE)
  const records = split(await readTexts(db, await withComputed(db, statement)))
  const text = records.find((record) => record.length < LONGEST) ?? records[0]
  if (text !== undefined) return asOfThatDay(JSON.parse(text.toString()))
  throw new Error(`${report.id}: the sample has no record for ${JSON.stringify(request)}`)
}

/** The same in every build: the sample is loaded by the user who makes the documentation, at that time. */
const loaded = { loaded_at: `${EXAMPLE_DAY} 18:00:00`, actor: 'asha' }

/** Counts days from the last day of the sample; counted from today, the examples would change every day. */
function asOfThatDay(record: Record<string, unknown>): Record<string, unknown> {
  if ('loaded_at' in record) return { ...record, ...loaded }
  if ('closed_at' in record) return { ...record, closed_at: `${EXAMPLE_DAY} 18:00:00` }
  if (!('days_no' in record)) return record
  const days = (Date.parse(String(record['delivery_date'])) - Date.parse(EXAMPLE_DAY)) / 86_400_000
  return { ...record, days_no: String(days) }
}
