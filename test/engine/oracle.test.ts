/** Every report equals the oracle, a plain in-memory computation, on random companies. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ofOneState, oracle } from '../oracle/index.js'
import { type Company, loadCompany } from '../setup/company.js'
import { engine } from '../setup/database.js'
import { randomCompany, randomRange } from '../setup/random-company.js'
import { codesOf, requestsFor } from '../setup/requests.js'
import { type Service, startService } from '../setup/service.js'
import { long, runs } from '../setup/tier.js'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const valuesOf = (company: Company) => ({ ...codesOf(company), vendor_code: ['V1'], limit: [1, '3'] })

it('every text parameter is tested with values of the company; add a new one to test/setup/requests.ts', () => {
  const [company] = fc.sample(randomCompany, 1) as [Company]
  const named = ofOneState.flatMap(({ request }) =>
    Object.entries(request).flatMap(([name, { type, insteadOf }]) =>
      type.kind.startsWith('text') ? [insteadOf ?? name] : [],
    ),
  )
  expect(Object.keys(valuesOf(company))).toEqual(expect.arrayContaining(named))
})

it('every report equals the oracle, for every choice of its parameters', async () => {
  const compared = new Map(ofOneState.map((report) => [report.id as string, 0]))
  await fc.assert(
    fc.asyncProperty(randomCompany, randomRange, async (company, range) => {
      await loadCompany(service.db, company)
      const codes = valuesOf(company)
      for (const report of ofOneState) {
        for (const body of requestsFor(report, range, codes)) {
          const answer = await service.call({ path: report.path, body, query: { 'per-page': 5000, fields: 'all' } })
          expect(answer.statusCode, `${report.id} ${JSON.stringify(body)} ${answer.body}`).toBe(200)
          const expected = oracle[report.id]?.(company, body)
          expect({ report: report.id, body, data: answer.json().data }).toEqual({
            report: report.id,
            body,
            data: expected,
          })
          compared.set(report.id, (compared.get(report.id) ?? 0) + (expected?.length ?? 0))
        }
      }
    }),
    // Shrinking a company takes minutes, in the long tier an hour; the printed seed can be run again without `endOnFailure`.
    { numRuns: runs(engine === 'server' ? 2 : 1, 100), endOnFailure: true },
  )
  const withRecords = [...compared.values()].filter((records) => records > 0)
  expect(withRecords.length, 'reports with records; few random companies have records in every report').toBeGreaterThan(
    long ? ofOneState.length - 1 : ofOneState.length / 2,
  )
})
