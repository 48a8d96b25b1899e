/** The charts of reports. Each chart is one line here. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { allRows, totalsOf, type View } from '../ask.js'
import { type CatalogueReport, type Row, type Values, valueIn } from '../catalogue.js'
import { daysBetween, daysFrom, monthInWords, monthOf, monthsFrom, today } from '../dates.js'
import { labelOf } from '../labels.js'
import { add, compare } from '../numbers.js'
import { type Bar, Bars, Months, type Series } from '../parts/charts.js'
import { filterText, literal } from './filters.js'
import { reportUrl } from './view.js'

type Chart =
  /** The report's totals at the end of each of the last 12 months. */
  | { readonly kind: 'months'; readonly title: string; readonly fields: readonly string[] }
  /** Sums of fields by the value of another field, the largest first. */
  | { readonly kind: 'bars'; readonly title: string; readonly by: string; readonly fields: readonly string[] }
  /** Sums by age in days of a date. */
  | { readonly kind: 'ages'; readonly title: string; readonly date: string; readonly fields: readonly string[] }

const charts: Readonly<Record<string, Chart>> = {
  'inventory.fg-stock-status': { kind: 'months', title: 'Stock value at the end of the month', fields: ['final_value'] },
  'inventory.mat-stock-status': { kind: 'months', title: 'Stock value at the end of the month', fields: ['Closing_val'] },
  'sales.gross-margin CUSTOMER': { kind: 'bars', title: 'Sales and margin by customer', by: 'company_name', fields: ['total_sale', 'profit'] },
  'sales.gross-margin CONSOLIDATED': { kind: 'bars', title: 'Sales and margin by product', by: 'product_name', fields: ['total_sale', 'profit'] },
  'sales.order-status': { kind: 'ages', title: 'Order value by age in days', date: 'order_date', fields: ['Order_value'] },
  'sales.sales-orders': { kind: 'bars', title: 'Order pipeline', by: 'order_status', fields: ['total_amt'] },
  'sales.sales': { kind: 'bars', title: 'Sales by product', by: 'product_name', fields: ['total_sales'] },
  'sales.invoices': { kind: 'bars', title: 'Invoiced by customer', by: 'customer_name', fields: ['total_amt'] },
  'sales.demand-status CUSTOMER': { kind: 'bars', title: 'Remaining by customer', by: 'company_name', fields: ['Remaining_qty'] },
  'purchase.purchase-orders-list': { kind: 'bars', title: 'Purchase orders by status', by: 'po_status', fields: ['total_amt'] },
  'grn.list': { kind: 'bars', title: 'Received by vendor', by: 'vendor', fields: ['taxable_amt'] },
  'production.batches': { kind: 'bars', title: 'Cost of batches by product', by: 'product_name', fields: ['batch_cost_extax'] },
  'production.material-consumption SUMMARY': { kind: 'bars', title: 'Consumption against the bill of materials', by: 'product_name', fields: ['Total_consumption_Val', 'Item_Val_bom'] },
  'production.material-consumption DETAILED': { kind: 'bars', title: 'Consumption against the bill of materials', by: 'product_name', fields: ['Total_consumption_Val', 'Item_Val_bom'] },
} // biome-ignore format: one line each

const chartOf = (id: string, shape: string): Chart | undefined => charts[`${id} ${shape}`] ?? charts[id]

export const hasChart = (id: string, shape = ''): boolean => chartOf(id, shape) !== undefined

/** Further bars are added up as the rest. */
const MOST_BARS = 12
/** The most records that a chart adds up. */
const MOST_ROWS = 100_000
const AGES = [7, 30, 60, 90, 180, 365]

interface Props {
  report: CatalogueReport
  values: Values
  view: View
}

export function ChartOf({ report, values, view }: Props): JSX.Element | null {
  const shape = report.shaped_by === undefined ? '' : (values[report.shaped_by] ?? '')
  const chart = chartOf(report.id, shape)
  const series = useSignal<readonly Series[] | undefined>(undefined)
  const bars = useSignal<readonly Bar[] | undefined>(undefined)
  const note = useSignal<string | undefined>(undefined)
  useEffect(() => {
    if (chart === undefined) return
    const controller = new AbortController()
    const { signal } = controller
    const failed = (error: Error) => {
      if (error.name !== 'AbortError') note.value = `The chart could not be drawn: ${error.message}`
    }
    if (chart.kind === 'months')
      void overMonths(
        report,
        values,
        view,
        chart.fields,
        (found) => {
          series.value = found
        },
        signal,
      ).catch(failed)
    else
      allRows(report, values, { filter: view.filter, search: view.search }, { most: MOST_ROWS, signal })
        .then(({ rows, total }) => {
          if (total > rows.length) note.value = `Of the first ${rows.length} of ${total} rows.`
          const barsOf = chart.kind === 'bars' ? byName : byAge
          bars.value = barsOf(rows, chart as never, report, values, view)
        })
        .catch(failed)
    return () => controller.abort()
  }, [])
  if (chart === undefined) return null
  return (
    <section class="chart-band" aria-label={chart.title}>
      {series.value !== undefined && <Months kind="line" title={chart.title} series={series.value} height={180} />}
      {bars.value !== undefined && <Bars bars={bars.value} names={chart.fields.map(labelOf)} title={chart.title} />}
      {series.value === undefined && bars.value === undefined && note.value === undefined && (
        <p class="quiet">Drawing…</p>
      )}
      {note.value !== undefined && <p class="quiet">{note.value}</p>}
    </section>
  )
}

