/**
 * `npm run screenshots` starts the demo in a temporary folder and takes a picture of every page of the console, light and dark,
 * into docs/console/, for docs/console.md and the README.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { findChromium } from './test-needs.mjs'

/** @typedef {import('playwright-core').Page} Page */

const root = fileURLToPath(new URL('..', import.meta.url))
const into = join(root, 'docs/console')
const data = mkdtempSync(join(tmpdir(), 'millbook-screenshots-'))
mkdirSync(into, { recursive: true })

const child = spawn(process.execPath, [join(root, 'dist/cli.js'), 'demo', '--port', '0', '--data', data, '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const [line] = await once(child.stdout, 'data')
const { base_url: base, username, password } = JSON.parse(String(line))

/** @param {Page} page */
const table = (page) => page.locator('.grid[aria-busy=false]').waitFor()

/** Waits until every pin has its answer. @param {Page} page */
const pinned = async (page) => {
  await page.locator('.pin').first().waitFor()
  while ((await page.locator('.pin [aria-busy=true], .pin .spark polyline[points=""]').count()) > 0)
    await page.waitForTimeout(200)
}

/** A sales register: the lines of a voucher leave the cells blank that repeat the first one. */
const SALES = `Date,Party,Voucher No.,Item,Qty,Unit,Rate,Amount
2026-04-01,Sharma Stores,S/1,Aloo Bhujia 200 g,10,PCS,35,350
,,,Moong Dal 400 g,10,PCS,62.50,625
2026-04-02,Gupta Traders,S/2,Moong Dal 400 g,11,PCS,62.50,687.50
,,,Besan Laddu,4.5,KG,240,1080
2026-04-03,Deccan Mart,S/3,Besan Laddu,12,KG,240,2880
2026-04-04,Lakshmi Agencies,S/4,Aloo Bhujia 200 g,24,PCS,35,840
,,Grand Total,,,,,6462.50
`

/** @type {Record<string, { path: string, width?: number, height?: number, steps?: (page: Page) => Promise<unknown> }>} */
const pages = {
  overview: {
    path: '/',
    height: 940,
    steps: pinned,
  },
  stock: { path: '/reports/inventory.fg-stock-status?type=FG&tax=0&sort=-final_value', steps: table },
  'behind-a-figure': {
    path: '/reports/inventory.fg-stock-status?type=FG&tax=0&sort=-Issued_qty',
    steps: async (page) => {
      await table(page)
      await page.locator('.grid .row').first().locator('.cell:not(:has(.drill,.fold))').first().click()
      await page.locator('.panel .field', { hasText: 'Issued quantity' }).first().getByRole('button').click()
      await page.locator('.panel .word.good').waitFor()
    },
  },
  invoices: {
    path: '/reports/sales.invoices',
    steps: async (page) => {
      await table(page)
      await page.locator('.fold').nth(1).click()
    },
  },
  chart: {
    path: '/reports/sales.gross-margin?type=CUSTOMER&tax=0&source=INV&group=company_name&measures=sum(delivered_profit),sum(total_sale)&sort=-delivered_profit&show=bars',
    steps: async (page) => {
      await table(page)
      await page.locator('.bar-list li').first().waitFor()
    },
  },
  palette: {
    path: '/reports/sales.sales-orders',
    steps: async (page) => {
      await table(page)
      await page.keyboard.press('Control+k')
      await page.keyboard.type('bhujia')
      await page.getByRole('option', { name: /Item/ }).first().waitFor()
    },
  },
  code: {
    path: '/reports/production.batches',
    steps: async (page) => {
      await table(page)
      await page.getByRole('button', { name: 'Show the request as code' }).click()
    },
  },
  item: {
    path: '/items/FG-0002',
    steps: async (page) => {
      await page.locator('.figures[aria-busy=false]').waitFor()
      await table(page)
    },
  },
  invoice: {
    path: '/reports/sales.invoices?sort=-invoice_date',
    height: 900,
    steps: async (page) => {
      await table(page)
      await page.locator('.grid .row .named a').first().click()
      await page.locator('.paper').waitFor()
    },
  },
  account: {
    path: '/account',
    height: 900,
    steps: (page) => page.getByText('Change the password').waitFor(),
  },
  clients: { path: '/operate/clients', steps: (page) => page.locator('.data tbody tr').first().waitFor() },
  users: { path: '/operate/users', steps: (page) => page.locator('.data tbody tr').first().waitFor() },
  sessions: { path: '/operate/sessions', steps: (page) => page.locator('.data tbody tr').first().waitFor() },
  audit: { path: '/operate/audit', steps: (page) => page.locator('.data tbody tr').first().waitFor() },
  loads: { path: '/operate/loads', steps: (page) => page.locator('.data tbody tr').first().waitFor() },
  import: {
    path: '/operate/import',
    height: 900,
    steps: async (page) => {
      await page.locator('.bring[aria-busy=false]').waitFor()
      if ((await page.locator('.files').count()) === 0)
        await page.getByLabel('Files to bring in').setInputFiles({
          ...{ name: 'Sales April.csv', mimeType: 'text/csv', buffer: Buffer.from(SALES) },
        })
      await page.locator('.bar .verdict > .word').waitFor()
      await page.getByRole('button', { name: /^Lines of invoices/ }).click()
    },
  },
  phone: { path: '/reports/sales.order-status?version=WR', width: 390, height: 844, steps: table },
  'phone-overview': {
    ...{ path: '/', width: 390, height: 844 },
    steps: pinned,
  },
  'phone-clients': {
    ...{ path: '/operate/clients', width: 390, height: 844 },
    steps: (page) => page.locator('.data tbody tr').first().waitFor(),
  },
}

const browser = await chromium.launch({ executablePath: String(findChromium()), args: ['--no-sandbox'] })
try {
  for (const theme of /** @type {const} */ (['light', 'dark'])) {
    const context = await browser.newContext({ colorScheme: theme })
    const page = await context.newPage()
    const save = (/** @type {string} */ name) => page.screenshot({ path: join(into, `${name}-${theme}.png`) })
    await page.setViewportSize({ width: 1280, height: 720 })
    await page.goto(base)
    await page.getByLabel('Username').fill(username)
    await page.getByLabel('Password').fill(password)
    await save('sign-in')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.locator('.rail').waitFor()
    for (const [name, { path, width = 1280, height = 720, steps }] of Object.entries(pages)) {
      await page.setViewportSize({ width, height })
      await page.goto(base + path)
      await steps?.(page)
      await page.waitForTimeout(400)
      await save(name)
      process.stderr.write(`${name}-${theme}.png\n`)
    }
    await context.close()
  }
} finally {
  await browser.close()
  child.kill('SIGTERM')
  await once(child, 'exit')
  rmSync(data, { recursive: true, force: true })
}
