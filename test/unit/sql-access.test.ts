/** The text of the functions of SQL access: for every choice of their parameters, the text that the report itself makes. */
import { expect, it } from 'vitest'
import { raw, sql } from '../../src/db/sql.js'
import { IsoDate } from '../../src/kernel/report/fields.js'
import { flatTables } from '../../src/kernel/report/flat.js'
import { OneOf, type Params, WholeNumber } from '../../src/kernel/report/params.js'
import { defineReport, type Report } from '../../src/kernel/report/report.js'
import { viewOf, WHOLE } from '../../src/kernel/report/rights.js'
import { reports } from '../../src/reports/index.js'
import { piecesOf } from '../../src/surfaces/sql/pieces.js'
import { everyText, type Statement, statementOf } from '../../src/surfaces/sql/statements.js'
import { quoted } from '../../src/surfaces/sql/text.js'
import { long } from '../setup/tier.js'

const write = (param: string) => `{${param}}`

function textFor({ outer, pieces }: Statement, choices: ReadonlyMap<string, string>): string | undefined {
  const found = pieces.get(outer.map((name) => choices.get(name)).join('/'))
  return found
    ?.map((piece) => (typeof piece === 'string' ? piece : piece.texts.get(choices.get(piece.param) as string)))
    .join('')
}

it('the pieces of each function make the text of its report, for every choice', () => {
  let compared = 0
  for (const table of flatTables(reports)) {
    const view = viewOf({ groups: null, hideContacts: true }, table.report.masks)
    const statement = statementOf(table, view, write)
    for (const [choices, text] of everyText(table, view, write, long ? 1 : 11)) {
      compared++
      if (textFor(statement, choices) !== text)
        expect([table.name, Object.fromEntries(choices), textFor(statement, choices)]).toEqual([
          table.name,
          choices,
          text,
        ])
    }
  }
  expect(compared).toBeGreaterThan(150)
})

const days = WholeNumber('number', 3660, 'Days.', 90)
const words = OneOf(['one', 'two', 'three'], 'A word.')
const tableOf = (request: Params, query: (values: { days: number; word: string }) => ReturnType<typeof sql>) => {
  const report = defineReport({
    ...{ id: 'insight.test', method: 'POST', path: '/v1/insight/test', summary: 'A test', description: '' },
    ...{ request, record: { day: IsoDate('A day.') }, orderBy: ['day'], query: query as never },
  }) as unknown as Report
  const [table] = flatTables([report])
  if (table === undefined) throw new Error('no table')
  return table
}

it('a value that TypeScript computes from a parameter is refused', () => {
  const of = (query: Parameters<typeof tableOf>[1]) => statementOf(tableOf({ days }, query), WHOLE, write)
  expect([...of(({ days }) => sql`select ${days}::int, ${365}::int`).pieces.values()]).toEqual([
    [`select {days}::int, '365'::int`],
  ])
  expect(() => of(({ days }) => sql`select ${Math.max(days, 182)}::int`)).toThrow(
    'insight_test cannot be a function: it binds a value that TypeScript computes from its parameters',
  )
  expect(() => of(({ days }) => sql`select ${days + 1}::int`)).toThrow('computes from its parameters')
  expect(() => of(({ days }) => sql`select ${raw(String(days))}::int`)).toThrow(
    'the text of its SQL depends on a value that is no choice',
  )
})

it('a word that is bound is a parameter, one that changes the text a choice', () => {
  const of = (query: Parameters<typeof tableOf>[1]) => statementOf(tableOf({ word: words }, query), WHOLE, write)
  expect([...of(({ word }) => sql`select ${word}`).pieces]).toEqual([['', ['select {word}']]])
  const looked = { one: 1, two: 2, three: 3 }
  expect([...of(({ word }) => sql`select ${looked[word as 'one']}::int`).pieces]).toEqual([
    [
      '',
      [
        "select '",
        {
          param: 'word',
          texts: new Map([
            ['one', '1'],
            ['two', '2'],
            ['three', '3'],
          ]),
        },
        "'::int",
      ],
    ],
  ])
})

it('pieces of two parameters in one place are a conflict', () => {
  const varied = (param: string, ...texts: string[]) => ({
    param,
    texts: new Map(texts.map((text, i) => [String(i), text])),
  })
  expect(piecesOf('a b c', [varied('x', 'a b c', 'a x c'), varied('y', 'a b c', 'a b y')])).toEqual({
    pieces: [
      'a ',
      {
        param: 'x',
        texts: new Map([
          ['0', 'b'],
          ['1', 'x'],
        ]),
      },
      ' ',
      {
        param: 'y',
        texts: new Map([
          ['0', 'c'],
          ['1', 'y'],
        ]),
      },
    ],
  })
  expect(piecesOf('a b c', [varied('x', 'a b c', 'a x c'), varied('y', 'a b c', 'a y c')])).toEqual({
    conflict: ['x', 'y'],
  })
})

it('a literal is what it was, whatever characters it has', () => {
  expect(['a', `it's`, '\\', `\\'`].map(quoted)).toEqual([`'a'`, `'it''s'`, ` E'\\\\'`, ` E'\\\\'''`])
})
