/**
 * Measures the console from the click on "Sign in" to the first row of a report, with an empty cache, and from the address of a chart of
 * 200,000 invoices, which the service has to compute, to its bars. The baselines are the limits.
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { connect } from '../dist/db/connect.js'
import { findChromium } from '../scripts/test-needs.mjs'
import { invalidate } from './lib/cold.mjs'
import { company, TODAY } from './lib/company.mjs'
import { serve } from './lib/serve.mjs'
import { median } from './lib/time.mjs'

const LIMIT = 1
const CHART_S = 2
const program = fileURLToPath(new URL('../dist/cli.js', import.meta.url))

/** @param {import('./run.mjs').Bench} bench */
export async function run(bench) {
  const { url } = await company(bench)
  const user = { username: 'bench', password: 'a word for the bench' }
  execFileSync(process.execPath, [program, 'user', 'create', user.username, '--password-stdin', '--database', url], {
    input: user.password,
  })
  const service = await serve(['--database', url], { snapshots: bench.folder })
  const browser = await chromium.launch({ executablePath: String(findChromium()), args: ['--no-sandbox'] })
  const { db, close } = await connect({ url })
  const values = new URLSearchParams({ type: 'FG', tax: '0', from_date: `${TODAY.slice(0, 8)}01`, to_date: TODAY })
  /** @type {number[]} */
  const found = []
  try {
    for (let round = 0; round < 7; round++) {
      const context = await browser.newContext()
      const page = await context.newPage()
      await page.goto(`${service.base}/reports/inventory.fg-stock-status?${values}`)
      await page.getByLabel('Username').fill(user.username)
      await page.getByLabel('Password').fill(user.password)
      const began = performance.now()
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.locator('.grid .row .num').first().waitFor()
      found.push((performance.now() - began) / 1000)
      await context.close()
    }
    bench.progress(found.map((seconds) => `${seconds.toFixed(2)} s`).join(', '))
    bench.figure('console_first_row', median(found), 's', LIMIT)
    bench.figure('console_chart', median(await charts()), 's', CHART_S)
  } finally {
    await browser.close()
    await close()
    await service.stop()
  }

  async function charts() {
    const page = await (await browser.newContext()).newPage()
    await page.goto(service.base)
    await page.getByLabel('Username').fill(user.username)
    await page.getByLabel('Password').fill(user.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.locator('.rail').waitFor()
    const [about] = await db`
      select min(invoice_at)::date::text as from, count(*)::int as invoices from invoice`
    bench.progress(`a chart of ${about?.['invoices']} invoices`)
    const view = new URLSearchParams({
      ...{ from_date: String(about?.['from']), to_date: TODAY, group: 'month(invoice_date),place_of_supply' },
      ...{ measures: 'sum(total_amt)', show: 'stacked' },
    })
    /** @type {number[]} */
    const seconds = []
    for (let round = 0; round < 5; round++) {
      await page.goto('about:blank')
      await invalidate(db)
      const began = performance.now()
      await page.goto(`${service.base}/reports/sales.invoices?${view}`)
      await page.locator('.graph .bar').first().waitFor()
      seconds.push((performance.now() - began) / 1000)
    }
    bench.progress(seconds.map((one) => `${one.toFixed(2)} s`).join(', '))
    return seconds
  }
}
