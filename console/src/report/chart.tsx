/** The charts of a report: of the groups of its view, or of the closing stock of each month, which no group has. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { allRows, totalsOf, type View } from '../ask.js'
import { type CatalogueReport, reportOf, type Values } from '../catalogue.js'
import { account } from '../company.js'
import { monthOf, monthsFrom, shortMonth, today } from '../dates.js'
import { labelOf } from '../labels.js'
import { sum } from '../numbers.js'
import { Months, type Point } from '../parts/charts.js'
import { lazy } from '../parts/lazy.js'
import { firstGroup } from './answer.js'
import { reportUrl } from './view.js'

export const GroupChart = lazy(() => import('./group-chart.js').then((script) => script.GroupChart))
export const PivotTable = lazy(() => import('./pivot-table.js').then((script) => script.PivotTable))

/** What the chart of a report without a date to group by shows: the value of its stock at the end of each of the last 12 months. */
interface AtMonthEnds {
  /** The field of the report whose total is the value. */
  readonly field: string
  /** The fields of `inventory.stock-value` whose sum is the same, by the parameter `type`. */
  readonly fields: Readonly<Record<string, readonly string[]>>
}

const AT_MONTH_ENDS: Readonly<Record<string, AtMonthEnds>> = {
  'inventory.fg-stock-status': {
    field: 'final_value',
    fields: {
      FG: ['finished_value'],
      SFG: ['semi_finished_value'],
      ALL: ['finished_value', 'semi_finished_value'],
    },
  },
  'inventory.mat-stock-status': {
    field: 'Closing_val',
    fields: { RAW: ['raw_value'], PCK: ['packing_value'], CON: ['consumable_value'], TOOL: ['tool_value'] },
  },
}

export const hasMonthEnds = (id: string): boolean => AT_MONTH_ENDS[id] !== undefined

/** Whether a view without groups has a chart, of month ends or of a group that is proposed. */
export const hasChart = (report: CatalogueReport, values: Values): boolean =>
  hasMonthEnds(report.id) || firstGroup(report, values) !== undefined

interface Props {
  report: CatalogueReport
  values: Values
  view: View
}

export function MonthEnds({ report, values, view }: Props): JSX.Element | null {
  const of = AT_MONTH_ENDS[report.id]
  const points = useSignal<readonly Point[]>([])
  const failure = useSignal<string | undefined>(undefined)
  useEffect(() => {
    if (of === undefined) return
    const controller = new AbortController()
    const show = (next: readonly Point[]) => {
      points.value = next
    }
    overMonths({ report, values, view }, of, show, controller.signal).catch((error: Error) => {
      if (error.name !== 'AbortError') failure.value = error.message
    })
    return () => controller.abort()
  }, [])
  if (of === undefined) return null
  const currency = account.value?.currency
  const title = `Stock value at the end of the month${currency === undefined ? '' : `, ${currency}`}`
  return (
    <section class="chart-band" aria-label={title}>
      {failure.value !== undefined ? (
        <p class="quiet">The chart could not be drawn: {failure.value}</p>
      ) : (
        <Months kind="line" title={title} series={[{ name: labelOf(of.field), points: points.value }]} height={180} />
      )}
    </section>
  )
}

async function overMonths(
  { report, values, view }: Props,
  { field, fields: byType }: AtMonthEnds,
  show: (points: readonly Point[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const end = values['to_date'] ?? today()
  const months = Array.from({ length: 12 }, (_, at) => monthOf(monthsFrom(end, at - 11)))
  const found: (string | undefined)[] = months.map(() => undefined)
  const points = () =>
    months.map(
      ({ from, to }, at): Point => ({
        label: shortMonth(from),
        value: found[at],
        href: reportUrl(report.id, { ...values, from_date: from, to_date: to }, view),
        ...(to >= today() && { unfinished: true }),
      }),
    )
  show(points())
  const isFiltered = Boolean(view.filter?.length || view.search)
  const fields = isFiltered ? undefined : byType[values['type'] ?? '']
  const overview = reportOf('inventory.stock-value')
  if (fields !== undefined && overview !== undefined) {
    const range = { from_date: months[0]?.from ?? end, to_date: months.at(-1)?.to ?? end }
    const { rows } = await allRows(
      overview,
      { tax: values['tax'] ?? '0', ...range },
      { as_known: view.as_known },
      { signal },
    )
    const byMonth = new Map(rows.map((row) => [row['month'], sum(fields.map((name) => String(row[name])))]))
    for (const [at, { from }] of months.entries()) found[at] = byMonth.get(from.slice(0, 7))
    return show(points())
  }
  // The newest first, because people look at them most.
  for (let at = months.length - 1; at >= 0; at--) {
    const { from, to } = months[at] as { from: string; to: string }
    const { row } = await totalsOf(
      report,
      { ...values, from_date: from, to_date: to },
      { ...view, compare: undefined },
      signal,
    )
    if (row[field] !== undefined) found[at] = String(row[field])
    show(points())
  }
}
