/** The console with unusual data and use: huge numbers, long names, many rows, no rows, a bad network, the back button. */
import type { CDPSession, Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Tx } from '../../src/db/connect.js'
import { cellsOf, consoleForFile, type Opened, pathOf, recordsOf, rowsShown, startConsole, toLastRow, wideRange } from '../setup/console.js' // biome-ignore format: one line

const { the, open, fresh, signInShared } = consoleForFile({ permissions: ['clipboard-read', 'clipboard-write'] })
const STOCK = 'inventory.fg-stock-status'
const stock = () => ({ type: 'FG', tax: '0', ...wideRange(the) })

/** Changes data as a load does. */
const change = async (work: (tx: Tx) => Promise<unknown>) => {
  await the.service.db.begin(async (tx) => {
    await work(tx)
    await tx`update data_version set version = version + 1, committed_at = clock_timestamp()`
  })
}

/** Numbers in the table that are cut off. */
const cutNumbers = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll('.grid .row .num')].filter((number) => {
    const { left, right } = number.getBoundingClientRect()
    const around = number.closest('.cell').getBoundingClientRect()
    return number.scrollWidth > number.clientWidth + 1 || left < around.left || right > around.right
  }).map((number) => number.textContent)`)

/** Elements that reach beyond the screen, except inside areas that scroll. */
const outside = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll('main *, dialog *')].filter((element) => {
    const { left, right, width } = element.getBoundingClientRect()
    return width > 0 && (right > innerWidth + 1 || left < 0) && !element.closest('.grid, .lines, pre, .unseen')
  }).map(({ outerHTML }) => outerHTML.slice(0, 120))`)

describe('numbers', () => {
  it('an amount of 20 digits is shown, opened and copied with all its digits', async () => {
    const amount = '123456789012345678.95'
    await change(
      (tx) => tx`update invoice set final_amt = ${amount} where invoice_no = (select max(invoice_no) from invoice)`,
    )
    const { page } = await open(
      pathOf('sales.invoices', wideRange(the), { sort: '-final_amt', fields: 'invoice_no,customer_name,final_amt' }),
    )
    await rowsShown(page)
    expect((await cellsOf(page, 0))['final_amt']).toBe('1,23,45,67,89,01,23,45,678.95')
    await page.locator('.grid .row .cell:not(:has(.drill,.fold))').first().click()
    const field = page.locator('.panel .field', { hasText: /^\s*Final amount/ }).locator('dd')
    expect(await field.textContent()).toContain('₹1,23,45,67,89,01,23,45,678.95')
    await page.getByRole('button', { name: 'Copy as JSON' }).click()
    await page.getByText('Copied as JSON').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(`"final_amt": ${amount}`)
    expect(await outside(page)).toEqual([])
  })

  it('a number is shown in full at any place in the table', async () => {
    // The sum of both is short, and neither is among the first rows.
    const rows = await recordsOf(the, 'sales.invoices', wideRange(the))
    expect(rows.length).toBeGreaterThan(120)
    const [up, down] = [rows.at(-1)?.['invoice_no'], rows.at(-2)?.['invoice_no']] as [string, string]
    await change(async (tx) => {
      await tx`update invoice set total_amt = 98765432109876543.21 where invoice_no = ${up}`
      await tx`update invoice set total_amt = -98765432109876543.21 where invoice_no = ${down}`
    })
    const { page } = await open(pathOf('sales.invoices', wideRange(the)))
    await toLastRow(page, await rowsShown(page))
    const last = await cellsOf(page, rows.length - 1)
    expect(last['total_amt']).toBe('98,76,54,32,10,98,76,543.21')
    expect(await cutNumbers(page)).toEqual([])
  })
})

