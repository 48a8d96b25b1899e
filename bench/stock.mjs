/** Measures cold stock reports over 10M movements, against psql with hand-written SQL, and the space of the derived tables. */
import { connect } from '../dist/db/connect.js'
import { cold } from './lib/cold.mjs'
import { company, longHistory } from './lib/company.mjs'
import { measureDerived } from './lib/derived.mjs'
import { call } from './lib/http.mjs'
import { baseline, serve } from './lib/serve.mjs'
import { psql, withValues } from './lib/sql.mjs'
import { inTurns } from './lib/time.mjs'

const month = { from: '2026-06-01', to: '2026-06-30' }
const year = { from: '2025-07-01', to: '2026-06-30' }
const insideMonths = { from: '2026-04-12', to: '2026-05-11' }
const path = '/v1/inventory/fg-stock-status'

/** @param {{ from: string, to: string }} range */
const body = ({ from, to }) => ({ type: 'FG', tax: 0, from_date: from, to_date: to })

/** @param {import('./run.mjs').Bench} bench */
export async function run(bench) {
  const long = await longHistory(bench)
  const short = (await company(bench)).url
  await measureDerived(bench, 'derived_bytes_sample', short)
  const { db, close } = await connect({ url: long })
  const service = await serve(['--database', long], { snapshots: bench.folder })
  const plain = await baseline('plain', long)
  try {
    for (const [name, range] of /** @type {const} */ ([
      ['fg_month', month],
      ['fg_inside_months', insideMonths],
      ['fg_year', year],
    ])) {
      bench.progress(`${name}: ${range.from} to ${range.to}`)
      const ours = await cold(db, { ...service, path, body: body(range) })
      // Two hand-written statements: the faster one counts.
      const ways = ['fg-stock-status.raw', 'fg-stock-status.sums'].map((way) =>
        psql(long, bench.folder, [withValues(way, range)], { times: 2 }),
      )
      for (const { records: theirs } of ways) assertEqual(name, theirs, await records(service, range))
      const byHand = Math.min(...ways.map((way) => way.seconds))
      bench.figure(name, ours, 's', byHand)
      const closings = psql(long, bench.folder, [withValues('fg-stock-status.closings', range)])
      bench.figure(`${name}_by_closings`, ours, 's', closings.seconds)
      assertEqual(name, closings.records, await records(service, range))
    }
    const ours = await cold(db, { ...service, path, body: body(month) })
    const plainly = await call({ ...plain, path, body: body(month) })
    bench.figure('fg_month_plain', ours, 's', plainly.seconds)

    bench.progress('the same with a tenth of the history')
    const less = await connect({ url: short })
    const other = await serve(['--database', short], { snapshots: bench.folder })
    assertEqual('history', await records(service, month), await records(other, month))
    const [tenfold = 0, single = 0] = await inTurns(8, [
      () => cold(db, { ...service, path, body: body(month) }, 1),
      () => cold(less.db, { ...other, path, body: body(month) }, 1),
    ])
    bench.figure('fg_month_10x_history', tenfold, 's', single)
    await other.stop()
    await less.close()
  } finally {
    await plain.stop()
    await service.stop()
    await close()
  }
}

/** @param {import('./lib/serve.mjs').Service} service @param {{ from: string, to: string }} range */
async function records(service, range) {
  const { json } = await call({ ...service, path, body: body(range) }, { parse: true })
  return json.data.map((/** @type {unknown} */ record) => JSON.stringify(record))
}

/** @param {string} name @param {string[]} expected @param {string[]} found */
export function assertEqual(name, expected, found) {
  const difference = expected.findIndex((record, i) => record !== found[i])
  if (difference >= 0 || expected.length !== found.length)
    throw new Error(
      `${name}: record ${difference} is ${found[difference]} instead of ${expected[difference]}; ${found.length} of ${expected.length} records`,
    )
}
