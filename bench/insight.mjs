/**
 * Measures the insight reports over 1M movements, cold: ageing, expiry and cover against psql with SQL written by hand; producible and
 * shortage, which SQL does not say, against the time that people wait.
 */
import { connect } from '../dist/db/connect.js'
import { cold } from './lib/cold.mjs'
import { company, TODAY } from './lib/company.mjs'
import { call } from './lib/http.mjs'
import { serve } from './lib/serve.mjs'
import { psql, withValues } from './lib/sql.mjs'
import { assertEqual } from './stock.mjs'

const WAIT_S = 2

/** @typedef {Record<string, unknown>} Row */

/** The fields of a record that the SQL has; of a list the quantities. @type {Record<string, (row: Row) => Row>} */
const compared = {
  'stock-ageing': ({ sku, stock_qty, in_transit_qty, stock_value, average_age_days, oldest_on, bands }) => ({
    ...{ sku, stock_qty, in_transit_qty, stock_value, average_age_days, oldest_on },
    bands: /** @type {Row[]} */ (bands).map(({ qty }) => qty),
  }),
  expiry: ({ sku, batch_no, days_left, stock_qty, pace, used_before_expiry_qty, at_risk_qty }) => ({
    ...{ sku, batch_no, days_left, stock_qty, pace, used_before_expiry_qty, at_risk_qty },
  }),
  cover: ({ sku, usable_qty, projected_qty, pace, deviation, lead_days, reorder_point, order_qty, abc, xyz }) => ({
    ...{ sku, usable_qty, projected_qty, pace, deviation, lead_days, reorder_point, order_qty, abc, xyz },
  }),
}

/** @param {import('./run.mjs').Bench} bench */
export async function run(bench) {
  const { url } = await company(bench)
  const { db, close } = await connect({ url })
  const service = await serve(['--database', url], { snapshots: bench.folder })
  try {
    let slowest = 0
    for (const name of ['stock-ageing', 'expiry', 'cover', 'producible', 'shortage']) {
      const target = { ...service, path: `/v1/insight/${name}`, body: { as_on: TODAY } }
      const figure = `insight_${name.replace('-', '_')}`
      await cold(db, target, 2) // the connections cache the tables' metadata
      const ours = await cold(db, target)
      slowest = Math.max(slowest, ours)
      const fields = compared[name]
      if (fields === undefined) {
        bench.figure(figure, ours, 's', WAIT_S)
        continue
      }
      const byHand = psql(url, bench.folder, [withValues(name, { today: TODAY })])
      const { json } = await call(target, { parse: true })
      const found = json.data.map((/** @type {Row} */ row) => JSON.stringify(fields(row)))
      assertEqual(figure, byHand.records, found)
      bench.figure(figure, ours, 's', byHand.seconds)
    }
    bench.figure('insight_slowest', slowest, 's', WAIT_S)
  } finally {
    await service.stop()
    await close()
  }
}
