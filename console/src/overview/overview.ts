/** Loads the overview. Each figure comes from reports, through the requests that any caller can send. */
import { signal } from '@preact/signals'
import { asFailure, type Failure } from '../api.js'
import { reportOf } from '../catalogue.js'
import { expiring } from './figures/expiring.js'
import { openOrders, ordersByAge } from './figures/orders.js'
import { overdue } from './figures/overdue.js'
import { reorder } from './figures/reorder.js'
import { sales } from './figures/sales.js'
import { stock } from './figures/stock.js'
import { uncovered } from './figures/uncovered.js'
import { yieldOfBatches } from './figures/yield.js'
import type { Overview } from './model.js'
import { queue } from './queue.js'
import { sourceOf } from './source.js'

/** In the order in which people read them. */
const FIGURES = [stock, sales, openOrders, uncovered, overdue, yieldOfBatches, expiring, reorder, ordersByAge]

export function loadOverview(): Overview {
  const controller = new AbortController()
  const failure = signal<Failure | undefined>(undefined)
  const run = queue(controller.signal, (error) => {
    if ((error as Error).name !== 'AbortError') failure.value = asFailure(error)
  })
  const source = sourceOf(controller.signal)
  const figures = FIGURES.map((figure) => figure(source)).filter(({ needs }) =>
    needs.every((id) => reportOf(id) !== undefined),
  )
  for (const { load } of figures) run(load)
  // The trends follow, the newest month first.
  for (const { loadMonth } of figures)
    if (loadMonth !== undefined)
      for (const [at, month] of [...source.months.entries()].reverse()) run(() => loadMonth(month, at))
  return {
    tiles: figures.flatMap(({ tiles = [] }) => tiles),
    charts: figures.flatMap(({ chart }) => chart ?? []),
    lists: figures.flatMap(({ list }) => list ?? []),
    failure,
    stop: () => controller.abort(),
  }
}
