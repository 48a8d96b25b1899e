/** Measures whole cold reports against psql with the statement that the report itself runs. */
import { connect } from '../dist/db/connect.js'
import { wholeStatement } from '../dist/kernel/answer/statement.js'
import { readParams } from '../dist/kernel/report/params.js'
import { WHOLE } from '../dist/kernel/report/rights.js'
import { viewed } from '../dist/kernel/report/view.js'
import { reports } from '../dist/reports/index.js'
import { invalidate } from './lib/cold.mjs'
import { company, TODAY } from './lib/company.mjs'
import { call, walk } from './lib/http.mjs'
import { serve } from './lib/serve.mjs'
import { psql, withLiterals } from './lib/sql.mjs'
import { inTurns, seconds } from './lib/time.mjs'

/** @param {import('./run.mjs').Bench} bench */
export async function run(bench) {
  const { url } = await company(bench)
  const { db, close } = await connect({ url })
  const service = await serve(['--database', url], { snapshots: bench.folder })
  try {
    const [since] = await db`
      select invoice_at::date as from from invoice where invoice_at < ${TODAY}::date + 1
       order by invoice_at desc offset ${100_000 * bench.scale} limit 1`
    const quarter = { from_date: '2026-04-01', to_date: TODAY }
    for (const [name, path, body, ask] of /** @type {const} */ ([
      ['whole_fg_own_statement', '/v1/inventory/fg-stock-status', { type: 'FG', tax: 0, ...quarter }, call],
      // This report never sends all its records in one response.
      ['whole_invoices_own_statement', '/v1/sales/invoices', { from_date: String(since?.from), to_date: TODAY }, walk],
    ])) {
      const target = { ...service, path, body }
      const statement = [ownStatement(path, body)]
      const { jit, records } = psql(url, bench.folder, statement, { times: 1, json: false })
      bench.progress(`${name}: ${records.length} records`)
      for (let i = 0; i < 2; i++) {
        await invalidate(db)
        await ask(target) // warm up
      }
      const [ours = 0, theirs = 0] = await inTurns(14, [
        async () => {
          await invalidate(db)
          return await seconds(() => ask(target))
        },
        async () => {
          await invalidate(db)
          return psql(url, bench.folder, statement, { times: 1, jit, json: false }).seconds
        },
      ])
      bench.figure(name, ours, 's', theirs)
    }
  } finally {
    await service.stop()
    await close()
  }
}

/** @param {string} path @param {Record<string, unknown>} body */
function ownStatement(path, body) {
  const report = reports.find((one) => one.path === path)
  if (report === undefined) throw new Error(`there is no report at ${path}`)
  const read = readParams(report.request, body)
  if ('errors' in read) throw new Error(JSON.stringify(read.errors))
  return withLiterals(wholeStatement(viewed(report, read.values, {}), read.values, WHOLE))
}
