/** The words for fields are readable, and no two columns of a sheet have the same. */
import { describe, expect, it } from 'vitest'
import { tablesFor } from '../../src/formats/table.js'
import { columnsOf } from '../../src/kernel/report/columns.js'
import { labelOf } from '../../src/kernel/report/labels.js'
import type { Shape } from '../../src/kernel/report/report.js'
import { reports } from '../../src/reports/index.js'
import { documentsOf, listsOf } from '../setup/tables.js'

const shapes = reports.flatMap((report) =>
  [...report.shapes].map(([name, shape]) => [`${report.id} ${name}`.trim(), shape as Shape] as const),
)

const headingsOf = (shape: Shape) =>
  [documentsOf(shape, []), ...listsOf(shape, [])].map(({ columns }) => columns.map(({ heading }) => heading))

/** Words that only the contract uses. */
const SHORTENED =
  /\b(qty|amt|val|uom|wh|no|pono|podate|poid|prd|pur|trf|oth|chrg|cr|dr|rej|ret|req|rec|exp|mfg|mat|prod|inv|cogs|inc|extax|inctax|effetive|transfered|itemcode|itemname|taxrate)\b/i

describe.each(shapes)('%s', (_name, shape) => {
  it('has a different label for each column of a sheet', () => {
    for (const headings of headingsOf(shape)) expect(headings).toEqual([...new Set(headings)])
  })

  it('has readable labels: words, beginning with a capital letter', () => {
    for (const label of headingsOf(shape).flat()) {
      expect(label).toMatch(/^[A-Z][A-Za-z0-9%.]*( [A-Za-z0-9%.]+)*$/)
      expect(label).not.toMatch(SHORTENED)
      expect(label).not.toMatch(/[a-z][A-Z]|\b(\w+) \1\b/)
    }
  })

  it('has no list inside a list, which no table shows, and sheets with different names', () => {
    const lists = columnsOf(shape).flatMap(function inside(column): (typeof column)[] {
      return column.kind === 'nested' ? column.columns.flatMap(inside) : column.kind === 'lines' ? [column] : []
    })
    const within = lists.flatMap((list) => (list.kind === 'lines' ? list.columns : []))
    expect(within.filter(({ kind }) => kind === 'lines')).toEqual([])
    const names = [documentsOf(shape, []), ...listsOf(shape, [])].map(({ sheet }) => sheet)
    expect([...names, 'About']).toEqual([...new Set([...names, 'About'])])
    for (const name of names) expect(name).toMatch(/^[A-Z][a-z ]{1,30}$/)
  })

  it('shows in each line the whole key of its document', () => {
    const report = reports.find(({ shapes }) => [...shapes.values()].some((one) => one === shape))
    const [value = ''] = [...(report?.shapes ?? [])].find(([, one]) => one === shape) ?? []
    const values = report?.shapedBy === undefined ? {} : { [report.shapedBy]: value }
    const { lists } = tablesFor({ report: report as never, values })
    const key = shape.orderBy.map(({ column }) => column)
    for (const { columns } of lists)
      expect(columns.filter(({ ofLine }) => !ofLine).map(({ name }) => name)).toEqual(key)
  })
})

it('expands the words of the contract', () => {
  const names = ['total_amt', 'invoice_no', 'Receipts_PRD_qty', 'wh_id', 'final_TrfChrg', 'OthCost_Inctax', 'UoM']
  expect(names.map(labelOf)).toEqual([
    ...['Total amount', 'Invoice number', 'Receipts production quantity', 'Warehouse id', 'Final transfer charges'],
    ...['Other cost incl. tax', 'Unit'],
  ])
  expect(['customer.customer_name', 'customer.billing.address1', '_by_unit', 'Active_val_tax'].map(labelOf)).toEqual([
    ...['Customer name', 'Customer billing address 1', 'By unit', 'Active value incl. tax'],
  ])
})