async function overMonths(
  report: CatalogueReport,
  values: Values,
  view: View,
  fields: readonly string[],
  tell: (series: readonly Series[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const end = values['to_date'] ?? today()
  const months = Array.from({ length: 12 }, (_, at) => monthOf(monthsFrom(end, at - 11)))
  const found: (Row | undefined)[] = months.map(() => undefined)
  const show = () =>
    tell(
      fields.map((field) => ({
        name: labelOf(field),
        points: months.map(({ from, to }, at) => {
          const value = found[at]?.[field]
          const range = { ...values, from_date: from, to_date: to }
          return {
            label: monthInWords(from).replace(/ \d\d(\d\d)$/, ' $1'),
            value: value === undefined ? undefined : String(value),
            href: reportUrl(report.id, range, view),
          }
        }),
      })),
    )
  show()
  // The newest first, because people look at them most.
  for (let at = months.length - 1; at >= 0; at--) {
    const { from, to } = months[at] as { from: string; to: string }
    found[at] = (await totalsOf(report, { ...values, from_date: from, to_date: to }, view, signal)).row
    show()
  }
}

type Sums = Map<string, string[]>

function addTo(sums: Sums, key: string, row: Row, fields: readonly string[]): void {
  const before = sums.get(key) ?? fields.map(() => '0')
  sums.set(
    key,
    fields.map((field, at) => add(before[at] as string, String(valueIn(row, field.split('.')) ?? '0'))),
  )
}

function byName(
  rows: readonly Row[],
  chart: Extract<Chart, { kind: 'bars' }>,
  report: CatalogueReport,
  values: Values,
  view: View,
): Bar[] {
  const sums: Sums = new Map()
  for (const row of rows) addTo(sums, String(valueIn(row, chart.by.split('.')) ?? ''), row, chart.fields)
  const sorted = [...sums].sort(([, [a = '0']], [, [b = '0']]) => compare(b, a))
  const shown = sorted.slice(0, sorted.length > MOST_BARS + 1 ? MOST_BARS : undefined)
  const rest = sorted.slice(shown.length)
  const bars: Bar[] = shown.map(([label, sums]) => ({
    label,
    values: sums,
    href: reportUrl(report.id, values, {
      ...view,
      filter: [...(view.filter ?? []), filterText({ field: chart.by, operator: '=', value: literal(label) })],
    }),
  }))
  if (rest.length === 0) return bars
  return [
    ...bars,
    {
      label: `${rest.length} others`,
      rest: true,
      values: chart.fields.map((_, at) => rest.reduce((all, [, sums]) => add(all, sums[at] as string), '0')),
    },
  ]
}

function byAge(
  rows: readonly Row[],
  chart: Extract<Chart, { kind: 'ages' }>,
  report: CatalogueReport,
  values: Values,
  view: View,
): Bar[] {
  const now = today()
  const limits = [-1, ...AGES, Number.POSITIVE_INFINITY]
  const buckets = limits.slice(1).map((to, at) => ({ from: (limits[at] as number) + 1, to }))
  const sums: Sums = new Map()
  const nameOf = ({ from, to }: { from: number; to: number }) =>
    to === Number.POSITIVE_INFINITY ? `over ${from - 1} days` : `${from} – ${to} days`
  for (const row of rows) {
    const age = Math.max(0, daysBetween(String(valueIn(row, chart.date.split('.'))), now))
    const bucket = buckets.find(({ to }) => age <= to)
    if (bucket !== undefined) addTo(sums, nameOf(bucket), row, chart.fields)
  }
  return buckets.flatMap((bucket) => {
    const label = nameOf(bucket)
    const found = sums.get(label)
    if (found === undefined) return []
    const filter = [filterText({ field: chart.date, operator: '<=', value: daysFrom(now, -bucket.from) })]
    if (bucket.to !== Number.POSITIVE_INFINITY)
      filter.push(filterText({ field: chart.date, operator: '>=', value: daysFrom(now, -bucket.to) }))
    return [
      {
        label,
        values: found,
        href: reportUrl(report.id, values, { ...view, filter: [...(view.filter ?? []), ...filter] }),
      },
    ]
  })
}
