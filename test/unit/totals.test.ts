/** `totals` adds up amounts and quantities, and no field whose sum means nothing. */
import { expect, it } from 'vitest'
import { type Column, columnsOf, type ValueColumn } from '../../src/kernel/report/columns.js'
import { totalsRecord } from '../../src/kernel/report/totals.js'
import { reports } from '../../src/reports/index.js'

const valuesIn = (columns: readonly Column[]): ValueColumn[] =>
  columns.flatMap((column) =>
    column.kind === 'nested' || column.kind === 'lines' ? valuesIn(column.columns) : [column],
  )

const shapes = reports.flatMap(({ id, shapes }) =>
  [...shapes].map(([name, shape]) => ({ name: `${id} ${name}`.trim(), shape, columns: columnsOf(shape) })),
)
const totalsOf = (wanted: string) =>
  Object.keys(totalsRecord(shapes.find(({ name }) => name === wanted)?.shape ?? { record: {} }))

it('no price, rate, percentage, limit or level is additive, and nothing but decimals is', () => {
  for (const { name, columns } of shapes)
    for (const column of valuesIn(columns).filter(({ additive }) => additive)) {
      const at = `${name} ${column.name}`
      expect(column.name, at).not.toMatch(/(^|_)(rate|taxrate|per|mrp|unit|limit|level|id|code)(_|$)/i)
      expect(column.description, at).not.toMatch(/\b(prices?|rate|percent|one unit|limit|below which)\b/i)
      expect(['decimal', 'number'], at).toContain(column.kind)
    }
})

it('most decimals are additive, also in objects; figures that several records repeat are not', () => {
  expect(totalsOf('sales.invoices')).toEqual([
    'rows',
    'shipping',
    'adjustment',
    'sub_total',
    'total_tax',
    'total_amt',
    'round_amt',
    'final_amt',
    '_cancelled',
  ])
  expect(totalsOf('sales.sales-orders')).toEqual([
    'rows',
    'taxable_amt',
    'tax_amt',
    'shipping_amt',
    'total_amt',
    'adjustment',
    '_cancelled',
  ])
  expect(totalsOf('sales.order-dispatch')).toEqual(['rows', 'required_qty', 'dispatched_qty', '_by_unit'])
  expect(totalsOf('production.material-consumption DETAILED')).not.toContain('batch_qty')
  expect(totalsOf('masters.material')).toEqual(['rows'])
})

it('every quantity that can be added up names the field of its unit', () => {
  for (const { name, columns } of shapes)
    for (const column of columns) {
      if (!('additive' in column) || !column.additive) continue
      const isQuantity = /(^|_)qty(?!_val)(_|$)|quantity|wastage$|^total_consumption$/i.test(column.name)
      expect(column.unit !== undefined, `${name} ${column.name}`).toBe(isQuantity)
      if (column.unit === undefined) continue
      const unit = columns.find((other) => other.name === column.unit)
      expect(unit?.kind, `${name} ${column.name}`).toBe('text')
    }
})
