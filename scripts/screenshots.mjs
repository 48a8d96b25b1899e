/**
 * `npm run screenshots` starts the demo in a temporary folder and takes pictures of the console into docs/console/, for docs/console.md
 * and the README: of the main pages at the widths of a desk, a small laptop and a phone, light and dark; of every other page once. With
 * names of pages, only of these.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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

/**
 * Closes the last month and loads a correction of its opening stock, once: for the pages of what changed. @param {Page} page
 */
async function correct(page) {
  await page.goto(`${base}/closed-periods`)
  await page.locator('.closed .content[aria-busy=false]').waitFor()
  if ((await page.locator('.data').count()) > 0) return
  await page.getByRole('button', { name: 'Close a period' }).click()
  await page.getByLabel('Reason').fill('Reported to the bank')
  await page.getByRole('button', { name: 'Close it' }).click()
  await page.locator('.data').waitFor()
  const rows = /** @type {Record<string, string>[]} */ (
    await page.evaluate(`(async () => {
      const { csrf } = await (await fetch('/session')).json()
      const headers = { 'content-type': 'application/json', 'x-csrf-token': csrf }
      const body = JSON.stringify({ from_date: '2000-01-01', to_date: '${today}' })
      const path = '/v1/inventory/movements?filter=note=opening%20stock&filter=sku~FG-&page=1&per-page=200'
      return (await (await fetch(path, { method: 'POST', headers, body })).json()).data
    })()`)
  )
  const lines = rows
    .filter((_, at) => at % 40 === 7)
    .map(({ movement_no, date, sku, warehouse, batch, qty, value }, at) =>
      [
        movement_no,
        date,
        'other_receipt',
        sku,
        warehouse,
        batch,
        Number(qty) + 3 * (at + 1),
        Number(value) + 90 * (at + 1),
        Number(value) * 2,
      ].join(),
    )
  const text = ['movement_no,movement_date,kind,sku,warehouse,batch_no,qty,val,val_tax', ...lines].join('\n')
  await page.goto(`${base}/operate/import`)
  await page.locator('.bring[aria-busy=false]').waitFor()
  await page.getByLabel('Files to bring in').setInputFiles({
    ...{ name: 'stock_movements.csv', mimeType: 'text/csv', buffer: Buffer.from(`${text}\n`) },
  })
  await page.getByRole('button', { name: /^Load \d/ }).click()
  await page.getByRole('button', { name: /^Take it back/ }).waitFor()
}

/** Widths and heights of the pictures of a main page. */
const SIZES = /** @type {const} */ ([[1440, 900], [1024, 768], [390, 844]]) // biome-ignore format: one line

/** @param {Page} page */
const drawn = (page) => page.locator('.graph .bar').first().waitFor()
const SALES_BY_MONTH =
  '/reports/sales.sales?method=month&group=product_category,month(order_date)&measures=sum(total_amount)'
const last6 = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 5, 1))
  .toISOString()
  .slice(0, 10)
const today = new Date().toISOString().slice(0, 10)
const byMonth = `${SALES_BY_MONTH}&from_date=${last6}&to_date=${today}`

/** The URL of the saved view. @type {string | undefined} */
let view

