/** Pages of items, batches, customers, vendors and documents; the reader's own account; pages that do not exist. */
import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { thingUrl } from '../../console/src/things/paths.js'
import type { Group } from '../../src/groups.js'
import { consoleForFile, pathOf, plain, type Row, recordsOf, rowsShown, signIn, wideRange } from '../setup/console.js'
import { inLongTier, long } from '../setup/tier.js'

const { the, open, fresh } = consoleForFile()

const EVER = { from_date: '0001-01-01', to_date: '9999-12-31' }
const all = (id: string, values: Row = {}, query?: Record<string, string | string[]>) =>
  recordsOf(the, id, values, query)
const tabsOf = (page: Page) => page.locator('.thing .tabs a').allTextContents()
/** The number as the API has it, or the text. */
const rawOf = async (shown: Locator) => {
  const number = shown.locator('[data-raw]')
  const raw = (await number.count()) === 1 ? number : shown
  return (await raw.getAttribute('data-raw')) ?? plain((await raw.textContent()) ?? '')
}
const figure = async (page: Page, label: string) => {
  await page.locator('.figures[aria-busy=false]').waitFor()
  return rawOf(page.locator('.figures li', { hasText: label }).locator('.num'))
}
const fact = (page: Page, label: string) =>
  rawOf(page.locator('.thing .facts > div', { hasText: label }).locator('dd').first())
/** An item that many reports know: the one with the most movements of a kind. */
const busiest = async () => {
  const [row] = await the.service.db<{ sku: string; name: string }[]>`
    select i.sku, i.name from sales_order_line l join item i on i.id = l.item_id where i.type = 'FG'
     group by 1, 2 order by count(*) desc, 1 limit 1`
  return row as { sku: string; name: string }
}
const reader = async (username: string, groups: Group[] | null) => ({
  username,
  password: await the.newUser(username, { role: 'reader', groups }),
})

