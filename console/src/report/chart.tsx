/** The charts of a report: of the groups of its view, or of the closing stock of each month, which no group has. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { totalsOf, type View } from '../ask.js'
import type { CatalogueReport, Row, Values } from '../catalogue.js'
import { monthInWords, monthOf, monthsFrom, today } from '../dates.js'
import { labelOf } from '../labels.js'
import { Months, type Point } from '../parts/charts.js'
import { lazy } from '../parts/lazy.js'
import { firstGroup } from './answer.js'
import { reportUrl } from './view.js'

export const GroupChart = lazy(() => import('./group-chart.js').then((script) => script.GroupChart))
export const PivotTable = lazy(() => import('./pivot-table.js').then((script) => script.PivotTable))

/** The field whose total at the end of each of the last 12 months is a report's chart: stock has no date to group by. */
const AT_MONTH_ENDS: Readonly<Record<string, string>> = {
  'inventory.fg-stock-status': 'final_value',
  'inventory.mat-stock-status': 'Closing_val',
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
  const field = AT_MONTH_ENDS[report.id]
  const points = useSignal<readonly Point[]>([])
  const failure = useSignal<string | undefined>(undefined)
  useEffect(() => {
    if (field === undefined) return
    const controller = new AbortController()
    const show = (next: readonly Point[]) => {
      points.value = next
    }
    overMonths({ report, values, view }, field, show, controller.signal).catch((error: Error) => {
      if (error.name !== 'AbortError') failure.value = error.message
    })
    return () => controller.abort()
  }, [])
  if (field === undefined) return null
  const title = 'Stock value at the end of the month'
  return (
    <section class="chart-band" aria-label={title}>
      {failure.value !== undefined ? (
        <p class="quiet">The chart could not be drawn: {failure.value}</p>
      ) : (
        <Months kind="line" title={title} series={[{ name: labelOf(field), points: points.value }]} height={180} />
      )}
    </section>
  )
}

async function overMonths(
  { report, values, view }: Props,
  field: string,
  show: (points: readonly Point[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const end = values['to_date'] ?? today()
  const months = Array.from({ length: 12 }, (_, at) => monthOf(monthsFrom(end, at - 11)))
  const found: (Row | undefined)[] = months.map(() => undefined)
  const points = () =>
    months.map(({ from, to }, at): Point => {
      const value = found[at]?.[field]
      return {
        label: monthInWords(from).replace(/ \d\d(\d\d)$/, ' $1'),
        value: value === undefined ? undefined : String(value),
        href: reportUrl(report.id, { ...values, from_date: from, to_date: to }, view),
      }
    })
  show(points())
  // The newest first, because people look at them most.
  for (let at = months.length - 1; at >= 0; at--) {
    const { from, to } = months[at] as { from: string; to: string }
    found[at] = (
      await totalsOf(report, { ...values, from_date: from, to_date: to }, { ...view, compare: undefined }, signal)
    ).row
    show(points())
  }
}
