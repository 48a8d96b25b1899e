/** Made quantity against planned quantity. */
import { reportUrl } from '../../report/view.js'
import { type Figure, putPoint, tile } from '../model.js'
import type { Days, Source } from '../source.js'

const BATCHES = 'production.batches'

export function yieldOfBatches({ month, before, beforeInWords, sums, noPoints }: Source): Figure {
  const made = tile(
    { title: 'Yield this month', unit: '%', href: reportUrl(BATCHES, month, { sort: '-wastage' }) },
    noPoints(),
  )
  /** Undefined if nothing was planned. */
  const yieldIn = async (days: Days): Promise<string | undefined> => {
    const row = await sums(BATCHES, days)
    const planned = Number(row['batch_qty'])
    return planned === 0 ? undefined : ((100 * Number(row['actual_qty'])) / planned).toFixed(2)
  }
  return {
    needs: [BATCHES],
    tiles: [made],
    async load() {
      made.value.value = (await yieldIn(month)) ?? '0'
      const then = await yieldIn(before)
      if (then !== undefined) made.before.value = { label: beforeInWords, value: then }
    },
    async loadMonth(days, at) {
      const value = await yieldIn(days)
      if (value !== undefined) putPoint(made.trend, at, value)
    },
  }
}
