/** The console for everyone: by keyboard alone, with a screen reader, on narrow screens, and on a slow line. */
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import { consoleForFile, pathOf, type Row, recordsOf, rowsShown, signIn, wideRange } from '../setup/console.js'
import { inLongTier, long } from '../setup/tier.js'

const { the, open, fresh } = consoleForFile()

const month = () => ({ from_date: `${the.today.slice(0, 8)}01`, to_date: the.today })
const wide = () => wideRange(the)
const all = (id: string, values: Row, query?: Record<string, string | string[]>) => recordsOf(the, id, values, query)

it('a new load is announced without reloading the rows, and showing it keeps the scroll position', async () => {
  const { page } = await open(pathOf('sales.invoices', wide()))
  await rowsShown(page)
  await page.locator('.grid').evaluate((grid) => grid.scrollTo({ top: 640 }))
  await the.service.db`update data_version set version = version + 1, committed_at = clock_timestamp()`
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
  await page.getByRole('button', { name: /Newer data is available/ }).click()
  await page.getByRole('button', { name: /Newer data is available/ }).waitFor({ state: 'detached' })
  await rowsShown(page)
  expect(await page.locator('.grid').evaluate((grid) => grid.scrollTop)).toBe(640)
})

it('the keyboard alone opens a report, moves through it, opens a record and closes it', async () => {
  const { page } = await open('/')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('batches')
  await page.getByRole('option', { name: /^Batches/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Batches' }).waitFor()
  await rowsShown(page)
  await page.locator('.grid [tabindex="0"]').first().focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowRight')
  await page.waitForFunction(
    `document.activeElement.dataset.column === '1' && document.activeElement.closest('[aria-rowindex="3"]')`,
  )
  await page.keyboard.press('Enter')
  await page.locator('.panel').waitFor()
  await page.keyboard.press('ArrowDown')
  await page.getByText(/^3 of /).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.panel').waitFor({ state: 'detached' })
})

inLongTier('the palette finds items, orders and batches', async () => {
  const { page } = await open('/reports/masters.warehouse-list')
  const [order] = await all('sales.sales-orders', wide())
  const number = String(order?.['order_no'])
  await rowsShown(page)
  await page.keyboard.press('Control+k')
  await page.keyboard.type(number)
  await page
    .getByRole('option', { name: new RegExp(number) })
    .first()
    .waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/orders\//)
  await page.getByRole('heading', { name: number }).waitFor()
})

inLongTier('Enter in the palette takes the first hit, even if it is pressed before the hits arrive', async () => {
  const { page } = await open('/reports/masters.warehouse-list')
  const [order, other] = await all('sales.sales-orders', wide())
  await rowsShown(page)
  let answer = () => {}
  const released = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route('**/v1/search?*', async (route) => {
    await released
    await route.continue()
  })
  onTestFinished(() => page.unroute('**/v1/search?*'))
  await page.keyboard.press('Control+k')
  await page.keyboard.type(String(order?.['order_no']))
  await page.keyboard.press('Enter')
  answer()
  await page.waitForURL(/\/orders\//)
  expect(decodeURIComponent(page.url())).toContain(String(order?.['order_no']))
  // Enter does not take a hit of the text typed before.
  await page.keyboard.press('Control+k')
  await page.keyboard.type(String(order?.['order_no']))
  await page
    .getByRole('option', { name: /Sales order/ })
    .first()
    .waitFor()
  await page.getByRole('combobox').fill(String(other?.['order_no']))
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => decodeURIComponent(url.href).includes(String(other?.['order_no'])))
})

const screens = [['dark', 1280], ['light', 1280], ['dark', 390], ['light', 390]] as ['dark' | 'light', number][] // biome-ignore format: pairs
it.for(screens)('%s at %i px: axe finds no fault on any page', async ([colorScheme, width], { skip }) => {
  if (!long) skip('in the long tier only')
  const { page } = await fresh(the.newPage({ colorScheme, viewport: { width, height: 844 }, bypassCSP: true }))
  const axe = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')
  const check = async () => {
    // A colour in transition may have too little contrast; endless animations are waiting indicators.
    await page.evaluate(`Promise.allSettled(document.getAnimations()
      .filter((animation) => animation.effect.getComputedTiming().endTime < Infinity)
      .map(({ finished }) => finished))`)
    await page.evaluate(axe)
    const found = await page.evaluate(async () => {
      const { violations } = await (
        globalThis as never as { axe: { run(): Promise<{ violations: Violation[] }> } }
      ).axe.run()
      interface Violation {
        id: string
        nodes: { html: string; failureSummary: string }[]
      }
      return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary}`)
    })
    expect(found).toEqual([])
  }
  await page.goto(the.base)
  await page.getByLabel('Username').waitFor()
  await check()
  await signIn(page, the.operator)
  await page.locator('.pin').first().waitFor()
  await expect.poll(() => page.locator('.pin [aria-busy=true]').count()).toBe(0)
  await check()
  for (const path of [
    pathOf('sales.invoices', month()),
    pathOf('inventory.fg-stock-status', { type: 'FG', tax: '0', ...month() }, { show: 'chart' }),
    pathOf('production.batches', { from_date: '2040-01-01', to_date: '2040-01-31' }),
  ]) {
    await page.goto(the.base + path)
    await rowsShown(page)
    await check()
  }
  await page.goto(the.base + pathOf('sales.invoices', wide()))
  await rowsShown(page)
  // A phone shows cards, whose lines are in the record, and no code.
  const isPhone = width === 390
  if (!isPhone) await page.locator('.grid .fold').first().click()
  await check()
  for (const name of isPhone ? ['Filter'] : ['Filter', 'Show the request as code']) {
    await page.getByRole('button', { name, exact: true }).click()
    await page.locator('dialog[open]').waitFor()
    await check()
    await page.keyboard.press('Escape')
  }
  await page.locator('.grid .row .cell:not(:has(.drill,.fold))').first().click()
  await page.locator('.panel').waitFor()
  await check()
  await page.keyboard.press('Control+k')
  await page.getByRole('option').first().waitFor()
  await check()
  await page.keyboard.press('Escape')
  for (const name of ['clients', 'users', 'sessions', 'audit', 'loads', 'import']) {
    await page.goto(`${the.base}/operate/${name}`)
    await page.locator('.operate .data, .operate .drop').first().waitFor()
    await check()
  }
  await page.goto(`${the.base}/operate/nothing-here`)
  await page.getByText('This page does not exist').waitFor()
})

const pages = ['/', '/operate/clients', '/operate/import', '/operate/audit']
it.each(long ? ['/reports/sales.invoices', ...pages] : [])(
  '%s: every stop of Tab has a visible focus and a name',
  async (path) => {
    const { page } = await open(path)
    await page.locator('.pin .value, .grid[aria-busy=false], .operate .cards, .operate .drop').first().waitFor()
    // Tables, grids and regions have names as well.
    const nameless = `[...document.querySelectorAll('table, [role=grid], [role=region], dialog, nav, svg[role]')].filter((element) =>
      !element.caption && !element.ariaLabel && !element.closest(':is([role=region], [role=group])[aria-label]')).map(({ outerHTML }) => outerHTML.slice(0, 100))`
    expect(await page.evaluate(nameless)).toEqual([])
    const stop = () =>
      page.evaluate(`(() => {
        const element = document.activeElement
        if (element === document.body) return undefined
        const isMarked = (one) => one != null && getComputedStyle(one).outlineStyle !== 'none'
        const { right, left, width } = element.getBoundingClientRect()
        const { ariaLabel, textContent, labels, title } = element
        return {
          element: element.outerHTML.slice(0, 120),
          marked: isMarked(element) || isMarked(element.parentElement),
          inView: width > 0 && right > 0 && left < innerWidth,
          named: [ariaLabel, textContent, labels?.[0]?.textContent, title].some((text) => text?.trim()),
        }
      })()`)
    let stops = 0
    for (; stops < 150; stops++) {
      await page.keyboard.press('Tab')
      const found = (await stop()) as { element: string } | undefined
      if (found === undefined) break
      expect(found).toEqual({ element: found.element, marked: true, inView: true, named: true })
    }
    expect(stops).toBeGreaterThan(30)
  },
)

inLongTier('a dialog keeps Tab inside, and returns the focus when it closes', async () => {
  const { page } = await open('/operate/clients')
  const button = page.getByRole('button', { name: 'New client' })
  await button.click()
  await page.locator('dialog[open]').waitFor()
  for (let at = 0; at < 30; at++) {
    await page.keyboard.press('Tab')
    // Between the last stop and the first, the browser itself has the focus.
    expect(
      await page.evaluate(
        `document.activeElement === document.body || document.activeElement.closest('dialog') !== null`,
      ),
    ).toBe(true)
  }
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })
  expect(await button.evaluate((element) => element.matches(':focus'))).toBe(true)
})

inLongTier('at 360 px nothing is wider than the screen, and the rail is a drawer', async () => {
  const { page } = await fresh(the.signedIn('/', { viewport: { width: 360, height: 740 } }))
  await page.locator('.pin').first().waitFor()
  const fits = () => page.evaluate('document.documentElement.scrollWidth <= innerWidth')
  expect(await fits()).toBe(true)
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('link', { name: 'Invoices' }).click()
  await rowsShown(page)
  expect(await fits()).toBe(true)
  await page.locator('.grid .row .cell:not(:has(.drill,.fold))').first().click()
  await page.locator('.panel').waitFor()
  expect(await fits()).toBe(true)
})

it.each(long ? [1024, 390] : [])(
  'at %i px no text is cut off without a title that has the whole text',
  async (width) => {
    const { page } = await fresh(the.signedIn('/', { viewport: { width, height: 844 } }))
    const filter = { filter: 'Product_sku~a text that is much longer than any chip should ever become on a screen' }
    for (const path of [
      pathOf('inventory.fg-stock-status', { type: 'FG', tax: '0', ...wide() }, filter),
      pathOf('sales.order-status', { version: 'WR', ...wide() }),
      ...(long ? ['clients', 'users', 'sessions', 'audit', 'loads', 'import'] : ['import']).map(
        (name) => `/operate/${name}`,
      ),
    ]) {
      await page.goto(the.base + path)
      await page.locator('.grid[aria-busy=false], .main > .state, .operate .data, .operate .drop').first().waitFor()
      const cut = await page.evaluate(`[...document.querySelectorAll(
      '.title *, .toolbar *, .status *, .operate > .scroll > p, .drop *',
    )].filter((element) => {
      const { right, width } = element.getBoundingClientRect()
      const isClipped = element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflow === 'hidden'
      return (width > 0 && right > innerWidth) || (isClipped && element.closest('[title]') === null)
    }).map(({ outerHTML }) => outerHTML.slice(0, 200))`)
      expect([path, cut]).toEqual([path, []])
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    }
  },
)

it('the first view takes at most 120 KB of compressed script', async () => {
  const { page } = await fresh(the.newPage())
  const scripts: Promise<number>[] = []
  page.on('response', (response) => {
    if (/\.js$/.test(new URL(response.url()).pathname))
      scripts.push(response.body().then((body) => gzipSync(body).length))
  })
  await page.goto(the.base)
  await signIn(page, the.operator)
  await page.locator('.pin').first().waitFor()
  const sizes = await Promise.all(scripts)
  expect(sizes.length).toBeGreaterThan(0)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(120_000)
})