describe('names', () => {
  it.each([390, 1280])('of 500 letters do not make the page wider than the screen at %i px', async (width) => {
    await change(async (tx) => {
      await tx`update item set name = repeat('W', 500)`
      await tx`update customer set name = repeat('X', 250), billing_buyer = repeat('X', 250)`
    })
    const { page, errors } = await fresh(the.signedIn('/', { viewport: { width, height: 844 } }))
    await page.locator('.list li').first().waitFor()
    expect(await outside(page)).toEqual([])
    const margins = { type: 'CUSTOMER', tax: '0', source: 'INV', ...wideRange(the) }
    await page.goto(the.base + pathOf('sales.gross-margin', margins, { group: 'company_name', show: 'bars' }))
    await page.locator('.bar-list li').first().waitFor()
    expect(await outside(page)).toEqual([])
    await page.goto(the.base + pathOf('sales.gross-margin', margins))
    await page.locator('.grid .row .cell:not(:has(.drill,.fold))').first().click()
    await page.locator('.panel').waitFor()
    expect(await outside(page)).toEqual([])
    await page.keyboard.press('Control+k')
    await page.keyboard.type('wwwww')
    await page.getByRole('option', { name: /Item/ }).first().waitFor()
    expect(await outside(page)).toEqual([])
    await page.goto(`${the.base}${pathOf(STOCK, stock(), { search: 'q'.repeat(201) })}`)
    await page.getByRole('alert').waitFor()
    expect(await outside(page)).toEqual([])
    expect(errors).toEqual([])
  })
})

describe('many rows', () => {
  /** A page of numbered rows, copied from a record of the service, of any length. */
  async function withRows(page: Page, total: number): Promise<void> {
    await page.route('**/v1/inventory/movements?*', async (route) => {
      const url = new URL(route.request().url())
      if (url.searchParams.has('totals')) return await route.abort()
      const [number, size] = ['page', 'per-page'].map((name) => Number(url.searchParams.get(name))) as [number, number]
      url.searchParams.set('page', '1')
      const response = await route.fetch({ url: url.href.replace(/&snapshot=[^&]*/, '') })
      const body = (await response.json()) as { data: Record<string, unknown>[] }
      const first = (number - 1) * size
      const data = Array.from({ length: Math.min(size, total - first) }, (_, at) => ({
        ...body.data[at % body.data.length],
        movement_no: `M ${first + at + 1}`,
      }))
      const headers = { ...response.headers(), 'x-pagination-total-count': String(total) }
      await route.fulfill({ response, headers, json: { ...body, data } })
    })
    onTestFinished(() => page.unroute('**/v1/inventory/movements?*'))
  }

  it.each([50_000, 2_000_000])('%i rows can be scrolled, jumped through and read to the last', async (total) => {
    const { page, errors } = await fresh(the.signedIn('/operate/loads'))
    await withRows(page, total)
    await page.goto(the.base + pathOf('inventory.movements', wideRange(the), { fields: 'date,movement_no,kind,qty' }))
    expect(await rowsShown(page)).toBe(total)
    const number = (row: number) => cellsOf(page, row).then(({ movement_no }) => movement_no)
    expect(await number(0)).toBe('M 1')
    await toLastRow(page, total)
    expect(await number(total - 1)).toBe(`M ${total}`)
    expect(await page.locator('.grid .row').count()).toBeLessThan(80)
    await page.locator('.grid').evaluate((grid) => grid.scrollTo({ top: 0 }))
    await expect.poll(() => number(0)).toBe('M 1')
    await page.locator('.grid .row [tabindex="0"]').focus()
    await page.keyboard.press('Control+End')
    await expect.poll(() => number(total - 1)).toBe(`M ${total}`)
    for (let step = 0; step < 3; step++) await page.keyboard.press('PageUp')
    await expect
      .poll(() => page.evaluate(`document.activeElement.closest('.row').getBoundingClientRect().top > 0`))
      .toBe(true)
    expect(errors).toEqual([])
  })
})

