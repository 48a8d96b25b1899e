/** Measures the console from the click on "Sign in" to the first row of a report, with an empty cache. The baseline is the limit. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { findChromium } from '../scripts/test-needs.mjs'
import { company, TODAY } from './lib/company.mjs'
import { serve } from './lib/serve.mjs'
import { median } from './lib/time.mjs'

const LIMIT = 1
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
  } finally {
    await browser.close()
    await service.stop()
  }
}
