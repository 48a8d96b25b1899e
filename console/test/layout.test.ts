/** The lines of the overview are full, for every number of pins and every width. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { COLUMNS, moved, spans } from '../src/overview/layout.js'

const pins = fc.array(
  fc.record({
    kind: fc.constantFrom('figure' as const, 'list' as const, 'chart' as const),
    size: fc.constantFrom(undefined, 'small' as const, 'medium' as const, 'large' as const),
  }),
)

it('each line is filled, and figures share no line with lists and charts', () => {
  fc.assert(
    fc.property(pins, fc.integer({ min: 200, max: 2000 }), (given, width) => {
      const shapes = given.map(({ kind, size }) => ({ kind, ...(size && { size }) }))
      const found = spans(shapes, width)
      expect(found).toHaveLength(shapes.length)
      let used = 0
      const line: string[] = []
      for (const [at, span] of found.entries()) {
        expect(span).toBeGreaterThan(0)
        used += span
        line.push(shapes[at]?.kind === 'figure' ? 'low' : 'high')
        expect(used).toBeLessThanOrEqual(COLUMNS)
        if (used < COLUMNS) continue
        expect(new Set(line).size).toBe(1)
        used = 0
        line.length = 0
      }
      expect(used).toBe(0)
    }),
  )
})

it('pins of one size are spread evenly: six on a wide page, then three and three', () => {
  const six = Array(6).fill({ kind: 'figure' })
  expect(spans(six, 1170)).toEqual(Array(6).fill(10))
  expect(spans(six, 750)).toEqual(Array(6).fill(20))
  expect(spans(Array(5).fill({ kind: 'figure' }), 750)).toEqual([20, 20, 20, 30, 30])
  expect(spans([{ kind: 'list' }, { kind: 'chart', size: 'medium' }], 1170)).toEqual([20, 40])
  expect(spans([{ kind: 'list' }], 300)).toEqual([60])
})

it('a pin is moved to a place, and the others keep their order', () => {
  expect(moved(['a', 'b', 'c', 'd'], 'b', 3)).toEqual(['a', 'c', 'd', 'b'])
  expect(moved(['a', 'b', 'c', 'd'], 'd', 0)).toEqual(['d', 'a', 'b', 'c'])
})
