/** The mass balance of each batch of a trace: what came in, where it went, what is left, and a mark where something is missing. */
import type { JSX } from 'preact'
import { type CatalogueReport, type Row, type ValueColumn, type Values, valueIn } from '../catalogue.js'
import { add, compare, formatted, negated, sum, withoutZeros } from '../numbers.js'
import { Cell, Num } from '../parts/cell.js'
import { Icon } from '../parts/icons.js'
import { grouping } from '../preferences.js'
import { columnsFor } from '../report/answer.js'
import { Linked } from '../things/link.js'

/** The columns of the table, and the fields that each adds up. */
const COLUMNS = [
  ['In', ['produced_qty', 'purchased_qty', 'returned_qty', 'other_in_qty', 'transferred_in_qty']],
  ['Used', ['consumed_qty', 'unpacked_qty', 'own_use_qty']],
  ['Shipped', ['shipped_qty', 'vendor_returned_qty']],
  ['Wasted', ['wasted_qty']],
  ['Moved out', ['transferred_out_qty']],
  ['In stock', ['stock_qty']],
] as const

export const numberIn = (row: Row, name: string): string => String(row[name] ?? '0')
export const isZero = (qty: string): boolean => !/[1-9]/.test(qty)

/** What is missing, or appeared, between the production record and the ledger, and what is on the way. */
export interface Verdict {
  readonly tone: 'good' | 'bad' | 'warn'
  readonly words: string
}

export function verdictOf(row: Row): Verdict {
  const unit = String(row['unit'] ?? '')
  const inUnits = (qty: string) => `${formatted(withoutZeros(qty), grouping.value)} ${unit}`
  const unexplained = numberIn(row, 'unexplained_qty')
  const transit = numberIn(row, 'in_transit_qty')
  const gap = gapOf(row)
  if (!isZero(gap)) return { tone: 'bad', words: `${inUnits(gap)} do not add up` }
  if (!isZero(unexplained))
    return compare(unexplained, '0') > 0
      ? { tone: 'bad', words: `${inUnits(unexplained)} made, never in stock` }
      : { tone: 'bad', words: `${inUnits(negated(unexplained))} more in stock than made` }
  if (!isZero(transit)) return { tone: 'warn', words: `${inUnits(transit)} between warehouses` }
  if (compare(numberIn(row, 'stock_qty'), '0') < 0) return { tone: 'bad', words: 'more went out than came in' }
  return { tone: 'good', words: 'adds up' }
}

/** What came in − what went out − stock: 0 unless a figure of the answer is wrong. */
function gapOf(row: Row): string {
  const [came, ...left] = COLUMNS.map(([, fields]) => sum(fields.map((name) => numberIn(row, name))))
  return left.reduce((rest, one) => add(rest, negated(one)), came as string)
}

/** One record per batch, the starts first: a batch that was reached in both directions has two, with the same figures. */
export function oncePerBatch(batches: readonly Row[]): Row[] {
  const seen = new Map<string, Row>()
  const isStart = ({ direction }: Row) => direction === 'start'
  for (const row of [...batches.filter(isStart), ...batches.filter((row) => !isStart(row))]) {
    const key = JSON.stringify([row['sku'], row['batch_no']])
    if (!seen.has(key)) seen.set(key, row)
  }
  return [...seen.values()]
}

interface Props {
  report: CatalogueReport
  values: Values
  rows: readonly Row[]
}

export function Balance({ report, values, rows }: Props): JSX.Element {
  const columns = columnsFor(report, values)
  const flat = (name: string) => columns.find((one) => one.name === name)
  const batch = flat('batch_no')
  const item = flat('name')
  const expiry = flat('expiry_date')
  return (
    <div class="lines" role="group" aria-label="Mass balance" tabIndex={0}>
      <table class="balance">
        <thead>
          <tr>
            <th scope="col">Batch</th>
            <th scope="col">Product</th>
            <th scope="col">Expires</th>
            {COLUMNS.map(([word]) => (
              <th key={word} scope="col" class="right">
                {word}
              </th>
            ))}
            <th scope="col">Unit</th>
            <th scope="col">Balance</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => {
            const { tone, words } = verdictOf(row)
            return (
              <tr key={at}>
                <th scope="row">
                  {batch && (
                    <Linked row={row} flat={batch}>
                      <Cell value={valueIn(row, batch.path)} column={batch.column as ValueColumn} record={row} />
                    </Linked>
                  )}
                </th>
                <td class="product">
                  {item && <Cell value={row['name']} column={item.column as ValueColumn} record={row} />}
                </td>
                <td class="expires">
                  {expiry && <Cell value={row['expiry_date']} column={expiry.column as ValueColumn} record={row} />}
                </td>
                {COLUMNS.map(([word, fields], at) => {
                  const qty = sum(fields.map((name) => numberIn(row, name)))
                  return (
                    <td
                      key={word}
                      class={isZero(qty) ? 'right none' : 'right'}
                      data-word={word}
                      data-unit={at === 0 ? row['unit'] : undefined}
                      title={fields.map((name) => inWords(row, name, flat)).join('\n')}
                    >
                      <Num text={qty} least={0} />
                    </td>
                  )
                })}
                <td class="unit">{String(row['unit'] ?? '')}</td>
                <td>
                  <span class={`verdict ${tone}`}>
                    <Icon name={tone === 'good' ? 'check' : 'warning'} />
                    {words}
                  </span>
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

type FlatOf = (name: string) => ReturnType<typeof columnsFor>[number] | undefined

const inWords = (row: Row, name: string, flat: FlatOf): string => {
  const heading = flat(name)?.column.heading ?? name.replace(/_qty$/, '').replaceAll('_', ' ')
  return `${heading}: ${formatted(withoutZeros(numberIn(row, name)), grouping.value)}`
}
