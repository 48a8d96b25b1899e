/** Measures a whole report of a million records in each format, against JSON, and the memory of the process. */
import { invalidate } from './lib/cold.mjs'
import { company } from './lib/company.mjs'
import { CONSUMPTION, consumptionSince, withManyConsumptions } from './lib/consumption.mjs'
import { call } from './lib/http.mjs'
import { peakMemory, resetPeakMemory } from './lib/serve.mjs'
import { inTurns } from './lib/time.mjs'
import { withService } from './serving.mjs'

/** @param {import('./run.mjs').Bench} bench */
export async function run(bench) {
  const { url, db, close } = await withManyConsumptions(bench, (await company(bench)).url)
  const { total, body } = await consumptionSince(db, 1_000_000 * bench.scale)
  let peak = 0
  for (const format of ['csv', 'ndjson', 'parquet', 'xlsx'])
    await withService(bench, ['--database', url], async (service) => {
      /** Cold: computed, encoded and sent. @param {string} name */
      const whole = async (name) => {
        await invalidate(db)
        const { seconds, bytes } = await call({ ...service, path: `${CONSUMPTION}?format=${name}`, body })
        bench.progress(`${total} records as ${name}: ${Math.round(bytes / 1e6)} MB in ${seconds.toFixed(1)} s`)
        return seconds
      }
      resetPeakMemory(service.pid)
      const [ours = 0, json = 1] = await inTurns(3, [() => whole(format), () => whole('json')])
      const memory = peakMemory(service.pid)
      bench.progress(`memory of the process: ${Math.round(memory)} MB`)
      peak = Math.max(peak, memory)
      bench.figure(`format_${format}`, ours, 's', json)
    })
  bench.figure('format_memory', peak, 'MB', 300)
  await close()
}
