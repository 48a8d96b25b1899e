/** `GET /v1/reports`: the declarations of the reports that a caller may use. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { formats } from '../../src/formats/index.js'
import type { CatalogueReport } from '../../src/kernel/report/catalogue.js'
import { columnsOf, keyOf } from '../../src/kernel/report/columns.js'
import { reports } from '../../src/reports/index.js'
import { type Service, startService } from '../setup/service.js'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const catalogue = async (token?: string | null) =>
  await service.call({ method: 'GET', path: '/v1/reports', ...(token !== undefined && { token }) })

it('has every report as it is declared', async () => {
  const response = await catalogue()
  expect(response.statusCode).toBe(200)
  const { data, formats: offered } = response.json<{ data: CatalogueReport[]; formats: { name: string }[] }>()
  expect(data.map(({ id }) => id)).toEqual(reports.map(({ id }) => id))
  expect(offered.map(({ name }) => name)).toEqual(formats.map(({ name }) => name))
  for (const [i, report] of reports.entries()) {
    const found = data[i] as CatalogueReport
    expect(found).toMatchObject({ path: report.path, method: report.method, title: report.title })
    const { id, perPageFrom, shapedBy } = report
    expect([id, found.per_page_from, found.shaped_by]).toEqual([id, perPageFrom, shapedBy])
    expect(found.title.length).toBeLessThan(40)
    expect(found.params.map(({ name }) => name)).toEqual(Object.keys(report.request))
    const declared = [...report.shapes].map(([name, shape]) => ({
      ...{ name, columns: columnsOf(shape), key: keyOf(shape), people: shape.people },
      ...(shape.cancelled && { cancelled: shape.cancelled }),
      ...(shape.better && { better: shape.better }),
    }))
    expect(found.shapes).toEqual(JSON.parse(JSON.stringify(declared)))
  }
})

it('has only the reports of the groups that the caller may use', async () => {
  const { token } = await service.newCaller({ groups: ['sales', 'grn'] })
  const { data } = (await catalogue(token)).json<{ data: CatalogueReport[] }>()
  expect(new Set(data.map(({ group }) => group))).toEqual(new Set(['sales', 'grn']))
  expect((await catalogue(null)).statusCode).toBe(401)
})
