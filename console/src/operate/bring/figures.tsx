/** Figures of the books before and after a load; they show people whether their files were read correctly. */
import type { JSX } from 'preact'
import { formatted } from '../../numbers.js'
import { grouping } from '../../preferences.js'
import { DataTable } from '../data-table.js'

export interface Figures {
  readonly items: number
  readonly customers: number
  readonly stock_value: string
  readonly last_movement: string | null
  readonly sales_orders: string
  readonly invoices: string
  readonly purchase_orders: string
}

const LABELS: readonly (readonly [keyof Figures, string])[] = [
  ['stock_value', 'Value of the stock'],
  ['last_movement', 'Last movement'],
  ['sales_orders', 'Sales orders before tax'],
  ['invoices', 'Invoices before tax'],
  ['purchase_orders', 'Purchase orders before tax'],
  ['items', 'Items'],
  ['customers', 'Customers'],
]

export function FiguresTable({ before, after }: { before: Figures; after: Figures }): JSX.Element {
  const shown = (value: string | number | null) =>
    value === null
      ? 'none'
      : /^-?[\d.]+$/.test(String(value))
        ? formatted(String(value), grouping.value)
        : String(value)
  return (
    <DataTable
      caption="Figures"
      rows={LABELS.filter(([name]) => before[name] !== after[name])}
      keyOf={([name]) => name}
      columns={[
        { title: 'Figure', names: true, cell: ([, label]) => label },
        { title: 'Now', right: true, cell: ([name]) => shown(before[name]) },
        { title: 'After the load', right: true, cell: ([name]) => shown(after[name]) },
      ]}
    />
  )
}
