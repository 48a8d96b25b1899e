/** The differences between two versions of a report, by the key of its records, in the order of the report. */
import { NO_TEXTS } from '../../db/texts.js'
import { Problem } from '../../errors.js'
import { joinRuns, type Slice, sliceOf } from '../../store/records.js'
import { differenceWriter, totalsAgainst, writeTotals } from '../report/difference.js'
import { keyed } from '../report/keyed.js'
import type { Report, Shape } from '../report/report.js'
import type { Answer, Records } from './answer.js'
import type { Asked } from './editions.js'
import { keyTextOf } from './key-text.js'
import { part } from './part.js'

/** The keys of the later version are kept in memory while two versions are compared. */
const MOST_COMPARED = 1_000_000
const RUN = 500

/** The report whose records are compared: with their whole key. */
export const comparable = (report: Report): Report => (report.view?.totals === undefined ? keyed(report) : report)

/** The report of the answer, if its records have declared fields. */
export const shownAgainst = (report: Report): Report | undefined =>
  report.view?.totals === undefined ? undefined : totalsAgainst(report)

/** The differences, or a page of them. */
export async function differencesOf(
  { report, values, page }: Asked,
  before: Answer,
  after: Answer,
  signal: AbortSignal | undefined,
): Promise<Slice> {
  const shape = report.shapeFor(values)
  if (report.view?.totals !== undefined) {
    const [was, is] = [await onlyOne(before.records), await onlyOne(after.records)]
    const bytes = writeTotals(shape, was, is)
    return sliceOf({ bytes, starts: Float64Array.of(0) }, 1)
  }
  if (before.edition.key === after.edition.key) return sliceOf(NO_TEXTS, 0)
  if (Math.max(before.records.total, after.records.total) > MOST_COMPARED)
    throw new Problem('invalid-parameters', {
      detail: `The report has more than ${MOST_COMPARED} records, too many to compare; ask for a shorter period, or filter it.`,
      errors: [{ field: 'against', message: 'must be left out for a report of this size' }],
    })
  const [first, most] = page === undefined ? [0, Number.POSITIVE_INFINITY] : [(page.number - 1) * page.size, page.size]
  return await part(after.records, `against-${before.edition.key.slice(0, 16)}`, first, most, () =>
    joinRuns(differences(before.records, after.records, shape, signal)),
  )
}

async function onlyOne(records: Records): Promise<Buffer> {
  for await (const [text] of records.texts()) if (text !== undefined) return text
  throw new Error('totals have one record')
}

/** Both versions have their common records in the same order, because the key decides it. */
async function* differences(
  before: Records,
  after: Records,
  shape: Shape,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer[]> {
  const [keyOf, write] = [keyTextOf(shape), differenceWriter(shape)]
  const stillThere = new Set<string>()
  for await (const run of after.texts()) {
    signal?.throwIfAborted()
    for (const text of run) stillThere.add(keyOf(text))
  }
  const [earlier, later] = [oneByOne(before), oneByOne(after)]
  let [was, is] = [await earlier.next(), await later.next()]
  let found: Buffer[] = []
  while (!was.done || !is.done) {
    const [wasKey, isKey] = [was.done ? undefined : keyOf(was.value), is.done ? undefined : keyOf(is.value)]
    if (wasKey !== undefined && wasKey === isKey) {
      if (!(was.value as Buffer).equals(is.value as Buffer)) found.push(write(was.value as Buffer, is.value as Buffer))
      ;[was, is] = [await earlier.next(), await later.next()]
    } else if (wasKey !== undefined && !stillThere.has(wasKey)) {
      found.push(write(was.value as Buffer, undefined))
      was = await earlier.next()
    } else {
      found.push(write(undefined, is.value as Buffer))
      is = await later.next()
    }
    if (found.length >= RUN) {
      signal?.throwIfAborted()
      yield found
      found = []
    }
  }
  yield found
}

async function* oneByOne(records: Records): AsyncGenerator<Buffer, undefined> {
  for await (const run of records.texts()) yield* run
  return undefined
}