describe('an item', () => {
  it('is opened by its name in a table, shows its stock as the report has it, and Back returns to the table', async () => {
    const { sku, name } = await busiest()
    const { page, errors } = await open(
      pathOf(
        'inventory.fg-stock-status',
        { type: 'FG', tax: '0', ...wideRange(the) },
        { filter: `Product_sku=${sku}` },
      ),
    )
    await rowsShown(page)
    await page.locator('.grid .row .cell:not(:has(.drill,.fold))').first().click()
    await page.locator('.panel').waitFor()
    await page.locator('.grid .row').first().getByRole('link', { name }).click()
    await page.getByRole('heading', { name, exact: true }).waitFor()
    expect(new URL(page.url()).pathname).toBe(thingUrl('item', [sku]))
    await page.waitForFunction(`document.title === ${JSON.stringify(`${name} ${sku} · Millbook`)}`)
    const [totals] = await all('inventory.item-stock', { date: the.today, sku }, { totals: 'yes' })
    expect(await figure(page, 'In stock')).toBe(totals?.['stock_qty'])
    expect(await figure(page, 'Stock value')).toBe(totals?.['stock_value'])
    expect(await tabsOf(page)).toEqual([
      ...['Stock', 'Movements', 'Batches', 'Orders that want it', 'Orders that bring it', 'Work orders'],
      ...['Made of', 'Used in'],
    ])
    const tabs = { 'Orders that want it': 'sales.demand-status', 'Made of': 'production.bills' }
    for (const [tab, id] of Object.entries(tabs)) {
      await page.getByRole('link', { name: tab, exact: true }).click()
      const href = (await page.getByRole('link', { name: 'Open as a report' }).getAttribute('href')) ?? ''
      expect(href).toContain(`/reports/${id}`)
    }
    const lines = await all('production.bills', { product_sku: sku })
    expect(await rowsShown(page)).toBe(lines.length)
    // A component is an item too, and leads back to the product.
    await page.locator('.thing .grid .row').first().getByRole('link').first().click()
    await page.getByRole('link', { name: 'Used in', exact: true }).click()
    await rowsShown(page)
    await page.locator('.thing .grid').getByRole('link', { name }).first().waitFor()
    for (let back = 0; back < 4; back++) await page.goBack()
    await page.getByRole('heading', { name, exact: true }).waitFor()
    await page.goBack()
    await page.locator('.report .toolbar').waitFor()
    expect(errors).toEqual([])
  })

  inLongTier('has a row that opens the panel, and the panel moves through the rows', async () => {
    const { sku } = await busiest()
    const { page } = await open(`${thingUrl('item', [sku])}?tab=movements`)
    const total = await rowsShown(page)
    expect(total).toBeGreaterThan(2)
    await page.locator('.thing .grid .row .cell:not(:has(.drill,.fold))').first().click()
    await page
      .locator('.panel')
      .getByText(/^1 of /)
      .waitFor()
    await page.getByRole('button', { name: 'Next record' }).click()
    await page
      .locator('.panel')
      .getByText(/^2 of /)
      .waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.panel').waitFor({ state: 'detached' })
  })

  const tabsOfReaders: [Group[], string[]][] = [
    [['inventory'], ['Stock', 'Movements', 'Batches']],
    [['sales'], ['Orders that want it']],
    [['masters'], []],
  ]
  it.each(long ? tabsOfReaders : tabsOfReaders.slice(0, 1))(
    'shows a reader of %s the tabs of its groups',
    async (groups, tabs) => {
      const { sku } = await busiest()
      const { page, errors } = await fresh(the.newPage())
      await page.goto(the.base + thingUrl('item', [sku]))
      await signIn(page, await reader(`items-${groups}`, groups))
      await page.locator('.thing h1').waitFor()
      expect(await tabsOf(page)).toEqual(tabs.length > 1 ? tabs : [])
      expect(await page.locator('.thing .report').count()).toBe(tabs.length > 0 ? 1 : 0)
      expect(errors).toEqual([])
    },
  )

  inLongTier('has codes with slashes, spaces, percent signs and umlauts in its URL, also after a reload', async () => {
    const sku = 'Größe 3/4 50%?#&'
    await the.service.db.begin(async (tx) => {
      await tx`insert into item (sku, name, type, unit) values (${sku}, 'Odd code', 'FG', 'PCS')`
      await tx`insert into batch (item_id, batch_no, source) select id, 'B/1 %2F', 'MANUAL' from item where sku = ${sku}`
      await tx`update data_version set version = version + 1, committed_at = clock_timestamp()`
    })
    const { page } = await open(`${thingUrl('item', [sku])}?tab=used-in`)
    await page.getByRole('heading', { name: 'Odd code' }).waitFor()
    await page.getByText('No bill of materials uses this item.').waitFor()
    await page.goto(the.base + thingUrl('batch', [sku, 'B/1 %2F']))
    await page.reload()
    await page.locator('.named-line code', { hasText: 'B/1 %2F' }).waitFor()
    await page.locator('.thing .facts').getByRole('link', { name: sku }).click()
    await page.getByRole('heading', { name: 'Odd code' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(thingUrl('item', [sku]))
  })

  inLongTier('that does not exist says what to do', async () => {
    const { page } = await open('/items/NOT-THERE')
    await page.getByRole('heading', { name: 'There is no item NOT-THERE.' }).waitFor()
    await page.getByText('search for a part of it with Ctrl K').waitFor()
  })
})

describe('the palette', () => {
  inLongTier('leads to the page of each kind of thing', async () => {
    const db = the.service.db
    const first = async (text: Promise<{ code: string }[]>) => (await text)[0]?.code as string
    const found: [string, string][] = [
      [await first(db`select order_no as code from sales_order order by 1 limit 1`), '/orders/'],
      [await first(db`select invoice_no as code from invoice order by 1 limit 1`), '/invoices/'],
      [await first(db`select po_no as code from purchase_order order by 1 limit 1`), '/purchase-orders/'],
      [await first(db`select work_order_no as code from work_order order by 1 limit 1`), '/work-orders/'],
      [await first(db`select batch_no as code from batch where source = 'PRODUCED' order by 1 limit 1`), '/batches/'],
      [await first(db`select name as code from customer order by 1 limit 1`), '/customers/'],
      [await first(db`select name as code from vendor order by 1 limit 1`), '/vendors/'],
    ]
    const { page, errors } = await open('/reports/masters.warehouse-list')
    await rowsShown(page)
    for (const [text, path] of found) {
      await page.keyboard.press('Control+k')
      await page.keyboard.type(text)
      const words = { '/work-orders/': 'Work order', '/invoices/': 'Invoice' }
      await page
        .getByRole('option', { name: new RegExp(words[path as keyof typeof words] ?? '·') })
        .first()
        .waitFor()
      await page.getByRole('option', { name: /·/ }).first().click()
      await page.waitForURL((url) => url.pathname.startsWith(path))
      await page.locator('.thing h1').waitFor()
      await page.locator('.thing .facts:not([aria-busy]) dd').first().waitFor()
    }
    expect(errors).toEqual([])
  })
})

describe('a document', () => {
  it('shows its lines and amounts as the API has them, links to its customer, and prints without the rest', async () => {
    const [invoice] = await all('sales.invoices', EVER, {
      fields: 'all',
      filter: ['invoice_status=Submitted', 'invoice_type=Invoice', 'customer_code!=', 'order_no!='],
      page: '1',
      'per-page': '1',
    })
    const { page } = await open(thingUrl('invoice', [String(invoice?.['invoice_no'])]))
    await page.locator('.paper').waitFor()
    expect(await fact(page, 'Final amount')).toBe(String(invoice?.['final_amt']))
    const shown = await page.locator('.paper tbody tr').count()
    const lines = invoice?.['items'] as Row[]
    expect(shown).toBe(lines.length)
    const heads = await page.locator('.paper thead th').allTextContents()
    const at = heads.indexOf('Total value')
    const values = await page.locator(`.paper tbody td:nth-child(${at + 1})`).all()
    expect(await Promise.all(values.map(rawOf))).toEqual(lines.map((line) => line['total_value']))
    expect(await rawOf(page.locator('.totals-of .sum dd'))).toBe(String(invoice?.['final_amt']))
    // No column is out of view; on a phone a line is a card.
    const usual = page.viewportSize() as { width: number; height: number }
    for (const width of [1024, 390]) {
      await page.setViewportSize({ width, height: 800 })
      const wider = await page.locator('.paper .lines').evaluate((list) => list.scrollWidth - list.clientWidth)
      expect([width, wider]).toEqual([width, 0])
      expect(await values[0]?.isVisible()).toBe(true)
    }
    await page.setViewportSize(usual)
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('.rail').isVisible()).toBe(false)
    expect(await page.locator('.sheet .document table').first().isVisible()).toBe(true)
    expect(await page.locator('.paper').isVisible()).toBe(false)
    expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false)
    await page.emulateMedia({ media: 'screen' })
    await page
      .locator('.thing .facts')
      .getByRole('link', { name: String(invoice?.['customer_name']) })
      .click()
    await page.getByRole('heading', { name: String(invoice?.['customer_name']), exact: true }).waitFor()
    expect(new URL(page.url()).pathname).toBe(thingUrl('customer', [String(invoice?.['customer_code'])]))
  })

  inLongTier('of a customer is in the tabs of the customer, newest first, and their sums are the figures', async () => {
    const [{ code, orders } = { code: '', orders: 0 }] = await the.service.db<{ code: string; orders: number }[]>`
      select customer_code as code, count(*)::int as orders from sales_order
       where customer_code is not null group by 1 order by 2 desc, 1 limit 1`
    const { page } = await open(thingUrl('customer', [code]))
    expect(await rowsShown(page)).toBe(orders)
    await page.getByText('by Order date ↓, Order number ↓').waitFor()
    const sorted = page.locator('.thing .head [aria-sort=descending]')
    const fields = await sorted.evaluateAll((all) => all.map((head) => head.getAttribute('data-field')))
    expect(fields.sort()).toEqual(['order_date', 'order_no'])
    const filter = [`customer.customer_code=${code}`, 'order_status=CREATED|PARTIAL ISSUED']
    const [open_orders] = await all('sales.sales-orders', EVER, { filter, totals: 'yes' })
    expect(await figure(page, 'Amount of open orders')).toBe(open_orders?.['total_amt'])
    await page.getByRole('link', { name: 'Sales by month' }).click()
    const months = await all(
      'sales.sales',
      { method: 'month', ...EVER },
      { filter: `customer_code=${code}`, group: 'month(order_date)' },
    )
    expect(await rowsShown(page)).toBe(months.length)
  })

  const documents = [
    ['order', 'sales_order', 'order_no'],
    ['purchase-order', 'purchase_order', 'po_no'],
    ['work-order', 'work_order', 'work_order_no'],
  ] as const
  it.each(long ? documents : documents.slice(0, 1))(
    '%s has a story or movements in its tabs',
    async (kind, table, column) => {
      const [row] = await the.service.db.unsafe<{ no: string }[]>(
        `select ${column} as no from ${table} order by 1 limit 1`,
      )
      const { page, errors } = await open(thingUrl(kind, [row?.no as string]))
      await page.locator('.paper').waitFor()
      for (const tab of (await tabsOf(page)).slice(1)) {
        const tabs = page.getByRole('navigation', { name: /^About this/ })
        await tabs.getByRole('link', { name: tab, exact: true }).click()
        await page.locator('.thing .grid[aria-busy=false], .thing .main > .state').first().waitFor()
        expect(await page.locator('[role=alert]').count(), tab).toBe(0)
      }
      expect(errors).toEqual([])
    },
  )
})

