/** The requests that fields declare as behind them are valid. */
import { expect, it } from 'vitest'
import { columnsOf } from '../../src/kernel/report/columns.js'
import { reports } from '../../src/reports/index.js'
import { kinds } from '../../src/search/kinds.js'
import { explained } from '../setup/behind.js'

const byId = (id: string) => reports.find((report) => report.id === id)

it.each(reports.map((report) => [report.id, report] as const))(
  '%s names reports, parameters and fields that exist',
  (_, report) => {
    for (const shape of report.shapes.values()) {
      const names = columnsOf(shape).map(({ name }) => name)
      for (const column of columnsOf(shape)) {
        if (!('behind' in column) || column.behind === undefined) continue
        const { report: id, params, sum, unless } = column.behind
        expect(JSON.parse(JSON.stringify(column.behind)), 'plain data').toEqual(column.behind)
        const target = byId(id)
        const required = Object.entries(target?.request ?? {}).filter(([, param]) => param.required)
        expect(Object.keys(params)).toEqual(expect.arrayContaining(required.map(([name]) => name)))
        for (const [name, source] of Object.entries(params)) {
          expect(Object.keys(target?.request ?? {}), id).toContain(name)
          if ('field' in source) expect(names).toContain(source.field)
          if ('param' in source) expect(Object.keys(report.request)).toContain(source.param)
          if ('value' in source) expect(target?.request[name]?.read(source.value)).toBeDefined()
        }
        if (unless !== undefined) expect(names).toContain(unless.field)
        if (sum === undefined) continue
        const [only] = [...(target?.shapes.values() ?? [])]
        expect(only && columnsOf(only).find(({ name }) => name === sum)).toMatchObject({ kind: 'decimal' })
      }
    }
  },
)

it('every figure of the stock reports declares the movements that sum to it', () => {
  for (const id of ['inventory.fg-stock-status', 'inventory.mat-stock-status', 'partner.invetory-snapshot']) {
    const report = byId(id)
    if (report === undefined) throw new Error(`there is no report ${id}`)
    const decimals = columnsOf(report.shapeFor({})).filter(({ kind }) => kind === 'decimal')
    const summed = explained(report).filter(({ behind }) => behind.sum !== undefined)
    expect(summed.map(({ name }) => name)).toEqual(decimals.map(({ name }) => name))
  }
})

it('hits of a search name reports and parameters that exist', () => {
  for (const { behind } of kinds)
    if (behind !== undefined)
      expect(Object.keys(byId(behind.report)?.request ?? {})).toEqual(
        expect.arrayContaining(Object.keys(behind.params)),
      )
})
