/** The cursor in a table of the console: where keys move it, and which cells a range covers. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Cursor, HEADER, isInRange, moved, rangeOf } from '../src/report/cursor.js'

const SIZE = { rows: 50, columns: 6, page: 10 }
const press = (cursor: Cursor, keys: string) => {
  const [key = '', ...held] = keys.split('+').reverse()
  const has = (name: string) => held.includes(name)
  return moved(cursor, { key, shiftKey: has('Shift'), ctrlKey: has('Ctrl'), metaKey: has('Meta') }, SIZE)
}

describe('a key', () => {
  it.each([
    ['ArrowDown', { row: 6, column: 2 }],
    ['ArrowUp', { row: 4, column: 2 }],
    ['ArrowRight', { row: 5, column: 3 }],
    ['ArrowLeft', { row: 5, column: 1 }],
    ['PageDown', { row: 15, column: 2 }],
    ['PageUp', { row: 0, column: 2 }],
    ['Home', { row: 5, column: 0 }],
    ['End', { row: 5, column: 5 }],
    ['Ctrl+ArrowDown', { row: 49, column: 2 }],
    ['Ctrl+ArrowUp', { row: 0, column: 2 }],
    ['Meta+ArrowRight', { row: 5, column: 5 }],
    ['Ctrl+ArrowLeft', { row: 5, column: 0 }],
    ['Ctrl+Home', { row: 0, column: 0 }],
    ['Ctrl+End', { row: 49, column: 2 }],
  ])('%s leads from row 5, column 2 to its cell', (keys, to) => {
    expect(press({ row: 5, column: 2 }, keys)).toEqual(to)
  })

  it.each(['a', 'Enter', 'Tab', 'Escape', ' '])('%j leads nowhere', (key) => {
    expect(press({ row: 5, column: 2 }, key)).toBeUndefined()
  })

  it('stops at every edge; above the first row is the header', () => {
    expect(press({ row: 49, column: 5 }, 'ArrowDown')).toEqual({ row: 49, column: 5 })
    expect(press({ row: 49, column: 5 }, 'ArrowRight')).toEqual({ row: 49, column: 5 })
    expect(press({ row: 45, column: 0 }, 'PageDown')).toEqual({ row: 49, column: 0 })
    expect(press({ row: 0, column: 0 }, 'ArrowLeft')).toEqual({ row: 0, column: 0 })
    expect(press({ row: 0, column: 3 }, 'ArrowUp')).toEqual({ row: HEADER, column: 3 })
    expect(press({ row: HEADER, column: 3 }, 'ArrowUp')).toEqual({ row: HEADER, column: 3 })
    expect(press({ row: HEADER, column: 3 }, 'ArrowDown')).toEqual({ row: 0, column: 3 })
    expect(press({ row: HEADER, column: 3 }, 'PageDown')).toEqual({ row: 10, column: 3 })
  })

  it('leads to the header of an empty table, and not beyond it', () => {
    const { row } = moved({ row: 0, column: 0 }, { key: 'ArrowDown', shiftKey: false, ctrlKey: false, metaKey: false }, { ...SIZE, rows: 0 }) as Cursor // biome-ignore format: one call
    expect(row).toBe(HEADER)
  })
})

describe('Shift', () => {
  it('keeps the corner where the range began, until a key without it', () => {
    const first = press({ row: 5, column: 2 }, 'Shift+ArrowDown') as Cursor
    expect(first).toEqual({ row: 6, column: 2, from: { row: 5, column: 2 } })
    const second = press(first, 'Shift+ArrowLeft') as Cursor
    expect(second).toEqual({ row: 6, column: 1, from: { row: 5, column: 2 } })
    expect(press(second, 'ArrowDown')).toEqual({ row: 7, column: 1 })
  })

  it('does not reach the header, and begins no range there', () => {
    expect(press({ row: 0, column: 2 }, 'Shift+ArrowUp')).toEqual({ row: 0, column: 2, from: { row: 0, column: 2 } })
    expect(press({ row: HEADER, column: 2 }, 'Shift+ArrowDown')).toEqual({ row: 0, column: 2 })
  })
})

describe('a range', () => {
  const cells = fc.record({ row: fc.nat(20), column: fc.nat(5) })

  it('covers the cells between both corners, wherever it began', () => {
    fc.assert(
      fc.property(cells, cells, cells, (at, from, other) => {
        const between = (value: number, a: number, b: number) => (value - a) * (value - b) <= 0
        const inside = between(other.row, at.row, from.row) && between(other.column, at.column, from.column)
        expect(isInRange({ ...at, from }, other.row, other.column)).toBe(inside)
        expect(rangeOf({ ...at, from })).toEqual(rangeOf({ ...from, from: at }))
      }),
    )
  })

  it('is a single cell without a corner, and marks nothing', () => {
    expect(rangeOf({ row: 3, column: 1 })).toEqual({ first: { row: 3, column: 1 }, last: { row: 3, column: 1 } })
    expect(isInRange({ row: 3, column: 1 }, 3, 1)).toBe(false)
  })
})
