/** The declared order of records is unambiguous, and gives every record its key. */
import { expect, it } from 'vitest'
import { sql } from '../../src/db/sql.js'
import { keyOf } from '../../src/kernel/report/columns.js'
import { Integer, Lines } from '../../src/kernel/report/fields.js'
import { keyed } from '../../src/kernel/report/keyed.js'
import { readOrder, writeOrder } from '../../src/kernel/report/order.js'
import { defineReport } from '../../src/kernel/report/report.js'

it('reads an ascending and a descending column', () => {
  const order = readOrder(['sku', 'date desc'])
  expect(order).toEqual([
    { column: 'sku', descending: false },
    { column: 'date', descending: true },
  ])
  expect(writeOrder(order)).toEqual(['sku', 'date desc'])
})

it.each(['sku nulls last', 'sku desc nulls last', 'sku asc', 'i.sku', '', 'lower(sku)'])(
  'a report whose order is "%s" cannot be declared, nor can its lines',
  (order) => {
    const sentence = `"${order}" is not a column to order by; write the name of a column, followed by " desc" to sort descending`
    expect(() => defineReport({ ...about, orderBy: [order] })).toThrow(sentence)
    expect(() => Lines('', { fields: {}, query: sql`select`, orderBy: [order] })).toThrow(sentence)
  },
)

it('a hidden column of the key is shown to callers who follow the report, also a descending one', () => {
  const report = defineReport({ ...about, orderBy: ['no', 'line_no desc'], hiddenKey: { line_no: Integer('') } })
  expect(keyOf(keyed(report).shapeFor({}))).toEqual([
    { column: 'no', descending: false, path: ['no'] },
    { column: '_line_no', descending: true, path: ['_line_no'] },
  ])
})

const about = {
  ...({ id: 'masters.test', method: 'POST', path: '/v1/test' } as const),
  ...{ summary: '', description: '', request: {} },
  ...{ record: { no: Integer('') }, query: () => sql`select 1 as no, 2 as line_no` },
}
