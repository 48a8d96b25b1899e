/** Measures cold reports and derived space on extreme books: thin ones, and 65,000 batches of one item. */
import { connect } from '../dist/db/connect.js'
import { cold } from './lib/cold.mjs'
import { TODAY } from './lib/company.mjs'
import { measureDerived } from './lib/derived.mjs'
import { skewed, thin } from './lib/extremes.mjs'
import { serve } from './lib/serve.mjs'
import { psql, withValues } from './lib/sql.mjs'
import { inTurns } from './lib/time.mjs'

const month = { from: '2026-06-01', to: TODAY }
const TURNS = 8

/** @param {import('./run.mjs').Bench} bench */
export async function run(bench) {
  for (const [name, make, path, body] of /** @type {const} */ ([
    ['thin', thin, '/v1/inventory/mat-stock-status', { type: 'RAW', from_date: '2026-04-01', to_date: TODAY }],
    ['skewed', skewed, '/v1/production/batches', { from_date: '2023-07-01', to_date: TODAY }],
  ])) {
    bench.progress(`making ${name} books`)
    const url = await make(bench)
    await measureDerived(bench, `derived_bytes_${name}`, url)
    const { db, close } = await connect({ url })
    const service = await serve(['--database', url], { snapshots: bench.folder })
    try {
      const stock = { type: 'FG', tax: 0, from_date: month.from, to_date: month.to }
      const fg = { ...service, path: '/v1/inventory/fg-stock-status', body: stock }
      const byHand = [withValues('fg-stock-status.raw', month)]
      const { jit } = psql(url, bench.folder, byHand, { times: 1 })
      const report = { ...service, path: `${path}?page=1&per-page=1000`, body }
      const page = { ...report, path: `${path}?page=1&per-page=20` }
      const [ours = 0, theirs = 0] = await inTurns(TURNS, [
        () => cold(db, fg, 1),
        async () => psql(url, bench.folder, byHand, { times: 1, jit }).seconds,
      ])
      bench.figure(`fg_month_${name}`, ours, 's', theirs)
      const [first = 0, whole = 0] = await inTurns(TURNS, [() => cold(db, page, 1), () => cold(db, report, 1)])
      bench.figure(`cold_page_whole_${name}`, first, 's', whole)
    } finally {
      await service.stop()
      await close()
    }
  }
}
