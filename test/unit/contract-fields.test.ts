/**
 * By default a record has exactly the fields that the contract shows, in its order: strict readers exist. Pages have the size that the
 * contract shows, and heavy reports the cost that the guide states.
 */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { contractShape } from '../../src/kernel/report/choose.js'
import { type Column, columnsOf } from '../../src/kernel/report/columns.js'
import { reports } from '../../src/reports/index.js'

/** The fields of each record that the contract shows, compared with its text. */
const contract: Record<string, string[]> = JSON.parse(
  readFileSync(new URL('../fixtures/contract-fields.json', import.meta.url), 'utf8'),
)

const namesOf = (columns: readonly Column[], around = ''): string[] =>
  columns.flatMap((column) => {
    const name = `${around}${column.name}`
    if (column.kind === 'nested') return namesOf(column.columns, `${name}.`)
    return column.kind === 'lines' ? [`${name}[]`, ...namesOf(column.columns, `${name}[].`)] : [name]
  })

it.each(Object.entries(contract))('%s', (name, fields) => {
  const [id, variant = ''] = name.split(' ')
  const shape = reports.find((report) => report.id === id)?.shapes.get(variant)
  expect(shape && namesOf(columnsOf(contractShape(shape)))).toEqual(fields)
})

it.each([
  [20, ['masters.warehouse-list', 'inventory.mat-stock-status', 'production.batches']],
  [20, ['sales.gross-margin', 'sales.order-dispatch']],
  [10, ['sales.sales']],
  [1000, ['sales.invoices']],
  [500, ['partner.pending-deliveries']],
])('%i records per page: %j', (size, ids) => {
  for (const id of ids) expect([id, reports.find((report) => report.id === id)?.perPage]).toEqual([id, size])
})

it('a report costs 1 unit, a heavy one 10', () => {
  expect(new Set(reports.map(({ cost }) => cost))).toEqual(new Set([1, 10]))
})
