/** Bands as columns above a table: the value of the stock by its age, or by the days until it expires. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { send } from '../api.js'
import { allRows, requestOf, sentOf, type View } from '../ask.js'
import type { CatalogueReport, Row, Values } from '../catalogue.js'
import { add } from '../numbers.js'
import { Months, type Series } from '../parts/charts.js'
import { bandInWords } from './bands-bar.js'
import { reportUrl } from './view.js'

interface Props {
  report: CatalogueReport
  values: Values
  view: View
}

interface Bands {
  readonly title: string
  /** The figures of the bands. */
  series(props: Props, signal: AbortSignal): Promise<Series[]>
}

/** The reports with bands. */
const BANDS: Readonly<Record<string, Bands>> = {
  'insight.stock-ageing': { title: 'Value of the stock by age', series: agesOf },
  'insight.expiry': { title: 'Value of batches by days until they expire', series: expiriesOf },
}

export const hasBands = (id: string): boolean => BANDS[id] !== undefined

export function BandsChart(props: Props): JSX.Element | null {
  const bands = BANDS[props.report.id]
  const series = useSignal<readonly Series[] | undefined>(undefined)
  const failure = useSignal<string | undefined>(undefined)
  useEffect(() => {
    const controller = new AbortController()
    bands?.series(props, controller.signal).then(
      (found) => {
        series.value = found
      },
      (error: Error) => {
        if (error.name !== 'AbortError') failure.value = error.message
      },
    )
    return () => controller.abort()
  }, [])
  if (bands === undefined) return null
  return (
    <section class="chart-band" aria-label={bands.title}>
      {failure.value !== undefined ? (
        <p class="quiet">The chart could not be drawn: {failure.value}</p>
      ) : (
        <div aria-busy={series.value === undefined}>
          <Months kind="column" title={bands.title} series={series.value ?? []} height={150} />
        </div>
      )}
    </section>
  )
}

/** Records whose bands are added up in the browser; grouped answers have no lists. */
const MOST = 20_000

async function agesOf({ report, values, view }: Props, signal: AbortSignal): Promise<Series[]> {
  const { filter, search, as_known } = view
  const { rows, total } = await allRows(report, values, { filter, search, as_known }, { most: MOST, signal })
  if (total > MOST) throw new Error(`it has bands of up to ${MOST} rows, and there are ${total}: filter the rows`)
  const sums = new Map<number, { to: number | null; value: string }>()
  for (const row of rows)
    for (const { from_days, to_days, value } of row['bands'] as {
      from_days: number
      to_days: number | null
      value: string
    }[])
      sums.set(from_days, { to: to_days, value: add(sums.get(from_days)?.value ?? '0', value) })
  const points = [...sums]
    .sort(([a], [b]) => a - b)
    .map(([from, { to, value }]) => ({ label: bandInWords(from, to), value }))
  return [{ name: 'Value', points }]
}

/** The last days of the bands until expiry. */
const DAYS = [30, 60, 90, 180] as const

async function expiriesOf({ report, values, view }: Props, signal: AbortSignal): Promise<Series[]> {
  const { filter, search, as_known } = view
  const measures = 'sum(stock_value),sum(at_risk_value)'
  const request = requestOf(report, values, { filter, search, group: 'days_left', measures, as_known })
  const { data } = (await (await send(request.path, sentOf(request, signal))).json()) as { data: Row[] }
  const bands = [
    { label: 'Expired', from: Number.NEGATIVE_INFINITY, to: -1 },
    ...DAYS.map((to, at) => ({
      label: bandInWords(at === 0 ? 0 : (DAYS[at - 1] as number) + 1, to),
      from: at === 0 ? 0 : (DAYS[at - 1] as number) + 1,
      to,
    })),
    { label: bandInWords(181, null), from: 181, to: Number.POSITIVE_INFINITY },
  ]
  const seriesOf = (name: string, field: string): Series => ({
    name,
    points: bands.map(({ label, from, to }) => {
      const inside = data.filter((row) => Number(row['days_left']) >= from && Number(row['days_left']) <= to)
      const limits = [...(from > -1e9 ? [`days_left>=${from}`] : []), ...(to < 1e9 ? [`days_left<=${to}`] : [])]
      return {
        label,
        value: inside.reduce((sum, row) => add(sum, String(row[field] ?? '0')), '0'),
        href: reportUrl(report.id, values, {
          ...view,
          filter: [...(filter ?? []).filter((one) => !one.startsWith('days_left')), ...limits],
        }),
      }
    }),
  })
  return [seriesOf('At risk or expired', 'at_risk_value'), seriesOf('All stock', 'stock_value')]
}