describe('the account page', () => {
  it('makes an app password that works, is shown until it is kept, and ends', async () => {
    const { page } = await fresh(the.newPage())
    await page.goto(`${the.base}/account`)
    await signIn(page, await reader('workbook', ['masters', 'inventory']))
    await page.getByText('You have none.').waitFor()
    await page.getByRole('button', { name: 'New app password' }).click()
    await page.getByLabel('Name: what it is for').fill('Stock workbook')
    await page.getByLabel('Only these reports').check()
    await page.getByRole('button', { name: 'Make it' }).click()
    await page.getByRole('alert').getByText('tick at least one').waitFor()
    await page.getByRole('checkbox', { name: 'Warehouses' }).check()
    await page.getByRole('button', { name: 'Make it' }).click()
    const secret = (await page.locator('.secret').last().textContent()) ?? ''
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    expect(await page.locator('.secret').last().textContent()).toBe(secret)
    await page.getByRole('button', { name: 'I have kept it' }).click()
    expect(await page.content()).not.toContain(secret)
    const call = (path: string) =>
      the.service.call({
        ...{ path, token: null },
        headers: { authorization: `Basic ${Buffer.from(`workbook:${secret}`).toString('base64')}` },
      })
    expect((await call('/v1/warehouse/warehouse-list')).statusCode).toBe(200)
    expect((await call('/v1/inventory/finished-goods')).statusCode).toBe(403)
    await page.getByRole('cell', { name: 'Warehouses' }).waitFor()
    await page.getByRole('button', { name: 'End the app password Stock workbook' }).click()
    await page.getByRole('button', { name: 'End it' }).click()
    await page.getByText('You have none.').waitFor()
    await expect.poll(async () => (await call('/v1/warehouse/warehouse-list')).statusCode).toBe(401)
  })

  inLongTier('changes the password with the old one, and the reader stays signed in here only', async () => {
    const who = await reader('changer', null)
    const { page } = await fresh(the.newPage())
    const other = await fresh(the.newPage())
    for (const one of [page, other.page]) {
      await one.goto(`${the.base}/account`)
      await signIn(one, who)
    }
    await page.getByText('Your other sessions').waitFor()
    const type = async (old: string, next: string, again = next) => {
      await page.getByLabel('Old password').fill(old)
      await page.getByLabel('New password, of').fill(next)
      await page.getByLabel('New password again').fill(again)
      await page.getByRole('button', { name: 'Change the password' }).click()
    }
    await type(who.password, 'a new password', 'another one')
    await page.getByRole('alert').getByText('differ').waitFor()
    await type('wrong wrong', 'a new password')
    await page.getByRole('alert').getByText('The old password is not your password').waitFor()
    await type(who.password, 'a new password')
    await page.getByText('Your password is changed; 1 other session or token and 0 app passwords ended.').waitFor()
    await page.getByRole('button', { name: 'New app password' }).click() // the page sends requests with the new session
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.reload()
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    await other.page.getByRole('link', { name: 'Overview', exact: true }).first().click()
    await other.page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
    await other.page.getByLabel('Password').fill('a new password')
    await other.page.getByRole('button', { name: 'Sign in' }).click()
    await other.page.locator('dialog').waitFor({ state: 'detached' })
  })
})

