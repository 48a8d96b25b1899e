/** Every report declares how people read it. */
import { expect, it } from 'vitest'
import { valuesIn } from '../../src/kernel/report/columns.js'
import { reports } from '../../src/reports/index.js'

const MOST = 10

const shapes = reports.flatMap((report) =>
  [...report.shapes].map(([name, shape]) => [`${report.id} ${name}`, shape] as const),
)

it.each(shapes)('%s names the fields that people see first', (_name, { record, people = [] }) => {
  const lines = Object.keys(record).filter((name) => record[name]?.kind === 'lines')
  const names = [...valuesIn(record).map(({ path }) => path.join('.')), ...lines]
  expect(people.filter((name) => !names.includes(name))).toEqual([])
  expect(new Set(people).size).toBe(people.length)
  expect(people.length).toBeGreaterThan(3)
  expect(people.length).toBeLessThanOrEqual(MOST)
})

it.each(shapes)('%s shows the unit of a quantity beside it', (_name, { record, people = [] }) => {
  const shown = valuesIn(record).filter(
    ({ path, field }) => people.includes(path.join('.')) && field.unit !== undefined,
  )
  expect(shown.map(({ field }) => field.unit).filter((unit) => !people.includes(unit as string))).toEqual([])
})

it.each(shapes)('%s says of its own numbers only whether more or less is good', (_name, { record, better = {} }) => {
  const numbers = valuesIn(record).filter(({ field }) => ['decimal', 'number', 'integer'].includes(field.type.kind))
  const names = numbers.map(({ path }) => path.join('.'))
  expect(Object.keys(better).filter((name) => !names.includes(name))).toEqual([])
})
