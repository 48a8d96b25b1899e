/** Measures cold pages of 1000 of 100,000 invoices with their lines. */
import { connect } from '../dist/db/connect.js'
import { cold, invalidate } from './lib/cold.mjs'
import { company, TODAY } from './lib/company.mjs'
import { call } from './lib/http.mjs'
import { baseline, serve } from './lib/serve.mjs'
import { psql, withValues } from './lib/sql.mjs'
import { inTurns } from './lib/time.mjs'
import { assertEqual } from './stock.mjs'

// All fields, as files have them: psql and the plain implementation send the same records.
const path = '/v1/sales/invoices?fields=all'

/** @param {import('./run.mjs').Bench} bench */
export async function run(bench) {
  const { url } = await company(bench)
  const { db, close } = await connect({ url })
  const service = await serve(['--database', url], { snapshots: bench.folder })
  const plain = await baseline('plain', url)
  try {
    const wanted = 100_000 * bench.scale
    const [since] = await db`
      select invoice_at::date as from, count(*) over (order by invoice_at::date desc)::int as total
        from invoice where invoice_at < ${TODAY}::date + 1 order by invoice_at desc offset ${wanted} limit 1`
    const range = { from: String(since?.from), to: TODAY }
    const body = { from_date: range.from, to_date: range.to }
    const last = Math.ceil(Number(since?.total) / 1000)
    bench.progress(`${since?.total} invoices from ${range.from} on`)
    // Warm up: compile the code, and let the connections cache the tables' metadata.
    await cold(db, { ...service, path: `${path}&page=2`, body }, 10)
    for (const [name, page] of /** @type {const} */ ([
      ['invoices_first_page', 1],
      ['invoices_middle_page', Math.ceil(last / 2)],
      ['invoices_last_page', last],
    ])) {
      const target = { ...service, path: `${path}&page=${page}`, body }
      const statements = ['invoices.page', 'invoice-count'].map((one) =>
        withValues(one, { ...range, offset: (page - 1) * 1000 }),
      )
      const byHand = psql(url, bench.folder, statements)
      // Before each run the service computes the whole report, so that both find the same caches.
      const [ours = 0, theirs = 0] = await inTurns(12, [
        () => cold(db, target, 1),
        async () => {
          await invalidate(db)
          return psql(url, bench.folder, statements, { times: 1, jit: byHand.jit }).seconds
        },
      ])
      bench.figure(name, ours, 's', theirs)
      const { json } = await call(target, { parse: true })
      assertEqual(
        name,
        byHand.records.slice(0, -1).map((record) => JSON.stringify(JSON.parse(record))),
        json.data.map((/** @type {unknown} */ record) => JSON.stringify(record)),
      )
    }
    const first = { path: `${path}&page=1`, body }
    await call({ ...plain, ...first })
    const ours = await cold(db, { ...service, ...first })
    const plainly = await call({ ...plain, ...first })
    bench.figure('invoices_first_page_plain', ours, 's', plainly.seconds)
  } finally {
    await plain.stop()
    await service.stop()
    await close()
  }
}
