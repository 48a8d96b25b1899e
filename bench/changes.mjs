/** Measures `?since=` after 1 % of 100,000 invoices changed, against the whole report. */
import { connect } from '../dist/db/connect.js'
import { invalidate } from './lib/cold.mjs'
import { company } from './lib/company.mjs'
import { call } from './lib/http.mjs'
import { median } from './lib/time.mjs'
import { withService } from './serving.mjs'

const INVOICES = '/v1/sales/invoices'

/** @param {import('./run.mjs').Bench} bench */
export async function run(bench) {
  const url = await bench.newDatabase((await company(bench)).url)
  const { db, close } = await connect({ url })
  const wanted = Math.round(100_000 * bench.scale)
  const [first] = await db`
    select (invoice_at::date)::text as day from invoice order by invoice_at desc offset ${wanted} limit 1`
  const body = { from_date: String(first?.day ?? '2000-01-01'), to_date: '2030-12-31' }
  await withService(bench, ['--database', url], async (service) => {
    /** @param {string} since */
    const changes = async (since) => {
      const found = await call({ ...service, path: `${INVOICES}?since=${since}`, body }, { parse: true })
      return { ...found, token: /** @type {string} */ (found.json._since.token) }
    }
    const begun = await changes('start')
    bench.progress(`${begun.json.data.length} invoices followed; the first answer took ${begun.seconds.toFixed(1)} s`)
    let { token } = begun
    /** @type {{ share: number, seconds: number, whole: number }[]} */
    const found = []
    for (let round = 0; round < 5; round++) {
      await db`update invoice set reference = ${`round ${round}`} where abs(hashtext(invoice_no)) % 100 = ${round}`
      await invalidate(db)
      const whole = await call({ ...service, path: `${INVOICES}?format=ndjson`, body })
      await invalidate(db)
      const some = await changes(token)
      token = some.token
      found.push({ share: some.bytes / whole.bytes, seconds: some.seconds, whole: whole.seconds })
      const count = some.json.data.length
      bench.progress(
        `${count} changed: ${some.bytes} of ${whole.bytes} bytes, ${some.seconds.toFixed(2)} s (whole ${whole.seconds.toFixed(2)} s)`,
      )
    }
    bench.figure('changes_bytes', median(found.map(({ share }) => share)) * 100, '%', 100)
    bench.figure(
      'changes_time',
      median(found.map(({ seconds }) => seconds)),
      's',
      median(found.map(({ whole }) => whole)),
    )
  })
  await close()
}
