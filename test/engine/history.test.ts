/** Reports as known: after any loads, every report answers for every version exactly what it answered then. */
import fc from 'fast-check'
import { expect } from 'vitest'
import { entities } from '../../src/import/entities.js'
import { load } from '../../src/import/pipeline/load.js'
import { verify } from '../../src/import/pipeline/verify.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { undoLoad } from '../../src/import/undo/undo.js'
import { reports } from '../../src/reports/index.js'
import { files, loadBooks } from '../setup/books.js'
import { openTestDatabase, type TestDatabase } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { anyLoad } from '../setup/loads.js'
import { someRequestsFor } from '../setup/requests.js'
import { type Service, startService } from '../setup/service.js'
import { long, runs, sameOnBoth } from '../setup/tier.js'

const RANGE = { from_date: '2024-01-01', to_date: '2024-12-31' }
const CODES = { plan: ['FG1=5'], sku: ['FG1'], product_sku: ['FG1'], order_no: ['SO1'], batch_no: ['B1'], code: ['C1'] }
const asked = reports.flatMap((report) =>
  someRequestsFor(report, RANGE, CODES).map((body) => ({ report, body, paged: (report.perPageFrom ?? '') in body })),
)

/** In the quick tier, the first sequence asks every report, each later one a tenth of them. */
const TENTH = 10

async function answersOf(service: Service, questions: typeof asked, asKnown?: number): Promise<Record<string, string>> {
  const answers: Record<string, string> = {}
  for (const { report, body, paged } of questions) {
    const query = { fields: 'all', ...(paged ? {} : { 'per-page': 5000 }), ...(asKnown && { as_known: asKnown }) }
    const { statusCode, body: text, headers } = await service.call({ path: report.path, body, query })
    if (asKnown !== undefined && statusCode === 200) expect(headers['x-data-version']).toBe(String(asKnown))
    // Links repeat the parameters of the request.
    answers[`${report.id} ${JSON.stringify(body)}`] =
      statusCode === 200
        ? JSON.stringify(JSON.parse(text).data)
        : `${statusCode} ${JSON.parse(text).errors?.[0]?.message}`
  }
  return answers
}

/** The rows of each import file, by their keys, as texts under the names of its columns. */
async function rowsOfFiles({ db }: Pick<TestDatabase, 'db'>): Promise<Record<string, Record<string, string | null>>> {
  const rows: Record<string, Record<string, string | null>> = {}
  for (const { name, table, columns, key, conversion } of entities) {
    const texts = Object.entries(columns).map(([file, { stored = file, lookup, sqlType }]) => {
      const code = { item: 'sku', warehouse: 'location' }[lookup?.table ?? '']
      if (code) return `(select ${code} from ${lookup?.table} where id = t.${stored}) as ${file}`
      return sqlType === 'text[]' ? `array_to_string(t.${stored}, '|') as ${file}` : `t.${stored}::text as ${file}`
    })
    if (conversion) texts.push('t.given::text as given')
    for (const row of await db.unsafe<Record<string, string | null>[]>(`select ${texts.join(', ')} from ${table} t`)) {
      const id = JSON.stringify([name, ...key.map((column) => row[column])])
      rows[id] = Object.fromEntries(Object.entries(row).filter(([column]) => !key.includes(column)))
    }
  }
  return rows
}

type Change = {
  entity: string
  key: object
  change: string
  fields: Record<string, Record<'before' | 'after', string>>
}

/** The rows after changes. A change that does not fit the rows fails the test. */
function changed(rows: Awaited<ReturnType<typeof rowsOfFiles>>, changes: readonly Change[]): typeof rows {
  const after = structuredClone(rows)
  for (const { entity, key, change, fields } of changes) {
    const id = JSON.stringify([entity, ...Object.values(key).map(String)])
    expect([id, change, change === 'new']).toEqual([id, change, after[id] === undefined])
    const was = after[id] ?? {}
    for (const [name, { before }] of Object.entries(fields)) expect(was[name] ?? null).toBe(before)
    if (change === 'changed') expect(Object.keys(fields)).not.toEqual([])
    if (change === 'gone') delete after[id]
    else after[id] = { ...was, ...Object.fromEntries(Object.entries(fields).map(([name, { after }]) => [name, after])) }
  }
  return after
}

const withoutNulls = (rows: Awaited<ReturnType<typeof rowsOfFiles>>) =>
  Object.entries(rows)
    .map(([id, row]) => [id, Object.entries(row).filter(([, value]) => value !== null)].flat(2).join(' '))
    .sort()

sameOnBoth(
  'after any loads, reports as known are what they were, and the changes lead from version to version',
  async () => {
    let sequences = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(anyLoad, fc.constantFrom('load', 'load', 'load', 'undo', 'rebuild')), {
          minLength: runs(3, 4),
          maxLength: runs(4, 8),
        }),
        async (sequence) => {
          const all = long || sequences === 0
          const questions = asked.filter((_, i) => all || i % TENTH === sequences % TENTH)
          sequences++
          const database = await openTestDatabase()
          await loadBooks(database)
          const service = await startService({}, database)
          const known = new Map<number, Record<string, string>>()
          const states: Awaited<ReturnType<typeof rowsOfFiles>>[] = []
          const remember = async () => {
            const [now] = await database.db<{ version: number }[]>`select version::int as version from data_version`
            if (!now || known.has(now.version)) return
            known.set(now.version, await answersOf(service, questions))
            states[now.version] = await rowsOfFiles(database)
          }
          await remember()
          // The last loads surely change names that many reports show.
          const last = [{ items: ['FG1,Ghee in a jar,FG,,JAR,'] }, { customers: ['C1,Other name'] }]
          for (const [{ rows, replace }, then] of sequence) {
            const { committed, dataVersion } = await load(database, findFiles(folderOf(files(rows))), { replace })
            await remember()
            if (then === 'undo' && committed && !known.has(dataVersion + 1)) {
              await undoLoad(database, dataVersion).catch((error: Error) =>
                expect(error.message).toMatch(/no load|not made by a load/),
              )
              await remember()
            }
            if (then === 'rebuild') {
              await verify(database, { rebuild: true })
              await remember()
            }
          }
          for (const rows of last) {
            await load(database, findFiles(folderOf(files(rows))))
            await remember()
          }
          const [first = {}, ...later] = known.values()
          const final = later.at(-1) ?? {}
          const differing = Object.keys(first).filter((question) => first[question] !== final[question])
          if (all) expect(differing.length).toBeGreaterThan(8)
          if (all) expect(Object.values(final).filter((answer) => answer.length > 100).length).toBeGreaterThan(20)
          for (const [version, answers] of known) {
            const again = await answersOf(service, questions, version)
            for (const [question, answer] of Object.entries(answers))
              expect({ version, question, answer: again[question] }).toEqual({ version, question, answer })
          }
          const versions = [...known.keys()]
          for (const [i, to] of versions.entries()) {
            const isLast = i === versions.length - 1
            const first = versions[isLast ? 0 : Math.max(i - 1, 0)] as number
            const query = { 'per-page': 5000 }
            const body = { from_version: first, to_version: to }
            const { data } = (await service.call({ path: '/v1/history/changes', body, query })).json()
            let rows = states[first] as (typeof states)[number]
            for (let version = first + 1; version <= to; version++)
              rows = changed(
                rows,
                data.filter((one: { version: number }) => one.version === version),
              )
            expect(withoutNulls(rows)).toEqual(withoutNulls(states[to] as typeof rows))
          }
          await service.close()
        },
      ),
      { numRuns: runs(20, 500), endOnFailure: true },
    )
  },
)
