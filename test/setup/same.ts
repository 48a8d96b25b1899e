/** Compares the answers and the rows of two databases. */
import { expect } from 'vitest'
import { allRows } from '../../src/import/pipeline/relevant.js'
import { valuesIn } from '../../src/kernel/report/columns.js'
import { FUNCTIONS } from '../../src/kernel/report/group.js'
import { readParams } from '../../src/kernel/report/params.js'
import { PERIODS } from '../../src/kernel/report/periods.js'
import type { Report } from '../../src/kernel/report/report.js'
import { reports } from '../../src/reports/index.js'
import type { TestDatabase } from './database.js'
import { requestsFor } from './requests.js'
import type { Service } from './service.js'

/**
 * Requests every report of the present and variant from both, whole with all fields, by pages, with totals, sorted, grouped by each of their
 * fields, and compared; returns the number of equal answers.
 */
export async function compareAll(
  one: Service,
  other: Service,
  range: { from_date: string; to_date: string },
  codes: Record<string, unknown[]>,
): Promise<number> {
  let compared = 0
  const compare = async (path: string, body: object, query: Record<string, string | number>) => {
    const [found, expected] = [await one.call({ path, body, query }), await other.call({ path, body, query })]
    expect(found.statusCode, `${path} ${found.body.slice(0, 500)}`).toBe(expected.statusCode)
    expect(found.statusCode, found.body).toBeLessThan(500)
    const asked = `${path} ${JSON.stringify([body, query])}`
    if (found.statusCode === 200) expect(recordsOf(found.body), asked).toBe(recordsOf(expected.body))
    compared++
    return found
  }
  for (const report of reports.filter(({ group }) => group !== 'history')) {
    const variants = new Set<unknown>()
    for (const body of requestsFor(report, range, codes)) {
      for (const page of [1, 2, 400]) await compare(report.path, body, { page, 'per-page': 3 })
      const whole = await compare(report.path, body, { format: 'ndjson', fields: 'all' })
      await compare(report.path, body, { totals: 'yes', fields: 'all', page: 1, 'per-page': 4 })
      const [field] = Object.keys(JSON.parse(whole.body.split('\n')[0] || '{}'))
      if (field !== undefined) await compare(report.path, body, { sort: `-${field}`, page: 2, 'per-page': 5 })
      const { usual, byEach } = groupings(report, body)
      const variant = body[report.shapedBy ?? '']
      for (const query of variants.has(variant) ? usual : [...usual, ...byEach])
        await compare(report.path, body, { ...query, format: 'ndjson' })
      variants.add(variant)
    }
  }
  return compared
}

/** Groups by a text, by all periods of a date and by a number, some of them compared with another period; and by each field alone. */
function groupings(
  report: Report,
  body: Record<string, unknown>,
): Record<'usual' | 'byEach', Record<string, string>[]> {
  const read = readParams(report.request, body)
  if ('errors' in read) throw new Error(JSON.stringify(read.errors))
  const values = valuesIn(report.shapeFor(read.values).record)
  const some = (...kinds: string[]) =>
    values.filter(({ field }) => kinds.includes(field.type.kind)).map(({ path }) => path.join('.'))
  const [[text, other = text], [date], [number]] = [some('text', 'word'), some('date', 'timestamp'), some('decimal')]
  const views = [
    ...(text === undefined ? [] : [{ group: text, sort: '-rows' }]),
    ...(date === undefined ? [] : [{ group: PERIODS.map((period) => `${period}(${date})`).join(), having: 'rows>1' }]),
    ...(number === undefined || other === undefined
      ? []
      : [
          {
            group: other,
            measures: FUNCTIONS.filter((name) => name !== 'sum')
              .map((name) => `${name}(${number})`)
              .join(),
          },
        ]),
  ]
  const isRange = 'from_date' in body && 'to_date' in body
  return {
    usual: views.flatMap((view) => (isRange ? [view, { ...view, compare: 'previous' }] : [view])),
    byEach: values.map(({ path }) => ({ group: path.join('.') })),
  }
}

/** Removes the version from `next` links, because each database counts its own versions. */
const recordsOf = (body: string): string => body.replaceAll(/\d+-\d{10,}/g, 'VERSION')

/** All rows of business data and of derived tables, without the version that wrote a row, which a cluster does not keep. */
export async function rowsOf({ db }: TestDatabase): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  for (const table of allRows.tables)
    found[table] = (
      await db.unsafe<{ row: string }[]>(`select (to_jsonb(t) - 'known_from')::text as row from ${table} t`)
    )
      .map(({ row }) => row)
      .sort()
  return found
}
