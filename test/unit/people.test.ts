/** Every report declares how people read it. */
import { expect, it } from 'vitest'
import { valuesIn } from '../../src/kernel/report/columns.js'
import type { Field, Fields } from '../../src/kernel/report/fields.js'
import { labelOf } from '../../src/kernel/report/labels.js'
import { reports } from '../../src/reports/index.js'

const MOST = 10
const LONGEST_HEADING = 16

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

it.each(shapes)('%s has short headings for its own fields, each different', (_name, shape) => {
  const { record, people = [], headings = {} } = shape
  const fields = [...valuesIn(record).map(({ path }) => path.join('.')), ...Object.keys(record)]
  expect(Object.keys(headings).filter((name) => !fields.includes(name))).toEqual([])
  for (const [name, heading] of Object.entries(headings))
    expect([name, heading.length <= LONGEST_HEADING]).toEqual([name, true])
  const shown = people.map((name) => headings[name] ?? labelOf(name))
  expect(new Set(shown).size).toBe(shown.length)
})

interface Inside {
  readonly name: string
  readonly field: Field
  /** The fields beside it. */
  readonly around: Fields
}

const inside = (around: Fields): Inside[] =>
  Object.entries(around).flatMap(([name, field]: [string, Field]) => [
    { name, field, around },
    ...(field.kind === 'scalar' ? [] : inside(field.fields)),
  ])

it.each(shapes)('%s says the unit of each quantity and the currency of each amount', (_name, { record }) => {
  for (const { name, field, around } of inside(record)) {
    if (field.kind !== 'scalar') continue
    if (field.unit !== undefined)
      expect([name, Object.keys(around)]).toEqual([name, expect.arrayContaining([field.unit])])
    if (typeof field.currency === 'object') expect(Object.keys(record)).toContain(field.currency.field)
    const isNumber = field.type.kind === 'decimal' || field.type.kind === 'number'
    const has = [field.unit, field.currency].filter((one) => one !== undefined).length
    // A band of ages is in the unit of its record.
    if (isNumber && !/(_per|rate|_percent)$|(^|_)days(_|$)|^lead_deviation$/.test(name) && !('from_days' in around))
      expect([name, has]).toEqual([name, 1])
  }
})

it.each(shapes)('%s has words for each of its words in capitals', (_name, { record }) => {
  for (const { name, field } of inside(record)) {
    if (field.kind !== 'scalar' || field.type.kind !== 'word') continue
    const shown = field.type.words.map((word) => field.inWords?.[word] ?? word)
    expect([name, shown.filter((word) => /^[A-Z ]{2,}$|^[a-z]/.test(word))]).toEqual([name, []])
  }
})
