/** A table on the terminal. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { tableLines, widthOf } from '../../src/cli/table.js'

const columns = [
  { name: 'sku', isNumber: false },
  { name: 'product_name', isNumber: false },
  { name: 'qty', isNumber: true },
]

it('sets numbers to the right and texts to the left', () => {
  expect(
    tableLines(
      columns,
      [
        ['A', 'Ghee', '1.5'],
        ['BB', 'Box', '10'],
      ],
      undefined,
    ),
  ).toEqual({
    lines: [
      ...['sku  product_name  qty', '───  ────────────  ───'],
      ...['A    Ghee          1.5', 'BB   Box            10'],
    ],
    hidden: [],
  })
})

it('shortens texts but never numbers, and names the columns that do not fit', () => {
  const row = ['A', 'A name that is too long for this terminal', '123456789.0000']
  const { lines, hidden } = tableLines(columns, [row], 40)
  expect(hidden).toEqual([])
  expect(lines[2]).toMatch(/^A {4}A name that is too… +123456789\.0000$/)
  expect(widthOf(lines[2] as string)).toBe(40)
  expect(tableLines(columns, [row], 20)).toMatchObject({ hidden: ['qty'] })
})

it('control characters do not reach the terminal', () => {
  const { lines } = tableLines(columns, [['\u001b[2J', '\u0007', '1']], 80)
  expect(lines.join('')).not.toMatch(/\p{Cc}/u)
})

it('wide letters and emoji take two cells, marks none', () => {
  expect(['abc', '漢字', '🙂', 'é'.normalize('NFD')].map(widthOf)).toEqual([3, 4, 2, 1])
})

it('no line is wider than the terminal, with any texts', () => {
  const cell = fc.string({ unit: 'grapheme', maxLength: 60 })
  fc.assert(
    fc.property(
      fc.array(fc.tuple(cell, cell, fc.integer().map(String)), { maxLength: 5 }),
      fc.integer({ min: 24, max: 200 }),
      (rows, width) => {
        for (const line of tableLines(columns, rows, width).lines) expect(widthOf(line)).toBeLessThanOrEqual(width)
      },
    ),
  )
})
