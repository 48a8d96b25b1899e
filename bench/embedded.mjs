/** Measures reports on the embedded engine with 1M movements, against hand-written SQL on the same engine. */
import { connect } from '../dist/db/connect.js'
import { cold } from './lib/cold.mjs'
import { embedded, TODAY } from './lib/company.mjs'
import { withValues } from './lib/sql.mjs'
import { median, seconds } from './lib/time.mjs'
import { walks, warmPages, withService } from './serving.mjs'

const month = { from: '2026-06-01', to: '2026-06-30' }
const year = { from: '2025-07-01', to: '2026-06-30' }
const invoices = { from: '2026-01-01', to: TODAY, offset: 0 }
const stock = '/v1/inventory/fg-stock-status'

/** @param {import('./run.mjs').Bench} bench */
export async function run(bench) {
  const { directory } = await embedded(bench)
  await withService(bench, ['--data', directory], async (service) => {
    await warmPages(bench, service, 'embedded_') // first, as on PostgreSQL: a process that has done other work is slower
    // Connects through the service, which owns the database.
    const { db, close } = await connect({ directory })
    /** @param {string[]} statements */
    const byHand = async (statements) => {
      /** @type {number[]} */
      const times = []
      for (let i = 0; i < 3; i++)
        times.push(
          await seconds(async () => {
            for (const one of statements) await db.unsafe(`select row_to_json(r)::text from (${one}) r`)
          }),
        )
      return median(times)
    }
    const raw = [['fg-stock-status.raw'], ['fg-stock-status.sums']]
    const reports = /** @type {const} */ ([
      ['embedded_fg_month', stock, { type: 'FG', tax: 0 }, month, raw],
      ['embedded_fg_month_by_closings', stock, { type: 'FG', tax: 0 }, month, [['fg-stock-status.closings']]],
      ['embedded_fg_year', stock, { type: 'FG', tax: 0 }, year, raw],
      [
        'embedded_invoices_first_page',
        '/v1/sales/invoices?fields=all&page=1',
        {},
        invoices,
        [['invoices.page', 'invoice-count']],
      ],
    ])
    for (const [name, path, more, range, ways] of reports) {
      bench.progress(name)
      const body = { ...more, from_date: range.from, to_date: range.to }
      const ours = await cold(db, { ...service, path, body })
      /** @type {number[]} */
      const theirs = []
      for (const statements of ways) theirs.push(await byHand(statements.map((one) => withValues(one, range))))
      bench.figure(name, ours, 's', Math.min(...theirs)) // against the fastest of the hand-written statements
    }
    await walks(bench, service, db, 'embedded_')
    await close()
  })
}
