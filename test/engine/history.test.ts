/** Reports as known: after any loads, every report answers for every version exactly what it answered then. */
import fc from 'fast-check'
import { expect } from 'vitest'
import { load } from '../../src/import/pipeline/load.js'
import { verify } from '../../src/import/pipeline/verify.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { undoLoad } from '../../src/import/undo/undo.js'
import { reports } from '../../src/reports/index.js'
import { files, loadBooks } from '../setup/books.js'
import { databaseForThisTest } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { anyLoad } from '../setup/loads.js'
import { someRequestsFor } from '../setup/requests.js'
import { type Service, startService } from '../setup/service.js'
import { runs, sameOnBoth } from '../setup/tier.js'

const RANGE = { from_date: '2024-01-01', to_date: '2024-12-31' }
const CODES = { plan: ['FG1=5'], sku: ['FG1'], product_sku: ['FG1'], order_no: ['SO1'], batch_no: ['B1'], code: ['C1'] }
const asked = reports.flatMap((report) =>
  someRequestsFor(report, RANGE, CODES).map((body) => ({ report, body, paged: (report.perPageFrom ?? '') in body })),
)

async function answersOf(service: Service, asKnown?: number): Promise<Record<string, string>> {
  const answers: Record<string, string> = {}
  for (const { report, body, paged } of asked) {
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

sameOnBoth('after any loads, undos and rebuilds, every report as known at a version is what it was then', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(anyLoad, fc.constantFrom('load', 'load', 'load', 'undo', 'rebuild')), {
        minLength: runs(3, 4),
        maxLength: runs(4, 8),
      }),
      async (sequence) => {
        const database = await databaseForThisTest()
        await loadBooks(database)
        const service = await startService({}, database)
        const known = new Map<number, Record<string, string>>()
        const remember = async () => {
          const [now] = await database.db<{ version: number }[]>`select version::int as version from data_version`
          if (now && !known.has(now.version)) known.set(now.version, await answersOf(service))
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
        expect(differing.length).toBeGreaterThan(8)
        expect(Object.values(final).filter((answer) => answer.length > 100).length).toBeGreaterThan(20)
        for (const [version, answers] of known) {
          const again = await answersOf(service, version)
          for (const [question, answer] of Object.entries(answers))
            expect({ version, question, answer: again[question] }).toEqual({ version, question, answer })
        }
        await service.close()
      },
    ),
    { numRuns: runs(1, 250), endOnFailure: true },
  )
})
