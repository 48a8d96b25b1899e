/** Cells that a user copies from a table of the console. */
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Flat } from '../src/catalogue.js'
import { rawValue, tabSeparated } from '../src/report/raw.js'

const flat = (path: string, kind = 'text') => ({ path: path.split('.'), column: { kind } }) as unknown as Flat

describe('a value', () => {
  it.each([
    ['a decimal keeps every digit', '123456789012345678.90', '123456789012345678.90'],
    ['a number', 12.5, '12.5'],
    ['zero', 0, '0'],
    ['a flag', false, 'false'],
    ['an empty text', '', ''],
    ['null', null, ''],
    ['nothing', undefined, ''],
    ['a list of texts', ['red', 'blue'], 'red, blue'],
  ])('%s', (_name, value, raw) => {
    expect(rawValue({ field: value }, flat('field'))).toBe(raw)
  })

  it('is found inside objects; it is empty if the object is missing', () => {
    expect(rawValue({ billing: { city: 'Pune' } }, flat('billing.city'))).toBe('Pune')
    expect(rawValue({ billing: null }, flat('billing.city'))).toBe('')
    expect(rawValue({}, flat('billing.city'))).toBe('')
  })

  it.each(['=1+1', '+1', '-1', '@SUM(A1)'])('the text %s cannot run as a formula; a number stays a number', (text) => {
    expect(rawValue({ field: text }, flat('field'))).toBe(`'${text}`)
    expect(rawValue({ field: '-12.50' }, flat('field', 'decimal'))).toBe('-12.50')
  })

  it('lines are counted', () => {
    expect(rawValue({ items: [{ sku: 'A' }, { sku: 'B' }] }, flat('items', 'lines'))).toBe('2')
  })
})

describe('rows', () => {
  it('have tabs between cells, and quotes only where a cell has a tab or a line break', () => {
    expect(tabSeparated([['a', 'b "c"'], ['d\te', 'f\n"g"']])).toBe('a\tb "c"\n"d\te"\t"f\n""g"""') // biome-ignore format: two rows
    expect(tabSeparated([])).toBe('')
  })

  it('survive the way into a spreadsheet', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '"', '\t', '\n', '\r', ',', ' ', '−', '१'), minLength: 1 })
    const rows = fc.integer({ min: 2, max: 4 }).chain((columns) => fc.array(fc.array(text, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 5 })) // biome-ignore format: one generator
    fc.assert(
      fc.property(rows, (cells) => {
        expect(parse(tabSeparated(cells), { delimiter: '\t', record_delimiter: '\n', relax_quotes: true })).toEqual(
          cells,
        )
      }),
    )
  })

  it('a cell that begins with a quote does not swallow the next cell', () => {
    expect(tabSeparated([['"', '5" pipe']])).toBe('""""\t5" pipe')
  })

  it('a single cell is its plain text', () => {
    expect(tabSeparated([['two\nlines']])).toBe('two\nlines')
    expect(tabSeparated([['"quoted"']])).toBe('"quoted"')
  })
})
