/** Made quantity against planned quantity, in the unit of most of the production. */
import type { Row } from '../../catalogue.js'
import { reportUrl } from '../../report/view.js'
import { type Figure, putPoint, tile } from '../model.js'
import type { Days, Source } from '../source.js'

const BATCHES = 'production.batches'

interface Yield {
  readonly unit: string
  readonly planned: number
  /** In percent. */
  readonly percent: string
}

export function yieldOfBatches({ month, before, beforeInWords, sums, noPoints }: Source): Figure {
  const made = tile(
    { title: 'Yield this month', unit: '%', href: reportUrl(BATCHES, month, { sort: '-wastage' }) },
    noPoints(),
  )
  /** Of each unit; pieces and kilograms have no yield together. */
  const yieldsIn = async (days: Days): Promise<Yield[]> =>
    (((await sums(BATCHES, days))['_by_unit'] ?? []) as readonly Row[])
      .map((row) => ({
        unit: String(row['unit']),
        planned: Number(row['batch_qty']),
        actual: Number(row['actual_qty']),
      }))
      .filter(({ planned }) => planned > 0)
      .map(({ unit, planned, actual }) => ({ unit, planned, percent: ((100 * actual) / planned).toFixed(2) }))
      .sort((a, b) => b.planned - a.planned)
  /** The unit that the tile shows. */
  let shown: string | undefined
  const ofShown = (yields: readonly Yield[]) => yields.find(({ unit }) => unit === shown)?.percent
  return {
    needs: [BATCHES],
    tiles: [made],
    async load() {
      const now = await yieldsIn(month)
      const then = await yieldsIn(before)
      shown = (now[0] ?? then[0])?.unit
      made.value.value = ofShown(now) ?? '0'
      const others = now.filter(({ unit }) => unit !== shown)
      if (others.length > 0)
        made.note.value = `of ${shown}; ${others.map(({ unit, percent }) => `${unit} ${percent} %`).join(', ')}`
      else {
        const earlier = ofShown(then)
        if (earlier !== undefined) made.before.value = { label: beforeInWords, value: earlier }
      }
    },
    async loadMonth(days, at) {
      const value = ofShown(await yieldsIn(days))
      if (value !== undefined) putPoint(made.trend, at, value)
    },
  }
}