describe('an empty company', () => {
  it('every page says that it has no data, and none fails', async () => {
    const empty = await startConsole()
    onTestFinished(() => empty.close())
    const { page, errors } = await empty.signedIn('/')
    await page.getByText('This account has no data yet').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await page.locator('.overview').textContent()).not.toMatch(/NaN|undefined|Infinity/)
    const links = await page
      .locator('.rail .links section a')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
    expect(links.length).toBeGreaterThan(20)
    for (const href of links) {
      await page.goto(empty.base + href)
      await page.locator('main h1').first().waitFor()
      await expect.poll(() => page.locator('main [aria-busy=true]').count()).toBe(0)
      expect([href, await page.getByRole('alert').count()]).toEqual([href, 0])
      expect(await page.locator('main').textContent()).not.toMatch(/NaN|undefined|Infinity/)
    }
    await page.goto(`${empty.base}${pathOf(STOCK, stock(), { show: 'chart' })}`)
    await page.locator('.main > .state').waitFor()
    expect(errors).toEqual([])
  })
})

describe('a slow network', () => {
  /** Delays every response by the latency, in milliseconds. */
  async function slow(page: Page, latency: number): Promise<CDPSession> {
    const session = await page.context().newCDPSession(page)
    await session.send('Network.enable')
    const conditions = { offline: false, latency, downloadThroughput: -1, uploadThroughput: -1 }
    await session.send('Network.emulateNetworkConditions', conditions)
    return session
  }
  const REPORT = () => pathOf('sales.order-status', { version: 'WR', ...wideRange(the) })

  it('shows that the console works, can be stopped, and loads the report on "Try again"', async () => {
    const { page, errors } = await fresh(the.signedIn('/operate/loads'))
    const session = await slow(page, 6000)
    await page.getByRole('link', { name: 'Order status' }).first().click()
    await page.getByText('Working…').waitFor()
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByText('You stopped this report.').waitFor()
    await session.detach()
    await page.getByRole('button', { name: 'Try again' }).click()
    expect(await rowsShown(page)).toBeGreaterThan(0)
    expect(errors).toEqual([])
  })

  it('shows the rows of the last request, in whichever order the responses arrive', async () => {
    const { page, errors } = await fresh(the.signedIn(REPORT()))
    await rowsShown(page)
    const sku = String(
      (await recordsOf(the, 'sales.order-status', { version: 'WR', ...wideRange(the) }))[0]?.['product_sku'],
    )
    const session = await slow(page, 1500)
    for (const text of ['zzz', 'FG', sku]) {
      await page.getByLabel('Search the rows of this report').fill(text)
      await page.waitForURL((url) => url.searchParams.get('search') === text)
    }
    await session.detach()
    const found = await recordsOf(the, 'sales.order-status', { version: 'WR', ...wideRange(the) }, { search: sku })
    await expect.poll(() => rowsShown(page)).toBe(found.length)
    // Leave the report while it loads, and go back.
    await slow(page, 1500)
    await page.getByRole('link', { name: 'Invoices' }).click()
    await page.getByRole('link', { name: 'Overview', exact: true }).click()
    await page.goBack()
    await page.getByRole('heading', { name: 'Invoices' }).waitFor()
    expect(await rowsShown(page)).toBeGreaterThan(0)
    expect(errors).toEqual([])
  })

  it('a page that is reloaded while it loads shows the same view', async () => {
    const { page, errors } = await fresh(the.signedIn(`${REPORT()}&sort=-order_date`))
    await slow(page, 800)
    await page
      .getByRole('columnheader', { name: /^Product/ })
      .getByRole('button')
      .first()
      .click()
    await page.reload()
    await page.locator('[aria-sort=ascending][data-field=product_name]').waitFor()
    expect(await rowsShown(page)).toBeGreaterThan(0)
    expect(errors).toEqual([])
  })
})