inLongTier('a page that does not exist is a page for people, which leads to the console', async () => {
  const { page } = await open('/nowhere')
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await page.getByRole('link', { name: 'Open the console' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.goto(`${the.base}/operate/nothing`)
  await page.getByText('The menu has the pages of operators.').waitFor()
})

it('the request for the session ends, also if nobody is signed in', async () => {
  const { page } = await fresh(the.newPage())
  const ended = page.waitForEvent('requestfinished', (request) => request.url() === `${the.base}/session`)
  await page.goto(the.base)
  expect((await (await ended).response())?.status()).toBe(401)
})

inLongTier('axe finds no fault on the pages of things and of the account', async () => {
  const { sku } = await busiest()
  const [order] = await the.service.db<{ no: string }[]>`select order_no as no from sales_order order by 1 limit 1`
  const axe = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')
  const { page } = await fresh(the.signedIn('/', { colorScheme: 'dark', bypassCSP: true }))
  for (const path of [thingUrl('item', [sku]), thingUrl('order', [order?.no as string]), '/account', '/items/NONE']) {
    await page.goto(the.base + path)
    await page.locator('h1').first().waitFor()
    await page.waitForLoadState('networkidle')
    await page.evaluate(axe)
    const found = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
      violations: { id: string; nodes: { html: string }[] }[]
    }
    expect(found.violations.map(({ id, nodes }) => [path, id, nodes.map(({ html }) => html)])).toEqual([])
  }
})

inLongTier('the keyboard alone opens a thing, its tabs, and the thing that a record names', async () => {
  const { sku, name } = await busiest()
  const { page } = await open('/reports/masters.warehouse-list')
  await rowsShown(page)
  await page.keyboard.press('Control+k')
  await page.keyboard.type(sku)
  await page.getByRole('option', { name: /Item/ }).first().waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name, exact: true }).waitFor()
  await page.getByRole('link', { name: 'Made of' }).focus()
  await page.keyboard.press('Enter')
  await rowsShown(page)
  await page.locator('.thing .grid [tabindex="0"]').first().focus()
  await page.keyboard.press('Enter')
  await page.locator('.panel').waitFor()
  await page.locator('.panel dd a').nth(1).focus()
  const to = await page.locator('.panel dd a').nth(1).getAttribute('href')
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.pathname === to)
  await page.locator('.thing h1').waitFor()
})
