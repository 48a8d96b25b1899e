/**
 * Measures groups that a running service computes for the first time: of 1M movements by month, against psql; of 200,000 invoices for a chart
 * and of both for a menu of values, against the time that people wait without noticing.
 */
import { connect } from '../dist/db/connect.js'
import { cold } from './lib/cold.mjs'
import { company, TODAY } from './lib/company.mjs'
import { call } from './lib/http.mjs'
import { serve } from './lib/serve.mjs'
import { psql, withValues } from './lib/sql.mjs'
import { assertEqual } from './stock.mjs'

const CHART_S = 2
const MENU_S = 0.3

const [movements, invoices] = ['/v1/inventory/movements', '/v1/sales/invoices']
/** @param {string} path @param {Record<string, string>} view */
const viewed = (path, view) => `${path}?${new URLSearchParams({ 'per-page': '5000', ...view })}`

/** @param {import('./run.mjs').Bench} bench */
export async function run(bench) {
  const { url } = await company(bench)
  const { db, close } = await connect({ url })
  const service = await serve(['--database', url], { snapshots: bench.folder })
  try {
    const [about] = await db`
      select least((select min(movement_date) from stock_movement), (select min(invoice_at)::date from invoice))::text as from,
             (select count(*)::int from stock_movement) as movements, (select count(*)::int from invoice) as invoices`
    const range = { from: String(about?.['from']), to: TODAY }
    const body = { from_date: range.from, to_date: range.to }
    bench.progress(`${about?.['movements']} movements and ${about?.['invoices']} invoices`)

    const months = { ...service, body, path: viewed(movements, { group: 'month(date)' }) }
    await cold(db, months, 3) // the connections cache the tables' metadata
    const byHand = psql(url, bench.folder, [withValues('movements-by-month', range)])
    const ours = await cold(db, months)
    const { json } = await call(months, { parse: true })
    const found = json.data.map((/** @type {Record<string, unknown>} */ { date_month, unit, rows, qty, value }) =>
      JSON.stringify({ date_month, unit, rows, qty, value }),
    )
    assertEqual('group_by_month', byHand.records, found)
    bench.figure('group_by_month', ours, 's', byHand.seconds)

    const chart = { group: 'month(invoice_date),place_of_supply', measures: 'sum(total_amt)' }
    const menu = (/** @type {string} */ field) => ({ group: field, measures: 'rows', sort: '-rows', 'per-page': '50' })
    for (const [name, path, view, limit] of /** @type {const} */ ([
      ['chart_200k_invoices', invoices, chart, CHART_S],
      ['menu_200k_invoices', invoices, menu('customer_name'), MENU_S],
      ['menu_1m_movements', movements, menu('kind'), MENU_S],
    ])) {
      const target = { ...service, body, path: viewed(path, view) }
      bench.figure(name, await cold(db, target), 's', limit)
      bench.progress(`${name}, again: ${((await call(target)).seconds * 1000).toFixed(1)} ms`)
    }
  } finally {
    await service.stop()
    await close()
  }
}