describe('back and forward', () => {
  const panel = (page: Opened['page']) => page.locator('.panel')

  it('lead through the views in their order, and close and open the panel', async () => {
    const { page, errors } = await fresh(the.signedIn('/'))
    await page.goto(the.base + pathOf('sales.invoices', wideRange(the)))
    const total = await rowsShown(page)
    await page.getByLabel('Search the rows of this report').fill('nothing has this')
    await page.getByText('No row matches').waitFor()
    await page.goBack()
    await expect.poll(() => rowsShown(page)).toBe(total)
    expect(await page.getByLabel('Search the rows of this report').inputValue()).toBe('')
    await page.locator('.grid .row .cell:not(:has(.drill,.fold))').first().click()
    await panel(page).waitFor()
    await page.getByRole('button', { name: 'Next record' }).click()
    await page.getByText(/^2 of /).waitFor()
    await page.goBack()
    await panel(page).waitFor({ state: 'detached' })
    expect(new URL(page.url()).pathname).toBe('/reports/sales.invoices')
    await page.goForward()
    await page.getByText(/^2 of /).waitFor()
    // Closing the panel by its button also removes it from the history.
    await page.getByRole('button', { name: 'Close' }).click()
    await panel(page).waitFor({ state: 'detached' })
    await page.goBack()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(errors).toEqual([])
  })

  it('a panel that a link opened is closed without leaving the report', async () => {
    const { page } = await fresh(the.signedIn(pathOf('sales.invoices', wideRange(the))))
    await rowsShown(page)
    await page.locator('.grid .row .cell:not(:has(.drill,.fold))').first().click()
    await page.waitForURL(/row=/)
    const { page: other } = await fresh(the.signedIn(page.url().slice(the.base.length)))
    await panel(other).waitFor()
    await other.keyboard.press('Escape')
    await panel(other).waitFor({ state: 'detached' })
    expect(new URL(other.url()).pathname).toBe('/reports/sales.invoices')
    expect(await rowsShown(other)).toBeGreaterThan(0)
  })
})

describe('a session that ends', () => {
  it('while a form is filled in: after signing in again, the form is sent unchanged', async () => {
    const { page, errors } = await fresh(the.signedIn('/operate/users'))
    await page.getByRole('button', { name: 'New user' }).click()
    await page.getByLabel('Username').fill('typed-before')
    await page.getByLabel('All groups').check()
    await the.service.db`delete from api_token where username = ${the.operator.username} and client_id = 'console'`
    await page.getByRole('button', { name: 'Create' }).click()
    const again = page.getByRole('dialog', { name: 'Sign in again' })
    await again.getByLabel('Password').fill(the.operator.password)
    await again.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'The password of typed-before' }).waitFor()
    expect(errors).toEqual([])
    await signInShared()
  })

  it('before a reload: the page asks for the password and then shows the same view', async () => {
    const path = pathOf('sales.invoices', wideRange(the), { sort: '-total_amt' })
    const { page } = await fresh(the.signedIn(path))
    const total = await rowsShown(page)
    await the.service.db`delete from api_token where username = ${the.operator.username} and client_id = 'console'`
    await page.reload()
    await page.getByLabel('Username').fill(the.operator.username)
    await page.getByLabel('Password').fill(the.operator.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.locator('[aria-sort=descending]').waitFor()
    expect(await rowsShown(page)).toBe(total)
    await signInShared()
  })
})

it('copies where the page has no clipboard, as over plain HTTP', async () => {
  const { page, context } = await fresh(the.newPage({ permissions: ['clipboard-read', 'clipboard-write'] }))
  // The page sees no clipboard; the test keeps it to read the copied text.
  await context.addInitScript(`window.kept = navigator.clipboard
    Object.defineProperty(navigator, 'clipboard', { value: undefined })`)
  await page.goto(the.base + pathOf(STOCK, stock()))
  await page.getByLabel('Username').fill(the.operator.username)
  await page.getByLabel('Password').fill(the.operator.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await rowsShown(page)
  await page.locator('.grid .row [tabindex="0"]').focus()
  await page.keyboard.press('Control+c')
  await page.getByText('Copied').waitFor()
  expect(await page.evaluate('kept.readText()')).toBe((await cellsOf(page, 0))['product_name'])
  await page.getByRole('button', { name: 'Show the request as code' }).click()
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  await page.getByRole('button', { name: 'Copied', exact: true }).waitFor()
  expect(await page.evaluate('kept.readText()')).toContain('v1/inventory/fg-stock-status')
})