/** @type {Record<string, { path: string, steps: (page: Page) => Promise<unknown> }>} */
const mainPages = {
  overview: { path: '/', steps: pinned },
  stock: { path: '/reports/inventory.fg-stock-status?type=FG&tax=0&sort=-final_value', steps: table },
  pivot: { path: `${byMonth}&show=pivot`, steps: (page) => page.locator('.grid .totals').waitFor() },
  chart: { path: `${byMonth}&show=stacked`, steps: drawn },
  compared: { path: `${byMonth.replace(',month(order_date)', '')}&compare=year&sort=-total_amount`, steps: table },
  view: {
    path: `${byMonth}&show=pivot`,
    steps: async (page) => {
      await page.locator('.grid .totals').waitFor()
      if (view === undefined) {
        await page.getByRole('button', { name: 'Save view' }).click()
        await page.getByLabel('Name', { exact: true }).fill('Sales by category')
        await page.getByRole('radio', { name: 'Everyone' }).check()
        await page.locator('dialog').getByRole('button', { name: 'Save', exact: true }).click()
        await page.getByRole('heading', { name: 'Sales by category', level: 1 }).waitFor()
        view = page.url()
      } else await page.goto(view)
      await page.locator('.grid .totals').waitFor()
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
    steps: async (page) => {
      await table(page)
      const link = page.locator('.grid .row a[href^="/invoices/"]').first()
      if (await link.isVisible()) await link.click()
      else {
        await page.locator('.grid .row').first().click()
        await page.locator('.panel a[href^="/invoices/"]').first().click()
      }
      await page.locator('.paper').waitFor()
    },
  },
  recall: {
    path: '/recall?batch_no=B-OIL-2291',
    steps: (page) => page.locator('.genealogy .node, .levels').first().waitFor(),
  },
  ordering: { path: '/ordering', steps: (page) => page.locator('.ordering tbody tr').first().waitFor() },
  account: { path: '/account', steps: (page) => page.getByRole('button', { name: 'Change the password' }).waitFor() },
}

/** @type {Record<string, { path: string, theme?: 'dark', width?: number, height?: number, steps?: (page: Page) => Promise<unknown> }>} */
const pages = {
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
  changes: {
    path: '/',
    steps: async (page) => {
      await correct(page)
      await page.goto(`${base}/reports/inventory.fg-stock-status?type=FG&tax=0&against=1`)
      await table(page)
      await page.locator('.grid .differs .drill').first().click()
      await page.getByText('equal to the difference').waitFor()
    },
  },
  load: {
    path: '/',
    steps: async (page) => {
      await correct(page)
      await page.goto(`${base}/loads/2`)
      await page.locator('.data tbody tr').first().waitFor()
    },
  },
  'closed-periods': {
    path: '/',
    steps: async (page) => {
      await correct(page)
      await page.goto(`${base}/closed-periods`)
      await page.locator('.data tbody tr').first().waitFor()
    },
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
  'phone-clients': {
    ...{ path: '/operate/clients', theme: 'dark', width: 390, height: 844 },
    steps: (page) => page.locator('.data tbody tr').first().waitFor(),
  },
}

const only = process.argv.slice(2)
const browser = await chromium.launch({ executablePath: String(findChromium()), args: ['--no-sandbox'] })
// The browser writes WebP: a third of the size of PNG.
const converter = await (await browser.newContext()).newPage()
/** @param {Page} page @param {string} name */
async function save(page, name) {
  await page.waitForTimeout(400)
  const png = (await page.screenshot()).toString('base64')
  const webp = await converter.evaluate(`(async () => {
    const image = await createImageBitmap(await (await fetch('data:image/png;base64,${png}')).blob())
    const canvas = new OffscreenCanvas(image.width, image.height)
    canvas.getContext('2d').drawImage(image, 0, 0)
    const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/webp', quality: 0.4 })).arrayBuffer())
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  })()`)
  writeFileSync(join(into, `${name}.webp`), Buffer.from(String(webp), 'base64'))
  process.stderr.write(`${name}.webp\n`)
}

try {
  for (const theme of /** @type {const} */ (['light', 'dark'])) {
    const context = await browser.newContext({ colorScheme: theme })
    const page = await context.newPage()
    page.setDefaultTimeout(120_000)
    await page.setViewportSize({ width: 1280, height: 720 })
    await page.goto(base)
    await page.getByLabel('Username').fill(username)
    await page.getByLabel('Password').fill(password)
    if (only.length === 0) await save(page, `sign-in-${theme}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.locator('.rail').waitFor()
    const isAsked = (/** @type {string} */ name) => only.length === 0 || only.includes(name)
    for (const [name, { path, steps }] of Object.entries(mainPages))
      for (const [width, height] of isAsked(name) ? SIZES : []) {
        await page.setViewportSize({ width, height })
        await page.goto(base + path)
        await steps(page)
        await save(page, `${name}-${width}-${theme}`)
      }
    for (const [name, { path, theme: own = 'light', width = 1280, height = 720, steps }] of Object.entries(pages)) {
      if (!isAsked(name) || own !== theme) continue
      await page.setViewportSize({ width, height })
      await page.goto(base + path)
      await steps?.(page)
      await save(page, `${name}-${theme}`)
    }
    await context.close()
  }
} finally {
  await browser.close()
  child.kill('SIGTERM')
  await once(child, 'exit')
  rmSync(data, { recursive: true, force: true })
}
