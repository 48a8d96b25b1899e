/** The SQL tag binds its values and nests. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { identifier, join, raw, type Sql, sql } from '../../src/db/sql.js'

it('values become parameters, nested statements are spliced in, and parameters are numbered in order', () => {
  const inner = sql`b = ${2} and c = ${3}`
  const outer = sql`select * from t where a = ${1} and (${inner}) and d in (${join([sql`${4}`, sql`${5}`], ', ')})`
  expect(outer.text).toBe('select * from t where a = $1 and (b = $2 and c = $3) and d in ($4, $5)')
  expect(outer.values).toEqual([1, 2, 3, 4, 5])
})

it('hostile text stays a value', () => {
  const statement = sql`select ${"'; drop table t; --"}`
  expect(statement.text).toBe('select $1')
  expect(identifier('a"b').text).toBe('"a""b"')
})

it('any nesting numbers every value in order', () => {
  const { tree } = fc.letrec<{ tree: Sql }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.integer().map((n) => sql`v${n}`),
      fc.constant(raw('r')),
      fc.array(tie('tree') as fc.Arbitrary<Sql>, { maxLength: 3 }).map((parts) => sql`(${join(parts, '+')})${7}`),
    ),
  }))
  fc.assert(
    fc.property(tree as fc.Arbitrary<Sql>, (statement) => {
      expect(statement.strings).toHaveLength(statement.values.length + 1)
      const numbers = [...statement.text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n))
      expect(numbers).toEqual(statement.values.map((_, i) => i + 1))
    }),
  )
})
